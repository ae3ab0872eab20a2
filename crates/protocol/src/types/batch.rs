//! Batches.

use super::values::{Given, Names};

use super::words::{ReturnConsumedCapacity, ReturnItemCollectionMetrics};
use super::{BTreeMap, Item};
use super::{ConsumedCapacity, ItemCollectionMetrics};
use crate::constraint::Rule::{
    FirstMaxLength, FirstMinLength, MapValues, MaxLength, MinLength, Required,
};
use crate::constraint::{OLDER_TABLE_KEYS, REQUIRED, TABLE_KEYS};

shapes! {
    /// Keys to read from one table.
    KeysAndAttributes {
        keys: Vec<Given<Item>> = "Keys" => &[Required, FirstMinLength(1), FirstMaxLength(100)],
        attributes_to_get: Vec<String> = "AttributesToGet" => &[MinLength(1), MaxLength(255)],
        consistent_read: bool = "ConsistentRead",
        projection_expression: String = "ProjectionExpression",
        expression_attribute_names: Names = "ExpressionAttributeNames",
    }
    /// BatchGetItem.
    BatchGetItemInput {
        request_items: BTreeMap<String, KeysAndAttributes> = "RequestItems" => &[Required, FirstMinLength(1), TABLE_KEYS],
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
    }
    /// BatchGetItem's answer.
    BatchGetItemOutput {
        responses: BTreeMap<String, Vec<Item>> = "Responses",
        unprocessed_keys: BTreeMap<String, KeysAndAttributes> = "UnprocessedKeys",
        consumed_capacity: Vec<ConsumedCapacity> = "ConsumedCapacity",
    }
    /// An item to put.
    PutRequest {
        item: Given<Item> = "Item" => REQUIRED,
    }
    /// An item to delete.
    DeleteRequest {
        key: Given<Item> = "Key" => REQUIRED,
    }
    /// One of the two.
    WriteRequest {
        put_request: PutRequest = "PutRequest",
        delete_request: DeleteRequest = "DeleteRequest",
    }
    /// BatchWriteItem.
    BatchWriteItemInput {
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        return_item_collection_metrics: ReturnItemCollectionMetrics = "ReturnItemCollectionMetrics",
        request_items: BTreeMap<String, Vec<WriteRequest>> = "RequestItems" => &[Required, OLDER_TABLE_KEYS, MapValues { min: 1, max: 25 }],
    }
    /// BatchWriteItem's answer.
    BatchWriteItemOutput {
        unprocessed_items: BTreeMap<String, Vec<WriteRequest>> = "UnprocessedItems",
        item_collection_metrics: BTreeMap<String, Vec<ItemCollectionMetrics>> = "ItemCollectionMetrics",
        consumed_capacity: Vec<ConsumedCapacity> = "ConsumedCapacity",
    }
}
