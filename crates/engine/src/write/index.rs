//! The index rows that follow an item's change.

use super::stage::Staged;
use crate::capacity::write_units;
use crate::catalog::record::Phase;
use crate::catalog::{Index, Table};
use crate::error::Fault;
use crate::layout::index_key;
use bothways_core::Item;
use bothways_protocol::types::Units;
use bothways_store::Store;
use bytes::Bytes;

/// What one write changes in one index.
#[derive(Debug)]
pub(crate) struct IndexChange {
    /// The index's position in its table.
    pub(crate) position: usize,
    pub(crate) remove: Option<Bytes>,
    pub(crate) put: Option<(Bytes, Item)>,
    /// Change of the row count.
    pub(crate) items: i64,
    /// Change of the bytes.
    pub(crate) bytes: i64,
    pub(crate) units: Units,
    /// Bytes of the row that is put or removed.
    pub(crate) row_bytes: usize,
}

/// The changes of every index that the write touches. A row that the index being built lacks is made, not changed.
pub(crate) fn index_changes<'a>(
    table: &'a Table,
    row_key: &'a [u8],
    staged: &'a Staged,
) -> impl Iterator<Item = IndexChange> + 'a {
    table
        .indexes
        .iter()
        .enumerate()
        .filter_map(move |(position, index)| change(position, index, row_key, staged))
}

/// The row of an item that the index being built lacks; `None` where it has it or where the item has none.
pub(crate) fn missing(
    store: &dyn Store,
    index: &Index,
    row_key: &[u8],
    item: &Item,
) -> Result<Option<(Bytes, Item)>, Fault> {
    let Some(entry) = entry(index, row_key, Some(item)) else {
        return Ok(None);
    };
    let there = store.latest(&entry.key)?.value.is_some();
    Ok((!there).then_some((entry.key, entry.image)))
}

/// Whether the index being built lacks the row of an item.
pub(super) fn is_missing(
    store: &dyn Store,
    index: &Index,
    row_key: &[u8],
    item: &Item,
) -> Result<bool, Fault> {
    Ok(missing(store, index, row_key, item)?.is_some())
}

/// An index row: its key and what it holds.
struct Entry {
    key: Bytes,
    image: Item,
}

fn entry(index: &Index, row_key: &[u8], item: Option<&Item>) -> Option<Entry> {
    let item = item?;
    // An item without a vector that fits has no row.
    if let Some(vector) = &index.vector {
        vector.of(item)?;
    }
    Some(Entry {
        key: index_key(index.id, &index.key, item, row_key)?,
        image: index.project(item),
    })
}

/// Units: a put, a removal or a changed image costs one write, a moved row two (a removal and a put), an
/// unchanged row none. Source: Developer Guide, "Provisioned throughput considerations for GSIs".
fn change(position: usize, index: &Index, row_key: &[u8], staged: &Staged) -> Option<IndexChange> {
    if index.phase == Some(Phase::Deleting) {
        return None;
    }
    let unbuilt = staged.unbuilt && index.phase.is_some();
    let before = staged.before.as_ref().filter(|_| !unbuilt);
    let before = entry(index, row_key, before);
    let after = entry(index, row_key, staged.after.as_ref());
    let size = |entry: &Entry| entry.image.size();
    let removed = before.as_ref().map_or(0, size);
    let signed = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
    let (remove, put, items, bytes, units) = match (before, after) {
        (None, None) => return None,
        (None, Some(new)) => {
            let size = size(&new);
            (None, Some(new), 1, signed(size), write_units(size))
        }
        (Some(old), None) => {
            let size = size(&old);
            (Some(old.key), None, -1, -signed(size), write_units(size))
        }
        (Some(old), Some(new)) => {
            let (was, is) = (size(&old), size(&new));
            let grown = signed(is) - signed(was);
            if old.key != new.key {
                let units = write_units(was) + write_units(is);
                (Some(old.key), Some(new), 0, grown, units)
            } else if old.image == new.image {
                return None;
            } else {
                (None, Some(new), 0, grown, write_units(was.max(is)))
            }
        }
    };
    Some(IndexChange {
        position,
        remove,
        row_bytes: put.as_ref().map_or(removed, size),
        put: put.map(|entry| (entry.key, entry.image)),
        items,
        bytes,
        units,
    })
}
