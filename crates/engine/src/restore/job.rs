//! The background's part: from the first chunk to ACTIVE.

use crate::catalog::{self, Table};
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::{Meta, Range};
use crate::recovery::{Change, entries};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bothways_core::Item;
use bothways_protocol::Message;
use bothways_store::Snapshot;
use bytes::{Buf, Bytes};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Items put in by one commit, and their bytes.
const CHUNK_ITEMS: usize = 500;
const CHUNK_BYTES: usize = 1 << 20;
/// How far apart the times of neighbouring entries may be against their order, milliseconds: a write takes its time
/// before its commit has its place.
const DISORDER_MILLIS: u64 = 60_000;

/// A table whose items are being put in, as stored (`docs/format.md`). Members are only ever added.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Id of the table.
    pub(crate) table: u32,
    pub(crate) work: Work,
    /// Key of the last row that was taken, in Base64; empty at the start.
    #[serde(default)]
    pub(crate) done: String,
}

/// Where the items come from.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Work {
    /// Rows of a backup.
    Copy { rows: u32 },
    /// Rows of a table, and then its log from the end back to the time. A row that changes meanwhile may be copied
    /// before or after: its log has it.
    Recover {
        rows: u32,
        log: u32,
        at: u64,
        undoing: bool,
    },
    /// Records of objects of a bucket: the import, and how many objects, and records of the next one, were taken.
    Import {
        import: String,
        object: usize,
        records: u64,
        /// Key of the last object that was taken whole, and of the one whose records were: objects may come and go.
        #[serde(default)]
        taken: Option<String>,
        #[serde(default)]
        within: Option<String>,
    },
}

/// The next items, by their row keys without an id; `None` for one that is not to be there.
#[derive(Default)]
struct Chunk {
    items: BTreeMap<Bytes, Option<Item>>,
    /// The last row taken; none when there are no more.
    last: Option<Bytes>,
}

impl Job {
    pub(crate) fn new(table: u32, work: Work) -> Self {
        let done = String::new();
        Self { table, work, done }
    }

    pub(crate) fn key(&self) -> Vec<u8> {
        Meta::Job.key_of(self.table)
    }

    pub(crate) fn row(&self) -> Result<Vec<u8>, Fault> {
        serde_json::to_vec(self).map_err(Fault::Record)
    }

    fn is_import(&self) -> bool {
        matches!(self.work, Work::Import { .. })
    }

    fn place(&self) -> Option<Bytes> {
        let place = STANDARD.decode(&self.done).ok()?;
        (!place.is_empty()).then(|| place.into())
    }

    /// The same, one row further.
    fn further(&self, last: &[u8]) -> Self {
        Self {
            done: STANDARD.encode(last),
            ..self.clone()
        }
    }

    fn chunk(&self, snapshot: &dyn Snapshot) -> Result<Chunk, Fault> {
        match self.work {
            Work::Copy { rows }
            | Work::Recover {
                rows,
                undoing: false,
                ..
            } => self.rows(snapshot, rows),
            Work::Recover { log, at, .. } => self.undone(snapshot, log, at),
            Work::Import { .. } => Ok(Chunk::default()),
        }
    }

    fn rows(&self, snapshot: &dyn Snapshot, id: u32) -> Result<Chunk, Fault> {
        let mut range = Range::all(id);
        if let Some(place) = self.place() {
            range = range.after(place, false);
        }
        let (from, to) = range.bounds();
        let (mut chunk, mut bytes) = (Chunk::default(), 0);
        for row in snapshot.range(from, to, false) {
            let (key, value) = row?;
            bytes += value.len();
            let item = Item::from_bytes(value)?;
            chunk.items.insert(key.slice(4..), Some(item));
            chunk.last = Some(key);
            if chunk.items.len() >= CHUNK_ITEMS || bytes >= CHUNK_BYTES {
                break;
            }
        }
        Ok(chunk)
    }

