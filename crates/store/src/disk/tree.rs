//! The tables on disk: a thin wrap of the crate `lsm-tree`, of which we use the tables, their manifest and
//! their merging, and none of its memtables, snapshots or sequence counters.
//!
//! Two rules make that sound. Only durable, published commits are written to tables, and a view of new tables
//! is published after that; so readers of a view may read tables without a number, and merging may drop every
//! version but a key's newest ([`NEWEST_ONLY`]): older views hold the older tables themselves. And lsm-tree
//! moves the counters that it is given, so it gets private ones that nothing else reads.

use super::faults::Faults;
use super::files::{Files, IoEvent};
use super::lock::DirLock;
use super::manifest::{self, CURRENT};
use super::memtable::Memtable;
use crate::{Error, Result};
use bytes::Bytes;
use lsm_tree::compaction::Leveled;
use lsm_tree::compaction::filter::{CompactionFilter, Context, Factory, ItemAccessor, Verdict};
use lsm_tree::table::filter::standard_bloom;
use lsm_tree::{
    AbstractTree, AnyTree, Cache, Config, InternalValue, SeqNo, SequenceNumberCounter, Table,
    UserKey, ValueType,
};
use parking_lot::Mutex;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Directory of the tree, in the store's.
pub(super) const TREE: &str = "tree";
/// A threshold above every commit number: of each key only the newest version is kept.
const NEWEST_ONLY: SeqNo = 1 << 62;
/// Bytes of a table at which the next one starts.
const TABLE_BYTES: u64 = 64 << 20;
/// Deleted keys that one scan may pass by before a merge is asked for: about a millisecond's work.
const MANY_DELETED: u64 = 4_096;

/// The tables of one moment, immutable.
pub(super) struct Tables {
    /// Runs of tables with ranges of their own, newest run first.
    runs: Vec<Vec<Table>>,
    /// Runs at level 0, each of which a read must look at.
    pub(super) level0: usize,
    /// The tree's version, to tell whether a merge changed anything.
    pub(super) version: u64,
    /// Set when a scan passed by many deleted keys.
    wants_merge: Arc<AtomicBool>,
    faults: Arc<Faults>,
    /// Dropping a merged table deletes its file: whoever holds one keeps others out of the directory.
    _lock: Option<Arc<DirLock>>,
}

impl Tables {
    /// No tables, of no directory.
    pub(super) fn none() -> Self {
        Self {
            runs: Vec::new(),
            level0: 0,
            version: 0,
            wants_merge: Arc::default(),
            faults: Arc::default(),
            _lock: None,
        }
    }

    /// A key's value.
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        if self.runs.is_empty() {
            return Ok(None);
        }
        let hash = standard_bloom::Builder::get_hash(key);
        for run in &self.runs {
            let at = run.partition_point(|table| table.metadata.key_range.max() < &key);
            let Some(table) = run.get(at).filter(|t| t.metadata.key_range.min() <= &key) else {
                continue;
            };
            let found = table
                .get(key, SeqNo::MAX, hash)
                .map_err(|e| unreadable(&self.faults, &table.path, &e))?;
            if let Some(item) = found {
                return Ok((!item.key.is_tombstone()).then(|| item.value.into()));
            }
        }
        Ok(None)
    }

    /// A cursor over a range of each run that has part of it, newest run first.
    pub(super) fn cursors<'a>(
        &'a self,
        from: Bound<&[u8]>,
        to: Bound<&[u8]>,
        reverse: bool,
    ) -> impl Iterator<Item = RunCursor<'a>> {
        let (from, to) = (from.map(UserKey::from), to.map(UserKey::from));
        self.runs.iter().filter_map(move |run| {
            let low = run.partition_point(|table| match &from {
                Bound::Unbounded => false,
                Bound::Included(key) => table.metadata.key_range.max() < key,
                Bound::Excluded(key) => table.metadata.key_range.max() <= key,
            });
            let high = run.partition_point(|table| match &to {
                Bound::Unbounded => true,
                Bound::Included(key) => table.metadata.key_range.min() <= key,
                Bound::Excluded(key) => table.metadata.key_range.min() < key,
            });
            let tables = run.get(low..high).filter(|tables| !tables.is_empty())?;
            Some(RunCursor {
                tables,
                faults: &self.faults,
                from: from.clone(),
                to: to.clone(),
                reverse,
                current: None,
            })
        })
    }

    /// Told by a scan when it ends.
    pub(super) fn passed_deleted(&self, keys: u64) {
        if keys >= MANY_DELETED {
            self.wants_merge.store(true, Ordering::Relaxed);
        }
    }
}

