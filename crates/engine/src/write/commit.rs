//! Everything that one commit writes, and its hand-over to the store.

use super::index::{IndexChange, index_changes};
use super::stage::Staged;
use super::{Action, Write};
use crate::catalog::Table;
use crate::error::Fault;
use crate::stats::Ledger;
use bothways_core::Item;
use bothways_protocol::Message;
use bothways_protocol::types::Units;
use bothways_store::{Batch, Store, Ticket};
use smallvec::SmallVec;
use std::sync::Arc;

/// Units of an action's index rows, by the index's position.
pub(crate) type IndexUnits = SmallVec<[(usize, Units); 2]>;

/// One commit in the making.
#[derive(Debug, Default)]
pub(crate) struct Commit {
    batch: Batch,
    deltas: SmallVec<[Delta; 2]>,
}

/// Change of one table's or index's totals.
#[derive(Debug)]
struct Delta {
    table: Arc<Table>,
    /// `None` for the table itself.
    index: Option<usize>,
    items: i64,
    bytes: i64,
}

impl Commit {
    /// Adds an item's change with its index rows; returns what the indexes charge.
    pub(crate) fn add(&mut self, write: &Write<'_>, staged: &Staged) -> IndexUnits {
        let mut units = IndexUnits::new();
        if matches!(write.action, Action::Check) || staged.before == staged.after {
            return units;
        }
        let size = |item: &Option<Item>| item.as_ref().map_or(0, |i| signed(i.size()));
        let exists = |item: &Option<Item>| i64::from(item.is_some());
        match &staged.after {
            Some(item) => self.batch.put(write.key.clone(), item.bytes().clone()),
            None => self.batch.delete(write.key.clone()),
        }
        self.deltas.push(Delta {
            table: Arc::clone(&write.table),
            index: None,
            items: exists(&staged.after) - exists(&staged.before),
            bytes: size(&staged.after) - size(&staged.before),
        });
        for change in index_changes(&write.table, &write.key, staged) {
            units.push((change.position, change.units));
            self.add_index(&write.table, change);
        }
        units
    }

    fn add_index(&mut self, table: &Arc<Table>, change: IndexChange) {
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
        });
    }

    /// Adds a row that belongs to no item.
    pub(crate) fn put_row(&mut self, key: Vec<u8>, value: Vec<u8>) {
        self.batch.put(key, value);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.batch.entries.is_empty()
    }

    /// Hands the batch to the open commit group, with the totals that it changes. A table dropped by a
    /// commit before this one refuses it whole.
    pub(crate) fn submit(mut self, store: &dyn Store, ledger: &Ledger) -> Result<Ticket, Fault> {
        // The limits are checked here because the totals below cannot be taken back.
        self.batch.check()?;
        let mut dropped = false;
        let ticket = store.submit(&mut |_, batch| {
            dropped = self.deltas.iter().any(|d| d.table.live.is_dropped());
            if dropped {
                return;
            }
            std::mem::swap(&mut batch.entries, &mut self.batch.entries);
            for delta in &self.deltas {
                delta.totals().add(delta.items, delta.bytes);
                ledger.touch(&delta.table);
            }
        })?;
        if dropped {
            return Err(Message::TableNotFound.into());
        }
        Ok(ticket)
    }
}

impl Delta {
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
