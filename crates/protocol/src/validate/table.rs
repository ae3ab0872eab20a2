//! Tables.

mod index_updates;
mod tags;
pub mod throughput;

pub use index_updates::index_creation;
pub use tags::{TAGS, check_tags};

use super::vectors;
use crate::types::{
    BillingMode, CreateTableInput, GlobalSecondaryIndex, KeyRole, KeySchemaElement,
    LocalSecondaryIndex, Projection, ProjectionType, ProvisionedThroughput, StreamSpecification,
    UpdateTableInput,
};
use crate::{Error, Message, constraint};
use std::collections::BTreeSet;

/// Most LSIs of a table. Source: Developer Guide, "Quotas".
const LOCAL_INDEXES: usize = 5;
/// Most GSIs of a table, by default. Source: Developer Guide, "Quotas".
const GLOBAL_INDEXES: usize = 20;
/// Most provisioned units that are a number at all. Source: dynalite, createTable.custom.
const UNITS: i64 = 1_000_000_000_000;

/// CreateTable.
///
/// # Errors
/// `ValidationException`.
pub fn create_table(input: &CreateTableInput) -> Result<(), Error> {
    constraint::check(input)?;
    Ok(create(input)?)
}

/// UpdateTable, as far as it can be checked without the table.
///
/// # Errors
/// `ValidationException`; `LimitExceededException` for more than one index at a time.
pub fn update_table(input: &UpdateTableInput) -> Result<(), Error> {
    constraint::check(input)?;
    Ok(update(input)?)
}

fn update(input: &UpdateTableInput) -> Result<(), Message> {
    let updates = input.global_secondary_index_updates.as_deref();
    let vectors = input.vector_index_updates.as_deref();
    let something = input.billing_mode.is_some()
        || input.provisioned_throughput.is_some()
        || updates.is_some_and(|updates| !updates.is_empty())
        || input.stream_specification.is_some()
        || input.sse_specification.is_some()
        || input.table_class.is_some()
        || input.deletion_protection_enabled.is_some()
        || input.on_demand_throughput.is_some()
        || input.warm_throughput.is_some()
        || vectors.is_some_and(|updates| !updates.is_empty());
    if !something {
        return Err(Message::UpdateTableNothing);
    }
    if input.billing_mode == Some(BillingMode::PayPerRequest)
        && input.provisioned_throughput.is_some()
    {
        return Err(Message::ThroughputForbidden);
    }
    if let Some(throughput) = &input.provisioned_throughput {
        check_bounds(throughput)?;
    }
    if let Some(stream) = &input.stream_specification {
        check_stream_update(stream)?;
    }
    if let Some(updates) = updates {
        index_updates::check(input, updates)?;
    }
    if let Some(vectors) = vectors {
        index_updates::check_vectors(input, vectors)?;
    }
    throughput::alone(input)
}

/// In AWS's order. Source: dynalite, createTable.custom.
fn create(input: &CreateTableInput) -> Result<(), Message> {
    let on_demand = input.billing_mode == Some(BillingMode::PayPerRequest);
    check_billing(on_demand, input.provisioned_throughput.as_ref())?;
    vectors::create(input, on_demand)?;
    throughput::create(input, on_demand)?;
    let definitions = definitions(input)?;
    let keys = input.key_schema.as_deref().unwrap_or_default();
    if keys.len() > definitions.len() {
        return Err(Message::KeyUndefined);
    }
    check_key(keys, &definitions, 1)?;
    let plain = input.local_secondary_indexes.is_none()
        && input.global_secondary_indexes.is_none()
        && input.vector_indexes.is_none();
    if plain && keys.len() != definitions.len() {
        return Err(Message::DefinitionsUnused);
    }
    let mut names = BTreeSet::new();
    if let Some(indexes) = &input.local_secondary_indexes {
        check_local(indexes, keys, &definitions, &mut names)?;
    }
    if let Some(indexes) = &input.global_secondary_indexes {
        check_global(indexes, on_demand, &definitions, &mut names)?;
    }
    for index in input.vector_indexes.iter().flatten() {
        check_name(index.index_name.as_ref(), &mut names)?;
    }
    check_all_used(input, &definitions)?;
    let tags = input.tags.as_deref().unwrap_or_default();
    check_tags(tags)?;
    if tags.len() > TAGS {
        return Err(Message::TagsTooMany);
    }
    input
        .stream_specification
        .as_ref()
        .map_or(Ok(()), check_stream)
}

