//! From a CreateTable request to a table.

use super::Table;
use super::record::{Billing, History, IndexRecord, KeyRecord, ProjectionRecord, TableRecord};
use crate::error::Fault;
use crate::policy;
use crate::throughput::{ceiling, warm_at_birth};
use crate::vectors;
use bothways_protocol::Message;
use bothways_protocol::types::{
    BillingMode, CreateTableInput, GlobalSecondaryIndex, KeySchemaElement, Projection,
    ProvisionedThroughput, SSESpecification, Tag,
};
use std::collections::BTreeMap;

/// What the engine adds to a request.
pub(crate) struct Birth {
    pub(crate) namespace: String,
    pub(crate) arn: String,
    pub(crate) uuid: String,
    /// Milliseconds since 1970.
    pub(crate) created: u64,
    pub(crate) first_id: u32,
}

/// The table of a validated request, and the next free id. Ids go to the table, then to its indexes.
pub(crate) fn plan_table(input: &CreateTableInput, birth: Birth) -> Result<(Table, u32), Fault> {
    let name = input.table_name.clone().unwrap_or_default();
    let attributes = input.attribute_definitions.iter().flatten();
    let attributes = attributes
        .filter_map(|a| {
            Some((
                a.attribute_name.clone()?,
                a.attribute_type?.as_str().to_owned(),
            ))
        })
        .collect();
    let mut ids = birth.first_id..u32::MAX;
    let mut next_id = || ids.next().ok_or(Fault::IdsExhausted);
    let id = next_id()?;
    let mut indexes = Vec::new();
    for lsi in input.local_secondary_indexes.iter().flatten() {
        let (key, projection) = (lsi.key_schema.as_deref(), lsi.projection.as_ref());
        indexes.push(index(
            next_id()?,
            lsi.index_name.as_deref(),
            true,
            key,
            projection,
        ));
    }
    let on_demand = input.billing_mode == Some(BillingMode::PayPerRequest);
    for gsi in input.global_secondary_indexes.iter().flatten() {
        indexes.push(global(next_id()?, gsi, on_demand));
    }
    for vector in input.vector_indexes.iter().flatten() {
        indexes.push(vectors::planned(next_id()?, vector));
    }
    let sse = input.sse_specification.as_ref();
    let encrypted_with = sse.and_then(|sse| key_arn(sse, &birth.arn));
    let provisioned = input.provisioned_throughput.as_ref().map_or((0, 0), units);
    let warm = warm_at_birth(input.warm_throughput.as_ref(), on_demand, provisioned);
    let mut record = TableRecord {
        id,
        uuid: birth.uuid,
        arn: birth.arn,
        created: birth.created,
        attributes,
        key: KeyRecord::from_elements(input.key_schema.as_deref().unwrap_or_default()),
        indexes,
        billing: if on_demand {
            Billing::OnDemand(birth.created)
        } else {
            Billing::Provisioned(provisioned.0, provisioned.1)
        },
        deletion_protection: input.deletion_protection_enabled.unwrap_or_default(),
        table_class: input.table_class.map(|class| class.as_str().to_owned()),
        table_class_changed: None,
        on_demand: (input.on_demand_throughput.as_ref()).and_then(|given| ceiling(None, given)),
        was_on_demand: None,
        warm: Some(warm),
        history: History::default(),
        encrypted_with,
        ttl: None,
        ttl_id: None,
        ttl_changed: None,
        stream: None,
        tags: input.tags.iter().flatten().filter_map(tag).collect(),
        policies: BTreeMap::new(),
        insights: BTreeMap::new(),
        recovery: None,
        restoring: None,
        importing: None,
    };
    if let Some(given) = &input.resource_policy {
        policy::at_birth(&mut record, given)?;
    }
    let next_id = next_id()?;
    let table = Table::new(birth.namespace, name, record).ok_or(Message::KeyUndefined)?;
    Ok((table, next_id))
}

/// A global index of a validated request.
pub(crate) fn global(id: u32, gsi: &GlobalSecondaryIndex, on_demand: bool) -> IndexRecord {
    let (key, projection) = (gsi.key_schema.as_deref(), gsi.projection.as_ref());
    let mut record = index(id, gsi.index_name.as_deref(), false, key, projection);
    record.throughput = gsi.provisioned_throughput.as_ref().map(units);
    let provisioned = record.throughput.unwrap_or_default();
    let warm = warm_at_birth(gsi.warm_throughput.as_ref(), on_demand, provisioned);
    record.warm = Some(warm);
    record.on_demand = (gsi.on_demand_throughput.as_ref()).and_then(|given| ceiling(None, given));
    record
}

pub(crate) fn index(
    id: u32,
    name: Option<&str>,
    local: bool,
    key: Option<&[KeySchemaElement]>,
    projection: Option<&Projection>,
) -> IndexRecord {
    IndexRecord {
        id,
        name: name.unwrap_or_default().to_owned(),
        local,
        key: KeyRecord::from_elements(key.unwrap_or_default()),
        projection: projection.map_or(ProjectionRecord::All, ProjectionRecord::from_wire),
        throughput: None,
        on_demand: None,
        warm: None,
        history: History::default(),
        phase: None,
        vector: None,
    }
}

/// ARN of the key that encryption was asked for with; AWS's own key of the account where none was named.
pub(crate) fn key_arn(asked: &SSESpecification, table_arn: &str) -> Option<String> {
    let named = asked.kms_master_key_id.as_deref();
    if asked.enabled != Some(true) {
        return None;
    }
    if let Some(arn) = named.filter(|name| name.starts_with("arn:")) {
        return Some(arn.to_owned());
    }
    let mut parts = table_arn.split(':').skip(3);
    let (region, account) = (parts.next()?, parts.next()?);
    let key = match named {
        Some(alias) if alias.starts_with("alias/") => alias.to_owned(),
        Some(id) => format!("key/{id}"),
        None => "alias/aws/dynamodb".to_owned(),
    };
    Some(format!("arn:aws:kms:{region}:{account}:{key}"))
}

/// A tag's key and value.
pub(crate) fn tag(tag: &Tag) -> Option<(String, String)> {
    Some((tag.key.clone()?, tag.value.clone()?))
}

pub(crate) fn units(throughput: &ProvisionedThroughput) -> (i64, i64) {
    (
        throughput.read_capacity_units.unwrap_or_default(),
        throughput.write_capacity_units.unwrap_or_default(),
    )
}
