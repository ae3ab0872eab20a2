//! Item counts and sizes, kept by the commits themselves.
//!
//! Totals change under the store's ordering lock, so they are those of the newest commit. Once per commit
//! group the totals of the tables it touched become rows of that group: after a crash the rows that are
//! there and the totals beside them belong to the same commit. A table without such a row (a store that
//! has no groups) is counted when the engine opens.

use crate::catalog::Table;
use crate::layout::Meta;
use bothways_store::Batch;
use bytes::{Buf, BufMut};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// Rows and bytes of one table or index. Bytes are item sizes as DynamoDB counts them, without the
/// overhead that is billed for storage.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    items: AtomicI64,
    bytes: AtomicI64,
}

impl Totals {
    pub(crate) fn items(&self) -> i64 {
        self.items.load(Relaxed)
    }
    pub(crate) fn bytes(&self) -> i64 {
        self.bytes.load(Relaxed)
    }
    /// Adds one write's difference. Only under the store's ordering lock.
    pub(crate) fn add(&self, items: i64, bytes: i64) {
        if items != 0 {
            self.items.fetch_add(items, Relaxed);
        }
        if bytes != 0 {
            self.bytes.fetch_add(bytes, Relaxed);
        }
    }
    pub(crate) fn set(&self, items: i64, bytes: i64) {
        self.items.store(items, Relaxed);
        self.bytes.store(bytes, Relaxed);
    }
}

/// The tables whose totals changed since the last commit group.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    touched: Mutex<Vec<Arc<Table>>>,
}

impl Ledger {
    /// Notes a table once per group. Only under the store's ordering lock.
    pub(crate) fn touch(&self, table: &Arc<Table>) {
        if !table.live.touched.swap(true, Relaxed) {
            self.touched.lock().push(Arc::clone(table));
        }
    }

    /// The group's rows of totals.
    pub(crate) fn summarise(&self, batch: &mut Batch) {
        for table in self.touched.lock().drain(..) {
            table.live.touched.store(false, Relaxed);
            if !table.live.is_dropped() {
                batch.put(Meta::Totals.key_of(table.record.id), encode(&table));
            }
        }
    }
}

/// `u32 id | i64 items | i64 bytes`, for the table and each of its indexes.
fn encode(table: &Table) -> Vec<u8> {
    let mut out = Vec::with_capacity(20 * (1 + table.indexes.len()));
    for (id, totals) in table.all_totals() {
        out.put_u32(id);
        out.put_i64(totals.items());
        out.put_i64(totals.bytes());
    }
    // Whoever does not know of the log passes over it.
    if let Some(log) = &table.live.features.load().log {
        out.put_u32(log.id);
        out.put_i64(log.totals.items());
        out.put_i64(log.totals.bytes());
    }
    out
}

/// Stored totals of one id in a table's row.
pub(crate) fn of_id(mut row: &[u8], id: u32) -> Option<(i64, i64)> {
    while row.remaining() >= 20 {
        let (own, items, bytes) = (row.get_u32(), row.get_i64(), row.get_i64());
        if own == id {
            return Some((items, bytes));
        }
    }
    None
}

/// Takes stored totals over; false where a table or index is missing in them.
pub(crate) fn restore(table: &Table, mut row: &[u8]) -> bool {
    let mut found = 0;
    while row.remaining() >= 20 {
        let id = row.get_u32();
        let (items, bytes) = (row.get_i64(), row.get_i64());
        for (_, totals) in table.all_totals().filter(|(own, _)| *own == id) {
            totals.set(items, bytes);
            found += 1;
        }
    }
    found == table.all_totals().count()
}
