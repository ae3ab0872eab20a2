//! The store on disk: a write-ahead log with group commit over a log-structured tree of tables.
//!
//! A commit takes its number under the short lock of [`order`], joins the open group and inserts its rows into
//! the active memtable. The one [`committer`] writes the group as one frame of the [`log`], syncs it, and moves
//! `visible`. Full memtables become tables of the [`tree`] behind the writers' backs ([`maintenance`]); the
//! checkpoint says how far, and the log before it is removed. Readers take a [`view`] and a number.

mod committer;
mod faults;
mod files;
mod lock;
mod log;
mod maintenance;
mod manifest;
mod marker;
mod memtable;
mod merge;
mod open;
mod options;
mod order;
mod shared;
mod tree;
mod view;

pub use faults::Report;
pub use files::{IoEvent, Recorder, SyncHook, WriteHook};
pub use options::Options;

use crate::{Batch, Error, GroupHook, Latest, Result, Seq, Sizes, Snapshot, Store, Ticket};
use bytes::Bytes;
use maintenance::flush_active;
use parking_lot::Mutex;
use shared::Shared;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use tree::Tables;
use view::View;

/// Bytes of the open group at which further commits wait for it to be taken.
const GROUP_BYTES: usize = 16 << 20;

/// Rows in a directory, durable by the time their tickets are ready.
pub struct DiskStore {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// There was no room when it was opened: what it holds is all on the disk.
    began_full: bool,
}

impl std::fmt::Debug for DiskStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiskStore")
            .field("path", &self.shared.files.root)
            .finish_non_exhaustive()
    }
}

impl DiskStore {
    /// Opens a directory, or makes it when it does not exist. Replays what the log has.
    ///
    /// # Errors
    ///
    /// None of these is a full disk: the store then only reads, see [`Self::read_only`].
    ///
    /// [`Error::InUse`] when another process has it; [`Error::Format`] when it is no store or a newer one;
    /// [`Error::Corrupt`] names the file and place of damage, and nothing is changed; [`Error::Io`].
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let (shared, log) = open::open(path.as_ref(), options)?;
        let began_full = log.is_none();
        let shared = Arc::new(shared);
        let mut threads = Vec::new();
        let mut start = |name: &str, run: Box<dyn FnOnce(&Shared) + Send>| {
            let shared = shared.clone();
            let thread = std::thread::Builder::new().name(format!("store-{name}"));
            let started = thread.spawn(move || shared.guard(run));
            let fail = |e| Error::io("starting a thread for", path.as_ref(), &e);
            started.map(|thread| threads.push(thread)).map_err(fail)
        };
        let started = match log {
            Some(log) => start(
                "commit",
                Box::new(move |shared| committer::run(shared, log)),
            ),
            None => Ok(()),
        };
        let started = started
            .and_then(|()| start("flush", Box::new(maintenance::run_flush)))
            .and_then(|()| start("merge", Box::new(maintenance::run_merge)));
        let store = Self {
            shared,
            threads: Mutex::new(threads),
            began_full,
        };
        // On failure the threads that did start end with the store.
        started.map(|()| store)
    }

    /// Says where this process can be talked to, for the error that others get who want the directory too.
    pub fn announce(&self, address: &str) {
        lock::announce(&self.shared.files.root, address);
    }

    /// Why the store takes no more commits, with the file: a write failed, or there was no room to begin with. It is
    /// read on; it has to be opened anew to be written.
    #[must_use]
    pub fn read_only(&self) -> Option<Error> {
        self.shared.read_only()
    }

    /// Whether a directory holds a store, or the beginning of one: anything at all. An empty one holds none.
    #[must_use]
    pub fn is_there(path: impl AsRef<Path>) -> bool {
        std::fs::read_dir(path.as_ref()).map_or_else(
            |e| e.kind() != std::io::ErrorKind::NotFound,
            |mut entries| entries.next().is_some(),
        )
    }

    /// Ends the committer after what is already submitted, then the others. True for the first caller.
    fn stop(&self, flush: bool) -> Result<bool> {
        let mut threads = self.threads.lock();
        if threads.is_empty() {
            return Ok(false);
        }
        let flushed = if flush && !self.began_full {
            flush_active(&self.shared)
        } else {
            Ok(())
        };
        self.shared.closed.store(true, Ordering::Release);
        self.shared.order.lock().closing = true;
        self.shared.work.notify_all();
        self.shared.space.notify_all();
        self.shared.tree.stop();
        self.shared.maintenance.lock().stop = true;
        self.shared.maintenance_changed.notify_all();
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
        self.shared.change_view(|_| View {
            active: Arc::default(),
            sealed: Vec::new(),
            tables: Arc::new(Tables::none()),
        });
        self.shared.tree.release();
        flushed.map(|()| true)
    }
}

impl Drop for DiskStore {
    /// Stops the threads. What was submitted is written; what is in memory is not flushed, so that the next
    /// open replays the log.
    fn drop(&mut self) {
        let _ = self.stop(false);
    }
}

impl Store for DiskStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        self.shared.check_open()?;
        Ok(Box::new(self.shared.snapshot()))
    }

    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.shared.check_open()?;
        self.shared.read(|view, at| view.get(key, at))
    }

    fn latest(&self, key: &[u8]) -> Result<Latest> {
        self.shared.check_open()?;
        self.shared.read(|view, visible| view.latest(key, visible))
    }

    fn submit(&self, fill: &mut dyn FnMut(Seq, &mut Batch)) -> Result<Ticket> {
        let shared = &*self.shared;
        shared.check_writable()?;
        shared.wait_for_room()?;
        let placed = {
            let mut order = shared.order.lock();
            while order.open.len() >= GROUP_BYTES && !order.closing {
                shared.check_writable()?;
                shared.space.wait(&mut order);
            }
            shared.check_writable()?;
            if order.closing {
                return Err(Error::Closed);
            }
            let placed = order.place(fill)?;
            if order.open.commits >= order.wake_at || order.open.len() >= GROUP_BYTES {
                order.wake_at = u32::MAX;
                shared.work.notify_one();
            }
            placed
        };
        Ok(placed.insert())
    }

    fn settled(&self, seq: Seq) -> Ticket {
        self.shared.settled(seq)
    }

    fn on_group(&self, summary: GroupHook) {
        let _ = self.shared.hook.set(summary);
    }

    /// Tables are merged as a whole, so any range merges all of it.
    fn compact(&self, _from: Bound<&[u8]>, _to: Bound<&[u8]>) -> Result<()> {
        self.shared.check_writable()?;
        flush_active(&self.shared)?;
        self.shared.merge_all()
    }

    fn sizes(&self) -> Sizes {
        let view = self.shared.view.load();
        let rows: u64 = view.memtables().map(|table| table.bytes()).sum();
        let tree = &self.shared.tree;
        let memory = rows + tree.cached_bytes() + tree.pinned_bytes();
        Sizes {
            memory,
            disk: tree.disk_bytes() + self.shared.segments.bytes(&self.shared.files),
        }
    }

    fn close(&self) -> Result<()> {
        self.stop(true).map(|_| ())
    }
}
