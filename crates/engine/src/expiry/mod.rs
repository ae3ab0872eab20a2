//! Time to live: which items expire when, and their end.
//!
//! Every item whose TTL attribute is a time has a row named by that time, written in the item's own commit. The
//! background reads these rows in order from a mark below which there are none, and deletes each item that has
//! expired, unless it has another time by now. TTL switched on over an older table is followed by a walk
//! through its items that adds the missing rows.

mod settings;
mod sweep;

use crate::catalog::Companions;
use crate::catalog::record::TableRecord;
use crate::error::{Fault, OpenError};
use crate::layout::Meta;
use bothways_core::{Item, ValueRef};
use bothways_store::{Batch, Snapshot};
use bytes::{Buf, BufMut, Bytes};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Bytes that a commit may add for one expiry time besides its row: a mark's key and value.
pub(crate) const MARK_BYTES: usize = 4 + 1 + 4 + 8;
/// Bytes of an expiry row before the item's key: id and time.
const PREFIX: usize = 4 + 8;

/// A table's expiry, shared by all its versions while TTL is on.
#[derive(Debug)]
pub(crate) struct Expiring {
    /// Where its rows are.
    id: u32,
    attribute: String,
    /// Whether rows of older items are still being added.
    filling: AtomicBool,
    /// Below this second there are no rows. Changed under the store's ordering lock, with its row.
    low: AtomicU64,
    /// The lowest time written since the background last asked. Changed under the store's ordering lock.
    lowest: AtomicU64,
    /// Whether rows were deleted since `low` was last raised.
    swept: AtomicBool,
}

impl Expiring {
    fn new(id: u32, attribute: &str, filling: bool) -> Arc<Self> {
        Arc::new(Self {
            id,
            attribute: attribute.to_owned(),
            filling: AtomicBool::new(filling),
            low: AtomicU64::new(0),
            lowest: AtomicU64::new(u64::MAX),
            swept: AtomicBool::new(false),
        })
    }

    /// That of a stored table; none where TTL is off.
    pub(crate) fn restore(
        record: &TableRecord,
        snapshot: &dyn Snapshot,
    ) -> Result<Option<Arc<Self>>, OpenError> {
        let (Some(attribute), Some(id)) = (&record.ttl, record.ttl_id) else {
            return Ok(None);
        };
        let filling = snapshot.get(&Meta::ExpiryFill.key_of(id))?.is_some();
        let own = Self::new(id, attribute, filling);
        let mark = snapshot.get(&Meta::ExpiryMark.key_of(id))?;
        let mark = mark.filter(|row| row.len() >= 8);
        own.low
            .store(mark.map_or(0, |mut row| row.get_u64()), Relaxed);
        Ok(Some(own))
    }

    /// When an item expires, in whole seconds since 1970; `None` for never. Source: Developer Guide, "Using time
    /// to live": the attribute must be a number.
    pub(crate) fn time_of(&self, item: &Item) -> Option<u64> {
        let Some(ValueRef::N(number)) = item.get(&self.attribute) else {
            return None;
        };
        let mut text = Vec::new();
        number.write(&mut text);
        let text = std::str::from_utf8(&text).ok()?;
        text.split('.').next()?.parse().ok()
    }

    /// Key of the row that says that an item expires.
    pub(crate) fn key(&self, time: u64, row_key: &[u8]) -> Vec<u8> {
        let mut out = self.from(time);
        out.extend_from_slice(&row_key[4..]);
        out
    }

    /// Where the rows of a second begin.
    fn from(&self, time: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(64);
        out.put_u32(self.id);
        out.put_u64(time);
        out
    }

    /// Notes a time being written, and lowers the mark where it is above. Under the store's ordering lock.
    pub(crate) fn note(&self, time: u64, batch: &mut Batch) {
        self.lowest.fetch_min(time, Relaxed);
        if time < self.low.load(Relaxed) {
            self.set_low(time, batch);
        }
    }

    /// Under the store's ordering lock.
    fn set_low(&self, time: u64, batch: &mut Batch) {
        self.low.store(time, Relaxed);
        batch.put(
            Meta::ExpiryMark.key_of(self.id),
            time.to_be_bytes().to_vec(),
        );
    }
}

/// The item's key in a row, as the row key of its table.
fn row_key(table: u32, row: &[u8]) -> Result<(u64, Bytes), Fault> {
    let (Some(mut time), Some(rest)) = (row.get(4..PREFIX), row.get(PREFIX..)) else {
        return Err(Fault::ExpiryRow);
    };
    let mut key = Vec::with_capacity(4 + rest.len());
    key.put_u32(table);
    key.put_slice(rest);
    Ok((time.get_u64(), key.into()))
}

/// Removes what is remembered of these expiry rows; they are themselves reclaimed like a table's.
pub(crate) fn forget(companions: &mut Companions, id: u32) {
    for kind in [Meta::ExpiryMark, Meta::ExpiryFill] {
        companions.rows.push((kind.key_of(id), None));
    }
}
