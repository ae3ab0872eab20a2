//! INSERT, UPDATE, DELETE and EXISTS: one action on one item.

use crate::catalog::Table;
use crate::error::Fault;
use crate::write::{Action, Manner, Outcome, Refusal, Write, check_key, check_put, check_update};
use bothways_core::expr::{Condition, FunctionName, Node, Operand, Update};
use bothways_core::partiql::{self, KeyFault, Keyed, Returning, Select, Statement};
use bothways_core::{Item, KeyError, limits};
use bothways_protocol::types::ReturnValuesOnConditionCheckFailure;
use bothways_protocol::{Error, Message};
use bytes::Bytes;
use std::sync::Arc;

/// A statement's action, but for the item that it is given.
pub(super) struct Plan<'p> {
    table: Arc<Table>,
    key: Bytes,
    action: Action<'p>,
    condition: Option<Condition<'p>>,
    insert: bool,
    returning: Option<Returning>,
}

impl<'p> Plan<'p> {
    /// The action; whether it is an INSERT; what it gives back.
    pub(super) fn with(self, given: &'p Item) -> (Write<'p>, bool, Option<Returning>) {
        let write = Write {
            table: self.table,
            key: self.key,
            given,
            action: self.action,
            condition: self.condition,
        };
        (write, self.insert, self.returning)
    }
}

/// Makes an action of a statement by itself or in a batch.
pub(super) fn prepare(
    table: Arc<Table>,
    statement: Statement<'_>,
) -> Result<(Item, Plan<'_>), Fault> {
    if let Statement::Insert(item) = &statement {
        table.key.check(item).map_err(|error| match error {
            KeyError::Missing { name } => KeyFault::Absent { name },
            KeyError::Type { name, .. } => KeyFault::Type { name },
        })?;
    }
    Ok(prepare_any(table, statement)??)
}

/// Makes an action of a statement of a transaction, where a statement that does not name its item is a fault of the
/// action alone, and worded as for the other transactions. Source: `floci-io/floci`, its tests of PartiQL, captured
/// from AWS.
pub(super) fn prepare_in_transaction(
    table: Arc<Table>,
    statement: Statement<'_>,
) -> Result<(Item, Plan<'_>), Fault> {
    // A statement by itself is not weighed, only the item that it makes; a transaction's updates are. Source:
    // `paritysuite/dynamodb-conformance`, limits/itemSizeBySurface and captures/2026-10-08-transact-write-rollout.json.
    if let Statement::Update { update, .. } = &statement
        && update.charge() > limits::ITEM_BYTES
    {
        return Err(Message::UpdatedItemTooLarge.into());
    }
    prepare_any(table, statement)?.map_err(|fault| {
        Fault::misfit(match fault {
            KeyFault::Incomplete | KeyFault::Type { .. } => Message::KeyMismatch,
            fault => fault.into(),
        })
    })
}

/// An item with its plan. The two functions above word the error.
type Prepared<'p> = Result<(Item, Plan<'p>), KeyFault>;

fn prepare_any(table: Arc<Table>, statement: Statement<'_>) -> Result<Prepared<'_>, Fault> {
    match statement {
        Statement::Insert(item) => insert(table, item).map(Ok),
        Statement::Update {
            update,
            condition,
            returning,
        } => change(table, Some(update), condition.as_ref(), returning),
        Statement::Delete {
            condition,
            returning,
        } => change(table, None, condition.as_ref(), returning),
        Statement::Exists(select) => exists(table, &select).map(Ok),
        Statement::Select(_) => Err(Message::StatementExists.into()),
    }
}

fn insert<'p>(table: Arc<Table>, item: Item) -> Result<(Item, Plan<'p>), Fault> {
    if item.size() > limits::ITEM_BYTES {
        return Err(Message::ItemTooLarge.into());
    }
    let condition = presence(&table, FunctionName::AttributeNotExists);
    let plan = Plan {
        key: check_put(&table, &item, Manner::Put)?,
        action: Action::Put,
        condition: Some(checked(condition)?),
        insert: true,
        returning: None,
        table,
    };
    Ok((item, plan))
}

