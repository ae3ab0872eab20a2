//! Both tables read again in full and compared: first as digests, and where those differ item by item.

use crate::checkpoint::Checkpoint;
use crate::copy::{Job, Step};
use crate::digest::Digest;
use crate::error::{Result, Side, at};
use crate::transfer::{BATCH_ITEMS, SEGMENTS, delete, put, scan, write};
use bothways_core::{Item, ValueRef};
use bothways_protocol::types::{BatchGetItemInput, KeysAndAttributes};
use bothways_protocol::{DynamoDb, DynamoDbExt};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;

/// Differences that are named; further ones are counted. A choice.
const NAMED: usize = 20;
/// Keys of one batch. Source: API Reference, `BatchGetItem`.
const KEYS: usize = 100;
/// What expires before the comparison can be over may be gone from one side only, and is left out of it.
const EXPIRES_SOON: Duration = Duration::from_hours(1);

/// How an item is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The destination does not have it.
    Missing(Item),
    /// The destination has another one of its key.
    Other(Item),
    /// The source does not have it.
    More(Item),
}

/// What a comparison found.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    /// What the source holds.
    pub source: Digest,
    /// What the destination holds.
    pub destination: Digest,
    /// Items that expire within the hour, left out.
    pub expiring: u64,
    /// The first differences, by their keys.
    pub differences: Vec<Difference>,
    /// All differences.
    pub different: u64,
    /// The keys of all of them.
    pub(crate) keys: Vec<Item>,
}

impl Compared {
    /// Whether both hold the same.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.source == self.destination && self.different == 0
    }
}

/// Compares. With `more` the destination may hold items of its own; then only the source's are looked for.
pub(crate) async fn compare(job: &Arc<Job>, more: bool) -> Result<Compared> {
    let mut compared = Compared::default();
    if !more {
        let (source, expiring) = read(job, Side::Source).await?;
        let (destination, _) = read(job, Side::Destination).await?;
        compared = Compared {
            source,
            destination,
            expiring,
            ..compared
        };
        if compared.is_equal() {
            return Ok(compared);
        }
    }
    let found = look(job, Side::Source).await?;
    compared.source = found.digest;
    compared.expiring = found.expiring;
    for (item, there) in found.differences {
        compared.note(if there {
            Difference::Other(job.table.key_of(&item))
        } else {
            Difference::Missing(job.table.key_of(&item))
        });
    }
    if more {
        // What was asked for is there; the destination's own items are its own.
        compared.destination = compared.source;
        return Ok(compared);
    }
    for (item, there) in look(job, Side::Destination).await?.differences {
        if !there {
            compared.note(Difference::More(job.table.key_of(&item)));
        }
    }
    Ok(compared)
}

impl Compared {
    fn note(&mut self, difference: Difference) {
        self.different += 1;
        let (Difference::Missing(key) | Difference::Other(key) | Difference::More(key)) =
            &difference;
        self.keys.push(key.clone());
        if self.differences.len() < NAMED {
            self.differences.push(difference);
        }
    }
}

/// Makes the destination have, under these keys, what the source has now; what the source has no more goes. How many items
/// that were.
pub(crate) async fn mend(job: &Job, keys: &[Item]) -> Result<u64> {
    for keys in keys.chunks(BATCH_ITEMS) {
        let mut there = read_keys(job, Side::Source, keys.to_vec()).await?;
        let writes = keys.iter().map(|key| match there.remove(key) {
            Some(item) => put(item),
            None => delete(key.clone()),
        });
        let spent = write(job, writes.collect()).await?;
        job.writes.spend(spent).await;
    }
    Ok(keys.len() as u64)
}

/// One side's digest, and how many items were left out.
async fn read(job: &Arc<Job>, side: Side) -> Result<(Digest, u64)> {
    let found = each(job, side, false).await?;
    Ok((found.digest, found.expiring))
}

async fn look(job: &Arc<Job>, side: Side) -> Result<Found> {
    each(job, side, true).await
}

/// What one side holds, and which of its items the other side has not: with whether that has one of their key.
#[derive(Default)]
struct Found {
    digest: Digest,
    expiring: u64,
    differences: Vec<(Item, bool)>,
}

