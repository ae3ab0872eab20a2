//! One item: GetItem, PutItem, UpdateItem, DeleteItem.

use super::expressions::{Expressions, Parameters, attributes_to_get};
use super::layer::Layer;
use super::legacy;
use crate::types::{
    ConditionalOperator, DeleteItemInput, ExpectedAttributeValue, GetItemInput, Given, Names,
    PutItemInput, ReturnValue, UpdateItemInput, Values,
};
use crate::{Error, Message, constraint};
use bothways_core::expr::{Condition, Projection, Update};
use bothways_core::{Item, limits};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What GetItem is to do.
#[derive(Debug)]
pub struct GetPlan<'a> {
    /// The key, not yet held against the schema.
    pub key: &'a Item,
    /// The part of the item to return.
    pub projection: Option<Projection<'a>>,
}

/// What PutItem is to do.
#[derive(Debug)]
pub struct PutPlan<'a> {
    /// The item, not yet held against the schema.
    pub item: &'a Item,
    /// The condition, wherever it came from.
    pub condition: Option<Condition<'a>>,
}

/// What DeleteItem is to do.
#[derive(Debug)]
pub struct DeletePlan<'a> {
    /// The key, not yet held against the schema.
    pub key: &'a Item,
    /// The condition, wherever it came from.
    pub condition: Option<Condition<'a>>,
}

/// What UpdateItem is to do.
#[derive(Debug)]
pub struct UpdatePlan<'a> {
    /// The key, not yet held against the schema.
    pub key: &'a Item,
    /// The update, wherever it came from; none makes sure that the item is there.
    pub update: Option<Update<'a>>,
    /// The condition, wherever it came from.
    pub condition: Option<Condition<'a>>,
}

/// Stands in where the constraint stage has made sure that an item is there.
pub(super) fn item_of(given: Option<&Given<Item>>) -> &Item {
    static NONE: LazyLock<Item> = LazyLock::new(|| Item::from_attributes::<&str>([]));
    given.map_or(&*NONE, |given| &given.value)
}

/// GetItem.
///
/// # Errors
/// `ValidationException`.
pub fn get_item(input: &GetItemInput) -> Result<GetPlan<'_>, Error> {
    constraint::check(input)?;
    get(input).map_err(|fault| Layer::Current.report(&fault))
}

fn get(input: &GetItemInput) -> Result<GetPlan<'_>, Message> {
    const LAYER: Layer = Layer::Current;
    let key = item_of(input.key.as_ref());
    let plain = input.attributes_to_get.is_none()
        && input.projection_expression.is_none()
        && input.expression_attribute_names.is_none();
    if !plain {
        Parameters {
            legacy: &[("AttributesToGet", input.attributes_to_get.is_some())],
            expressions: &[(
                "ProjectionExpression",
                input.projection_expression.is_some(),
            )],
            names: input.expression_attribute_names.is_some(),
            values: false,
        }
        .check(LAYER)?;
    }
    if let Some(key) = &input.key {
        LAYER.check(key)?;
    }
    if plain {
        return Ok(GetPlan {
            key,
            projection: None,
        });
    }
    let legacy = attributes_to_get(input.attributes_to_get.as_ref())?;
    let bound = Expressions {
        names: input.expression_attribute_names.as_ref(),
        projection: input.projection_expression.as_deref(),
        ..Expressions::default()
    }
    .bind(LAYER)?;
    Ok(GetPlan {
        key,
        projection: bound.projection.or(legacy),
    })
}

/// The condition of a single-item write, in either form.
#[derive(Clone, Copy)]
struct Guard<'a> {
    expected: Option<&'a BTreeMap<String, ExpectedAttributeValue>>,
    operator: Option<ConditionalOperator>,
    condition: Option<&'a str>,
    names: Option<&'a Names>,
    values: Option<&'a Given<Values>>,
    layer: Layer,
}

macro_rules! guard {
    ($input:ident, $given:ident) => {
        Guard {
            layer: layer(
                $input.$given.as_ref(),
                $input.expected.as_ref(),
                $input.expression_attribute_values.as_ref(),
            ),
            expected: $input.expected.as_ref(),
            operator: $input.conditional_operator,
            condition: $input.condition_expression.as_deref(),
            names: $input.expression_attribute_names.as_ref(),
            values: $input.expression_attribute_values.as_ref(),
        }
    };
}

impl<'a> Guard<'a> {
    /// Weighs the parameters of PutItem and DeleteItem against each other.
    fn check(&self) -> Result<(), Message> {
        Parameters {
            legacy: &[
                ("Expected", self.expected.is_some()),
                ("ConditionalOperator", self.operator.is_some()),
            ],
            expressions: &[("ConditionExpression", self.condition.is_some())],
            names: self.names.is_some(),
            values: self.values.is_some(),
        }
        .check(self.layer)?;
        self.check_operator()
    }

