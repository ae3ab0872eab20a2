//! Transactions. Actions are checked one at a time, in the request's order; within one, expressions come before values.
//! (Source: `paritysuite/dynamodb-conformance`, validation-ordering/deepRequests.)

use super::expressions::{Expressions, Parameters};
use super::item::item_of;
use super::layer::Layer;
use crate::types::{
    Get, Given, Names, ReturnValuesOnConditionCheckFailure, TransactGetItemsInput,
    TransactWriteItem, TransactWriteItemsInput, Values,
};
use crate::{Error, Message, constraint};
use bothways_core::expr::{Condition, Projection, Update};
use bothways_core::{Item, limits};

const LAYER: Layer = Layer::Current;

/// One read of a transaction.
#[derive(Debug)]
pub struct TransactGet<'a> {
    /// The table as the request names it.
    pub table_name: &'a str,
    /// The key, not yet held against the schema.
    pub key: &'a Item,
    /// The part of the item to return.
    pub projection: Option<Projection<'a>>,
}

/// One action of a writing transaction.
#[derive(Debug)]
pub struct TransactAction<'a> {
    /// The table as the request names it.
    pub table_name: &'a str,
    /// The item to put, or the key; not yet held against the schema.
    pub given: &'a Item,
    /// What to do.
    pub action: TransactKind<'a>,
    /// What must hold.
    pub condition: Option<Condition<'a>>,
    /// What to return where it does not.
    pub on_failure: Option<ReturnValuesOnConditionCheckFailure>,
}

/// What an action of a transaction does.
#[derive(Debug)]
pub enum TransactKind<'a> {
    /// Puts the item.
    Put,
    /// Updates the item of the key.
    Update(Update<'a>),
    /// Deletes the item of the key.
    Delete,
    /// Only checks the condition.
    Check,
}

/// TransactGetItems.
///
/// # Errors
/// `ValidationException`.
pub fn transact_get_items(input: &TransactGetItemsInput) -> Result<Vec<TransactGet<'_>>, Error> {
    constraint::check(input)?;
    let gets = input
        .transact_items
        .iter()
        .flatten()
        .filter_map(|item| item.get.as_ref());
    Ok(gets.map(get).collect::<Result<_, Message>>()?)
}

fn get(get: &Get) -> Result<TransactGet<'_>, Message> {
    Parameters {
        legacy: &[],
        expressions: &[("ProjectionExpression", get.projection_expression.is_some())],
        names: get.expression_attribute_names.is_some(),
        values: false,
    }
    .check(LAYER)?;
    let bound = Expressions {
        names: get.expression_attribute_names.as_ref(),
        projection: get.projection_expression.as_deref(),
        ..Expressions::default()
    };
    let bound = bound.bind(LAYER)?;
    if let Some(key) = &get.key {
        LAYER.check(key)?;
    }
    Ok(TransactGet {
        table_name: get.table_name.as_deref().unwrap_or_default(),
        key: item_of(get.key.as_ref()),
        projection: bound.projection,
    })
}

/// TransactWriteItems.
///
/// # Errors
/// `ValidationException`.
pub fn transact_write_items(
    input: &TransactWriteItemsInput,
) -> Result<Vec<TransactAction<'_>>, Error> {
    constraint::check(input)?;
    let actions = input
        .transact_items
        .iter()
        .flatten()
        .map(|item| one_action(item)?.plan());
    Ok(actions.collect::<Result<_, Message>>()?)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Put,
    Update,
    Delete,
    Check,
}

/// What the four kinds of actions have in common.
#[derive(Clone, Copy)]
struct Action<'a> {
    kind: Kind,
    table_name: Option<&'a String>,
    given: Option<&'a Given<Item>>,
    update: Option<&'a str>,
    condition: Option<&'a str>,
    names: Option<&'a Names>,
    values: Option<&'a Given<Values>>,
    on_failure: Option<ReturnValuesOnConditionCheckFailure>,
}

macro_rules! action {
    ($kind:ident, $action:ident, $given:ident, $update:expr) => {
        Action {
            kind: Kind::$kind,
            table_name: $action.table_name.as_ref(),
            given: $action.$given.as_ref(),
            update: $update,
            condition: $action.condition_expression.as_deref(),
            names: $action.expression_attribute_names.as_ref(),
            values: $action.expression_attribute_values.as_ref(),
            on_failure: $action.return_values_on_condition_check_failure,
        }
    };
}

fn one_action(item: &TransactWriteItem) -> Result<Action<'_>, Message> {
    match (&item.condition_check, &item.put, &item.delete, &item.update) {
        (Some(check), None, None, None) => Ok(action!(Check, check, key, None)),
        (None, Some(put), None, None) => Ok(action!(Put, put, item, None)),
        (None, None, Some(delete), None) => Ok(action!(Delete, delete, key, None)),
        (None, None, None, Some(update)) => Ok(action!(
            Update,
            update,
            key,
            update.update_expression.as_deref()
        )),
        _ => Err(Message::TransactionOneAction),
    }
}

impl<'a> Action<'a> {
    fn plan(self) -> Result<TransactAction<'a>, Message> {
        let condition = ("ConditionExpression", self.condition.is_some());
        let update = ("UpdateExpression", self.update.is_some());
        let both = [update, condition];
        Parameters {
            legacy: &[],
            expressions: if self.kind == Kind::Update {
                &both
            } else {
                &both[1..]
            },
            names: self.names.is_some(),
            values: self.values.is_some(),
        }
        .check(LAYER)?;
        let bound = Expressions {
            names: self.names,
            values: self.values,
            update: self.update,
            condition: self.condition,
            ..Expressions::default()
        };
        let bound = bound.bind(LAYER)?;
        if let Some(given) = self.given {
            LAYER.check(given)?;
        }
        let given = item_of(self.given);
        let action = match self.kind {
            Kind::Put if given.size() > limits::ITEM_BYTES => return Err(Message::ItemTooLarge),
            Kind::Put => TransactKind::Put,
            Kind::Delete => TransactKind::Delete,
            Kind::Check => TransactKind::Check,
            // The constraint stage has made sure that there is an update.
            Kind::Update => bound
                .update
                .map_or(TransactKind::Check, TransactKind::Update),
        };
        Ok(TransactAction {
            table_name: self.table_name.map_or("", String::as_str),
            given,
            action,
            condition: bound.condition,
            on_failure: self.on_failure,
        })
    }
}
