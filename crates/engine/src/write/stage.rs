//! One item before and after an action.

use super::{Action, Write};
use crate::error::Fault;
use bothways_core::{Item, limits};
use bothways_protocol::Message;
use bothways_store::{Seq, Store};

/// An item before and after.
#[derive(Debug)]
pub(crate) struct Staged {
    pub(crate) before: Option<Item>,
    pub(crate) after: Option<Item>,
    /// The commit that `before` rests on; 0 when it is durable.
    pub(crate) seq: Seq,
}

/// Why an action does not happen.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Its condition does not hold; the item as it is.
    Condition(Option<Item>),
    /// It cannot be done to this item.
    Invalid(Fault),
}

/// Reads the newest state of the item, decides the condition and computes the next state.
/// The caller holds the item's lock. The inner error is the action's, with the commit it rests on.
pub(crate) fn stage(
    store: &dyn Store,
    write: &Write<'_>,
) -> Result<Result<Staged, (Refusal, Seq)>, Fault> {
    let latest = store.latest(&write.key)?;
    let before = latest.value.map(Item::from_bytes).transpose()?;
    let condition = write.condition.as_ref();
    if condition.is_some_and(|condition| !condition.matches(before.as_ref())) {
        return Ok(Err((Refusal::Condition(before), latest.seq)));
    }
    let after = match &write.action {
        Action::Put => Some(write.given.clone()),
        Action::Delete => None,
        Action::Check => before.clone(),
        Action::Update(update) => match updated(before.as_ref(), write.given, update.as_ref()) {
            Ok(item) => Some(item),
            Err(fault) => return Ok(Err((Refusal::Invalid(fault), latest.seq))),
        },
    };
    Ok(Ok(Staged {
        before,
        after,
        seq: latest.seq,
    }))
}

fn updated(
    before: Option<&Item>,
    key: &Item,
    update: Option<&bothways_core::expr::Update<'_>>,
) -> Result<Item, Fault> {
    let Some(update) = update else {
        return Ok(before.unwrap_or(key).clone());
    };
    let item = update.apply(before, key)?;
    if item.size() > limits::ITEM_BYTES {
        return Err(Message::UpdatedItemTooLarge.into());
    }
    Ok(item)
}
