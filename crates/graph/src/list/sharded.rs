//! Which keys a list is read from.

use super::reading::{Merged, Reading};
use super::source::Source;
use super::span::Span;
use crate::cursor::Stop;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::model::{Direction, Relation};
use crate::receipt::Receipt;
use crate::requests::{self, Place};
use crate::shard::{Map, Part, marks};
use bothways_protocol as protocol;
use bothways_protocol::{Context, ErrorKind};
use std::time::Instant;

/// How often a page is read anew that took so long that its map may be another by now.
const TOO_LATE: u32 = 4;

impl Graph {
    /// One page, from wherever the list stands.
    pub(super) async fn read_list<'g>(
        &'g self,
        cx: &Context,
        reading: &Reading<'g>,
        direction: Direction,
        place: Place<'g>,
        after: Option<&Stop>,
    ) -> Result<Merged> {
        let (relation, id) = (reading.relation, reading.id);
        if relation.undirected {
            let sources = both_sides(self, relation, id);
            return reading.page(cx, sources, after).await;
        }
        let spreads = direction == Direction::In && relation.shard.is_some();
        let plain = || {
            let partition = requests::list_partition(&place.keys.pk, id);
            vec![Source::new(direction, place, partition)]
        };
        if !spreads {
            return reading.page(cx, plain(), after).await;
        }
        let mut receipts: Vec<Receipt> = Vec::new();
        if self.known_map(relation, id).is_none() {
            let mapped = self
                .maps
                .last(relation, id)
                .is_some_and(|k| k.map.is_some());
            // A first page tells by the mark whether the list is spread.
            if !mapped && after.is_none() && *reading.span == Span::All {
                let started = self.env.monotonic();
                let mut merged = reading.page(cx, plain(), after).await?;
                let [first, last] = marks(&place);
                let mark = if reading.descending { last } else { first };
                let passed = |key: &String| reading.before(&mark, key);
                if !merged.marked && merged.reached.as_ref().is_none_or(passed) {
                    self.learn_map(relation, id, None, started);
                    return Ok(merged);
                }
                receipts.append(&mut merged.receipts);
            }
        }
        for _ in 0..TOO_LATE {
            let (map, until) = self.map_to_read(cx, relation, id, &mut receipts).await?;
            let sources = map.parts().map(|part| {
                let mut source = Source::new(direction, place, part.partition(relation, id));
                source.emptied = map.beyond(part);
                source
            });
            let mut merged = reading.page(cx, sources.collect(), after).await?;
            receipts.append(&mut merged.receipts);
            if self.env.monotonic() <= until {
                merged.receipts = gathered(receipts, &map);
                return Ok(merged);
            }
        }
        let message = "the list took longer to read than its map may be gone by";
        Err(Error::from(protocol::Error::new(
            ErrorKind::InternalServerError,
            message,
        )))
    }

    async fn map_to_read(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        receipts: &mut Vec<Receipt>,
    ) -> Result<(Map, Instant)> {
        let known = if let Some(known) = self.known_map(relation, id) {
            known
        } else {
            let (known, receipt) = self.fetch_map(cx, relation, id).await?;
            receipts.push(receipt);
            known
        };
        Ok((known.map.unwrap_or(Map::PLAIN), known.until()))
    }
}

/// The edges that start at an id and those that end there.
fn both_sides<'g>(graph: &'g Graph, relation: &'g Relation, id: &str) -> Vec<Source<'g>> {
    let side = |direction| {
        let place = Place::of(&graph.model, relation, direction, None);
        let partition = requests::list_partition(&place.keys.pk, id);
        Source::new(direction, place, partition)
    };
    vec![side(Direction::Out), side(Direction::In)]
}

/// The receipts of many keys as one.
fn gathered(receipts: Vec<Receipt>, map: &Map) -> Vec<Receipt> {
    let parts = map.parts().count();
    if parts == 1 {
        return receipts;
    }
    let mut gathered: Vec<Receipt> = Vec::new();
    for receipt in receipts {
        let same = |r: &&mut Receipt| r.operation == receipt.operation && r.index == receipt.index;
        match gathered.iter_mut().find(same) {
            Some(sum) => sum.absorb(&receipt),
            None => gathered.push(receipt),
        }
    }
    for receipt in gathered.iter_mut().filter(|r| r.index.is_some()) {
        let shards = map.parts().filter(|p| *p != Part::Plain).count();
        receipt.note = Some(format!("merged from the plain key and {shards} shards"));
    }
    gathered
}
