//! The write-ahead log: commit groups in segments, each group one frame, each frame durable before the next
//! is written. `docs/format.md` has the bytes.

mod frame;
mod recovery;
mod segment;
mod synced;
mod writer;

pub(super) use frame::GroupBuffer;
pub(super) use recovery::{Replay, recover};
pub(super) use writer::{LogWriter, Segments};

/// Directory of the segments, in the store's.
pub(super) const DIR: &str = "log";
