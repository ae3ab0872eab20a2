//! The whole of a copy: look, make, move, compare, finish.

use crate::checkpoint::{Checkpoint, Reached};
use crate::error::{CopyError, Result, Side, at};
use crate::pace::Pace;
use crate::table::Table;
use crate::transfer::{self, SEGMENTS};
use crate::verify::{self, Compared};
use bothways_protocol::types::ScanInput;
use bothways_protocol::{Context, DynamoDb, DynamoDbExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::task::JoinSet;

/// What a copy is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Moving items.
    Copying,
    /// Reading both sides again.
    Comparing,
}

/// Hears what has been done: the step, the items of it, and how many the source said that it has. Says whether to go
/// on.
pub type Watch = dyn Fn(Step, u64, u64) -> bool + Send + Sync;

/// How to copy.
pub struct Options {
    /// The table, by the same name on both sides.
    pub table: String,
    /// Copy into a table that has items; those of the same key are replaced.
    pub into: bool,
    /// The source is written to meanwhile: what differs at the end is copied again until both hold the same, and what the
    /// source has no more goes from the destination, unless the copy goes into a table that has items of its own. The copy stays
    /// open: the next run copies what has changed since, and one that is not live ends it.
    pub live: bool,
    /// Most write units a second at the destination, and read units a second at the source.
    pub pace: Option<u32>,
    /// Hears how far it is.
    pub watch: Box<Watch>,
}

/// How often what differs is copied again. A choice: each round is shorter than the one before, unless more is written
/// meanwhile than is copied.
const ROUNDS: u32 = 10;

/// What a copy did.
#[derive(Debug, Clone)]
pub struct Report {
    /// Items that this run wrote.
    pub written: u64,
    /// Whether an earlier run had begun.
    pub resumed: bool,
    /// Whether the destination's table was made.
    pub made: bool,
    /// Items that were copied again, or went, because they had changed meanwhile.
    pub mended: u64,
    /// What the comparison found.
    pub compared: Compared,
}

/// A copy under way, shared by its parts.
pub(crate) struct Job {
    pub(crate) from: Arc<dyn DynamoDb>,
    pub(crate) to: Arc<dyn DynamoDb>,
    pub(crate) cx: Context,
    pub(crate) table: Table,
    pub(crate) reads: Pace,
    pub(crate) writes: Pace,
    copying: AtomicU64,
    comparing: AtomicU64,
    options: Options,
}

impl Job {
    pub(crate) fn copied(&self, step: Step, items: u64) {
        let counter = match step {
            Step::Copying => &self.copying,
            Step::Comparing => &self.comparing,
        };
        counter.fetch_add(items, Ordering::Relaxed);
    }

    /// An error where the caller has said stop.
    pub(crate) fn go_on(&self) -> Result<()> {
        let comparing = self.comparing.load(Ordering::Relaxed);
        let (step, items) = match comparing {
            0 => (Step::Copying, self.copying.load(Ordering::Relaxed)),
            items => (Step::Comparing, items),
        };
        let estimate = self.table.description.item_count.unwrap_or_default();
        let estimate = u64::try_from(estimate).unwrap_or_default();
        if (self.options.watch)(step, items, estimate) {
            Ok(())
        } else {
            Err(CopyError::Stopped)
        }
    }
}

/// Copies a table with its keys, indexes, billing, stream, tags and time to live, and compares both sides at the end.
///
/// # Errors
/// [`CopyError`]. A comparison that finds differences is no error: the report says so, and the next run copies anew.
pub async fn copy(
    from: Arc<dyn DynamoDb>,
    to: Arc<dyn DynamoDb>,
    cx: &Context,
    options: Options,
) -> Result<Report> {
    let name = options.table.clone();
    let table = Table::read(&*from, cx, &name, Side::Source).await?;
    let table = table.ok_or(CopyError::NoTable(name))?;
    let identity = table.identity();
    let marks = Checkpoint::of(&table);
    let there = Table::read(&*to, cx, &table.name, Side::Destination).await?;
    let made = there.is_none();
    let reached = match &there {
        None => {
            table.make(&*to, cx).await?;
            None
        }
        Some(there) => {
            if let Some(what) = table.difference(there) {
                let table = table.name;
                return Err(CopyError::Differs { table, what });
            }
            marks.load(&*to, cx, &identity).await?
        }
    };
    let resumed = reached.is_some();
    let followed = reached.as_ref().is_some_and(|left| left.live);
    let parts = if let Some(left) = reached {
        left.parts
    } else {
        if !made && !options.into && !is_empty(&*to, cx, &table.name).await? {
            return Err(CopyError::NotEmpty(table.name));
        }
        marks.begin(&*to, cx, &identity, SEGMENTS).await?;
        vec![Reached::Start; SEGMENTS]
    };
    let (into, live) = (options.into, options.live);
    let job = Arc::new(Job {
        from,
        to,
        cx: cx.clone(),
        table,
        reads: Pace::new(options.pace),
        writes: Pace::new(options.pace),
        copying: AtomicU64::new(0),
        comparing: AtomicU64::new(0),
        options,
    });
    run(&job, parts).await?;
    let mut compared = verify::compare(&job, into).await?;
    let mut mended = 0;
    for _ in 0..ROUNDS {
        if !(live || followed) || compared.is_equal() {
            break;
        }
        mended += verify::mend(&job, &compared.keys).await?;
        job.comparing.store(0, Ordering::Relaxed);
        compared = verify::compare(&job, into).await?;
    }
    if live {
        marks.follow(&*job.to, cx).await?;
    } else if compared.is_equal() {
        job.table.expire(&*job.to, cx).await?;
        marks.end(&*job.to, cx).await?;
    } else if !followed {
        // The source has changed, or the destination: the next run copies anew.
        marks.begin(&*job.to, cx, &identity, SEGMENTS).await?;
    }
    Ok(Report {
        written: job.copying.load(Ordering::Relaxed),
        resumed,
        made,
        mended,
        compared,
    })
}

async fn run(job: &Arc<Job>, reached: Vec<Reached>) -> Result<()> {
    let count = reached.len();
    let mut parts = JoinSet::new();
    for (part, from) in reached.into_iter().enumerate() {
        parts.spawn(transfer::part(Arc::clone(job), part, count, from));
    }
    while let Some(part) = parts.join_next().await {
        part.map_err(|e| CopyError::Stalled(e.to_string()))??;
    }
    Ok(())
}

async fn is_empty(db: &dyn DynamoDb, cx: &Context, table: &str) -> Result<bool> {
    let input = ScanInput {
        table_name: Some(table.to_owned()),
        limit: Some(1),
        consistent_read: Some(true),
        ..ScanInput::default()
    };
    let page = db.scan(cx, input).await.map_err(at(Side::Destination))?;
    Ok(page.items.is_none_or(|items| items.is_empty()) && page.last_evaluated_key.is_none())
}
