//! Expressions and their placeholders, and the parameters that exclude them.

use super::layer::Layer;
use crate::Message;
use crate::types::{Given, Names, Values};
use bothways_core::expr::{Binder, Condition, KeyCondition, Kind, Path, Projection, Update};
use bothways_core::limits;

/// A request's parameters as AWS weighs them against each other. The order of each list is AWS's.
pub(super) struct Parameters<'p> {
    /// Names of the legacy parameters and whether each is there.
    pub(super) legacy: &'p [(&'static str, bool)],
    /// The same of the expressions.
    pub(super) expressions: &'p [(&'static str, bool)],
    /// Whether `ExpressionAttributeNames` is there.
    pub(super) names: bool,
    /// Whether `ExpressionAttributeValues` is there.
    pub(super) values: bool,
}

impl Parameters<'_> {
    /// Refuses legacy parameters beside expressions, and placeholders without an expression.
    pub(super) fn check(&self, layer: Layer) -> Result<(), Message> {
        let expressions = present(self.expressions);
        if !expressions.is_empty() {
            let mut legacy = present(self.legacy);
            // Legacy key conditions go with the other expressions, as long as there is no key condition expression.
            if !expressions.contains(&"KeyConditionExpression") {
                legacy.retain(|name| *name != "KeyConditions");
            }
            if !legacy.is_empty() {
                return Err(Message::MixedParameters {
                    legacy: legacy.join(", "),
                    expressions: expressions.join(", "),
                });
            }
        }
        if self.names && expressions.is_empty() {
            return Err(Message::NamesWithoutExpression);
        }
        let takes_values = |name: &&str| *name != "ProjectionExpression";
        if self.values && !expressions.iter().any(takes_values) {
            let missing: Vec<&str> = self
                .expressions
                .iter()
                .map(|(name, _)| *name)
                .filter(takes_values)
                .collect();
            return Err(values_alone(&missing, layer));
        }
        Ok(())
    }
}

fn present(parameters: &[(&'static str, bool)]) -> Vec<&'static str> {
    parameters
        .iter()
        .filter(|(_, there)| *there)
        .map(|(name, _)| *name)
        .collect()
}

fn values_alone(missing: &[&str], layer: Layer) -> Message {
    if layer != Layer::Older {
        return Message::ValuesWithoutExpressionCounted;
    }
    let verb = if missing.len() > 1 { "are" } else { "is" };
    Message::ValuesWithoutExpression {
        missing: format!("{} {verb}", missing.join(" and ")),
    }
}

/// The expressions of one request or action, in the order in which AWS looks at them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Expressions<'a> {
    pub(super) names: Option<&'a Names>,
    pub(super) values: Option<&'a Given<Values>>,
    pub(super) update: Option<&'a str>,
    pub(super) condition: Option<&'a str>,
    pub(super) key_condition: Option<&'a str>,
    pub(super) filter: Option<&'a str>,
    pub(super) projection: Option<&'a str>,
}

/// What they become.
#[derive(Debug, Default)]
pub(super) struct Bound<'a> {
    pub(super) update: Option<Update<'a>>,
    pub(super) condition: Option<Condition<'a>>,
    pub(super) key_condition: Option<KeyCondition<'a>>,
    pub(super) filter: Option<Condition<'a>>,
    pub(super) projection: Option<Projection<'a>>,
}

impl<'a> Expressions<'a> {
    /// Parses and checks every expression; every placeholder must be used.
    pub(super) fn bind(self, layer: Layer) -> Result<Bound<'a>, Message> {
        let mut binder = Binder::new(self.names, self.values.map(|given| &given.value))?;
        if let Some(values) = self.values {
            layer.check_values(values)?;
        }
        let bound = Bound {
            update: self.update.map(|text| binder.update(text)).transpose()?,
            condition: self
                .condition
                .map(|text| binder.condition(Kind::Condition, text))
                .transpose()?,
            key_condition: self
                .key_condition
                .map(|text| binder.key_condition(text))
                .transpose()?,
            filter: self
                .filter
                .map(|text| binder.condition(Kind::Filter, text))
                .transpose()?,
            projection: self
                .projection
                .map(|text| binder.projection(text))
                .transpose()?,
        };
        binder.finish()?;
        let charge = bound.update.as_ref().map_or(0, Update::charge);
        if charge > limits::ITEM_BYTES {
            return Err(Message::UpdatedItemTooLarge);
        }
        Ok(bound)
    }
}

/// `AttributesToGet` as a projection: each name as it is, none twice.
pub(super) fn attributes_to_get(
    names: Option<&Vec<String>>,
) -> Result<Option<Projection<'_>>, Message> {
    let Some(names) = names else {
        return Ok(None);
    };
    check_distinct(names)?;
    names.iter().try_for_each(|name| check_name(name))?;
    let paths = names
        .iter()
        .map(|name| Path::attribute(name.as_str()))
        .collect();
    // Top-level attributes of different names cannot overlap.
    Ok(Projection::from_paths(paths).ok())
}

/// A name of a legacy parameter.
pub(super) fn check_name(name: &str) -> Result<(), Message> {
    if name.is_empty() {
        return Err(Message::EmptyAttributeName);
    }
    if name.len() > limits::ATTRIBUTE_NAME_BYTES {
        return Err(Message::AttributeNameTooLong);
    }
    Ok(())
}

fn check_distinct(names: &[String]) -> Result<(), Message> {
    let mut seen = std::collections::HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => Err(Message::DuplicateAttribute { name: name.clone() }),
        None => Ok(()),
    }
}
