//! DynamoDB's semantics over a [`bothways_store::Store`]: tables, items, indexes, transactions, streams, expiry,
//! capacity.
//!
//! Invariants:
//!
//! - One write is one commit: base rows, index rows, stream records, totals and token go together or not at all.
//! - Logic is plain functions; a future only waits for commits. A read is ready at its first poll.
//! - No lock is held over an await; items are locked in one order, so writes cannot wait for each other.
//! - Readers see what is durable. An answer that rests on something that is not waits until it is.
//! - Time, randomness and the store are passed in, so that a test replays.
//!
//! Knows no socket, file or process.

mod backup;
mod batch;
mod capacity;
mod catalog;
mod digest;
mod engine;
mod error;
mod expiry;
mod insights;
mod layout;
mod online;
mod operator;
mod options;
mod pending;
mod policy;
mod read;
mod recovery;
mod restore;
mod settings;
mod statement;
mod stats;
mod stream;
mod stripes;
mod sweep;
mod tables;
mod throughput;
mod token;
mod transact;
mod transfer;
mod vectors;
mod write;

pub use engine::Engine;
pub use error::OpenError;
pub use options::{Clock, Options, Random, SystemClock, SystemRandom};
