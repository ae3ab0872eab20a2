//! A store that fails on purpose, for tests of what stands on it.
//!
//! Wraps any store and keeps back what is not yet "synced": commits join a group, and the group reaches the
//! inner store as a whole when its sync is done. Nothing happens by itself or by time: waiting for a ticket is
//! what drives a sync, so a run with one thread repeats from its seed. At a chosen step the "process" dies:
//! every later call fails, and [`FaultyStore::reopen`] sees what was durable.

mod chance;

use crate::ticket::{Drive, Gate};
use crate::{Batch, Error, GroupHook, Latest, Result, Rows, Seq, Sizes, Snapshot, Store, Ticket};
use bytes::Bytes;
use chance::Chance;
use parking_lot::Mutex;
use std::ops::Bound;
use std::sync::Arc;

/// What goes wrong, and how often. The default is nothing, at once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plan {
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// Of a thousand submits, so many are refused; nothing is written.
    pub submit_failures: u32,
    /// Of a thousand reads of a row or start of a range, so many fail.
    pub read_failures: u32,
    /// Of a thousand syncs, so many fail: the group fails, and the store is read-only until reopened. Whether
    /// the group is there then is left to chance.
    pub sync_failures: u32,
    /// A group is synced after its tickets were waited for so many times, at most.
    pub most_delay: u64,
    /// The process dies at this step; [`FaultyStore::steps`] tells how many a run has.
    pub dies_at: Option<u64>,
}

/// See the module.
pub struct FaultyStore {
    shared: Arc<Shared>,
}

struct Shared {
    inner: Arc<dyn Store>,
    plan: Plan,
    state: Mutex<State>,
}

struct State {
    chance: Chance,
    steps: u64,
    next: Seq,
    /// Commits of the open group.
    pending: Vec<(Seq, Batch)>,
    gate: Arc<Gate>,
    /// Waits until the open group is synced.
    delay: u64,
    hook: Option<GroupHook>,
    /// Why nothing is taken any more.
    poisoned: Option<Error>,
    dead: bool,
    closed: bool,
}

impl std::fmt::Debug for FaultyStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FaultyStore")
            .field("plan", &self.shared.plan)
            .finish_non_exhaustive()
    }
}

impl FaultyStore {
    /// Wraps a store, which nobody else may write to meanwhile and which must not have groups of its own that
    /// number differently: a [`crate::MemoryStore`], or a [`crate::DiskStore`] without a group hook.
    ///
    /// # Errors
    ///
    /// What the inner store says.
    pub fn new(inner: Arc<dyn Store>, plan: Plan) -> Result<Self> {
        let next = inner.snapshot()?.seq() + 1;
        let state = State {
            chance: Chance::new(plan.seed),
            steps: 0,
            next,
            pending: Vec::new(),
            gate: Arc::default(),
            delay: 0,
            hook: None,
            poisoned: None,
            dead: false,
            closed: false,
        };
        Ok(Self {
            shared: Arc::new(Shared {
                inner,
                plan,
                state: Mutex::new(state),
            }),
        })
    }

    /// What a new process finds. This one is dead from now on.
    ///
    /// # Errors
    ///
    /// What the inner store says.
    pub fn reopen(&self, plan: Plan) -> Result<Self> {
        self.shared.state.lock().die();
        Self::new(self.shared.inner.clone(), plan)
    }

    /// Steps so far: submits, reads and waits.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.shared.state.lock().steps
    }

    /// Whether the process has died.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.shared.state.lock().dead
    }
}

fn dead() -> Error {
    injected("the process has died")
}

fn injected(message: &str) -> Error {
    Error::Io {
        context: "a planned fault".into(),
        kind: std::io::ErrorKind::Other,
        message: message.into(),
    }
}

impl State {
    fn die(&mut self) {
        self.dead = true;
        self.pending.clear();
        self.gate.settle(Err(dead()));
    }

    /// Counts a step; the process may die at it.
    fn step(&mut self, plan: &Plan) -> Result<()> {
        self.steps += 1;
        if plan.dies_at.is_some_and(|at| self.steps >= at) && !self.dead {
            self.die();
        }
        if self.dead {
            return Err(dead());
        }
        if self.closed {
            Err(Error::Closed)
        } else {
            Ok(())
        }
    }
}

impl Shared {
    /// Counts a read, which may fail.
    fn read(&self) -> Result<()> {
        let mut state = self.state.lock();
        state.step(&self.plan)?;
        if state.chance.of_thousand(self.plan.read_failures) {
            return Err(injected("a read failed"));
        }
        Ok(())
    }

    /// Closes the open group and makes it durable, or not.
    fn sync(&self, state: &mut State) {
        if let Some(hook) = &state.hook {
            let mut batch = Batch::default();
            hook(&mut batch);
            state.pending.push((state.next, batch));
            state.next += 1;
        }
        let group = std::mem::take(&mut state.pending);
        let gate = std::mem::take(&mut state.gate);
        let failed = state.chance.of_thousand(self.plan.sync_failures);
        let outcome = if failed {
            Err(injected("a sync failed"))
        } else {
            Ok(())
        };
        // After a failed sync the group may be on the disk all the same.
        let durable = !failed || state.chance.below(2) == 1;
        let written = if durable { self.write(group) } else { Ok(()) };
        let outcome = outcome.and(written);
        let outcome = outcome.map_err(|error| Error::Poisoned(error.to_string()));
        if let Err(error) = &outcome {
            state.poisoned = Some(error.clone());
        }
        gate.settle(outcome);
    }

