//! Capacity: asked for on the way in, read on the way out.

use bothways_protocol::types::{ConsumedCapacity, ReturnConsumedCapacity, Units};
use bothways_protocol::{Request, Response};

/// Asks for the capacity where the caller does not; whether the caller did.
pub(super) fn ask(request: &mut Request) -> bool {
    let wanted = match request {
        Request::PutItem(input) => &mut input.return_consumed_capacity,
        Request::UpdateItem(input) => &mut input.return_consumed_capacity,
        Request::DeleteItem(input) => &mut input.return_consumed_capacity,
        Request::GetItem(input) => &mut input.return_consumed_capacity,
        Request::Query(input) => &mut input.return_consumed_capacity,
        Request::Scan(input) => &mut input.return_consumed_capacity,
        Request::BatchGetItem(input) => &mut input.return_consumed_capacity,
        Request::BatchWriteItem(input) => &mut input.return_consumed_capacity,
        Request::TransactGetItems(input) => &mut input.return_consumed_capacity,
        Request::TransactWriteItems(input) => &mut input.return_consumed_capacity,
        Request::ExecuteStatement(input) => &mut input.return_consumed_capacity,
        Request::BatchExecuteStatement(input) => &mut input.return_consumed_capacity,
        Request::ExecuteTransaction(input) => &mut input.return_consumed_capacity,
        _ => return true,
    };
    let asked = !matches!(wanted, None | Some(ReturnConsumedCapacity::None));
    if !asked {
        *wanted = Some(ReturnConsumedCapacity::Total);
    }
    asked
}

/// Units of the answer, and the tables it names that the request did not. `strip` takes the capacity out.
pub(super) fn of(response: &mut Response, tables: &mut Vec<String>, strip: bool) -> Units {
    let one = match response {
        Response::PutItem(output) => Some(&mut output.consumed_capacity),
        Response::UpdateItem(output) => Some(&mut output.consumed_capacity),
        Response::DeleteItem(output) => Some(&mut output.consumed_capacity),
        Response::GetItem(output) => Some(&mut output.consumed_capacity),
        Response::Query(output) => Some(&mut output.consumed_capacity),
        Response::Scan(output) => Some(&mut output.consumed_capacity),
        Response::ExecuteStatement(output) => Some(&mut output.consumed_capacity),
        _ => None,
    };
    if let Some(capacity) = one {
        let units = capacity.as_ref().map_or(Units(0), |own| sum(own, tables));
        if strip {
            *capacity = None;
        }
        return units;
    }
    let many = match response {
        Response::BatchGetItem(output) => &mut output.consumed_capacity,
        Response::BatchWriteItem(output) => &mut output.consumed_capacity,
        Response::TransactGetItems(output) => &mut output.consumed_capacity,
        Response::TransactWriteItems(output) => &mut output.consumed_capacity,
        Response::BatchExecuteStatement(output) => &mut output.consumed_capacity,
        Response::ExecuteTransaction(output) => &mut output.consumed_capacity,
        _ => return Units(0),
    };
    let all = many.iter().flatten();
    let units = all.map(|own| sum(own, tables)).sum();
    if strip {
        *many = None;
    }
    units
}

fn sum(capacity: &ConsumedCapacity, tables: &mut Vec<String>) -> Units {
    if let Some(name) = &capacity.table_name
        && !tables.contains(name)
    {
        tables.push(name.clone());
    }
    capacity.capacity_units.unwrap_or_default()
}
