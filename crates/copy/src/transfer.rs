//! The items, part by part: a page is read, written in batches until all of it was taken, and noted.

use crate::checkpoint::{Checkpoint, Reached};
use crate::copy::{Job, Step};
use crate::error::{CopyError, Result, Side, at};
use bothways_core::Item;
use bothways_protocol::types::{
    BatchWriteItemInput, ConsumedCapacity, DeleteRequest, PutRequest, ReturnConsumedCapacity,
    ScanInput, ScanOutput, WriteRequest,
};
use bothways_protocol::{Context, DynamoDb, DynamoDbExt, ErrorKind};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Parts of the source that are copied side by side. A choice: enough to share syncs and to hide a line's delay.
pub const SEGMENTS: usize = 8;
/// Items of one batch. Source: API Reference, `BatchWriteItem`.
pub const BATCH_ITEMS: usize = 25;
/// Bytes of one batch as DynamoDB counts them. A choice: below the 16 MB of a request also where JSON makes them
/// longer.
pub const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Batches between two notes of how far a part is. A choice: a note for a hundred items costs a hundredth, and what a
/// cut-off copy does twice is little.
const NOTED: usize = 4;
/// How long a place may take nothing before the copy gives up. A choice.
pub const PATIENCE: Duration = Duration::from_mins(2);
/// Longest pause before another try. A choice, as the client's.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Copies one part from where it is.
pub(crate) async fn part(job: Arc<Job>, part: usize, parts: usize, from: Reached) -> Result<()> {
    let mut start = match from {
        Reached::Start => None,
        Reached::Key(key) => Some(key),
        Reached::End => return Ok(()),
    };
    let marks = Checkpoint::of(&job.table);
    loop {
        let page = scan(
            &*job.from,
            &job.cx,
            &job.table.name,
            (part, parts),
            start.take(),
            Side::Source,
        )
        .await?;
        job.reads
            .spend(units(page.consumed_capacity.as_ref(), 0.0))
            .await;
        let items: Vec<Item> = page
            .items
            .into_iter()
            .flatten()
            .filter(|item| !marks.is(item))
            .collect();
        for (n, batch) in batches(items).into_iter().enumerate() {
            job.go_on()?;
            let count = batch.len() as u64;
            let last = batch.last().map(|item| job.table.key_of(item));
            let spent = write(&job, batch.into_iter().map(put).collect()).await?;
            job.writes.spend(spent).await;
            job.copied(Step::Copying, count);
            // Any item's key is a place to go on from.
            if let (0, Some(key)) = ((n + 1) % NOTED, last) {
                marks
                    .save(&*job.to, &job.cx, part, &Reached::Key(key))
                    .await?;
            }
        }
        let reached = match page.last_evaluated_key {
            Some(key) => Reached::Key(key),
            None => Reached::End,
        };
        marks.save(&*job.to, &job.cx, part, &reached).await?;
        match reached {
            Reached::Key(key) => start = Some(key),
            _ => return Ok(()),
        }
    }
}

/// One page of one part, strongly consistent.
pub(crate) async fn scan(
    db: &dyn DynamoDb,
    cx: &Context,
    table: &str,
    (part, parts): (usize, usize),
    start: Option<Item>,
    side: Side,
) -> Result<ScanOutput> {
    let number = |n: usize| i32::try_from(n).ok();
    let input = ScanInput {
        table_name: Some(table.to_owned()),
        segment: number(part),
        total_segments: number(parts),
        exclusive_start_key: start.map(Into::into),
        consistent_read: Some(true),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Total),
        ..ScanInput::default()
    };
    let begun = Instant::now();
    let mut attempt = 0;
    loop {
        match db.scan(cx, input.clone()).await {
            Err(error) if is_passing(&error.kind) && begun.elapsed() < PATIENCE => {
                attempt += 1;
                pause(attempt).await;
            }
            other => return other.map_err(at(side)),
        }
    }
}

