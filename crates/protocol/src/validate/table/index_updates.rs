//! `GlobalSecondaryIndexUpdates`, as far as they can be checked without the table.

use super::{GSI_KEY_PARTS, check_key, check_projection, names_of};
use crate::Message;
use crate::types::{
    CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, UpdateTableInput,
    VectorIndexUpdate,
};
use std::collections::BTreeSet;

/// Sources: dynalite, test/updateTable; ack-api-quirks, services/dynamodb DDB-TABLE-159 to -174.
pub(super) fn check(
    input: &UpdateTableInput,
    updates: &[GlobalSecondaryIndexUpdate],
) -> Result<(), Message> {
    if updates.is_empty() {
        return Err(Message::IndexUpdatesEmpty);
    }
    let mut names = BTreeSet::new();
    for update in updates {
        let name = named(update)?;
        if !names.insert(name) {
            return Err(Message::IndexUpdateTwice {
                name: name.to_owned(),
            });
        }
    }
    let online =
        |update: &&GlobalSecondaryIndexUpdate| update.create.is_some() || update.delete.is_some();
    match updates.iter().filter(online).count() {
        0 => Ok(()),
        1 => check_alone(input),
        _ => Err(Message::UpdateTableOneIndex),
    }
}

/// The same of `VectorIndexUpdates`: one index at a time, with those of the other kind.
pub(super) fn check_vectors(
    input: &UpdateTableInput,
    updates: &[VectorIndexUpdate],
) -> Result<(), Message> {
    let others = input.global_secondary_index_updates.iter().flatten();
    let others = others.filter(|update| update.create.is_some() || update.delete.is_some());
    for update in updates {
        match (&update.create, &update.delete) {
            (None, None) => return Err(Message::IndexUpdateEmpty),
            (Some(_), Some(_)) => return Err(Message::IndexUpdateActions),
            _ => {}
        }
    }
    match updates.len() + others.count() {
        0 => Err(Message::IndexUpdatesEmpty),
        1 => check_alone(input),
        _ => Err(Message::UpdateTableOneIndex),
    }
}

/// The index of an update that does one thing.
fn named(update: &GlobalSecondaryIndexUpdate) -> Result<&str, Message> {
    let created = update.create.as_ref().map(|create| &create.index_name);
    let deleted = update.delete.as_ref().map(|delete| &delete.index_name);
    let updated = update.update.as_ref().map(|update| &update.index_name);
    let mut given = [created, deleted, updated].into_iter().flatten();
    let name = given.next().ok_or(Message::IndexUpdateEmpty)?;
    if given.next().is_some() {
        return Err(Message::IndexUpdateActions);
    }
    Ok(name.as_deref().unwrap_or_default())
}

/// What cannot be asked for together with an index made or dropped.
fn check_alone(input: &UpdateTableInput) -> Result<(), Message> {
    // A switch of the billing mode brings its throughput with it.
    if input.provisioned_throughput.is_some() && input.billing_mode.is_none() {
        return Err(Message::IndexWithThroughput);
    }
    if input.stream_specification.is_some() {
        return Err(Message::IndexWithStream);
    }
    if input.warm_throughput.is_some() {
        return Err(Message::IndexWithWarmThroughput);
    }
    let alone = [
        (
            input.deletion_protection_enabled.is_some(),
            "DeletionProtection",
        ),
        (input.sse_specification.is_some(), "Server-Side Encryption"),
        (input.table_class.is_some(), "TableClass"),
    ];
    match alone.into_iter().find(|(given, _)| *given) {
        Some((_, what)) => Err(Message::OnlyOperation { what }),
        None => Ok(()),
    }
}

/// A GSI to add, with what the request defines. AWS looks at it once it knows that there is none of its name.
///
/// # Errors
/// What is wrong with its key or its projection.
pub fn index_creation(
    input: &UpdateTableInput,
    create: &CreateGlobalSecondaryIndexAction,
) -> Result<(), Message> {
    let keys = create.key_schema.as_deref().unwrap_or_default();
    let Some(definitions) = &input.attribute_definitions else {
        return Err(Message::IndexUndefined {
            name: create.index_name.clone().unwrap_or_default(),
        });
    };
    let names = definitions
        .iter()
        .filter_map(|definition| definition.attribute_name.as_deref());
    let defined: Vec<&str> = names.collect();
    let lacking: Vec<&str> = names_of(keys)
        .into_iter()
        .filter(|name| !defined.contains(name))
        .collect();
    if !lacking.is_empty() {
        return Err(Message::KeysUndefined {
            keys: lacking.join(", "),
            definitions: defined.join(", "),
        });
    }
    check_key(keys, &defined, GSI_KEY_PARTS)?;
    check_projection(create.projection.as_ref())
}
