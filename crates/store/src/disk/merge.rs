//! One sequence of rows out of memtables and runs of tables, the newest source of a key winning.

use super::memtable;
use super::tree::{RunCursor, Tables};
use super::view::View;
use crate::{Result, Row, Seq};
use bytes::Bytes;
use std::ops::Bound;

/// A key and its value, or that it is deleted.
type Head = (Bytes, Option<Bytes>);

enum Source<'a> {
    Memtable(memtable::Cursor<'a>),
    Run(RunCursor<'a>),
}

impl Source<'_> {
    fn next(&mut self) -> Result<Option<Head>> {
        match self {
            Source::Memtable(cursor) => Ok(cursor.next()),
            Source::Run(cursor) => cursor.next(),
        }
    }
}

/// Rows of a range as they are at a commit number.
pub(super) struct Merged<'a> {
    /// Newest first. The head of each is the next row that it has.
    sources: Vec<(Source<'a>, Option<Head>)>,
    tables: &'a Tables,
    end: Bound<Bytes>,
    reverse: bool,
    started: bool,
    done: bool,
    /// Deleted keys passed by, told to the tables at the end: many of them ask for a merge.
    deleted: u64,
}

impl<'a> Merged<'a> {
    pub(super) fn new(
        view: &'a View,
        at: Seq,
        from: Bound<&[u8]>,
        to: Bound<&[u8]>,
        reverse: bool,
    ) -> Self {
        let (start, end) = if reverse { (to, from) } else { (from, to) };
        let memtables = view.memtables().filter(|table| !table.is_empty());
        let memtables = memtables.map(|table| Source::Memtable(table.cursor(at, start, reverse)));
        let runs = view.tables.cursors(from, to, reverse).map(Source::Run);
        Self {
            sources: memtables.chain(runs).map(|source| (source, None)).collect(),
            tables: &view.tables,
            end: end.map(Bytes::copy_from_slice),
            reverse,
            started: false,
            done: is_empty(from, to),
            deleted: 0,
        }
    }

    fn within(&self, key: &[u8]) -> bool {
        match (&self.end, self.reverse) {
            (Bound::Unbounded, _) => true,
            (Bound::Included(end), false) => key <= &end[..],
            (Bound::Excluded(end), false) => key < &end[..],
            (Bound::Included(end), true) => key >= &end[..],
            (Bound::Excluded(end), true) => key > &end[..],
        }
    }

    fn start(&mut self) -> Result<()> {
        self.started = true;
        for (source, head) in &mut self.sources {
            *head = source.next()?;
        }
        Ok(())
    }

    /// The next key of all sources, with its newest value; every source moves past it.
    fn pop(&mut self) -> Result<Option<Head>> {
        let mut best: Option<(usize, &Bytes)> = None;
        for (at, (_, head)) in self.sources.iter().enumerate() {
            let Some((key, _)) = head else { continue };
            let better = best.is_none_or(|(_, b)| if self.reverse { key > b } else { key < b });
            if better {
                best = Some((at, key));
            }
        }
        let Some((best, _)) = best else {
            return Ok(None);
        };
        let (source, head) = &mut self.sources[best];
        let Some(row) = std::mem::replace(head, source.next()?) else {
            return Ok(None);
        };
        for (source, head) in &mut self.sources[best..] {
            while head.as_ref().is_some_and(|(key, _)| *key == row.0) {
                *head = source.next()?;
            }
        }
        Ok(Some(row))
    }

    fn step(&mut self) -> Result<Option<(Bytes, Bytes)>> {
        if !self.started {
            self.start()?;
        }
        while let Some((key, value)) = self.pop()? {
            if !self.within(&key) {
                return Ok(None);
            }
            match value {
                Some(value) => return Ok(Some((key, value))),
                None => self.deleted += 1,
            }
        }
        Ok(None)
    }
}

/// Whether no key can be between the bounds; tables do not expect such a range.
fn is_empty(from: Bound<&[u8]>, to: Bound<&[u8]>) -> bool {
    match (from, to) {
        (Bound::Included(a), Bound::Included(b)) => a > b,
        (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b) | Bound::Excluded(b)) => {
            a >= b
        }
        _ => false,
    }
}

impl Iterator for Merged<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        if self.done {
            return None;
        }
        let row = self.step().transpose();
        self.done = !matches!(row, Some(Ok(_)));
        row
    }
}

impl Drop for Merged<'_> {
    fn drop(&mut self) {
        self.tables.passed_deleted(self.deleted);
    }
}