    /// What items were before their changes, the newest change first: the last one that counts is the first after the
    /// time.
    fn undone(&self, snapshot: &dyn Snapshot, log: u32, at: u64) -> Result<Chunk, Fault> {
        let mut range = entries(log, snapshot.get(&Meta::LogMark.key_of(log))?);
        if let Some(place) = self.place() {
            range = range.after(place, true);
        }
        let (from, to) = range.bounds();
        let (mut chunk, mut bytes) = (Chunk::default(), 0);
        for row in snapshot.range(from, to, true) {
            let (key, value) = row?;
            bytes += value.len();
            let change = Change::read(value)?;
            if change.millis.saturating_add(DISORDER_MILLIS) < at {
                break;
            }
            chunk.last = Some(key);
            if change.millis > at {
                chunk.items.insert(change.rest, change.before);
            }
            if chunk.items.len() >= CHUNK_ITEMS || bytes >= CHUNK_BYTES {
                break;
            }
        }
        Ok(chunk)
    }
}

impl Inner {
    /// One bounded step of one table, each in its turn; true while there is more to do.
    pub(crate) fn job_step(&self) -> Result<bool, Fault> {
        let snapshot = self.store.snapshot()?;
        let Some(job) = self.next_job(&*snapshot)? else {
            return Ok(false);
        };
        let coming = || {
            let table = self.catalog.of_id(job.table);
            table.filter(|table| table.is_coming())
        };
        // A job can be durable before whoever began it has shown the table: they have the catalogue's turn until then.
        let table = coming().or_else(|| {
            drop(self.catalog.change());
            coming()
        });
        let Some(table) = table else {
            let key = job.key();
            let ticket = self
                .store
                .submit(&mut |_, batch| batch.delete(key.clone()))?;
            ticket.wait()?;
            return Ok(true);
        };
        if job.is_import() {
            drop(snapshot);
            return self.import_step(&table, &job).map(|()| true);
        }
        let chunk = job.chunk(&*snapshot)?;
        drop(snapshot);
        match (&chunk.last, &job.work) {
            (Some(last), _) => {
                let next = job.further(last);
                self.fill(&table, &chunk.items, &[(next.key(), next.row()?)])?;
            }
            (
                None,
                &Work::Recover {
                    rows,
                    log,
                    at,
                    undoing: false,
                },
            ) => {
                let undoing = true;
                let next = Job::new(
                    job.table,
                    Work::Recover {
                        rows,
                        log,
                        at,
                        undoing,
                    },
                );
                self.fill(&table, &BTreeMap::new(), &[(next.key(), next.row()?)])?;
            }
            (None, _) => self.arrive(&job, None)?,
        }
        Ok(true)
    }

    /// The job after the one that was last worked on. Where nobody named buckets imports wait for one who does.
    fn next_job(&self, snapshot: &dyn Snapshot) -> Result<Option<Job>, Fault> {
        let list = Range::prefix(Meta::Job.key());
        let (from, to) = list.bounds();
        let latest = self.sweep.job();
        let (mut first, mut next) = (None, None);
        for row in snapshot.range(from, to, false) {
            let (key, value) = row?;
            let mut id = key.slice(Meta::Job.key().len()..);
            let id = id.try_get_u32().unwrap_or_default();
            if first.is_some() && id <= latest {
                continue;
            }
            let job: Job = serde_json::from_slice(&value).map_err(Fault::Record)?;
            if job.is_import() && self.options.buckets.is_none() {
                continue;
            }
            if id > latest {
                next = Some((id, job));
                break;
            }
            first = Some((id, job));
        }
        let Some((id, job)) = next.or(first) else {
            return Ok(None);
        };
        self.sweep.set_job(id);
        Ok(Some(job))
    }

    /// Shows the table to everybody, with a row that goes with it.
    pub(crate) fn arrive(&self, job: &Job, row: Option<&(Vec<u8>, Vec<u8>)>) -> Result<(), Fault> {
        let mut turn = self.catalog.change();
        let Some(table) = self.catalog.of_id(job.table) else {
            return Ok(());
        };
        let mut record = table.record.clone();
        (record.restoring, record.importing) = (None, None);
        let next: Table = table.with_settings(record).ok_or(Message::KeyUndefined)?;
        let (key, value) = catalog::row(&next)?;
        let ticket = self.store.submit(&mut |_, batch| {
            batch.put(key.clone(), value.clone());
            batch.delete(job.key());
            if let Some((key, value)) = row {
                batch.put(key.clone(), value.clone());
            }
        })?;
        turn.publish(Arc::new(next));
        drop(turn);
        Ok(ticket.wait()?)
    }
}
