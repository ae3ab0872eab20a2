//! The stream record of an item's change, as it is stored.

use super::Write;
use super::stage::Staged;
use crate::error::Fault;
use crate::layout::PREFIX;
use crate::stream::{KEY_BYTES, Open, Place, range_of, record_key};
use bothways_core::Item;
use bothways_store::{Batch, Seq};
use bytes::{Buf, BufMut, Bytes};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// First byte of a stored record.
const FORMAT: u8 = 1;
/// Bits of its second byte.
const BEFORE: u8 = 1;
const AFTER: u8 = 2;
const EXPIRED: u8 = 4;
const OLD_IMAGE: u8 = 8;
const NEW_IMAGE: u8 = 16;

/// Who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A caller.
    Caller,
    /// The engine itself, of an item that has expired.
    Expiry,
}

/// A record made, waiting for its commit's number.
#[derive(Debug)]
pub(super) struct Made {
    stream: Arc<Open>,
    range: u16,
    value: Vec<u8>,
}

impl Made {
    /// The record of a change that is one. The caller knows that the item changes.
    pub(super) fn of(
        stream: &Arc<Open>,
        write: &Write<'_>,
        staged: &Staged,
        origin: Origin,
        millis: u64,
    ) -> Self {
        let names = write.table.key.parts().map(|(_, part)| part.name.as_str());
        let keys = write.given.only(&names.collect::<Vec<_>>());
        let old = staged.before.as_ref().filter(|_| stream.old_image);
        let new = staged.after.as_ref().filter(|_| stream.new_image);
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let images = [Some(&keys), old, new];
        let bytes: usize = images.iter().flatten().map(|i| 4 + i.bytes().len()).sum();
        let mut value = Vec::with_capacity(10 + bytes);
        value.put_u8(FORMAT);
        value.put_u8(
            flag(staged.before.is_some(), BEFORE)
                | flag(staged.after.is_some(), AFTER)
                | flag(origin == Origin::Expiry, EXPIRED)
                | flag(old.is_some(), OLD_IMAGE)
                | flag(new.is_some(), NEW_IMAGE),
        );
        value.put_u64(millis);
        for item in images.into_iter().flatten() {
            let bytes = item.bytes();
            // An item has at most 400 KB.
            value.put_u32(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
            value.put_slice(bytes);
        }
        let hash = write.key[4..PREFIX].first_chunk::<8>();
        Self {
            range: range_of(hash.map_or(0, |b| u64::from_be_bytes(*b)), stream.bits),
            stream: Arc::clone(stream),
            value,
        }
    }

    /// Adds its row. Under the store's ordering lock, with the commit's number.
    pub(super) fn put(&mut self, seq: Seq, position: u32, batch: &mut Batch) {
        let place = Place { seq, position };
        let stream = &self.stream;
        let key = record_key(stream.id, stream.generation, self.range, place);
        batch.put(key, std::mem::take(&mut self.value).into_boxed_slice());
        stream.written.fetch_add(1, Relaxed);
    }

    /// Bytes of its row.
    pub(super) fn bytes(&self) -> usize {
        KEY_BYTES + self.value.len()
    }
}

/// A stored record.
#[derive(Debug)]
pub(crate) struct StoredRecord {
    /// Whether the item was there before, and after.
    pub(crate) before: bool,
    pub(crate) after: bool,
    /// Removed because it had expired.
    pub(crate) expired: bool,
    /// When, milliseconds since 1970.
    pub(crate) millis: u64,
    pub(crate) keys: Item,
    pub(crate) old_image: Option<Item>,
    pub(crate) new_image: Option<Item>,
}

impl StoredRecord {
    /// Reads one.
    pub(crate) fn read(mut row: Bytes) -> Result<Self, Fault> {
        if row.len() < 10 || row.get_u8() != FORMAT {
            return Err(Fault::StreamRecord);
        }
        let flags = row.get_u8();
        let millis = row.get_u64();
        let mut item = || -> Result<Item, Fault> {
            let len = row.try_get_u32().map_err(|_| Fault::StreamRecord)?;
            let len = usize::try_from(len).map_err(|_| Fault::StreamRecord)?;
            if row.len() < len {
                return Err(Fault::StreamRecord);
            }
            Ok(Item::from_bytes(row.split_to(len))?)
        };
        let keys = item()?;
        let old_image = (flags & OLD_IMAGE != 0).then(&mut item).transpose()?;
        let new_image = (flags & NEW_IMAGE != 0).then(&mut item).transpose()?;
        Ok(Self {
            before: flags & BEFORE != 0,
            after: flags & AFTER != 0,
            expired: flags & EXPIRED != 0,
            millis,
            keys,
            old_image,
            new_image,
        })
    }

    /// `SizeBytes`: the key and the images, as items are sized. Source: localstack/localstack, snapshot of AWS
    /// in tests/aws/services/dynamodbstreams.
    pub(crate) fn size(&self) -> usize {
        let image = |image: &Option<Item>| image.as_ref().map_or(0, Item::size);
        self.keys.size() + image(&self.old_image) + image(&self.new_image)
    }
}
