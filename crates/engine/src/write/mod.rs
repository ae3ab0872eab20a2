//! The one path of every write: Put, Update and Delete alone, in batches and in transactions.
//!
//! `stage` decides what an action makes of an item, `index` which index rows follow, `stream`
//! what the stream says of it, `commit` puts it all
//! into one batch of the store, `apply` leads through them under the items' locks.

mod apply;
mod check;
mod collection;
mod commit;
mod index;
mod metrics;
mod single;
mod stage;
mod stream;

pub(crate) use apply::{Applied, Outcome, count};
pub(crate) use check::{
    Manner, ScalarPaths, check_index_keys, check_key, check_parts, check_put, check_update,
};
pub(crate) use collection::Collections;
pub(crate) use commit::{Commit, Submitted};
pub(crate) use index::missing;
pub(crate) use stage::{Refusal, Staged};
pub(crate) use stream::{Origin, StoredRecord};

use crate::catalog::Table;
use bothways_core::Item;
use bothways_core::expr::{Condition, Update};
use bytes::Bytes;
use std::sync::Arc;

/// One action on one item, checked and ready to apply.
#[derive(Debug)]
pub(crate) struct Write<'a> {
    pub(crate) table: Arc<Table>,
    /// The item's row key.
    pub(crate) key: Bytes,
    /// The item to put, or the key of another action: it holds the key attributes in any case.
    pub(crate) given: &'a Item,
    pub(crate) action: Action<'a>,
    pub(crate) condition: Option<Condition<'a>>,
}

/// What to do with the item.
#[derive(Debug)]
pub(crate) enum Action<'a> {
    /// Replaces it by the one given.
    Put,
    /// Changes it; an absent one starts as its key. Without a change it stays as it is, or is created.
    Update(Option<Update<'a>>),
    /// Removes it.
    Delete,
    /// Looks only.
    Check,
}
