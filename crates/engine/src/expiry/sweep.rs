//! Expiry in the background: rows of older items are added, items that have expired are deleted.

use super::settings::index_expiry;
use super::{Expiring, row_key};
use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::{Meta, Range};
use crate::write::{Action, Origin, Write};
use bothways_core::Item;
use bothways_protocol::Message;
use bytes::Bytes;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Items locked and changed by one commit: few, since their writers wait.
const CHUNK_ITEMS: usize = 100;
/// Items that expired longer ago stay, seconds. Source: Developer Guide, "Using time to live": five years.
const TOO_OLD: u64 = 5 * 365 * 24 * 60 * 60;

impl Inner {
    /// One bounded step for all tables; true while there is more to do.
    pub(crate) fn expiry_step(&self) -> Result<bool, Fault> {
        for table in self.catalog.all_tables() {
            if table.record.ttl.is_none() {
                continue;
            }
            let expiring = table.live.features.load().expiring.clone();
            let more = match expiring {
                None => self.adopt(&table)?,
                Some(own) => self.fill_step(&table, &own)? || self.delete_step(&table, &own)?,
            };
            if more {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives expiry rows to a table whose TTL was switched on by a version that had none.
    fn adopt(&self, table: &Table) -> Result<bool, Fault> {
        let mut done = false;
        let find = || {
            let found = self.catalog.find(&table.namespace, &table.name);
            Ok(found.ok_or(Message::TableNotFound)?)
        };
        let changed = self.change(find, |table, companions, change| {
            done = table.record.ttl.is_some() && table.record.ttl_id.is_none();
            if done {
                index_expiry(table, companions, change)?;
            }
            Ok(())
        });
        match changed {
            // Dropped meanwhile: nothing to do for it.
            Err(Fault::Answer(_)) => Ok(false),
            Err(fault) => Err(fault),
            Ok((_, ticket)) => {
                ticket.wait()?;
                Ok(done)
            }
        }
    }

    /// Adds the rows of some items that are older than TTL.
    fn fill_step(&self, table: &Table, own: &Expiring) -> Result<bool, Fault> {
        if !own.filling.load(Relaxed) {
            return Ok(false);
        }
        let fill = Meta::ExpiryFill.key_of(own.id);
        let snapshot = self.store.snapshot()?;
        let Some(cursor) = snapshot.get(&fill)? else {
            // Switched on by a commit that this snapshot does not show yet: its waiter wakes us again.
            return Ok(false);
        };
        let mut range = Range::all(table.id());
        if !cursor.is_empty() {
            range = range.after(cursor, false);
        }
        let (from, to) = range.bounds();
        let rows = snapshot.range(from, to, false).take(CHUNK_ITEMS);
        let keys = rows
            .map(|row| Ok(row?.0))
            .collect::<Result<Vec<Bytes>, Fault>>()?;
        drop(snapshot);
        let held = self.stripes.lock(keys.iter().map(|key| &key[..]))?;
        let mut times = Vec::new();
        for key in &keys {
            let item = self.store.latest(key)?.value;
            let item = item.map(Item::from_bytes).transpose()?;
            let time = item.and_then(|item| own.time_of(&item));
            times.extend(time.map(|time| (time, own.key(time, key))));
        }
        let mut gone = false;
        let ticket = self.store.submit(&mut |_, batch| {
            let now = table.live.features.load();
            let switched = now.expiring.as_ref().map(|now| now.id) != Some(own.id);
            gone = switched || table.live.is_dropped();
            if gone {
                return;
            }
            for (time, key) in &times {
                batch.put(key.clone(), Bytes::new());
                own.note(*time, batch);
            }
            match keys.last() {
                Some(last) => batch.put(fill.clone(), last.clone()),
                None => batch.delete(fill.clone()),
            }
        })?;
        drop(held);
        if gone {
            return Ok(false);
        }
        ticket.wait()?;
        if keys.is_empty() {
            own.filling.store(false, Relaxed);
        }
        Ok(true)
    }

    /// Deletes some items that have expired; raises the mark when there are none left.
    fn delete_step(&self, table: &Arc<Table>, own: &Expiring) -> Result<bool, Fault> {
        let due = self.due(own, CHUNK_ITEMS)?;
        if due.is_empty() {
            self.raise_mark(own)?;
            return Ok(false);
        }
        let mut rows = Vec::with_capacity(due.len());
        for row in &due {
            rows.push(row_key(table.id(), row)?);
        }
        let held = self.stripes.lock(rows.iter().map(|(_, key)| &key[..]))?;
        let (mut expired, mut orphans) = (Vec::new(), Vec::new());
        let names: Vec<&str> = table.key.parts().map(|(_, p)| p.name.as_str()).collect();
        for ((time, key), row) in rows.iter().zip(&due) {
            let item = self.store.latest(key)?.value;
            let item = item.map(Item::from_bytes).transpose()?;
            match item.filter(|item| own.time_of(item) == Some(*time)) {
                Some(item) => expired.push((key.clone(), item.only(&names))),
                None => orphans.push(row.clone()),
            }
        }
        let writes: Vec<Write<'_>> = expired
            .iter()
            .map(|(key, given)| Write {
                table: Arc::clone(table),
                key: key.clone(),
                given,
                action: Action::Delete,
                condition: None,
            })
            .collect();
        let (_, ticket) = self.apply_as(Origin::Expiry, &held, &writes, &[])?;
        drop(held);
        ticket.wait()?;
        if !orphans.is_empty() {
            let ticket = self.store.submit(&mut |_, batch| {
                for row in &orphans {
                    batch.delete(row.clone());
                }
            })?;
            ticket.wait()?;
        }
        own.swept.store(true, Relaxed);
        Ok(true)
    }

    /// Rows of items that have expired.
    fn due(&self, own: &Expiring, limit: usize) -> Result<Vec<Bytes>, Fault> {
        let now = self.options.clock.now_millis() / 1_000;
        let low = own.low.load(Relaxed).max(now.saturating_sub(TOO_OLD));
        let range = Range {
            from: Bound::Included(own.from(low).into()),
            to: Bound::Excluded(own.from(now).into()),
        };
        let (from, to) = range.bounds();
        let snapshot = self.store.snapshot()?;
        let rows = snapshot.range(from, to, false).take(limit);
        rows.map(|row| Ok(row?.0)).collect()
    }

    /// Moves the mark behind what was deleted, so that it is not passed over again. What is written meanwhile
    /// below it lowers it again: the first commit begins to watch, and everything before it is durable, so
    /// seen, once it is.
    fn raise_mark(&self, own: &Expiring) -> Result<(), Fault> {
        if !own.swept.swap(false, Relaxed) {
            return Ok(());
        }
        let now = self.options.clock.now_millis() / 1_000;
        let watch = self.store.submit(&mut |_, batch| {
            own.lowest.store(u64::MAX, Relaxed);
            own.set_low(own.low.load(Relaxed), batch);
        })?;
        watch.wait()?;
        if !self.due(own, 1)?.is_empty() {
            own.swept.store(true, Relaxed);
            return Ok(());
        }
        let raise = self.store.submit(&mut |_, batch| {
            own.set_low(now.min(own.lowest.load(Relaxed)), batch);
        })?;
        Ok(raise.wait()?)
    }
}
