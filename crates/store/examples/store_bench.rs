//! Figures of the stores, beside a raw fdatasync of the same machine.
//!
//! `cargo run --release -p bothways-store --example store_bench [ROWS] [DIR] [PART]`: rows to load (default
//! 300,000), where (default the system's temporary directory), and one part (memory, writers, disk, hot, deletes).
#![allow(clippy::print_stdout, reason = "the figures are what it is for")]
#![allow(clippy::unwrap_used, reason = "a failed measurement has no figures")]
#![allow(
    clippy::cast_precision_loss,
    reason = "figures are printed with three digits"
)]

use bothways_store::{Batch, DiskStore, MemoryStore, Options, Store};
use std::fs::File;
use std::ops::Bound;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const WRITE_TIME: Duration = Duration::from_millis(1500);

fn main() {
    let mut args = std::env::args().skip(1);
    let rows: u64 = args.next().and_then(|n| n.parse().ok()).unwrap_or(300_000);
    let root = args.next().map_or_else(std::env::temp_dir, Into::into);
    let dir = tempfile::tempdir_in(root).unwrap();
    let part = args.next();
    let wanted = |name: &str| part.as_deref().is_none_or(|part| part == name);
    raw_sync(dir.path());
    if wanted("memory") {
        memory(rows);
    }
    for delay in [0, 1, 4].into_iter().filter(|_| wanted("writers")) {
        writers(dir.path(), Duration::from_millis(delay));
    }
    if wanted("disk") {
        disk(dir.path(), rows);
    }
    if wanted("hot") {
        hot_key_scan(dir.path());
    }
    if wanted("deletes") {
        deletes(dir.path());
    }
}

fn raw_sync(dir: &Path) {
    let file = File::create(dir.join("raw")).unwrap();
    fs4::FileExt::allocate(&file, 16 << 20).unwrap();
    let mut times: Vec<_> = (0..2_000_u64)
        .map(|i| {
            let start = Instant::now();
            file.write_all_at(&[7; 600], i * 600).unwrap();
            file.sync_data().unwrap();
            start.elapsed()
        })
        .collect();
    times.sort();
    println!(
        "raw write and fdatasync: p50 {:?}, p99 {:?}",
        times[1_000], times[1_980]
    );
}

fn key(i: u64) -> Vec<u8> {
    let hash = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut key = vec![0; 40];
    key[4..12].copy_from_slice(&(hash >> 20).to_be_bytes());
    key[12..20].copy_from_slice(&i.to_be_bytes());
    key
}

/// A row and its index row, as one write.
fn pair(i: u64, batch: &mut Batch) {
    batch.put(key(i), vec![1; 200]);
    let mut index = key(i.wrapping_mul(31));
    index[0] = 1;
    index.resize(60, 2);
    batch.put(index, vec![2; 100]);
}

fn load(store: &dyn Store, rows: u64) -> f64 {
    let start = Instant::now();
    let mut tickets = std::collections::VecDeque::new();
    for i in 0..rows {
        tickets.push_back(store.submit(&mut |_, batch| pair(i, batch)).unwrap());
        if tickets.len() > 1_000 {
            tickets.pop_front().unwrap().wait().unwrap();
        }
    }
    for ticket in tickets {
        ticket.wait().unwrap();
    }
    rows as f64 / start.elapsed().as_secs_f64()
}

/// This thread's time on a processor, which others on the machine do not change much.
fn busy() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

/// Runs for a while; prints what one cost.
fn time(name: &str, mut one: impl FnMut(u64)) {
    let (start, before, mut count) = (Instant::now(), busy(), 0_u64);
    while start.elapsed() < Duration::from_millis(700) {
        for _ in 0..64 {
            one(count.wrapping_mul(7_919));
            count += 1;
        }
    }
    let cost = busy().saturating_sub(before).as_secs_f64() * 1e6 / count as f64;
    println!("  {name}: {cost:.2} µs");
}

