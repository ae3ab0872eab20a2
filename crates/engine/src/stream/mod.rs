//! DynamoDB Streams: what streams there are, and reading them. Their records are written by `write::stream`.

mod change;
mod iterator;
mod list;
mod read;
mod record;
mod trim;
mod words;

pub(crate) use record::{KEY_BYTES, Place, StreamRecord, range_of, record_key};
pub(crate) use words::label;

use crate::layout::Meta;
use bothways_core::key;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A table's open stream, as its writers see it.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) id: u32,
    pub(crate) old_image: bool,
    pub(crate) new_image: bool,
    /// The open generation, and how many shards it has (a power of two).
    pub(crate) generation: u32,
    pub(crate) bits: u8,
    pub(crate) started: u64,
    /// Records of the open generation since the engine was opened.
    pub(crate) written: AtomicU64,
}

impl Open {
    /// `None` for a stream that is closed.
    pub(crate) fn of(stream: &StreamRecord) -> Option<Arc<Self>> {
        let generation = stream.open()?;
        let shows = |words: [&str; 2]| words.contains(&stream.view.as_str());
        Some(Arc::new(Self {
            id: stream.id,
            old_image: shows(["OLD_IMAGE", "NEW_AND_OLD_IMAGES"]),
            new_image: shows(["NEW_IMAGE", "NEW_AND_OLD_IMAGES"]),
            generation: generation.number,
            bits: generation.bits,
            started: generation.started,
            written: AtomicU64::new(0),
        }))
    }
}

/// Key of a stream's catalogue row.
pub(crate) fn row_key(stream: &StreamRecord) -> Vec<u8> {
    let mut out = Meta::Stream.key();
    for part in [&stream.namespace, &stream.table, &stream.label] {
        key::push_terminated(&mut out, part.as_bytes());
    }
    out
}
