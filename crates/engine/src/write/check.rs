//! Checks of keys and items that need the table's schema.

use crate::catalog::{Index, Table};
use crate::error::Fault;
use crate::layout;
use crate::vectors::check_vectors;
use bothways_core::expr::{Path, Update, UpdateAction, ValueLeaf};
use bothways_core::{Item, KeyPart, KeySchema, KeyType, ScalarType, Value, ValueRef, limits};
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
    for index in table.ready_indexes() {
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

/// An update cannot touch the key, and what it says itself of an index key must fit. Source: dynalite,
/// test/updateItem; `paritysuite/dynamodb-conformance`, error-messages/transactIndexKeys.
pub(crate) fn check_update(table: &Table, update: Option<&Update<'_>>) -> Result<(), Fault> {
    let Some(update) = update else {
        return Ok(());
    };
    if let Some(path) = update.targets().find(|path| table.key.contains(path.top())) {
        return Err(Fault::misfit(Message::KeyUpdate {
            name: path.top().to_owned(),
        }));
    }
    for index in table.ready_indexes() {
        for (_, part) in index.key.parts() {
            let mut actions = update.actions().iter();
            let action = actions
                .find(|action| !action.path().is_nested() && action.path().top() == part.name);
            check_action(index, part, action)?;
        }
    }
    let mut faults = ScalarPaths::of(table);
    update.for_each_path(&mut |path| faults.look(path));
    faults.found()
}

/// What is known of an index key's new value before the item is.
fn check_action(
    index: &Index,
    part: &KeyPart,
    action: Option<&UpdateAction<'_>>,
) -> Result<(), Fault> {
    let (made, value) = match action {
        None | Some(UpdateAction::Remove(_)) => return Ok(()),
        Some(UpdateAction::Add(_, leaf) | UpdateAction::Delete(_, leaf)) => (None, literal(leaf)),
        Some(UpdateAction::Set(_, operand)) => (operand.made_type(), operand.as_literal()),
    };
    let value = value.map(Value::as_ref);
    if value.and_then(len) == Some(0) {
        let kind = emptiness(part.scalar);
        return Err(Message::UpdateIndexKeyEmpty { kind }.into());
    }
    match value.map(ValueRef::type_name).or(made) {
        Some(actual) if actual != part.scalar.name() => Err(Fault::misfit(Message::IndexKeyType {
            name: part.name.clone(),
            expected: part.scalar.name(),
            actual,
            index: index.name.clone(),
        })),
        _ => Ok(()),
    }
}

fn literal<'v>(leaf: &'v ValueLeaf<'_>) -> Option<&'v Value> {
    match leaf {
        ValueLeaf::Literal(value) => Some(value),
        ValueLeaf::Placeholder(..) => None,
    }
}

/// Looks for paths into attributes that are keys, and so scalars. Source: dynalite, test/getItem, test/scan and
/// test/updateItem.
pub(crate) struct ScalarPaths<'t> {
    table: &'t Table,
    found: Option<Message>,
}

impl<'t> ScalarPaths<'t> {
    pub(crate) fn of(table: &'t Table) -> Self {
        let found = None;
        Self { table, found }
    }

    /// Looks at one path.
    pub(crate) fn look(&mut self, path: &Path<'_>) {
        if !path.is_nested() {
            return;
        }
        let name = path.top().to_owned();
        if self.table.key.contains(&name) {
            self.found = Some(Message::KeyNotScalar { name });
        } else if self.found.is_none() && self.table.ready_indexes().any(|i| i.key.contains(&name))
        {
            self.found = Some(Message::IndexKeyNotScalar { name });
        }
    }

    /// The fault of the paths looked at.
    pub(crate) fn found(self) -> Result<(), Fault> {
        self.found.map_or(Ok(()), |found| Err(found.into()))
    }
}

/// Checks the types and sizes of index keys in an item about to be stored. Absent ones are fine (sparse).
pub(crate) fn check_index_keys(table: &Table, item: &Item, updating: bool) -> Result<(), Fault> {
    for index in table.ready_indexes() {
        for part in &index.key.hash {
            check_index_key(index, part, item, updating, limits::PARTITION_KEY_BYTES)?;
        }
        for part in &index.key.range {
            check_index_key(index, part, item, updating, limits::SORT_KEY_BYTES)?;
        }
    }
    check_vectors(table, item)
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
    if !part.scalar.matches(value) && updating {
        // What the request itself says was checked before: this comes from the item.
        return Err(Message::UpdateIndexKeyType.into());
    }
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

/// What no row's key has: an empty part, or one over the limit. In the key's order.
pub(crate) fn check_parts(key: &KeySchema, item: &Item) -> Result<(), Message> {
    for (kind, part) in key.parts() {
        let Some(length) = item.get(&part.name).and_then(len) else {
            continue;
        };
        let refused = match kind {
            _ if length == 0 => Message::KeyEmpty {
                kind: emptiness(part.scalar),
                name: part.name.clone(),
            },
            KeyType::Hash if length > limits::PARTITION_KEY_BYTES => Message::HashKeyTooLong,
            KeyType::Range if length > limits::SORT_KEY_BYTES => Message::RangeKeyTooLong,
            _ => continue,
        };
        return Err(refused);
    }
    Ok(())
}

/// The row key of key attributes whose types are right and whose sizes are checked here.
fn row_key(table: &Table, item: &Item) -> Result<Bytes, Fault> {
    let key = layout::base_key(table.id(), &table.key, item);
    // No part of a short key is over its limit.
    let key = match key {
        Some(key) if key.len() <= limits::SORT_KEY_BYTES => return Ok(key),
        key => key,
    };
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
    Ok(key.ok_or(Message::KeyMismatch)?)
}
