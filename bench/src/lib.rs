//! What the benchmarks share: a raw sync measured, syncs counted, and a store that remembers what was written.

pub mod linkbench;
pub mod versus;

use bothways_store::{
    Batch, DiskStore, GroupHook, Latest, Options, Result, Seq, Sizes, Snapshot, Store, SyncHook,
    Ticket,
};
use bytes::Bytes;
use std::io::Write;
use std::ops::Bound;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the raw sync is measured.
const RAW_SYNCS: usize = 300;
/// Bytes written before each raw sync.
const RAW_BYTES: usize = 4096;

/// Median time of appending 4 KB to a file and `fdatasync`.
///
/// # Errors
/// What the file system says.
pub fn raw_sync(dir: &Path) -> std::io::Result<Duration> {
    let mut file = std::fs::File::create(dir.join("raw"))?;
    file.set_len((RAW_SYNCS * RAW_BYTES) as u64)?;
    file.sync_all()?;
    let mut times = Vec::with_capacity(RAW_SYNCS);
    for _ in 0..RAW_SYNCS {
        let started = Instant::now();
        file.write_all(&[7; RAW_BYTES])?;
        file.sync_data()?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Ok(times[RAW_SYNCS / 2])
}

/// Processor time of this process so far, all threads together (Linux: `/proc/self/stat`, ticks of 10 ms).
#[must_use]
pub fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    ticks(&stat, 2)
}

/// Processor time of a process, its children that live and those that it has waited for (Linux).
#[must_use]
pub fn family_cpu_time(process: u32) -> Duration {
    let of_family = |stat: &str| {
        let mut fields = after_name(stat);
        let parent = fields.nth(1).and_then(|field| field.parse::<u32>().ok());
        let own = stat
            .split(' ')
            .next()
            .and_then(|pid| pid.parse::<u32>().ok());
        parent == Some(process) || own == Some(process)
    };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats
        .filter(|stat| of_family(stat))
        .map(|stat| ticks(&stat, 4))
        .sum()
}

/// The fields of a `stat` behind the name in parentheses, which may hold spaces.
fn after_name(stat: &str) -> std::str::SplitWhitespace<'_> {
    stat.rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
}

/// User and system time are the 12th and 13th numbers behind the name; those of children that ended follow.
fn ticks(stat: &str, fields: usize) -> Duration {
    let numbers = after_name(stat).skip(11).take(fields);
    let ticks: u64 = numbers.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Counts syncs, and makes each take longer.
#[must_use]
pub fn counted_sync(syncs: &Arc<AtomicU64>, slower: Duration) -> SyncHook {
    let syncs = Arc::clone(syncs);
    Arc::new(move |_, file| {
        syncs.fetch_add(1, Ordering::Relaxed);
        if !slower.is_zero() {
            std::thread::sleep(slower);
        }
        file.sync_data()
    })
}

/// Rows of one batch.
pub type Rows = Vec<(Bytes, Option<Bytes>)>;

/// A disk store that remembers every batch and every group's summary.
pub struct Remembering {
    inner: DiskStore,
    batches: Mutex<Vec<Rows>>,
    summaries: Arc<Mutex<Vec<Rows>>>,
}

impl Remembering {
    /// Opens a directory.
    ///
    /// # Errors
    /// As [`DiskStore::open`].
    pub fn open(dir: &Path, options: Options) -> Result<Self> {
        Ok(Self {
            inner: DiskStore::open(dir, options)?,
            batches: Mutex::default(),
            summaries: Arc::default(),
        })
    }

    /// Forgets what was written so far.
    pub fn forget(&self) {
        lock(&self.batches).clear();
        lock(&self.summaries).clear();
    }

    /// What was written: batches in order, and what groups added.
    #[must_use]
    pub fn written(&self) -> (Vec<Rows>, Vec<Rows>) {
        (lock(&self.batches).clone(), lock(&self.summaries).clone())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store for Remembering {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        self.inner.snapshot()
    }
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.inner.get(key)
    }
    fn latest(&self, key: &[u8]) -> Result<Latest> {
        self.inner.latest(key)
    }
    fn submit(&self, fill: &mut dyn FnMut(Seq, &mut Batch)) -> Result<Ticket> {
        let mut rows = Vec::new();
        let ticket = self.inner.submit(&mut |seq, batch| {
            fill(seq, batch);
            rows.clone_from(&batch.entries);
        })?;
        lock(&self.batches).push(rows);
        Ok(ticket)
    }
    fn settled(&self, seq: Seq) -> Ticket {
        self.inner.settled(seq)
    }
    fn on_group(&self, summary: GroupHook) {
        let summaries = Arc::clone(&self.summaries);
        self.inner.on_group(Box::new(move |batch| {
            let before = batch.entries.len();
            summary(batch);
            lock(&summaries).push(batch.entries[before..].to_vec());
        }));
    }
    fn compact(&self, from: Bound<&[u8]>, to: Bound<&[u8]>) -> Result<()> {
        self.inner.compact(from, to)
    }
    fn sizes(&self) -> Sizes {
        self.inner.sizes()
    }
    fn close(&self) -> Result<()> {
        self.inner.close()
    }
}
