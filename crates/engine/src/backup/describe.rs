//! A backup in AWS's words.

use super::record::BackupRecord;
use crate::catalog::record::{Billing, IndexRecord, TableRecord};
use crate::catalog::{seconds, stream_specification};
use crate::stream::label;
use crate::throughput::ceiling_described;
use bothways_protocol::types::{
    BackupDescription, BackupDetails, BackupStatus, BackupSummary, BackupType, BillingMode,
    GlobalSecondaryIndexInfo, LocalSecondaryIndexInfo, ProvisionedThroughput, SSEDescription,
    SourceTableDetails, SourceTableFeatureDetails, SseStatus, SseType, TimeToLiveDescription,
    TimeToLiveStatus,
};

impl BackupRecord {
    pub(crate) fn status(&self) -> BackupStatus {
        if self.ready {
            BackupStatus::Available
        } else {
            BackupStatus::Creating
        }
    }

    fn kind(&self) -> BackupType {
        if self.expires.is_some() {
            BackupType::System
        } else {
            BackupType::User
        }
    }

    /// When it goes by itself, in AWS's form.
    pub(super) fn expiry_text(&self) -> Option<String> {
        self.expires.map(|at| format!("{}Z", label(at)))
    }

    pub(super) fn details(&self, status: BackupStatus) -> BackupDetails {
        BackupDetails {
            backup_arn: Some(self.arn.clone()),
            backup_name: Some(self.name.clone()),
            backup_size_bytes: Some(self.bytes),
            backup_status: Some(status),
            backup_type: Some(self.kind()),
            backup_creation_date_time: Some(seconds(self.created)),
            backup_expiry_date_time: self.expires.map(seconds),
        }
    }

    pub(super) fn summary(&self) -> BackupSummary {
        BackupSummary {
            table_name: Some(self.table_name.clone()),
            table_id: Some(self.table.uuid.clone()),
            table_arn: Some(self.table.arn.clone()),
            backup_arn: Some(self.arn.clone()),
            backup_name: Some(self.name.clone()),
            backup_creation_date_time: Some(seconds(self.created)),
            backup_expiry_date_time: self.expires.map(seconds),
            backup_status: Some(self.status()),
            backup_type: Some(self.kind()),
            backup_size_bytes: Some(self.bytes),
        }
    }

    pub(super) fn description(&self, status: BackupStatus) -> BackupDescription {
        let table = &self.table;
        let (units, mode) = match table.billing {
            Billing::Provisioned(reads, writes) => ((reads, writes), BillingMode::Provisioned),
            Billing::OnDemand(_) => ((0, 0), BillingMode::PayPerRequest),
        };
        BackupDescription {
            backup_details: Some(self.details(status)),
            source_table_details: Some(SourceTableDetails {
                table_name: Some(self.table_name.clone()),
                table_id: Some(table.uuid.clone()),
                table_arn: Some(table.arn.clone()),
                table_size_bytes: Some(self.bytes),
                key_schema: Some(table.key.elements()),
                table_creation_date_time: Some(seconds(table.created)),
                provisioned_throughput: Some(throughput(units)),
                on_demand_throughput: table.on_demand.map(ceiling_described),
                item_count: Some(self.items),
                billing_mode: Some(mode),
            }),
            source_table_feature_details: Some(features(table)),
        }
    }
}

fn throughput((reads, writes): (i64, i64)) -> ProvisionedThroughput {
    ProvisionedThroughput {
        read_capacity_units: Some(reads),
        write_capacity_units: Some(writes),
    }
}

/// What is there is named, what is not is left out. Source: ack-api-quirks, services/dynamodb DDB-BACKUP-009, -021.
fn features(table: &TableRecord) -> SourceTableFeatureDetails {
    let local = |index: &IndexRecord| LocalSecondaryIndexInfo {
        index_name: Some(index.name.clone()),
        key_schema: Some(index.key.elements()),
        projection: Some(index.projection.to_wire()),
    };
    let global = |index: &IndexRecord| GlobalSecondaryIndexInfo {
        index_name: Some(index.name.clone()),
        key_schema: Some(index.key.elements()),
        projection: Some(index.projection.to_wire()),
        provisioned_throughput: Some(throughput(index.throughput.unwrap_or_default())),
        on_demand_throughput: index.on_demand.map(ceiling_described),
    };
    let indexes = table.indexes.iter();
    let locals: Vec<_> = indexes.clone().filter(|i| i.local).map(local).collect();
    let globals: Vec<_> = indexes.filter(|i| i.is_global()).map(global).collect();
    SourceTableFeatureDetails {
        local_secondary_indexes: (!locals.is_empty()).then_some(locals),
        global_secondary_indexes: (!globals.is_empty()).then_some(globals),
        stream_description: stream_specification(table),
        time_to_live_description: table.ttl.as_ref().map(|attribute| TimeToLiveDescription {
            time_to_live_status: Some(TimeToLiveStatus::Enabled),
            attribute_name: Some(attribute.clone()),
        }),
        sse_description: table.encrypted_with.as_ref().map(|key| SSEDescription {
            status: Some(SseStatus::Enabled),
            sse_type: Some(SseType::Kms),
            kms_master_key_arn: Some(key.clone()),
        }),
    }
}
