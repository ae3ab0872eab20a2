//! Edges moved from one shard to others, with their counts.

use super::map::Map;
use super::part::{COUNT, Part};
use crate::env::operation_id;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::model::{Direction, Model, Relation, companion};
use crate::read;
use crate::receipt::Receipt;
use crate::requests::{self, CLOSED, Key, Place};
use crate::send::Outcome;
use bothways_core::{Number, Value};
use bothways_protocol as protocol;
use bothways_protocol::types::{TransactWriteItem, Update};
use bothways_protocol::{Context, ErrorKind, Operation};
use std::collections::BTreeMap;

/// Edges of one transaction, with room for their counters among its 100 actions.
const EDGES: usize = 32;
/// Pages of one key read in a pass: more are left to the next.
const PAGES: u32 = 10_000;
/// Attempts at one handful of edges before somebody else is thought to work on them.
const ROUNDS: u32 = 64;

/// An edge to be moved.
pub(super) struct Moving {
    pub(super) key: Key,
    pub(super) to: Part,
}

impl Graph {
    /// Moves the edges that the index shows in a part to where new ones go. Answers how many it met.
    pub(super) async fn drain_part(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        map: &Map,
        part: Part,
        receipts: &mut Vec<Receipt>,
    ) -> Result<u64> {
        let model = &*self.model;
        let place = Place::of(model, relation, Direction::In, None);
        let partition = part.partition(relation, id);
        let mut met = 0;
        let mut start = None;
        let mut reading = Receipt::new(Operation::Query, &model.table);
        let mut writing = Receipt::new(Operation::TransactWriteItems, &model.table);
        for _ in 0..PAGES {
            let mut input = requests::query(model, &place, &partition, place.keys.sk.prefix());
            input.exclusive_start_key = start;
            let (output, receipt) = self.query(cx, input).await?;
            reading.absorb(&receipt);
            reading.index = receipt.index;
            let mut edges = Vec::new();
            for item in output.items.iter().flatten() {
                let Some(edge) = read::edge(model, relation, item) else {
                    continue;
                };
                edges.push(Moving {
                    key: requests::edge_key(model, relation, &edge.source, &edge.target)?,
                    to: map.part_of(&edge.source),
                });
            }
            met += edges.len() as u64;
            while !edges.is_empty() {
                let rest = edges.split_off(edges.len().min(EDGES));
                self.move_edges(cx, relation, id, map, part, edges, &mut writing)
                    .await?;
                edges = rest;
            }
            match output.last_evaluated_key {
                Some(last) => start = Some(last.into()),
                None => break,
            }
        }
        receipts.extend([reading, writing].into_iter().filter(|r| r.requests > 0));
        Ok(met)
    }

    /// One transaction, and others for what it does not settle.
    #[allow(
        clippy::too_many_arguments,
        reason = "what a move is, and where it is noted"
    )]
    async fn move_edges(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        map: &Map,
        from: Part,
        mut edges: Vec<Moving>,
        receipt: &mut Receipt,
    ) -> Result<()> {
        let model = &*self.model;
        for _ in 0..ROUNDS {
            if edges.is_empty() {
                return Ok(());
            }
            let op_id = operation_id(&*self.env);
            let mut actions: Vec<TransactWriteItem> = Vec::with_capacity(edges.len() * 2);
            let mut counts: BTreeMap<Part, i64> = BTreeMap::new();
            for edge in &edges {
                actions.push(rekey(model, relation, id, from, edge));
                *counts.entry(edge.to).or_default() += 1;
                *counts.entry(from).or_default() -= 1;
            }
            if map.counts_parts() {
                for (part, by) in counts {
                    let key = part.counter(relation, id);
                    actions.push(count(model, &key, by));
                }
            }
            let input = requests::transaction(actions, &op_id);
            match self.transact(cx, &input, &op_id, receipt).await? {
                Outcome::Committed => return Ok(()),
                Outcome::Refused(reasons) => {
                    // What is gone or moved needs no moving. A counter that refuses has an entity that goes.
                    let refused = |at: usize| {
                        reasons
                            .get(at)
                            .is_some_and(|r| r.code == "ConditionalCheckFailed")
                    };
                    if (edges.len()..reasons.len()).any(refused) {
                        return Err(Error::Closed {
                            entity: relation.to.clone(),
                            id: id.to_owned(),
                        });
                    }
                    let mut at = 0;
                    edges.retain(|_| {
                        at += 1;
                        !refused(at - 1)
                    });
                }
            }
        }
        let message = "the edges changed under every attempt";
        Err(protocol::Error::new(ErrorKind::TransactionConflict, message).into())
    }
}

/// Puts an edge into another part if it is in this one.
pub(super) fn rekey(
    model: &Model,
    relation: &Relation,
    id: &str,
    from: Part,
    edge: &Moving,
) -> TransactWriteItem {
    let index = model.index(&relation.inverse.index);
    let attribute = index.map_or(&model.keys.pk, |i| &i.keys.pk);
    let text = |part: Part| Value::S(part.partition(relation, id));
    TransactWriteItem {
        update: Some(Update {
            key: Some(edge.key.item(&model.keys).into()),
            table_name: Some(model.table.clone()),
            update_expression: Some("SET #shard = :to".into()),
            condition_expression: Some("#shard = :from".into()),
            expression_attribute_names: Some(BTreeMap::from([(
                "#shard".to_owned(),
                attribute.clone(),
            )])),
            expression_attribute_values: Some(
                BTreeMap::from([
                    (":from".to_owned(), text(from)),
                    (":to".to_owned(), text(edge.to)),
                ])
                .into(),
            ),
            ..Update::default()
        }),
        ..TransactWriteItem::default()
    }
}

/// Moves a part's counter. One that gains must be open.
pub(super) fn count(model: &Model, key: &Key, by: i64) -> TransactWriteItem {
    let mut names = BTreeMap::from([
        ("#n".to_owned(), COUNT.to_owned()),
        ("#ops".to_owned(), companion(COUNT)),
    ]);
    let open = (by > 0).then(|| {
        names.insert("#closed".to_owned(), CLOSED.to_owned());
        "attribute_not_exists(#closed)".to_owned()
    });
    TransactWriteItem {
        update: Some(Update {
            key: Some(key.item(&model.keys).into()),
            table_name: Some(model.table.clone()),
            update_expression: Some("ADD #n :by, #ops :one".into()),
            condition_expression: open,
            expression_attribute_names: Some(names),
            expression_attribute_values: Some(
                BTreeMap::from([
                    (":by".to_owned(), Value::N(Number::from(by))),
                    (":one".to_owned(), Value::N(Number::from(1_i64))),
                ])
                .into(),
            ),
            ..Update::default()
        }),
        ..TransactWriteItem::default()
    }
}