fn check_billing(on_demand: bool, given: Option<&ProvisionedThroughput>) -> Result<(), Message> {
    match given {
        Some(_) if on_demand => Err(Message::ThroughputForbidden),
        None if on_demand => Ok(()),
        None => Err(Message::ThroughputRequired),
        Some(throughput) => check_bounds(throughput),
    }
}

fn check_bounds(throughput: &ProvisionedThroughput) -> Result<(), Message> {
    let units = [
        ("ReadCapacityUnits", throughput.read_capacity_units),
        ("WriteCapacityUnits", throughput.write_capacity_units),
    ];
    match units
        .into_iter()
        .find(|(_, units)| units.is_some_and(|units| units > UNITS))
    {
        None => Ok(()),
        Some((name, units)) => Err(Message::ThroughputOutOfBounds {
            value: units.unwrap_or_default(),
            name,
        }),
    }
}

/// Names of the defined attributes, in the request's order.
fn definitions(input: &CreateTableInput) -> Result<Vec<&str>, Message> {
    let definitions = input.attribute_definitions.iter().flatten();
    let names = definitions.filter_map(|definition| definition.attribute_name.as_deref());
    let names: Vec<&str> = names.collect();
    for (i, name) in names.iter().enumerate() {
        if names[..i].contains(name) {
            return Err(Message::DefinitionTwice {
                name: (*name).to_owned(),
            });
        }
    }
    Ok(names)
}

fn names_of(keys: &[KeySchemaElement]) -> Vec<&str> {
    keys.iter()
        .filter_map(|key| key.attribute_name.as_deref())
        .collect()
}

/// A key: partition attributes, then sort attributes, up to `most` of each; all defined, none twice.
fn check_key(keys: &[KeySchemaElement], defined: &[&str], most: usize) -> Result<(), Message> {
    let names = names_of(keys);
    if names.iter().any(|name| !defined.contains(name)) {
        return Err(Message::KeysUndefined {
            keys: names.join(", "),
            definitions: defined.join(", "),
        });
    }
    if names
        .iter()
        .enumerate()
        .any(|(i, name)| names[..i].contains(name))
    {
        return Err(Message::KeysSameName);
    }
    if most > 1 {
        check_roles(keys, most)?;
    }
    let hash = keys
        .iter()
        .take_while(|key| key.key_type == Some(KeyRole::Hash))
        .count();
    if !(1..=most).contains(&hash) {
        return Err(if hash == 0 {
            Message::FirstKeyNotHash
        } else {
            Message::SecondKeyNotRange
        });
    }
    let range = &keys[hash..];
    if range.len() > most || range.iter().any(|key| key.key_type != Some(KeyRole::Range)) {
        return Err(Message::SecondKeyNotRange);
    }
    Ok(())
}

/// None is named twice. Source: scylladb/scylladb, `test_gsi.py` (`projection_error_duplicate`), measured on AWS.
fn check_projected(names: &[String]) -> Result<(), Message> {
    let mut seen = BTreeSet::new();
    let twice = names.iter().find(|name| !seen.insert(name.as_str()));
    twice.map_or(Ok(()), |name| {
        Err(Message::ProjectionDuplicate { name: name.clone() })
    })
}

/// A global index's key: some attributes of each role, partition attributes first.
fn check_roles(keys: &[KeySchemaElement], most: usize) -> Result<(), Message> {
    for role in [KeyRole::Hash, KeyRole::Range] {
        if { keys.iter() }
            .filter(|key| key.key_type == Some(role))
            .count()
            > most
        {
            return Err(Message::IndexKeyTooMany {
                kind: role.as_str(),
                limit: most,
            });
        }
    }
    let begins = keys.first().and_then(|key| key.key_type) == Some(KeyRole::Hash);
    if begins && !keys.is_sorted_by_key(|key| key.key_type == Some(KeyRole::Range)) {
        return Err(Message::IndexKeyOrder);
    }
    Ok(())
}

pub(super) fn check_projection(projection: Option<&Projection>) -> Result<(), Message> {
    let kind = projection
        .and_then(|p| p.projection_type)
        .ok_or(Message::ProjectionUnknown)?;
    let names = projection.and_then(|p| p.non_key_attributes.as_ref());
    match (kind, names.is_some()) {
        (ProjectionType::Include, true) => check_projected(names.map_or(&[], Vec::as_slice)),
        (ProjectionType::All | ProjectionType::KeysOnly, false) => Ok(()),
        (ProjectionType::Include, false) => Err(Message::ProjectionIncludeEmpty),
        (kind, true) => Err(Message::ProjectionNonKey {
            kind: kind.as_str(),
        }),
    }
}

