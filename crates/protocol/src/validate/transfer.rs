//! What an export leaves out.

use super::expressions::{Expressions, Parameters};
use super::layer::Layer;
use crate::types::FilterSpecification;
use crate::{Error, Message};
use bothways_core::expr::{Condition, KeyCondition, Projection};

/// Which items an export has, and what of them.
#[derive(Debug, Default)]
pub struct ExportFilter<'a> {
    /// The keys, not yet held against the table's.
    pub key_condition: Option<KeyCondition<'a>>,
    /// What an item must satisfy.
    pub filter: Option<Condition<'a>>,
    /// The attributes that are written.
    pub projection: Option<Projection<'a>>,
}

/// A `FilterSpecification`. Source: Developer Guide, "Filtering a table export": the syntax and rules of Query and Scan.
///
/// # Errors
/// `ValidationException`.
pub fn export_filter(given: &FilterSpecification) -> Result<ExportFilter<'_>, Error> {
    const LAYER: Layer = Layer::Current;
    if *given == FilterSpecification::default() {
        return Err(Message::ExportFilterEmpty.into());
    }
    Parameters {
        legacy: &[],
        expressions: &[
            (
                "ProjectionExpression",
                given.projection_expression.is_some(),
            ),
            ("FilterExpression", given.filter_expression.is_some()),
            (
                "KeyConditionExpression",
                given.key_condition_expression.is_some(),
            ),
        ],
        names: given.expression_attribute_names.is_some(),
        values: given.expression_attribute_values.is_some(),
    }
    .check(LAYER)?;
    let bound = Expressions {
        names: given.expression_attribute_names.as_ref(),
        values: given.expression_attribute_values.as_ref(),
        key_condition: given.key_condition_expression.as_deref(),
        filter: given.filter_expression.as_deref(),
        projection: given.projection_expression.as_deref(),
        ..Expressions::default()
    }
    .bind(LAYER)?;
    if let Some(condition) = &bound.key_condition {
        condition.check().map_err(Message::from)?;
    }
    Ok(ExportFilter {
        key_condition: bound.key_condition,
        filter: bound.filter,
        projection: bound.projection,
    })
}