type TableIter = Box<dyn DoubleEndedIterator<Item = lsm_tree::Result<InternalValue>> + Send>;

/// Rows of a range of one run.
pub(super) struct RunCursor<'a> {
    /// Tables still to come.
    tables: &'a [Table],
    faults: &'a Faults,
    from: Bound<UserKey>,
    to: Bound<UserKey>,
    reverse: bool,
    current: Option<(&'a Table, TableIter)>,
}

impl RunCursor<'_> {
    pub(super) fn next(&mut self) -> Result<Option<(Bytes, Option<Bytes>)>> {
        loop {
            if let Some((table, rows)) = &mut self.current {
                let item = if self.reverse {
                    rows.next_back()
                } else {
                    rows.next()
                };
                if let Some(item) = item {
                    let item = item.map_err(|e| unreadable(self.faults, &table.path, &e))?;
                    let value = (!item.key.is_tombstone()).then(|| item.value.into());
                    return Ok(Some((item.key.user_key.into(), value)));
                }
            }
            let next = if self.reverse {
                self.tables.split_last()
            } else {
                self.tables.split_first()
            };
            let Some((table, rest)) = next else {
                self.current = None;
                return Ok(None);
            };
            self.tables = rest;
            let rows = table.range((self.from.clone(), self.to.clone()));
            self.current = Some((table, Box::new(rows)));
        }
    }
}

/// The tree in its directory.
pub(super) struct Tree {
    inner: AnyTree,
    files: Files,
    path: PathBuf,
    /// Changes begun so far.
    changes: AtomicU64,
    counters: [SequenceNumberCounter; 2],
    /// Ends a merge early, leaving everything as it was.
    stop: Arc<AtomicBool>,
    pub(super) wants_merge: Arc<AtomicBool>,
    /// Until the store is closed.
    lock: Mutex<Option<Arc<DirLock>>>,
    faults: Arc<Faults>,
}

impl Tree {
    /// Whether a directory has a tree.
    pub(super) fn exists(files: &Files) -> bool {
        files.path(TREE).join(CURRENT).exists()
    }

    /// Opens or creates the tree.
    pub(super) fn open(
        files: &Files,
        cache_bytes: u64,
        lock: Arc<DirLock>,
        faults: Arc<Faults>,
    ) -> Result<Self> {
        let path = files.path(TREE);
        let named = manifest::check(&path)?;
        files.record(IoEvent::TreeBegin { change: 0 });
        let counters = [
            SequenceNumberCounter::default(),
            SequenceNumberCounter::default(),
        ];
        let stop = Arc::new(AtomicBool::new(false));
        let tree = Config::new(&path, counters[0].clone(), counters[1].clone())
            .use_cache(Arc::new(Cache::with_capacity_bytes(cache_bytes)))
            .with_compaction_filter_factory(Some(Arc::new(StopFactory(stop.clone()))))
            .open()
            .map_err(|e| manifest::damaged(&named).unwrap_or_else(|| broken(&path, &e)))?;
        files.record(IoEvent::Tree {
            change: 0,
            path: Path::new(TREE),
        });
        Ok(Self {
            inner: tree,
            files: files.clone(),
            path,
            changes: AtomicU64::new(1),
            counters,
            stop,
            wants_merge: Arc::default(),
            lock: Mutex::new(Some(lock)),
            faults,
        })
    }

    /// The tables as they are now.
    pub(super) fn tables(&self) -> Arc<Tables> {
        let version = self.inner.current_version();
        let runs = version.iter_levels().flat_map(|level| level.iter());
        Arc::new(Tables {
            runs: runs.map(|run| run.to_vec()).collect(),
            level0: version.l0().run_count(),
            version: version.id(),
            wants_merge: self.wants_merge.clone(),
            faults: self.faults.clone(),
            _lock: self.lock.lock().clone(),
        })
    }