fn check_name<'a>(name: Option<&'a String>, names: &mut BTreeSet<&'a str>) -> Result<(), Message> {
    let name = name.map_or("", String::as_str);
    if names.insert(name) {
        return Ok(());
    }
    Err(Message::IndexTwice {
        name: name.to_owned(),
    })
}

fn check_local<'a>(
    indexes: &'a [LocalSecondaryIndex],
    table: &[KeySchemaElement],
    defined: &[&str],
    names: &mut BTreeSet<&'a str>,
) -> Result<(), Message> {
    if indexes.is_empty() {
        return Err(Message::LsiEmpty);
    }
    if table.len() != 2 {
        return Err(Message::LsiTableRange);
    }
    let table_key = names_of(table).first().copied().unwrap_or_default();
    for index in indexes {
        let keys = index.key_schema.as_deref().unwrap_or_default();
        let name = || index.index_name.clone().unwrap_or_default();
        check_key(keys, defined, 1)?;
        if keys.len() != 2 {
            return Err(Message::LsiRange { name: name() });
        }
        let index_key = names_of(keys).first().copied().unwrap_or_default();
        if index_key != table_key {
            return Err(Message::LsiHash {
                name: name(),
                index_key: index_key.to_owned(),
                table_key: table_key.to_owned(),
            });
        }
        check_projection(index.projection.as_ref())?;
        check_name(index.index_name.as_ref(), names)?;
    }
    if indexes.len() > LOCAL_INDEXES {
        return Err(Message::LsiTooMany);
    }
    Ok(())
}

fn check_global<'a>(
    indexes: &'a [GlobalSecondaryIndex],
    on_demand: bool,
    defined: &[&str],
    names: &mut BTreeSet<&'a str>,
) -> Result<(), Message> {
    if indexes.is_empty() {
        return Err(Message::GsiEmpty);
    }
    for index in indexes {
        check_key(
            index.key_schema.as_deref().unwrap_or_default(),
            defined,
            GSI_KEY_PARTS,
        )?;
        check_projection(index.projection.as_ref())?;
        let name = || index.index_name.clone().unwrap_or_default();
        match &index.provisioned_throughput {
            Some(_) if on_demand => return Err(Message::GsiThroughputForbidden { name: name() }),
            None if !on_demand => return Err(Message::GsiThroughputRequired { name: name() }),
            None => {}
            Some(throughput) => check_bounds(throughput)?,
        }
        check_name(index.index_name.as_ref(), names)?;
    }
    if indexes.len() > GLOBAL_INDEXES {
        return Err(Message::GsiTooMany);
    }
    Ok(())
}

/// Most partition and most sort attributes of a GSI. Source: Developer Guide, "Multi-attribute keys".
pub(super) const GSI_KEY_PARTS: usize = 4;

/// Every definition must serve a key.
fn check_all_used(input: &CreateTableInput, definitions: &[&str]) -> Result<(), Message> {
    let mut used: Vec<&str> = Vec::new();
    let local = input
        .local_secondary_indexes
        .iter()
        .flatten()
        .map(|index| &index.key_schema);
    let global = input
        .global_secondary_indexes
        .iter()
        .flatten()
        .map(|index| &index.key_schema);
    for keys in std::iter::once(&input.key_schema)
        .chain(local)
        .chain(global)
        .flatten()
    {
        for name in names_of(keys) {
            if !used.contains(&name) {
                used.push(name);
            }
        }
    }
    for name in vectors::schema_names(input) {
        if !used.contains(&name) {
            used.push(name);
        }
    }
    if definitions.iter().all(|name| used.contains(name)) {
        return Ok(());
    }
    Err(Message::DefinitionsUnusedIndexes {
        keys: used.join(", "),
        definitions: definitions.join(", "),
    })
}

fn check_stream(stream: &StreamSpecification) -> Result<(), Message> {
    match (stream.stream_enabled, stream.stream_view_type) {
        (Some(true), None) => Err(Message::StreamViewMissing),
        (Some(false), Some(_)) => Err(Message::StreamViewForbidden),
        _ => Ok(()),
    }
}

fn check_stream_update(stream: &StreamSpecification) -> Result<(), Message> {
    check_stream(stream).map_err(|fault| match fault {
        Message::StreamViewMissing => Message::UpdateStreamViewMissing,
        Message::StreamViewForbidden => Message::UpdateStreamViewForbidden,
        other => other,
    })
}
