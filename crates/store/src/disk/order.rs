//! The order of commits: who gets which number, which group and which memtable. Everything here happens
//! under one short lock.

use super::log::GroupBuffer;
use super::memtable::{Memtable, VERSION_OVERHEAD};
use crate::ticket::Gate;
use crate::{Batch, Result, Seq, Ticket};
use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the commits of one group share.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) gate: Arc<Gate>,
    /// Commits whose rows are not all in their memtable yet.
    pub(super) inserting: AtomicU64,
}

/// Rows that have a number and a memtable, to be inserted outside the lock.
pub(super) struct Placed {
    pub(super) seq: Seq,
    rows: Vec<(Bytes, Option<Bytes>)>,
    memtable: Arc<Memtable>,
    group: Arc<Group>,
}

impl Placed {
    /// Makes the rows visible to [`crate::Store::latest`].
    pub(super) fn insert(self) -> Ticket {
        for (key, value) in self.rows {
            self.memtable.insert(key, self.seq, value);
        }
        // Whoever sees the count fall sees the rows.
        self.group.inserting.fetch_sub(1, Ordering::Release);
        Ticket::of(self.group.gate.clone())
    }
}

/// A group handed to the committer.
pub(super) struct Closed {
    pub(super) buffer: GroupBuffer,
    pub(super) group: Arc<Group>,
    /// Its last commit.
    pub(super) last: Seq,
}

/// See the module.
pub(super) struct Order {
    /// The number of the next commit.
    pub(super) next: Seq,
    /// The group that commits join.
    pub(super) open: GroupBuffer,
    pub(super) group: Arc<Group>,
    /// The group being written, and its last commit.
    pub(super) writing: Option<(Arc<Group>, Seq)>,
    /// Where rows go.
    pub(super) memtable: Arc<Memtable>,
    /// Bytes logged since the memtable became the active one.
    pub(super) logged: u64,
    /// Commits at which the committer is woken.
    pub(super) wake_at: u32,
    /// Set by whoever wants the memtable's rows in a table soon.
    pub(super) rotate: bool,
    /// No more commits are taken.
    pub(super) closing: bool,
    scratch: Batch,
    spare: Option<GroupBuffer>,
}

/// Memory that an emptied group buffer keeps.
const KEEP_BYTES: usize = 1 << 20;

impl Order {
    pub(super) fn new(next: Seq, memtable: Arc<Memtable>) -> Self {
        Self {
            next,
            open: GroupBuffer::new(),
            group: Arc::default(),
            writing: None,
            memtable,
            logged: 0,
            wake_at: 1,
            rotate: false,
            closing: false,
            scratch: Batch::default(),
            spare: None,
        }
    }

    /// Fills a batch and gives it the next number, a place in the open group and a memtable.
    pub(super) fn place(&mut self, fill: &mut dyn FnMut(Seq, &mut Batch)) -> Result<Placed> {
        let seq = self.next;
        self.scratch.entries.clear();
        fill(seq, &mut self.scratch);
        self.scratch.check()?;
        let before = self.open.len();
        self.open.push(seq, &self.scratch);
        self.next += 1;
        self.logged += (self.open.len() - before) as u64;
        let rows = std::mem::take(&mut self.scratch.entries);
        let bytes = rows
            .iter()
            .map(|(k, v)| k.len() + v.as_ref().map_or(0, Bytes::len));
        let bytes = bytes.sum::<usize>() as u64 + rows.len() as u64 * VERSION_OVERHEAD;
        self.memtable.reserve(bytes);
        self.group.inserting.fetch_add(1, Ordering::Relaxed);
        Ok(Placed {
            seq,
            rows,
            memtable: self.memtable.clone(),
            group: self.group.clone(),
        })
    }

    /// Takes the open group away; later commits join a new one.
    pub(super) fn close_group(&mut self) -> Closed {
        let next = self.spare.take().unwrap_or_else(GroupBuffer::new);
        let group = std::mem::take(&mut self.group);
        let last = self.next - 1;
        self.writing = Some((group.clone(), last));
        Closed {
            buffer: std::mem::replace(&mut self.open, next),
            group,
            last,
        }
    }

    /// The group is written; its buffer is used again.
    pub(super) fn group_done(&mut self, mut buffer: GroupBuffer) {
        buffer.clear(KEEP_BYTES);
        self.spare = Some(buffer);
        self.writing = None;
    }

    /// What to wait for so that a commit is settled; `None` when it is not waiting.
    pub(super) fn gate_of(&self, seq: Seq) -> Option<Arc<Gate>> {
        if self.open.commits > 0 && seq >= self.open.first && seq < self.next {
            return Some(self.group.gate.clone());
        }
        let writing = self.writing.as_ref().filter(|(_, last)| seq <= *last);
        writing.map(|(group, _)| group.gate.clone())
    }
}
