//! One change as the log has it (`docs/format.md`).

use super::{ChangeLog, size};
use crate::error::Fault;
use bothways_core::Item;
use bothways_store::{Batch, Seq};
use bytes::{Buf, BufMut, Bytes};
use std::sync::Arc;

/// First byte of an entry.
const FORMAT: u8 = 1;
/// Bit of its second byte: the item was there before, and follows.
const BEFORE: u8 = 1;
/// Bytes of an entry's key: log, commit, position.
const KEY_BYTES: usize = 4 + 8 + 4;
/// Bytes of an entry before the item's key: format, flags, time, length.
const HEAD_BYTES: usize = 1 + 1 + 8 + 4;

/// An entry made, waiting for its commit's number.
#[derive(Debug)]
pub(crate) struct Logged {
    log: Arc<ChangeLog>,
    value: Vec<u8>,
}

impl Logged {
    /// The change of the item of this row key, with what it was before.
    pub(crate) fn of(
        log: &Arc<ChangeLog>,
        row_key: &[u8],
        before: Option<&Item>,
        millis: u64,
    ) -> Self {
        let rest = &row_key[4..];
        let image = before.map_or(0, |item| item.bytes().len());
        let mut value = Vec::with_capacity(HEAD_BYTES + rest.len() + image);
        value.put_u8(FORMAT);
        value.put_u8(if before.is_some() { BEFORE } else { 0 });
        value.put_u64(millis);
        // A key has at most a few thousand bytes.
        value.put_u32(u32::try_from(rest.len()).unwrap_or(u32::MAX));
        value.put_slice(rest);
        if let Some(item) = before {
            value.put_slice(item.bytes());
        }
        Self {
            log: Arc::clone(log),
            value,
        }
    }

    /// Adds its row. Under the store's ordering lock, with the commit's number.
    pub(crate) fn put(&mut self, seq: Seq, position: u32, batch: &mut Batch) {
        let mut key = Vec::with_capacity(KEY_BYTES);
        key.put_u32(self.log.id);
        key.put_u64(seq);
        key.put_u32(position);
        let value = std::mem::take(&mut self.value).into_boxed_slice();
        self.log.totals.add(1, size(&key, &value));
        batch.put(key, value);
    }

    /// Bytes of its row.
    pub(crate) fn bytes(&self) -> usize {
        KEY_BYTES + self.value.len()
    }
}

/// A stored entry.
#[derive(Debug)]
pub(crate) struct Change {
    /// When, milliseconds since 1970.
    pub(crate) millis: u64,
    /// The item's row key without the table's id.
    pub(crate) rest: Bytes,
    pub(crate) before: Option<Item>,
}

impl Change {
    pub(crate) fn read(mut row: Bytes) -> Result<Self, Fault> {
        if row.len() < HEAD_BYTES || row.get_u8() != FORMAT {
            return Err(Fault::ChangeLog);
        }
        let flags = row.get_u8();
        let millis = row.get_u64();
        let len = usize::try_from(row.get_u32()).map_err(|_| Fault::ChangeLog)?;
        if row.len() < len {
            return Err(Fault::ChangeLog);
        }
        let rest = row.split_to(len);
        let before = (flags & BEFORE != 0)
            .then(|| Item::from_bytes(row))
            .transpose()?;
        Ok(Self {
            millis,
            rest,
            before,
        })
    }
}
