//! What readers read: the memtables and tables of one moment.

use super::memtable::Memtable;
use super::merge::Merged;
use super::tree::Tables;
use crate::{Latest, Result, Rows, Seq, Snapshot};
use bytes::Bytes;
use std::ops::Bound;
use std::sync::Arc;

/// The parts of the store at one moment. Immutable, but that rows go on being added to the active memtable.
///
/// Holds for every view: its tables contain only commits that were visible before the view came to be, and
/// of these the newest version of each key at least. So whoever takes the view first and the visible number
/// after it, and finds the view still current, reads a consistent state.
pub(super) struct View {
    pub(super) active: Arc<Memtable>,
    /// Full memtables that are not in tables yet, newest first.
    pub(super) sealed: Vec<Arc<Memtable>>,
    pub(super) tables: Arc<Tables>,
}

impl View {
    /// Newest first.
    pub(super) fn memtables(&self) -> impl Iterator<Item = &Arc<Memtable>> {
        std::iter::once(&self.active).chain(&self.sealed)
    }

    pub(super) fn get(&self, key: &[u8], at: Seq) -> Result<Option<Bytes>> {
        for table in self.memtables() {
            if let Some((_, value)) = table.get(key, at) {
                return Ok(value);
            }
        }
        self.tables.get(key)
    }

    /// The newest value, and its commit when that is above `visible`.
    pub(super) fn latest(&self, key: &[u8], visible: Seq) -> Result<Latest> {
        for table in self.memtables() {
            if let Some((seq, value)) = table.get(key, Seq::MAX) {
                return Ok(Latest {
                    value,
                    seq: if seq > visible { seq } else { 0 },
                });
            }
        }
        Ok(Latest {
            value: self.tables.get(key)?,
            seq: 0,
        })
    }
}

/// A view at a commit number.
pub(super) struct DiskSnapshot {
    pub(super) view: Arc<View>,
    pub(super) at: Seq,
}

impl Snapshot for DiskSnapshot {
    fn seq(&self) -> Seq {
        self.at
    }

    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.view.get(key, self.at)
    }

    fn range<'a>(&'a self, from: Bound<&[u8]>, to: Bound<&[u8]>, reverse: bool) -> Rows<'a> {
        Box::new(Merged::new(&self.view, self.at, from, to, reverse))
    }
}
