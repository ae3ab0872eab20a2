//! DynamoDB requests as they are.

use crate::Connection;
use crate::answer::{Refusal, Result};
use crate::shapes::{RawAnswer, RawBody, Receipt, raw};
use bothways_core::Value;
use bothways_graph::{Consistency, Receipt as Spent};
use bothways_protocol::types::{ConsumedCapacity, QueryInput, ReturnConsumedCapacity};
use bothways_protocol::{Context, Error, ErrorKind, Operation, Request, Response};
use std::collections::BTreeMap;
use std::time::Instant;

/// Operations that change nothing.
const READS: [Operation; 11] = [
    Operation::DescribeTable,
    Operation::ListTables,
    Operation::GetItem,
    Operation::Query,
    Operation::Scan,
    Operation::BatchGetItem,
    Operation::TransactGetItems,
    Operation::ListStreams,
    Operation::DescribeStream,
    Operation::GetShardIterator,
    Operation::GetRecords,
];

/// Sends one request and says what it cost.
pub(crate) async fn send(connection: &Connection, body: &[u8]) -> Result<RawAnswer> {
    let body: RawBody<'_> = serde_json::from_slice(body)
        .map_err(|e| Refusal::bad_request(format!("the body is not a request: {e}")))?;
    let mut all = Operation::ALL.iter().copied();
    let operation = all
        .find(|operation| operation.name() == body.operation)
        .ok_or_else(|| Error::new(ErrorKind::UnknownOperation, ""))?;
    if connection.read_only && !READS.contains(&operation) {
        return Err(Refusal::read_only());
    }
    let mut request = Request::decode(operation, body.input.get().as_bytes())?;
    let mut spent = ask_for_capacity(operation, &mut request);
    let mut input = Vec::new();
    request.encode(&mut input);
    let started = Instant::now();
    let response = connection.db.call(&Context::default(), request).await?;
    spent.elapsed = started.elapsed();
    spent.requests = 1;
    charge(&mut spent, &response);
    let mut output = Vec::new();
    response.encode(&mut output);
    Ok(RawAnswer {
        output: raw(output),
        receipt: Receipt::of_one(spent, operation, input),
    })
}

/// Has the backend count capacity, and notes where the request goes.
fn ask_for_capacity(operation: Operation, request: &mut Request) -> Spent {
    let capacity = Some(ReturnConsumedCapacity::Indexes);
    let mut spent = Spent::new(operation, "");
    let strong = |yes: Option<bool>| {
        Some(if yes == Some(true) {
            Consistency::Strong
        } else {
            Consistency::Eventual
        })
    };
    let table = match request {
        Request::PutItem(input) => {
            input.return_consumed_capacity = capacity;
            input.table_name.clone()
        }
        Request::UpdateItem(input) => {
            input.return_consumed_capacity = capacity;
            input.table_name.clone()
        }
        Request::DeleteItem(input) => {
            input.return_consumed_capacity = capacity;
            input.table_name.clone()
        }
        Request::GetItem(input) => {
            input.return_consumed_capacity = capacity;
            spent.consistency = strong(input.consistent_read);
            input.table_name.clone()
        }
        Request::Query(input) => {
            input.return_consumed_capacity = capacity;
            spent.consistency = strong(input.consistent_read);
            spent.index.clone_from(&input.index_name);
            spent.key = condition_in_words(input);
            input.table_name.clone()
        }
        Request::Scan(input) => {
            input.return_consumed_capacity = capacity;
            spent.consistency = strong(input.consistent_read);
            spent.index.clone_from(&input.index_name);
            input.table_name.clone()
        }
        Request::BatchGetItem(input) => {
            input.return_consumed_capacity = capacity;
            let asked = || input.request_items.iter().flat_map(BTreeMap::values);
            // One weak table makes the whole answer no better than eventual.
            spent.consistency = strong(Some(asked().all(|a| a.consistent_read == Some(true))));
            spent.scanned = asked().map(|a| count_of(a.keys.as_ref())).sum();
            names_of(input.request_items.as_ref())
        }
        Request::BatchWriteItem(input) => {
            input.return_consumed_capacity = capacity;
            names_of(input.request_items.as_ref())
        }
        Request::TransactWriteItems(input) => {
            input.return_consumed_capacity = capacity;
            spent.consistency = Some(Consistency::Transactional);
            None
        }
        Request::DescribeTable(input) => input.table_name.clone(),
        _ => None,
    };
    spent.table = table.unwrap_or_default();
    spent
}

/// The tables of a batch.
fn names_of<T>(requests: Option<&BTreeMap<String, T>>) -> Option<String> {
    requests.map(|tables| tables.keys().cloned().collect::<Vec<_>>().join(", "))
}

fn count_of<T>(list: Option<&Vec<T>>) -> u64 {
    list.map_or(0, |list| list.len() as u64)
}

/// The key condition with its placeholders resolved, as far as they can be.
pub(crate) fn condition_in_words(input: &QueryInput) -> Option<String> {
    let mut words = String::new();
    let mut rest = input.key_condition_expression.as_deref()?;
    while let Some(at) = rest.find(['#', ':']) {
        let (before, from) = rest.split_at(at);
        let end = from[1..]
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .map_or(from.len(), |end| end + 1);
        let (placeholder, after) = from.split_at(end);
        words.push_str(before);
        let names = input.expression_attribute_names.as_ref();
        let values = input.expression_attribute_values.as_ref();
        match (
            names.and_then(|names| names.get(placeholder)),
            values.and_then(|values| values.value.get(placeholder)),
        ) {
            (Some(name), _) => words.push_str(name),
            (_, Some(Value::S(text))) => words.push_str(text),
            (_, Some(Value::N(number))) => words.push_str(&number.to_string()),
            _ => words.push_str(placeholder),
        }
        rest = after;
    }
    words.push_str(rest);
    Some(words)
}

fn charge(spent: &mut Spent, response: &Response) {
    let of = |count: Option<i64>| count.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
    let one: Option<&ConsumedCapacity> = match response {
        Response::PutItem(output) => output.consumed_capacity.as_ref(),
        Response::UpdateItem(output) => output.consumed_capacity.as_ref(),
        Response::DeleteItem(output) => output.consumed_capacity.as_ref(),
        Response::GetItem(output) => {
            spent.scanned = 1;
            spent.count = u64::from(output.item.is_some());
            output.consumed_capacity.as_ref()
        }
        Response::Query(output) => {
            spent.count = of(output.count);
            spent.scanned = of(output.scanned_count);
            output.consumed_capacity.as_ref()
        }
        Response::Scan(output) => {
            spent.count = of(output.count);
            spent.scanned = of(output.scanned_count);
            output.consumed_capacity.as_ref()
        }
        Response::BatchGetItem(output) => {
            let found = output.responses.iter().flat_map(BTreeMap::values);
            spent.count = found.map(|items| count_of(Some(items))).sum();
            None
        }
        _ => None,
    };
    let many = match response {
        Response::BatchGetItem(output) => output.consumed_capacity.as_deref(),
        Response::BatchWriteItem(output) => output.consumed_capacity.as_deref(),
        Response::TransactWriteItems(output) => output.consumed_capacity.as_deref(),
        _ => None,
    };
    for capacity in one.into_iter().chain(many.into_iter().flatten()) {
        let units = capacity.capacity_units.unwrap_or_default();
        if spent.is_read() {
            spent.read += units;
        } else {
            spent.write += units;
        }
    }
}
