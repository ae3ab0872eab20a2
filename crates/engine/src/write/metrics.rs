//! Sizes of item collections in answers, where a table has local indexes.

use super::Write;
use crate::engine::Inner;
use bothways_protocol::types::{ItemCollectionMetrics, ReturnItemCollectionMetrics};
use std::collections::BTreeMap;

/// The unit of the range that is answered, bytes.
const GIGABYTE: i64 = 1 << 30;

impl Inner {
    /// The collection that a write belongs to, with the range of whole gigabytes that its size is in. Where it cannot
    /// be counted the range is that of the whole table.
    pub(super) fn collection(
        &self,
        write: &Write<'_>,
        wanted: Option<ReturnItemCollectionMetrics>,
    ) -> Option<ItemCollectionMetrics> {
        if wanted != Some(ReturnItemCollectionMetrics::Size) || !write.table.has_local_index() {
            return None;
        }
        let hash = &write.table.key.hash;
        let names: Vec<&str> = hash.iter().map(|part| part.name.as_str()).collect();
        let bytes = self.collection_beyond(&write.table, write.given, GIGABYTE);
        Some(ItemCollectionMetrics {
            item_collection_key: Some(write.given.only(&names)),
            size_estimate_range_gb: Some(match bytes {
                Ok(bytes) => range(bytes).to_vec(),
                Err(_) => vec![0.0, range(write.table.totals.bytes())[1]],
            }),
        })
    }

    /// The collections of several writes by table, each once.
    pub(crate) fn collections_of(
        &self,
        writes: &[Write<'_>],
        wanted: Option<ReturnItemCollectionMetrics>,
    ) -> Option<BTreeMap<String, Vec<ItemCollectionMetrics>>> {
        let mut out: BTreeMap<String, Vec<ItemCollectionMetrics>> = BTreeMap::new();
        for write in writes {
            if let Some(metrics) = self.collection(write, wanted) {
                let own = out.entry(write.table.name.clone()).or_default();
                if !own.contains(&metrics) {
                    own.push(metrics);
                }
            }
        }
        (!out.is_empty()).then_some(out)
    }
}

/// Whole gigabytes below and above a size. Source: API Reference, `ItemCollectionMetrics`.
#[allow(
    clippy::cast_precision_loss,
    reason = "gigabytes of what a disk holds stay far below 2^53"
)]
fn range(bytes: i64) -> [f64; 2] {
    let below = (bytes / GIGABYTE).max(0) as f64;
    [below, below + 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_lies_in_the_range_that_is_answered() {
        let same = |bytes, want: [f64; 2]| {
            let got = range(bytes).map(f64::to_bits);
            assert_eq!(got, want.map(f64::to_bits), "{bytes}");
        };
        same(0, [0.0, 1.0]);
        same(GIGABYTE - 1, [0.0, 1.0]);
        same(GIGABYTE, [1.0, 2.0]);
        same(5 * GIGABYTE + 1, [5.0, 6.0]);
    }
}
