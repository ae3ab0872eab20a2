//! SearchVectors: exact, over every row of the index or of one partition of it.

use super::condition::terms;
use super::score::Wanted;
use super::vector::narrowed;
use crate::catalog::record::{Phase, VectorRecord};
use crate::catalog::{Index, Table};
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::{self, Range};
use crate::pending::Pending;
use bothways_core::{Item, Value, ValueRef, limits};
use bothways_protocol::types::{
    ReturnConsumedCapacity, SearchResultItem, SearchVectorsInput, SearchVectorsOutput,
    VectorCapacity, VectorDistanceFunction as Distance,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use std::cmp::Ordering;

/// What is billed is whole kilobytes of what was looked at.
const UNIT_BYTES: usize = 1024;

/// An item that may be among the results.
struct Found {
    score: f64,
    row: Item,
}

impl Inner {
    pub(crate) fn search_vectors(
        &self,
        cx: &Context,
        input: &SearchVectorsInput,
    ) -> Result<Pending, Fault> {
        let plan = validate::search_vectors(input)?;
        let wanted = wanted(input)?;
        let table = self.table(cx, input.table_name.as_deref())?;
        let name = input.index_name.as_deref().unwrap_or_default();
        let (index, vector) = find(&table, name)?;
        if wanted.len() != vector.dimensions {
            return Err(Message::SearchDimensions {
                given: wanted.len(),
                expected: vector.dimensions,
            }
            .into());
        }
        let terms = terms(index, vector, plan.condition.as_ref())?;
        let filter = plan.condition.as_ref().filter(|_| terms.filters);
        let distance = vector.distance();
        let wanted = Wanted::new(wanted, distance);
        let mut best: Vec<Found> = Vec::with_capacity(plan.top_k + 1);
        let mut looked_at = 0;
        let snapshot = self.store.snapshot()?;
        let range = range(index, &terms.partition);
        if let Some(range) = range {
            let (from, to) = range.bounds();
            for row in snapshot.range(from, to, false) {
                let row = Item::from_bytes(row?.1)?;
                looked_at += row.size();
                if filter.is_some_and(|filter| !filter.matches(Some(&row))) {
                    continue;
                }
                let Some(ValueRef::B(bytes)) = row.get(&vector.attribute) else {
                    continue;
                };
                let score = wanted.score(bytes);
                take(&mut best, plan.top_k, distance, Found { score, row });
            }
        }
        let mut bytes = 0;
        let mut results = Vec::with_capacity(best.len());
        for found in best {
            let item = match &plan.projection {
                Some(projection) => projection.apply(&vector.shown(&found.row)),
                // The vector itself only comes where it is asked for.
                None => found.row.with(&[(&vector.attribute, None)]),
            };
            bytes += item.size();
            if bytes > limits::BATCH_BYTES {
                break;
            }
            results.push(SearchResultItem {
                item: Some(item),
                score: Some(found.score),
            });
        }
        let wanted = input.return_consumed_capacity;
        let told = wanted.is_some_and(|wanted| wanted != ReturnConsumedCapacity::None);
        let output = SearchVectorsOutput {
            consumed_capacity: told.then(|| VectorCapacity {
                vector_search_request_bytes: Some(billed(looked_at)),
                vector_write_request_bytes: None,
            }),
            search_results: Some(results),
        };
        Ok(Pending::ready(Response::SearchVectors(Box::new(output))))
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "bytes of what a disk holds stay far below 2^53"
)]
fn billed(bytes: usize) -> f64 {
    (bytes.div_ceil(UNIT_BYTES).max(1) * UNIT_BYTES) as f64
}

/// The vector to search for.
fn wanted(input: &SearchVectorsInput) -> Result<Vec<f32>, Message> {
    let given = input.search_vector.iter().flatten();
    let numbers = given.map(|given| narrowed(given.value.as_ref()).ok_or(Message::SearchValues));
    numbers.collect()
}

fn find<'t>(table: &'t Table, name: &str) -> Result<(&'t Index, &'t VectorRecord), Message> {
    let missing = || Message::IndexNotFound {
        name: name.to_owned(),
    };
    let mut indexes = table.indexes.iter();
    let index = indexes.find(|index| index.name == name);
    let index = index.ok_or_else(missing)?;
    let vector = index.vector.as_ref().ok_or_else(missing)?;
    match index.phase {
        None => Ok((index, vector)),
        Some(Phase::Creating | Phase::Backfilling) => Err(Message::SearchBackfilling {
            name: name.to_owned(),
        }),
        Some(Phase::Deleting) => Err(missing()),
    }
}

/// The rows that a search looks at; none where the partition's value is of no key's type.
fn range(index: &Index, terms: &[(&str, &Value)]) -> Option<Range> {
    if index.key.hash.is_empty() {
        return Some(Range::all(index.id));
    }
    let named = terms.iter().map(|(name, value)| (*name, (*value).clone()));
    let item = Item::from_attributes(named);
    index.key.check(&item).ok()?;
    layout::partition_key(index.id, &index.key, &item).map(Range::prefix)
}

/// Keeps the best so far; of equal ones those that come first.
fn take(best: &mut Vec<Found>, most: usize, distance: Distance, found: Found) {
    let better = |one: f64, other: f64| match distance {
        Distance::DotProduct => other.total_cmp(&one),
        Distance::Cosine | Distance::Euclidean => one.total_cmp(&other),
    };
    let place = best.partition_point(|own| better(own.score, found.score) != Ordering::Greater);
    if place < most {
        best.insert(place, found);
        best.truncate(most);
    }
}
