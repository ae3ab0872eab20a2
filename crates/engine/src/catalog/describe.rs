//! A table in AWS's words.

use super::record::{Billing, History, Phase, TableRecord, attribute_type};
use super::table::{Index, Table};
use crate::throughput::ceiling_described;
use crate::vectors;
use bothways_protocol::types::{
    AttributeDefinition, BillingMode, BillingModeSummary, GlobalSecondaryIndexDescription,
    IndexStatus, LocalSecondaryIndexDescription, ProvisionedThroughputDescription, RestoreSummary,
    SSEDescription, SseStatus, SseType, StreamSpecification, StreamViewType, TableClass,
    TableClassSummary, TableDescription, TableStatus, WarmThroughputDescription,
};

/// Describes a table. Counts and sizes are exact and current (AWS refreshes its own every six hours).
pub(crate) fn describe(table: &Table, status: TableStatus, now: u64) -> TableDescription {
    let record = &table.record;
    let (reads, writes) = match record.billing {
        Billing::Provisioned(reads, writes) => (reads, writes),
        Billing::OnDemand(_) => (0, 0),
    };
    TableDescription {
        attribute_definitions: Some(definitions(table)),
        table_name: Some(table.name.clone()),
        key_schema: Some(record.key.elements()),
        table_status: Some(status),
        creation_date_time: Some(seconds(record.created)),
        provisioned_throughput: Some(throughput((reads, writes), &record.history, now)),
        table_size_bytes: Some(table.totals.bytes()),
        item_count: Some(table.totals.items()),
        table_arn: Some(record.arn.clone()),
        table_id: Some(record.uuid.clone()),
        billing_mode_summary: billing_summary(record, status),
        local_secondary_indexes: some_unless_empty(
            table
                .indexes
                .iter()
                .filter(|i| i.local)
                .map(|i| local(table, i)),
        ),
        global_secondary_indexes: some_unless_empty(
            table
                .indexes
                .iter()
                .filter(|i| i.is_global())
                .map(|i| global(table, i, status, now)),
        ),
        vector_indexes: some_unless_empty(
            table
                .indexes
                .iter()
                .filter_map(|index| vectors::described(table, index, status)),
        ),
        deletion_protection_enabled: Some(record.deletion_protection),
        table_class_summary: record.table_class.as_deref().map(|word| TableClassSummary {
            table_class: TableClass::ALL
                .iter()
                .copied()
                .find(|class| class.as_str() == word),
            last_update_date_time: record.table_class_changed.map(seconds),
        }),
        sse_description: record.encrypted_with.as_ref().map(|key| SSEDescription {
            status: Some(SseStatus::Enabled),
            sse_type: Some(SseType::Kms),
            kms_master_key_arn: Some(key.clone()),
        }),
        on_demand_throughput: record.on_demand.map(ceiling_described),
        warm_throughput: Some(warm(
            record.warm(),
            if status == TableStatus::Creating {
                status.as_str()
            } else {
                TableStatus::Active.as_str()
            },
        )),
        stream_specification: stream_specification(record),
        latest_stream_label: record.stream.as_ref().map(|stream| stream.label.clone()),
        latest_stream_arn: (record.stream.as_ref())
            .map(|stream| format!("{}/stream/{}", record.arn, stream.label)),
        restore_summary: record.restoring.as_ref().map(|own| RestoreSummary {
            source_backup_arn: own.backup.clone(),
            source_table_arn: Some(own.source.clone()),
            restore_date_time: Some(seconds(own.at)),
            restore_in_progress: Some(true),
        }),
    }
}

/// Only while the stream is on. Source: ack-api-quirks, services/dynamodb DDB-TABLE-050.
pub(crate) fn stream_specification(record: &TableRecord) -> Option<StreamSpecification> {
    let view = record.stream.as_ref()?.view.as_deref()?;
    Some(StreamSpecification {
        stream_enabled: Some(true),
        stream_view_type: StreamViewType::ALL
            .iter()
            .copied()
            .find(|word| word.as_str() == view),
    })
}

/// The status of a table that is there. It is UPDATING while an index is dropped, or made and not yet filled, and ACTIVE
/// again while it is being filled. Source: ack-api-quirks, services/dynamodb DDB-TABLE-148.
pub(crate) fn status(table: &Table) -> TableStatus {
    if table.is_coming() {
        return TableStatus::Creating;
    }
    let busy = |index: &Index| matches!(index.phase, Some(Phase::Creating | Phase::Deleting));
    if table.indexes.iter().any(busy) {
        TableStatus::Updating
    } else {
        TableStatus::Active
    }
}

