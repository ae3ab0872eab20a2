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

/// The numbers of a row's vector.
pub(super) fn numbers(bytes: &[u8]) -> impl Iterator<Item = f32> {
    let parts = bytes.chunks_exact(NUMBER_BYTES);
    parts.filter_map(|part| Some(f32::from_le_bytes(part.try_into().ok()?)))
}

/// How far a row's vector is from another one, in the function's own measure, rounded to 32 bits as on AWS.
#[allow(
    clippy::cast_possible_truncation,
    reason = "scores have the precision of the vectors"
)]
pub(super) fn score(distance: Distance, wanted: &[f32], row: &[u8]) -> f64 {
    let (mut dot, mut own, mut other, mut apart) = (0.0, 0.0, 0.0, 0.0);
    for (a, b) in wanted.iter().zip(numbers(row)) {
        let (a, b) = (f64::from(*a), f64::from(b));
        dot += a * b;
        own += a * a;
        other += b * b;
        apart += (a - b) * (a - b);
    }
    let score: f64 = match distance {
        Distance::DotProduct => dot,
        Distance::Euclidean => apart.sqrt(),
        Distance::Cosine => {
            let lengths = (own * other).sqrt();
            // Without a direction it is like nothing and unlike nothing.
            let alike = if lengths > 0.0 { dot / lengths } else { 0.0 };
            (1.0 - alike).clamp(0.0, 2.0)
        }
    };
    f64::from(score as f32)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_functions() {
        let row: Vec<u8> = [0.0_f32, 2.0]
            .iter()
            .flat_map(|n| n.to_le_bytes())
            .collect();
        let scored = |distance, wanted: [f32; 2]| score(distance, &wanted, &row);
        let same = |got: f64, want: f64| assert!((got - want).abs() < 1e-6, "{got} {want}");
        same(scored(Distance::Cosine, [0.0, 1.0]), 0.0);
        same(scored(Distance::Cosine, [1.0, 0.0]), 1.0);
        same(scored(Distance::Cosine, [0.0, -3.0]), 2.0);
        same(scored(Distance::Cosine, [0.0, 0.0]), 1.0);
        same(scored(Distance::Euclidean, [0.0, 1.0]), 1.0);
        same(scored(Distance::Euclidean, [1.0, 2.0]), 1.0);
        same(scored(Distance::DotProduct, [5.0, 3.0]), 6.0);
    }
}
