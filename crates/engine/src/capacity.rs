//! Capacity as DynamoDB counts it.
//!
//! Sources: Developer Guide, "DynamoDB read and write operations"; where it is silent, what AWS was measured
//! to report: a transaction doubles the base table's units only, a passing ConditionCheck is a write of the
//! item it read, a repeated token is charged as reads, an index that a write does not change has no entry.

use crate::catalog::{Index, Table};
use bothways_protocol::types::{
    Capacity, ConsumedCapacity, ReturnConsumedCapacity, Units, VectorCapacity,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes in one read unit. Source: as above.
const READ_UNIT: usize = 4096;
/// Bytes in one write unit.
const WRITE_UNIT: usize = 1024;

/// Least bytes that a row of a vector index is charged with. Source: `paritysuite/dynamodb-conformance`,
/// vectorSearch/consumedCapacity, captured 2026-08-18.
const VECTOR_WRITE: usize = 1024;

/// How a read is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadMode {
    /// Half a unit per 4 KB.
    Eventual,
    /// One unit.
    Strong,
    /// Two units.
    Transactional,
}

impl ReadMode {
    pub(crate) fn of(consistent: Option<bool>) -> Self {
        if consistent == Some(true) {
            Self::Strong
        } else {
            Self::Eventual
        }
    }

    /// Units for this many bytes read; reading nothing costs as much as one block.
    pub(crate) fn units(self, bytes: usize) -> Units {
        let blocks = blocks(bytes, READ_UNIT);
        Units(match self {
            Self::Eventual => blocks,
            Self::Strong => blocks * 2,
            Self::Transactional => blocks * 4,
        })
    }
}

/// Units of writing an item of this size once; nothing still costs one.
pub(crate) fn write_units(bytes: usize) -> Units {
    Units::whole(blocks(bytes, WRITE_UNIT))
}

fn blocks(bytes: usize, unit: usize) -> u64 {
    u64::try_from(bytes.div_ceil(unit).max(1)).unwrap_or(u64::MAX)
}

/// Which of the two sides units go to, where a transaction tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Single operations report one sum.
    Plain,
    /// Transactions reading.
    Read,
    /// Transactions writing.
    Write,
}

/// What one request used of one table.
#[derive(Debug)]
pub(crate) struct Meter {
    side: Side,
    table: Units,
    /// By the index's id. Empty until an index is charged.
    indexes: Vec<(u32, Units)>,
    /// Bytes written to vector indexes, by the index's id. They have a capacity of their own.
    vectors: Vec<(u32, usize)>,
}

impl Meter {
    pub(crate) fn new(side: Side) -> Self {
        Self {
            side,
            table: Units(0),
            indexes: Vec::new(),
            vectors: Vec::new(),
        }
    }

    pub(crate) fn charge_table(&mut self, units: Units) {
        self.table += units;
    }

    /// Units of the table itself.
    pub(crate) fn of_table(&self) -> Units {
        self.table
    }

    /// Units of the index of this id.
    pub(crate) fn of_index(&self, id: u32) -> Units {
        let mut indexes = self.indexes.iter();
        let found = indexes.find(|(own, _)| *own == id);
        found.map_or(Units(0), |(_, units)| *units)
    }

    /// Adds what a part of the request used of the same table.
    pub(crate) fn add(&mut self, part: &Self) {
        self.table += part.table;
        for (id, units) in &part.indexes {
            self.charge_index(*id, *units);
        }
        for (id, bytes) in &part.vectors {
            self.charge_vectors(*id, *bytes);
        }
    }

    /// Charges the table's vector index of this id with a row.
    pub(crate) fn charge_vectors(&mut self, id: u32, row_bytes: usize) {
        let bytes = row_bytes.max(VECTOR_WRITE);
        match self.vectors.iter_mut().find(|(own, _)| *own == id) {
            Some((_, sum)) => *sum += bytes,
            None => self.vectors.push((id, bytes)),
        }
    }

