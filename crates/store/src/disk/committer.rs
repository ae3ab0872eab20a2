//! The one thread that writes the log: a group at a time, one sync for all of its commits.

use super::log::LogWriter;
use super::memtable::{End, Memtable};
use super::order::{Closed, Order, Placed};
use super::shared::Shared;
use super::view::View;
use crate::{Batch, Result};
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Waits shorter than this are spent yielding: a timed sleep would take longer.
const SHORT_WAIT: Duration = Duration::from_micros(50);
/// The longest wait for more commits to join a group.
const LONGEST_LINGER: Duration = Duration::from_millis(2);

/// What the last group tells about the next.
struct Pace {
    /// Commits to expect when all writers of late come again.
    expected: u32,
    sync: Duration,
}

/// Runs until the store closes or a write fails.
pub(super) fn run(shared: &Shared, mut log: LogWriter) {
    let mut pace = Pace {
        expected: 1,
        sync: Duration::ZERO,
    };
    while let Some(mut order) = wait_for_work(shared, &mut pace) {
        let outcome = commit(shared, &mut log, &mut order, &mut pace);
        drop(order);
        if let Err(error) = outcome {
            shared.poison(&error);
            return;
        }
    }
}

/// Waits for commits, and a little for more of them. `None` when the store closes and nothing is left.
fn wait_for_work<'a>(shared: &'a Shared, pace: &mut Pace) -> Option<MutexGuard<'a, Order>> {
    let mut order = shared.order.lock();
    // Commits that came while the last group was synced: their writers and those just woken take turns,
    // each waiting for the other's sync, unless they are joined.
    pace.expected = pace.expected.saturating_add(order.open.commits);
    loop {
        while order.open.commits == 0 {
            if order.closing {
                return None;
            }
            order.wake_at = 1;
            shared.work.wait(&mut order);
        }
        linger(shared, &mut order, pace);
        // A failure elsewhere may have taken the group away meanwhile.
        if order.open.commits > 0 {
            return Some(order);
        }
    }
}

/// Waits until all expected commits have joined the group, an eighth of the last sync at most.
fn linger(shared: &Shared, order: &mut MutexGuard<'_, Order>, pace: &Pace) {
    let end = Instant::now() + (pace.sync / 8).min(LONGEST_LINGER);
    while order.open.commits < pace.expected && !order.closing {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        if left < SHORT_WAIT {
            MutexGuard::unlocked(order, std::thread::yield_now);
        } else {
            order.wake_at = pace.expected;
            shared.work.wait_for(order, left);
        }
    }
}

fn commit(
    shared: &Shared,
    log: &mut LogWriter,
    order: &mut MutexGuard<'_, Order>,
    pace: &mut Pace,
) -> Result<()> {
    let summary = place_summary(shared, order)?;
    let mut closed = order.close_group();
    pace.expected = closed.buffer.commits - u32::from(summary.is_some());
    let end = End {
        seq: closed.last,
        group: log.group() + 1,
    };
    let sealed = rotate_if_full(shared, order, end);
    let written = MutexGuard::unlocked(order, || {
        summary.map(Placed::insert);
        write(shared, log, &mut closed, pace, sealed)
    });
    match written {
        Ok(()) => {
            order.group_done(closed.buffer);
            shared.space.notify_all();
            Ok(())
        }
        Err(error) => {
            // What rests on these commits fails by them later on too, and is told the same.
            let poisoned = shared.poisoned_by(&error);
            closed.group.gate.settle(Err(poisoned));
            Err(error)
        }
    }
}

/// Adds the rows that are written once a group, as its last commit.
fn place_summary(shared: &Shared, order: &mut Order) -> Result<Option<Placed>> {
    let Some(hook) = shared.hook.get() else {
        return Ok(None);
    };
    let mut rows = Batch::default();
    hook(&mut rows);
    if rows.entries.is_empty() {
        return Ok(None);
    }
    order
        .place(&mut |_, batch| std::mem::swap(batch, &mut rows))
        .map(Some)
}

/// Starts a new memtable when the active one is full. Its commits are exactly those up to the group's end:
/// every number is taken, and its memtable fixed, under the lock that the caller holds.
fn rotate_if_full(shared: &Shared, order: &mut Order, end: End) -> bool {
    let limits = &shared.options;
    let full = order.memtable.bytes() >= limits.memtable_bytes || order.logged >= limits.log_bytes;
    if !full && !order.rotate {
        return false;
    }
    order.memtable.seal(end);
    let active = Arc::new(Memtable::default());
    order.memtable = active.clone();
    order.logged = 0;
    order.rotate = false;
    shared.change_view(|view| {
        let mut sealed = vec![view.active.clone()];
        sealed.extend(view.sealed.iter().cloned());
        View {
            active,
            sealed,
            tables: view.tables.clone(),
        }
    });
    true
}

fn write(
    shared: &Shared,
    log: &mut LogWriter,
    closed: &mut Closed,
    pace: &mut Pace,
    sealed: bool,
) -> Result<()> {
    pace.sync = log.append(&mut closed.buffer)?;
    log.note_synced()?;
    wait_until_inserted(closed);
    shared
        .files
        .record(super::files::IoEvent::Acknowledge { seq: closed.last });
    shared.visible.store(closed.last, Ordering::Release);
    closed.group.gate.settle(Ok(()));
    if sealed {
        log.roll(0)?;
        shared.wake_maintenance();
    }
    Ok(())
}

/// A group is published only when all of its rows can be found. Writers insert while the group is synced, so
/// this hardly ever waits.
fn wait_until_inserted(closed: &Closed) {
    let mut turns = 0_u32;
    while closed.group.inserting.load(Ordering::Acquire) > 0 {
        turns += 1;
        if turns < 100 {
            std::thread::yield_now();
        } else {
            std::thread::sleep(Duration::from_micros(100));
        }
    }
}
