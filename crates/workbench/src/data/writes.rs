//! Items into a table: batches in flight side by side, and one by one where a batch is refused.

use bothways_core::Item;
use bothways_graph::Flight;
use bothways_protocol::types::{
    BatchWriteItemInput, DeleteItemInput, DeleteRequest, PutItemInput, PutRequest, WriteRequest,
};
use bothways_protocol::{BoxFuture, Context, DynamoDb, DynamoDbExt, Error};
use std::collections::BTreeMap;

/// Items of one batch. Source: API Reference, `BatchWriteItem`.
const BATCH: usize = 25;
/// Batches in flight: they share the store's syncs.
const IN_FLIGHT: usize = 16;
/// Times that items which a batch leaves are sent again.
const AGAIN: usize = 10;

/// What is to happen to one item.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Put(Item),
    /// The item's key.
    Delete(Item),
}

/// Writes them, no two of one key; the numbers and words of those that the database refuses.
pub(super) async fn write(
    db: &dyn DynamoDb,
    table: &str,
    changes: Vec<(u64, Change)>,
) -> Result<Vec<(u64, String)>, String> {
    let mut refused = Vec::new();
    let mut flight: Flight<'_, (), Result<Vec<(u64, String)>, String>> = Flight::new();
    let mut rest = changes.into_iter().peekable();
    while rest.peek().is_some() || !flight.is_empty() {
        while flight.len() < IN_FLIGHT && rest.peek().is_some() {
            let batch: Vec<(u64, Change)> = rest.by_ref().take(BATCH).collect();
            let future: BoxFuture<'_, _> = Box::pin(batch_of(db, table, batch));
            flight.launch((), future);
        }
        if let Some(((), landed)) = flight.land().await {
            refused.extend(landed?);
        }
    }
    Ok(refused)
}

async fn batch_of(
    db: &dyn DynamoDb,
    table: &str,
    batch: Vec<(u64, Change)>,
) -> Result<Vec<(u64, String)>, String> {
    let cx = Context::default();
    let requests = batch.iter().map(|(_, change)| request(change)).collect();
    let mut left = BTreeMap::from([(table.to_owned(), requests)]);
    for _ in 0..AGAIN {
        let input = BatchWriteItemInput {
            request_items: Some(left),
            ..BatchWriteItemInput::default()
        };
        match db.batch_write_item(&cx, input).await {
            Ok(output) => {
                left = output.unprocessed_items.unwrap_or_default();
                if left.values().all(Vec::is_empty) {
                    return Ok(Vec::new());
                }
            }
            // One bad item refuses the whole batch: which it is, they tell one by one.
            Err(error) if is_about_an_item(&error) => return one_by_one(db, table, batch).await,
            Err(error) => return Err(error.message.into_owned()),
        }
    }
    Err("the database keeps leaving items out".to_owned())
}

async fn one_by_one(
    db: &dyn DynamoDb,
    table: &str,
    batch: Vec<(u64, Change)>,
) -> Result<Vec<(u64, String)>, String> {
    let cx = Context::default();
    let table_name = Some(table.to_owned());
    let mut refused = Vec::new();
    for (line, change) in batch {
        let table_name = table_name.clone();
        let done = match change {
            Change::Put(item) => {
                let input = PutItemInput {
                    table_name,
                    item: Some(item.into()),
                    ..PutItemInput::default()
                };
                db.put_item(&cx, input).await.map(drop)
            }
            Change::Delete(key) => {
                let input = DeleteItemInput {
                    table_name,
                    key: Some(key.into()),
                    ..DeleteItemInput::default()
                };
                db.delete_item(&cx, input).await.map(drop)
            }
        };
        match done {
            Ok(()) => {}
            Err(error) if is_about_an_item(&error) => {
                refused.push((line, error.message.into_owned()));
            }
            Err(error) => return Err(error.message.into_owned()),
        }
    }
    Ok(refused)
}

fn request(change: &Change) -> WriteRequest {
    match change {
        Change::Put(item) => WriteRequest {
            put_request: Some(PutRequest {
                item: Some(item.clone().into()),
            }),
            ..WriteRequest::default()
        },
        Change::Delete(key) => WriteRequest {
            delete_request: Some(DeleteRequest {
                key: Some(key.clone().into()),
            }),
            ..WriteRequest::default()
        },
    }
}

fn is_about_an_item(error: &Error) -> bool {
    use bothways_protocol::ErrorKind as Kind;
    matches!(
        error.kind,
        Kind::Validation | Kind::ItemCollectionSizeLimitExceeded
    )
}
