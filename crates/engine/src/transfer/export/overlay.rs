//! What items were at other times than now, kept aside under an id of the export's own while its files are written.

use super::record::ExportRecord;
use crate::error::Fault;
use crate::layout::Meta;
use crate::recovery::{Change, entries};
use bothways_core::Item;
use bothways_store::{Snapshot, Store};
use bytes::{Buf, BufMut, Bytes};
use std::collections::BTreeMap;

/// Entries of the log taken by one step, and their bytes.
const CHUNK_ENTRIES: usize = 1_000;
const CHUNK_BYTES: usize = 1 << 20;
/// As for restores: how far apart the times of neighbouring entries may be against their order, milliseconds.
const DISORDER_MILLIS: u64 = 60_000;

/// Which moment a row is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Moment {
    /// The end of what is exported.
    End = 0,
    /// The begin of an incremental export.
    Begin = 1,
}

/// An item as it was.
#[derive(Debug)]
pub(super) struct Former {
    /// When it was last changed within an incremental export, milliseconds since 1970.
    pub(super) changed: u64,
    pub(super) item: Option<Item>,
}

/// Where a moment's rows begin.
pub(super) fn prefix(overlay: u32, moment: Moment) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    out.put_u32(overlay);
    out.put_u8(moment as u8);
    out
}

/// Key of an item's row.
pub(super) fn key(overlay: u32, moment: Moment, rest: &[u8]) -> Vec<u8> {
    let mut out = prefix(overlay, moment);
    out.extend_from_slice(rest);
    out
}

impl Former {
    fn row(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.put_u64(self.changed);
        out.put_u8(u8::from(self.item.is_some()));
        if let Some(item) = &self.item {
            out.put_slice(item.bytes());
        }
        out
    }

    pub(super) fn read(mut row: Bytes) -> Result<Self, Fault> {
        if row.len() < 9 {
            return Err(Fault::ChangeLog);
        }
        let changed = row.get_u64();
        let there = row.get_u8() != 0;
        let item = there.then(|| Item::from_bytes(row)).transpose()?;
        Ok(Self { changed, item })
    }
}

/// Takes some entries of the log, from its end on; the last one taken, none when there are no more.
pub(super) fn step(
    store: &dyn Store,
    snapshot: &dyn Snapshot,
    export: &ExportRecord,
    done: Option<Bytes>,
) -> Result<Option<Bytes>, Fault> {
    let mark = snapshot.get(&Meta::LogMark.key_of(export.log))?;
    let mut range = entries(export.log, mark);
    if let Some(done) = done {
        range = range.after(done, true);
    }
    let (from, to) = range.bounds();
    let (mut rows, mut last) = (BTreeMap::new(), None);
    let (mut taken, mut bytes) = (0, 0);
    let begin = export.from.unwrap_or(export.at);
    for row in snapshot.range(from, to, true) {
        let (place, value) = row?;
        bytes += value.len();
        taken += 1;
        let change = Change::read(value)?;
        if change.millis.saturating_add(DISORDER_MILLIS) < begin {
            break;
        }
        last = Some(place);
        if change.millis > export.at {
            note(&mut rows, Moment::End, change, 0);
        } else if export.from.is_some_and(|from| change.millis >= from) {
            let known = changed(store, export, &rows, &change)?;
            note(&mut rows, Moment::Begin, change, known);
        }
        if taken >= CHUNK_ENTRIES || bytes >= CHUNK_BYTES {
            break;
        }
    }
    let ticket = store.submit(&mut |_, batch| {
        for ((moment, rest), former) in &rows {
            batch.put(key(export.overlay, *moment, rest), former.row());
        }
    })?;
    ticket.wait()?;
    Ok(last)
}

type Rows = BTreeMap<(Moment, Bytes), Former>;

fn note(rows: &mut Rows, moment: Moment, change: Change, changed: u64) {
    let former = Former {
        changed,
        item: change.before,
    };
    rows.insert((moment, change.rest), former);
}

/// When the item was last changed: the first entry met says so.
fn changed(
    store: &dyn Store,
    export: &ExportRecord,
    rows: &Rows,
    change: &Change,
) -> Result<u64, Fault> {
    if let Some(known) = rows.get(&(Moment::Begin, change.rest.clone())) {
        return Ok(known.changed);
    }
    let row = store.latest(&key(export.overlay, Moment::Begin, &change.rest))?;
    match row.value {
        Some(row) => Ok(Former::read(row)?.changed),
        None => Ok(change.millis),
    }
}
