//! Vector indexes and SearchVectors.

use super::expressions::{Expressions, Parameters};
use super::layer::Layer;
use super::table::check_projection;
use crate::types::{CreateTableInput, SearchSchemaElementType, SearchVectorsInput, VectorIndex};
use crate::{Error, Message, constraint};
use bothways_core::expr::{Condition, Projection};

/// Most vector indexes of a table, and most numbers of a vector. Source: Developer Guide, "Quotas".
const INDEXES: usize = 5;
const DIMENSIONS: i64 = 4_096;
/// Most results. Source: Developer Guide, "Quotas".
const TOP_K: i32 = 100;

/// What SearchVectors is to do.
#[derive(Debug)]
pub struct SearchPlan<'a> {
    /// The condition, not yet held against the search schema.
    pub condition: Option<Condition<'a>>,
    /// The attributes to return.
    pub projection: Option<Projection<'a>>,
    /// Most results.
    pub top_k: usize,
}

/// SearchVectors.
///
/// # Errors
/// `ValidationException`.
pub fn search_vectors(input: &SearchVectorsInput) -> Result<SearchPlan<'_>, Error> {
    const LAYER: Layer = Layer::Current;
    constraint::check(input)?;
    let top_k = input.top_k.unwrap_or_default();
    if top_k > TOP_K {
        return Err(Message::SearchTopK { value: top_k }.into());
    }
    let planned = || {
        Parameters {
            legacy: &[],
            expressions: &[
                (
                    "ProjectionExpression",
                    input.projection_expression.is_some(),
                ),
                (
                    "FilterExpression",
                    input.search_condition_expression.is_some(),
                ),
            ],
            names: input.expression_attribute_names.is_some(),
            values: input.expression_attribute_values.is_some(),
        }
        .check(LAYER)?;
        let expressions = Expressions {
            names: input.expression_attribute_names.as_ref(),
            values: input.expression_attribute_values.as_ref(),
            filter: input.search_condition_expression.as_deref(),
            projection: input.projection_expression.as_deref(),
            ..Expressions::default()
        };
        expressions.bind(LAYER)
    };
    let bound = planned().map_err(|fault| {
        let mut error = Error::from(fault);
        let words = error
            .message
            .replace("FilterExpression", "SearchConditionExpression");
        error.message = words.into();
        error
    })?;
    Ok(SearchPlan {
        condition: bound.filter,
        projection: bound.projection,
        top_k: usize::try_from(top_k).unwrap_or_default(),
    })
}

/// The vector indexes of a table to create, in AWS's order of checks.
/// Source: `paritysuite/dynamodb-conformance`, captured 2026-08-11.
pub(super) fn create(input: &CreateTableInput, on_demand: bool) -> Result<(), Message> {
    let indexes = input.vector_indexes.as_deref().unwrap_or_default();
    if !indexes.is_empty() && !on_demand {
        return Err(Message::VectorOnDemandOnly);
    }
    if indexes.len() > INDEXES {
        return Err(Message::VectorTooMany);
    }
    let definitions = input.attribute_definitions.iter().flatten();
    let defined: Vec<&str> = definitions
        .filter_map(|definition| definition.attribute_name.as_deref())
        .collect();
    let mut known = Vec::new();
    for index in indexes {
        vector_index(index, &defined, &known)?;
        known.push((attribute(index), index.dimensions.unwrap_or_default()));
    }
    Ok(())
}

fn attribute(index: &VectorIndex) -> &str {
    let attribute = index.vector_attribute.as_ref();
    attribute
        .and_then(|own| own.attribute_name.as_deref())
        .unwrap_or_default()
}

/// Checks a vector index beside those that the table has, of which attribute and dimensions are `known`.
///
/// # Errors
/// What AWS says of it.
pub fn vector_index(
    index: &VectorIndex,
    defined: &[&str],
    known: &[(&str, i64)],
) -> Result<(), Message> {
    if known.len() >= INDEXES {
        return Err(Message::VectorTooMany);
    }
    let dimensions = index.dimensions.unwrap_or_default();
    if !(1..=DIMENSIONS).contains(&dimensions) {
        return Err(Message::VectorDimensions);
    }
    check_projection(index.projection.as_ref())?;
    let schema = index.search_schema.as_deref().unwrap_or_default();
    let name_of = |element: &crate::types::SearchSchemaElement| {
        element.attribute_name.clone().unwrap_or_default()
    };
    if schema
        .iter()
        .any(|element| !defined.contains(&name_of(element).as_str()))
    {
        return Err(Message::VectorSchemaUndefined);
    }
    let is_hash = |element: &&crate::types::SearchSchemaElement| {
        element.search_schema_element_type == Some(SearchSchemaElementType::Hash)
    };
    if schema.iter().filter(is_hash).count() > 1 {
        return Err(Message::VectorSchemaHash);
    }
    let name = attribute(index);
    let conflict = |(own, length): &(&str, i64)| *own == name && *length != dimensions;
    if known.iter().any(conflict) {
        let name = name.to_owned();
        return Err(Message::VectorConflict { name });
    }
    Ok(())
}

/// Names of the attributes that searches may name.
pub(super) fn schema_names(input: &CreateTableInput) -> impl Iterator<Item = &str> {
    let indexes = input.vector_indexes.iter().flatten();
    let elements = indexes.flat_map(|index| index.search_schema.iter().flatten());
    elements.filter_map(|element| element.attribute_name.as_deref())
}
