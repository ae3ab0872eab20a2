//! The control plane beside creating and deleting tables: updates, TTL, tags, limits, backups.

use super::table::{
    AttributeDefinition, KeySchemaElement, Projection, ProvisionedThroughput, StreamSpecification,
    TableDescription, Tag,
};
use super::vectors::VectorIndexUpdate;
use super::words::{
    BillingMode, ContinuousBackupsStatus, SseStatus, SseType, TableClass, TimeToLiveStatus,
};
use crate::constraint::Rule::{MaxLength, MinLength, Required};
use crate::constraint::{CONTROL_TABLE, INDEX, INDEX_KEY, READ_TABLE, REQUIRED, RESOURCE_ARN};

shapes! {
    /// A table's or an index's ceiling on demand.
    OnDemandThroughput {
        max_read_request_units: i64 = "MaxReadRequestUnits",
        max_write_request_units: i64 = "MaxWriteRequestUnits",
    }
    /// Throughput to be ready for.
    WarmThroughput {
        read_units_per_second: i64 = "ReadUnitsPerSecond",
        write_units_per_second: i64 = "WriteUnitsPerSecond",
    }
    /// Throughput that a table or index is ready for.
    WarmThroughputDescription {
        read_units_per_second: i64 = "ReadUnitsPerSecond",
        write_units_per_second: i64 = "WriteUnitsPerSecond",
        status: String = "Status",
    }
    /// Encryption asked for.
    SSESpecification {
        enabled: bool = "Enabled",
        sse_type: SseType = "SSEType",
        kms_master_key_id: String = "KMSMasterKeyId",
    }
    /// Encryption as described.
    SSEDescription {
        status: SseStatus = "Status",
        sse_type: SseType = "SSEType",
        kms_master_key_arn: String = "KMSMasterKeyArn",
    }
    /// New throughput for a GSI.
    UpdateGlobalSecondaryIndexAction {
        index_name: String = "IndexName" => INDEX,
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: WarmThroughput = "WarmThroughput",
    }
    /// A GSI to add.
    CreateGlobalSecondaryIndexAction {
        index_name: String = "IndexName" => INDEX,
        key_schema: Vec<KeySchemaElement> = "KeySchema" => INDEX_KEY,
        projection: Projection = "Projection" => REQUIRED,
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: WarmThroughput = "WarmThroughput",
    }
    /// A GSI to drop.
    DeleteGlobalSecondaryIndexAction { index_name: String = "IndexName" => INDEX, }
    /// One of the three.
    GlobalSecondaryIndexUpdate {
        update: UpdateGlobalSecondaryIndexAction = "Update",
        create: CreateGlobalSecondaryIndexAction = "Create",
        delete: DeleteGlobalSecondaryIndexAction = "Delete",
    }
    /// UpdateTable.
    UpdateTableInput {
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions",
        table_name: String = "TableName" => CONTROL_TABLE,
        billing_mode: BillingMode = "BillingMode",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        global_secondary_index_updates: Vec<GlobalSecondaryIndexUpdate> = "GlobalSecondaryIndexUpdates",
        stream_specification: StreamSpecification = "StreamSpecification",
        sse_specification: SSESpecification = "SSESpecification",
        table_class: TableClass = "TableClass",
        deletion_protection_enabled: bool = "DeletionProtectionEnabled",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: WarmThroughput = "WarmThroughput",
        vector_index_updates: Vec<VectorIndexUpdate> = "VectorIndexUpdates",
    }
    /// UpdateTable's answer.
    UpdateTableOutput { table_description: TableDescription = "TableDescription", }

    /// TTL asked for.
    TimeToLiveSpecification {
        enabled: bool = "Enabled" => REQUIRED,
        attribute_name: String = "AttributeName" => &[Required, MinLength(1), MaxLength(255)],
    }
    /// UpdateTimeToLive.
    UpdateTimeToLiveInput {
        table_name: String = "TableName" => READ_TABLE,
        time_to_live_specification: TimeToLiveSpecification = "TimeToLiveSpecification" => REQUIRED,
    }
    /// UpdateTimeToLive's answer.
    UpdateTimeToLiveOutput {
        time_to_live_specification: TimeToLiveSpecification = "TimeToLiveSpecification",
    }
    /// TTL as described.
    TimeToLiveDescription {
        time_to_live_status: TimeToLiveStatus = "TimeToLiveStatus",
        attribute_name: String = "AttributeName",
    }
    /// DescribeTimeToLive.
    DescribeTimeToLiveInput { table_name: String = "TableName" => READ_TABLE, }
    /// DescribeTimeToLive's answer.
    DescribeTimeToLiveOutput { time_to_live_description: TimeToLiveDescription = "TimeToLiveDescription", }

    /// TagResource.
    TagResourceInput {
        resource_arn: String = "ResourceArn" => RESOURCE_ARN,
        tags: Vec<Tag> = "Tags" => REQUIRED,
    }
    /// TagResource's answer: nothing.
    TagResourceOutput {}
    /// UntagResource.
    UntagResourceInput {
        resource_arn: String = "ResourceArn" => RESOURCE_ARN,
        tag_keys: Vec<String> = "TagKeys" => REQUIRED,
    }
    /// UntagResource's answer: nothing.
    UntagResourceOutput {}
    /// ListTagsOfResource.
    ListTagsOfResourceInput {
        resource_arn: String = "ResourceArn" => RESOURCE_ARN,
        next_token: String = "NextToken",
    }
    /// ListTagsOfResource's answer.
    ListTagsOfResourceOutput { tags: Vec<Tag> = "Tags", next_token: String = "NextToken", }

    /// DescribeLimits.
    DescribeLimitsInput {}
    /// DescribeLimits' answer.
    DescribeLimitsOutput {
        account_max_read_capacity_units: i64 = "AccountMaxReadCapacityUnits",
        account_max_write_capacity_units: i64 = "AccountMaxWriteCapacityUnits",
        table_max_read_capacity_units: i64 = "TableMaxReadCapacityUnits",
        table_max_write_capacity_units: i64 = "TableMaxWriteCapacityUnits",
    }
    /// DescribeEndpoints.
    DescribeEndpointsInput {}
    /// An endpoint and for how long to believe it.
    Endpoint { address: String = "Address", cache_period_in_minutes: i64 = "CachePeriodInMinutes", }
    /// DescribeEndpoints' answer.
    DescribeEndpointsOutput { endpoints: Vec<Endpoint> = "Endpoints", }

    /// DescribeContinuousBackups.
    DescribeContinuousBackupsInput { table_name: String = "TableName" => READ_TABLE, }
    /// Point-in-time recovery as described.
    PointInTimeRecoveryDescription {
        point_in_time_recovery_status: ContinuousBackupsStatus = "PointInTimeRecoveryStatus",
        recovery_period_in_days: i32 = "RecoveryPeriodInDays",
        earliest_restorable_date_time: f64 = "EarliestRestorableDateTime",
        latest_restorable_date_time: f64 = "LatestRestorableDateTime",
    }
    /// Continuous backups as described.
    ContinuousBackupsDescription {
        continuous_backups_status: ContinuousBackupsStatus = "ContinuousBackupsStatus",
        point_in_time_recovery_description: PointInTimeRecoveryDescription = "PointInTimeRecoveryDescription",
    }
    /// DescribeContinuousBackups' answer.
    DescribeContinuousBackupsOutput {
        continuous_backups_description: ContinuousBackupsDescription = "ContinuousBackupsDescription",
    }
}