    fn check_operator(&self) -> Result<(), Message> {
        legacy::check_operator(self.operator, self.expected.map_or(0, BTreeMap::len))
    }

    fn expected(&self) -> Result<Option<Condition<'a>>, Message> {
        legacy::expected(self.expected, self.operator, self.layer)
    }

    fn expressions(&self) -> Expressions<'a> {
        Expressions {
            names: self.names,
            values: self.values,
            condition: self.condition,
            ..Expressions::default()
        }
    }
}

/// PutItem.
///
/// # Errors
/// `ValidationException`.
pub fn put_item(input: &PutItemInput) -> Result<PutPlan<'_>, Error> {
    constraint::check(input)?;
    let layer = guard!(input, item).layer;
    put(input).map_err(|fault| reported(fault, layer))
}

fn put(input: &PutItemInput) -> Result<PutPlan<'_>, Message> {
    let guard = guard!(input, item);
    guard.check()?;
    let item = item_of(input.item.as_ref());
    if let Some(item) = &input.item {
        guard.layer.check(item)?;
    }
    check_returns(input.return_values)?;
    if item.size() > limits::ITEM_BYTES {
        return Err(Message::ItemTooLarge);
    }
    let expected = guard.expected()?;
    let bound = guard.expressions().bind(guard.layer)?;
    Ok(PutPlan {
        item,
        condition: bound.condition.or(expected),
    })
}

/// DeleteItem.
///
/// # Errors
/// `ValidationException`.
pub fn delete_item(input: &DeleteItemInput) -> Result<DeletePlan<'_>, Error> {
    constraint::check(input)?;
    let layer = guard!(input, key).layer;
    delete(input).map_err(|fault| reported(fault, layer))
}

fn delete(input: &DeleteItemInput) -> Result<DeletePlan<'_>, Message> {
    let guard = guard!(input, key);
    guard.check()?;
    check_returns(input.return_values)?;
    if let Some(key) = &input.key {
        guard.layer.check(key)?;
    }
    let expected = guard.expected()?;
    let bound = guard.expressions().bind(guard.layer)?;
    Ok(DeletePlan {
        key: item_of(input.key.as_ref()),
        condition: bound.condition.or(expected),
    })
}

/// UpdateItem.
///
/// # Errors
/// `ValidationException`.
pub fn update_item(input: &UpdateItemInput) -> Result<UpdatePlan<'_>, Error> {
    constraint::check(input)?;
    let layer = guard!(input, key).layer;
    update(input).map_err(|fault| reported(fault, layer))
}

fn update(input: &UpdateItemInput) -> Result<UpdatePlan<'_>, Message> {
    let guard = guard!(input, key);
    Parameters {
        legacy: &[
            ("AttributeUpdates", input.attribute_updates.is_some()),
            ("Expected", input.expected.is_some()),
            ("ConditionalOperator", input.conditional_operator.is_some()),
        ],
        expressions: &[
            ("UpdateExpression", input.update_expression.is_some()),
            ("ConditionExpression", input.condition_expression.is_some()),
        ],
        names: guard.names.is_some(),
        values: guard.values.is_some(),
    }
    .check(guard.layer)?;
    guard.check_operator()?;
    if let Some(key) = &input.key {
        guard.layer.check(key)?;
    }
    let legacy = legacy::updates(input.attribute_updates.as_ref(), guard.layer)?;
    let expected = guard.expected()?;
    let expressions = Expressions {
        update: input.update_expression.as_deref(),
        ..guard.expressions()
    };
    let bound = expressions.bind(guard.layer)?;
    Ok(UpdatePlan {
        key: item_of(input.key.as_ref()),
        update: bound.update.or(legacy),
        condition: bound.condition.or(expected),
    })
}

fn check_returns(wanted: Option<ReturnValue>) -> Result<(), Message> {
    match wanted {
        None | Some(ReturnValue::None | ReturnValue::AllOld) => Ok(()),
        Some(_) => Err(Message::ReturnValuesPut),
    }
}

/// Which front end answers: the older one where a value is nested too deep for the newer.
fn layer(
    given: Option<&Given<Item>>,
    expected: Option<&BTreeMap<String, ExpectedAttributeValue>>,
    values: Option<&Given<Values>>,
) -> Layer {
    let mut expected = expected.into_iter().flat_map(BTreeMap::values);
    let far = given.is_some_and(Given::is_far_too_deep)
        || values.is_some_and(Given::is_far_too_deep)
        || expected.any(|e| {
            let list = e.attribute_value_list.iter().flatten();
            e.value.iter().chain(list).any(Given::is_far_too_deep)
        });
    if far { Layer::Older } else { Layer::Counted }
}

/// What these operations word without counting. Source: ExtendDB's tests run against AWS.
fn reported(fault: Message, layer: Layer) -> Error {
    match fault {
        Message::OperatorWithoutFilter | Message::OperatorNeedsTwo => fault.into(),
        fault => layer.report(&fault),
    }
}
