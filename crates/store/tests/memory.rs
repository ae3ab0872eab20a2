//! The memory store keeps old versions exactly as long as a snapshot needs them.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use bothways_store::{Batch, MemoryStore, Store};
use bytes::Bytes;
use std::ops::Bound::Unbounded;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A value that tells when the last reference to it is gone.
struct Counted(Arc<AtomicU64>, [u8; 8]);

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.1
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn value(live: &Arc<AtomicU64>, n: u64) -> Bytes {
    live.fetch_add(1, Ordering::Relaxed);
    Bytes::from_owner(Counted(live.clone(), n.to_be_bytes()))
}

fn key(i: u64) -> Vec<u8> {
    i.to_be_bytes().to_vec()
}

#[test]
fn a_snapshot_of_a_million_rows_holds_old_versions_and_gives_them_back() {
    const ROWS: u64 = 1_000_000;
    let live = Arc::new(AtomicU64::new(0));
    let store = MemoryStore::new();
    let write = |rows: std::ops::Range<u64>, n: u64, delete: bool| {
        for start in rows.clone().step_by(1_000) {
            let fill = &mut |_, batch: &mut Batch| {
                for i in start..(start + 1_000).min(rows.end) {
                    if delete {
                        batch.delete(key(i));
                    } else {
                        batch.put(key(i), value(&live, n));
                    }
                }
            };
            store.submit(fill).unwrap().wait().unwrap();
        }
    };
    write(0..ROWS, 1, false);
    let before = store.sizes().memory;
    assert_eq!(live.load(Ordering::Relaxed), ROWS);
    let start = Instant::now();
    let held = store.snapshot().unwrap();
    assert!(
        start.elapsed() < Duration::from_millis(50),
        "a snapshot copies nothing"
    );
    write(0..200_000, 2, false);
    write(500_000..600_000, 0, true);
    assert_eq!(
        live.load(Ordering::Relaxed),
        ROWS + 200_000,
        "old versions are held"
    );
    assert_eq!(held.range(Unbounded, Unbounded, false).count() as u64, ROWS);
    assert!(
        held.range(Unbounded, Unbounded, true)
            .all(|row| row.unwrap().1[7] == 1)
    );
    assert_eq!(held.get(&key(550_000)).unwrap().unwrap()[7], 1);
    assert_eq!(store.get(&key(550_000)).unwrap(), None);
    drop(held);
    assert_eq!(
        live.load(Ordering::Relaxed),
        ROWS - 100_000,
        "and given back"
    );
    assert!(store.sizes().memory < before);
    store.close().unwrap();
    assert_eq!(live.load(Ordering::Relaxed), 0);
    assert_eq!(store.sizes().memory, 0);
}

#[test]
fn readers_do_not_wait_for_a_batch_that_is_being_filled() {
    let store = MemoryStore::new();
    store
        .submit(&mut |_, batch| batch.put("k", "old"))
        .unwrap()
        .wait()
        .unwrap();
    let (filling, read) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let fill = &mut |_, batch: &mut Batch| {
                filling.store(true, Ordering::Release);
                let start = Instant::now();
                while !read.load(Ordering::Acquire) {
                    assert!(start.elapsed() < Duration::from_secs(20), "readers wait");
                    std::thread::sleep(Duration::from_millis(1));
                }
                batch.put("k", "new");
            };
            store.submit(fill).unwrap().wait().unwrap();
        });
        while !filling.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(store.get(b"k").unwrap().unwrap(), "old");
        assert_eq!(store.latest(b"k").unwrap().value.unwrap(), "old");
        assert_eq!(
            store
                .snapshot()
                .unwrap()
                .range(Unbounded, Unbounded, false)
                .count(),
            1
        );
        read.store(true, Ordering::Release);
    });
    assert_eq!(store.get(b"k").unwrap().unwrap(), "new");
}
