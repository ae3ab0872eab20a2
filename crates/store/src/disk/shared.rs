//! What the writers, the readers and the threads of a disk store share.

use super::faults::Faults;
use super::files::Files;
use super::log::Segments;
use super::maintenance::Work;
use super::marker::Salt;
use super::options::Options;
use super::order::Order;
use super::tree::Tree;
use super::view::{DiskSnapshot, View};
use crate::{Error, GroupHook, Result, Seq, Ticket};
use arc_swap::ArcSwap;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// See the module. Locks are taken in the order of the fields: `order`, `view_change`.
pub(super) struct Shared {
    pub(super) options: Options,
    pub(super) files: Files,
    pub(super) salt: Salt,
    pub(super) order: Mutex<Order>,
    /// Wakes the committer.
    pub(super) work: Condvar,
    /// Wakes writers that wait for the open group to be taken.
    pub(super) space: Condvar,
    pub(super) hook: OnceLock<GroupHook>,
    view_change: Mutex<()>,
    pub(super) view: ArcSwap<View>,
    /// The last commit that is durable and wholly inserted.
    pub(super) visible: AtomicU64,
    /// Why the store takes no more commits.
    poisoned: OnceLock<Error>,
    pub(super) closed: AtomicBool,
    pub(super) tree: Tree,
    pub(super) segments: Arc<Segments>,
    pub(super) faults: Arc<Faults>,
    pub(super) maintenance: Mutex<Work>,
    pub(super) maintenance_changed: Condvar,
}

/// The parts of [`Shared`] that come out of opening a directory.
pub(super) struct Parts {
    pub(super) options: Options,
    pub(super) files: Files,
    pub(super) salt: Salt,
    pub(super) order: Order,
    pub(super) view: View,
    pub(super) visible: Seq,
    pub(super) tree: Tree,
    pub(super) segments: Arc<Segments>,
    pub(super) faults: Arc<Faults>,
}

impl Shared {
    pub(super) fn new(parts: Parts) -> Self {
        Self {
            options: parts.options,
            files: parts.files,
            salt: parts.salt,
            order: Mutex::new(parts.order),
            work: Condvar::new(),
            space: Condvar::new(),
            hook: OnceLock::new(),
            view_change: Mutex::new(()),
            view: ArcSwap::from_pointee(parts.view),
            visible: AtomicU64::new(parts.visible),
            poisoned: OnceLock::new(),
            closed: AtomicBool::new(false),
            tree: parts.tree,
            segments: parts.segments,
            faults: parts.faults,
            maintenance: Mutex::default(),
            maintenance_changed: Condvar::new(),
        }
    }

    pub(super) fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            Err(Error::Closed)
        } else {
            Ok(())
        }
    }

    pub(super) fn check_writable(&self) -> Result<()> {
        self.check_open()?;
        self.poisoned.get().cloned().map_or(Ok(()), Err)
    }

    /// Why the store only reads; `None` while it takes commits.
    pub(super) fn read_only(&self) -> Option<Error> {
        self.poisoned.get().cloned()
    }

    /// A consistent state: see [`View`]. Only a change of the view in between makes it look again, and these
    /// come with a full memtable or a merge.
    pub(super) fn snapshot(&self) -> DiskSnapshot {
        loop {
            let view = self.view.load_full();
            let at = self.visible.load(Ordering::Acquire);
            if Arc::ptr_eq(&view, &self.view.load()) {
                return DiskSnapshot { view, at };
            }
        }
    }

    /// Runs with a consistent state, without keeping it.
    pub(super) fn read<T>(&self, read: impl FnOnce(&View, Seq) -> T) -> T {
        loop {
            let view = self.view.load();
            let at = self.visible.load(Ordering::Acquire);
            if Arc::ptr_eq(&view, &self.view.load()) {
                return read(&view, at);
            }
        }
    }

    pub(super) fn change_view(&self, change: impl FnOnce(&View) -> View) {
        let _only_one = self.view_change.lock();
        let view = self.view.load_full();
        self.view.store(Arc::new(change(&view)));
    }

    pub(super) fn settled(&self, seq: Seq) -> Ticket {
        if seq <= self.visible.load(Ordering::Acquire) {
            return Ticket::ready();
        }
        if let Some(gate) = self.order.lock().gate_of(seq) {
            return Ticket::of(gate);
        }
        if seq <= self.visible.load(Ordering::Acquire) {
            return Ticket::ready();
        }
        let failed = self
            .poisoned
            .get()
            .cloned()
            .unwrap_or(Error::UnknownCommit(seq));
        Ticket::failed(failed)
    }

    /// What commits fail with from now on.
    pub(super) fn poisoned_by(&self, error: &Error) -> Error {
        let poisoned = || Error::Poisoned(error.to_string());
        let poisoned = self.poisoned.get_or_init(poisoned);
        self.faults.tell(poisoned);
        poisoned.clone()
    }

    /// Makes the store read-only: every commit not yet durable fails, and every later one.
    pub(super) fn poison(&self, error: &Error) {
        let error = self.poisoned_by(error);
        let mut order = self.order.lock();
        // Commits that joined after the failed group: they will never be written.
        let writing = order.writing.take();
        let open = order.close_group();
        order.writing = writing;
        drop(order);
        open.group.gate.settle(Err(error));
        self.space.notify_all();
        self.wake_maintenance();
    }

    /// Runs one of the store's threads. Should it panic, by a fault in the tree or in a group hook, nobody is
    /// left waiting for it.
    pub(super) fn guard(&self, run: impl FnOnce(&Self)) {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(self)));
        if outcome.is_err() {
            let error = Error::Stalled("one of the store's threads has panicked".into());
            self.poison(&error);
            let writing = self.order.lock().writing.take();
            if let Some((group, _)) = writing {
                group.gate.settle(Err(error));
            }
        }
    }

    pub(super) fn wake_maintenance(&self) {
        let _work = self.maintenance.lock();
        self.maintenance_changed.notify_all();
    }
}
