//! A small ordered key-value store: memory, disk, and a faulty one for tests.
//!
//! Knows bytes only: nothing here names a table, an item or an index. Commits are batches; every batch
//! has a sequence number, given in commit order. Readers see what is durable ("visible") through
//! snapshots; writers may look at the newest value, durable or not, through [`Store::latest`].

use bytes::Bytes;
use std::ops::Bound;

/// A commit's number, rising by commit order. 0 is "before everything".
pub type Seq = u64;
/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What a store can fail with.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused or broke an operation.
    #[error("{context}: {message}")]
    Io {
        /// What was being done, with the file.
        context: String,
        /// The system's words.
        message: String,
    },
    /// Bytes on disk are not what was written.
    #[error("{file} is damaged at byte {offset}: {detail}")]
    Corrupt {
        /// File.
        file: String,
        /// Offset in it.
        offset: u64,
        /// What is wrong.
        detail: String,
    },
    /// Another process has the data directory open.
    #[error("{path} is open in another process (pid {pid})")]
    InUse {
        /// The directory.
        path: String,
        /// Its holder.
        pid: u32,
    },
    /// An earlier sync failed; the store only reads until it is opened anew.
    #[error("the store is read-only since a sync failed: {0}")]
    Poisoned(String),
    /// A key or batch over the store's limit.
    #[error("{0}")]
    TooLarge(String),
}

/// What one commit writes. Later entries for a key win.
#[derive(Debug, Default, Clone)]
pub struct Batch {
    /// Key and new value, or `None` to delete.
    pub entries: Vec<(Bytes, Option<Bytes>)>,
}

impl Batch {
    /// Writes a value.
    pub fn put(&mut self, key: impl Into<Bytes>, value: impl Into<Bytes>) {
        self.entries.push((key.into(), Some(value.into())));
    }
    /// Deletes a key.
    pub fn delete(&mut self, key: impl Into<Bytes>) {
        self.entries.push((key.into(), None));
    }
}

/// The newest value of a key and the commit it came from, durable or not.
#[derive(Debug, Clone)]
pub struct Latest {
    /// Newest value; `None` when absent or deleted.
    pub value: Option<Bytes>,
    /// Its commit; 0 when it is known to be durable already. Wait for it with [`Store::settled`]
    /// before an answer that rests on it.
    pub seq: Seq,
}

/// The promise that a commit is (or becomes) durable: a future, or block on it with `wait`.
#[derive(Debug)]
pub struct Ticket {}

impl Ticket {
    /// A ticket already settled.
    #[must_use]
    pub fn ready() -> Self {
        Self {}
    }
    /// Blocks until the commit is durable and visible.
    pub fn wait(self) -> Result<()> {
        todo!()
    }
}

impl Future for Ticket {
    type Output = Result<()>;
    fn poll(
        self: std::pin::Pin<&mut Self>,
        _cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Result<()>> {
        todo!()
    }
}

/// One row of a range.
pub type Row = Result<(Bytes, Bytes)>;

/// Bytes held, for statistics and budgets.
#[derive(Debug, Default, Clone, Copy)]
pub struct Sizes {
    /// Memory used for rows, caches and buffers.
    pub memory: u64,
    /// Files on disk.
    pub disk: u64,
}

/// An ordered key-value store.
pub trait Store: Send + Sync + 'static {
    /// A consistent view of everything durable now. O(1); holds old versions back until dropped.
    fn snapshot(&self) -> Result<Box<dyn Snapshot>>;

    /// The newest value of one key, also when its commit is still waiting for its sync.
    fn latest(&self, key: &[u8]) -> Result<Latest>;

    /// Adds one atomic batch to the open commit group. `fill` runs under the short ordering lock with the
    /// commit's number, so what it writes may contain it; it must be brief and must not call the store.
    /// Returns at once: the rows are visible to [`Store::latest`], and to snapshots when the ticket is ready.
    fn submit(&self, fill: &mut dyn FnMut(Seq, &mut Batch)) -> Result<Ticket>;

    /// A ticket for a commit that somebody else submitted.
    fn settled(&self, seq: Seq) -> Ticket;

    /// Registers rows to be added once per commit group, just before it is written (running totals and the
    /// like). A store without groups never calls it. Set once, before the first submit.
    fn on_group(&self, summary: Box<dyn Fn(&mut Batch) + Send + Sync>);

    /// Merges and reclaims within a key range. May take long; other work goes on.
    fn compact(&self, from: Bound<&[u8]>, to: Bound<&[u8]>) -> Result<()>;

    /// Bytes held.
    fn sizes(&self) -> Sizes;

    /// Makes everything durable and releases the files; later calls fail.
    fn close(&self) -> Result<()>;
}

/// A consistent view of a store.
pub trait Snapshot: Send + Sync {
    /// The newest commit that it shows.
    fn seq(&self) -> Seq;
    /// One value.
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>>;
    /// Rows of a key range in order, or from its end in reverse.
    fn range<'a>(
        &'a self,
        from: Bound<&[u8]>,
        to: Bound<&[u8]>,
        reverse: bool,
    ) -> Box<dyn Iterator<Item = Row> + Send + 'a>;
}