fn reads(store: &dyn Store, rows: u64) {
    time("get", |i| {
        assert!(store.get(&key(i % rows)).unwrap().is_some());
    });
    time("get of nothing", |i| {
        assert!(store.get(&key(rows + i)).unwrap().is_none());
    });
    time("latest", |i| {
        assert!(store.latest(&key(i % rows)).unwrap().value.is_some());
    });
    time("snapshot", |_| drop(store.snapshot().unwrap()));
    for (name, reverse) in [("scan of 50", false), ("scan of 50 in reverse", true)] {
        time(name, |i| {
            let (snapshot, key) = (store.snapshot().unwrap(), key(i % rows));
            let bound = Bound::Included(&key[..]);
            let (from, to) = if reverse {
                (Bound::Unbounded, bound)
            } else {
                (bound, Bound::Unbounded)
            };
            assert!(snapshot.range(from, to, reverse).take(50).count() > 0);
        });
    }
}

fn memory(rows: u64) {
    println!("memory, {rows} pairs");
    let store = MemoryStore::new();
    println!("  load: {:.0} pairs/s", load(&store, rows));
    println!("  memory: {} bytes a pair", store.sizes().memory / rows);
    reads(&store, rows);
    time("commit of a pair", |i| {
        drop(store.submit(&mut |_, batch| pair(i % rows, batch)).unwrap());
    });
    let held = store.snapshot().unwrap();
    time("commit of a pair under a held snapshot", |i| {
        drop(store.submit(&mut |_, batch| pair(i % rows, batch)).unwrap());
    });
    drop(held);
    time("commit of a pair, a snapshot between", |i| {
        let snapshot = store.snapshot().unwrap();
        drop(store.submit(&mut |_, batch| pair(i % rows, batch)).unwrap());
        drop(snapshot);
    });
}

fn writers(dir: &Path, delay: Duration) {
    println!("durable writes, sync + {delay:?}");
    for threads in [1, 16, 64] {
        let counts = durable(dir, delay, threads, &|store, thread, round| {
            let fill = &mut |_, batch: &mut Batch| pair(thread << 32 | round, batch);
            store.submit(fill).unwrap().wait().unwrap();
        });
        print(&format!("{threads} writers"), counts);
    }
    let hot = parking_lot::Mutex::new(());
    let counts = durable(dir, delay, 64, &|store, _, _| {
        // As an engine does: the key's lock is held while it is read and written, not while it is synced.
        let ticket = {
            let _key = hot.lock();
            let latest = store.latest(b"counter").unwrap().value;
            let count: u64 = latest.map_or(0, |v| String::from_utf8_lossy(&v).parse().unwrap());
            store
                .submit(&mut |_, b| b.put("counter", format!("{}", count + 1)))
                .unwrap()
        };
        ticket.wait().unwrap();
    });
    print("one counter, 64 writers", counts);
}

fn print(name: &str, (commits, syncs, time): (u64, u64, Duration)) {
    let rate = commits as f64 / time.as_secs_f64();
    println!(
        "  {name}: {rate:.0} commits/s, {:.1} a sync",
        commits as f64 / syncs as f64
    );
}

type Write<'a> = &'a (dyn Fn(&DiskStore, u64, u64) + Sync);

fn durable(dir: &Path, delay: Duration, threads: u64, write: Write) -> (u64, u64, Duration) {
    let syncs = Arc::new(AtomicU64::new(0));
    let counted = syncs.clone();
    let sync = move |_: &Path, file: &File| {
        counted.fetch_add(1, Ordering::Relaxed);
        if !delay.is_zero() {
            std::thread::sleep(delay);
        }
        file.sync_data()
    };
    let options = Options {
        sync: Some(Arc::new(sync)),
        ..Options::default()
    };
    let path = dir.join("writers");
    let store = DiskStore::open(&path, options).unwrap();
    let (stop, commits) = (AtomicBool::new(false), AtomicU64::new(0));
    syncs.store(0, Ordering::Relaxed);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (store, stop, commits) = (&store, &stop, &commits);
            scope.spawn(move || {
                for round in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    write(store, thread, round);
                    commits.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(WRITE_TIME);
        stop.store(true, Ordering::Relaxed);
    });
    let took = start.elapsed();
    let counts = (
        commits.load(Ordering::Relaxed),
        syncs.load(Ordering::Relaxed),
        took,
    );
    drop(store);
    std::fs::remove_dir_all(path).unwrap();
    counts
}

