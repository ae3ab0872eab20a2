//! A request as a sentence.

use super::{Estimate, Extent, Given, Naming, UnitRange};
use crate::Schema;
use bothways_core::expr::{Condition, KeyCondition, Node, Printed, UpdateAction};
use bothways_core::{Item, Value, ValueRef, json};
use bothways_protocol::types::{QueryInput, ScanInput, Select, Units};
use bothways_protocol::validate::{self, BatchWrite, TransactKind};
use bothways_protocol::{Operation, Request};

pub(super) fn sentence(
    request: &Request,
    schema: Option<&Schema>,
    naming: &dyn Naming,
    estimate: Option<Estimate>,
) -> String {
    let operation = request.operation().unwrap_or(Operation::GetItem);
    let text = clause(request, schema, naming);
    let cost = estimate.map_or_else(
        || price(operation, request),
        |estimate| Some(about(estimate)),
    );
    match cost {
        Some(cost) => format!("{text}; {cost}."),
        None => format!("{text}."),
    }
}

fn clause(request: &Request, schema: Option<&Schema>, naming: &dyn Naming) -> String {
    match request {
        Request::Query(input) => query(input, schema, naming),
        Request::Scan(input) => scan(input),
        Request::GetItem(_)
        | Request::PutItem(_)
        | Request::UpdateItem(_)
        | Request::DeleteItem(_) => one_item(request, schema, naming),
        _ => several(request),
    }
}

fn one_item(request: &Request, schema: Option<&Schema>, naming: &dyn Naming) -> String {
    match request {
        Request::GetItem(input) => {
            let Ok(plan) = validate::get_item(input) else {
                return "Reads an item".to_owned();
            };
            let what = named_item(input.table_name.as_ref(), plan.key, naming);
            format!("Reads {what}, {}", consistency(input.consistent_read))
        }
        Request::PutItem(input) => {
            let Ok(plan) = validate::put_item(input) else {
                return "Writes an item".to_owned();
            };
            let key = schema.and_then(|schema| schema.keys.key_of(plan.item).ok());
            let what = key.map_or_else(
                || {
                    format!(
                        "the item of {} with {}",
                        table(input.table_name.as_ref()),
                        first(plan.item)
                    )
                },
                |key| named_item(input.table_name.as_ref(), &key, naming),
            );
            format!(
                "Writes {what} as a whole{}",
                only_if(plan.condition.as_ref())
            )
        }
        Request::UpdateItem(input) => {
            let Ok(plan) = validate::update_item(input) else {
                return "Updates an item".to_owned();
            };
            let what = named_item(input.table_name.as_ref(), plan.key, naming);
            let does = plan.update.map_or_else(
                || "makes sure that it is there".to_owned(),
                |update| actions(update.actions()),
            );
            format!("Updates {what}: {does}{}", only_if(plan.condition.as_ref()))
        }
        Request::DeleteItem(input) => {
            let Ok(plan) = validate::delete_item(input) else {
                return "Deletes an item".to_owned();
            };
            let what = named_item(input.table_name.as_ref(), plan.key, naming);
            format!("Deletes {what}{}", only_if(plan.condition.as_ref()))
        }
        _ => several(request),
    }
}

fn table(name: Option<&String>) -> &str {
    validate::table_name(name.map_or("", String::as_str))
}

fn named_item(name: Option<&String>, key: &Item, naming: &dyn Naming) -> String {
    let plain = || format!("the item of {} with {}", table(name), pairs(key));
    naming.item(key).unwrap_or_else(plain)
}

fn several(request: &Request) -> String {
    match request {
        Request::BatchGetItem(input) => {
            let plan = validate::batch_get_item(input).unwrap_or_default();
            let parts: Vec<_> = plan
                .iter()
                .map(|get| format!("{} of {}", items(get.keys.len()), get.table_name))
                .collect();
            format!(
                "Reads {} by their keys, each by itself",
                parts.join(" and ")
            )
        }
        Request::BatchWriteItem(input) => {
            let plan = validate::batch_write_item(input).unwrap_or_default();
            let writes: Vec<_> = plan.iter().flat_map(|table| &table.writes).collect();
            let puts = writes
                .iter()
                .filter(|write| matches!(write, BatchWrite::Put(_)))
                .count();
            format!(
                "Puts {} and deletes {}, each by itself",
                items(puts),
                items(writes.len() - puts)
            )
        }
        Request::TransactGetItems(input) => {
            format!(
                "Reads {} in one transaction: all as they were at one moment",
                items(input.transact_items.as_ref().map_or(0, Vec::len))
            )
        }
        Request::TransactWriteItems(input) => {
            let plan = validate::transact_write_items(input).unwrap_or_default();
            let parts: Vec<_> = plan.iter().map(action).collect();
            format!("In one transaction, all or nothing: {}", parts.join("; "))
        }
        Request::ExecuteStatement(input) => {
            format!(
                "Runs a PartiQL statement: {}",
                input.statement.as_deref().unwrap_or_default()
            )
        }
        Request::BatchExecuteStatement(input) => {
            format!(
                "Runs {} PartiQL statements, each by itself",
                input.statements.as_ref().map_or(0, Vec::len)
            )
        }
        Request::ExecuteTransaction(input) => {
            format!(
                "Runs {} PartiQL statements, all or nothing",
                input.transact_statements.as_ref().map_or(0, Vec::len)
            )
        }
        other => format!(
            "Sends {}",
            other.operation().map_or("a request", Operation::name)
        ),
    }
}