/// Cuts items into batches.
fn batches(items: Vec<Item>) -> Vec<Vec<Item>> {
    let mut all: Vec<Vec<Item>> = Vec::new();
    let mut bytes = 0;
    for item in items {
        bytes += item.size();
        match all.last_mut() {
            Some(last) if last.len() < BATCH_ITEMS && bytes <= BATCH_BYTES => last.push(item),
            _ => {
                bytes = item.size();
                all.push(vec![item]);
            }
        }
    }
    all
}

/// An item that is put whole.
pub(crate) fn put(item: Item) -> WriteRequest {
    WriteRequest {
        put_request: Some(PutRequest {
            item: Some(item.into()),
        }),
        delete_request: None,
    }
}

/// An item that goes.
pub(crate) fn delete(key: Item) -> WriteRequest {
    WriteRequest {
        put_request: None,
        delete_request: Some(DeleteRequest {
            key: Some(key.into()),
        }),
    }
}

/// Writes a batch until all of it was taken; the units that it took. A put may be done twice: it is the whole item.
pub(crate) async fn write(job: &Job, mut left: Vec<WriteRequest>) -> Result<f64> {
    let (mut spent, mut attempt, mut moved) = (0.0, 0, Instant::now());
    while !left.is_empty() {
        let count = left.len();
        let input = BatchWriteItemInput {
            request_items: Some(BTreeMap::from([(job.table.name.clone(), left.clone())])),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Total),
            ..BatchWriteItemInput::default()
        };
        let last = match job.to.batch_write_item(&job.cx, input).await {
            Ok(output) => {
                let remaining = output
                    .unprocessed_items
                    .and_then(|mut all| all.remove(&job.table.name));
                left = remaining.unwrap_or_default();
                if left.len() < count {
                    moved = Instant::now();
                    attempt = 0;
                }
                #[allow(clippy::cast_precision_loss, reason = "a batch has at most 25 items")]
                let taken = (count - left.len().min(count)) as f64;
                let capacity = output.consumed_capacity.unwrap_or_default();
                spent += units(capacity.first(), taken);
                "it leaves everything unprocessed".to_owned()
            }
            Err(error) if is_passing(&error.kind) => error.to_string(),
            Err(error) => return Err(at(Side::Destination)(error)),
        };
        if moved.elapsed() >= PATIENCE {
            return Err(CopyError::Stalled(last));
        }
        if !left.is_empty() {
            job.go_on()?;
            attempt += 1;
            pause(attempt).await;
        }
    }
    Ok(spent)
}

/// Whether another try may do better, and does no harm.
fn is_passing(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ProvisionedThroughputExceeded
            | ErrorKind::Throttling
            | ErrorKind::TransactionConflict
            | ErrorKind::InternalServerError
            | ErrorKind::ServiceUnavailable
            | ErrorKind::NoAnswer
            | ErrorKind::Unreachable
    )
}

/// Anywhere between nothing and a limit that doubles ("full jitter").
async fn pause(attempt: u32) {
    let most = Duration::from_millis(50)
        .saturating_mul(1 << attempt.min(12))
        .min(LONGEST_PAUSE);
    let random = RandomState::new().hash_one(attempt);
    let micros = u64::try_from(most.as_micros()).unwrap_or(u64::MAX - 1);
    tokio::time::sleep(Duration::from_micros(random % (micros + 1))).await;
}

#[allow(clippy::cast_precision_loss, reason = "units are few")]
fn units(capacity: Option<&ConsumedCapacity>, otherwise: f64) -> f64 {
    let halves = capacity.and_then(|capacity| capacity.capacity_units);
    halves.map_or(otherwise, |halves| halves.0 as f64 / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bothways_core::Value;

    #[test]
    fn batches_hold_to_their_number_and_their_bytes() {
        let item = |bytes: usize| Item::from_attributes([("k", Value::from("x".repeat(bytes)))]);
        let sizes = |items: Vec<Item>| batches(items).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes(Vec::new()), Vec::<usize>::new());
        assert_eq!(sizes((0..51).map(|_| item(10)).collect()), [25, 25, 1]);
        assert_eq!(sizes((0..25).map(|_| item(400_000)).collect()), [10, 10, 5]);
    }
}
