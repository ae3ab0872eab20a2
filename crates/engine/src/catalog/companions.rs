//! What a change of the catalogue brings with it beside a table's own row: streams that begin and end, ids, rows.

use super::{Change, Features, Table};
use crate::engine::Inner;
use crate::error::Fault;
use crate::expiry::Expiring;
use crate::layout::Meta;
use crate::recovery::ChangeLog;
use crate::stream::{self, Open, StreamRecord};
use bothways_store::{Batch, Seq, Ticket};
use std::sync::Arc;

/// What a commit that changes the catalogue writes beside the table's row. Filled in outside the store's
/// ordering lock, written under it, shown afterwards.
#[derive(Debug, Default)]
pub(crate) struct Companions {
    /// The next free id, where ids were taken.
    next_id: Option<u32>,
    /// Streams that begin, end or go on in new shards, as they will be.
    streams: Vec<(StreamRecord, Switch)>,
    /// Rows to put, or to delete.
    pub(crate) rows: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    pub(crate) expiry: Expiry,
    pub(crate) log: LogSwitch,
    /// Whether the background has work with it.
    pub(crate) wake: bool,
}

/// What happens to a table's expiry.
#[derive(Debug, Default)]
pub(crate) enum Expiry {
    /// Nothing.
    #[default]
    Stays,
    /// Items expire from now on.
    Begins(Arc<Expiring>),
    /// They do not any more.
    Ends,
}

/// What happens to a table's logs of changes.
#[derive(Debug, Default)]
pub(crate) enum LogSwitch {
    /// Nothing.
    #[default]
    Stays,
    /// Changes are logged from now on.
    Begins(Arc<ChangeLog>),
    /// They are not any more.
    Ends,
    /// Changes are logged for backups that are being made.
    CopyBegins(Arc<ChangeLog>),
    /// The last of them is made.
    CopyEnds,
}

/// What happens to a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switch {
    /// It begins, or goes on in a new generation of two to this power shards.
    Roll { now: u64, bits: u8 },
    /// It ends.
    Close { now: u64 },
    /// Its first generations are forgotten; as many as said.
    Forget { generations: usize },
}

impl Companions {
    /// Whether a table's writers see nothing of it.
    fn is_unseen(&self) -> bool {
        self.streams.is_empty()
            && matches!(self.expiry, Expiry::Stays)
            && matches!(self.log, LogSwitch::Stays)
    }

    /// Takes a free id.
    pub(crate) fn id(&mut self, change: &Change<'_>) -> Result<u32, Fault> {
        let id = self.next_id.unwrap_or_else(|| change.next_id());
        self.next_id = Some(id.checked_add(1).ok_or(Fault::IdsExhausted)?);
        Ok(id)
    }

    /// Ids up to this one are taken.
    pub(crate) fn ids_taken(&mut self, next_id: u32) {
        self.next_id = Some(next_id);
    }

    pub(crate) fn switch(&mut self, stream: StreamRecord, switch: Switch) {
        self.streams.push((stream, switch));
    }

    /// Writes all of it. Under the store's ordering lock, with the commit's number.
    fn write(&mut self, seq: Seq, batch: &mut Batch) -> Result<(), Fault> {
        if let Some(next_id) = self.next_id {
            batch.put(Meta::NextId.key(), next_id.to_be_bytes().to_vec());
        }
        for (key, value) in self.rows.drain(..) {
            match value {
                Some(value) => batch.put(key, value),
                None => batch.delete(key),
            }
        }
        for (stream, switch) in &mut self.streams {
            match *switch {
                Switch::Roll { now, bits } => stream.roll(now, bits, seq),
                Switch::Close { now } => stream.close(now, seq),
                Switch::Forget { generations } => {
                    stream.generations.drain(..generations);
                }
            }
            let key = stream::row_key(stream);
            if stream.generations.is_empty() {
                batch.delete(key);
            } else {
                batch.put(key, serde_json::to_vec(stream).map_err(Fault::Record)?);
            }
        }
        Ok(())
    }

    /// What the table's writers see from this commit on.
    fn features(&self, is: &Features, table: &Table) -> Features {
        let own = self
            .streams
            .iter()
            .find(|(s, _)| Some(&s.label) == table.record.stream.as_ref().map(|l| &l.label));
        Features {
            stream: match own {
                Some((_, Switch::Forget { .. })) | None => is.stream.clone(),
                Some((stream, _)) => Open::of(stream),
            },
            expiring: match &self.expiry {
                Expiry::Stays => is.expiring.clone(),
                Expiry::Begins(next) => Some(Arc::clone(next)),
                Expiry::Ends => None,
            },
            log: match &self.log {
                LogSwitch::Begins(next) => Some(Arc::clone(next)),
                LogSwitch::Ends => None,
                _ => is.log.clone(),
            },
            copying: match &self.log {
                LogSwitch::CopyBegins(next) => Some(Arc::clone(next)),
                LogSwitch::CopyEnds => None,
                _ => is.copying.clone(),
            },
        }
    }

    /// Shows what was written to everybody.
    fn publish(self, change: &mut Change<'_>) {
        if let Some(next_id) = self.next_id {
            change.ids_taken(next_id);
        }
        for (stream, _) in self.streams {
            if stream.generations.is_empty() {
                change.withdraw_stream(&stream);
            } else {
                change.publish_stream(Arc::new(stream));
            }
        }
    }
}

impl Inner {
    /// Commits a change of the catalogue: `fill` writes the table's own rows; the rest follows. The new
    /// features of `table` hold for every commit after this one.
    pub(crate) fn commit_change(
        &self,
        change: &mut Change<'_>,
        mut companions: Companions,
        table: Option<&Table>,
        mut fill: impl FnMut(Seq, &mut Batch),
    ) -> Result<Ticket, Fault> {
        let mut written = Ok(());
        let mut number = 0;
        let ticket = self.store.submit(&mut |seq, batch| {
            number = seq;
            fill(seq, batch);
            written = companions.write(seq, batch);
            if written.is_err() {
                batch.entries.clear();
                return;
            }
            if let Some(table) = table.filter(|_| !companions.is_unseen()) {
                let next = companions.features(&table.live.features.load(), table);
                table.live.features.store(Arc::new(next));
            }
        })?;
        written?;
        if companions.wake {
            self.sweep.wake(number);
        }
        companions.publish(change);
        Ok(ticket)
    }
}
