//! Vector indexes and searches in them.

use super::table::Projection;
use super::values::{Given, Names, Values};
use super::words::{
    IndexStatus, ReturnConsumedCapacity, SearchSchemaElementType, VectorDistanceFunction,
};
use crate::constraint::Rule::{MaxLength, MinLength, MinValue, Required};
use crate::constraint::{INDEX, READ_TABLE, REQUIRED, Rule};
use bothways_core::{Item, Value};

/// Numbers of a vector.
const DIMENSIONS: &[Rule] = &[Required, MinValue(1)];

shapes! {
    /// The attribute that holds vectors.
    VectorAttributeDefinition { attribute_name: String = "AttributeName" => REQUIRED, }
    /// An attribute that searches may name.
    SearchSchemaElement {
        attribute_name: String = "AttributeName" => REQUIRED,
        search_schema_element_type: SearchSchemaElementType = "SearchSchemaElementType" => REQUIRED,
    }
    /// A vector index to create.
    VectorIndex {
        index_name: String = "IndexName" => INDEX,
        vector_attribute: VectorAttributeDefinition = "VectorAttribute" => REQUIRED,
        search_schema: Vec<SearchSchemaElement> = "SearchSchema",
        projection: Projection = "Projection" => REQUIRED,
        dimensions: i64 = "Dimensions" => DIMENSIONS,
        distance_function: VectorDistanceFunction = "DistanceFunction" => REQUIRED,
    }
    /// A vector index to drop.
    DeleteVectorIndexAction { index_name: String = "IndexName" => INDEX, }
    /// One of the two.
    VectorIndexUpdate {
        create: VectorIndex = "Create",
        delete: DeleteVectorIndexAction = "Delete",
    }
    /// A vector index as described.
    VectorIndexDescription {
        index_name: String = "IndexName",
        search_schema: Vec<SearchSchemaElement> = "SearchSchema",
        projection: Projection = "Projection",
        vector_attribute: VectorAttributeDefinition = "VectorAttribute",
        dimensions: i64 = "Dimensions",
        distance_function: VectorDistanceFunction = "DistanceFunction",
        index_status: IndexStatus = "IndexStatus",
        backfilling: bool = "Backfilling",
        index_size_bytes: i64 = "IndexSizeBytes",
        item_count: i64 = "ItemCount",
        index_arn: String = "IndexArn",
    }
    /// SearchVectors.
    SearchVectorsInput {
        table_name: String = "TableName" => READ_TABLE,
        index_name: String = "IndexName" => INDEX,
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        expression_attribute_names: Names = "ExpressionAttributeNames",
        expression_attribute_values: Given<Values> = "ExpressionAttributeValues",
        projection_expression: String = "ProjectionExpression",
        search_vector: Vec<Given<Value>> = "SearchVector" => &[Required, MinLength(1), MaxLength(4096)],
        search_condition_expression: String = "SearchConditionExpression",
        top_k: i32 = "TopK" => &[Required, MinValue(1)],
    }
    /// What a search used.
    VectorCapacity {
        vector_search_request_bytes: f64 = "VectorSearchRequestBytes",
        vector_write_request_bytes: f64 = "VectorWriteRequestBytes",
    }
    /// An item that was found.
    SearchResultItem {
        item: Item = "Item",
        score: f64 = "Score",
    }
    /// SearchVectors' answer.
    SearchVectorsOutput {
        consumed_capacity: VectorCapacity = "ConsumedCapacity",
        search_results: Vec<SearchResultItem> = "SearchResults",
    }
}
