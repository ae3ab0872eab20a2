//! Query and Scan.

use super::expressions::{Expressions, Parameters, attributes_to_get};
use super::layer::Layer;
use super::legacy;
use super::table::GSI_KEY_PARTS;
use crate::types::{Given, QueryInput, ScanInput, Select};
use crate::{Error, Message, constraint};
use bothways_core::Item;
use bothways_core::expr::{Condition, KeyCondition, Projection};
use std::collections::BTreeMap;

/// What Query is to do.
#[derive(Debug)]
pub struct QueryPlan<'a> {
    /// The key condition, not yet bound to a schema.
    pub key_condition: KeyCondition<'a>,
    /// The filter, wherever it came from.
    pub filter: Option<Condition<'a>>,
    /// What AWS calls the filter where it looks at a key attribute.
    pub filter_name: &'static str,
    /// The attributes to return.
    pub projection: Option<Projection<'a>>,
    /// Where to go on, not yet held against the schema.
    pub start: Option<&'a Item>,
}

/// What Scan is to do.
#[derive(Debug)]
pub struct ScanPlan<'a> {
    /// The filter, wherever it came from.
    pub filter: Option<Condition<'a>>,
    /// The attributes to return.
    pub projection: Option<Projection<'a>>,
    /// Where to go on, not yet held against the schema.
    pub start: Option<&'a Item>,
    /// The segment and how many there are.
    pub segment: Option<(u32, u32)>,
}

/// Query.
///
/// # Errors
/// `ValidationException`.
pub fn query(input: &QueryInput) -> Result<QueryPlan<'_>, Error> {
    constraint::check(input)?;
    query_plan(input).map_err(|fault| match fault {
        // Source: paritysuite/dynamodb-conformance, error-messages/query.
        Message::SelectSpecificNeedsAttributes => Layer::Counted.report(&fault),
        fault => fault.into(),
    })
}

fn query_plan(input: &QueryInput) -> Result<QueryPlan<'_>, Message> {
    const LAYER: Layer = Layer::Current;
    Parameters {
        legacy: &[
            ("AttributesToGet", input.attributes_to_get.is_some()),
            ("QueryFilter", input.query_filter.is_some()),
            ("ConditionalOperator", input.conditional_operator.is_some()),
            ("KeyConditions", input.key_conditions.is_some()),
        ],
        expressions: &[
            (
                "ProjectionExpression",
                input.projection_expression.is_some(),
            ),
            ("FilterExpression", input.filter_expression.is_some()),
            (
                "KeyConditionExpression",
                input.key_condition_expression.is_some(),
            ),
        ],
        names: input.expression_attribute_names.is_some(),
        values: input.expression_attribute_values.is_some(),
    }
    .check(LAYER)?;
    let conditions = input.query_filter.as_ref().map_or(0, BTreeMap::len);
    legacy::check_operator(input.conditional_operator, conditions)?;
    let legacy_filter = legacy::filter(
        input.query_filter.as_ref(),
        input.conditional_operator,
        LAYER,
    )?;
    let legacy_projection = attributes_to_get(input.attributes_to_get.as_ref())?;
    let start = start_key(input.exclusive_start_key.as_ref(), LAYER)?;
    check_select(&Selected {
        select: input.select,
        index: input.index_name.is_some(),
        attributes: input.attributes_to_get.is_some(),
        projection: input.projection_expression.is_some(),
    })?;
    let bound = query_expressions(input).bind(LAYER)?;
    let key_condition = match (bound.key_condition, &input.key_conditions) {
        (Some(condition), _) => {
            condition.check()?;
            condition
        }
        (None, Some(legacy)) => {
            // An index's key can have more attributes than two; AWS takes as many (scylladb/scylladb,
            // `test_gsi_composite_keys.py`).
            let most = input.index_name.as_ref().map_or(2, |_| 2 * GSI_KEY_PARTS);
            legacy::key_conditions(legacy, LAYER, most)?.ok_or(Message::KeyConditionCount)?
        }
        (None, None) => return Err(Message::KeyConditionMissing),
    };
    Ok(QueryPlan {
        key_condition,
        filter_name: if bound.filter.is_some() {
            "Filter Expression"
        } else {
            "QueryFilter"
        },
        filter: bound.filter.or(legacy_filter),
        projection: bound.projection.or(legacy_projection),
        start,
    })
}

fn query_expressions(input: &QueryInput) -> Expressions<'_> {
    Expressions {
        names: input.expression_attribute_names.as_ref(),
        values: input.expression_attribute_values.as_ref(),
        key_condition: input.key_condition_expression.as_deref(),
        filter: input.filter_expression.as_deref(),
        projection: input.projection_expression.as_deref(),
        ..Expressions::default()
    }
}

