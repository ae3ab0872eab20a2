//! The one path through a write: lock, stage, commit, unlock.

use super::commit::{Charge, Commit, IndexCharges, Submitted};
use super::stage::{Refusal, Staged, stage};
use super::stream::Origin;
use super::{Action, Write};
use crate::capacity::{Meter, Side, write_units};
use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use crate::stripes::Held;
use bothways_core::{Item, limits};
use bothways_protocol::types::Units;
use bothways_store::{Seq, Ticket};
use smallvec::SmallVec;
use std::sync::Arc;

/// Actions decided and not yet done.
struct Staging {
    /// The newest versions of their tables.
    tables: SmallVec<[Arc<Table>; 1]>,
    staged: Vec<Result<Staged, Refusal>>,
    /// The commit that the decisions rest on.
    rests_on: Seq,
}

/// What became of one action.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) before: Option<Item>,
    pub(crate) after: Option<Item>,
    charges: IndexCharges,
    /// Bytes of the larger image, as they are billed.
    billed: usize,
}

impl Outcome {
    /// Charges the action: the base table by the larger image, `times` over, and its index rows.
    pub(crate) fn charge(&self, meter: &mut Meter, times: u64) {
        let units = write_units(self.billed);
        meter.charge_table(Units(units.0 * times));
        for (id, charge) in &self.charges {
            match charge {
                Charge::Units(units) => meter.charge_index(*id, *units),
                Charge::Vectors(bytes) => meter.charge_vectors(*id, *bytes),
            }
        }
    }
}

/// What became of all of them: every action happened, or none did.
#[derive(Debug)]
pub(crate) enum Applied {
    /// All happened, in order of the actions.
    Done(Vec<Outcome>),
    /// None did; why not, for each action that stands in the way.
    Refused(Vec<Option<Refusal>>),
}

/// Counts the keys of what happened. Not under the items' locks.
pub(crate) fn count(writes: &[Write<'_>], outcomes: &[Outcome], times: u64) {
    for (write, outcome) in writes.iter().zip(outcomes) {
        if !write.table.is_counted() {
            continue;
        }
        let mut spent = Meter::new(Side::Plain);
        outcome.charge(&mut spent, times);
        let after = outcome.after.as_ref();
        write.table.count_write(write.given, after, &spent);
    }
}

impl Inner {
    /// Applies the actions in one commit, all or none. The answer is good when the ticket is.
    pub(crate) fn apply(&self, writes: &[Write<'_>]) -> Result<(Applied, Ticket), Fault> {
        let held = self.stripes.lock(writes.iter().map(|w| &w.key[..]))?;
        let applied = self.apply_as(Origin::Caller, &held, writes, &[]);
        drop(held);
        if let Ok((Applied::Done(outcomes), _)) = &applied {
            count(writes, outcomes, 1);
        }
        applied
    }

    /// The same for a transaction, whose caller holds the items' locks, with rows that belong to no item. `None`
    /// where its items would be too large together: what it puts, and what its updates make of items.
    pub(crate) fn apply_held(
        &self,
        _held: &Held<'_>,
        writes: &[Write<'_>],
        rows: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<(Option<Applied>, Ticket), Fault> {
        let staging = self.stage(writes)?;
        let written = |write: &Write<'_>| matches!(write.action, Action::Put | Action::Update(_));
        let after = |staged: &Result<Staged, Refusal>| {
            let item = staged
                .as_ref()
                .ok()
                .and_then(|staged| staged.after.as_ref());
            item.map_or(0, Item::size)
        };
        let pairs = writes.iter().zip(&staging.staged);
        let bytes: usize = pairs
            .filter(|(write, _)| written(write))
            .map(|(_, staged)| after(staged))
            .sum();
        if bytes > limits::TRANSACTION_BYTES && staging.staged.iter().all(Result::is_ok) {
            return Ok((None, self.settled(staging.rests_on)));
        }
        let (applied, ticket) = self.commit(Origin::Caller, writes, staging, rows)?;
        Ok((Some(applied), ticket))
    }

    /// The same as [`Inner::apply`] for a caller that holds the items' locks, for whom it is.
    pub(crate) fn apply_as(
        &self,
        origin: Origin,
        _held: &Held<'_>,
        writes: &[Write<'_>],
        rows: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<(Applied, Ticket), Fault> {
        let staging = self.stage(writes)?;
        self.commit(origin, writes, staging, rows)
    }

    /// Decides every action.
    fn stage(&self, writes: &[Write<'_>]) -> Result<Staging, Fault> {
        let tables = writes.iter().map(|write| self.newest_table(&write.table));
        let mut staging = Staging {
            tables: tables.collect(),
            staged: Vec::with_capacity(writes.len()),
            rests_on: 0,
        };
        for (write, table) in writes.iter().zip(&staging.tables) {
            let (one, seq) = stage(&*self.store, table, write)?;
            staging.staged.push(one);
            staging.rests_on = staging.rests_on.max(seq);
        }
        Ok(staging)
    }

    /// Commits what was decided, all or none.
    fn commit(
        &self,
        origin: Origin,
        writes: &[Write<'_>],
        staging: Staging,
        rows: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<(Applied, Ticket), Fault> {
        let Staging {
            tables,
            staged,
            rests_on,
        } = staging;
        if staged.iter().any(Result::is_err) {
            let refusals = staged.into_iter().map(Result::err).collect();
            return Ok((Applied::Refused(refusals), self.settled(rests_on)));
        }
        let staged: Vec<Staged> = staged.into_iter().flatten().collect();
        let growths = self.growths(writes, &tables, &staged);
        if let Some(refusals) = self.refuse_collections(writes, &tables, &growths)? {
            return Ok((Applied::Refused(refusals), self.settled(rests_on)));
        }
        // Anew where a table's stream or expiry is switched meanwhile, which is rare and holds no lock of ours.
        loop {
            let mut commit = Commit::new(origin, self.options.clock.now_millis());
            let pairs = writes.iter().zip(&tables).zip(&staged);
            let charges: Vec<IndexCharges> = pairs
                .map(|((write, table), staged)| commit.add(table, write, staged))
                .collect();
            for (key, value) in rows {
                commit.put_row(key.clone(), value.clone());
            }
            let ticket = if commit.is_empty() {
                self.settled(rests_on)
            } else {
                match commit.submit(&*self.store, &self.ledger)? {
                    Submitted::Done(ticket) => ticket,
                    Submitted::Stale => continue,
                }
            };
            self.collections.grow(&growths);
            let outcome = |((staged, charges), table): ((Staged, IndexCharges), &Arc<Table>)| {
                let size = |item: &Option<Item>| item.as_ref().map_or(0, |i| table.billed(i));
                Outcome {
                    billed: size(&staged.before).max(size(&staged.after)),
                    before: staged.before,
                    after: staged.after,
                    charges,
                }
            };
            let outcomes = staged.into_iter().zip(charges).zip(&tables);
            let outcomes = outcomes.map(outcome).collect();
            return Ok((Applied::Done(outcomes), ticket));
        }
    }

    /// The version of a table that writes keep to. Indexes are added and dropped while all items are locked, so it
    /// stays the newest while the caller holds a lock.
    pub(crate) fn newest_table(&self, table: &Arc<Table>) -> Arc<Table> {
        if table.is_outdated() {
            self.catalog.newest(table)
        } else {
            Arc::clone(table)
        }
    }

    /// A ticket for a commit that an answer rests on.
    pub(crate) fn settled(&self, seq: Seq) -> Ticket {
        if seq == 0 {
            Ticket::ready()
        } else {
            self.store.settled(seq)
        }
    }
}
