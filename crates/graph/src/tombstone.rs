//! Tombstones: what a removal leaves where a relation asks for it, so that nothing older makes the edge again.
//!
//! A tombstone is an item of its own, `PK = BOTHWAYS#REMOVED#<relation>#<source>`, `SK = <target>`: it stands in no list,
//! so no list reads and drops it, and everything that knows edges knows nothing of it. An edge and its tombstone are
//! never there together but for an edge that an import made again; the edge is then the newer one.

use crate::keys::escape;
use crate::link::{ALL_OLD, key_name};
use crate::model::{Model, Relation};
use crate::read;
use crate::requests::{Key, OPERATION_ID};
use bothways_core::{Item, ItemBuilder, Number, Value, ValueRef};
use bothways_protocol::types::{Delete, Put, TransactWriteItem};
use std::collections::BTreeMap;

/// Attribute of a tombstone: the removal's position.
const REMOVED_AT: &str = "removedAt";

/// What a tombstone says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stone {
    /// Position of the removal.
    pub(crate) at: u64,
    /// The operation that removed an edge; `None` where there was none to remove.
    pub(crate) op_id: Option<String>,
    /// When it may go, in epoch seconds.
    pub(crate) expires: u64,
}

impl Stone {
    pub(crate) fn read(item: &Item) -> Self {
        Self {
            at: read::unsigned(item, REMOVED_AT).unwrap_or(0),
            op_id: read::text(item, OPERATION_ID).map(str::to_owned),
            expires: 0,
        }
    }
}

/// A tombstone's key; the ends as [`crate::requests::ends`] gives them.
pub(crate) fn key(relation: &Relation, source: &str, target: &str) -> Key {
    Key {
        pk: format!("BOTHWAYS#REMOVED#{}#{}", relation.name, escape(source)),
        sk: escape(target).into_owned(),
    }
}

/// No tombstone, or an older one.
fn older(model: &Model, at: u64) -> (String, BTreeMap<String, String>, BTreeMap<String, Value>) {
    let mut names = key_name(model);
    names.insert("#removed".into(), REMOVED_AT.into());
    let values = BTreeMap::from([(":at".to_owned(), Value::N(Number::from(at)))]);
    let condition = "attribute_not_exists(#pk) OR #removed < :at";
    (condition.into(), names, values)
}

/// Takes the tombstone away for an edge that is newer.
pub(crate) fn clear(
    model: &Model,
    relation: &Relation,
    source: &str,
    target: &str,
    at: u64,
) -> TransactWriteItem {
    let (condition, names, values) = older(model, at);
    TransactWriteItem {
        delete: Some(Delete {
            key: Some(key(relation, source, target).item(&model.keys).into()),
            table_name: Some(model.table.clone()),
            condition_expression: Some(condition),
            expression_attribute_names: Some(names),
            expression_attribute_values: Some(values.into()),
            return_values_on_condition_check_failure: ALL_OLD,
        }),
        ..TransactWriteItem::default()
    }
}

/// Puts a tombstone unless a newer one stands.
pub(crate) fn put(
    model: &Model,
    relation: &Relation,
    source: &str,
    target: &str,
    stone: &Stone,
) -> TransactWriteItem {
    let (condition, names, values) = older(model, stone.at);
    let mut item = ItemBuilder::default();
    item.set(REMOVED_AT, Value::N(Number::from(stone.at)).as_ref());
    if let Some(op_id) = &stone.op_id {
        item.set(OPERATION_ID, ValueRef::S(op_id));
    }
    if let Some(ttl) = &model.ttl {
        item.set(ttl, Value::N(Number::from(stone.expires)).as_ref());
    }
    key(relation, source, target).set_on(&model.keys, &mut item);
    TransactWriteItem {
        put: Some(Put {
            item: Some(item.build().into()),
            table_name: Some(model.table.clone()),
            condition_expression: Some(condition),
            expression_attribute_names: Some(names),
            expression_attribute_values: Some(values.into()),
            return_values_on_condition_check_failure: ALL_OLD,
        }),
        ..TransactWriteItem::default()
    }
}
