//! A disk without room: what was answered can be read, nothing is lost, and with room again it is written on.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod common;

use bothways_store::{DiskStore, Error, Options, Store};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Told faults, and how a store is opened on a disk that is full while `full` is set.
fn options(full: &Arc<AtomicBool>, told: &Arc<Mutex<Vec<String>>>) -> Options {
    let (full, told) = (full.clone(), told.clone());
    Options {
        segment_bytes: 64 << 10,
        write: Some(Arc::new(move |_: &Path| {
            if full.load(Ordering::Relaxed) {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            Ok(())
        })),
        report: Some(Arc::new(move |error: &Error| {
            told.lock().push(error.to_string());
        })),
        ..Options::default()
    }
}

fn put(store: &DiskStore, key: &str) -> Result<(), Error> {
    let value = vec![7; 5_000];
    let fill = &mut |_, batch: &mut bothways_store::Batch| batch.put(key.to_owned(), value.clone());
    store.submit(fill)?.wait()
}

fn keys(store: &DiskStore) -> usize {
    let snapshot = store.snapshot().unwrap();
    let rows = snapshot.range(
        std::ops::Bound::Unbounded,
        std::ops::Bound::Unbounded,
        false,
    );
    rows.map(Result::unwrap).count()
}

#[test]
fn a_store_on_a_full_disk_is_read_and_is_written_again_when_there_is_room() {
    let dir = common::dir();
    let (full, told) = (Arc::default(), Arc::default());
    let store = DiskStore::open(dir.path(), options(&full, &told)).unwrap();
    for number in 0..40 {
        put(&store, &format!("k{number:02}")).unwrap();
    }
    assert_eq!(told.lock().len(), 0);
    full.store(true, Ordering::Relaxed);
    for key in ["lost", "later"] {
        assert!(matches!(put(&store, key), Err(Error::Poisoned(_))));
        assert_eq!(keys(&store), 40);
    }
    // Once, with the file.
    assert_eq!(told.lock().len(), 1);
    let place = dir.path().join("log").display().to_string();
    assert!(told.lock()[0].contains(&place), "{:?}", told.lock());
    drop(store);

    for _ in 0..2 {
        told.lock().clear();
        let store = DiskStore::open(dir.path(), options(&full, &told)).unwrap();
        assert!(matches!(store.read_only(), Some(Error::Poisoned(_))));
        assert_eq!(told.lock().len(), 1);
        assert_eq!(keys(&store), 40);
        assert_eq!(store.get(b"k39").unwrap().unwrap().len(), 5_000);
        assert_eq!(store.get(b"lost").unwrap(), None);
        assert!(matches!(put(&store, "later"), Err(Error::Poisoned(_))));
        assert!(
            store
                .compact(std::ops::Bound::Unbounded, std::ops::Bound::Unbounded)
                .is_err()
        );
        store.close().unwrap();
    }

    full.store(false, Ordering::Relaxed);
    let store = DiskStore::open(dir.path(), options(&full, &told)).unwrap();
    assert!(store.read_only().is_none());
    put(&store, "again").unwrap();
    store.close().unwrap();
    let store = DiskStore::open(dir.path(), options(&full, &told)).unwrap();
    assert_eq!(keys(&store), 41);
}
