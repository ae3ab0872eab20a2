//! From a CreateTable request to a table.

use super::Table;
use super::record::{Billing, IndexRecord, KeyRecord, ProjectionRecord, TableRecord};
use crate::error::Fault;
use bothways_protocol::Message;
use bothways_protocol::types::{
    BillingMode, CreateTableInput, KeySchemaElement, OnDemandThroughput, Projection,
    ProvisionedThroughput, SSESpecification, Tag,
};

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
    for gsi in input.global_secondary_indexes.iter().flatten() {
        let (key, projection) = (gsi.key_schema.as_deref(), gsi.projection.as_ref());
        let mut record = index(
            next_id()?,
            gsi.index_name.as_deref(),
            false,
            key,
            projection,
        );
        record.throughput = gsi.provisioned_throughput.as_ref().map(units);
        indexes.push(record);
    }
    let sse = input.sse_specification.as_ref();
    let encrypted_with = sse.and_then(|sse| key_arn(sse, &birth.arn));
    let record = TableRecord {
        id,
        uuid: birth.uuid,
        arn: birth.arn,
        created: birth.created,
        attributes,
        key: KeyRecord::from_elements(input.key_schema.as_deref().unwrap_or_default()),
        indexes,
        billing: if input.billing_mode == Some(BillingMode::PayPerRequest) {
            Billing::OnDemand(birth.created)
        } else {
            let (reads, writes) = input.provisioned_throughput.as_ref().map_or((0, 0), units);
            Billing::Provisioned(reads, writes)
        },
        deletion_protection: input.deletion_protection_enabled.unwrap_or_default(),
        table_class: input.table_class.map(|class| class.as_str().to_owned()),
        on_demand: input.on_demand_throughput.as_ref().map(ceiling),
        encrypted_with,
        ttl: None,
        ttl_id: None,
        ttl_changed: None,
        stream: None,
        tags: input.tags.iter().flatten().filter_map(tag).collect(),
    };
    let next_id = next_id()?;
    let table = Table::new(birth.namespace, name, record).ok_or(Message::KeyUndefined)?;
    Ok((table, next_id))
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
        phase: None,
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

/// A ceiling on demand; -1 where there is none. Source: API Reference, `OnDemandThroughput`.
pub(crate) fn ceiling(given: &OnDemandThroughput) -> (i64, i64) {
    (
        given.max_read_request_units.unwrap_or(-1),
        given.max_write_request_units.unwrap_or(-1),
    )
}

pub(crate) fn units(throughput: &ProvisionedThroughput) -> (i64, i64) {
    (
        throughput.read_capacity_units.unwrap_or_default(),
        throughput.write_capacity_units.unwrap_or_default(),
    )
}
