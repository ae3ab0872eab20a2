//! Work in the background: indexes being made or dropped, backups and restores, rows of dropped tables, expired items,
//! streams, logs of changes, expired tokens. In steps that a restart continues.

use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::{Meta, Range};
use bothways_store::{Seq, Snapshot};
use bytes::Bytes;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Rows removed by one commit of the sweep.
const CHUNK_ROWS: usize = 1_000;
/// How long the background sleeps when nobody wakes it. Items and tokens expire while it does.
const IDLE: Duration = Duration::from_secs(30);

/// A row's key and value.
type Row = (Bytes, Bytes);

/// Wakes the background thread.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    state: Mutex<State>,
    changed: Condvar,
    /// The last row that was reclaimed.
    done: Mutex<Option<Bytes>>,
    /// The table whose items were last put in.
    job: AtomicU32,
}

#[derive(Debug, Default)]
struct State {
    stop: bool,
    /// The newest commit that made work; 0 for none.
    wanted: Seq,
}

impl Signal {
    /// There is work to do once this commit is durable.
    pub(crate) fn wake(&self, seq: Seq) {
        let mut state = self.state.lock();
        state.wanted = state.wanted.max(seq);
        drop(state);
        self.changed.notify_all();
    }

    pub(crate) fn job(&self) -> u32 {
        self.job.load(Relaxed)
    }

    pub(crate) fn set_job(&self, id: u32) {
        self.job.store(id, Relaxed);
    }

    fn stop(&self) {
        self.state.lock().stop = true;
        self.changed.notify_all();
    }

    /// Sleeps until there may be work; `None` to stop.
    fn sleep(&self) -> Option<Seq> {
        let mut state = self.state.lock();
        if !state.stop && state.wanted == 0 {
            self.changed.wait_for(&mut state, IDLE);
        }
        (!state.stop).then(|| std::mem::take(&mut state.wanted))
    }

    fn stopping(&self) -> bool {
        self.state.lock().stop
    }
}

/// The background thread; stopped and joined on drop.
#[derive(Debug)]
pub(crate) struct Sweeper {
    inner: Weak<Inner>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Sweeper {
    pub(crate) fn start(inner: &Arc<Inner>) -> std::io::Result<Self> {
        let own = Arc::clone(inner);
        let thread = std::thread::Builder::new()
            .name("bothways-sweep".into())
            .spawn(move || run(&own))?;
        Ok(Self {
            inner: Arc::downgrade(inner),
            thread: Some(thread),
        })
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.upgrade() {
            inner.sweep.stop();
        }
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

/// Whether a step says that there is more to do. A damaged row fails every time, and is met again after the sleep.
fn is_more(step: &Result<bool, Fault>) -> bool {
    matches!(step, Ok(true))
}

fn run(inner: &Inner) {
    // What an earlier run left comes first.
    let mut seq = 0;
    loop {
        // A failed commit made no work; a failing store makes every step fail until it is opened anew.
        if inner.settled(seq).wait().is_ok() {
            // Whoever woke us may still be telling the others in this process what there is to do.
            drop(inner.catalog.change());
            while !inner.sweep.stopping() && inner.sweep_steps().iter().any(is_more) {}
        }
        match inner.sweep.sleep() {
            Some(next) => seq = next,
            None => return,
        }
    }
}

impl Inner {
    /// One bounded step of each kind of work; true while there is more to do.
    pub(crate) fn sweep_step(&self) -> Result<bool, Fault> {
        let mut more = false;
        for step in self.sweep_steps() {
            more |= step?;
        }
        Ok(more)
    }

    /// One step of each: long work of one kind, or a damaged row, does not hold up the others.
    fn sweep_steps(&self) -> [Result<bool, Fault>; 9] {
        [
            self.index_step(),
            self.job_step(),
            self.backup_step(),
            self.export_step(),
            self.reclaim_step(),
            self.expiry_step(),
            self.stream_step(CHUNK_ROWS),
            self.log_step(CHUNK_ROWS),
            self.expire_tokens(CHUNK_ROWS),
        ]
    }

    /// What is to be reclaimed next, and the row that lists it. An export or a backup that is being made may still
    /// have to read what was dropped since.
    fn dropped(&self, snapshot: &dyn Snapshot) -> Result<Option<(u32, Row)>, Fault> {
        let list = Range::prefix(Meta::Dropped.key());
        let (from, to) = list.bounds();
        for row in snapshot.range(from, to, false) {
            let (list_key, ids) = row?;
            let id = ids.first_chunk::<4>().map_or(0, |b| u32::from_be_bytes(*b));
            if !self.exports.read(id) && !self.copies.read(id) {
                return Ok(Some((id, (list_key, ids))));
            }
        }
        Ok(None)
    }

    /// Removes some rows of a dropped table or index.
    fn reclaim_step(&self) -> Result<bool, Fault> {
        let snapshot = self.store.snapshot()?;
        let Some((id, (list_key, ids))) = self.dropped(&*snapshot)? else {
            return Ok(false);
        };
        let left = ids.slice(ids.len().min(4)..);
        let mut range = Range::all(id);
        // Nobody writes to a dropped table, so what is behind the last chunk stays empty; passing over
        // its deletions again and again would cost the square of them.
        if let Some(done) = self
            .sweep
            .done
            .lock()
            .clone()
            .filter(|key| range.contains(key))
        {
            range = range.after(done, false);
        }
        let (from, to) = range.bounds();
        // Id 0 is the catalogue's own: never a dropped table's.
        let limit = if id == 0 { 0 } else { CHUNK_ROWS };
        let rows = snapshot.range(from, to, false).take(limit);
        let keys = rows
            .map(|row| Ok(row?.0))
            .collect::<Result<Vec<Bytes>, Fault>>()?;
        drop(snapshot);
        let emptied = keys.is_empty();
        if emptied && id != 0 {
            let all = Range::all(id);
            let (from, to) = all.bounds();
            self.store.compact(from, to)?;
        }
        let ticket = self.store.submit(&mut |_, batch| {
            for key in &keys {
                batch.delete(key.clone());
            }
            match (emptied, left.is_empty()) {
                (true, true) => batch.delete(list_key.clone()),
                (true, false) => batch.put(list_key.clone(), left.clone()),
                (false, _) => {}
            }
        })?;
        ticket.wait()?;
        *self.sweep.done.lock() = keys.last().cloned();
        Ok(true)
    }
}
