//! Tables and indexes: what exists, under which names and ids.
//!
//! Readers look at an immutable map. A change makes a new one under one lock, as soon as its commit has its
//! place in the order: whatever is written to a new table is ordered after the table itself.

mod companions;
mod create;
mod describe;
pub(crate) mod record;
mod streams;
mod table;

pub(crate) use companions::{Companions, Expiry, LogSwitch, Switch};
pub(crate) use create::{Birth, global, index, key_arn, plan_table, tag, units};
pub(crate) use describe::{describe, seconds, status, stream_specification};
pub(crate) use table::{Features, Index, Table};

use crate::error::{Fault, OpenError};
use crate::layout::{Meta, Range};
use crate::stats;
use crate::stream::StreamRecord;
use arc_swap::ArcSwap;
use bothways_core::key;
use bothways_protocol::Message;
use bothways_protocol::validate::table_name;
use bothways_store::{Snapshot, Store};
use bytes::Buf;
use parking_lot::{Mutex, MutexGuard};
use record::TableRecord;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tables by namespace, then by name.
type Tables = BTreeMap<String, BTreeMap<String, Arc<Table>>>;

/// Streams by namespace, table's name and label; those of tables that are gone too.
type Streams = BTreeMap<(String, String, String), Arc<StreamRecord>>;

/// All tables and streams.
#[derive(Debug)]
pub(crate) struct Catalog {
    tables: ArcSwap<Tables>,
    streams: ArcSwap<Streams>,
    /// Taken by whoever changes the map; holds the next free id.
    change: Mutex<u32>,
}

impl Catalog {
    /// Reads the catalogue, and counts what has no stored totals.
    pub(crate) fn open(store: &dyn Store) -> Result<Self, OpenError> {
        let snapshot = store.snapshot()?;
        let streams = streams::read(&*snapshot)?;
        let mut tables = Tables::new();
        let range = Range::prefix(Meta::Table.key());
        let (from, to) = range.bounds();
        for row in snapshot.range(from, to, false) {
            let (_, value) = row?;
            let stored: Stored = serde_json::from_slice(&value).map_err(OpenError::Catalogue)?;
            let table = Table::new(stored.namespace.clone(), stored.name.clone(), stored.table)
                .ok_or_else(|| OpenError::Contradiction(stored.name.clone()))?;
            let totals = snapshot.get(&Meta::Totals.key_of(table.id()))?;
            if !totals.is_some_and(|row| stats::restore(&table, &row)) {
                count(&table, &*snapshot)?;
            }
            let features = streams::features(&table, &streams, &*snapshot)?;
            table.live.features.store(Arc::new(features));
            tables
                .entry(stored.namespace)
                .or_default()
                .insert(stored.name, Arc::new(table));
        }
        let next_id = match snapshot.get(&Meta::NextId.key())? {
            Some(mut row) if row.remaining() >= 4 => row.get_u32(),
            _ => 1,
        };
        Ok(Self {
            tables: ArcSwap::from_pointee(tables),
            streams: ArcSwap::from_pointee(streams),
            change: Mutex::new(next_id),
        })
    }

    /// The table of this name or ARN. One whose items are still being put in is not there yet, as on AWS.
    /// Source: ack-api-quirks, services/dynamodb DDB-TABLE-217.
    pub(crate) fn find(&self, namespace: &str, name: &str) -> Option<Arc<Table>> {
        self.find_any(namespace, name)
            .filter(|table| !table.is_coming())
    }

    /// The same, also one that is being imported. One that is being restored is hidden from all but DescribeTable and
    /// who wants its name. Source: ack-api-quirks, services/dynamodb DDB-TABLE-217, DDB-IMPORT-001.
    pub(crate) fn find_shown(&self, namespace: &str, name: &str) -> Option<Arc<Table>> {
        self.find_any(namespace, name)
            .filter(|table| table.record.restoring.is_none())
    }

    /// The same, also one whose items are still being put in.
    pub(crate) fn find_any(&self, namespace: &str, name: &str) -> Option<Arc<Table>> {
        let tables = self.tables.load();
        tables.get(namespace)?.get(table_name(name)).cloned()
    }

    /// The table of this name or ARN, or the data plane's error. To the data plane a table that is not yet ACTIVE is
    /// none. Source: API Reference, `ResourceNotFoundException`.
    pub(crate) fn get(&self, namespace: &str, name: &str) -> Result<Arc<Table>, Fault> {
        Ok(self.find(namespace, name).ok_or(Message::TableNotFound)?)
    }

