//! Items, one at a time and by Query and Scan.

use super::values::{Given, Names, Units, Values};

use super::words::{
    AttributeAction, ComparisonOperator, ConditionalOperator, ReturnConsumedCapacity,
    ReturnItemCollectionMetrics, ReturnValue, ReturnValuesOnConditionCheckFailure, Select,
};
use super::{BTreeMap, Item, Value, VectorCapacity};
use crate::constraint::Pattern::Name;
use crate::constraint::Rule::{
    BareWord, FirstMinValue, FirstWord, MaxLength, MaxValue, MinLength, MinValue, Pattern,
    Uncounted,
};
use crate::constraint::{READ_TABLE, REQUIRED, WRITE_KEY, WRITE_TABLE};

shapes! {
    /// Units of a table or an index.
    Capacity {
        read_capacity_units: Units = "ReadCapacityUnits",
        write_capacity_units: Units = "WriteCapacityUnits",
        capacity_units: Units = "CapacityUnits",
    }
    /// What a request consumed.
    ConsumedCapacity {
        table_name: String = "TableName",
        capacity_units: Units = "CapacityUnits",
        read_capacity_units: Units = "ReadCapacityUnits",
        write_capacity_units: Units = "WriteCapacityUnits",
        table: Capacity = "Table",
        local_secondary_indexes: BTreeMap<String, Capacity> = "LocalSecondaryIndexes",
        global_secondary_indexes: BTreeMap<String, Capacity> = "GlobalSecondaryIndexes",
        vector_indexes: BTreeMap<String, VectorCapacity> = "VectorIndexes",
    }
    /// Sizes of an item collection.
    ItemCollectionMetrics {
        item_collection_key: Item = "ItemCollectionKey",
        size_estimate_range_gb: Vec<f64> = "SizeEstimateRangeGB",
    }
    /// A legacy expectation.
    ExpectedAttributeValue {
        value: Given<Value> = "Value",
        exists: bool = "Exists",
        comparison_operator: ComparisonOperator = "ComparisonOperator",
        attribute_value_list: Vec<Given<Value>> = "AttributeValueList",
    }
    /// A legacy condition.
    Condition {
        comparison_operator: ComparisonOperator = "ComparisonOperator" => REQUIRED,
        attribute_value_list: Vec<Given<Value>> = "AttributeValueList",
    }
    /// A legacy update.
    AttributeValueUpdate {
        value: Given<Value> = "Value",
        action: AttributeAction = "Action",
    }
    /// PutItem.
    PutItemInput {
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        table_name: String = "TableName" => WRITE_TABLE,
        item: Given<Item> = "Item" => WRITE_KEY,
        conditional_operator: ConditionalOperator = "ConditionalOperator" => &[BareWord],
        expected: BTreeMap<String, ExpectedAttributeValue> = "Expected",
        return_values: ReturnValue = "ReturnValues" => &[BareWord],
        return_item_collection_metrics: ReturnItemCollectionMetrics = "ReturnItemCollectionMetrics",
        condition_expression: String = "ConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// PutItem's answer.
    PutItemOutput {
        attributes: Item = "Attributes",
        consumed_capacity: ConsumedCapacity = "ConsumedCapacity",
        item_collection_metrics: ItemCollectionMetrics = "ItemCollectionMetrics",
    }
    /// GetItem.
    GetItemInput {
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        attributes_to_get: Vec<String> = "AttributesToGet" => &[MinLength(1), MaxLength(255)],
        table_name: String = "TableName" => READ_TABLE,
        key: Given<Item> = "Key" => REQUIRED,
        consistent_read: bool = "ConsistentRead",
        projection_expression: String = "ProjectionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
    }
    /// GetItem's answer.
    GetItemOutput {
        item: Item = "Item",
        consumed_capacity: ConsumedCapacity = "ConsumedCapacity",
    }
    /// UpdateItem.
    UpdateItemInput {
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        table_name: String = "TableName" => WRITE_TABLE,
        return_item_collection_metrics: ReturnItemCollectionMetrics = "ReturnItemCollectionMetrics",
        return_values: ReturnValue = "ReturnValues" => &[BareWord, FirstWord],
        conditional_operator: ConditionalOperator = "ConditionalOperator" => &[BareWord],
        key: Given<Item> = "Key" => WRITE_KEY,
        expected: BTreeMap<String, ExpectedAttributeValue> = "Expected",
        attribute_updates: BTreeMap<String, AttributeValueUpdate> = "AttributeUpdates",
        update_expression: String = "UpdateExpression",
        condition_expression: String = "ConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// UpdateItem's answer.
    UpdateItemOutput {
        attributes: Item = "Attributes",
        consumed_capacity: ConsumedCapacity = "ConsumedCapacity",
        item_collection_metrics: ItemCollectionMetrics = "ItemCollectionMetrics",
    }
    /// DeleteItem.
    DeleteItemInput {
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        table_name: String = "TableName" => WRITE_TABLE,
        return_values: ReturnValue = "ReturnValues" => &[BareWord],
        return_item_collection_metrics: ReturnItemCollectionMetrics = "ReturnItemCollectionMetrics",
        key: Given<Item> = "Key" => WRITE_KEY,
        conditional_operator: ConditionalOperator = "ConditionalOperator" => &[BareWord],
        expected: BTreeMap<String, ExpectedAttributeValue> = "Expected",
        condition_expression: String = "ConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// DeleteItem's answer.
    DeleteItemOutput {
        attributes: Item = "Attributes",
        consumed_capacity: ConsumedCapacity = "ConsumedCapacity",
        item_collection_metrics: ItemCollectionMetrics = "ItemCollectionMetrics",
    }
    /// Query.
    QueryInput {
        select: Select = "Select",
        index_name: String = "IndexName" => &[MinLength(3), MaxLength(255), Pattern(Name)],
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        query_filter: BTreeMap<String, Condition> = "QueryFilter",
        table_name: String = "TableName" => READ_TABLE,
        conditional_operator: ConditionalOperator = "ConditionalOperator" => &[BareWord, FirstWord, Uncounted],
        attributes_to_get: Vec<String> = "AttributesToGet" => &[MinLength(1), MaxLength(255)],
        limit: i32 = "Limit" => &[FirstMinValue(1)],
        key_conditions: BTreeMap<String, Condition> = "KeyConditions",
        exclusive_start_key: Given<Item> = "ExclusiveStartKey",
        consistent_read: bool = "ConsistentRead",
        scan_index_forward: bool = "ScanIndexForward",
        projection_expression: String = "ProjectionExpression",
        filter_expression: String = "FilterExpression",
        key_condition_expression: String = "KeyConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
    }
    /// Query's answer.
    QueryOutput {
        items: Vec<Item> = "Items",
        count: i64 = "Count",
        scanned_count: i64 = "ScannedCount",
        last_evaluated_key: Item = "LastEvaluatedKey",
        consumed_capacity: ConsumedCapacity = "ConsumedCapacity",
    }
    /// Scan.
    ScanInput {
        select: Select = "Select",
        index_name: String = "IndexName" => &[MinLength(3), MaxLength(255), Pattern(Name)],
        total_segments: i32 = "TotalSegments" => &[MinValue(1), MaxValue(1_000_000)],
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        table_name: String = "TableName" => READ_TABLE,
        conditional_operator: ConditionalOperator = "ConditionalOperator",
        scan_filter: BTreeMap<String, Condition> = "ScanFilter",
        segment: i32 = "Segment" => &[MinValue(0), MaxValue(999_999)],
        limit: i32 = "Limit" => &[MinValue(1)],
        attributes_to_get: Vec<String> = "AttributesToGet" => &[MinLength(1), MaxLength(255)],
        exclusive_start_key: Given<Item> = "ExclusiveStartKey",
        projection_expression: String = "ProjectionExpression",
        filter_expression: String = "FilterExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        consistent_read: bool = "ConsistentRead",
    }
    /// Scan's answer.
    ScanOutput {
        items: Vec<Item> = "Items",
        count: i64 = "Count",
        scanned_count: i64 = "ScannedCount",
        last_evaluated_key: Item = "LastEvaluatedKey",
        consumed_capacity: ConsumedCapacity = "ConsumedCapacity",
    }
}
