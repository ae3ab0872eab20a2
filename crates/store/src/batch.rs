//! What one commit writes, and its limits.

use crate::{Error, Result, Seq};
use bytes::Bytes;

/// Longest key, in bytes: the disk store's tree keeps a key's length in 16 bits.
pub const MAX_KEY_BYTES: usize = 65_535;
/// Longest value, in bytes. Far above any row of ours (an item has at most 400 KB).
pub const MAX_VALUE_BYTES: usize = 64 << 20;
/// Largest batch, in bytes of keys and values. A transaction of 4 MB with 20 indexes has about 84 MB.
pub const MAX_BATCH_BYTES: usize = 256 << 20;

/// What one commit writes. Later entries for a key win.
///
/// The memory store keeps the `Bytes` as they are: give it buffers of their own, not slices of a large one
/// that would be kept alive by a small row.
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

    /// Bytes of keys and values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let value = |v: &Option<Bytes>| v.as_ref().map_or(0, Bytes::len);
        self.entries.iter().map(|(k, v)| k.len() + value(v)).sum()
    }

    /// Checks every limit.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] names what is too large, its size and the limit; [`Error::EmptyKey`].
    pub fn check(&self) -> Result<()> {
        for (key, value) in &self.entries {
            if key.is_empty() {
                return Err(Error::EmptyKey);
            }
            limit("a key", key.len(), MAX_KEY_BYTES)?;
            limit(
                "a value",
                value.as_ref().map_or(0, Bytes::len),
                MAX_VALUE_BYTES,
            )?;
        }
        limit("a batch", self.bytes(), MAX_BATCH_BYTES)
    }
}

fn limit(what: &str, size: usize, limit: usize) -> Result<()> {
    if size <= limit {
        return Ok(());
    }
    Err(Error::TooLarge(format!(
        "{what} has {size} bytes; the limit is {limit}"
    )))
}

/// The newest value of a key and the commit it came from, durable or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latest {
    /// Newest value; `None` when absent or deleted.
    pub value: Option<Bytes>,
    /// Its commit; 0 when it is known to be durable already. Wait for it with [`crate::Store::settled`]
    /// before an answer that rests on it.
    pub seq: Seq,
}