    /// Writes a sealed memtable, all of whose commits are durable and published, to a table.
    pub(super) fn flush(&self, memtable: &Memtable) -> Result<()> {
        self.change(|tree| {
            let mut last: Option<Bytes> = None;
            let rows = memtable.versions().filter_map(|(key, seq, value)| {
                if last.as_ref() == Some(&key) {
                    return None;
                }
                last = Some(key.clone());
                let kind = if value.is_some() {
                    ValueType::Value
                } else {
                    ValueType::Tombstone
                };
                Some(Ok(InternalValue::from_components(
                    key,
                    value.unwrap_or_default(),
                    seq,
                    kind,
                )))
            });
            match tree
                .flush_to_tables(rows)?
                .filter(|(tables, _)| !tables.is_empty())
            {
                Some((tables, _)) => tree.register_tables(&tables, None, None, &[], NEWEST_ONLY),
                None => Ok(()),
            }
        })
    }

    /// Merges what the levels ask for, one step.
    pub(super) fn compact(&self) -> Result<()> {
        let strategy = Leveled::default().with_table_target_size(TABLE_BYTES);
        self.change(|tree| tree.compact(Arc::new(strategy), NEWEST_ONLY))
    }

    /// Merges everything into one level without deleted keys.
    pub(super) fn compact_all(&self) -> Result<()> {
        self.change(|tree| tree.major_compact(TABLE_BYTES, NEWEST_ONLY))
    }

    fn change(&self, change: impl FnOnce(&AnyTree) -> lsm_tree::Result<()>) -> Result<()> {
        // lsm-tree keeps superseded versions of its manifest above a number that it compares with these.
        for counter in &self.counters {
            counter.set(0);
        }
        let number = self.changes.fetch_add(1, Ordering::Relaxed);
        self.files.record(IoEvent::TreeBegin { change: number });
        if let Err(error) = change(&self.inner) {
            let stopped = self.stop.load(Ordering::Acquire);
            return Err(if stopped {
                Error::Closed
            } else {
                broken(&self.path, &error)
            });
        }
        self.files.record(IoEvent::Tree {
            change: number,
            path: Path::new(TREE),
        });
        Ok(())
    }

    /// Ends merges that run, and refuses later ones.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Lets go of the directory, but for the tables that somebody still reads.
    pub(super) fn release(&self) {
        self.lock.lock().take();
    }

    pub(super) fn disk_bytes(&self) -> u64 {
        self.inner.disk_space()
    }

    /// Filters and indexes held in memory.
    pub(super) fn pinned_bytes(&self) -> u64 {
        (self.inner.pinned_filter_size() + self.inner.pinned_block_index_size()) as u64
    }

    pub(super) fn cached_bytes(&self) -> u64 {
        self.inner.tree_config().cache.size()
    }
}

fn corrupt(path: &Path, offset: u64, detail: &str) -> Error {
    Error::Corrupt {
        file: path.display().to_string(),
        offset,
        detail: detail.into(),
    }
}

fn broken(path: &Path, error: &lsm_tree::Error) -> Error {
    match error {
        lsm_tree::Error::Io(e) if e.raw_os_error().is_some() => Error::io("using", path, e),
        other => corrupt(path, 0, &other.to_string()),
    }
}

/// A fault met while reading a table.
fn unreadable(faults: &Faults, path: &Path, error: &lsm_tree::Error) -> Error {
    let error = broken(path, error);
    faults.tell(&error);
    error
}

/// Ends merges by failing them at the next row: lsm-tree then drops what it wrote and keeps its tables.
struct StopFactory(Arc<AtomicBool>);

struct StopFilter(Arc<AtomicBool>);

impl Factory for StopFactory {
    fn name(&self) -> &'static str {
        "stop"
    }

    fn make_filter(&self, _ctx: &Context) -> Box<dyn CompactionFilter> {
        Box::new(StopFilter(self.0.clone()))
    }
}

impl CompactionFilter for StopFilter {
    fn filter_item(
        &mut self,
        _item: ItemAccessor<'_>,
        _ctx: &Context,
    ) -> lsm_tree::Result<Verdict> {
        if self.0.load(Ordering::Relaxed) {
            return Err(std::io::Error::other("the store is closing").into());
        }
        Ok(Verdict::Keep)
    }
}
