//! Vectors in items and in rows of indexes.

use crate::catalog::record::VectorRecord;
use crate::catalog::{Index, Table};
use crate::error::Fault;
use bothways_core::{Item, Number, Value, ValueRef};
use bothways_protocol::Message;
use bothways_protocol::types::VectorDistanceFunction as Distance;

/// Bytes of a number in a row.
const NUMBER_BYTES: usize = 4;

/// A number at the precision of the index; none for one that is too large for it.
pub(super) fn narrowed(value: ValueRef<'_>) -> Option<f32> {
    let ValueRef::N(number) = value else {
        return None;
    };
    let narrowed: f32 = number.to_string().parse().ok()?;
    narrowed.is_finite().then_some(narrowed)
}

impl VectorRecord {
    /// The vector of an item as rows hold it; none for an item that has none of this length.
    pub(crate) fn of(&self, item: &Item) -> Option<Vec<u8>> {
        let ValueRef::L(list) = item.get(&self.attribute)? else {
            return None;
        };
        let mut out = Vec::with_capacity(self.dimensions * NUMBER_BYTES);
        for value in list {
            out.extend_from_slice(&narrowed(value)?.to_le_bytes());
        }
        (out.len() == self.dimensions * NUMBER_BYTES).then_some(out)
    }

    /// How an index's row holds an item, of which `projected` is what the index copies.
    pub(crate) fn row(&self, item: &Item, projected: &Item) -> Item {
        let bytes = self.of(item).unwrap_or_default();
        projected.with(&[(&self.attribute, Some(ValueRef::B(&bytes)))])
    }

    /// The distance function.
    pub(super) fn distance(&self) -> Distance {
        let mut all = Distance::ALL.iter().copied();
        all.find(|own| own.as_str() == self.distance)
            .unwrap_or(Distance::Cosine)
    }

    /// A row's item with its vector as numbers.
    pub(super) fn shown(&self, row: &Item) -> Item {
        let Some(ValueRef::B(bytes)) = row.get(&self.attribute) else {
            return row.clone();
        };
        let numbers = numbers(bytes).filter_map(|number| number.to_string().parse().ok());
        let list = Value::L(numbers.map(|number: Number| Value::N(number)).collect());
        row.with(&[(&self.attribute, Some(list.as_ref()))])
    }
}

impl Table {
    /// Bytes of an item that a write is billed: of a vector that an index reads, four for each number.
    /// Source: `paritysuite/dynamodb-conformance`, vectorSearch/consumedCapacity, captured 2026-10-09.
    pub(crate) fn billed(&self, item: &Item) -> usize {
        let mut size = item.size();
        let vectors = self.indexes.iter().filter_map(|own| own.vector.as_ref());
        let mut known: Vec<&str> = Vec::new();
        for vector in vectors {
            let value = item.get(&vector.attribute);
            let fits = matches!(value, Some(ValueRef::L(list)) if list.iter().count() == vector.dimensions);
            if let Some(value) = value.filter(|_| fits && !known.contains(&&*vector.attribute)) {
                size = size - value.size() + vector.dimensions * NUMBER_BYTES;
                known.push(&vector.attribute);
            }
        }
        size
    }
}

/// The numbers of a row's vector.
pub(super) fn numbers(bytes: &[u8]) -> impl Iterator<Item = f32> {
    let parts = bytes.chunks_exact(NUMBER_BYTES);
    parts.filter_map(|part| Some(f32::from_le_bytes(part.try_into().ok()?)))
}

/// Refuses an item whose vector does not fit an index. One without a vector is left out of it.
/// Source: `paritysuite/dynamodb-conformance`, vector write error messages, captured 2026-08-11.
pub(crate) fn check_vectors(table: &Table, item: &Item) -> Result<(), Fault> {
    for index in table.ready_indexes() {
        if let Some(vector) = &index.vector {
            check(index, vector, item)?;
        }
    }
    Ok(())
}

fn check(index: &Index, vector: &VectorRecord, item: &Item) -> Result<(), Message> {
    let Some(value) = item.get(&vector.attribute) else {
        return Ok(());
    };
    let (name, own) = (|| vector.attribute.clone(), || index.name.clone());
    let ValueRef::L(list) = value else {
        return Err(Message::VectorType {
            name: name(),
            index: own(),
        });
    };
    for (position, value) in list.iter().enumerate() {
        if narrowed(value).is_none() {
            return Err(Message::VectorElement {
                name: name(),
                position,
                actual: value.type_name(),
                index: own(),
            });
        }
    }
    let actual = list.iter().count();
    if actual != vector.dimensions {
        return Err(Message::VectorSize {
            name: name(),
            expected: vector.dimensions,
            actual,
            index: own(),
        });
    }
    Ok(())
}
