//! What a request is about, in a few words: tables, index, key.

use crate::raw::condition_in_words;
use bothways_core::{Item, ValueRef};
use bothways_protocol::types::{DescribeTableInput, Given, TransactWriteItem, WriteRequest};
use bothways_protocol::{Context, DynamoDb, DynamoDbExt, Request};

/// Characters of a key that are kept; a key's parts can have 2,048 bytes.
const MOST_CHARS: usize = 160;

/// The words of one request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct About {
    pub(super) tables: Vec<String>,
    pub(super) index: Option<String>,
    pub(super) key: Option<String>,
    /// Whether it only reads.
    pub(super) reads: bool,
}

/// Reads them off the request.
pub(super) fn about(request: &Request) -> About {
    let one = |table: &Option<String>, index: Option<&String>, key: Option<String>| About {
        tables: table.iter().cloned().collect(),
        index: index.cloned(),
        key: key.map(short),
        reads: false,
    };
    let item = |key: &Option<Given<Item>>| key.as_ref().map(|key| item_in_words(&key.value));
    let about = match request {
        Request::PutItem(input) => one(&input.table_name, None, None),
        Request::UpdateItem(input) => one(&input.table_name, None, item(&input.key)),
        Request::DeleteItem(input) => one(&input.table_name, None, item(&input.key)),
        Request::GetItem(input) => one(&input.table_name, None, item(&input.key)),
        Request::Query(input) => {
            let key = condition_in_words(input);
            one(&input.table_name, input.index_name.as_ref(), key)
        }
        Request::Scan(input) => one(&input.table_name, input.index_name.as_ref(), None),
        Request::TransactWriteItems(input) => {
            let all = input.transact_items.iter().flatten();
            one(&None, None, Some(kinds(all.map(kind_of_action))))
        }
        Request::TransactGetItems(input) => {
            let all = input.transact_items.iter().flatten();
            one(&None, None, Some(kinds(all.map(|_| "Get"))))
        }
        Request::BatchGetItem(input) => {
            let tables = input.request_items.iter().flatten();
            let all = tables.flat_map(|(_, keys)| keys.keys.iter().flatten());
            one(&None, None, Some(kinds(all.map(|_| "Get"))))
        }
        Request::BatchWriteItem(input) => {
            let tables = input.request_items.iter().flatten();
            let all = tables.flat_map(|(_, writes)| writes);
            let kind = |write: &WriteRequest| match &write.put_request {
                Some(_) => "Put",
                None => "Delete",
            };
            one(&None, None, Some(kinds(all.map(kind))))
        }
        Request::ExecuteStatement(input) => one(&None, None, input.statement.clone()),
        Request::CreateTable(input) => one(&input.table_name, None, None),
        Request::DescribeTable(input) => one(&input.table_name, None, None),
        Request::DeleteTable(input) => one(&input.table_name, None, None),
        Request::UpdateTable(input) => one(&input.table_name, None, None),
        _ => About::default(),
    };
    About {
        reads: reads(request),
        ..about
    }
}

/// `Put ×2, Update`.
fn kinds(all: impl Iterator<Item = &'static str>) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for kind in all {
        match counts.iter_mut().find(|(own, _)| *own == kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((kind, 1)),
        }
    }
    let words = counts.into_iter().map(|(kind, count)| match count {
        1 => kind.to_owned(),
        _ => format!("{kind} ×{count}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn kind_of_action(action: &TransactWriteItem) -> &'static str {
    match action {
        TransactWriteItem { put: Some(_), .. } => "Put",
        TransactWriteItem {
            update: Some(_), ..
        } => "Update",
        TransactWriteItem {
            delete: Some(_), ..
        } => "Delete",
        _ => "ConditionCheck",
    }
}

fn reads(request: &Request) -> bool {
    match request {
        Request::GetItem(_)
        | Request::Query(_)
        | Request::Scan(_)
        | Request::BatchGetItem(_)
        | Request::TransactGetItems(_) => true,
        Request::ExecuteStatement(input) => input.statement.as_deref().is_some_and(selects),
        Request::BatchExecuteStatement(input) => input
            .statements
            .iter()
            .flatten()
            .all(|one| one.statement.as_deref().is_some_and(selects)),
        Request::ExecuteTransaction(input) => input
            .transact_statements
            .iter()
            .flatten()
            .all(|one| one.statement.as_deref().is_some_and(selects)),
        _ => false,
    }
}

fn selects(statement: &str) -> bool {
    let word = statement.trim_start().get(..6);
    word.is_some_and(|word| word.eq_ignore_ascii_case("select"))
}

/// The key of the item that a `PutItem` puts: which attributes those are, its table says.
pub(super) async fn key_of_put(
    db: &dyn DynamoDb,
    cx: &Context,
    table: &str,
    request: &Request,
) -> Option<String> {
    let Request::PutItem(input) = request else {
        return None;
    };
    let item = &input.item.as_ref()?.value;
    let described = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    let described = db.describe_table(cx, described).await.ok()?.table?;
    let schema = described.key_schema?;
    let names: Vec<&str> = schema
        .iter()
        .filter_map(|part| part.attribute_name.as_deref())
        .collect();
    let parts = names
        .iter()
        .filter_map(|name| Some(format!("{name} = {}", value_in_words(item.get(name)?))));
    Some(short(parts.collect::<Vec<_>>().join(", ")))
}

pub(crate) fn item_in_words(item: &Item) -> String {
    let parts = item
        .iter()
        .map(|(name, value)| format!("{name} = {}", value_in_words(value)));
    parts.collect::<Vec<_>>().join(", ")
}

fn value_in_words(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::S(text) => text.to_owned(),
        ValueRef::N(number) => number.to_string(),
        ValueRef::B(bytes) => format!("{} bytes", bytes.len()),
        _ => "…".to_owned(),
    }
}

fn short(words: String) -> String {
    if words.chars().count() <= MOST_CHARS {
        return words;
    }
    let mut cut: String = words.chars().take(MOST_CHARS).collect();
    cut.push('…');
    cut
}
