//! The peers of one list in the order of their escaped ids.

use super::{From, Operand, before};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::keys::escape;
use crate::limits::Spent;
use crate::list::{ListOptions, Span};
use crate::model::Direction;
use bothways_protocol::Context;
use std::collections::VecDeque;

/// Peers of the first page; each further one has twice as many, up to [`LARGEST`].
const SMALLEST: u32 = 100;
/// Peers of the largest page: about 100 KB.
const LARGEST: u32 = 1000;

/// What is behind the peers that were read.
enum Left {
    /// Everything from here on.
    From(Option<String>),
    /// Everything behind a cursor.
    Behind {
        cursor: String,
        from: Option<String>,
    },
    Nothing,
}

/// The peers of one list, read as they are asked for.
pub(super) struct Peers<'g> {
    graph: &'g Graph,
    operand: &'g Operand,
    /// The list itself comes by id; otherwise all of it is read and sorted.
    by_id: bool,
    /// Peers at or before this one do not count.
    after: Option<String>,
    read: VecDeque<String>,
    left: Left,
    size: u32,
}

impl<'g> Peers<'g> {
    pub(super) fn new(graph: &'g Graph, operand: &'g Operand, from: &From, by_id: bool) -> Self {
        let (from, after) = match from {
            From::Start => (None, None),
            From::After(id) => (Some(id.clone()), Some(id.clone())),
            From::At(id) => (Some(id.clone()), None),
        };
        Self {
            graph,
            operand,
            by_id,
            after,
            read: VecDeque::new(),
            left: Left::From(from),
            size: SMALLEST,
        }
    }

    /// The next peer, which stays.
    pub(super) async fn head(
        &mut self,
        cx: &Context,
        spent: &mut Spent<'_>,
    ) -> Result<Option<&str>> {
        while self.read.is_empty() && !matches!(self.left, Left::Nothing) {
            if self.by_id {
                self.read_page(cx, spent).await?;
            } else {
                self.read_all(cx, spent).await?;
            }
        }
        Ok(self.read.front().map(String::as_str))
    }

    /// Whether the next peer is known without reading.
    pub(super) fn is_known(&self) -> bool {
        !self.read.is_empty() || matches!(self.left, Left::Nothing)
    }

    pub(super) fn pop(&mut self) -> Option<String> {
        self.read.pop_front()
    }

    /// Skips to the first peer that is not before `id`.
    pub(super) fn seek(&mut self, id: &str) {
        let key = escape(id);
        let skipped = self.read.partition_point(|peer| escape(peer) < key);
        self.read.drain(..skipped);
        if self.read.is_empty() && !matches!(self.left, Left::Nothing) {
            // What lies between is not read.
            let known = match &self.left {
                Left::From(from) => from.as_deref(),
                Left::Behind { .. } | Left::Nothing => None,
            };
            if known.is_none_or(|known| before(known, id)) {
                self.left = Left::From(Some(id.to_owned()));
            }
        }
    }

    fn peer(&self, edge: crate::edge::Edge) -> String {
        let other = match self.operand.direction {
            Direction::Out => edge.source == self.operand.id,
            Direction::In => edge.target != self.operand.id,
        };
        // Of an undirected edge either end may be the peer.
        if other { edge.target } else { edge.source }
    }

    async fn read_page(&mut self, cx: &Context, spent: &mut Spent<'_>) -> Result<()> {
        let (after, from) = match std::mem::replace(&mut self.left, Left::Nothing) {
            Left::From(from) => (None, from),
            Left::Behind { cursor, from } => (Some(cursor), from),
            Left::Nothing => return Ok(()),
        };
        let span = match &from {
            None => Span::All,
            Some(_) => Span::Ids {
                from: from.clone(),
                to: None,
            },
        };
        let options = ListOptions {
            limit: Some(self.size),
            after,
            span,
            ..ListOptions::default()
        };
        let Operand {
            relation,
            direction,
            id,
        } = self.operand;
        let page = self
            .graph
            .list(cx, relation, *direction, id, &options)
            .await?;
        self.size = (self.size * 2).min(LARGEST);
        spent.edges += page.value.edges.len() as u64;
        spent.add(page.receipts);
        if let Some(cursor) = page.value.next {
            self.left = Left::Behind { cursor, from };
        }
        let peers: Vec<String> = page.value.edges.into_iter().map(|e| self.peer(e)).collect();
        let after = self.after.as_deref();
        let counts = |peer: &String| after.is_none_or(|after| before(after, peer));
        self.read.extend(peers.into_iter().filter(counts));
        Ok(())
    }

    /// Reads a list that does not come by id, and sorts it.
    async fn read_all(&mut self, cx: &Context, spent: &mut Spent<'_>) -> Result<()> {
        let Left::From(from) = std::mem::replace(&mut self.left, Left::Nothing) else {
            return Ok(());
        };
        let Operand {
            relation,
            direction,
            id,
        } = self.operand;
        let options = ListOptions {
            limit: Some(LARGEST),
            ..ListOptions::default()
        };
        let mut pages = self.graph.pages(relation, *direction, id, options);
        let mut peers = Vec::new();
        while let Some(page) = pages.next(cx).await? {
            spent.edges += page.value.edges.len() as u64;
            spent.add(page.receipts);
            let more = page.value.next.is_some();
            peers.extend(page.value.edges.into_iter().map(|e| self.peer(e)));
            if let Some(cut) = spent.cut().filter(|_| more) {
                return Err(Error::Option {
                    option: "operands",
                    why: format!(
                        "hold a list by time that is too long to be sorted within the budget ({}): {relation} {} {id}",
                        cut.as_str(),
                        direction.as_str()
                    ),
                });
            }
        }
        peers.sort_by(|a, b| escape(a).cmp(&escape(b)));
        peers.dedup();
        let counts = |peer: &String| {
            let behind = self
                .after
                .as_deref()
                .is_none_or(|after| before(after, peer));
            behind && from.as_deref().is_none_or(|from| !before(peer, from))
        };
        self.read = peers.into_iter().filter(counts).collect();
        Ok(())
    }
}
