//! The record of a restored table: what its source had, with what the request overrides.
//! Source of what is kept and what is dropped: ack-api-quirks, services/dynamodb DDB-TABLE-215, -273, -279, -442.

use crate::catalog::record::{
    Billing, History, IndexRecord, KeyRecord, ProjectionRecord, RestoringRecord, TableRecord,
};
use crate::catalog::{key_arn, units};
use crate::throughput::ceiling;
use bothways_protocol::Message;
use bothways_protocol::types::{
    BillingMode, GlobalSecondaryIndex, KeySchemaElement, LocalSecondaryIndex, OnDemandThroughput,
    Projection, ProvisionedThroughput, RestoreTableFromBackupInput, RestoreTableToPointInTimeInput,
    SSESpecification, VectorIndex,
};
use std::collections::BTreeMap;

/// What a request overrides.
pub(super) struct Overrides<'a> {
    billing: Option<BillingMode>,
    global: Option<&'a [GlobalSecondaryIndex]>,
    local: Option<&'a [LocalSecondaryIndex]>,
    provisioned: Option<&'a ProvisionedThroughput>,
    on_demand: Option<&'a OnDemandThroughput>,
    sse: Option<&'a SSESpecification>,
    vectors: Option<&'a [VectorIndex]>,
}

macro_rules! overrides {
    ($($input:ty),*) => {
        $(impl<'a> From<&'a $input> for Overrides<'a> {
            fn from(input: &'a $input) -> Self {
                Self {
                    billing: input.billing_mode_override,
                    global: input.global_secondary_index_override.as_deref(),
                    local: input.local_secondary_index_override.as_deref(),
                    provisioned: input.provisioned_throughput_override.as_ref(),
                    on_demand: input.on_demand_throughput_override.as_ref(),
                    sse: input.sse_specification_override.as_ref(),
                    vectors: input.vector_index_override.as_deref(),
                }
            }
        })*
    };
}
overrides!(RestoreTableFromBackupInput, RestoreTableToPointInTimeInput);

/// What a restored table has of its own.
pub(super) struct Birth {
    pub(super) uuid: String,
    pub(super) arn: String,
    /// Milliseconds since 1970.
    pub(super) created: u64,
    pub(super) restoring: RestoringRecord,
}

/// The record, with ids that are still to be given.
pub(super) fn planned(
    source: &TableRecord,
    given: &Overrides<'_>,
    birth: Birth,
) -> Result<TableRecord, Message> {
    let billing = billed(&source.billing, given, birth.created)?;
    let is_on_demand = matches!(billing, Billing::OnDemand(_));
    let indexes = indexes(source, given, is_on_demand)?;
    let on_demand = ceilings(
        source.on_demand.filter(|_| is_on_demand),
        given,
        is_on_demand,
    )?;
    let encrypted_with = match given.sse {
        Some(asked) => key_arn(asked, &birth.arn),
        None => source.encrypted_with.clone(),
    };
    let mut record = TableRecord {
        id: 0,
        uuid: birth.uuid,
        arn: birth.arn,
        created: birth.created,
        attributes: source.attributes.clone(),
        key: source.key.clone(),
        indexes,
        billing,
        deletion_protection: false,
        table_class: None,
        table_class_changed: None,
        on_demand,
        was_on_demand: None,
        warm: None,
        history: History::default(),
        encrypted_with,
        ttl: None,
        ttl_id: None,
        ttl_changed: None,
        stream: None,
        tags: BTreeMap::new(),
        policies: BTreeMap::new(),
        insights: BTreeMap::new(),
        recovery: None,
        restoring: Some(birth.restoring),
        importing: None,
    };
    record.forget_unused_attributes();
    Ok(record)
}

fn billed(was: &Billing, given: &Overrides<'_>, now: u64) -> Result<Billing, Message> {
    let wanted = given.provisioned.map(units);
    match (given.billing, was, wanted) {
        (Some(BillingMode::PayPerRequest), _, Some(_)) => Err(Message::RestoreUnitsToOnDemand),
        (None, Billing::OnDemand(_), Some(_)) => Err(Message::RestoreUnitsOnDemand),
        (Some(BillingMode::PayPerRequest), _, None) | (None, Billing::OnDemand(_), None) => {
            Ok(Billing::OnDemand(now))
        }
        (_, _, Some((reads, writes))) => Ok(Billing::Provisioned(reads, writes)),
        (Some(BillingMode::Provisioned), Billing::OnDemand(_), None) => {
            Err(Message::RestoreUnitsMissing)
        }
        (_, Billing::Provisioned(..), None) => Ok(was.clone()),
    }
}

