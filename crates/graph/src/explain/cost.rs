//! What a request costs, by the sizes that the model states.
//!
//! Sources: Developer Guide, "DynamoDB read and write operations": a read unit is 4 KB, a write unit 1 KB; a transaction
//! doubles what it does to the table, and not what that does to indexes.

use super::answer::key_of;
use crate::model::{Access, Index, Model, Projection};
use crate::requests::{self, Key};
use crate::verify::{Kind, kind};
use bothways_core::Item;
use bothways_protocol::types::{TransactWriteItem, Units};
use bothways_protocol::{Request, Response};

/// Bytes of a read unit.
const READ_UNIT: u64 = 4096;
/// Bytes of a write unit.
const WRITE_UNIT: u64 = 1024;
/// Bytes of an item of which the model's patterns say nothing.
const BYTES: u64 = 200;

/// Read units and write units of a request that was answered so.
pub(super) fn of(model: &Model, request: &Request, answer: Option<&Response>) -> (Units, Units) {
    let none = Units::default();
    match (request, answer) {
        (Request::GetItem(input), _) => {
            let key = input.key.as_ref().map(|key| key_of(model, &key.value));
            let bytes = key.map_or(BYTES, |key| bytes_at(model, &key));
            (read(bytes, input.consistent_read == Some(true)), none)
        }
        (Request::Query(input), Some(Response::Query(output))) => {
            let bytes = bytes_of(model, output.items.as_ref());
            (read(bytes, input.consistent_read == Some(true)), none)
        }
        (Request::Scan(input), _) => (read(0, input.consistent_read == Some(true)), none),
        (Request::BatchGetItem(input), _) => {
            let tables = input
                .request_items
                .iter()
                .flat_map(|tables| tables.values());
            let reads = tables.map(|asked| {
                let strong = asked.consistent_read == Some(true);
                let keys = asked.keys.iter().flatten();
                let keys = keys.map(|key| key_of(model, &key.value));
                keys.map(|key| read(bytes_at(model, &key), strong)).sum()
            });
            (reads.sum(), none)
        }
        (Request::PutItem(input), _) => {
            let item = input.item.as_ref().map(|item| &item.value);
            (none, item.map_or(none, |item| put(model, item, 1)))
        }
        (Request::UpdateItem(input), _) => {
            let key = input.key.as_ref().map(|key| &key.value);
            (none, changed(model, key, 1))
        }
        (Request::DeleteItem(input), _) => {
            let key = input.key.as_ref().map(|key| &key.value);
            (none, changed(model, key, 1))
        }
        (Request::TransactWriteItems(input), _) => {
            let actions = input.transact_items.iter().flatten();
            (none, actions.map(|action| acted(model, action)).sum())
        }
        _ => (none, none),
    }
}

/// The bytes of what stands under a key, as the model's patterns say: the most that one says.
fn bytes_at(model: &Model, key: &Key) -> u64 {
    let of = |stated: &dyn Fn(&Access) -> bool| {
        let patterns = model.patterns.iter().filter(|p| stated(&p.access));
        patterns.map(|pattern| pattern.bytes).max().unwrap_or(BYTES)
    };
    match kind(model, &key.item(&model.keys)) {
        Kind::Edge(relation, _) => of(&|access| {
            let of_edges = !matches!(
                access,
                Access::Entity(_) | Access::Show(_) | Access::Count(_)
            );
            of_edges && access.of() == relation.name
        }),
        Kind::Entity(entity, _) => {
            of(&|access| matches!(access, Access::Entity(name) if *name == entity.name))
        }
        _ => BYTES,
    }
}

/// The bytes of items together.
fn bytes_of(model: &Model, items: Option<&Vec<Item>>) -> u64 {
    let items = items.into_iter().flatten();
    items
        .map(|item| bytes_at(model, &key_of(model, item)))
        .sum()
}

fn read(bytes: u64, strong: bool) -> Units {
    let blocks = bytes.div_ceil(READ_UNIT).max(1);
    Units(if strong { blocks * 2 } else { blocks })
}

fn write(bytes: u64) -> u64 {
    bytes.div_ceil(WRITE_UNIT).max(1)
}

/// An item that is put: itself, and a row of each index whose keys it has.
fn put(model: &Model, item: &Item, times: u64) -> Units {
    let bytes = item.size() as u64;
    let rows = model.indexes.iter().filter(|index| has(item, index));
    Units::whole(write(bytes) * (times + rows.count() as u64))
}

fn has(item: &Item, index: &Index) -> bool {
    item.get(&index.keys.pk).is_some() && item.get(&index.keys.sk).is_some()
}

/// An item of which one knows the key: itself, and the rows of indexes that copy more of it than keys.
fn changed(model: &Model, key: Option<&Item>, times: u64) -> Units {
    let Some(key) = key.map(|key| key_of(model, key)) else {
        return Units::default();
    };
    Units::whole(write(bytes_at(model, &key)) * (times + copies(model, &key)))
}

fn copies(model: &Model, key: &Key) -> u64 {
    let copying = |name: &str| {
        let index = model.index(name);
        index.is_some_and(|index| !index.local && index.projection != Projection::KeysOnly)
    };
    match kind(model, &key.item(&model.keys)) {
        Kind::Edge(relation, _) => requests::index_keys(relation)
            .filter(|keys| copying(&keys.index))
            .count() as u64,
        Kind::Entity(entity, _) => {
            let indexed = entity.indexed.as_ref();
            u64::from(indexed.is_some_and(|keys| copying(&keys.index)))
        }
        _ => 0,
    }
}

fn acted(model: &Model, action: &TransactWriteItem) -> Units {
    if let Some(put_action) = &action.put {
        let item = put_action.item.as_ref().map(|item| &item.value);
        return item.map_or_else(Units::default, |item| put(model, item, 2));
    }
    let update = action
        .update
        .as_ref()
        .and_then(|update| update.key.as_ref());
    let delete = action
        .delete
        .as_ref()
        .and_then(|delete| delete.key.as_ref());
    if let Some(key) = update.or(delete) {
        return changed(model, Some(&key.value), 2);
    }
    // A check costs as much as a write of what it looks at.
    let check = action.condition_check.as_ref();
    let key = check.and_then(|check| check.key.as_ref());
    let key = key.map(|key| key_of(model, &key.value));
    Units::whole(write(key.map_or(BYTES, |key| bytes_at(model, &key))) * 2)
}
