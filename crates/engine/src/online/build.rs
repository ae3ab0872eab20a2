//! The background's part: from CREATING to ACTIVE, from DELETING to gone.

use crate::catalog::record::{Phase, TableRecord};
use crate::catalog::{self, Table};
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::{Meta, Range};
use crate::write::{Commit, Origin, Submitted, missing};
use bothways_core::Item;
use bothways_protocol::Message;
use bothways_store::{Batch, Snapshot};
use bytes::{Buf, Bytes};
use std::sync::Arc;

/// Bytes of items after which a step of a backfill ends.
const CHUNK_BYTES: usize = 1 << 20;

/// An index that is being made or dropped.
struct Job {
    key: Bytes,
    index: u32,
    /// The last item of the table that was looked at; empty at the start.
    done: Bytes,
}

impl Job {
    /// The first one of those that are durable.
    fn first(snapshot: &dyn Snapshot) -> Result<Option<Self>, Fault> {
        let list = Range::prefix(Meta::IndexJob.key());
        let (from, to) = list.bounds();
        let Some(row) = snapshot.range(from, to, false).next() else {
            return Ok(None);
        };
        let (key, done) = row?;
        let mut id = key.slice(Meta::IndexJob.key().len()..);
        // A row whose key was cut names no index: it is taken for done.
        let index = id.try_get_u32().unwrap_or_default();
        Ok(Some(Self { key, index, done }))
    }
}

impl Inner {
    /// One bounded step in the life of an index; true while there is more to do.
    pub(crate) fn index_step(&self) -> Result<bool, Fault> {
        let snapshot = self.store.snapshot()?;
        let Some(job) = Job::first(&*snapshot)? else {
            return Ok(false);
        };
        let table = self.catalog.of_index(job.index);
        let phase = table.as_ref().and_then(|table| phase(table, job.index));
        match (table, phase) {
            (Some(_), Some(Phase::Creating)) => {
                self.restate(&job, Phase::Creating, |record, _| {
                    set_phase(record, job.index, Some(Phase::Backfilling));
                })?;
            }
            (Some(table), Some(Phase::Backfilling)) => self.backfill(&table, &job, snapshot)?,
            (Some(_), Some(Phase::Deleting)) => {
                self.restate(&job, Phase::Deleting, |record, batch| {
                    remove(record, job.index);
                    let id = job.index.to_be_bytes().to_vec();
                    batch.put(Meta::Dropped.key_of(job.index), id);
                    batch.delete(job.key.clone());
                })?;
            }
            _ => self.forget_index(&job)?,
        }
        Ok(true)
    }

    /// Drops a job whose table is gone, or whose last step was done. Whoever has just asked for an index shows it after
    /// its commit and in the same turn: only in a turn of one's own does an index that is not there stay away.
    fn forget_index(&self, job: &Job) -> Result<(), Fault> {
        let turn = self.catalog.change();
        let table = self.catalog.of_index(job.index);
        if table.is_some_and(|table| phase(&table, job.index).is_some()) {
            return Ok(());
        }
        let ticket = self
            .store
            .submit(&mut |_, batch| batch.delete(job.key.clone()))?;
        drop(turn);
        Ok(ticket.wait()?)
    }

    /// Adds the rows of some items; after the last ones the index is ready.
    fn backfill(
        &self,
        table: &Arc<Table>,
        job: &Job,
        snapshot: Box<dyn Snapshot>,
    ) -> Result<(), Fault> {
        let keys = chunk(table, job, &*snapshot, self.options.backfill_items.max(1))?;
        drop(snapshot);
        let Some(last) = keys.last() else {
            return self.restate(job, Phase::Backfilling, |record, batch| {
                set_phase(record, job.index, None);
                batch.delete(job.key.clone());
            });
        };
        let held = self.stripes.lock(keys.iter().map(|key| &key[..]))?;
        let table = self.newest_table(table);
        let Some((position, index)) = table.building().filter(|(_, i)| i.id == job.index) else {
            // Dropped meanwhile.
            return Ok(());
        };
        let mut commit = Commit::new(Origin::Caller, self.options.clock.now_millis());
        for key in &keys {
            let Some(item) = self.store.latest(key)?.value else {
                continue;
            };
            let item = Item::from_bytes(item)?;
            if let Some(row) = missing(&*self.store, index, key, &item)? {
                commit.build(&table, position, row);
            }
        }
        commit.put_row(job.key.to_vec(), last.to_vec());
        let submitted = commit.submit(&*self.store, &self.ledger)?;
        drop(held);
        match submitted {
            Submitted::Done(ticket) => Ok(ticket.wait()?),
            // A stream or expiry was switched meanwhile: the step comes again.
            Submitted::Stale => Ok(()),
        }
    }

    /// Moves an index on from a phase: stores and shows the table's next version, with rows that belong to it.
    fn restate(
        &self,
        job: &Job,
        from: Phase,
        change: impl FnOnce(&mut TableRecord, &mut Batch),
    ) -> Result<(), Fault> {
        let mut turn = self.catalog.change();
        let Some(table) = self.catalog.of_index(job.index) else {
            return Ok(());
        };
        if phase(&table, job.index) != Some(from) {
            return Ok(());
        }
        let mut record = table.record.clone();
        let mut rows = Batch::default();
        change(&mut record, &mut rows);
        let next = table.with_settings(record).ok_or(Message::KeyUndefined)?;
        let (key, value) = catalog::row(&next)?;
        let ticket = self.store.submit(&mut |_, batch| {
            batch.put(key.clone(), value.clone());
            batch.entries.extend(rows.entries.iter().cloned());
        })?;
        turn.publish(Arc::new(next));
        drop(turn);
        Ok(ticket.wait()?)
    }
}

/// Keys of the next items to look at.
fn chunk(
    table: &Table,
    job: &Job,
    snapshot: &dyn Snapshot,
    most: usize,
) -> Result<Vec<Bytes>, Fault> {
    let mut range = Range::all(table.id());
    if !job.done.is_empty() {
        range = range.after(job.done.clone(), false);
    }
    let (from, to) = range.bounds();
    let (mut keys, mut bytes) = (Vec::new(), 0);
    for row in snapshot.range(from, to, false) {
        let (key, item) = row?;
        bytes += item.len();
        keys.push(key);
        if keys.len() >= most || bytes >= CHUNK_BYTES {
            break;
        }
    }
    Ok(keys)
}

fn phase(table: &Table, index: u32) -> Option<Phase> {
    let mut indexes = table.indexes.iter();
    indexes.find(|own| own.id == index)?.phase
}

fn set_phase(record: &mut TableRecord, index: u32, phase: Option<Phase>) {
    if let Some(own) = record.indexes.iter_mut().find(|own| own.id == index) {
        own.phase = phase;
    }
}

/// Takes an index out of its table, with the definitions that served its key alone.
/// Source: ack-api-quirks, services/dynamodb DDB-TABLE-151.
fn remove(record: &mut TableRecord, index: u32) {
    let gone = record.indexes.iter().find(|own| own.id == index);
    if let Some(name) = gone.map(|own| own.name.clone()) {
        record.insights.remove(&name);
    }
    record.indexes.retain(|own| own.id != index);
    record.forget_unused_attributes();
}
