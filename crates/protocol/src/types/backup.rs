//! Backups on demand, recovery to a point in time, and restores.

use super::control::{
    ContinuousBackupsDescription, OnDemandThroughput, SSEDescription, SSESpecification,
    TimeToLiveDescription,
};
use super::table::{
    GlobalSecondaryIndex, KeySchemaElement, LocalSecondaryIndex, Projection, ProvisionedThroughput,
    StreamSpecification, TableDescription,
};
use super::vectors::VectorIndex;
use super::words::{BackupStatus, BackupType, BackupTypeFilter, BillingMode};
use crate::constraint::Pattern::Name;
use crate::constraint::Rule::{MaxLength, MaxValue, MinLength, MinValue, Pattern, Required};
use crate::constraint::{BACKUP_ARN, READ_TABLE, REQUIRED, TARGET_TABLE};

shapes! {
    /// Point-in-time recovery asked for.
    PointInTimeRecoverySpecification {
        point_in_time_recovery_enabled: bool = "PointInTimeRecoveryEnabled" => REQUIRED,
        recovery_period_in_days: i32 = "RecoveryPeriodInDays" => &[MinValue(1), MaxValue(35)],
    }
    /// UpdateContinuousBackups.
    UpdateContinuousBackupsInput {
        table_name: String = "TableName" => READ_TABLE,
        point_in_time_recovery_specification: PointInTimeRecoverySpecification = "PointInTimeRecoverySpecification" => REQUIRED,
    }
    /// UpdateContinuousBackups' answer.
    UpdateContinuousBackupsOutput {
        continuous_backups_description: ContinuousBackupsDescription = "ContinuousBackupsDescription",
    }

    /// CreateBackup.
    CreateBackupInput {
        table_name: String = "TableName" => READ_TABLE,
        backup_name: String = "BackupName" => &[Required, MinLength(3), MaxLength(255), Pattern(Name)],
    }
    /// A backup.
    BackupDetails {
        backup_arn: String = "BackupArn",
        backup_name: String = "BackupName",
        backup_size_bytes: i64 = "BackupSizeBytes",
        backup_status: BackupStatus = "BackupStatus",
        backup_type: BackupType = "BackupType",
        backup_creation_date_time: f64 = "BackupCreationDateTime",
        backup_expiry_date_time: f64 = "BackupExpiryDateTime",
    }
    /// CreateBackup's answer.
    CreateBackupOutput { backup_details: BackupDetails = "BackupDetails", }
    /// The table of a backup, as it was.
    SourceTableDetails {
        table_name: String = "TableName",
        table_id: String = "TableId",
        table_arn: String = "TableArn",
        table_size_bytes: i64 = "TableSizeBytes",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        table_creation_date_time: f64 = "TableCreationDateTime",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        item_count: i64 = "ItemCount",
        billing_mode: BillingMode = "BillingMode",
    }
    /// An LSI of a backup.
    LocalSecondaryIndexInfo {
        index_name: String = "IndexName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        projection: Projection = "Projection",
    }
    /// A GSI of a backup.
    GlobalSecondaryIndexInfo {
        index_name: String = "IndexName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        projection: Projection = "Projection",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
    }
    /// What else the table of a backup had.
    SourceTableFeatureDetails {
        local_secondary_indexes: Vec<LocalSecondaryIndexInfo> = "LocalSecondaryIndexes",
        global_secondary_indexes: Vec<GlobalSecondaryIndexInfo> = "GlobalSecondaryIndexes",
        stream_description: StreamSpecification = "StreamDescription",
        time_to_live_description: TimeToLiveDescription = "TimeToLiveDescription",
        sse_description: SSEDescription = "SSEDescription",
    }
    /// A backup with its table.
    BackupDescription {
        backup_details: BackupDetails = "BackupDetails",
        source_table_details: SourceTableDetails = "SourceTableDetails",
        source_table_feature_details: SourceTableFeatureDetails = "SourceTableFeatureDetails",
    }
    /// DescribeBackup.
    DescribeBackupInput { backup_arn: String = "BackupArn" => BACKUP_ARN, }
    /// DescribeBackup's answer.
    DescribeBackupOutput { backup_description: BackupDescription = "BackupDescription", }
    /// DeleteBackup.
    DeleteBackupInput { backup_arn: String = "BackupArn" => BACKUP_ARN, }
    /// DeleteBackup's answer.
    DeleteBackupOutput { backup_description: BackupDescription = "BackupDescription", }
    /// ListBackups.
    ListBackupsInput {
        table_name: String = "TableName" => &[MinLength(1), MaxLength(255), Pattern(crate::constraint::Pattern::Table)],
        limit: i32 = "Limit" => &[MinValue(1), MaxValue(100)],
        time_range_lower_bound: f64 = "TimeRangeLowerBound",
        time_range_upper_bound: f64 = "TimeRangeUpperBound",
        exclusive_start_backup_arn: String = "ExclusiveStartBackupArn" => &[MinLength(37), MaxLength(1024)],
        backup_type: BackupTypeFilter = "BackupType",
    }
    /// A backup in a list.
    BackupSummary {
        table_name: String = "TableName",
        table_id: String = "TableId",
        table_arn: String = "TableArn",
        backup_arn: String = "BackupArn",
        backup_name: String = "BackupName",
        backup_creation_date_time: f64 = "BackupCreationDateTime",
        backup_expiry_date_time: f64 = "BackupExpiryDateTime",
        backup_status: BackupStatus = "BackupStatus",
        backup_type: BackupType = "BackupType",
        backup_size_bytes: i64 = "BackupSizeBytes",
    }
    /// ListBackups' answer.
    ListBackupsOutput {
        backup_summaries: Vec<BackupSummary> = "BackupSummaries",
        last_evaluated_backup_arn: String = "LastEvaluatedBackupArn",
    }

    /// RestoreTableFromBackup.
    RestoreTableFromBackupInput {
        target_table_name: String = "TargetTableName" => TARGET_TABLE,
        backup_arn: String = "BackupArn" => BACKUP_ARN,
        billing_mode_override: BillingMode = "BillingModeOverride",
        global_secondary_index_override: Vec<GlobalSecondaryIndex> = "GlobalSecondaryIndexOverride",
        local_secondary_index_override: Vec<LocalSecondaryIndex> = "LocalSecondaryIndexOverride",
        provisioned_throughput_override: ProvisionedThroughput = "ProvisionedThroughputOverride",
        on_demand_throughput_override: OnDemandThroughput = "OnDemandThroughputOverride",
        sse_specification_override: SSESpecification = "SSESpecificationOverride",
        vector_index_override: Vec<VectorIndex> = "VectorIndexOverride",
    }
    /// RestoreTableFromBackup's answer.
    RestoreTableFromBackupOutput { table_description: TableDescription = "TableDescription", }
    /// RestoreTableToPointInTime.
    RestoreTableToPointInTimeInput {
        source_table_arn: String = "SourceTableArn" => &[MinLength(1), MaxLength(1024)],
        source_table_name: String = "SourceTableName" => &[MinLength(3), MaxLength(255), Pattern(Name)],
        target_table_name: String = "TargetTableName" => TARGET_TABLE,
        use_latest_restorable_time: bool = "UseLatestRestorableTime",
        restore_date_time: f64 = "RestoreDateTime",
        billing_mode_override: BillingMode = "BillingModeOverride",
        global_secondary_index_override: Vec<GlobalSecondaryIndex> = "GlobalSecondaryIndexOverride",
        local_secondary_index_override: Vec<LocalSecondaryIndex> = "LocalSecondaryIndexOverride",
        provisioned_throughput_override: ProvisionedThroughput = "ProvisionedThroughputOverride",
        on_demand_throughput_override: OnDemandThroughput = "OnDemandThroughputOverride",
        sse_specification_override: SSESpecification = "SSESpecificationOverride",
        vector_index_override: Vec<VectorIndex> = "VectorIndexOverride",
    }
    /// RestoreTableToPointInTime's answer.
    RestoreTableToPointInTimeOutput { table_description: TableDescription = "TableDescription", }
}
