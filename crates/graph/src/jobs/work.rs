//! One step of a job: what it is given, what it answers.

use super::{Fields, Job, LEASE};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::receipt::Receipt;
use crate::requests::Key;
use crate::send::{Verdict, classify};
use bothways_protocol::Context;
use bothways_protocol::types::Units;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Keys remembered; where there are more, all are forgotten.
const KNOWN: usize = 200_000;

/// A job in the hands of a worker. A step changes `job`'s phase, place and progress; the runner saves them.
pub(crate) struct Work<'w> {
    pub(crate) graph: &'w Graph,
    pub(crate) cx: &'w Context,
    pub(crate) job: Job,
    /// What was sent, one receipt for each kind of request.
    pub(crate) receipts: Vec<Receipt>,
    /// As it was saved last, and when.
    pub(super) saved: (Job, Instant),
    /// When this worker began.
    started: Instant,
    /// The table has no item of the job: nothing of it is saved, and nobody can take it.
    pub(super) unsaved: bool,
    /// Keys of items that were seen to be there: only to save reads.
    pub(crate) known: HashSet<Key>,
}

/// What comes after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Another step.
    More,
    /// Another step, not before this time has passed.
    After(Duration),
    /// Nothing: it is done.
    Done,
    /// Nothing: it is called off.
    Cancelled,
}

impl<'w> Work<'w> {
    pub(super) fn new(graph: &'w Graph, cx: &'w Context, job: Job) -> Self {
        let now = graph.env.monotonic();
        Self {
            graph,
            cx,
            saved: (job.clone(), now),
            started: now,
            unsaved: false,
            job,
            receipts: Vec::new(),
            known: HashSet::new(),
        }
    }

    /// In a long step: keeps the lease, at the place before the step.
    pub(crate) async fn keep(&mut self) -> Result<()> {
        let now = self.graph.env.monotonic();
        if self.unsaved || now.saturating_duration_since(self.saved.1) < LEASE / 3 {
            return Ok(());
        }
        let (saved, receipt) = self.graph.save_job(self.cx, &self.saved.0, None).await?;
        self.sent(receipt);
        self.saved.1 = now;
        if saved.is_none() {
            return Err(Error::JobLost {
                job: self.job.id.clone(),
            });
        }
        Ok(())
    }

    /// Waits within a step.
    pub(crate) async fn rest(&mut self, mut time: Duration) -> Result<()> {
        while !time.is_zero() {
            let part = time.min(LEASE / 3);
            self.graph.env.sleep(part).await;
            time -= part;
            self.keep().await?;
        }
        Ok(())
    }

    /// How long to wait until what was used is what the budget gives for the time since the start.
    pub(crate) fn due(&self) -> Duration {
        let now = self.graph.env.monotonic();
        let passed = now.saturating_duration_since(self.started);
        let (write, read) = self.used();
        let due = |used: Units, rate: Option<u32>| {
            let rate = rate.filter(|rate| *rate > 0)?;
            let micros = u128::from(used.0) * 500_000 / u128::from(rate);
            Some(Duration::from_micros(
                u64::try_from(micros).unwrap_or(u64::MAX),
            ))
        };
        let budget = self.job.budget;
        let due = due(write, budget.write).max(due(read, budget.read));
        due.unwrap_or_default().saturating_sub(passed)
    }

    /// Between the requests of a long step: keeps the lease, and to the budget.
    pub(crate) async fn breathe(&mut self) -> Result<()> {
        let due = self.due();
        if due.is_zero() {
            self.keep().await
        } else {
            self.rest(due).await
        }
    }

    /// Remembers items that are there.
    pub(crate) fn know(&mut self, keys: impl Iterator<Item = Key>) {
        if self.known.len() > KNOWN {
            self.known.clear();
        }
        self.known.extend(keys);
    }

    pub(crate) fn sent(&mut self, receipt: Receipt) {
        if receipt.requests == 0 {
            return;
        }
        let same = |r: &&mut Receipt| r.operation == receipt.operation && r.index == receipt.index;
        match self.receipts.iter_mut().find(same) {
            Some(same) => same.absorb(&receipt),
            None => self.receipts.push(receipt),
        }
    }

    /// Units used so far: written, read.
    pub(crate) fn used(&self) -> (Units, Units) {
        let write = self.receipts.iter().map(|r| r.write).sum();
        (write, self.receipts.iter().map(|r| r.read).sum())
    }

    pub(crate) fn tally(&mut self, name: &str, count: u64) {
        if count == 0 {
            return;
        }
        match self.job.progress.iter_mut().find(|(n, _)| n == name) {
            Some((_, sum)) => *sum += count,
            None => self.job.progress.push((name.to_owned(), count)),
        }
    }

    /// Goes to another phase, whose place is empty.
    pub(crate) fn enter(&mut self, phase: &str) {
        phase.clone_into(&mut self.job.phase);
        self.job.place = Fields::default();
    }
}

/// Whether a step that failed so is worth another attempt: nothing says that it cannot be done.
pub(crate) fn passing(error: &Error) -> bool {
    match error {
        Error::Unknown { .. } | Error::Contended { .. } => true,
        Error::Database(error) => matches!(
            classify(error),
            Verdict::Conflict | Verdict::Throttled | Verdict::InProgress | Verdict::Ambiguous
        ),
        _ => false,
    }
}