    /// The table that has the index of this id.
    pub(crate) fn of_index(&self, id: u32) -> Option<Arc<Table>> {
        let tables = self.tables.load();
        let mut all = tables.values().flat_map(BTreeMap::values);
        let found = all.find(|table| table.indexes.iter().any(|index| index.id == id));
        found.cloned()
    }

    /// The table of this id.
    pub(crate) fn of_id(&self, id: u32) -> Option<Arc<Table>> {
        let tables = self.tables.load();
        let mut all = tables.values().flat_map(BTreeMap::values);
        all.find(|table| table.id() == id).cloned()
    }

    /// The newest version of a table; the one given where it is gone.
    pub(crate) fn newest(&self, table: &Arc<Table>) -> Arc<Table> {
        let found = self.find_any(&table.namespace, &table.name);
        let same = found.filter(|found| found.id() == table.id());
        same.unwrap_or_else(|| Arc::clone(table))
    }

    /// Up to `limit` names after `start`, and whether there are more.
    pub(crate) fn names(
        &self,
        namespace: &str,
        start: Option<&str>,
        limit: usize,
    ) -> (Vec<String>, bool) {
        use std::ops::Bound::{Excluded, Unbounded};
        let tables = self.tables.load();
        let Some(own) = tables.get(namespace) else {
            return (Vec::new(), false);
        };
        let mut names = own
            .range::<str, _>((start.map_or(Unbounded, Excluded), Unbounded))
            .map(|(name, _)| name.clone());
        let page: Vec<String> = names.by_ref().take(limit).collect();
        let more = names.next().is_some();
        (page, more)
    }

    /// Starts a change; one at a time.
    pub(crate) fn change(&self) -> Change<'_> {
        Change {
            catalog: self,
            next_id: self.change.lock(),
        }
    }
}

/// The right to change the catalogue.
pub(crate) struct Change<'a> {
    catalog: &'a Catalog,
    next_id: MutexGuard<'a, u32>,
}

impl Change<'_> {
    /// The next free id.
    pub(crate) fn next_id(&self) -> u32 {
        *self.next_id
    }

    /// Ids below this one are taken from now on.
    pub(crate) fn ids_taken(&mut self, next_id: u32) {
        *self.next_id = next_id;
    }

    /// Shows a new table, or a new version of one, to everybody.
    pub(crate) fn publish(&mut self, table: Arc<Table>) {
        table.show();
        self.swap(|tables| {
            let own = tables.entry(table.namespace.clone()).or_default();
            own.insert(table.name.clone(), table);
        });
    }

    /// Hides a table from everybody.
    pub(crate) fn withdraw(&mut self, table: &Table) {
        self.swap(|tables| {
            if let Some(own) = tables.get_mut(&table.namespace) {
                own.remove(&table.name);
            }
        });
    }

    fn swap(&self, change: impl FnOnce(&mut Tables)) {
        let mut tables = Tables::clone(&self.catalog.tables.load());
        change(&mut tables);
        self.catalog.tables.store(Arc::new(tables));
    }
}

/// A catalogue row's value.
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    namespace: String,
    name: String,
    table: TableRecord,
}

/// A table's catalogue row.
pub(crate) fn row(table: &Table) -> Result<(Vec<u8>, Vec<u8>), Fault> {
    let stored = Stored {
        namespace: table.namespace.clone(),
        name: table.name.clone(),
        table: table.record.clone(),
    };
    let value = serde_json::to_vec(&stored).map_err(Fault::Record)?;
    Ok((row_key(table), value))
}

/// Key of a table's catalogue row.
pub(crate) fn row_key(table: &Table) -> Vec<u8> {
    let mut out = Meta::Table.key();
    key::push_terminated(&mut out, table.namespace.as_bytes());
    key::push_terminated(&mut out, table.name.as_bytes());
    out
}

/// Counts a table's rows and those of its indexes.
fn count(table: &Table, snapshot: &dyn Snapshot) -> Result<(), OpenError> {
    for (id, totals) in table.all_totals() {
        let range = Range::all(id);
        let (from, to) = range.bounds();
        let (mut items, mut bytes) = (0, 0);
        for row in snapshot.range(from, to, false) {
            let item = bothways_core::Item::from_bytes(row?.1)?;
            items += 1;
            bytes += i64::try_from(item.size()).unwrap_or(i64::MAX);
        }
        totals.set(items, bytes);
    }
    Ok(())
}
