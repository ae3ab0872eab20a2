//! Transactions.

use super::values::{Given, Names, Values};

use super::words::{
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValuesOnConditionCheckFailure,
};
use super::{BTreeMap, Item};
use super::{ConsumedCapacity, ItemCollectionMetrics};
use crate::constraint::Rule::{FirstMaxLength, FirstMinLength, MaxLength, MinLength, Required};
use crate::constraint::{READ_TABLE, REQUIRED};

shapes! {
    /// One read of a transaction.
    Get {
        key: Given<Item> = "Key" => REQUIRED,
        table_name: String = "TableName" => READ_TABLE,
        projection_expression: String = "ProjectionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
    }
    /// One action of a reading transaction.
    TransactGetItem {
        get: Get = "Get" => REQUIRED,
    }
    /// TransactGetItems.
    TransactGetItemsInput {
        transact_items: Vec<TransactGetItem> = "TransactItems" => &[Required, MinLength(1), MaxLength(100)],
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
    }
    /// One result.
    ItemResponse {
        item: Item = "Item",
    }
    /// TransactGetItems' answer.
    TransactGetItemsOutput {
        consumed_capacity: Vec<ConsumedCapacity> = "ConsumedCapacity",
        responses: Vec<ItemResponse> = "Responses",
    }
    /// A condition on an item that is not written.
    ConditionCheck {
        key: Given<Item> = "Key" => REQUIRED,
        table_name: String = "TableName" => READ_TABLE,
        condition_expression: String = "ConditionExpression" => REQUIRED,
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// A put of a transaction.
    Put {
        item: Given<Item> = "Item" => REQUIRED,
        table_name: String = "TableName" => READ_TABLE,
        condition_expression: String = "ConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// A delete of a transaction.
    Delete {
        key: Given<Item> = "Key" => REQUIRED,
        table_name: String = "TableName" => READ_TABLE,
        condition_expression: String = "ConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// An update of a transaction.
    Update {
        key: Given<Item> = "Key" => REQUIRED,
        update_expression: String = "UpdateExpression" => REQUIRED,
        table_name: String = "TableName" => READ_TABLE,
        condition_expression: String = "ConditionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// One action of a writing transaction.
    TransactWriteItem {
        condition_check: ConditionCheck = "ConditionCheck",
        put: Put = "Put",
        delete: Delete = "Delete",
        update: Update = "Update",
    }
    /// TransactWriteItems.
    TransactWriteItemsInput {
        transact_items: Vec<TransactWriteItem> = "TransactItems" => &[Required, FirstMinLength(1), FirstMaxLength(100)],
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        return_item_collection_metrics: ReturnItemCollectionMetrics = "ReturnItemCollectionMetrics",
        client_request_token: String = "ClientRequestToken" => &[MinLength(1), FirstMaxLength(36)],
    }
    /// TransactWriteItems' answer.
    TransactWriteItemsOutput {
        consumed_capacity: Vec<ConsumedCapacity> = "ConsumedCapacity",
        item_collection_metrics: BTreeMap<String, Vec<ItemCollectionMetrics>> = "ItemCollectionMetrics",
    }
}
