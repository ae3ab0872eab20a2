//! Inputs and outputs of every operation, named as in AWS's API, in snake case.
//!
//! Input members are all optional: that a required one is missing is a validation error, not a type error.

use bothways_core::{Item, Value};
use std::collections::BTreeMap;

/// Something decoded from a request that may hold attribute values which JSON allows and DynamoDB does not.
/// DynamoDB reports those after other checks, so the fault travels with the value until its turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Given<T> {
    /// The value; unspecified content where `fault` is set.
    pub value: T,
    /// What is wrong with it, in AWS's words.
    pub fault: Option<Box<str>>,
}
impl<T> From<T> for Given<T> {
    fn from(value: T) -> Self {
        Self { value, fault: None }
    }
}

/// Capacity in half units (an eventually consistent read of up to 4 KB is one half).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Units(pub u64);
impl Units {
    /// Whole units.
    #[must_use]
    pub const fn whole(n: u64) -> Self {
        Self(n * 2)
    }
}
impl std::ops::Add for Units {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0)
    }
}
impl std::ops::AddAssign for Units {
    fn add_assign(&mut self, o: Self) {
        self.0 += o.0;
    }
}
impl std::iter::Sum for Units {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self(0), |a, b| a + b)
    }
}

/// The members of one shape. (Decoding and encoding hang on this macro: one line per member, once.)
macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty = $wire:literal,)* })*) => {
        $($(#[$doc])* #[derive(Debug, Clone, Default, PartialEq)]
        #[allow(missing_docs, reason = "members are AWS's own")]
        pub struct $name { $(pub $field: Option<$ty>,)* })*
    };
}
/// A closed set of words.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $wire:literal,)* })*) => {
        $($(#[$doc])* #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "words are AWS's own")]
        pub enum $name { $($variant,)* }
        impl $name {
            /// Every word.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            /// The word as on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$variant => $wire,)* } }
        })*
    };
}

words! {
    /// Type of a key attribute.
    ScalarAttributeType { S = "S", N = "N", B = "B", }
    /// Role of a key attribute.
    KeyRole { Hash = "HASH", Range = "RANGE", }
    /// What an index copies.
    ProjectionType { All = "ALL", KeysOnly = "KEYS_ONLY", Include = "INCLUDE", }
    /// How a table is billed.
    BillingMode { Provisioned = "PROVISIONED", PayPerRequest = "PAY_PER_REQUEST", }
    /// State of a table.
    TableStatus { Creating = "CREATING", Updating = "UPDATING", Deleting = "DELETING", Active = "ACTIVE", }
    /// State of an index.
    IndexStatus { Creating = "CREATING", Updating = "UPDATING", Deleting = "DELETING", Active = "ACTIVE", }
    /// What a write returns.
    ReturnValue { None = "NONE", AllOld = "ALL_OLD", UpdatedOld = "UPDATED_OLD", AllNew = "ALL_NEW", UpdatedNew = "UPDATED_NEW", }
    /// What a failed condition returns.
    ReturnValuesOnConditionCheckFailure { AllOld = "ALL_OLD", None = "NONE", }
    /// How much capacity detail to return.
    ReturnConsumedCapacity { Indexes = "INDEXES", Total = "TOTAL", None = "NONE", }
    /// Whether to return item collection sizes.
    ReturnItemCollectionMetrics { Size = "SIZE", None = "NONE", }
    /// What a Query or Scan returns.
    Select { AllAttributes = "ALL_ATTRIBUTES", AllProjectedAttributes = "ALL_PROJECTED_ATTRIBUTES", SpecificAttributes = "SPECIFIC_ATTRIBUTES", Count = "COUNT", }
    /// What a stream record carries.
    StreamViewType { NewImage = "NEW_IMAGE", OldImage = "OLD_IMAGE", NewAndOldImages = "NEW_AND_OLD_IMAGES", KeysOnly = "KEYS_ONLY", }
    /// And or or, for the legacy parameters.
    ConditionalOperator { And = "AND", Or = "OR", }
}

