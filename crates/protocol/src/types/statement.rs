//! PartiQL.

use super::item::ConsumedCapacity;
use super::transact::ItemResponse;
use super::values::Given;
use super::words::{ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure};
use super::{Item, Value};
use crate::constraint::Rule::{FirstMaxLength, MaxLength, MinLength, MinValue, Required};
use crate::constraint::STATEMENT;

shapes! {
    /// ExecuteStatement.
    ExecuteStatementInput {
        statement: String = "Statement" => STATEMENT,
        parameters: Vec<Given<Value>> = "Parameters" => &[MinLength(1)],
        consistent_read: bool = "ConsistentRead",
        next_token: String = "NextToken" => &[MinLength(1), MaxLength(32_768)],
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
        limit: i32 = "Limit" => &[MinValue(1)],
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// ExecuteStatement's answer.
    ExecuteStatementOutput {
        items: Vec<Item> = "Items",
        next_token: String = "NextToken",
        consumed_capacity: ConsumedCapacity = "ConsumedCapacity",
        last_evaluated_key: Item = "LastEvaluatedKey",
    }
    /// One statement of a batch.
    BatchStatementRequest {
        statement: String = "Statement" => STATEMENT,
        parameters: Vec<Given<Value>> = "Parameters" => &[MinLength(1)],
        consistent_read: bool = "ConsistentRead",
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// BatchExecuteStatement.
    BatchExecuteStatementInput {
        statements: Vec<BatchStatementRequest> = "Statements" => &[Required, MinLength(1), MaxLength(25)],
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
    }
    /// Why a statement of a batch failed.
    BatchStatementError { code: String = "Code", message: String = "Message", item: Item = "Item", }
    /// One statement's result.
    BatchStatementResponse {
        error: BatchStatementError = "Error",
        table_name: String = "TableName",
        item: Item = "Item",
    }
    /// BatchExecuteStatement's answer.
    BatchExecuteStatementOutput {
        responses: Vec<BatchStatementResponse> = "Responses",
        consumed_capacity: Vec<ConsumedCapacity> = "ConsumedCapacity",
    }
    /// One statement of a transaction.
    ParameterizedStatement {
        statement: String = "Statement" => STATEMENT,
        parameters: Vec<Given<Value>> = "Parameters" => &[MinLength(1)],
        return_values_on_condition_check_failure: ReturnValuesOnConditionCheckFailure = "ReturnValuesOnConditionCheckFailure",
    }
    /// ExecuteTransaction.
    ExecuteTransactionInput {
        transact_statements: Vec<ParameterizedStatement> = "TransactStatements" => &[Required, MinLength(1), MaxLength(100)],
        client_request_token: String = "ClientRequestToken" => &[MinLength(1), FirstMaxLength(36)],
        return_consumed_capacity: ReturnConsumedCapacity = "ReturnConsumedCapacity",
    }
    /// ExecuteTransaction's answer.
    ExecuteTransactionOutput {
        responses: Vec<ItemResponse> = "Responses",
        consumed_capacity: Vec<ConsumedCapacity> = "ConsumedCapacity",
    }
}
