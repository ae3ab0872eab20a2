//! A list that is being read: sources merged in the total order.
//!
//! Never is an edge emitted that lies behind the last key read of a source that has more: what is not read yet could
//! come before it.

use super::source::{Fetched, Left, Row, Source};
use super::span::Span;
use crate::cursor::Stop;
use crate::error::Result;
use crate::flight::Flight;
use crate::graph::Graph;
use crate::model::Relation;
use crate::read::EdgeReader;
use crate::receipt::Receipt;
use bothways_protocol::Context;
use std::collections::HashSet;

/// Most rounds of reading for one page. A page is short and goes on where so many do not fill it.
const ROUNDS: u32 = 32;
/// Queries of one page in flight at once.
const ABREAST: usize = 32;

/// What the requests of a list are made of.
pub(super) struct Reading<'g> {
    pub(super) graph: &'g Graph,
    pub(super) relation: &'g Relation,
    pub(super) edges: EdgeReader<'g>,
    pub(super) id: &'g str,
    pub(super) span: &'g Span,
    /// The way that the keys are read: against the order of the list where the page before is asked for.
    pub(super) descending: bool,
    pub(super) limit: Option<usize>,
    pub(super) skip: usize,
    pub(super) strong: bool,
}

/// A page in the order in which it was read.
#[derive(Default)]
pub(super) struct Merged {
    pub(super) rows: Vec<Row>,
    /// Where it goes on; `None` at the end.
    pub(super) more: Option<Stop>,
    pub(super) foreign: u64,
    pub(super) receipts: Vec<Receipt>,
    /// The mark of a list with shards was met.
    pub(super) marked: bool,
    /// How far the first source was read the first time; `None`: to its end.
    pub(super) reached: Option<String>,
}

impl<'g> Reading<'g> {
    /// Whether one order key comes before another.
    pub(super) fn before(&self, a: &str, b: &str) -> bool {
        if self.descending { a > b } else { a < b }
    }

    /// Rows to ask of each of `sources`: its part of the page, and what chance adds to it.
    fn share(&self, sources: usize) -> Option<usize> {
        let wanted = self.limit?.saturating_add(self.skip).saturating_add(1);
        if sources <= 2 {
            return Some(wanted);
        }
        let part = wanted.div_ceil(sources);
        Some(part + 2 * part.isqrt() + 1)
    }

    /// One page.
    pub(super) async fn page(
        &self,
        cx: &Context,
        mut sources: Vec<Source<'g>>,
        after: Option<&Stop>,
    ) -> Result<Merged> {
        let mut merged = Merged::default();
        // One more than asked for tells whether there is a next page, so none is ever promised and empty.
        let wanted = self.limit.map_or(usize::MAX, |l| l + self.skip + 1);
        let share = self.share(sources.len());
        let draining = sources.iter().any(|s| s.emptied);
        let mut peers = HashSet::new();
        let mut last = after.cloned();
        for round in 0_u32.. {
            if draining && round > 0 {
                // An edge moves from one key to another: what was read of the one is too old beside a new page of the
                // other.
                for source in &mut sources {
                    source.rows.clear();
                    source.left = Left::Unread;
                }
            }
            for emptied in [true, false] {
                self.read(cx, &mut sources, emptied, last.as_ref(), share, &mut merged)
                    .await?;
            }
            if round == 0
                && let Some(Left::More { key, .. }) = sources.first().map(|s| &s.left)
            {
                merged.reached = Some(key.clone());
            }
            let bound = self.bound(&sources);
            self.emit(
                &mut sources,
                bound.as_ref().map(|(key, _)| key),
                wanted,
                &mut peers,
                &mut merged,
            );
            last = merged.rows.last().map(Row::stop).or(last);
            if merged.rows.len() >= wanted {
                merged.rows.truncate(wanted - 1);
                merged.more = merged.rows.last().map(Row::stop);
                break;
            }
            merged.more = bound.map(|(_, stop)| stop);
            if draining {
                // Everything up to the bound was emitted, so that reading goes on there.
                last.clone_from(&merged.more);
            }
            // A page without edges, of which there is more, is no page yet.
            let one = self.limit.is_none() || sources.len() == 1;
            let enough = one && !merged.rows.is_empty();
            let short = enough || round + 1 >= ROUNDS;
            if merged.more.is_none() || (short && merged.rows.len() >= self.skip) {
                break;
            }
        }
        merged.rows.drain(..self.skip.min(merged.rows.len()));
        Ok(merged)
    }

    /// Reads a page more of each source that has no rows and may have some.
    async fn read(
        &self,
        cx: &Context,
        sources: &mut [Source<'g>],
        emptied: bool,
        after: Option<&Stop>,
        share: Option<usize>,
        merged: &mut Merged,
    ) -> Result<()> {
        let dry = |s: &Source<'_>| {
            s.emptied == emptied && s.rows.is_empty() && !matches!(s.left, Left::Done)
        };
        let waiting: Vec<usize> = (0..sources.len()).filter(|&i| dry(&sources[i])).collect();
        let mut answers: Vec<(usize, Fetched)> = Vec::with_capacity(waiting.len());
        let mut flight = Flight::new();
        let mut next = waiting.into_iter();
        loop {
            while flight.len() < ABREAST
                && let Some(at) = next.next()
            {
                let source = &sources[at];
                flight.launch(at, Box::pin(source.fetch(cx, self, after, share)));
            }
            match flight.land().await {
                Some((at, fetched)) => answers.push((at, fetched?)),
                None => break,
            }
        }
        drop(flight);
        answers.sort_by_key(|(at, _)| *at);
        for (at, fetched) in answers {
            merged.foreign += fetched.foreign;
            merged.marked |= fetched.marked;
            merged.receipts.extend(fetched.receipt);
            sources[at].rows = fetched.rows;
            sources[at].left = fetched.left;
        }
        Ok(())
    }

    /// Up to where everything is known; `None`: to the end.
    fn bound(&self, sources: &[Source<'g>]) -> Option<(String, Stop)> {
        let mut bound: Option<(&String, &Stop)> = None;
        for source in sources {
            if let Left::More { key, stop, .. } = &source.left
                && bound.is_none_or(|(known, _)| self.before(key, known))
            {
                bound = Some((key, stop));
            }
        }
        bound.map(|(key, stop)| (key.clone(), stop.clone()))
    }

    /// Moves rows up to the bound into the page, in order, each edge once.
    fn emit(
        &self,
        sources: &mut [Source<'g>],
        bound: Option<&String>,
        wanted: usize,
        peers: &mut HashSet<String>,
        merged: &mut Merged,
    ) {
        let several = sources.len() > 1;
        while merged.rows.len() < wanted {
            let mut first: Option<usize> = None;
            for (at, source) in sources.iter().enumerate() {
                if let Some(row) = source.rows.front()
                    && bound.is_none_or(|b| !self.before(b, &row.key))
                    && first.is_none_or(|f| {
                        sources[f]
                            .rows
                            .front()
                            .is_none_or(|best| self.before(&row.key, &best.key))
                    })
                {
                    first = Some(at);
                }
            }
            let Some(row) = first.and_then(|at| sources[at].rows.pop_front()) else {
                return;
            };
            // Linked to oneself, or on its way from one key to another: the one item stands twice.
            if !several || peers.insert(row.peer().to_owned()) {
                merged.rows.push(row);
            }
        }
    }
}
