//! Item collections: the items of one partition key with their rows in local indexes. AWS reports their size and holds
//! it to 10 GB, both as estimates. Source: Developer Guide, "Item collections in local secondary indexes".
//!
//! As long as a table and its local indexes together are smaller than what is asked, no collection can be larger, and
//! nothing is counted. Beyond that a collection is counted once, and its writes keep the count.

use super::Write;
use super::index::index_changes;
use super::stage::{Refusal, Staged};
use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::{Range, partition_key};
use bothways_core::Item;
use bothways_protocol::Message;
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Most collections whose size is remembered.
const KNOWN: usize = 10_000;

/// Sizes of collections that were counted, bytes.
#[derive(Debug, Default)]
pub(crate) struct Collections {
    known: Mutex<HashMap<Bytes, i64>>,
    any: AtomicBool,
}

impl Collections {
    fn get(&self, collection: &[u8]) -> Option<i64> {
        self.known.lock().get(collection).copied()
    }

    fn remember(&self, collection: Bytes, bytes: i64) {
        let mut known = self.known.lock();
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(collection, bytes);
        self.any.store(true, Relaxed);
    }

    /// Notes what commits have made of their collections.
    pub(super) fn grow(&self, growths: &[Growth]) {
        if growths.is_empty() {
            return;
        }
        let mut known = self.known.lock();
        for growth in growths {
            if let Some(bytes) = known.get_mut(&growth.collection) {
                *bytes += growth.bytes;
            }
        }
    }
}

/// What one write makes of its collection.
pub(super) struct Growth {
    /// The write's position.
    position: usize,
    collection: Bytes,
    bytes: i64,
}

impl Table {
    /// Bytes of the table and its local indexes: no collection has more.
    fn collected_bytes(&self) -> i64 {
        let local = self.indexes.iter().filter(|index| index.local);
        self.totals.bytes() + local.map(|index| index.totals.bytes()).sum::<i64>()
    }
}

impl Inner {
    /// Bytes of the collection of an item's partition key.
    pub(super) fn collection_bytes(&self, table: &Table, key: &Item) -> Result<i64, Fault> {
        let part = |id, schema| partition_key(id, schema, key).ok_or(Message::KeyMismatch);
        let collection = Bytes::from(part(table.id(), &table.key)?);
        if let Some(bytes) = self.collections.get(&collection) {
            return Ok(bytes);
        }
        let mut ranges = vec![Range::prefix(collection.clone())];
        for index in table.indexes.iter().filter(|index| index.local) {
            ranges.push(Range::prefix(part(index.id, &index.key)?));
        }
        let snapshot = self.store.snapshot()?;
        let mut bytes = 0;
        for range in &ranges {
            let (from, to) = range.bounds();
            for row in snapshot.range(from, to, false) {
                bytes += signed(Item::from_bytes(row?.1)?.size());
            }
        }
        self.collections.remember(collection, bytes);
        Ok(bytes)
    }

    /// The same, where it can matter: what a table's size says is enough below `limit`.
    pub(super) fn collection_beyond(
        &self,
        table: &Table,
        key: &Item,
        limit: i64,
    ) -> Result<i64, Fault> {
        let all = table.collected_bytes();
        if all < limit {
            return Ok(all);
        }
        self.collection_bytes(table, key)
    }

    /// What writes make of the collections that are watched.
    pub(super) fn growths(
        &self,
        writes: &[Write<'_>],
        tables: &[Arc<Table>],
        staged: &[Staged],
    ) -> Vec<Growth> {
        let size = |item: &Option<Item>| item.as_ref().map_or(0, |item| signed(item.size()));
        let local = |table: &Table| table.indexes.iter().filter(|index| index.local).count();
        let most = tables.iter().zip(staged).map(|(table, staged)| {
            let rows = i64::try_from(local(table) + 1).unwrap_or(i64::MAX);
            size(&staged.after).saturating_mul(rows)
        });
        let most = most.fold(0, i64::saturating_add);
        let mut growths = Vec::new();
        for (position, ((write, table), staged)) in
            writes.iter().zip(tables).zip(staged).enumerate()
        {
            if local(table) == 0 || !self.is_watched(table, most) {
                continue;
            }
            let changes = index_changes(table, &write.key, staged);
            let local = changes.filter(|change| table.indexes[change.position].local);
            let bytes = size(&staged.after) - size(&staged.before);
            let Some(collection) = partition_key(table.id(), &table.key, write.given) else {
                continue;
            };
            growths.push(Growth {
                position,
                collection: collection.into(),
                bytes: bytes + local.map(|change| change.bytes).sum::<i64>(),
            });
        }
        growths
    }

    /// Whether a collection is remembered, or the table so large that so many bytes could bring one to the limit.
    fn is_watched(&self, table: &Table, bytes: i64) -> bool {
        let beyond = table.collected_bytes().saturating_add(bytes);
        self.collections.any.load(Relaxed) || beyond > self.collection_limit()
    }

    fn collection_limit(&self) -> i64 {
        i64::try_from(self.options.collection_bytes).unwrap_or(i64::MAX)
    }

    /// Refuses the writes after which a collection would be too large; `None` when there are none. Writes that make
    /// theirs smaller pass.
    pub(super) fn refuse_collections(
        &self,
        writes: &[Write<'_>],
        tables: &[Arc<Table>],
        growths: &[Growth],
    ) -> Result<Option<Vec<Option<Refusal>>>, Fault> {
        let limit = self.collection_limit();
        let mut grown: HashMap<&Bytes, i64> = HashMap::new();
        let mut refusals: Vec<Option<Refusal>> = Vec::new();
        for growth in growths {
            let (write, table) = (&writes[growth.position], &tables[growth.position]);
            let sum = grown.entry(&growth.collection).or_default();
            *sum += growth.bytes;
            if growth.bytes <= 0 || table.collected_bytes().saturating_add(*sum) <= limit {
                continue;
            }
            if self
                .collection_bytes(table, write.given)?
                .saturating_add(*sum)
                > limit
            {
                refusals.resize_with(writes.len(), || None);
                let fault = Message::CollectionTooLarge.into();
                refusals[growth.position] = Some(Refusal::Invalid(fault));
            }
        }
        Ok((!refusals.is_empty()).then_some(refusals))
    }
}

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