/// `#name` → attribute name.
pub type Names = BTreeMap<String, String>;
/// `:value` → attribute value.
pub type Values = BTreeMap<String, Value>;

shapes! {
    /// A key attribute's type.
    AttributeDefinition { attribute_name: String = "AttributeName", attribute_type: ScalarAttributeType = "AttributeType", }
    /// A key attribute's role.
    KeySchemaElement { attribute_name: String = "AttributeName", key_type: KeyRole = "KeyType", }
    /// What an index copies.
    Projection { projection_type: ProjectionType = "ProjectionType", non_key_attributes: Vec<String> = "NonKeyAttributes", }
    /// Read and write units.
    ProvisionedThroughput { read_capacity_units: i64 = "ReadCapacityUnits", write_capacity_units: i64 = "WriteCapacityUnits", }
    /// A GSI to create.
    GlobalSecondaryIndex {
        index_name: String = "IndexName", key_schema: Vec<KeySchemaElement> = "KeySchema",
        projection: Projection = "Projection", provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
    }
    /// An LSI to create.
    LocalSecondaryIndex {
        index_name: String = "IndexName", key_schema: Vec<KeySchemaElement> = "KeySchema", projection: Projection = "Projection",
    }
    /// Stream settings.
    StreamSpecification { stream_enabled: bool = "StreamEnabled", stream_view_type: StreamViewType = "StreamViewType", }
    /// A tag.
    Tag { key: String = "Key", value: String = "Value", }
    /// CreateTable.
    CreateTableInput {
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions", table_name: String = "TableName",
        key_schema: Vec<KeySchemaElement> = "KeySchema", local_secondary_indexes: Vec<LocalSecondaryIndex> = "LocalSecondaryIndexes",
        global_secondary_indexes: Vec<GlobalSecondaryIndex> = "GlobalSecondaryIndexes", billing_mode: BillingMode = "BillingMode",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput", stream_specification: StreamSpecification = "StreamSpecification",
        tags: Vec<Tag> = "Tags", deletion_protection_enabled: bool = "DeletionProtectionEnabled", table_class: String = "TableClass",
    }
    /// Billing summary.
    BillingModeSummary { billing_mode: BillingMode = "BillingMode", last_update_to_pay_per_request_date_time: f64 = "LastUpdateToPayPerRequestDateTime", }
    /// Throughput with its history.
    ProvisionedThroughputDescription {
        last_increase_date_time: f64 = "LastIncreaseDateTime", last_decrease_date_time: f64 = "LastDecreaseDateTime",
        number_of_decreases_today: i64 = "NumberOfDecreasesToday", read_capacity_units: i64 = "ReadCapacityUnits", write_capacity_units: i64 = "WriteCapacityUnits",
    }
    /// A GSI as described.
    GlobalSecondaryIndexDescription {
        index_name: String = "IndexName", key_schema: Vec<KeySchemaElement> = "KeySchema", projection: Projection = "Projection",
        index_status: IndexStatus = "IndexStatus", backfilling: bool = "Backfilling",
        provisioned_throughput: ProvisionedThroughputDescription = "ProvisionedThroughput", index_size_bytes: i64 = "IndexSizeBytes",
        item_count: i64 = "ItemCount", index_arn: String = "IndexArn",
    }
    /// An LSI as described.
    LocalSecondaryIndexDescription {
        index_name: String = "IndexName", key_schema: Vec<KeySchemaElement> = "KeySchema", projection: Projection = "Projection",
        index_size_bytes: i64 = "IndexSizeBytes", item_count: i64 = "ItemCount", index_arn: String = "IndexArn",
    }
    /// A table's class.
    TableClassSummary { table_class: String = "TableClass", }
    /// A table as described.
    TableDescription {
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions", table_name: String = "TableName",
        key_schema: Vec<KeySchemaElement> = "KeySchema", table_status: TableStatus = "TableStatus", creation_date_time: f64 = "CreationDateTime",
        provisioned_throughput: ProvisionedThroughputDescription = "ProvisionedThroughput", table_size_bytes: i64 = "TableSizeBytes",
        item_count: i64 = "ItemCount", table_arn: String = "TableArn", table_id: String = "TableId", billing_mode_summary: BillingModeSummary = "BillingModeSummary",
        local_secondary_indexes: Vec<LocalSecondaryIndexDescription> = "LocalSecondaryIndexes",
        global_secondary_indexes: Vec<GlobalSecondaryIndexDescription> = "GlobalSecondaryIndexes",
        stream_specification: StreamSpecification = "StreamSpecification", latest_stream_label: String = "LatestStreamLabel",
        latest_stream_arn: String = "LatestStreamArn", deletion_protection_enabled: bool = "DeletionProtectionEnabled",
        table_class_summary: TableClassSummary = "TableClassSummary",
    }
    /// CreateTable's answer.
    CreateTableOutput { table_description: TableDescription = "TableDescription", }
    /// DescribeTable.
    DescribeTableInput { table_name: String = "TableName", }
    /// DescribeTable's answer.
    DescribeTableOutput { table: TableDescription = "Table", }
    /// ListTables.
    ListTablesInput { exclusive_start_table_name: String = "ExclusiveStartTableName", limit: i64 = "Limit", }
    /// ListTables' answer.
    ListTablesOutput { table_names: Vec<String> = "TableNames", last_evaluated_table_name: String = "LastEvaluatedTableName", }
    /// DeleteTable.
    DeleteTableInput { table_name: String = "TableName", }
    /// DeleteTable's answer.
    DeleteTableOutput { table_description: TableDescription = "TableDescription", }

    /// Units of a table or an index.
    Capacity { read_capacity_units: Units = "ReadCapacityUnits", write_capacity_units: Units = "WriteCapacityUnits", capacity_units: Units = "CapacityUnits", }
    /// What a request consumed.
    ConsumedCapacity {
        table_name: String = "TableName", capacity_units: Units = "CapacityUnits", read_capacity_units: Units = "ReadCapacityUnits",
        write_capacity_units: Units = "WriteCapacityUnits", table: Capacity = "Table",
        local_secondary_indexes: BTreeMap<String, Capacity> = "LocalSecondaryIndexes",
        global_secondary_indexes: BTreeMap<String, Capacity> = "GlobalSecondaryIndexes",
    }
    /// Sizes of an item collection.
    ItemCollectionMetrics { item_collection_key: Item = "ItemCollectionKey", size_estimate_range_gb: Vec<f64> = "SizeEstimateRangeGB", }
    /// A legacy expectation.
    ExpectedAttributeValue { value: Given<Value> = "Value", exists: bool = "Exists", comparison_operator: String = "ComparisonOperator", attribute_value_list: Vec<Given<Value>> = "AttributeValueList", }
    /// A legacy condition.
    LegacyCondition { comparison_operator: String = "ComparisonOperator", attribute_value_list: Vec<Given<Value>> = "AttributeValueList", }
    /// A legacy update.
    AttributeValueUpdate { value: Given<Value> = "Value", action: String = "Action", }
    /// PutItem.
    PutItemInput {
        table_name: String = "TableName", item: Given<Item> = "Item", expected: BTreeMap<String, ExpectedAttributeValue> = "Expected",
        return_values: ReturnValue = "ReturnValues", return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        return_item_collection_metrics: ReturnItemCollectionMetrics = "ReturnItemCollectionMetrics", conditional_operator: ConditionalOperator = "ConditionalOperator",
        condition_expression: String = "ConditionExpression", expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// PutItem's answer.
    PutItemOutput { attributes: Item = "Attributes", consumed_capacity: ConsumedCapacity = "ConsumedCapacity", item_collection_metrics: ItemCollectionMetrics = "ItemCollectionMetrics", }
    /// GetItem.
    GetItemInput {
        table_name: String = "TableName", key: Given<Item> = "Key", attributes_to_get: Vec<String> = "AttributesToGet", consistent_read: bool = "ConsistentRead",
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity", projection_expression: String = "ProjectionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
    }
    /// GetItem's answer.
    GetItemOutput { item: Item = "Item", consumed_capacity: ConsumedCapacity = "ConsumedCapacity", }
    /// UpdateItem.
    UpdateItemInput {
        table_name: String = "TableName", key: Given<Item> = "Key", attribute_updates: BTreeMap<String, AttributeValueUpdate> = "AttributeUpdates",
        expected: BTreeMap<String, ExpectedAttributeValue> = "Expected", conditional_operator: ConditionalOperator = "ConditionalOperator",
        return_values: ReturnValue = "ReturnValues", return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        return_item_collection_metrics: ReturnItemCollectionMetrics = "ReturnItemCollectionMetrics", update_expression: String = "UpdateExpression",
        condition_expression: String = "ConditionExpression", expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// UpdateItem's answer.
    UpdateItemOutput { attributes: Item = "Attributes", consumed_capacity: ConsumedCapacity = "ConsumedCapacity", item_collection_metrics: ItemCollectionMetrics = "ItemCollectionMetrics", }
    /// DeleteItem.
    DeleteItemInput {
        table_name: String = "TableName", key: Given<Item> = "Key", expected: BTreeMap<String, ExpectedAttributeValue> = "Expected",
        conditional_operator: ConditionalOperator = "ConditionalOperator", return_values: ReturnValue = "ReturnValues",
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity", return_item_collection_metrics: ReturnItemCollectionMetrics = "ReturnItemCollectionMetrics",
        condition_expression: String = "ConditionExpression", expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// DeleteItem's answer.
    DeleteItemOutput { attributes: Item = "Attributes", consumed_capacity: ConsumedCapacity = "ConsumedCapacity", item_collection_metrics: ItemCollectionMetrics = "ItemCollectionMetrics", }
    /// Query.
    QueryInput {
        table_name: String = "TableName", index_name: String = "IndexName", select: Select = "Select", attributes_to_get: Vec<String> = "AttributesToGet",
        limit: i64 = "Limit", consistent_read: bool = "ConsistentRead", key_conditions: BTreeMap<String, LegacyCondition> = "KeyConditions",
        query_filter: BTreeMap<String, LegacyCondition> = "QueryFilter", conditional_operator: ConditionalOperator = "ConditionalOperator",
        scan_index_forward: bool = "ScanIndexForward", exclusive_start_key: Given<Item> = "ExclusiveStartKey",
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity", projection_expression: String = "ProjectionExpression",
        filter_expression: String = "FilterExpression", key_condition_expression: String = "KeyConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames", expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
    }
    /// Query's answer.
    QueryOutput { items: Vec<Item> = "Items", count: i64 = "Count", scanned_count: i64 = "ScannedCount", last_evaluated_key: Item = "LastEvaluatedKey", consumed_capacity: ConsumedCapacity = "ConsumedCapacity", }
    /// Scan.
    ScanInput {
        table_name: String = "TableName", index_name: String = "IndexName", attributes_to_get: Vec<String> = "AttributesToGet", limit: i64 = "Limit",
        select: Select = "Select", scan_filter: BTreeMap<String, LegacyCondition> = "ScanFilter", conditional_operator: ConditionalOperator = "ConditionalOperator",
        exclusive_start_key: Given<Item> = "ExclusiveStartKey", return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        total_segments: i64 = "TotalSegments", segment: i64 = "Segment", projection_expression: String = "ProjectionExpression",
        filter_expression: String = "FilterExpression", expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues", consistent_read: bool = "ConsistentRead",
    }
    /// Scan's answer.
    ScanOutput { items: Vec<Item> = "Items", count: i64 = "Count", scanned_count: i64 = "ScannedCount", last_evaluated_key: Item = "LastEvaluatedKey", consumed_capacity: ConsumedCapacity = "ConsumedCapacity", }
    /// Keys to read from one table.
    KeysAndAttributes {
        keys: Vec<Given<Item>> = "Keys", attributes_to_get: Vec<String> = "AttributesToGet", consistent_read: bool = "ConsistentRead",
        projection_expression: String = "ProjectionExpression", expression_attribute_names: Names = "ExpressionAttributeNames",
    }
    /// BatchGetItem.
    BatchGetItemInput { request_items: BTreeMap<String, KeysAndAttributes> = "RequestItems", return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity", }
    /// BatchGetItem's answer.
    BatchGetItemOutput { responses: BTreeMap<String, Vec<Item>> = "Responses", unprocessed_keys: BTreeMap<String, KeysAndAttributes> = "UnprocessedKeys", consumed_capacity: Vec<ConsumedCapacity> = "ConsumedCapacity", }
    /// An item to put.
    PutRequest { item: Given<Item> = "Item", }
    /// An item to delete.
    DeleteRequest { key: Given<Item> = "Key", }
    /// One of the two.
    WriteRequest { put_request: PutRequest = "PutRequest", delete_request: DeleteRequest = "DeleteRequest", }
    /// BatchWriteItem.
    BatchWriteItemInput {
        request_items: BTreeMap<String, Vec<WriteRequest>> = "RequestItems", return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        return_item_collection_metrics: ReturnItemCollectionMetrics = "ReturnItemCollectionMetrics",
    }
    /// BatchWriteItem's answer.
    BatchWriteItemOutput {
        unprocessed_items: BTreeMap<String, Vec<WriteRequest>> = "UnprocessedItems",
        item_collection_metrics: BTreeMap<String, Vec<ItemCollectionMetrics>> = "ItemCollectionMetrics", consumed_capacity: Vec<ConsumedCapacity> = "ConsumedCapacity",
    }
    /// One read of a transaction.
    Get { key: Given<Item> = "Key", table_name: String = "TableName", projection_expression: String = "ProjectionExpression", expression_attribute_names: Names = "ExpressionAttributeNames", }
    /// One action of a reading transaction.
    TransactGetItem { get: Get = "Get", }
    /// TransactGetItems.
    TransactGetItemsInput { transact_items: Vec<TransactGetItem> = "TransactItems", return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity", }
    /// One result.
    ItemResponse { item: Item = "Item", }
    /// TransactGetItems' answer.
    TransactGetItemsOutput { consumed_capacity: Vec<ConsumedCapacity> = "ConsumedCapacity", responses: Vec<ItemResponse> = "Responses", }
    /// A condition on an item that is not written.
    ConditionCheck {
        key: Given<Item> = "Key", table_name: String = "TableName", condition_expression: String = "ConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames", expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// A put of a transaction.
    Put {
        item: Given<Item> = "Item", table_name: String = "TableName", condition_expression: String = "ConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames", expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// A delete of a transaction.
    Delete {
        key: Given<Item> = "Key", table_name: String = "TableName", condition_expression: String = "ConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames", expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// An update of a transaction.
    Update {
        key: Given<Item> = "Key", update_expression: String = "UpdateExpression", table_name: String = "TableName", condition_expression: String = "ConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames", expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// One action of a writing transaction.
    TransactWriteItem { condition_check: ConditionCheck = "ConditionCheck", put: Put = "Put", delete: Delete = "Delete", update: Update = "Update", }
    /// TransactWriteItems.
    TransactWriteItemsInput {
        transact_items: Vec<TransactWriteItem> = "TransactItems", return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        return_item_collection_metrics: ReturnItemCollectionMetrics = "ReturnItemCollectionMetrics", client_request_token: String = "ClientRequestToken",
    }
    /// TransactWriteItems' answer.
    TransactWriteItemsOutput { consumed_capacity: Vec<ConsumedCapacity> = "ConsumedCapacity", item_collection_metrics: BTreeMap<String, Vec<ItemCollectionMetrics>> = "ItemCollectionMetrics", }
}