/// Scan.
///
/// # Errors
/// `ValidationException`.
pub fn scan(input: &ScanInput) -> Result<ScanPlan<'_>, Error> {
    constraint::check(input)?;
    scan_plan(input).map_err(|fault| Layer::Older.report(&fault))
}

fn scan_plan(input: &ScanInput) -> Result<ScanPlan<'_>, Message> {
    const LAYER: Layer = Layer::Older;
    Parameters {
        legacy: &[
            ("AttributesToGet", input.attributes_to_get.is_some()),
            ("ScanFilter", input.scan_filter.is_some()),
            ("ConditionalOperator", input.conditional_operator.is_some()),
        ],
        expressions: &[
            (
                "ProjectionExpression",
                input.projection_expression.is_some(),
            ),
            ("FilterExpression", input.filter_expression.is_some()),
        ],
        names: input.expression_attribute_names.is_some(),
        values: input.expression_attribute_values.is_some(),
    }
    .check(LAYER)?;
    let conditions = input.scan_filter.as_ref().map_or(0, BTreeMap::len);
    legacy::check_operator(input.conditional_operator, conditions)?;
    let legacy_projection = attributes_to_get(input.attributes_to_get.as_ref())?;
    let legacy_filter = legacy::filter(
        input.scan_filter.as_ref(),
        input.conditional_operator,
        LAYER,
    )?;
    let start = start_key(input.exclusive_start_key.as_ref(), LAYER)?;
    let segment = segment(input.segment, input.total_segments)?;
    check_select(&Selected {
        select: input.select,
        index: input.index_name.is_some(),
        attributes: input.attributes_to_get.is_some(),
        projection: input.projection_expression.is_some(),
    })?;
    let bound = Expressions {
        names: input.expression_attribute_names.as_ref(),
        values: input.expression_attribute_values.as_ref(),
        filter: input.filter_expression.as_deref(),
        projection: input.projection_expression.as_deref(),
        ..Expressions::default()
    };
    let bound = bound.bind(LAYER)?;
    Ok(ScanPlan {
        filter: bound.filter.or(legacy_filter),
        projection: bound.projection.or(legacy_projection),
        start,
        segment,
    })
}

/// The members that say which attributes are wanted.
struct Selected {
    select: Option<Select>,
    index: bool,
    attributes: bool,
    projection: bool,
}

/// Source: API Reference, Query, `Select`.
fn check_select(selected: &Selected) -> Result<(), Message> {
    let named = match selected {
        Selected {
            attributes: true, ..
        } => Some("AttributesToGet"),
        Selected {
            projection: true, ..
        } => Some("ProjectionExpression"),
        _ => None,
    };
    match (selected.select, named) {
        (Some(Select::SpecificAttributes), None) => Err(Message::SelectSpecificNeedsAttributes),
        (Some(Select::Count), Some(kind)) => Err(Message::CountWithAttributes { kind }),
        (Some(select @ (Select::AllAttributes | Select::AllProjectedAttributes)), Some(kind)) => {
            Err(Message::SelectWithAttributes {
                kind,
                select: select.as_str(),
            })
        }
        (Some(Select::AllProjectedAttributes), None) if !selected.index => {
            Err(Message::SelectProjectedWithoutIndex)
        }
        _ => Ok(()),
    }
}

fn segment(segment: Option<i32>, total: Option<i32>) -> Result<Option<(u32, u32)>, Message> {
    match (segment, total) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(Message::SegmentWithoutTotal),
        (None, Some(_)) => Err(Message::TotalWithoutSegment),
        (Some(segment), Some(total)) if segment >= total => {
            Err(Message::SegmentOutOfRange { segment, total })
        }
        // The constraint stage has refused negative ones.
        (Some(segment), Some(total)) => Ok(Some((segment.unsigned_abs(), total.unsigned_abs()))),
    }
}

/// AWS says that it is the starting key for some faults and not for others. Source: dynalite, query.custom.
fn start_key(given: Option<&Given<Item>>, layer: Layer) -> Result<Option<&Item>, Message> {
    let Some(given) = given else {
        return Ok(None);
    };
    layer.check(given).map_err(|fault| match fault {
        Message::ValueEmpty
        | Message::ValueAmbiguous
        | Message::NullNotTrue
        | Message::EmptyStringSet
        | Message::EmptyBinarySet => Message::StartKeyInvalid {
            fault: fault.text(),
        },
        fault => fault,
    })?;
    Ok(Some(&given.value))
}
