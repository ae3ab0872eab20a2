//! Batches.

use super::expressions::{Expressions, Parameters, attributes_to_get};
use super::item::item_of;
use super::layer::Layer;
use crate::types::{BatchGetItemInput, BatchWriteItemInput, KeysAndAttributes, WriteRequest};
use crate::{Error, Message, constraint};
use bothways_core::expr::Projection;
use bothways_core::{Item, limits};
use std::collections::BTreeMap;

/// Most keys of one BatchGetItem. Source: API Reference, BatchGetItem.
const BATCH_GET_KEYS: usize = 100;
/// Most writes of one BatchWriteItem. Source: API Reference, BatchWriteItem.
const BATCH_WRITES: usize = 25;

/// What BatchGetItem is to read from one table.
#[derive(Debug)]
pub struct BatchGet<'a> {
    /// The table as the request names it.
    pub table_name: &'a str,
    /// The table's part of the request.
    pub given: &'a KeysAndAttributes,
    /// The keys, not yet held against the schema; none is there twice as it was sent.
    pub keys: Vec<&'a Item>,
    /// The part of each item to return.
    pub projection: Option<Projection<'a>>,
}

/// What BatchWriteItem is to write to one table.
#[derive(Debug)]
pub struct BatchWrites<'a> {
    /// The table as the request names it.
    pub table_name: &'a str,
    /// The writes, not yet held against the schema.
    pub writes: Vec<BatchWrite<'a>>,
}

/// One write of a batch.
#[derive(Debug, Clone, Copy)]
pub enum BatchWrite<'a> {
    /// Put this item.
    Put(&'a Item),
    /// Delete the item of this key.
    Delete(&'a Item),
}

/// BatchGetItem.
///
/// # Errors
/// `ValidationException`.
pub fn batch_get_item(input: &BatchGetItemInput) -> Result<Vec<BatchGet<'_>>, Error> {
    constraint::check(input)?;
    check_projections(input)?;
    let mut keys = 0;
    let mut plan = Vec::new();
    for (table_name, given) in input.request_items.iter().flatten() {
        let get = batch_get(table_name, given)?;
        keys += get.keys.len();
        if keys > BATCH_GET_KEYS {
            return Err(Message::BatchTooManyKeys.into());
        }
        plan.push(get);
    }
    Ok(plan)
}

/// The tables of one batch must say in the same form what to return of them.
/// Source: paritysuite/dynamodb-conformance, error-messages/batchGetItem.
fn check_projections(input: &BatchGetItemInput) -> Result<(), Message> {
    let tables = || input.request_items.iter().flat_map(BTreeMap::values);
    let legacy = tables().any(|given| given.attributes_to_get.is_some());
    let expressions = tables().any(|given| given.projection_expression.is_some());
    Parameters {
        legacy: &[("AttributesToGet", legacy)],
        expressions: &[("ProjectionExpression", expressions)],
        names: false,
        values: false,
    }
    .check(Layer::Current)
}

fn batch_get<'a>(
    table_name: &'a str,
    given: &'a KeysAndAttributes,
) -> Result<BatchGet<'a>, Message> {
    const LAYER: Layer = Layer::Current;
    Parameters {
        legacy: &[("AttributesToGet", given.attributes_to_get.is_some())],
        expressions: &[(
            "ProjectionExpression",
            given.projection_expression.is_some(),
        )],
        names: given.expression_attribute_names.is_some(),
        values: false,
    }
    .check(LAYER)?;
    let legacy = attributes_to_get(given.attributes_to_get.as_ref())?;
    let bound = Expressions {
        names: given.expression_attribute_names.as_ref(),
        projection: given.projection_expression.as_deref(),
        ..Expressions::default()
    };
    let bound = bound.bind(LAYER)?;
    let mut keys = Vec::new();
    for key in given.keys.iter().flatten() {
        LAYER.check(key)?;
        if keys.contains(&&key.value) {
            return Err(Message::DuplicateKeys);
        }
        keys.push(&key.value);
    }
    Ok(BatchGet {
        table_name,
        given,
        keys,
        projection: bound.projection.or(legacy),
    })
}

/// BatchWriteItem.
///
/// # Errors
/// `ValidationException`.
pub fn batch_write_item(input: &BatchWriteItemInput) -> Result<Vec<BatchWrites<'_>>, Error> {
    constraint::check(input)?;
    let tables = input.request_items.iter().flatten();
    if tables.clone().next().is_none() {
        return Err(Message::RequestItemsRequired {
            operation: "BatchWriteItem",
        }
        .into());
    }
    let mut count = 0;
    let mut plan = Vec::new();
    for (table_name, requests) in tables {
        count += requests.len();
        if count > BATCH_WRITES {
            return Err(Message::BatchTooMany.into());
        }
        let writes = requests.iter().map(batch_write).collect::<Result<_, _>>();
        let writes = writes.map_err(|fault: Message| Layer::Older.report(&fault))?;
        plan.push(BatchWrites { table_name, writes });
    }
    Ok(plan)
}

fn batch_write(request: &WriteRequest) -> Result<BatchWrite<'_>, Message> {
    match (&request.put_request, &request.delete_request) {
        (Some(put), None) => {
            if let Some(item) = &put.item {
                Layer::Older.check(item)?;
            }
            let item = item_of(put.item.as_ref());
            if item.size() > limits::ITEM_BYTES {
                return Err(Message::ItemTooLarge);
            }
            Ok(BatchWrite::Put(item))
        }
        (None, Some(delete)) => {
            if let Some(key) = &delete.key {
                Layer::Older.check(key)?;
            }
            Ok(BatchWrite::Delete(item_of(delete.key.as_ref())))
        }
        _ => Err(Message::WriteRequestShape),
    }
}