    /// Charges the table's index of this id.
    pub(crate) fn charge_index(&mut self, id: u32, units: Units) {
        if units == Units(0) {
            return;
        }
        match self.indexes.iter_mut().find(|(own, _)| *own == id) {
            Some((_, sum)) => *sum += units,
            None => self.indexes.push((id, units)),
        }
    }

    /// The answer's member, in the detail that was asked for.
    pub(crate) fn report(
        &self,
        table: &Table,
        wanted: Option<ReturnConsumedCapacity>,
    ) -> Option<ConsumedCapacity> {
        let detailed = match wanted {
            None | Some(ReturnConsumedCapacity::None) => return None,
            Some(ReturnConsumedCapacity::Total) => false,
            Some(ReturnConsumedCapacity::Indexes) => true,
        };
        let total = self.table + self.indexes.iter().map(|(_, units)| *units).sum();
        let sum = self.capacity(total);
        let mut out = ConsumedCapacity {
            table_name: Some(table.name.clone()),
            capacity_units: sum.capacity_units,
            read_capacity_units: sum.read_capacity_units,
            write_capacity_units: sum.write_capacity_units,
            ..ConsumedCapacity::default()
        };
        if detailed {
            out.table = Some(self.capacity(self.table));
            out.local_secondary_indexes = self.by_index(table, |index| index.local);
            out.global_secondary_indexes = self.by_index(table, |index| !index.local);
            out.vector_indexes = self.by_vectors(table);
        }
        Some(out)
    }

    fn by_index(
        &self,
        table: &Table,
        wanted: impl Fn(&Index) -> bool,
    ) -> Option<BTreeMap<String, Capacity>> {
        let map: BTreeMap<String, Capacity> = self
            .indexes
            .iter()
            .filter_map(|(id, units)| Some((table.indexes.iter().find(|i| i.id == *id)?, *units)))
            .filter(|(index, _)| wanted(index))
            .map(|(index, units)| (index.name.clone(), self.capacity(units)))
            .collect();
        (!map.is_empty()).then_some(map)
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "bytes of one request stay far below 2^53"
    )]
    fn by_vectors(&self, table: &Table) -> Option<BTreeMap<String, VectorCapacity>> {
        let named = self.vectors.iter().filter_map(|(id, bytes)| {
            let index = table.indexes.iter().find(|index| index.id == *id)?;
            let capacity = VectorCapacity {
                vector_write_request_bytes: Some(*bytes as f64),
                ..VectorCapacity::default()
            };
            Some((index.name.clone(), capacity))
        });
        let map: BTreeMap<_, _> = named.collect();
        (!map.is_empty()).then_some(map)
    }

    fn capacity(&self, units: Units) -> Capacity {
        Capacity {
            read_capacity_units: (self.side == Side::Read).then_some(units),
            write_capacity_units: (self.side == Side::Write).then_some(units),
            capacity_units: Some(units),
        }
    }
}

/// What one request used of several tables.
#[derive(Debug)]
pub(crate) struct Meters {
    side: Side,
    tables: Vec<(Arc<Table>, Meter)>,
}

impl Meters {
    pub(crate) fn new(side: Side) -> Self {
        Self {
            side,
            tables: Vec::new(),
        }
    }

    /// The table's meter.
    pub(crate) fn of(&mut self, table: &Arc<Table>) -> &mut Meter {
        let found = self
            .tables
            .iter()
            .position(|(own, _)| own.id() == table.id());
        let position = found.unwrap_or_else(|| {
            self.tables.push((Arc::clone(table), Meter::new(self.side)));
            self.tables.len() - 1
        });
        &mut self.tables[position].1
    }

    /// One entry per table, in order of first use.
    pub(crate) fn report(
        &self,
        wanted: Option<ReturnConsumedCapacity>,
    ) -> Option<Vec<ConsumedCapacity>> {
        let reports = self
            .tables
            .iter()
            .map(|(table, meter)| meter.report(table, wanted));
        reports.collect()
    }
}
