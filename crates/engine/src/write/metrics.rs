//! Sizes of item collections, where a table has local indexes.

use super::Write;
use bothways_protocol::types::{ItemCollectionMetrics, ReturnItemCollectionMetrics};
use std::collections::BTreeMap;

/// The collection that a write belongs to. The range is AWS's for a collection below one gigabyte.
pub(super) fn collection(
    write: &Write<'_>,
    wanted: Option<ReturnItemCollectionMetrics>,
) -> Option<ItemCollectionMetrics> {
    if wanted != Some(ReturnItemCollectionMetrics::Size) || !write.table.has_local_index() {
        return None;
    }
    let hash = &write.table.key.hash;
    let names: Vec<&str> = hash.iter().map(|part| part.name.as_str()).collect();
    Some(ItemCollectionMetrics {
        item_collection_key: Some(write.given.only(&names)),
        size_estimate_range_gb: Some(vec![0.0, 1.0]),
    })
}

/// The collections of several writes by table, each once.
pub(crate) fn collections(
    writes: &[Write<'_>],
    wanted: Option<ReturnItemCollectionMetrics>,
) -> Option<BTreeMap<String, Vec<ItemCollectionMetrics>>> {
    let mut out: BTreeMap<String, Vec<ItemCollectionMetrics>> = BTreeMap::new();
    for write in writes {
        if let Some(metrics) = collection(write, wanted) {
            let own = out.entry(write.table.name.clone()).or_default();
            if !own.contains(&metrics) {
                own.push(metrics);
            }
        }
    }
    (!out.is_empty()).then_some(out)
}