fn action(action: &validate::TransactAction<'_>) -> String {
    let key = match action.action {
        TransactKind::Put => first(action.given),
        _ => pairs(action.given),
    };
    let what = format!("the item of {} with {key}", action.table_name);
    let condition = only_if(action.condition.as_ref());
    match &action.action {
        TransactKind::Put => format!("writes {what}{condition}"),
        TransactKind::Delete => format!("deletes {what}{condition}"),
        TransactKind::Update(update) => {
            format!("updates {what}: {}{condition}", actions(update.actions()))
        }
        TransactKind::Check => format!("checks {what}{condition}"),
    }
}

fn query(input: &QueryInput, schema: Option<&Schema>, naming: &dyn Naming) -> String {
    let table = input.table_name.as_deref().unwrap_or_default();
    let index = input.index_name.as_deref();
    let Ok(plan) = validate::query(input) else {
        return format!("Queries {table}");
    };
    let place = index.map_or_else(
        || table.to_owned(),
        |index| format!("index {index} of {table}"),
    );
    let named = schema.and_then(|schema| named(&plan.key_condition, index, schema, naming));
    let verb = if input.select == Some(Select::Count) {
        "Counts"
    } else {
        "Reads"
    };
    let backward = input.scan_index_forward == Some(false);
    let (what, order) = if let Some((name, order)) = named {
        let order = if backward {
            format!("{order}, backwards")
        } else {
            order
        };
        (format!("{name} from {}", index.unwrap_or(table)), order)
    } else {
        let order = if backward { "descending" } else { "ascending" };
        let keys = condition(plan.key_condition.tree());
        (
            format!("the items of {place} where {keys}"),
            format!("{order} by sort key"),
        )
    };
    let kept = kept(plan.filter.as_ref());
    let pages = pages(input.limit);
    format!(
        "{verb} {what}, {order}, {}{kept}{pages}",
        consistency(input.consistent_read)
    )
}

fn named(
    condition: &KeyCondition<'_>,
    index: Option<&str>,
    schema: &Schema,
    naming: &dyn Naming,
) -> Option<(String, String)> {
    let range = condition.bind(schema.keys_of(index)?).ok()?;
    let prefix = match range.sort {
        None => None,
        Some(bothways_core::expr::SortCondition::BeginsWith(Value::S(prefix))) => {
            Some(prefix.as_str())
        }
        Some(_) => return None,
    };
    let [partition] = range.hash.as_slice() else {
        return None;
    };
    if range.equal.is_empty() {
        naming.collection(index, partition, prefix)
    } else {
        None
    }
}

fn scan(input: &ScanInput) -> String {
    let table = input.table_name.as_deref().unwrap_or_default();
    let place = input.index_name.as_deref().map_or_else(
        || table.to_owned(),
        |index| format!("index {index} of {table}"),
    );
    let Ok(plan) = validate::scan(input) else {
        return format!("Scans {place}");
    };
    let what = match plan.segment {
        Some((segment, total)) => format!("segment {segment} of {total} of {place}"),
        None => format!("everything in {place}"),
    };
    let verb = if input.select == Some(Select::Count) {
        "Counts"
    } else {
        "Reads"
    };
    format!(
        "{verb} {what}, {}{}{}",
        consistency(input.consistent_read),
        kept(plan.filter.as_ref()),
        pages(input.limit)
    )
}

fn kept(filter: Option<&Condition<'_>>) -> String {
    filter.map_or_else(String::new, |filter| {
        format!(", and keeps those where {}", condition(filter.tree()))
    })
}

fn pages(limit: Option<i32>) -> String {
    match limit {
        Some(1) => ", one item a page".to_owned(),
        Some(limit) => format!(", {limit} items a page"),
        None => ", in pages of up to 1 MB".to_owned(),
    }
}

fn consistency(consistent: Option<bool>) -> &'static str {
    if consistent == Some(true) {
        "strongly consistent"
    } else {
        "eventually consistent"
    }
}

