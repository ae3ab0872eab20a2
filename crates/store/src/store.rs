//! The contract between a store and what stands on it.

use crate::{Batch, Latest, Result, Ticket};
use bytes::Bytes;
use std::ops::Bound;

/// A commit's number, rising by commit order. 0 is "before everything".
pub type Seq = u64;

/// One row of a range.
pub type Row = Result<(Bytes, Bytes)>;

/// Rows of a range, read as they are asked for.
pub type Rows<'a> = Box<dyn Iterator<Item = Row> + Send + 'a>;

/// Values of a range, read as they are asked for.
pub type Values<'a> = Box<dyn Iterator<Item = Result<Bytes>> + Send + 'a>;

/// Adds rows to a commit group just before it is written.
pub type GroupHook = Box<dyn Fn(&mut Batch) + Send + Sync>;

/// Bytes held, for statistics and budgets.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Memory used for rows, caches and buffers.
    pub memory: u64,
    /// Files on disk.
    pub disk: u64,
}

/// An ordered key-value store. Keys are ordered by their bytes.
pub trait Store: Send + Sync + 'static {
    /// A consistent view of everything durable now. O(1); holds old versions back until dropped.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Closed`], or what the system says.
    fn snapshot(&self) -> Result<Box<dyn Snapshot>>;

    /// One value as a snapshot taken now would show it, and cheaper than taking one.
    ///
    /// # Errors
    ///
    /// As [`Store::snapshot`], and damage found in a file.
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.snapshot()?.get(key)
    }

    /// The newest value of one key, also when its commit is still waiting for its sync.
    ///
    /// # Errors
    ///
    /// As [`Store::get`].
    fn latest(&self, key: &[u8]) -> Result<Latest>;

    /// Adds one atomic batch to the open commit group. `fill` runs once, under the short ordering lock with
    /// the commit's number, so what it writes may contain it; it must be brief and must not call the store.
    /// Returns at once: the rows are visible to [`Store::latest`], and to snapshots when the ticket is ready.
    ///
    /// # Errors
    ///
    /// [`crate::Error::TooLarge`] for a row or batch over a limit: nothing is written.
    /// [`crate::Error::Poisoned`] after a failed sync, [`crate::Error::Stalled`] when merging cannot keep up,
    /// [`crate::Error::Closed`].
    fn submit(&self, fill: &mut dyn FnMut(Seq, &mut Batch)) -> Result<Ticket>;

    /// A ticket for a commit that somebody else submitted. Ready at once for one that is durable.
    fn settled(&self, seq: Seq) -> Ticket;

    /// Registers rows to be added once per commit group, just before it is written (running totals and the
    /// like). It must not call the store. A store without groups never calls it. Set once, before the first
    /// submit; later calls change nothing.
    fn on_group(&self, summary: GroupHook);

    /// Merges and reclaims within a key range. May take long; other work goes on.
    ///
    /// # Errors
    ///
    /// What the system says, and damage found in a file.
    fn compact(&self, from: Bound<&[u8]>, to: Bound<&[u8]>) -> Result<()>;

    /// Bytes held.
    fn sizes(&self) -> Sizes;

    /// Makes everything durable and releases the files; later calls fail with [`crate::Error::Closed`].
    /// Snapshots that are still held go on reading.
    ///
    /// # Errors
    ///
    /// What kept it from a clean stop. The files are released all the same.
    fn close(&self) -> Result<()>;
}

/// A consistent view of a store.
pub trait Snapshot: Send + Sync {
    /// The newest commit that it shows.
    fn seq(&self) -> Seq;

    /// One value.
    ///
    /// # Errors
    ///
    /// What the system says, and damage found in a file.
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>>;

    /// Rows of a key range in order, or from its end in reverse. An empty or inverted range has none.
    /// A row that cannot be read is an error and the last one.
    fn range<'a>(&'a self, from: Bound<&[u8]>, to: Bound<&[u8]>, reverse: bool) -> Rows<'a>;

    /// The values of [`Snapshot::range`], for whoever does not need the keys: a store may spare to read them.
    fn values<'a>(&'a self, from: Bound<&[u8]>, to: Bound<&[u8]>, reverse: bool) -> Values<'a> {
        let rows = self.range(from, to, reverse);
        Box::new(rows.map(|row| row.map(|(_, value)| value)))
    }
}
