//! Work behind the writers' backs: full memtables become tables, tables are merged, the log is cut.

use super::marker::write_checkpoint;
use super::memtable::Memtable;
use super::order::Placed;
use super::shared::Shared;
use super::view::View;
use crate::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Full memtables at which writers wait until one is in a table. With the active one this bounds memory.
const MOST_SEALED: usize = 4;
/// Runs at level 0 at which each commit is delayed, so that merging catches up.
const SLOW_RUNS: usize = 20;
/// Runs at level 0 at which writers wait.
const MOST_RUNS: usize = 30;
/// The delay of each commit at [`SLOW_RUNS`].
const SLOW_DELAY: Duration = Duration::from_millis(1);
/// The longest that a commit waits for space before it is refused.
const LONGEST_STALL: Duration = Duration::from_mins(1);
/// Between merges that scans asked for: at least this, and ten times what the last one took.
const MERGE_PAUSE: Duration = Duration::from_secs(1);
/// Up to this size a tree is merged as a whole when scans ask for it; a larger one would take minutes, and the
/// space of a second one.
const WHOLE_MERGE_BYTES: u64 = 4 << 30;
/// Before a merge that failed is tried again.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

/// What the threads are to do.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) stop: bool,
    /// Tables have changed since they were last looked at for merging.
    tables_changed: bool,
    /// The last failure, while it lasts.
    failed: Option<Error>,
}

impl Shared {
    /// Holds a writer back while too much waits to be written to tables.
    pub(super) fn wait_for_room(&self) -> Result<()> {
        let level = |view: &View| (view.sealed.len(), view.tables.level0);
        let (sealed, runs) = level(&self.view.load());
        if sealed < MOST_SEALED && runs < SLOW_RUNS {
            return Ok(());
        }
        if sealed < MOST_SEALED && runs < MOST_RUNS {
            std::thread::sleep(SLOW_DELAY);
            return Ok(());
        }
        let end = Instant::now() + LONGEST_STALL;
        let mut work = self.maintenance.lock();
        loop {
            self.check_writable()?;
            let (sealed, runs) = level(&self.view.load());
            if sealed < MOST_SEALED && runs < MOST_RUNS {
                return Ok(());
            }
            if let Some(error) = work.failed.clone() {
                return Err(Error::Stalled(error.to_string()));
            }
            if self
                .maintenance_changed
                .wait_until(&mut work, end)
                .timed_out()
            {
                return Err(Error::Stalled(format!(
                    "{sealed} memtables and {runs} runs of tables wait to be written"
                )));
            }
        }
    }

    /// The oldest sealed memtable, when all of its commits are durable and published.
    fn flushable(&self) -> Option<Arc<Memtable>> {
        let view = self.view.load();
        let oldest = view.sealed.last()?;
        let end = oldest.end()?;
        (end.seq <= self.visible.load(Ordering::Acquire)).then(|| oldest.clone())
    }

    /// Writes the oldest sealed memtable to a table, if there is one; tells whether there was.
    pub(super) fn flush_one(&self) -> Result<bool> {
        let Some(memtable) = self.flushable() else {
            return Ok(false);
        };
        self.tree.flush(&memtable)?;
        self.change_view(|view| View {
            active: view.active.clone(),
            sealed: view
                .sealed
                .iter()
                .filter(|m| !Arc::ptr_eq(m, &memtable))
                .cloned()
                .collect(),
            tables: self.tree.tables(),
        });
        if let Some(end) = memtable.end() {
            write_checkpoint(&self.files, &self.salt, end)?;
            self.segments.remove_until(&self.files, end.group)?;
        }
        let mut work = self.maintenance.lock();
        work.tables_changed = true;
        self.maintenance_changed.notify_all();
        Ok(true)
    }

    /// Publishes the tables after a merge; tells whether the merge changed anything.
    fn publish_tables(&self) -> bool {
        let mut changed = false;
        self.change_view(|view| {
            let tables = self.tree.tables();
            changed = tables.version != view.tables.version;
            View {
                active: view.active.clone(),
                sealed: view.sealed.clone(),
                tables,
            }
        });
        if changed {
            self.wake_maintenance();
        }
        changed
    }