fn definitions(table: &Table) -> Vec<AttributeDefinition> {
    let define = |(name, scalar): &(String, String)| AttributeDefinition {
        attribute_name: Some(name.clone()),
        attribute_type: attribute_type(scalar),
    };
    table.record.attributes.iter().map(define).collect()
}

fn throughput(units: (i64, i64), history: &History, now: u64) -> ProvisionedThroughputDescription {
    ProvisionedThroughputDescription {
        last_increase_date_time: history.increased.map(seconds),
        last_decrease_date_time: history.decreased.map(seconds),
        number_of_decreases_today: Some(history.decreases_today(now)),
        read_capacity_units: Some(units.0),
        write_capacity_units: Some(units.1),
    }
}

fn warm(units: (i64, i64), status: &str) -> WarmThroughputDescription {
    WarmThroughputDescription {
        read_units_per_second: Some(units.0),
        write_units_per_second: Some(units.1),
        status: Some(status.to_owned()),
    }
}

/// AWS leaves the summary out for a table that was always provisioned, and the time while a table is being created.
/// Source: ack-api-quirks, services/dynamodb DDB-TABLE-028, -033.
fn billing_summary(record: &TableRecord, status: TableStatus) -> Option<BillingModeSummary> {
    let (mode, since) = match record.billing {
        Billing::OnDemand(since) => (BillingMode::PayPerRequest, since),
        Billing::Provisioned(..) => (BillingMode::Provisioned, record.was_on_demand?),
    };
    Some(BillingModeSummary {
        billing_mode: Some(mode),
        last_update_to_pay_per_request_date_time: (status != TableStatus::Creating)
            .then(|| seconds(since)),
    })
}

fn global(
    table: &Table,
    index: &Index,
    status: TableStatus,
    now: u64,
) -> GlobalSecondaryIndexDescription {
    let record = table.record.indexes.iter().find(|r| r.id == index.id);
    let units = record.and_then(|r| r.throughput).unwrap_or((0, 0));
    let none = History::default();
    let history = record.map_or(&none, |r| &r.history);
    let ready = status != TableStatus::Creating && index.phase.is_none();
    GlobalSecondaryIndexDescription {
        index_name: Some(index.name.clone()),
        key_schema: record.map(|r| r.key.elements()),
        projection: Some(index.projection.to_wire()),
        // Source: ack-api-quirks, services/dynamodb DDB-TABLE-282: a restored table's are listed without it.
        index_status: (!table.is_coming()).then_some(match (status, index.phase) {
            (TableStatus::Creating, _) | (_, Some(Phase::Creating | Phase::Backfilling)) => {
                IndexStatus::Creating
            }
            (TableStatus::Deleting, _) | (_, Some(Phase::Deleting)) => IndexStatus::Deleting,
            _ => IndexStatus::Active,
        }),
        backfilling: match index.phase {
            Some(Phase::Creating) => Some(false),
            Some(Phase::Backfilling) => Some(true),
            Some(Phase::Deleting) | None => None,
        },
        provisioned_throughput: Some(throughput(units, history, now)),
        on_demand_throughput: record.and_then(|r| r.on_demand).map(ceiling_described),
        warm_throughput: record
            .filter(|_| ready)
            .map(|r| warm(table.record.index_warm(r), IndexStatus::Active.as_str())),
        index_size_bytes: Some(index.totals.bytes()),
        item_count: Some(index.totals.items()),
        index_arn: Some(index_arn(table, index)),
    }
}

fn local(table: &Table, index: &Index) -> LocalSecondaryIndexDescription {
    let record = table.record.indexes.iter().find(|r| r.id == index.id);
    LocalSecondaryIndexDescription {
        index_name: Some(index.name.clone()),
        key_schema: record.map(|r| r.key.elements()),
        projection: Some(index.projection.to_wire()),
        index_size_bytes: Some(index.totals.bytes()),
        item_count: Some(index.totals.items()),
        index_arn: Some(index_arn(table, index)),
    }
}

fn index_arn(table: &Table, index: &Index) -> String {
    format!("{}/index/{}", table.record.arn, index.name)
}

fn some_unless_empty<T>(items: impl Iterator<Item = T>) -> Option<Vec<T>> {
    let items: Vec<T> = items.collect();
    (!items.is_empty()).then_some(items)
}

/// Seconds since 1970 with milliseconds, as the wire has times.
#[allow(
    clippy::cast_precision_loss,
    reason = "milliseconds since 1970 stay far below 2^53"
)]
pub(crate) fn seconds(millis: u64) -> f64 {
    millis as f64 / 1000.0
}
