//! A model out of a table that is there: a bounded sample of its items is read, and what their keys have in common
//! is proposed, each proposal with its evidence. Nothing is written.

mod propose;
mod shape;

use crate::error::{Error, Result};
use crate::model::Model;
use crate::receipt::{Consistency, Done, Receipt};
use bothways_core::Item;
use bothways_protocol::types::{DescribeTableInput, QueryInput, ReturnConsumedCapacity, ScanInput};
use bothways_protocol::{Context, DynamoDb, DynamoDbExt, Operation};
use std::time::Instant;

/// Items looked at where nothing else is asked for.
pub const SAMPLE_ITEMS: u32 = 2000;
/// Most items looked at: what they cost must stay small beside the table.
pub const MOST_SAMPLE_ITEMS: u32 = 20_000;
/// Places of the table that the sample is taken from: items of one partition stand together.
const SEGMENTS: i32 = 8;
/// Partitions looked at beside the sample, and items of each.
const LOOKED_UP: usize = 16;
const LOOKED_UP_ITEMS: i32 = 4;

/// What a proposal rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// `entity actor`, `relation follows`, `index GSI1`; empty for the table as a whole.
    pub place: String,
    /// What was seen, or what was not and had to be assumed.
    pub text: String,
    /// It was assumed: somebody who knows the data should look at it.
    pub assumed: bool,
}

/// A proposed model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inferred {
    /// The model. It may need a name that people use, and fail its check where the table does.
    pub model: Model,
    /// What it rests on, in the order of the model's parts.
    pub evidence: Vec<Evidence>,
    /// Items that were looked at.
    pub sampled: u64,
    /// They were all that the table holds.
    pub whole: bool,
}

/// Reads a sample of a table and proposes a model of it.
///
/// # Errors
/// A table that is not there, whose key has no sort key or is not text; what the database refuses.
pub async fn infer(
    db: &dyn DynamoDb,
    cx: &Context,
    table: &str,
    items: u32,
) -> Result<Done<Inferred>> {
    let mut described = Receipt::new(Operation::DescribeTable, table);
    let input = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    let started = Instant::now();
    let output = db.describe_table(cx, input).await?;
    described.requests = 1;
    described.elapsed = started.elapsed();
    let description = output.table.unwrap_or_default();
    let places = propose::places(&description).ok_or_else(|| Error::NotInferable {
        table: table.to_owned(),
    })?;
    let (mut sample, whole, scanned) =
        sample(db, cx, table, items.clamp(1, MOST_SAMPLE_ITEMS)).await?;
    let looked_up = look_up(db, cx, table, &places, &mut sample).await?;
    let (model, evidence) = propose::propose(table, &places, &sample);
    let inferred = Inferred {
        model,
        evidence,
        sampled: sample.len() as u64,
        whole,
    };
    let receipts = [Some(described), Some(scanned), looked_up];
    Ok(Done::new(
        inferred,
        receipts.into_iter().flatten().collect(),
    ))
}

/// Items of several places of the table, and whether they are all.
async fn sample(
    db: &dyn DynamoDb,
    cx: &Context,
    table: &str,
    items: u32,
) -> Result<(Vec<Item>, bool, Receipt)> {
    let mut receipt = Receipt::new(Operation::Scan, table);
    receipt.consistency = Some(Consistency::Eventual);
    let share = i32::try_from(items.div_ceil(SEGMENTS.unsigned_abs())).unwrap_or(i32::MAX);
    let mut found: Vec<Item> = Vec::new();
    let mut whole = true;
    for segment in 0..SEGMENTS {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            limit: Some(share),
            segment: Some(segment),
            total_segments: Some(SEGMENTS),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Total),
            ..ScanInput::default()
        };
        let started = Instant::now();
        let output = db.scan(cx, input).await?;
        receipt.elapsed += started.elapsed();
        receipt.requests += 1;
        receipt.consumed(output.consumed_capacity.as_ref());
        whole &= output.last_evaluated_key.is_none();
        found.extend(output.items.unwrap_or_default());
    }
    receipt.count = found.len() as u64;
    receipt.scanned = receipt.count;
    Ok((found, whole, receipt))
}

/// Reads a few partitions that indexes name and the sample has not met: few entities with many edges are easily missed.
async fn look_up(
    db: &dyn DynamoDb,
    cx: &Context,
    table: &str,
    places: &propose::Places,
    sample: &mut Vec<Item>,
) -> Result<Option<Receipt>> {
    let named = places.named_elsewhere(sample, LOOKED_UP);
    if named.is_empty() {
        return Ok(None);
    }
    let mut receipt = Receipt::new(Operation::Query, table);
    receipt.consistency = Some(Consistency::Eventual);
    for key in named {
        let (aliases, values) = places.partition(&key);
        let input = QueryInput {
            table_name: Some(table.to_owned()),
            key_condition_expression: Some("#k = :k".to_owned()),
            expression_attribute_names: Some(aliases),
            expression_attribute_values: Some(values.into()),
            limit: Some(LOOKED_UP_ITEMS),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Total),
            ..QueryInput::default()
        };
        let started = Instant::now();
        let output = db.query(cx, input).await?;
        receipt.elapsed += started.elapsed();
        receipt.requests += 1;
        receipt.consumed(output.consumed_capacity.as_ref());
        let items = output.items.unwrap_or_default();
        receipt.scanned += items.len() as u64;
        sample.extend(items);
    }
    receipt.count = receipt.scanned;
    Ok(Some(receipt))
}
