//! What an operation of many requests may take, and what it has taken.

use crate::env::Environment;
use crate::receipt::Receipt;
use bothways_protocol::types::Units;
use bothways_protocol::{Context, Operation};
use std::time::{Duration, Instant};

/// The most that a walk or a set operation takes; then it answers with what it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Nodes reached.
    pub nodes: u64,
    /// Edges read.
    pub edges: u64,
    /// Read units.
    pub read: Units,
    /// Time.
    pub time: Duration,
}

impl Default for Limits {
    /// 10,000 nodes, 100,000 edges, 5,000 read units, 10 seconds: a choice; on AWS on demand well below a cent.
    fn default() -> Self {
        Self {
            nodes: 10_000,
            edges: 100_000,
            read: Units::whole(5_000),
            time: Duration::from_secs(10),
        }
    }
}

/// Which part of the budget ended an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cut {
    /// Nodes.
    Nodes,
    /// Edges.
    Edges,
    /// Read units.
    Read,
    /// Time, the context's deadline included.
    Time,
}

impl Cut {
    /// `nodes`, `edges`, `read units` or `time`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Edges => "edges",
            Self::Read => "read units",
            Self::Time => "time",
        }
    }
}

/// What has been taken of a budget.
pub(crate) struct Spent<'g> {
    env: &'g dyn Environment,
    limits: Limits,
    until: Instant,
    pub(crate) nodes: u64,
    pub(crate) edges: u64,
    read: Units,
    receipts: Vec<Receipt>,
}

impl<'g> Spent<'g> {
    pub(crate) fn new(env: &'g dyn Environment, cx: &Context, limits: &Limits) -> Self {
        let until = env.monotonic() + limits.time;
        Self {
            env,
            limits: limits.clone(),
            until: cx.deadline.map_or(until, |deadline| deadline.min(until)),
            nodes: 0,
            edges: 0,
            read: Units::default(),
            receipts: Vec::new(),
        }
    }

    /// Adds what was sent. Requests of one kind to one index stand in one receipt.
    pub(crate) fn add(&mut self, receipts: impl IntoIterator<Item = Receipt>) {
        for receipt in receipts {
            self.read += receipt.read;
            let same = |r: &&mut Receipt| {
                r.operation == receipt.operation
                    && r.index == receipt.index
                    && r.consistency == receipt.consistency
                    && r.note == receipt.note
            };
            match self.receipts.iter_mut().find(same) {
                Some(sum) => {
                    sum.absorb(&receipt);
                    if sum.key != receipt.key {
                        (sum.key, sum.range) = (None, None);
                    }
                }
                None => self.receipts.push(receipt),
            }
        }
    }

    /// Edges that may still be read.
    pub(crate) fn edges_left(&self) -> u64 {
        self.limits.edges.saturating_sub(self.edges)
    }

    /// What has run out.
    pub(crate) fn cut(&self) -> Option<Cut> {
        let Limits {
            nodes, edges, read, ..
        } = self.limits;
        if self.nodes >= nodes {
            Some(Cut::Nodes)
        } else if self.edges >= edges {
            Some(Cut::Edges)
        } else if self.read >= read {
            Some(Cut::Read)
        } else if self.env.monotonic() >= self.until {
            Some(Cut::Time)
        } else {
            None
        }
    }

    /// One receipt for each kind of request: kinds in the order of sending, of one kind the table before its indexes. Who
    /// answered first makes no difference.
    pub(crate) fn receipts(self) -> Vec<Receipt> {
        let mut kinds: Vec<Operation> = Vec::new();
        for receipt in &self.receipts {
            if !kinds.contains(&receipt.operation) {
                kinds.push(receipt.operation);
            }
        }
        let mut receipts = self.receipts;
        receipts.sort_by(|a, b| {
            let kind = |r: &Receipt| kinds.iter().position(|k| *k == r.operation);
            (kind(a), &a.index).cmp(&(kind(b), &b.index))
        });
        receipts
    }
}
