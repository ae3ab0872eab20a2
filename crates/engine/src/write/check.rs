//! Checks of keys and items that need the table's schema.

use crate::catalog::{Index, Table};
use crate::error::Fault;
use crate::layout;
use bothways_core::expr::Update;
use bothways_core::{Item, KeyPart, ScalarType, ValueRef, limits};
use bothways_protocol::Message;
use bytes::Bytes;

/// Which words an item's key gets that does not fit the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// PutItem and the puts of transactions name the attribute.
    Put,
    /// BatchWriteItem answers as for a `Key`.
    Batch,
}

impl Manner {
    fn words(self, part: &KeyPart, found: Option<ValueRef<'_>>) -> Message {
        let name = part.name.clone();
        match (self, found) {
            (Self::Batch, _) => Message::KeyMismatch,
            (Self::Put, None) => Message::ItemKeyMissing { name },
            (Self::Put, Some(value)) => Message::ItemKeyType {
                name,
                expected: part.scalar.name(),
                actual: value.type_name(),
            },
        }
    }
}

/// Checks a `Key` member and finds the item's row key.
pub(crate) fn check_key(table: &Table, key: &Item) -> Result<Bytes, Fault> {
    if key.len() != table.key.len() {
        return Err(Fault::misfit(Message::KeyMismatch));
    }
    for (_, part) in table.key.parts() {
        let value = key
            .get(&part.name)
            .filter(|value| part.scalar.matches(*value));
        let value = value.ok_or_else(|| Fault::misfit(Message::KeyMismatch))?;
        check_not_empty(part, value)?;
    }
    row_key(table, key)
}

/// Checks the keys of an item to put and finds its row key. The types of index keys are checked when the
/// write is applied; empty ones are refused here, as on AWS.
pub(crate) fn check_put(table: &Table, item: &Item, manner: Manner) -> Result<Bytes, Fault> {
    for (_, part) in table.key.parts() {
        match item.get(&part.name) {
            Some(value) if part.scalar.matches(value) => check_not_empty(part, value)?,
            found => return Err(Fault::misfit(manner.words(part, found))),
        }
    }
    for index in &table.indexes {
        for (_, part) in index.key.parts() {
            if item.get(&part.name).and_then(len) == Some(0) {
                return Err(Message::IndexKeyEmpty {
                    kind: emptiness(part.scalar),
                    name: part.name.clone(),
                    index: index.name.clone(),
                }
                .into());
            }
        }
    }
    row_key(table, item)
}

/// An update cannot touch the key.
pub(crate) fn check_update(table: &Table, update: Option<&Update<'_>>) -> Result<(), Fault> {
    let mut changed = update.iter().flat_map(|u| u.targets());
    match changed.find(|path| table.key.contains(path.top())) {
        None => Ok(()),
        Some(path) => Err(Fault::misfit(Message::KeyUpdate {
            name: path.top().to_owned(),
        })),
    }
}

/// Checks the types and sizes of index keys in an item about to be stored. Absent ones are fine (sparse).
pub(crate) fn check_index_keys(table: &Table, item: &Item, updating: bool) -> Result<(), Fault> {
    for index in &table.indexes {
        for part in &index.key.hash {
            check_index_key(index, part, item, updating, limits::PARTITION_KEY_BYTES)?;
        }
        for part in &index.key.range {
            check_index_key(index, part, item, updating, limits::SORT_KEY_BYTES)?;
        }
    }
    Ok(())
}

fn check_index_key(
    index: &Index,
    part: &KeyPart,
    item: &Item,
    updating: bool,
    limit: usize,
) -> Result<(), Fault> {
    let Some(value) = item.get(&part.name) else {
        return Ok(());
    };
    let (name, index) = (|| part.name.clone(), || index.name.clone());
    if !part.scalar.matches(value) {
        return Err(Message::IndexKeyType {
            name: name(),
            expected: part.scalar.name(),
            actual: value.type_name(),
            index: index(),
        }
        .into());
    }
    let len = len(value).unwrap_or(1);
    if len == 0 && updating {
        let kind = emptiness(part.scalar);
        return Err(Message::UpdateIndexKeyEmpty { kind }.into());
    }
    if len > limit {
        return Err(if limit == limits::PARTITION_KEY_BYTES {
            Message::IndexHashKeyTooLong {
                name: name(),
                index: index(),
            }
        } else {
            Message::IndexRangeKeyTooLong {
                name: name(),
                index: index(),
            }
        }
        .into());
    }
    Ok(())
}

/// Length of a string or binary.
fn len(value: ValueRef<'_>) -> Option<usize> {
    match value {
        ValueRef::S(text) => Some(text.len()),
        ValueRef::B(bytes) => Some(bytes.len()),
        _ => None,
    }
}

fn emptiness(scalar: ScalarType) -> &'static str {
    if scalar == ScalarType::B {
        "binary"
    } else {
        "string"
    }
}

fn check_not_empty(part: &KeyPart, value: ValueRef<'_>) -> Result<(), Fault> {
    if len(value) == Some(0) {
        return Err(Message::KeyEmpty {
            kind: emptiness(part.scalar),
            name: part.name.clone(),
        }
        .into());
    }
    Ok(())
}

/// The row key of key attributes whose types are right and whose sizes are checked here.
fn row_key(table: &Table, item: &Item) -> Result<Bytes, Fault> {
    let longest = |parts: &[KeyPart]| {
        let lengths = parts
            .iter()
            .filter_map(|part| item.get(&part.name).and_then(len));
        lengths.max().unwrap_or(0)
    };
    if longest(&table.key.hash) > limits::PARTITION_KEY_BYTES {
        return Err(Message::HashKeyTooLong.into());
    }
    if longest(&table.key.range) > limits::SORT_KEY_BYTES {
        return Err(Message::RangeKeyTooLong.into());
    }
    Ok(layout::base_key(table.id(), &table.key, item).ok_or(Message::KeyMismatch)?)
}
