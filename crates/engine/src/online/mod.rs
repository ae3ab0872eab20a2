//! Indexes made and dropped while their table is in use.
//!
//! A new index exists from UpdateTable's commit on. That commit happens while every item is locked, so each write is
//! either done before it or keeps the new index. The background then adds the rows of older items, a bounded chunk at
//! a time under the locks of its items, and remembers in the index's job row how far it has come; a row that a write
//! has made meanwhile is there already. A dropped index is kept by no write after its commit; the background takes it
//! out of its table, and its rows wait to be reclaimed like those of a dropped table.

mod build;
mod change;

pub(crate) use change::{changes_indexes, update_throughputs};
