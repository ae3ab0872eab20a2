//! The store in memory: a copy-on-write tree behind a lock that is held for one descent.
//!
//! A snapshot clones the root's `Arc`. A commit changes nodes in place where no snapshot shares them and
//! copies those that one does, so an old version lives exactly as long as a snapshot needs it. Readers wait
//! for neither a commit's preparation nor other readers, only for the insertion of one batch (under a
//! microsecond a row). Commits are done when they return.

mod cursor;
mod keys;
mod tree;

use crate::{
    Batch, Error, GroupHook, Latest, Result, Rows, Seq, Sizes, Snapshot, Store, Ticket, Values,
};
use bytes::Bytes;
use cursor::Cursor;
use parking_lot::{Mutex, RwLock};
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tree::Tree;

/// Rows in memory; gone with the process.
#[derive(Debug, Default)]
pub struct MemoryStore {
    /// Orders commits; held while a batch is filled, so that readers are not.
    writer: Mutex<Writer>,
    state: RwLock<State>,
    bytes: AtomicU64,
    closed: AtomicBool,
}

#[derive(Debug, Default)]
struct Writer {
    last: Seq,
    /// Kept between commits for its allocation.
    batch: Batch,
}

#[derive(Debug, Default, Clone)]
struct State {
    seq: Seq,
    tree: Tree,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            Err(Error::Closed)
        } else {
            Ok(())
        }
    }
}

impl Store for MemoryStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        self.open()?;
        Ok(Box::new(self.state.read().clone()))
    }

    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.open()?;
        Ok(self.state.read().tree.get(key).cloned())
    }

    fn latest(&self, key: &[u8]) -> Result<Latest> {
        Ok(Latest {
            value: self.get(key)?,
            seq: 0,
        })
    }

    fn submit(&self, fill: &mut dyn FnMut(Seq, &mut Batch)) -> Result<Ticket> {
        let mut writer = self.writer.lock();
        self.open()?;
        let seq = writer.last + 1;
        writer.batch.entries.clear();
        fill(seq, &mut writer.batch);
        writer.batch.check()?;
        writer.last = seq;
        let mut state = self.state.write();
        let before = state.tree.bytes();
        for (key, value) in writer.batch.entries.drain(..) {
            match value {
                Some(value) => state.tree.insert(key, value),
                None => state.tree.remove(&key),
            }
        }
        state.seq = seq;
        self.bytes
            .fetch_add(state.tree.bytes().wrapping_sub(before), Ordering::Relaxed);
        Ok(Ticket::ready())
    }

    fn settled(&self, _seq: Seq) -> Ticket {
        Ticket::ready()
    }

    fn on_group(&self, _summary: GroupHook) {}

    fn compact(&self, _from: Bound<&[u8]>, _to: Bound<&[u8]>) -> Result<()> {
        self.open()
    }

    /// The newest rows; versions that only snapshots hold are not counted.
    fn sizes(&self) -> Sizes {
        Sizes {
            memory: self.bytes.load(Ordering::Relaxed),
            disk: 0,
        }
    }

    fn close(&self) -> Result<()> {
        self.closed.store(true, Ordering::Release);
        let _writer = self.writer.lock();
        let rows = std::mem::take(&mut *self.state.write());
        self.bytes.store(0, Ordering::Relaxed);
        drop(rows);
        Ok(())
    }
}

impl Snapshot for State {
    fn seq(&self) -> Seq {
        self.seq
    }

    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        Ok(self.tree.get(key).cloned())
    }

    fn range<'a>(&'a self, from: Bound<&[u8]>, to: Bound<&[u8]>, reverse: bool) -> Rows<'a> {
        Box::new(Cursor::new(&self.tree, from, to, reverse))
    }

    fn values<'a>(&'a self, from: Bound<&[u8]>, to: Bound<&[u8]>, reverse: bool) -> Values<'a> {
        Box::new(Cursor::new(&self.tree, from, to, reverse).values())
    }
}