/// An UPDATE, or a DELETE where there is no update. The item must be there to be updated; what is not there is
/// deleted whatever else is asked for. Source: `paritysuite/dynamodb-conformance`, partiql/executeStatement.
fn change<'p>(
    table: Arc<Table>,
    update: Option<Update<'p>>,
    condition: Option<&Node<'p>>,
    returning: Option<Returning>,
) -> Result<Prepared<'p>, Fault> {
    let keyed = match Keyed::of(condition, &table.key, false) {
        Ok(keyed) => keyed,
        Err(fault) => return Ok(Err(fault)),
    };
    check_update(&table, update.as_ref())?;
    let mut rest: Vec<Node<'p>> = keyed.rest.into_iter().cloned().collect();
    let condition = if update.is_some() {
        rest.insert(0, presence(&table, FunctionName::AttributeExists));
        Some(checked(Node::And(rest))?)
    } else if rest.is_empty() {
        None
    } else {
        let absent = presence(&table, FunctionName::AttributeNotExists);
        Some(checked(Node::Or(vec![absent, Node::And(rest)]))?)
    };
    let plan = Plan {
        key: check_key(&table, &keyed.key)?,
        action: match update {
            Some(update) => Action::Update(Some(update)),
            None => Action::Delete,
        },
        condition,
        insert: false,
        returning,
        table,
    };
    Ok(Ok((keyed.key, plan)))
}

fn exists<'p>(table: Arc<Table>, select: &Select<'p>) -> Result<(Item, Plan<'p>), Fault> {
    let keyed = Keyed::of(select.condition.as_ref(), &table.key, true);
    let keyed = keyed.map_err(|fault| match fault {
        KeyFault::Incomplete => Fault::from(Message::StatementExistsKey),
        _ => Fault::misfit(Message::KeyMismatch),
    })?;
    if keyed.rest.is_empty() {
        return Err(Message::StatementExistsKey.into());
    }
    let rest = keyed.rest.into_iter().cloned().collect();
    let plan = Plan {
        key: check_key(&table, &keyed.key)?,
        action: Action::Check,
        condition: Some(checked(Node::And(rest))?),
        insert: false,
        returning: None,
        table,
    };
    Ok((keyed.key, plan))
}

/// Whether the item is there, which its partition key tells.
fn presence<'p>(table: &Table, function: FunctionName<'static>) -> Node<'p> {
    let key = table.key.names().next().unwrap_or_default().to_owned();
    Node::call(function, vec![Operand::attribute(key)])
}

fn checked(node: Node<'_>) -> Result<Condition<'_>, Fault> {
    Ok(Condition::from_tree(node).map_err(partiql::Fault::from)?)
}

/// What a write gives back; nothing where the paths that it changed lead to nothing.
pub(super) fn returned(
    outcome: Outcome,
    action: &Action<'_>,
    returning: Option<Returning>,
) -> Option<Item> {
    let touched = |item: Item| match action {
        Action::Update(Some(update)) => Some(update.touched(&item)).filter(|part| !part.is_empty()),
        _ => None,
    };
    match returning? {
        Returning::AllOld => outcome.before,
        Returning::AllNew => outcome.after,
        Returning::ModifiedOld => outcome.before.and_then(touched),
        Returning::ModifiedNew => outcome.after.and_then(touched),
    }
}

/// The error of a write that did not happen.
pub(super) fn refused(
    refusals: Vec<Option<Refusal>>,
    insert: bool,
    on_failure: Option<ReturnValuesOnConditionCheckFailure>,
) -> Fault {
    match refusals.into_iter().flatten().next() {
        Some(Refusal::Invalid(fault)) => fault,
        Some(Refusal::Condition(_)) if insert => Message::DuplicateItem.into(),
        Some(Refusal::Condition(item)) => {
            let wanted = on_failure == Some(ReturnValuesOnConditionCheckFailure::AllOld);
            let mut error = Error::from(Message::ConditionFailed);
            error.item = item.filter(|_| wanted);
            error.into()
        }
        None => Message::ConditionFailed.into(),
    }
}