    /// Merges everything, now. Others may merge parts at the same time; the tree keeps them apart.
    pub(super) fn merge_all(&self) -> Result<()> {
        self.tree.compact_all()?;
        self.publish_tables();
        Ok(())
    }

    fn stopping(&self) -> bool {
        self.maintenance.lock().stop
    }

    fn note(&self, outcome: &Result<()>) {
        let mut work = self.maintenance.lock();
        work.failed = outcome.as_ref().err().cloned();
        self.maintenance_changed.notify_all();
        drop(work);
        if let Err(error) = outcome
            && !matches!(error, Error::Closed | Error::Poisoned(_))
        {
            self.faults.tell(error);
        }
    }
}

/// The thread that flushes. A flush that fails makes the store read-only: its rows are safe in the log.
pub(super) fn run_flush(shared: &Shared) {
    while !shared.stopping() {
        match shared.flush_one() {
            Ok(true) => {}
            Ok(false) => {
                let mut work = shared.maintenance.lock();
                if !work.stop && shared.flushable().is_none() {
                    shared.maintenance_changed.wait(&mut work);
                }
            }
            Err(error) => {
                shared.poison(&error);
                return;
            }
        }
    }
}

/// The thread that merges. A failed merge leaves everything as it was and is tried again later.
pub(super) fn run_merge(shared: &Shared) {
    let mut not_before = Instant::now();
    loop {
        let mut work = shared.maintenance.lock();
        while !work.stop && !work.tables_changed && !merge_wanted(shared, not_before) {
            let pause = not_before
                .saturating_duration_since(Instant::now())
                .max(MERGE_PAUSE);
            shared.maintenance_changed.wait_for(&mut work, pause);
        }
        if work.stop {
            return;
        }
        work.tables_changed = false;
        drop(work);
        let mut outcome = merge_steps(shared);
        if outcome.is_ok() && merge_wanted(shared, not_before) {
            shared.tree.wants_merge.store(false, Ordering::Relaxed);
            let start = Instant::now();
            outcome = flush_active(shared).and_then(|()| shared.merge_all());
            not_before = Instant::now() + MERGE_PAUSE.max(start.elapsed() * 10);
        }
        shared.note(&outcome);
        if outcome.is_err() && !shared.stopping() {
            let mut work = shared.maintenance.lock();
            work.tables_changed = true;
            shared.maintenance_changed.wait_for(&mut work, RETRY_PAUSE);
        }
    }
}

fn merge_wanted(shared: &Shared, not_before: Instant) -> bool {
    shared.tree.wants_merge.load(Ordering::Relaxed)
        && Instant::now() >= not_before
        && shared.tree.disk_bytes() <= WHOLE_MERGE_BYTES
}

/// Merges until the levels are as they should be.
fn merge_steps(shared: &Shared) -> Result<()> {
    while !shared.stopping() {
        shared.tree.compact()?;
        if !shared.publish_tables() {
            break;
        }
    }
    Ok(())
}

/// Gets everything that is committed now into tables.
pub(super) fn flush_active(shared: &Shared) -> Result<()> {
    let rotated = {
        let mut order = shared.order.lock();
        shared.check_writable()?;
        if order.closing {
            return Err(Error::Closed);
        }
        order.rotate = order.memtable.bytes() > 0;
        // An empty commit makes the committer look.
        let empty = order.rotate.then(|| order.place(&mut |_, _| {}));
        shared.work.notify_one();
        empty.transpose()?.map(Placed::insert)
    };
    if let Some(ticket) = rotated {
        ticket.wait()?;
    }
    let waiting = shared.view.load().sealed.clone();
    let end = Instant::now() + LONGEST_STALL;
    let mut work = shared.maintenance.lock();
    loop {
        let view = shared.view.load();
        if !waiting
            .iter()
            .any(|memtable| view.sealed.iter().any(|m| Arc::ptr_eq(m, memtable)))
        {
            return Ok(());
        }
        drop(view);
        shared.check_writable()?;
        if work.stop {
            return Err(Error::Closed);
        }
        if shared
            .maintenance_changed
            .wait_until(&mut work, end)
            .timed_out()
        {
            return Err(Error::Stalled("the tables are written too slowly".into()));
        }
    }
}
