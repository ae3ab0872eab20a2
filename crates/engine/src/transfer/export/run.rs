//! The background's part of an export.

use super::files::{Files, change_line, item_line};
use super::overlay::{self, Former, Moment};
use super::record::{self, ExportRecord};
use crate::engine::Inner;
use crate::error::{Fault, OpenError};
use crate::layout::{Meta, Range};
use bothways_core::Item;
use bothways_store::{Buckets, Seq, Snapshot, Store};
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io;

/// Items written by one step, and their bytes.
const CHUNK_ITEMS: usize = 1_000;
const CHUNK_BYTES: usize = 1 << 20;

/// Exports under way.
#[derive(Default)]
pub(crate) struct Exports(Mutex<VecDeque<Running>>);

/// An export under way.
struct Running {
    export: ExportRecord,
    /// The commit that began it; 0 for one of an earlier run.
    begun: Seq,
    phase: Phase,
}

enum Phase {
    Begin,
    /// What the table and its log were when the export was begun, and how far the log was taken.
    Undo {
        now: Box<dyn Snapshot>,
        done: Option<Bytes>,
    },
    /// The same with what is kept aside, and the last item that was written.
    Write {
        now: Box<dyn Snapshot>,
        aside: Box<dyn Snapshot>,
        done: Option<Bytes>,
        files: Box<Files>,
    },
}

/// Why an export fails.
enum Failure {
    Bucket,
    Io(io::Error),
    Fault(Fault),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Exports {
    pub(super) fn add(&self, export: ExportRecord, begun: Seq) {
        let phase = Phase::Begin;
        self.0.lock().push_back(Running {
            export,
            begun,
            phase,
        });
    }

    /// Those that were under way when the database was last open begin anew.
    pub(crate) fn open(store: &dyn Store) -> Result<Self, OpenError> {
        let snapshot = store.snapshot()?;
        let unfinished = record::unfinished(&*snapshot).map_err(|fault| match fault {
            Fault::Store(error) => OpenError::Store(error),
            Fault::Record(error) => OpenError::Catalogue(error),
            _ => OpenError::Contradiction("an export".to_owned()),
        })?;
        let exports = Self::default();
        for export in unfinished {
            exports.add(export, 0);
        }
        Ok(exports)
    }
}

impl Inner {
    /// One bounded step of the first export; true while there is more to do.
    pub(crate) fn export_step(&self) -> Result<bool, Fault> {
        let Some(buckets) = &self.options.buckets else {
            return Ok(false);
        };
        let running = self.exports.0.lock().pop_front();
        let Some(mut running) = running else {
            return Ok(false);
        };
        if self.settled(running.begun).wait().is_err() {
            return Ok(true);
        }
        let phase = std::mem::replace(&mut running.phase, Phase::Begin);
        match self.advance(&mut running.export, phase, &**buckets) {
            Ok(Some(next)) => {
                running.phase = next;
                self.exports.0.lock().push_front(running);
            }
            Ok(None) => self.ended(&running.export)?,
            Err(Failure::Fault(fault)) => {
                // Begun anew; a failing store makes every step fail until it is opened again.
                (running.export.items, running.export.bytes) = (0, 0);
                self.exports.0.lock().push_front(running);
                return Err(fault);
            }
            Err(failure) => {
                let export = &mut running.export;
                export.failure = Some(failure.words());
                export.ended = Some(self.options.clock.now_millis());
                self.ended(export)?;
            }
        }
        Ok(true)
    }

    /// The next phase; none at the end.
    fn advance(
        &self,
        export: &mut ExportRecord,
        phase: Phase,
        buckets: &dyn Buckets,
    ) -> Result<Option<Phase>, Failure> {
        Ok(match phase {
            Phase::Begin => {
                if !buckets.has(&export.bucket) {
                    return Err(Failure::Bucket);
                }
                Files::begin(export, buckets)?;
                let now = self.store.snapshot().map_err(Fault::Store)?;
                Some(Phase::Undo { now, done: None })
            }
            Phase::Undo { now, done } => match overlay::step(&*self.store, &*now, export, done)? {
                Some(last) => Some(Phase::Undo {
                    now,
                    done: Some(last),
                }),
                None => Some(Phase::Write {
                    now,
                    aside: self.store.snapshot().map_err(Fault::Store)?,
                    done: None,
                    files: Box::default(),
                }),
            },
            Phase::Write {
                now,
                aside,
                done,
                mut files,
            } => {
                let sources = Sources {
                    now: &*now,
                    aside: &*aside,
                };
                let last = if export.from.is_some() {
                    sources.changes(export, done.as_ref(), &mut files, buckets)?
                } else {
                    sources.items(export, done.as_ref(), &mut files, buckets)?
                };
                if last.is_none() {
                    export.ended = Some(self.options.clock.now_millis());
                    files.end(export, buckets)?;
                    return Ok(None);
                }
                Some(Phase::Write {
                    now,
                    aside,
                    done: last,
                    files,
                })
            }
        })
    }

