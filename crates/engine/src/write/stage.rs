//! One item before and after an action.

use super::check::check_index_keys;
use super::index;
use super::{Action, Write};
use crate::catalog::Table;
use crate::error::Fault;
use bothways_core::expr::Update;
use bothways_core::{Item, limits};
use bothways_protocol::Message;
use bothways_store::{Seq, Store};

/// An item before and after.
#[derive(Debug)]
pub(crate) struct Staged {
    pub(crate) before: Option<Item>,
    pub(crate) after: Option<Item>,
    /// The item's former row is not yet in the index that is being built.
    pub(crate) unbuilt: bool,
}

/// Why an action does not happen.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Its condition does not hold; the item as it is.
    Condition(Option<Item>),
    /// It cannot be done to this item.
    Invalid(Fault),
}

/// Reads the newest state of the item, decides the condition and computes the next state; with it the commit
/// that the outcome rests on (0 when it is durable). The caller holds the item's lock.
pub(crate) fn stage(
    store: &dyn Store,
    table: &Table,
    write: &Write<'_>,
) -> Result<(Result<Staged, Refusal>, Seq), Fault> {
    let latest = store.latest(&write.key)?;
    let before = latest.value.map(Item::from_bytes).transpose()?;
    let unbuilt = match (table.building(), &before) {
        (Some((_, index)), Some(item)) => index::is_missing(store, index, &write.key, item)?,
        _ => false,
    };
    Ok((next(table, write, before, unbuilt), latest.seq))
}

fn next(
    table: &Table,
    write: &Write<'_>,
    before: Option<Item>,
    unbuilt: bool,
) -> Result<Staged, Refusal> {
    let condition = write.condition.as_ref();
    if condition.is_some_and(|condition| !condition.matches(before.as_ref())) {
        return Err(Refusal::Condition(before));
    }
    let after = match &write.action {
        Action::Put => Some(write.given.clone()),
        Action::Delete => None,
        Action::Check => {
            let after = before.clone();
            return Ok(Staged {
                before,
                after,
                unbuilt,
            });
        }
        Action::Update(update) => {
            updated(before.as_ref(), write.given, update.as_ref()).map_err(Refusal::Invalid)?
        }
    };
    if let Some(item) = &after {
        let updating = matches!(write.action, Action::Update(_));
        check_index_keys(table, item, updating).map_err(Refusal::Invalid)?;
    }
    Ok(Staged {
        before,
        after,
        unbuilt,
    })
}

/// The item after an update. One that only takes away makes no item, while one that does nothing makes its key.
/// Source: scylladb/scylladb#5862, measured on AWS; its `test_item.py` and `test_streams.py`.
fn updated(
    before: Option<&Item>,
    key: &Item,
    update: Option<&Update<'_>>,
) -> Result<Option<Item>, Fault> {
    let Some(update) = update else {
        return Ok(Some(before.unwrap_or(key).clone()));
    };
    if before.is_none() && update.only_takes_away() {
        return Ok(None);
    }
    let item = update.apply(before, key)?;
    if item.size() > limits::ITEM_BYTES {
        return Err(Message::UpdatedItemTooLarge.into());
    }
    Ok(Some(item))
}
