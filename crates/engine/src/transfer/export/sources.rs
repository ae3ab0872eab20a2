//! What an export writes: items of the table's rows and of those kept aside.

use super::files::{Files, change_line, item_line};
use super::filter::Filter;
use super::overlay::{self, Former, Moment};
use super::record::ExportRecord;
use super::run::Failure;
use crate::error::Fault;
use crate::layout::Range;
use bothways_core::Item;
use bothways_store::{Buckets, Snapshot};
use bytes::Bytes;

/// Items written by one step, and their bytes.
const CHUNK_ITEMS: usize = 1_000;
const CHUNK_BYTES: usize = 1 << 20;

/// Where an export reads.
pub(super) struct Sources<'s> {
    pub(super) now: &'s dyn Snapshot,
    pub(super) aside: &'s dyn Snapshot,
    pub(super) filter: Option<&'s Filter<'s>>,
}

impl Sources<'_> {
    /// Writes some items of a full export: the table's rows, with those kept aside in their places.
    pub(super) fn items(
        &self,
        export: &mut ExportRecord,
        done: Option<&Bytes>,
        files: &mut Files,
        buckets: &dyn Buckets,
    ) -> Result<Option<Bytes>, Failure> {
        let rows = after(Range::all(export.rows), &export.rows.to_be_bytes(), done);
        let prefix = overlay::prefix(export.overlay, Moment::End);
        let aside = after(Range::prefix(prefix.clone()), &prefix, done);
        let mut rows = self
            .now
            .range(rows.bounds().0, rows.bounds().1, false)
            .peekable();
        let mut aside = self
            .aside
            .range(aside.bounds().0, aside.bounds().1, false)
            .peekable();
        let (mut last, mut taken, mut bytes) = (None, 0, 0);
        while taken < CHUNK_ITEMS && bytes < CHUNK_BYTES {
            let row = key_of(rows.peek(), 4);
            let former = key_of(aside.peek(), prefix.len());
            let rest = match (&row, &former) {
                (None, None) => return Ok(last),
                (Some(row), Some(former)) => row.min(former).clone(),
                (Some(one), None) | (None, Some(one)) => one.clone(),
            };
            let own = if row.as_ref() == Some(&rest) {
                rows.next()
            } else {
                None
            };
            let kept = if former.as_ref() == Some(&rest) {
                aside.next()
            } else {
                None
            };
            let item = match (kept, own) {
                (Some(kept), _) => Former::read(kept.map_err(Fault::Store)?.1)?.item,
                (None, Some(own)) => {
                    Some(Item::from_bytes(own.map_err(Fault::Store)?.1).map_err(Fault::Item)?)
                }
                (None, None) => None,
            };
            taken += 1;
            last = Some(rest);
            if let Some(item) = item {
                bytes += item.size();
                // What is left out was processed all the same.
                export.bytes += i64::try_from(item.size()).unwrap_or(i64::MAX);
                if !self.keeps(&item) {
                    continue;
                }
                export.items += 1;
                let item = self.shows(item);
                files.line(export, buckets, &item_line(export, &item))?;
            }
        }
        Ok(last)
    }

    /// Writes some items of an incremental export: those that were something else at its begin.
    pub(super) fn changes(
        &self,
        export: &mut ExportRecord,
        done: Option<&Bytes>,
        files: &mut Files,
        buckets: &dyn Buckets,
    ) -> Result<Option<Bytes>, Failure> {
        let prefix = overlay::prefix(export.overlay, Moment::Begin);
        let range = after(Range::prefix(prefix.clone()), &prefix, done);
        let (from, to) = range.bounds();
        let (mut last, mut bytes) = (None, 0);
        let names: Vec<String> = export
            .key
            .hash
            .iter()
            .chain(&export.key.range)
            .cloned()
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for row in self.aside.range(from, to, false).take(CHUNK_ITEMS) {
            let (key, value) = row.map_err(Fault::Store)?;
            let rest = key.slice(prefix.len()..);
            let was = Former::read(value)?;
            let is = self.at_end(export, &rest)?;
            last = Some(rest);
            let Some(some) = is.as_ref().or(was.item.as_ref()) else {
                // It came and went in between.
                continue;
            };
            let keys = some.only(&names);
            bytes += is.as_ref().map_or(0, Item::size);
            export.bytes += i64::try_from(some.size()).unwrap_or(i64::MAX);
            if !self.keeps(some) {
                continue;
            }
            export.items += 1;
            let was = Former {
                changed: was.changed,
                item: was.item.map(|item| self.shows(item)),
            };
            let is = is.map(|item| self.shows(item));
            let line = change_line(export, &keys, &was, is.as_ref());
            files.line(export, buckets, &line)?;
            if bytes >= CHUNK_BYTES {
                break;
            }
        }
        Ok(last)
    }

    fn keeps(&self, item: &Item) -> bool {
        self.filter.is_none_or(|filter| filter.keeps(item))
    }

    fn shows(&self, item: Item) -> Item {
        match self.filter {
            Some(filter) => filter.shows(item),
            None => item,
        }
    }

    fn at_end(&self, export: &ExportRecord, rest: &[u8]) -> Result<Option<Item>, Fault> {
        let aside = overlay::key(export.overlay, Moment::End, rest);
        if let Some(row) = self.aside.get(&aside)? {
            return Ok(Former::read(row)?.item);
        }
        let mut key = export.rows.to_be_bytes().to_vec();
        key.extend_from_slice(rest);
        let row = self.now.get(&key)?;
        Ok(row.map(Item::from_bytes).transpose()?)
    }
}

/// A range from the last item on.
fn after(range: Range, prefix: &[u8], done: Option<&Bytes>) -> Range {
    let Some(done) = done else {
        return range;
    };
    let mut key = prefix.to_vec();
    key.extend_from_slice(done);
    range.after(key.into(), false)
}

/// The key of the next row without its prefix.
fn key_of(row: Option<&bothways_store::Row>, prefix: usize) -> Option<Bytes> {
    match row {
        None => None,
        Some(Ok((key, _))) => Some(key.slice(prefix..)),
        // The row is met again when it is taken.
        Some(Err(_)) => Some(Bytes::new()),
    }
}