    fn write(&self, group: Vec<(Seq, Batch)>) -> Result<()> {
        // Readers take a snapshot under the lock that the caller holds, so they see the group as a whole.
        for (seq, batch) in group {
            let mut batch = Some(batch);
            let mut same = true;
            let ticket = self.inner.submit(&mut |given, into| {
                same &= given == seq;
                *into = batch.take().unwrap_or_default();
            })?;
            ticket.wait()?;
            if !same {
                return Err(injected("somebody else writes to the inner store"));
            }
        }
        Ok(())
    }
}

impl Drive for Shared {
    /// Somebody waits for the group of `gate`.
    fn drive(&self, gate: &Arc<Gate>) {
        let mut state = self.state.lock();
        if !Arc::ptr_eq(gate, &state.gate) || state.step(&self.plan).is_err() {
            return;
        }
        match state.delay.checked_sub(1) {
            Some(left) => state.delay = left,
            None => self.sync(&mut state),
        }
    }
}

impl Store for FaultyStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        self.shared.read()?;
        let _whole_groups = self.shared.state.lock();
        let inner = self.shared.inner.snapshot()?;
        Ok(Box::new(FaultySnapshot {
            inner,
            shared: self.shared.clone(),
        }))
    }

    fn latest(&self, key: &[u8]) -> Result<Latest> {
        self.shared.read()?;
        let state = self.shared.state.lock();
        for (seq, batch) in state.pending.iter().rev() {
            if let Some((_, value)) = batch.entries.iter().rev().find(|(k, _)| k == key) {
                return Ok(Latest {
                    value: value.clone(),
                    seq: *seq,
                });
            }
        }
        self.shared.inner.latest(key)
    }

    fn submit(&self, fill: &mut dyn FnMut(Seq, &mut Batch)) -> Result<Ticket> {
        let plan = &self.shared.plan;
        let mut state = self.shared.state.lock();
        state.step(plan)?;
        if let Some(error) = &state.poisoned {
            return Err(error.clone());
        }
        if state.chance.of_thousand(plan.submit_failures) {
            return Err(injected("a submit failed"));
        }
        let mut batch = Batch::default();
        fill(state.next, &mut batch);
        batch.check()?;
        if state.pending.is_empty() {
            state.delay = state.chance.below(plan.most_delay + 1);
        }
        let seq = state.next;
        state.pending.push((seq, batch));
        state.next += 1;
        Ok(Ticket::driven(state.gate.clone(), self.shared.clone()))
    }

    fn settled(&self, seq: Seq) -> Ticket {
        let state = self.shared.state.lock();
        if state.dead {
            return Ticket::failed(dead());
        }
        if state
            .pending
            .first()
            .is_some_and(|(first, _)| *first <= seq)
        {
            return Ticket::driven(state.gate.clone(), self.shared.clone());
        }
        match &state.poisoned {
            // The failed group was the last one: what its numbers come to is not known.
            Some(error) if self.shared.inner.snapshot().is_ok_and(|s| s.seq() < seq) => {
                Ticket::failed(error.clone())
            }
            _ => Ticket::ready(),
        }
    }

    fn on_group(&self, summary: GroupHook) {
        self.shared.state.lock().hook.get_or_insert(summary);
    }

    fn compact(&self, from: Bound<&[u8]>, to: Bound<&[u8]>) -> Result<()> {
        self.shared.read()?;
        self.shared.inner.compact(from, to)
    }

    fn sizes(&self) -> Sizes {
        self.shared.inner.sizes()
    }

    /// Syncs what waits. The inner store stays open, for [`FaultyStore::reopen`].
    fn close(&self) -> Result<()> {
        let mut state = self.shared.state.lock();
        if state.closed {
            return Ok(());
        }
        state.step(&self.shared.plan)?;
        if !state.pending.is_empty() && state.poisoned.is_none() {
            self.shared.sync(&mut state);
        }
        state.closed = true;
        state.poisoned.clone().map_or(Ok(()), Err)
    }
}

struct FaultySnapshot {
    inner: Box<dyn Snapshot>,
    shared: Arc<Shared>,
}

impl FaultySnapshot {
    /// As [`Shared::read`], but a held snapshot reads on after its store was closed.
    fn read(&self) -> Result<()> {
        match self.shared.read() {
            Err(Error::Closed) => Ok(()),
            other => other,
        }
    }
}

impl Snapshot for FaultySnapshot {
    fn seq(&self) -> Seq {
        self.inner.seq()
    }

    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.read()?;
        self.inner.get(key)
    }

    fn range<'a>(&'a self, from: Bound<&[u8]>, to: Bound<&[u8]>, reverse: bool) -> Rows<'a> {
        match self.read() {
            Ok(()) => self.inner.range(from, to, reverse),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }
}
