//! Entries that nobody can restore to any more go.

use super::{Change, DAY, entries, size};
use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::Meta;
use std::sync::Arc;

impl Inner {
    /// One bounded step for all logs; true while there is more to do.
    pub(crate) fn log_step(&self, limit: usize) -> Result<bool, Fault> {
        let now = self.options.clock.now_millis();
        for table in self.catalog.all_tables() {
            let Some(recovery) = &table.record.recovery else {
                continue;
            };
            let mut horizon = now.saturating_sub(u64::from(recovery.days) * DAY);
            for other in self.catalog.all_tables() {
                let restoring = other.record.restoring.as_ref();
                if let Some(own) = restoring.filter(|r| r.source_id == Some(table.id())) {
                    horizon = horizon.min(own.at);
                }
            }
            let exported = self.exports.earliest(recovery.log);
            horizon = horizon.min(exported.unwrap_or(horizon));
            if self.trim_log(&table, recovery.log, horizon, limit)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn trim_log(
        &self,
        table: &Arc<Table>,
        id: u32,
        horizon: u64,
        limit: usize,
    ) -> Result<bool, Fault> {
        let snapshot = self.store.snapshot()?;
        let mark = Meta::LogMark.key_of(id);
        let range = entries(id, snapshot.get(&mark)?);
        let (from, to) = range.bounds();
        let (mut old, mut weight) = (Vec::new(), 0);
        for row in snapshot.range(from, to, false).take(limit) {
            let (key, value) = row?;
            let bytes = size(&key, &value);
            if Change::read(value)?.millis >= horizon {
                break;
            }
            weight += bytes;
            old.push(key);
        }
        let Some(last) = old.last().map(|key| key.slice(4..)) else {
            return Ok(false);
        };
        drop(snapshot);
        let count = i64::try_from(old.len()).unwrap_or(i64::MAX);
        let ticket = self.store.submit(&mut |_, batch| {
            let features = table.live.features.load();
            let Some(log) = features.log.as_ref().filter(|log| log.id == id) else {
                return;
            };
            for key in &old {
                batch.delete(key.clone());
            }
            batch.put(mark.clone(), last.clone());
            log.totals.add(-count, -weight);
            self.ledger.touch(table);
        })?;
        ticket.wait()?;
        Ok(true)
    }
}
