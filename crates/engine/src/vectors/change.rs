//! Vector indexes made with a table or for one that is there, and described.

use crate::catalog::record::{IndexRecord, Phase, TableRecord, VectorRecord};
use crate::catalog::{self, Index, Table};
use bothways_protocol::types::{
    IndexStatus, KeyRole, KeySchemaElement, SearchSchemaElement, SearchSchemaElementType,
    TableStatus, UpdateTableInput, VectorAttributeDefinition, VectorDistanceFunction, VectorIndex,
    VectorIndexDescription,
};
use bothways_protocol::{Message, validate};

/// A vector index of a validated request.
pub(crate) fn planned(id: u32, given: &VectorIndex) -> IndexRecord {
    let schema = given.search_schema.as_deref().unwrap_or_default();
    let named = |kind: SearchSchemaElementType| {
        let own = schema
            .iter()
            .filter(move |element| element.search_schema_element_type == Some(kind));
        own.filter_map(|element| element.attribute_name.clone())
    };
    let key: Vec<KeySchemaElement> = named(SearchSchemaElementType::Hash)
        .map(|name| KeySchemaElement {
            attribute_name: Some(name),
            key_type: Some(KeyRole::Hash),
        })
        .collect();
    let attribute = given.vector_attribute.clone().unwrap_or_default();
    let distance = given
        .distance_function
        .unwrap_or(VectorDistanceFunction::Cosine);
    let name = given.index_name.as_deref();
    let mut record = catalog::index(id, name, false, Some(&key), given.projection.as_ref());
    record.vector = Some(VectorRecord {
        attribute: attribute.attribute_name.unwrap_or_default(),
        dimensions: given
            .dimensions
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or_default(),
        distance: distance.as_str().to_owned(),
        filters: named(SearchSchemaElementType::InlineFilter).collect(),
    });
    record
}

/// Adds a vector index to a table that is there.
pub(crate) fn added(
    record: &mut TableRecord,
    input: &UpdateTableInput,
    create: &VectorIndex,
    id: u32,
) -> Result<(), Message> {
    if record.indexes.iter().any(|index| index.phase.is_some()) {
        return Err(Message::UpdateTableOneIndex);
    }
    let name = create.index_name.as_deref().unwrap_or_default();
    if record.indexes.iter().any(|index| index.name == name) {
        return Err(Message::IndexExists);
    }
    if !record.is_on_demand() {
        return Err(Message::VectorOnDemandOnly);
    }
    let given = input.attribute_definitions.iter().flatten();
    let given = given.filter_map(|d| Some((d.attribute_name.clone()?, d.attribute_type?)));
    let mut attributes = record.attributes.clone();
    for (name, scalar) in given {
        let wanted = create.search_schema.iter().flatten();
        let mut wanted = wanted.filter_map(|element| element.attribute_name.as_ref());
        let known = attributes.iter().any(|(known, _)| *known == name);
        if !known && wanted.any(|wanted| *wanted == name) {
            attributes.push((name, scalar.as_str().to_owned()));
        }
    }
    let defined: Vec<&str> = attributes.iter().map(|(name, _)| name.as_str()).collect();
    let vectors = record.indexes.iter().filter_map(|own| own.vector.as_ref());
    let known: Vec<(&str, i64)> = vectors
        .map(|own| {
            let dimensions = i64::try_from(own.dimensions).unwrap_or(i64::MAX);
            (own.attribute.as_str(), dimensions)
        })
        .collect();
    validate::vector_index(create, &defined, &known)?;
    record.attributes = attributes;
    let mut new = planned(id, create);
    new.phase = Some(Phase::Creating);
    record.indexes.push(new);
    Ok(())
}

/// A vector index in AWS's words; none for another index.
pub(crate) fn described(
    table: &Table,
    index: &Index,
    status: TableStatus,
) -> Option<VectorIndexDescription> {
    let vector = index.vector.as_ref()?;
    let element = |name: &String, kind| SearchSchemaElement {
        attribute_name: Some(name.clone()),
        search_schema_element_type: Some(kind),
    };
    let hash = index.key.hash.iter();
    let hash = hash.map(|part| element(&part.name, SearchSchemaElementType::Hash));
    let filters = vector.filters.iter();
    let filters = filters.map(|name| element(name, SearchSchemaElementType::InlineFilter));
    let schema: Vec<_> = hash.chain(filters).collect();
    let status = match (status, index.phase) {
        (TableStatus::Creating, _) | (_, Some(Phase::Creating | Phase::Backfilling)) => {
            IndexStatus::Creating
        }
        (TableStatus::Deleting, _) | (_, Some(Phase::Deleting)) => IndexStatus::Deleting,
        _ => IndexStatus::Active,
    };
    Some(VectorIndexDescription {
        index_name: Some(index.name.clone()),
        search_schema: Some(schema).filter(|schema| !schema.is_empty()),
        projection: Some(index.projection.to_wire()),
        vector_attribute: Some(VectorAttributeDefinition {
            attribute_name: Some(vector.attribute.clone()),
        }),
        dimensions: i64::try_from(vector.dimensions).ok(),
        distance_function: Some(vector.distance()),
        index_status: Some(status),
        backfilling: match index.phase {
            Some(Phase::Creating) => Some(false),
            Some(Phase::Backfilling) => Some(true),
            Some(Phase::Deleting) | None => None,
        },
        index_size_bytes: Some(index.totals.bytes()),
        item_count: Some(index.totals.items()),
        index_arn: Some(format!("{}/index/{}", table.record.arn, index.name)),
    })
}
