//! One key that a list is read from, page by page.

use super::reading::Reading;
use super::span::Range;
use crate::cursor::Stop;
use crate::edge::Edge;
use crate::error::{Error, Result};
use crate::keys::{Filling, Slot, escape};
use crate::model::Direction;
use crate::read;
use crate::receipt::Receipt;
use crate::requests::{self, Place};
use bothways_core::Item;
use bothways_protocol::Context;
use std::collections::VecDeque;

/// An edge in its place.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// What the list is ordered by.
    pub(super) key: String,
    pub(super) position: u64,
    pub(super) edge: Edge,
    direction: Direction,
}

impl Row {
    pub(super) fn peer(&self) -> &str {
        match self.direction {
            Direction::Out => &self.edge.target,
            Direction::In => &self.edge.source,
        }
    }

    pub(super) fn stop(&self) -> Stop {
        Stop::Edge {
            position: self.position,
            peer: self.peer().to_owned(),
        }
    }
}

/// What is left of a source behind its rows.
#[derive(Debug)]
pub(super) enum Left {
    /// Not read yet.
    Unread,
    /// It goes on behind this key: as the list is ordered, as a cursor says it, as the database says it.
    More {
        key: String,
        stop: Stop,
        start: Item,
    },
    /// Nothing.
    Done,
}

/// One key that a list is read from.
#[derive(Debug)]
pub(super) struct Source<'m> {
    pub(super) direction: Direction,
    pub(super) place: Place<'m>,
    pub(super) partition: String,
    /// It is being emptied into others: read it before them.
    pub(super) emptied: bool,
    pub(super) rows: VecDeque<Row>,
    pub(super) left: Left,
}

/// What one `Query` gave.
pub(super) struct Fetched {
    pub(super) rows: VecDeque<Row>,
    pub(super) left: Left,
    pub(super) foreign: u64,
    pub(super) marked: bool,
    pub(super) receipt: Option<Receipt>,
}

impl<'m> Source<'m> {
    pub(super) fn new(direction: Direction, place: Place<'m>, partition: String) -> Self {
        Self {
            direction,
            place,
            partition,
            emptied: false,
            rows: VecDeque::new(),
            left: Left::Unread,
        }
    }

    /// Reads one page more: behind what was read, else behind `after`.
    pub(super) async fn fetch(
        &self,
        cx: &Context,
        reading: &Reading<'_>,
        after: Option<&Stop>,
        limit: Option<usize>,
    ) -> Result<Fetched> {
        let model = &*reading.graph.model;
        let last = after.map(|stop| self.sort_key(reading.id, stop));
        let peer = match self.direction {
            Direction::Out => Slot::Target,
            Direction::In => Slot::Source,
        };
        let bounds = reading.span.bounds(&self.place.keys.sk, peer);
        let range = bounds.rest(last.as_deref(), reading.descending);
        let mut fetched = Fetched {
            rows: VecDeque::new(),
            left: Left::Done,
            foreign: 0,
            marked: false,
            receipt: None,
        };
        if range == Range::Nothing {
            return Ok(fetched);
        }
        let mut input = requests::range(model, &self.place, &self.partition, &range);
        // The last one is read again: the condition includes it.
        let again = usize::from(last.is_some());
        input.limit = limit.map(|l| i32::try_from(l.saturating_add(again)).unwrap_or(i32::MAX));
        input.scan_index_forward = reading.descending.then_some(false);
        if let Left::More { start, .. } = &self.left {
            input.exclusive_start_key = Some(start.clone().into());
        }
        if self.place.index.is_none() {
            input.consistent_read = Some(reading.strong);
        }
        let (output, receipt) = reading.graph.query(cx, input).await?;
        fetched.receipt = Some(receipt);
        let behind = after.map(|stop| self.order_key(reading, stop));
        for item in output.items.iter().flatten() {
            match self.row(reading, item) {
                Some(row) => {
                    if behind.as_ref().is_none_or(|b| reading.before(b, &row.key)) {
                        fetched.rows.push_back(row);
                    }
                }
                None if crate::shard::is_mark(&model.keys.pk, item) => fetched.marked = true,
                None => fetched.foreign += 1,
            }
        }
        if let Some(last) = output.last_evaluated_key {
            fetched.left = self.left_behind(reading, last)?;
        }
        Ok(fetched)
    }

    /// The sort key of a place in the list.
    fn sort_key(&self, id: &str, stop: &Stop) -> String {
        match stop {
            Stop::Raw { sort } => sort.clone(),
            Stop::Edge { position, peer } => {
                let filling = match self.direction {
                    Direction::Out => Filling::edge(id, peer),
                    Direction::In => Filling::edge(peer, id),
                };
                self.place.keys.sk.fill(&filling.at(*position))
            }
        }
    }

    fn order_key(&self, reading: &Reading<'_>, stop: &Stop) -> String {
        match stop {
            Stop::Edge { peer, .. } if reading.relation.undirected => escape(peer).into_owned(),
            _ => self.sort_key(reading.id, stop),
        }
    }

    fn row(&self, reading: &Reading<'_>, item: &Item) -> Option<Row> {
        let text = read::text(item, &self.place.names.sk)?;
        let position = self.place.keys.sk.read(text)?.position;
        let mut row = Row {
            key: String::new(),
            position,
            edge: reading.edges.read(item)?,
            direction: self.direction,
        };
        row.key = if reading.relation.undirected {
            escape(row.peer()).into_owned()
        } else {
            text.to_owned()
        };
        Some(row)
    }

    /// Where a page ended, from its last evaluated key.
    fn left_behind(&self, reading: &Reading<'_>, last: Item) -> Result<Left> {
        if let Some(row) = self.row(reading, &last) {
            return Ok(Left::More {
                stop: row.stop(),
                key: row.key,
                start: last,
            });
        }
        let sort = read::text(&last, &self.place.names.sk).unwrap_or_default();
        if reading.relation.undirected {
            // Its place among the peers is not known, so nothing can be merged past it.
            return Err(Error::Foreign {
                key: requests::key_words(&last, &reading.graph.model.keys),
                what: format!("it is no edge of {}", reading.relation.name),
            });
        }
        Ok(Left::More {
            key: sort.to_owned(),
            stop: Stop::Raw {
                sort: sort.to_owned(),
            },
            start: last,
        })
    }
}
