//! The background's part of an export.

use super::files::Files;
use super::filter::{self, Filter};
use super::overlay;
use super::record::{self, ExportRecord};
use super::sources::Sources;
use crate::engine::Inner;
use crate::error::{Fault, OpenError};
use crate::layout::Meta;
use bothways_protocol::{Message, validate};
use bothways_store::{Buckets, Seq, Snapshot, Store};
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io;

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
    /// What the table and its log were when the export was begun; not known of one of an earlier run.
    Begin { now: Option<Box<dyn Snapshot>> },
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
pub(super) enum Failure {
    Bucket,
    /// The log of changes is gone, without which a former state is not known.
    Log,
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

impl Running {
    /// What its next step needs. Where that step fails the export begins anew, so what it wrote does not count.
    fn take(&mut self) -> (ExportRecord, Seq, Phase) {
        let phase = std::mem::replace(&mut self.phase, Phase::Begin { now: None });
        let export = self.export.clone();
        (self.export.items, self.export.bytes) = (0, 0);
        (export, self.begun, phase)
    }
}

impl Exports {
    pub(super) fn add(&self, export: ExportRecord, begun: Seq, now: Option<Box<dyn Snapshot>>) {
        let phase = Phase::Begin { now };
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
            exports.add(export, 0, None);
        }
        Ok(exports)
    }

    pub(super) fn running(&self) -> usize {
        self.0.lock().len()
    }

    /// Whether an export under way reads the rows of this id.
    pub(crate) fn read(&self, id: u32) -> bool {
        let running = self.0.lock();
        let mut exports = running.iter().map(|running| &running.export);
        exports.any(|export| export.rows == id || export.log == id)
    }

    /// The earliest moment that exports under way look back to in a log, milliseconds since 1970.
    pub(crate) fn earliest(&self, log: u32) -> Option<u64> {
        let running = self.0.lock();
        let exports = running.iter().map(|running| &running.export);
        let own = exports.filter(|export| export.log == log);
        own.map(|export| export.from.unwrap_or(export.at)).min()
    }
}

impl Inner {
    /// One bounded step of the first export; true while there is more to do.
    pub(crate) fn export_step(&self) -> Result<bool, Fault> {
        let Some(buckets) = &self.options.buckets else {
            return Ok(false);
        };
        // It stays in the list meanwhile, which says what must not be reclaimed.
        let taken = self.exports.0.lock().front_mut().map(Running::take);
        let Some((mut export, begun, phase)) = taken else {
            return Ok(false);
        };
        if self.settled(begun).wait().is_err() {
            self.exports.0.lock().pop_front();
            return Ok(true);
        }
        let next = match self.advance(&mut export, phase, &**buckets) {
            Ok(next) => next,
            Err(Failure::Fault(fault @ Fault::Store(_))) => {
                // A failing store makes every step fail until it is opened again, and the export begins anew.
                return Err(fault);
            }
            Err(failure) => {
                export.failure = Some(failure.words());
                export.ended = Some(self.options.clock.now_millis());
                None
            }
        };
        if let Some(phase) = next {
            if let Some(front) = self.exports.0.lock().front_mut() {
                (front.export, front.phase) = (export, phase);
            }
        } else {
            self.ended(&export)?;
            self.exports.0.lock().pop_front();
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
            Phase::Begin { now } => {
                if !buckets.has(&export.bucket) {
                    return Err(Failure::Bucket);
                }
                Files::begin(export, buckets)?;
                let now = match now {
                    Some(now) => now,
                    None => self.state_of_earlier(export)?,
                };
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
                let given = filter::specification(export).map_err(Fault::from)?;
                let given = given.as_ref().map(validate::export_filter).transpose();
                let given = given.map_err(Fault::from)?;
                let key = || export.key.schema(&export.attributes);
                let filter = match &given {
                    Some(given) => {
                        let key = key().ok_or_else(|| Fault::from(Message::KeyUndefined))?;
                        Some(Filter::new(given, key)?)
                    }
                    None => None,
                };
                let sources = Sources {
                    now: &*now,
                    aside: &*aside,
                    filter: filter.as_ref(),
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

    /// What an export of an earlier run reads: the table as it is now, with the log of all that changed since.
    fn state_of_earlier(&self, export: &ExportRecord) -> Result<Box<dyn Snapshot>, Failure> {
        let now = self.store.snapshot().map_err(Fault::Store)?;
        let switched_off = now.get(&Meta::Dropped.key_of(export.log));
        match switched_off.map_err(Fault::Store)? {
            Some(_) => Err(Failure::Log),
            None => Ok(now),
        }
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
            Self::Log => (
                "Unknown".to_owned(),
                "Point-in-time recovery was switched off before the export had begun".to_owned(),
            ),
            Self::Io(error) => ("S3AccessDenied".to_owned(), error.to_string()),
            Self::Fault(fault) => ("Unknown".to_owned(), fault.to_string()),
        }
    }
}