fn disk(dir: &Path, rows: u64) {
    println!("disk, {rows} pairs");
    let path = dir.join("rows");
    let store = DiskStore::open(&path, Options::default()).unwrap();
    println!("  load: {:.0} pairs/s", load(&store, rows));
    let start = Instant::now();
    drop(store);
    println!("  stop without flush: {:?}", start.elapsed());
    let start = Instant::now();
    let store = DiskStore::open(&path, Options::default()).unwrap();
    println!("  open, the log replayed: {:?}", start.elapsed());
    println!("  {:?}", store.sizes());
    reads(&store, rows);
    let start = Instant::now();
    store.compact(Bound::Unbounded, Bound::Unbounded).unwrap();
    println!(
        "  merge of everything: {:?}, then {:?}",
        start.elapsed(),
        store.sizes()
    );
    reads(&store, rows);
    let start = Instant::now();
    store.close().unwrap();
    println!("  close: {:?}", start.elapsed());
    let start = Instant::now();
    let store = DiskStore::open(&path, Options::default()).unwrap();
    println!("  open after a clean stop: {:?}", start.elapsed());
    drop(store);
    std::fs::remove_dir_all(path).unwrap();
}

fn hot_key_scan(dir: &Path) {
    println!("200,000 versions of one key, under a held snapshot");
    let path = dir.join("hot");
    let store = DiskStore::open(&path, Options::default()).unwrap();
    let commit = |key: &str| {
        store
            .submit(&mut |_, b| b.put(key.to_owned(), vec![0; 100]))
            .unwrap()
    };
    for key in ["a", "hot", "z"] {
        commit(key).wait().unwrap();
    }
    let held = store.snapshot().unwrap();
    let tickets: Vec<_> = (0..200_000).map(|_| commit("hot")).collect();
    for ticket in tickets {
        ticket.wait().unwrap();
    }
    for (name, snapshot) in [("old", &held), ("new", &store.snapshot().unwrap())] {
        for reverse in [false, true] {
            time(
                &format!("scan of three keys, {name} snapshot, reverse {reverse}"),
                |_| {
                    let rows = snapshot.range(Bound::Unbounded, Bound::Unbounded, reverse);
                    assert_eq!(rows.count(), 3);
                },
            );
        }
    }
    drop(held);
    drop(store);
    std::fs::remove_dir_all(path).unwrap();
}

fn deletes(dir: &Path) {
    println!("first page over 100,000 fresh deletes");
    let path = dir.join("deletes");
    let store = DiskStore::open(&path, Options::default()).unwrap();
    let every = |change: &dyn Fn(u64, &mut Batch)| {
        let submit = |i| store.submit(&mut |_, batch| change(i, batch)).unwrap();
        let tickets: Vec<_> = (0..100_000).map(submit).collect();
        for ticket in tickets {
            ticket.wait().unwrap();
        }
    };
    every(&|i, batch| batch.put(key(i), vec![0; 200]));
    store.compact(Bound::Unbounded, Bound::Unbounded).unwrap();
    store
        .submit(&mut |_, b| b.put("z", ""))
        .unwrap()
        .wait()
        .unwrap();
    every(&|i, batch| batch.delete(key(i)));
    for wait in [0, 0, 1, 2, 3] {
        std::thread::sleep(Duration::from_secs(wait));
        let start = Instant::now();
        let snapshot = store.snapshot().unwrap();
        assert_eq!(
            snapshot
                .range(Bound::Unbounded, Bound::Unbounded, false)
                .count(),
            1
        );
        println!("  after {wait} s more: {:?}", start.elapsed());
    }
    drop(store);
    std::fs::remove_dir_all(path).unwrap();
}
