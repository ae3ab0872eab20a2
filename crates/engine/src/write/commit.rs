//! Everything that one commit writes, and its hand-over to the store.

use super::index::{IndexChange, index_changes};
use super::stage::Staged;
use super::stream::{Made, Origin};
use super::{Action, Write};
use crate::catalog::{Features, Table};
use crate::error::Fault;
use crate::expiry::{self, Expiring};
use crate::recovery::Logged;
use crate::stats::Ledger;
use bothways_core::Item;
use bothways_protocol::Message;
use bothways_protocol::types::Units;
use bothways_store::{Batch, MAX_BATCH_BYTES, Store, Ticket};
use bytes::Bytes;
use smallvec::SmallVec;
use std::sync::Arc;

/// What a row of an index is charged.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Charge {
    Units(Units),
    /// Bytes of a vector index's row.
    Vectors(usize),
}

/// The charges of an action's index rows, by the index's id.
pub(crate) type IndexCharges = SmallVec<[(u32, Charge); 2]>;

/// One commit in the making.
#[derive(Debug)]
pub(crate) struct Commit {
    batch: Batch,
    deltas: SmallVec<[Delta; 2]>,
    /// Stream records, in order.
    records: Vec<Made>,
    /// Entries of logs of changes, in order.
    logged: Vec<Logged>,
    /// Expiry times written.
    expiries: Vec<(Arc<Expiring>, u64)>,
    origin: Origin,
    /// Milliseconds since 1970.
    now: u64,
}

/// What became of a commit handed over.
#[derive(Debug)]
pub(crate) enum Submitted {
    /// It has its place in the order.
    Done(Ticket),
    /// A table it writes to has other features by now: to be made anew.
    Stale,
}

/// Change of one table's or index's totals.
#[derive(Debug)]
struct Delta {
    table: Arc<Table>,
    /// `None` for the table itself.
    index: Option<usize>,
    items: i64,
    bytes: i64,
    /// What the table's commit was made for.
    features: Arc<Features>,
}

impl Commit {
    pub(crate) fn new(origin: Origin, now: u64) -> Self {
        Self {
            batch: Batch::default(),
            deltas: SmallVec::new(),
            records: Vec::new(),
            logged: Vec::new(),
            expiries: Vec::new(),
            origin,
            now,
        }
    }

    /// Adds an item's change with its index rows and what follows; returns what the indexes charge.
    pub(crate) fn add(
        &mut self,
        table: &Arc<Table>,
        write: &Write<'_>,
        staged: &Staged,
    ) -> IndexCharges {
        let mut charges = IndexCharges::new();
        if matches!(write.action, Action::Check) || staged.before == staged.after {
            return charges;
        }
        let features = write.table.live.features.load_full();
        if let Some(stream) = &features.stream {
            let made = Made::of(stream, write, staged, self.origin, self.now);
            self.records.push(made);
        }
        for log in features.log.iter().chain(&features.copying) {
            let before = staged.before.as_ref();
            self.logged
                .push(Logged::of(log, &write.key, before, self.now));
        }
        if let Some(expiring) = &features.expiring {
            self.expire(expiring, write, staged);
        }
        let size = |item: &Option<Item>| item.as_ref().map_or(0, |i| signed(i.size()));
        let exists = |item: &Option<Item>| i64::from(item.is_some());
        match &staged.after {
            Some(item) => self.batch.put(write.key.clone(), item.bytes().clone()),
            None => self.batch.delete(write.key.clone()),
        }
        self.deltas.push(Delta {
            table: Arc::clone(table),
            index: None,
            items: exists(&staged.after) - exists(&staged.before),
            bytes: size(&staged.after) - size(&staged.before),
            features: Arc::clone(&features),
        });
        for change in index_changes(table, &write.key, staged) {
            let index = &table.indexes[change.position];
            let charge = if index.vector.is_none() {
                Charge::Units(change.units)
            } else {
                Charge::Vectors(change.row_bytes)
            };
            charges.push((index.id, charge));
            self.add_index(table, &features, change);
        }
        charges
    }

