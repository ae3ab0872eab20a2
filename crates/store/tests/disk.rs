//! The disk store across stops of every kind.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod common;

use bothways_store::{Batch, DiskStore, Error, Options, Store};
use common::{Random, Stores, apply, rows};
use std::collections::BTreeMap;
use std::ops::Bound::Unbounded;

#[test]
fn everything_is_there_after_every_kind_of_reopening() {
    for stores in [Stores::Disk, Stores::SmallDisk] {
        let dir = common::dir();
        let mut random = Random::new(5);
        let mut model = BTreeMap::new();
        let mut seq = 0;
        for round in 0..8 {
            let store = DiskStore::open(dir.path(), stores.options()).unwrap();
            let snapshot = store.snapshot().unwrap();
            assert!(snapshot.seq() >= seq, "numbers are never given twice");
            let all = rows(&*snapshot, Unbounded, Unbounded, false);
            assert!(
                all.iter().map(|(k, v)| (&k[..], &v[..])).eq(model
                    .iter()
                    .map(|(k, v): (&Vec<u8>, &Vec<u8>)| (&k[..], &v[..])))
            );
            drop(snapshot);
            let mut tickets = Vec::new();
            for _ in 0..100 {
                let mut batch = Batch::default();
                for _ in 0..random.below(20) {
                    let value = (random.below(4) > 0).then(|| format!("{round}").into());
                    batch.entries.push((random.key().into(), value));
                }
                apply(&mut model, &batch);
                tickets.push(
                    store
                        .submit(&mut |s, b| (seq, *b) = (s, batch.clone()))
                        .unwrap(),
                );
            }
            for ticket in tickets {
                ticket.wait().unwrap();
            }
            match round % 3 {
                0 => store.close().unwrap(),
                1 => drop(store),
                _ => {
                    store.compact(Unbounded, Unbounded).unwrap();
                    store.close().unwrap();
                }
            }
        }
    }
}

#[test]
fn a_directory_in_use_names_its_holder_and_is_free_after_close() {
    let dir = common::dir();
    let store = DiskStore::open(dir.path(), Options::default()).unwrap();
    let Err(Error::InUse { pid, .. }) = DiskStore::open(dir.path(), Options::default()) else {
        panic!("opened twice");
    };
    assert_eq!(pid, std::process::id());
    std::fs::remove_file(dir.path().join("lock")).unwrap();
    assert!(
        matches!(
            DiskStore::open(dir.path(), Options::default()),
            Err(Error::InUse { pid: 0, .. })
        ),
        "a removed lock file lets nobody in"
    );
    let snapshot = store.snapshot().unwrap();
    store.close().unwrap();
    assert!(
        matches!(
            DiskStore::open(dir.path(), Options::default()),
            Err(Error::InUse { .. })
        ),
        "a held snapshot reads the files"
    );
    drop(snapshot);
    DiskStore::open(dir.path(), Options::default())
        .unwrap()
        .close()
        .unwrap();
}

#[test]
fn only_a_store_of_this_format_is_opened() {
    let dir = common::dir();
    std::fs::write(dir.path().join("letters.txt"), "dear").unwrap();
    let open = || DiskStore::open(dir.path(), Options::default()).map(drop);
    let error = open().unwrap_err();
    assert!(matches!(error, Error::Format { .. }), "{error}");
    assert!(error.to_string().contains("letters.txt"), "{error}");
    std::fs::remove_file(dir.path().join("letters.txt")).unwrap();
    open().unwrap();
    let marker = dir.path().join("format");
    let text = std::fs::read_to_string(&marker).unwrap();
    let cases = [
        (
            "version 1",
            "version 2",
            "written by a newer version (format 2; this one reads 1)",
        ),
        ("bothways", "somebody", "not the marker"),
        ("salt ", "salt 1", "checksum"),
        ("version 1", "version x", "version cannot be read"),
    ];
    for (from, to, want) in cases {
        std::fs::write(&marker, text.replace(from, to)).unwrap();
        let error = open().unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
    }
    std::fs::remove_file(&marker).unwrap();
    let error = open().unwrap_err().to_string();
    assert!(error.contains("missing"), "{error}");
    std::fs::write(&marker, text).unwrap();
    open().unwrap();
}
