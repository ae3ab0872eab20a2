//! Short and empty pages, and batches done in part.

use bothways_protocol::types::{
    BatchGetItemInput, BatchGetItemOutput, BatchWriteItemInput, BatchWriteItemOutput,
    KeysAndAttributes, QueryOutput, ScanOutput, WriteRequest,
};
use bothways_protocol::{Request, Response};
use std::collections::BTreeMap;

/// Cuts a Query or Scan short after `items`. Whether it did.
pub(crate) fn cut(request: &mut Request, items: i32) -> bool {
    let limit = match request {
        Request::Query(input) => &mut input.limit,
        Request::Scan(input) => &mut input.limit,
        _ => return false,
    };
    let shorter = limit.is_none_or(|l| l > items);
    if shorter {
        *limit = Some(items);
    }
    shorter
}

/// A page without items that ends where it started; none for a first page.
pub(crate) fn empty(request: &Request) -> Option<Response> {
    Some(match request {
        Request::Query(input) => Response::Query(Box::new(QueryOutput {
            items: Some(Vec::new()),
            count: Some(0),
            scanned_count: Some(0),
            last_evaluated_key: Some(input.exclusive_start_key.clone()?.value),
            consumed_capacity: None,
        })),
        Request::Scan(input) => Response::Scan(Box::new(ScanOutput {
            items: Some(Vec::new()),
            count: Some(0),
            scanned_count: Some(0),
            last_evaluated_key: Some(input.exclusive_start_key.clone()?.value),
            consumed_capacity: None,
        })),
        _ => return None,
    })
}

/// What a batch leaves undone.
pub(crate) enum Left {
    Writes(BTreeMap<String, Vec<WriteRequest>>),
    Keys(BTreeMap<String, KeysAndAttributes>),
}

/// Takes some of a batch's requests off it, never all. `draw(n)` is a number below n.
pub(crate) fn split(request: &mut Request, draw: impl Fn(usize) -> usize) -> Option<Left> {
    match request {
        Request::BatchWriteItem(input) => split_writes(input, draw),
        Request::BatchGetItem(input) => split_keys(input, draw),
        _ => None,
    }
}

fn split_writes(input: &mut BatchWriteItemInput, draw: impl Fn(usize) -> usize) -> Option<Left> {
    let tables = input.request_items.as_mut()?;
    let count: usize = tables.values().map(Vec::len).sum();
    let mut keep = 1 + draw(count);
    let mut left = BTreeMap::new();
    for (table, writes) in tables.iter_mut() {
        let rest = writes.split_off(keep.min(writes.len()));
        keep -= writes.len();
        if !rest.is_empty() {
            left.insert(table.clone(), rest);
        }
    }
    tables.retain(|_, writes| !writes.is_empty());
    (!left.is_empty()).then_some(Left::Writes(left))
}

fn split_keys(input: &mut BatchGetItemInput, draw: impl Fn(usize) -> usize) -> Option<Left> {
    let tables = input.request_items.as_mut()?;
    let count: usize = tables
        .values()
        .filter_map(|k| k.keys.as_ref())
        .map(Vec::len)
        .sum();
    let mut keep = 1 + draw(count);
    let mut left = BTreeMap::new();
    for (table, wanted) in tables.iter_mut() {
        let keys = wanted.keys.get_or_insert_default();
        let rest = keys.split_off(keep.min(keys.len()));
        keep -= keys.len();
        if !rest.is_empty() {
            let keys = Some(rest);
            left.insert(
                table.clone(),
                KeysAndAttributes {
                    keys,
                    ..wanted.clone()
                },
            );
        }
    }
    tables.retain(|_, wanted| wanted.keys.as_ref().is_some_and(|k| !k.is_empty()));
    (!left.is_empty()).then_some(Left::Keys(left))
}

/// Adds what was left undone to an answer.
pub(crate) fn give_back(response: &mut Response, left: Left) {
    match (response, left) {
        (Response::BatchWriteItem(output), Left::Writes(left)) => {
            let BatchWriteItemOutput {
                unprocessed_items, ..
            } = &mut **output;
            for (table, writes) in left {
                let all = unprocessed_items.get_or_insert_default();
                all.entry(table).or_default().extend(writes);
            }
        }
        (Response::BatchGetItem(output), Left::Keys(left)) => {
            let BatchGetItemOutput {
                unprocessed_keys, ..
            } = &mut **output;
            for (table, wanted) in left {
                match unprocessed_keys.get_or_insert_default().entry(table) {
                    std::collections::btree_map::Entry::Vacant(entry) => {
                        entry.insert(wanted);
                    }
                    std::collections::btree_map::Entry::Occupied(mut entry) => {
                        let keys = entry.get_mut().keys.get_or_insert_default();
                        keys.extend(wanted.keys.into_iter().flatten());
                    }
                }
            }
        }
        _ => {}
    }
}