async fn each(job: &Arc<Job>, side: Side, against: bool) -> Result<Found> {
    let mut parts = JoinSet::new();
    for part in 0..SEGMENTS {
        parts.spawn(one(Arc::clone(job), side, part, against));
    }
    let mut all = Found::default();
    while let Some(part) = parts.join_next().await {
        let part = part.map_err(|e| crate::CopyError::Stalled(e.to_string()))??;
        all.digest.merge(&part.digest);
        all.expiring += part.expiring;
        all.differences.extend(part.differences);
    }
    Ok(all)
}

async fn one(job: Arc<Job>, side: Side, part: usize, against: bool) -> Result<Found> {
    let db = match side {
        Side::Source => &job.from,
        Side::Destination => &job.to,
    };
    let marks = Checkpoint::of(&job.table);
    let mut found = Found::default();
    let mut start = None;
    loop {
        job.go_on()?;
        let page = scan(
            &**db,
            &job.cx,
            &job.table.name,
            (part, SEGMENTS),
            start,
            side,
        )
        .await?;
        let mut items: Vec<Item> = Vec::new();
        for item in page
            .items
            .into_iter()
            .flatten()
            .filter(|item| !marks.is(item))
        {
            if expires_soon(&job, &item) {
                found.expiring += 1;
            } else {
                found.digest.add(&item);
                items.push(item);
            }
        }
        job.copied(Step::Comparing, items.len() as u64);
        if against {
            for items in items.chunks(KEYS) {
                found
                    .differences
                    .extend(differing(&job, side, items).await?);
            }
        }
        match page.last_evaluated_key {
            Some(key) => start = Some(key),
            None => return Ok(found),
        }
    }
}

fn expires_soon(job: &Job, item: &Item) -> bool {
    let Some(ValueRef::N(at)) = job.table.expiry.as_deref().and_then(|name| item.get(name)) else {
        return false;
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let soon = (now + EXPIRES_SOON).as_secs();
    at.to_string().parse::<f64>().is_ok_and(|at| {
        #[allow(
            clippy::cast_precision_loss,
            reason = "seconds since 1970 are exact in a double"
        )]
        let soon = soon as f64;
        at <= soon
    })
}

/// Which of one side's items the other has not, and whether it has others of their keys.
async fn differing(job: &Job, side: Side, items: &[Item]) -> Result<Vec<(Item, bool)>> {
    let other = match side {
        Side::Source => Side::Destination,
        Side::Destination => Side::Source,
    };
    let keys = items.iter().map(|item| job.table.key_of(item)).collect();
    let there = read_keys(job, other, keys).await?;
    let same = |item: &&Item| there.get(&job.table.key_of(item)) != Some(item);
    let differing = items.iter().filter(same);
    Ok(differing
        .map(|item| (item.clone(), there.contains_key(&job.table.key_of(item))))
        .collect())
}

/// The items that one side has under these keys, by their keys; read strongly.
async fn read_keys(job: &Job, side: Side, mut keys: Vec<Item>) -> Result<HashMap<Item, Item>> {
    let db: &dyn DynamoDb = match side {
        Side::Source => &*job.from,
        Side::Destination => &*job.to,
    };
    let mut there: HashMap<Item, Item> = HashMap::new();
    while !keys.is_empty() {
        let wanted = KeysAndAttributes {
            keys: Some(keys.drain(..).map(Into::into).collect()),
            consistent_read: Some(true),
            ..KeysAndAttributes::default()
        };
        let input = BatchGetItemInput {
            request_items: Some(BTreeMap::from([(job.table.name.clone(), wanted)])),
            ..BatchGetItemInput::default()
        };
        let output = db.batch_get_item(&job.cx, input).await.map_err(at(side))?;
        let answered = output
            .responses
            .into_iter()
            .flatten()
            .flat_map(|(_, items)| items);
        there.extend(answered.map(|item| (job.table.key_of(&item), item)));
        let left = output.unprocessed_keys.into_iter().flatten();
        let left = left.flat_map(|(_, keys)| keys.keys.into_iter().flatten());
        keys.extend(left.map(|key| key.value));
        job.go_on()?;
    }
    Ok(there)
}