fn only_if(given: Option<&Condition<'_>>) -> String {
    given.map_or_else(String::new, |given| {
        format!(", only if {}", condition(given.tree()))
    })
}

/// A condition with its values in place.
fn condition(node: &Node<'_>) -> String {
    in_place(&Printed::condition(node))
}

fn actions(all: &[UpdateAction<'_>]) -> String {
    in_place(&Printed::update(all))
}

/// Values and names instead of their placeholders. What they stand for is text of the user's: it is not looked at again.
fn in_place(printed: &Printed) -> String {
    let mut out = String::with_capacity(printed.text.len() * 2);
    let mut rest = printed.text.as_str();
    while let Some(at) = rest.find(['#', ':']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let end = tail[1..]
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .map_or(tail.len(), |end| end + 1);
        let (placeholder, after) = tail.split_at(end);
        match (
            printed.names.get(placeholder),
            printed.values.get(placeholder),
        ) {
            (Some(name), _) => out.push_str(name),
            (_, Some(value)) => out.push_str(&shown(value.as_ref())),
            _ => out.push_str(placeholder),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn pairs(item: &Item) -> String {
    let pairs: Vec<_> = item
        .iter()
        .map(|(name, value)| format!("{name} = {}", shown(value)))
        .collect();
    pairs.join(", ")
}

/// As much of an item as tells it, where nobody knows its keys.
fn first(item: &Item) -> String {
    let pairs: Vec<_> = item
        .iter()
        .take(2)
        .map(|(name, value)| format!("{name} = {}", shown(value)))
        .collect();
    pairs.join(", ")
}

/// A value on one short line; text without quotes.
fn shown(value: ValueRef<'_>) -> String {
    const MOST: usize = 60;
    let text = match value {
        ValueRef::S(text) => text.to_owned(),
        other => {
            let mut bytes = Vec::new();
            json::write_plain(other, &mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    if text.chars().count() <= MOST {
        return text;
    }
    let head: String = text.chars().take(MOST - 1).collect();
    format!("{head}…")
}

fn items(count: usize) -> String {
    if count == 1 {
        "1 item".to_owned()
    } else {
        format!("{count} items")
    }
}

fn about(estimate: Estimate) -> String {
    let all = [(estimate.read, "RCU"), (estimate.write, "WCU")];
    let used = all
        .into_iter()
        .filter(|(range, _)| range.most != Some(Units(0)));
    let said: Vec<_> = used
        .map(|(range, unit)| between(range, unit, estimate))
        .collect();
    said.join(" and ")
}

fn between(range: UnitRange, unit: &str, estimate: Estimate) -> String {
    let text = |units: Units| {
        let half = if units.0 % 2 == 1 { ".5" } else { "" };
        format!("{}{half}", units.0 / 2)
    };
    let of = match estimate.of {
        Extent::Whole => "",
        Extent::Page => " a page",
        Extent::AllPages => " for all its pages",
    };
    let least = text(range.least);
    let given = match estimate.given {
        Given::Measured => "",
        Given::Average => " for average items",
        Given::Fresh => " where nothing is replaced",
    };
    let likely = range.likely.map(text);
    match (likely, range.most) {
        (Some(likely), _) if range.is_exact() => format!("about {likely} {unit}{of}"),
        (Some(likely), Some(most)) => {
            let most = text(most);
            format!("{least} to {most} {unit}{of}, about {likely}{given}")
        }
        (Some(likely), None) => {
            format!("about {likely} {unit}{of}{given}, {least} at least")
        }
        (None, Some(most)) => format!("{least} to {} {unit}{of}", text(most)),
        (None, None) => format!("{least} {unit}{of} at least"),
    }
}

/// The price by size, where nobody knows the size.
fn price(operation: Operation, request: &Request) -> Option<String> {
    use Operation as Op;
    let consistent = match request {
        Request::GetItem(input) => input.consistent_read,
        Request::Query(input) => input.consistent_read,
        Request::Scan(input) => input.consistent_read,
        _ => None,
    };
    let read = if consistent == Some(true) {
        "1 RCU"
    } else {
        "0.5 RCU"
    };
    Some(match operation {
        Op::GetItem => format!("{read} for each 4 KB"),
        Op::Query | Op::Scan => format!("{read} for each 4 KB read"),
        Op::BatchGetItem => "0.5 RCU for each 4 KB of an item, 1 where consistent".to_owned(),
        Op::TransactGetItems => "2 RCU for each 4 KB of an item".to_owned(),
        Op::PutItem | Op::UpdateItem | Op::DeleteItem | Op::BatchWriteItem => {
            "1 WCU for each KB, in the table and in each index".to_owned()
        }
        Op::TransactWriteItems => "2 WCU for each KB in the table, 1 in each index".to_owned(),
        _ => return None,
    })
}
