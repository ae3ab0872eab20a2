//! What a batch leaves unprocessed, sent again. DynamoDB takes a part of a batch when it is short of throughput, and
//! names the rest. Source: API Reference, `BatchWriteItem` and `BatchGetItem`.

use bothways_protocol::types::{BatchGetItemInput, BatchWriteItemInput};
use bothways_protocol::{Request, Response};

/// A batch that was sent, without its items: the settings of what is sent again.
pub(crate) enum Batch {
    Write(Box<BatchWriteItemInput>),
    Get(Box<BatchGetItemInput>),
}

impl Batch {
    pub(crate) fn of(request: &Request) -> Option<Self> {
        match request {
            Request::BatchWriteItem(input) => Some(Self::Write(Box::new(BatchWriteItemInput {
                request_items: None,
                ..*input.clone()
            }))),
            Request::BatchGetItem(input) => Some(Self::Get(Box::new(BatchGetItemInput {
                request_items: None,
                ..*input.clone()
            }))),
            _ => None,
        }
    }

    /// The request for what an answer left.
    pub(crate) fn left(&mut self, response: &Response) -> Option<Request> {
        match (self, response) {
            (Self::Write(input), Response::BatchWriteItem(output)) => {
                let left = output.unprocessed_items.clone();
                let left = left.filter(|left| !left.is_empty())?;
                Some(Request::BatchWriteItem(Box::new(BatchWriteItemInput {
                    request_items: Some(left),
                    ..*input.clone()
                })))
            }
            (Self::Get(input), Response::BatchGetItem(output)) => {
                let left = output.unprocessed_keys.clone();
                let left = left.filter(|left| !left.is_empty())?;
                Some(Request::BatchGetItem(Box::new(BatchGetItemInput {
                    request_items: Some(left),
                    ..*input.clone()
                })))
            }
            _ => None,
        }
    }
}

/// Adds a later answer to an earlier one: its items and capacity are added, what it left replaces what was left.
pub(crate) fn merge(whole: &mut Response, more: Response) {
    match (whole, more) {
        (Response::BatchWriteItem(whole), Response::BatchWriteItem(more)) => {
            whole.unprocessed_items = more.unprocessed_items;
            extend(&mut whole.consumed_capacity, more.consumed_capacity);
            for (table, metrics) in more.item_collection_metrics.into_iter().flatten() {
                let all = whole.item_collection_metrics.get_or_insert_default();
                all.entry(table).or_default().extend(metrics);
            }
        }
        (Response::BatchGetItem(whole), Response::BatchGetItem(more)) => {
            whole.unprocessed_keys = more.unprocessed_keys;
            extend(&mut whole.consumed_capacity, more.consumed_capacity);
            for (table, items) in more.responses.into_iter().flatten() {
                let all = whole.responses.get_or_insert_default();
                all.entry(table).or_default().extend(items);
            }
        }
        _ => {}
    }
}

fn extend<T>(whole: &mut Option<Vec<T>>, more: Option<Vec<T>>) {
    if let Some(more) = more {
        whole.get_or_insert_default().extend(more);
    }
}
