//! Point-in-time recovery: while it is on, every change of an item writes what the item was before into a log, in the
//! change's own commit. While it is off nothing is written.
//!
//! A table as it was at a time is what it is now with every later change undone, the newest first. So the log alone is
//! enough: no copies are made at intervals, and the log is cut where nobody can restore to any more.

mod entry;
mod settings;
mod trim;

pub(crate) use entry::{Change, Logged};
pub(crate) use settings::forget;

use crate::catalog::record::TableRecord;
use crate::error::OpenError;
use crate::layout::{Meta, Range};
use crate::stats::{self, Totals};
use bothways_store::Snapshot;
use bytes::{BufMut, Bytes};
use std::ops::Bound;
use std::sync::Arc;

/// A day, in milliseconds.
pub(crate) const DAY: u64 = 24 * 60 * 60 * 1_000;

/// A table's log of changes, shared by all its versions while recovery is on.
#[derive(Debug)]
pub(crate) struct ChangeLog {
    /// Where its rows are.
    pub(crate) id: u32,
    /// How many entries, and how many bytes with their keys.
    pub(crate) totals: Totals,
}

impl ChangeLog {
    pub(crate) fn new(id: u32) -> Arc<Self> {
        let totals = Totals::default();
        Arc::new(Self { id, totals })
    }

    /// That of a stored table; none where recovery is off. Its size is with the table's totals; where those are
    /// missing it is counted.
    pub(crate) fn restore(
        record: &TableRecord,
        snapshot: &dyn Snapshot,
    ) -> Result<Option<Arc<Self>>, OpenError> {
        let Some(recovery) = &record.recovery else {
            return Ok(None);
        };
        let log = Self::new(recovery.log);
        let totals = snapshot.get(&Meta::Totals.key_of(record.id))?;
        let known = totals.and_then(|row| stats::of_id(&row, log.id));
        let (entries, bytes) = match known {
            Some(known) => known,
            None => counted(log.id, snapshot)?,
        };
        log.totals.set(entries, bytes);
        Ok(Some(log))
    }
}

fn counted(id: u32, snapshot: &dyn Snapshot) -> Result<(i64, i64), OpenError> {
    let range = Range::all(id);
    let (from, to) = range.bounds();
    let (mut entries, mut bytes) = (0, 0);
    for row in snapshot.range(from, to, false) {
        let (key, value) = row?;
        entries += 1;
        bytes += size(&key, &value);
    }
    Ok((entries, bytes))
}

/// Bytes of an entry.
pub(crate) fn size(key: &[u8], value: &[u8]) -> i64 {
    i64::try_from(key.len() + value.len()).unwrap_or(i64::MAX)
}

/// The entries of a log that are not trimmed.
pub(crate) fn entries(id: u32, mark: Option<Bytes>) -> Range {
    let mut range = Range::all(id);
    if let Some(mark) = mark {
        let mut key = Vec::with_capacity(16);
        key.put_u32(id);
        key.put_slice(&mark);
        range.from = Bound::Excluded(key.into());
    }
    range
}