fn ceilings(
    was: Option<(i64, i64)>,
    given: &Overrides<'_>,
    is_on_demand: bool,
) -> Result<Option<(i64, i64)>, Message> {
    let Some(given) = given.on_demand else {
        return Ok(was);
    };
    let members = [
        ("MaxReadRequestUnits", given.max_read_request_units),
        ("MaxWriteRequestUnits", given.max_write_request_units),
    ];
    for (name, units) in members {
        let Some(units) = units else { continue };
        if !is_on_demand {
            return Err(Message::RestoreCeiling { name });
        }
        if units < 1 && units != -1 {
            return Err(Message::RestoreCeilingRange { name });
        }
    }
    Ok(ceiling(was, given))
}

/// The source's indexes, or those of them that the request names: under other names and with other throughput if it
/// likes, but with the same keys and projections.
fn indexes(
    source: &TableRecord,
    given: &Overrides<'_>,
    is_on_demand: bool,
) -> Result<Vec<IndexRecord>, Message> {
    let mut out = Vec::new();
    match given.local {
        None => out.extend(source.indexes.iter().filter(|i| i.local).cloned()),
        Some(wanted) => {
            for index in wanted {
                out.push(matching(
                    source,
                    true,
                    index.index_name.as_deref(),
                    index.key_schema.as_deref(),
                    index.projection.as_ref(),
                )?);
            }
        }
    }
    match given.global {
        None => out.extend(source.indexes.iter().filter(|i| i.is_global()).cloned()),
        Some(wanted) => {
            for index in wanted {
                out.push(global(source, given, index, is_on_demand)?);
            }
        }
    }
    match given.vectors {
        None => out.extend(
            source
                .indexes
                .iter()
                .filter(|i| i.vector.is_some())
                .cloned(),
        ),
        Some(wanted) => {
            for index in wanted {
                out.push(vectors(source, index)?);
            }
        }
    }
    for index in &mut out {
        (index.id, index.phase, index.warm) = (0, None, None);
        index.history = History::default();
        if index.local {
            continue;
        }
        if is_on_demand {
            index.throughput = None;
        } else if index.vector.is_some() {
            return Err(Message::VectorOnDemandOnly);
        } else if index.throughput.is_none() {
            let index = index.name.clone();
            return Err(Message::RestoreIndexUnitsMissing { index });
        } else {
            index.on_demand = None;
        }
    }
    Ok(out)
}

/// The source's index of the same vectors, under the name that the request gives.
fn vectors(source: &TableRecord, index: &VectorIndex) -> Result<IndexRecord, Message> {
    let wanted = crate::vectors::planned(0, index);
    let same = |own: &&IndexRecord| {
        own.vector.is_some()
            && (&own.vector, &own.key, &own.projection)
                == (&wanted.vector, &wanted.key, &wanted.projection)
    };
    match source.indexes.iter().find(same).cloned() {
        Some(found) => Ok(IndexRecord {
            name: wanted.name,
            ..found
        }),
        None => Err(Message::RestoreIndexUnknown { index: wanted.name }),
    }
}

fn global(
    source: &TableRecord,
    given: &Overrides<'_>,
    index: &GlobalSecondaryIndex,
    is_on_demand: bool,
) -> Result<IndexRecord, Message> {
    let mut own = matching(
        source,
        false,
        index.index_name.as_deref(),
        index.key_schema.as_deref(),
        index.projection.as_ref(),
    )?;
    if let Some(throughput) = &index.provisioned_throughput {
        if is_on_demand {
            return Err(match given.billing {
                Some(_) => Message::RestoreIndexUnitsToOnDemand { index: own.name },
                None => Message::RestoreUnitsOnDemand,
            });
        }
        own.throughput = Some(units(throughput));
    }
    if let Some(given) = &index.on_demand_throughput {
        own.on_demand = ceiling(own.on_demand, given);
    }
    Ok(own)
}

fn matching(
    source: &TableRecord,
    local: bool,
    name: Option<&str>,
    key: Option<&[KeySchemaElement]>,
    projection: Option<&Projection>,
) -> Result<IndexRecord, Message> {
    let key = KeyRecord::from_elements(key.unwrap_or_default());
    let projection = projection.map_or(ProjectionRecord::All, ProjectionRecord::from_wire);
    let name = name.unwrap_or_default().to_owned();
    let same = |own: &&IndexRecord| {
        own.local == local && own.vector.is_none() && own.key == key && own.projection == projection
    };
    let found = source.indexes.iter().find(same).cloned();
    match found {
        Some(found) => Ok(IndexRecord { name, ..found }),
        None => Err(Message::RestoreIndexUnknown { index: name }),
    }
}
