//! What is counted of a table or index: every item read or written, by its partition key and by its key.

use super::Heat;
use super::sketch::{Counter, Sketch};
use crate::capacity::Meter;
use crate::catalog::Table;
use crate::layout::{PREFIX, base_key, partition_key, stable_hash};
use bothways_core::{Item, KeySchema};
use bothways_protocol::BusyKey;

/// Counters of a table or an index.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    partitions: Sketch,
    items: Sketch,
}

impl Usage {
    /// Counts an item that has these key attributes, or one that would.
    pub(crate) fn count(&self, schema: &KeySchema, item: &Item, heat: Heat) {
        let named = |parts: &mut dyn Iterator<Item = &str>| item.only(&parts.collect::<Vec<_>>());
        let Some(partition) = partition_key(0, schema, item) else {
            return;
        };
        let partition = &partition[PREFIX..];
        let hash = stable_hash(partition);
        self.partitions.count(hash, partition, heat, || {
            named(&mut schema.hash.iter().map(|part| part.name.as_str()))
        });
        if schema.range.is_empty() {
            return;
        }
        if let Some(key) = base_key(0, schema, item) {
            let key = &key[PREFIX..];
            self.items
                .count(stable_hash(key), key, heat, || named(&mut schema.names()));
        }
    }

    /// Uses, and the busiest partition keys and keys.
    pub(super) fn busiest(&self) -> (u64, Vec<BusyKey>, Vec<BusyKey>) {
        let shown = |counters: Vec<Counter>| {
            let counters = counters.into_iter().take(super::SHOWN);
            let shown = counters.map(|counter| BusyKey {
                key: counter.key,
                uses: counter.uses,
                error: counter.error,
                read_milli: counter.heat.read,
                write_milli: counter.heat.write,
            });
            shown.collect::<Vec<_>>()
        };
        let (uses, partitions) = self.partitions.busiest();
        let (_, items) = self.items.busiest();
        (uses, shown(partitions), shown(items))
    }
}

impl Table {
    /// Counts an item that was read in the table, or would have been.
    pub(crate) fn count_read(&self, key: &Item, heat: Heat) {
        if let Some(usage) = &self.usage {
            usage.count(&self.key, key, heat);
        }
    }

    /// Counts an item that was written, in the table and in the indexes that have it now, by what each was charged.
    pub(crate) fn count_write(&self, given: &Item, after: Option<&Item>, spent: &Meter) {
        self.count_read(given, Heat::writing(spent.of_table()));
        for index in &self.indexes {
            if let (Some(usage), Some(item)) = (&index.usage, after) {
                usage.count(&index.key, item, Heat::writing(spent.of_index(index.id)));
            }
        }
    }
}
