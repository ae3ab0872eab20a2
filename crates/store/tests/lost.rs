//! Files that are emptied, cut, gone or changed: opening says which one and what is wrong, or the first read of the
//! damaged place does; nothing is lost in silence.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod common;

use bothways_store::{DiskStore, Error, Options, Store};
use common::unsynced;
use parking_lot::Mutex;
use std::fs;
use std::ops::Bound::Unbounded;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ROWS: usize = 300;
const PARTS: usize = 3;

/// A store with two tables, and rows in the log.
fn made() -> tempfile::TempDir {
    let dir = common::dir();
    for part in 0..PARTS {
        let store = DiskStore::open(dir.path(), unsynced()).unwrap();
        let tickets = (0..ROWS).map(|n| {
            let key = format!("{n:05}/{part}");
            let ticket = store.submit(&mut |_, batch| batch.put(key.clone(), vec![b'v'; 100]));
            ticket.unwrap()
        });
        tickets.for_each(|ticket| ticket.wait().unwrap());
        if part < PARTS - 1 {
            store.close().unwrap();
        }
    }
    dir
}

fn open(dir: &Path, told: &Arc<Mutex<Vec<String>>>) -> Result<DiskStore, Error> {
    let told = told.clone();
    let options = Options {
        report: Some(Arc::new(move |e: &Error| told.lock().push(e.to_string()))),
        ..unsynced()
    };
    DiskStore::open(dir, options)
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect();
    found.sort();
    found
}

/// A store's files, to be put back.
fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let read = |path: PathBuf| (path.clone(), fs::read(path).unwrap());
    files(dir).into_iter().map(read).collect()
}

fn put_back(dir: &Path, contents: &[(PathBuf, Vec<u8>)]) {
    for path in files(dir) {
        fs::remove_file(path).unwrap();
    }
    for (path, bytes) in contents {
        fs::write(path, bytes).unwrap();
    }
}

type Harm = fn(&Path, Vec<u8>);

const HARMS: [(&str, Harm); 4] = [
    ("emptied", |path, _| fs::write(path, "").unwrap()),
    ("cut", |path, bytes| {
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }),
    ("gone", |path, _| fs::remove_file(path).unwrap()),
    ("changed at its end", |path, mut bytes| {
        let last = bytes.len() - 9;
        bytes[last] ^= 4;
        fs::write(path, bytes).unwrap();
    }),
];

#[test]
fn a_lost_or_damaged_file_of_the_tree_is_named_when_the_store_is_opened() {
    let dir = made();
    let whole = contents(dir.path());
    let tree: Vec<&PathBuf> = whole.iter().map(|(path, _)| path).collect();
    let tree = tree
        .into_iter()
        .filter(|path| path.starts_with(dir.path().join("tree")));
    let tree: Vec<&PathBuf> = tree.collect();
    assert!(tree.len() >= 4, "{tree:?}");
    for path in tree {
        for (what, harm) in HARMS {
            harm(path, fs::read(path).unwrap());
            let before = contents(dir.path());
            let error = open(dir.path(), &Arc::default()).unwrap_err();
            let name = path.display().to_string();
            let words = error.to_string();
            assert!(
                matches!(error, Error::Corrupt { .. }),
                "{name} {what}: {words}"
            );
            // A pointer and what it points to are held against each other: no more can be told.
            let file = path.file_name().unwrap().to_str().unwrap();
            let named = words.starts_with(&format!("{name} is damaged"));
            assert!(
                named || file == "current" && words.contains(file),
                "{name} {what}: {words}"
            );
            let after = contents(dir.path());
            // The lock's holder is noted, nothing else.
            let lock = dir.path().join("lock");
            for (before, after) in before.iter().zip(&after) {
                assert!(before == after || before.0 == lock, "{name} {what}");
            }
            put_back(dir.path(), &whole);
        }
    }
    open(dir.path(), &Arc::default()).unwrap();
}

#[test]
fn a_changed_byte_of_a_table_is_one_clear_error_wherever_it_is() {
    let dir = made();
    let whole = contents(dir.path());
    let tables = dir.path().join("tree/tables");
    let tables: Vec<PathBuf> = files(&tables);
    let (mut at_open, mut at_read) = (0, 0);
    for (number, table) in tables.iter().enumerate() {
        let bytes = fs::read(table).unwrap();
        for at in (number..bytes.len()).step_by(bytes.len() / 40) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fs::write(table, changed).unwrap();
            let told = Arc::default();
            let name = table.display().to_string();
            match open(dir.path(), &told) {
                Err(error) => {
                    assert!(error.to_string().starts_with(&name), "{at}: {error}");
                    at_open += 1;
                }
                Ok(store) => {
                    let read = || {
                        let snapshot = store.snapshot().unwrap();
                        let rows = snapshot.range(Unbounded, Unbounded, false);
                        rows.collect::<Result<Vec<_>, _>>()
                    };
                    match (read(), read()) {
                        (Ok(rows), _) => assert_eq!(rows.len(), ROWS * PARTS, "{at}"),
                        (Err(first), second) => {
                            assert!(first.to_string().starts_with(&name), "{at}: {first}");
                            assert!(second.is_err());
                            // Told once, though it was met twice.
                            let mut told = told.lock().clone();
                            told.retain(|words| *words == first.to_string());
                            assert_eq!(told.len(), 1, "{at}: {first}");
                            at_read += 1;
                        }
                    }
                }
            }
            put_back(dir.path(), &whole);
        }
    }
    assert!(at_open > 0 && at_read > 0, "{at_open} {at_read}");
}

#[test]
fn what_is_no_table_is_not_taken_for_one() {
    for make in [
        |path: &Path| fs::create_dir(path.join("17")),
        |path: &Path| fs::write(path.join("17~"), "x"),
    ] {
        let dir = made();
        make(&dir.path().join("tree/tables")).unwrap();
        let error = open(dir.path(), &Arc::default()).unwrap_err();
        assert!(matches!(error, Error::Format { .. }), "{error}");
        assert!(error.to_string().contains("17"), "{error}");
    }
}

#[test]
fn lost_files_beside_the_tree_are_named() {
    let dir = made();
    let whole = contents(dir.path());
    for name in ["format", "checkpoint", "synced"] {
        let path = dir.path().join(name);
        fs::write(&path, "").unwrap();
        let error = open(dir.path(), &Arc::default()).unwrap_err();
        assert!(error.to_string().contains(name), "{name}: {error}");
        put_back(dir.path(), &whole);
    }
    fs::remove_dir_all(dir.path().join("log")).unwrap();
    let error = open(dir.path(), &Arc::default()).unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
}
