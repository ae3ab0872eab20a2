//! Tables, their keys and indexes.

use super::control::{
    OnDemandThroughput, SSEDescription, SSESpecification, WarmThroughput, WarmThroughputDescription,
};
use super::vectors::{VectorIndex, VectorIndexDescription};

use super::words::{
    BillingMode, IndexStatus, KeyRole, ProjectionType, ScalarAttributeType, StreamViewType,
    TableClass, TableStatus,
};
use crate::constraint::Pattern::Name;
use crate::constraint::Rule::{
    Elements, MaxLength, MaxValue, MinLength, MinValue, Pattern, Required,
};
use crate::constraint::{CONTROL_TABLE, INDEX, INDEX_KEY, REQUIRED, UNITS};

shapes! {
    /// A key attribute's type.
    AttributeDefinition {
        attribute_name: String = "AttributeName" => &[Required, MinLength(1), MaxLength(255)],
        attribute_type: ScalarAttributeType = "AttributeType" => REQUIRED,
    }
    /// A key attribute's role.
    KeySchemaElement {
        attribute_name: String = "AttributeName" => &[Required, MinLength(1), MaxLength(255)],
        key_type: KeyRole = "KeyType" => REQUIRED,
    }
    /// What an index copies.
    Projection {
        projection_type: ProjectionType = "ProjectionType",
        non_key_attributes: Vec<String> = "NonKeyAttributes" => &[MinLength(1), MaxLength(20), Elements { min: 1, max: 255 }],
    }
    /// Read and write units.
    ProvisionedThroughput {
        write_capacity_units: i64 = "WriteCapacityUnits" => UNITS,
        read_capacity_units: i64 = "ReadCapacityUnits" => UNITS,
    }
    /// A GSI to create.
    GlobalSecondaryIndex {
        index_name: String = "IndexName" => INDEX,
        key_schema: Vec<KeySchemaElement> = "KeySchema" => INDEX_KEY,
        projection: Projection = "Projection" => REQUIRED,
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: WarmThroughput = "WarmThroughput",
    }
    /// An LSI to create.
    LocalSecondaryIndex {
        index_name: String = "IndexName" => INDEX,
        key_schema: Vec<KeySchemaElement> = "KeySchema" => &[Required, MinLength(1), MaxLength(2)],
        projection: Projection = "Projection" => REQUIRED,
    }
    /// Stream settings.
    StreamSpecification {
        stream_enabled: bool = "StreamEnabled" => REQUIRED,
        stream_view_type: StreamViewType = "StreamViewType",
    }
    /// A tag.
    Tag {
        key: String = "Key" => &[Required, MinLength(1), MaxLength(128)],
        value: String = "Value" => &[Required, MaxLength(256)],
    }
    /// CreateTable.
    CreateTableInput {
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions" => REQUIRED,
        table_name: String = "TableName" => CONTROL_TABLE,
        billing_mode: BillingMode = "BillingMode",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        key_schema: Vec<KeySchemaElement> = "KeySchema" => &[Required, MinLength(1), MaxLength(2)],
        global_secondary_indexes: Vec<GlobalSecondaryIndex> = "GlobalSecondaryIndexes",
        local_secondary_indexes: Vec<LocalSecondaryIndex> = "LocalSecondaryIndexes",
        stream_specification: StreamSpecification = "StreamSpecification",
        tags: Vec<Tag> = "Tags",
        deletion_protection_enabled: bool = "DeletionProtectionEnabled",
        table_class: TableClass = "TableClass",
        sse_specification: SSESpecification = "SSESpecification",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: WarmThroughput = "WarmThroughput",
        resource_policy: String = "ResourcePolicy",
        vector_indexes: Vec<VectorIndex> = "VectorIndexes",
    }
    /// Billing summary.
    BillingModeSummary {
        billing_mode: BillingMode = "BillingMode",
        last_update_to_pay_per_request_date_time: f64 = "LastUpdateToPayPerRequestDateTime",
    }
    /// Throughput with its history.
    ProvisionedThroughputDescription {
        last_increase_date_time: f64 = "LastIncreaseDateTime",
        last_decrease_date_time: f64 = "LastDecreaseDateTime",
        number_of_decreases_today: i64 = "NumberOfDecreasesToday",
        read_capacity_units: i64 = "ReadCapacityUnits",
        write_capacity_units: i64 = "WriteCapacityUnits",
    }
    /// A GSI as described.
    GlobalSecondaryIndexDescription {
        index_name: String = "IndexName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        projection: Projection = "Projection",
        index_status: IndexStatus = "IndexStatus",
        backfilling: bool = "Backfilling",
        provisioned_throughput: ProvisionedThroughputDescription = "ProvisionedThroughput",
        index_size_bytes: i64 = "IndexSizeBytes",
        item_count: i64 = "ItemCount",
        index_arn: String = "IndexArn",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: WarmThroughputDescription = "WarmThroughput",
    }
    /// An LSI as described.
    LocalSecondaryIndexDescription {
        index_name: String = "IndexName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        projection: Projection = "Projection",
        index_size_bytes: i64 = "IndexSizeBytes",
        item_count: i64 = "ItemCount",
        index_arn: String = "IndexArn",
    }
    /// A table's class.
    TableClassSummary {
        table_class: TableClass = "TableClass",
        last_update_date_time: f64 = "LastUpdateDateTime",
    }
    /// A table as described.
    TableDescription {
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions",
        table_name: String = "TableName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        table_status: TableStatus = "TableStatus",
        creation_date_time: f64 = "CreationDateTime",
        provisioned_throughput: ProvisionedThroughputDescription = "ProvisionedThroughput",
        table_size_bytes: i64 = "TableSizeBytes",
        item_count: i64 = "ItemCount",
        table_arn: String = "TableArn",
        table_id: String = "TableId",
        billing_mode_summary: BillingModeSummary = "BillingModeSummary",
        local_secondary_indexes: Vec<LocalSecondaryIndexDescription> = "LocalSecondaryIndexes",
        global_secondary_indexes: Vec<GlobalSecondaryIndexDescription> = "GlobalSecondaryIndexes",
        stream_specification: StreamSpecification = "StreamSpecification",
        latest_stream_label: String = "LatestStreamLabel",
        latest_stream_arn: String = "LatestStreamArn",
        deletion_protection_enabled: bool = "DeletionProtectionEnabled",
        table_class_summary: TableClassSummary = "TableClassSummary",
        sse_description: SSEDescription = "SSEDescription",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: WarmThroughputDescription = "WarmThroughput",
        restore_summary: RestoreSummary = "RestoreSummary",
        vector_indexes: Vec<VectorIndexDescription> = "VectorIndexes",
    }
    /// Where a table that is being restored comes from.
    RestoreSummary {
        source_backup_arn: String = "SourceBackupArn",
        source_table_arn: String = "SourceTableArn",
        restore_date_time: f64 = "RestoreDateTime",
        restore_in_progress: bool = "RestoreInProgress",
    }
    /// CreateTable's answer.
    CreateTableOutput {
        table_description: TableDescription = "TableDescription",
    }
    /// DescribeTable.
    DescribeTableInput {
        table_name: String = "TableName" => CONTROL_TABLE,
    }
    /// DescribeTable's answer.
    DescribeTableOutput {
        table: TableDescription = "Table",
    }
    /// ListTables.
    ListTablesInput {
        limit: i32 = "Limit" => &[MinValue(1), MaxValue(100)],
        exclusive_start_table_name: String = "ExclusiveStartTableName" => &[MinLength(3), MaxLength(255), Pattern(Name)],
    }
    /// ListTables' answer.
    ListTablesOutput {
        table_names: Vec<String> = "TableNames",
        last_evaluated_table_name: String = "LastEvaluatedTableName",
    }
    /// DeleteTable.
    DeleteTableInput {
        table_name: String = "TableName" => CONTROL_TABLE,
    }
    /// DeleteTable's answer.
    DeleteTableOutput {
        table_description: TableDescription = "TableDescription",
    }
}
