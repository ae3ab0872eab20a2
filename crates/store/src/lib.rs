//! A small ordered key-value store: memory, disk, and a faulty one for tests.
//!
//! Knows bytes only: nothing here names a table, an item or an index. Commits are batches; every batch
//! has a sequence number, given in commit order. Readers see what is durable ("visible") through
//! snapshots; writers may look at the newest value, durable or not, through [`Store::latest`].
//!
//! Invariants, of every store:
//!
//! - A snapshot shows whole batches, and of a batch's number all batches with smaller numbers.
//! - What a ready ticket promised is there after any crash.
//! - A key has one order of versions: that of their commit numbers.

mod batch;
mod bucket;
mod disk;
mod error;
mod faulty;
mod memory;
mod record;
mod store;
mod ticket;

pub use batch::{Batch, Latest, MAX_BATCH_BYTES, MAX_KEY_BYTES, MAX_VALUE_BYTES};
pub use bucket::{BucketDirectory, Buckets, NewObject, Object};
pub use disk::{DiskStore, IoEvent, Options, Recorder, Report, SyncHook, WriteHook};
pub use error::{Error, Result};
pub use faulty::{FaultyStore, Plan};
pub use memory::MemoryStore;
pub use record::{FileRecorder, Recording};
pub use store::{GroupHook, Row, Rows, Seq, Sizes, Snapshot, Store, Values};
pub use ticket::Ticket;