    /// Adds the row of an item that an index being built lacks.
    pub(crate) fn build(&mut self, table: &Arc<Table>, position: usize, row: (Bytes, Item)) {
        let (key, image) = row;
        self.deltas.push(Delta {
            table: Arc::clone(table),
            index: Some(position),
            items: 1,
            bytes: signed(image.size()),
            features: table.live.features.load_full(),
        });
        self.batch.put(key, image.bytes().clone());
    }

    /// Moves the row that says when the item expires.
    fn expire(&mut self, expiring: &Arc<Expiring>, write: &Write<'_>, staged: &Staged) {
        let time = |item: &Option<Item>| item.as_ref().and_then(|item| expiring.time_of(item));
        let (was, is) = (time(&staged.before), time(&staged.after));
        if was == is {
            return;
        }
        if let Some(was) = was {
            self.batch.delete(expiring.key(was, &write.key));
        }
        if let Some(is) = is {
            self.batch.put(expiring.key(is, &write.key), Bytes::new());
            self.expiries.push((Arc::clone(expiring), is));
        }
    }

    fn add_index(&mut self, table: &Arc<Table>, features: &Arc<Features>, change: IndexChange) {
        if let Some(key) = change.remove {
            self.batch.delete(key);
        }
        if let Some((key, image)) = change.put {
            self.batch.put(key, image.bytes().clone());
        }
        self.deltas.push(Delta {
            table: Arc::clone(table),
            index: Some(change.position),
            items: change.items,
            bytes: change.bytes,
            features: Arc::clone(features),
        });
    }

    /// Adds a row that belongs to no item.
    pub(crate) fn put_row(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.batch.put(key, value);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.batch.entries.is_empty()
    }

    /// The limit of a batch, with what is added when the commit has its number.
    fn check_room(&self) -> Result<(), Fault> {
        let records = self.records.iter().map(Made::bytes).sum::<usize>();
        let logged = self.logged.iter().map(Logged::bytes).sum::<usize>();
        let marks = self.expiries.len() * expiry::MARK_BYTES;
        let bytes = self.batch.bytes() + records + logged + marks;
        if bytes > MAX_BATCH_BYTES {
            let words = format!("a batch has {bytes} bytes; the limit is {MAX_BATCH_BYTES}");
            return Err(Fault::Store(bothways_store::Error::TooLarge(words)));
        }
        Ok(())
    }

    /// Hands the batch to the open commit group, with the totals that it changes. A table dropped by a
    /// commit before this one refuses it whole; one whose stream or expiry was switched makes it stale.
    pub(crate) fn submit(mut self, store: &dyn Store, ledger: &Ledger) -> Result<Submitted, Fault> {
        // The limits are checked here because the totals below cannot be taken back.
        self.batch.check()?;
        self.check_room()?;
        let (mut dropped, mut stale) = (false, false);
        let ticket = store.submit(&mut |seq, batch| {
            dropped = self.deltas.iter().any(|d| d.table.live.is_dropped());
            stale = self.deltas.iter().any(Delta::is_stale);
            if dropped || stale {
                return;
            }
            std::mem::swap(&mut batch.entries, &mut self.batch.entries);
            for (record, position) in self.records.iter_mut().zip(1..) {
                record.put(seq, position, batch);
            }
            for (entry, position) in self.logged.iter_mut().zip(1..) {
                entry.put(seq, position, batch);
            }
            for (expiring, time) in &self.expiries {
                expiring.note(*time, batch);
            }
            for delta in &self.deltas {
                delta.totals().add(delta.items, delta.bytes);
                ledger.touch(&delta.table);
            }
        })?;
        if dropped {
            return Err(Message::TableNotFound.into());
        }
        Ok(if stale {
            Submitted::Stale
        } else {
            Submitted::Done(ticket)
        })
    }
}

impl Delta {
    /// Only under the store's ordering lock.
    fn is_stale(&self) -> bool {
        !Arc::ptr_eq(&self.features, &self.table.live.features.load())
    }

    fn totals(&self) -> &crate::stats::Totals {
        match self.index {
            None => &self.table.totals,
            Some(position) => &self.table.indexes[position].totals,
        }
    }
}

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