    /// Writes the end down; what was kept aside is reclaimed.
    fn ended(&self, export: &ExportRecord) -> Result<(), Fault> {
        let (key, row) = (export.key(), export.row()?);
        let mut number = 0;
        let ticket = self.store.submit(&mut |seq, batch| {
            number = seq;
            batch.put(key.clone(), row.clone());
            let ids = export.overlay.to_be_bytes().to_vec();
            batch.put(Meta::Dropped.key_of(export.overlay), ids);
        })?;
        ticket.wait()?;
        self.sweep.wake(number);
        Ok(())
    }
}

impl Failure {
    /// Code and words. Source: ack-api-quirks, services/dynamodb DDB-EXPORT-010, -011; the rest is our own.
    fn words(&self) -> (String, String) {
        match self {
            Self::Bucket => (
                "S3NoSuchBucket".to_owned(),
                "The specified bucket does not exist".to_owned(),
            ),
            Self::Io(error) => ("S3AccessDenied".to_owned(), error.to_string()),
            Self::Fault(fault) => ("Unknown".to_owned(), fault.to_string()),
        }
    }
}

/// Where an export reads.
struct Sources<'s> {
    now: &'s dyn Snapshot,
    aside: &'s dyn Snapshot,
}

impl Sources<'_> {
    /// Writes some items of a full export: the table's rows, with those kept aside in their places.
    fn items(
        &self,
        export: &mut ExportRecord,
        done: Option<&Bytes>,
        files: &mut Files,
        buckets: &dyn Buckets,
    ) -> Result<Option<Bytes>, Failure> {
        let rows = after(Range::all(export.rows), &export.rows.to_be_bytes(), done);
        let prefix = overlay::prefix(export.overlay, Moment::End);
        let aside = after(Range::prefix(prefix.clone()), &prefix, done);
        let mut rows = self
            .now
            .range(rows.bounds().0, rows.bounds().1, false)
            .peekable();
        let mut aside = self
            .aside
            .range(aside.bounds().0, aside.bounds().1, false)
            .peekable();
        let (mut last, mut taken, mut bytes) = (None, 0, 0);
        while taken < CHUNK_ITEMS && bytes < CHUNK_BYTES {
            let row = key_of(rows.peek(), 4);
            let former = key_of(aside.peek(), prefix.len());
            let rest = match (&row, &former) {
                (None, None) => return Ok(last),
                (Some(row), Some(former)) => row.min(former).clone(),
                (Some(one), None) | (None, Some(one)) => one.clone(),
            };
            let own = if row.as_ref() == Some(&rest) {
                rows.next()
            } else {
                None
            };
            let kept = if former.as_ref() == Some(&rest) {
                aside.next()
            } else {
                None
            };
            let item = match (kept, own) {
                (Some(kept), _) => Former::read(kept.map_err(Fault::Store)?.1)?.item,
                (None, Some(own)) => {
                    Some(Item::from_bytes(own.map_err(Fault::Store)?.1).map_err(Fault::Item)?)
                }
                (None, None) => None,
            };
            taken += 1;
            last = Some(rest);
            if let Some(item) = item {
                bytes += item.size();
                count(export, &item);
                files.line(export, buckets, &item_line(export, &item))?;
            }
        }
        Ok(last)
    }

    /// Writes some items of an incremental export: those that were something else at its begin.
    fn changes(
        &self,
        export: &mut ExportRecord,
        done: Option<&Bytes>,
        files: &mut Files,
        buckets: &dyn Buckets,
    ) -> Result<Option<Bytes>, Failure> {
        let prefix = overlay::prefix(export.overlay, Moment::Begin);
        let range = after(Range::prefix(prefix.clone()), &prefix, done);
        let (from, to) = range.bounds();
        let (mut last, mut bytes) = (None, 0);
        let names: Vec<String> = export
            .key
            .hash
            .iter()
            .chain(&export.key.range)
            .cloned()
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for row in self.aside.range(from, to, false).take(CHUNK_ITEMS) {
            let (key, value) = row.map_err(Fault::Store)?;
            let rest = key.slice(prefix.len()..);
            let was = Former::read(value)?;
            let is = self.at_end(export, &rest)?;
            last = Some(rest);
            let Some(some) = is.as_ref().or(was.item.as_ref()) else {
                // It came and went in between.
                continue;
            };
            let keys = some.only(&names);
            bytes += is.as_ref().map_or(0, Item::size);
            count(export, some);
            let line = change_line(export, &keys, &was, is.as_ref());
            files.line(export, buckets, &line)?;
            if bytes >= CHUNK_BYTES {
                break;
            }
        }
        Ok(last)
    }

    fn at_end(&self, export: &ExportRecord, rest: &[u8]) -> Result<Option<Item>, Fault> {
        let aside = overlay::key(export.overlay, Moment::End, rest);
        if let Some(row) = self.aside.get(&aside)? {
            return Ok(Former::read(row)?.item);
        }
        let mut key = export.rows.to_be_bytes().to_vec();
        key.extend_from_slice(rest);
        let row = self.now.get(&key)?;
        Ok(row.map(Item::from_bytes).transpose()?)
    }
}

fn count(export: &mut ExportRecord, item: &Item) {
    export.items += 1;
    export.bytes += i64::try_from(item.size()).unwrap_or(i64::MAX);
}

/// A range from the last item on.
fn after(range: Range, prefix: &[u8], done: Option<&Bytes>) -> Range {
    let Some(done) = done else {
        return range;
    };
    let mut key = prefix.to_vec();
    key.extend_from_slice(done);
    range.after(key.into(), false)
}

/// The key of the next row without its prefix.
fn key_of(row: Option<&bothways_store::Row>, prefix: usize) -> Option<Bytes> {
    match row {
        None => None,
        Some(Ok((key, _))) => Some(key.slice(prefix..)),
        // The row is met again when it is taken.
        Some(Err(_)) => Some(Bytes::new()),
    }
}
