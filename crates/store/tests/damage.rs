//! Damaged, cut and failing files: reported with their place, or the store opens with exactly what was whole.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod common;

use bothways_store::{Batch, DiskStore, Error, IoEvent, Options, Recorder, Store};
use common::{Random, rows, times, unsynced};
use std::fs;
use std::ops::Bound::Unbounded;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const GROUPS: u64 = 60;

/// Notes where each frame of the log was written.
#[derive(Default)]
struct Frames(Mutex<Vec<(PathBuf, u64, u64)>>);

impl Recorder for Frames {
    fn record(&self, _root: &Path, event: IoEvent<'_>) {
        if let IoEvent::Write { path, offset, data } = event
            && path.starts_with("log")
            && offset >= 64
        {
            self.0
                .lock()
                .unwrap()
                .push((path.to_owned(), offset, offset + data.len() as u64));
        }
    }
}

/// A store whose log has one commit in each group, and how the log looks.
struct Logged {
    dir: tempfile::TempDir,
    frames: Vec<(PathBuf, u64, u64)>,
    /// The file beside the log as it was before the first group.
    synced_at_first: Vec<u8>,
}

fn row(n: u64, batch: &mut Batch) {
    batch.put(
        format!("{n:04}"),
        vec![b'v'; usize::try_from(n * 37 % 900).unwrap()],
    );
}

fn logged(segment_bytes: u64) -> Logged {
    let dir = common::dir();
    let frames = Arc::new(Frames::default());
    let options = Options {
        segment_bytes,
        recorder: Some(frames.clone()),
        ..unsynced()
    };
    let store = DiskStore::open(dir.path(), options).unwrap();
    let synced_at_first = fs::read(dir.path().join("synced")).unwrap();
    for n in 1..=GROUPS {
        store
            .submit(&mut |_, batch| row(n, batch))
            .unwrap()
            .wait()
            .unwrap();
    }
    drop(store);
    let frames = frames.0.lock().unwrap().clone();
    assert_eq!(frames.len() as u64, GROUPS);
    Logged {
        dir,
        frames,
        synced_at_first,
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Opens and tells how many commits are there, which must be exactly the first ones.
fn opened(dir: &Path) -> Result<u64, Error> {
    let store = DiskStore::open(dir, unsynced())?;
    let snapshot = store.snapshot()?;
    let mut want = Batch::default();
    (1..=snapshot.seq()).for_each(|n| row(n, &mut want));
    let want: Vec<_> = want
        .entries
        .into_iter()
        .map(|(k, v)| (k, v.unwrap()))
        .collect();
    assert!(rows(&*snapshot, Unbounded, Unbounded, false) == want);
    Ok(snapshot.seq())
}

#[test]
fn a_log_cut_anywhere_opens_with_the_whole_groups_before_the_cut() {
    let log = logged(1 << 20);
    let (path, _, end) = log.frames[log.frames.len() - 1].clone();
    let mut random = Random::new(7);
    for _ in 0..25 * times() {
        let copied = common::dir();
        copy(log.dir.path(), copied.path());
        let cut = random.below(end + 100);
        let file = fs::OpenOptions::new()
            .write(true)
            .open(copied.path().join(&path))
            .unwrap();
        file.set_len(cut).unwrap();
        let whole = log.frames.iter().filter(|(_, _, end)| *end <= cut).count() as u64;
        if whole < GROUPS {
            // The number beside the log tells that its end is missing.
            let error = opened(copied.path()).unwrap_err();
            assert!(
                matches!(error, Error::Corrupt { .. }),
                "cut at {cut}: {error}"
            );
        }
        fs::write(copied.path().join("synced"), &log.synced_at_first).unwrap();
        assert_eq!(opened(copied.path()).unwrap(), whole, "cut at {cut}");
        assert_eq!(
            opened(copied.path()).unwrap(),
            whole,
            "cut at {cut}, opened again"
        );
    }
}

#[test]
fn a_flipped_bit_in_the_log_is_reported_with_its_place() {
    let log = logged(8 << 10);
    let mut random = Random::new(8);
    let (mut refused, mut torn) = (0, 0);
    for round in 0..50 * times() {
        let frame = random.below(log.frames.len() as u64);
        let (path, start, end) = &log.frames[usize::try_from(frame).unwrap()];
        // Up to 7 bytes at a frame's end mean nothing.
        let at = start + random.below(end - start - 7);
        let copied = common::dir();
        copy(log.dir.path(), copied.path());
        let file = copied.path().join(path);
        let mut bytes = fs::read(&file).unwrap();
        bytes[usize::try_from(at).unwrap()] ^= 1 << random.below(8);
        fs::write(&file, &bytes).unwrap();
        let forgotten = round % 2 == 0;
        if forgotten {
            fs::write(copied.path().join("synced"), &log.synced_at_first).unwrap();
        }
        match opened(copied.path()) {
            Err(Error::Corrupt {
                file: named,
                offset,
                ..
            }) => {
                assert_eq!((Path::new(&named), offset), (&*file, *start));
                assert_eq!(fs::read(&file).unwrap(), bytes, "nothing is changed");
                refused += 1;
            }
            Ok(found) => {
                assert!(
                    forgotten && frame == GROUPS - 1,
                    "frame {frame} was lost silently"
                );
                assert_eq!(found, GROUPS - 1);
                torn += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(
        refused > torn * 10,
        "{refused} refused, {torn} taken for torn"
    );
}

#[test]
fn a_missing_segment_is_reported() {
    let log = logged(8 << 10);
    let mut names: Vec<_> = log.frames.iter().map(|(path, _, _)| path).collect();
    names.dedup();
    assert!(names.len() > 3);
    for name in names {
        let copied = common::dir();
        copy(log.dir.path(), copied.path());
        fs::remove_file(copied.path().join(name)).unwrap();
        let error = opened(copied.path()).unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }), "{name:?}: {error}");
    }
}

#[test]
fn damage_in_any_file_is_an_error_or_harmless_and_never_a_panic() {
    let log = logged(8 << 10);
    let store = DiskStore::open(log.dir.path(), unsynced()).unwrap();
    store.compact(Unbounded, Unbounded).unwrap();
    let last = store.snapshot().unwrap().seq();
    store.close().unwrap();
    let mut files = Vec::new();
    list(log.dir.path(), &mut files);
    files.retain(|file| !file.ends_with("lock"));
    assert!(files.len() % 5 != 0, "every file gets every kind of damage");
    let mut random = Random::new(9);
    let mut found = 0;
    for round in 0..45 * times() {
        let file = &files[usize::try_from(round).unwrap() % files.len()];
        let copied = common::dir();
        copy(log.dir.path(), copied.path());
        let damaged = copied
            .path()
            .join(file.strip_prefix(log.dir.path()).unwrap());
        let mut bytes = fs::read(&damaged).unwrap();
        let at = usize::try_from(random.below(bytes.len() as u64)).unwrap();
        match round % 5 {
            3 => bytes.truncate(at),
            _ => bytes[at] ^= 1 << random.below(8),
        }
        fs::write(&damaged, &bytes).unwrap();
        if round % 5 == 4 {
            fs::remove_file(&damaged).unwrap();
        }
        let outcome = DiskStore::open(copied.path(), unsynced()).and_then(|store| {
            let snapshot = store.snapshot()?;
            let all = snapshot
                .range(Unbounded, Unbounded, false)
                .collect::<Result<Vec<_>, _>>()?;
            for n in 1..=GROUPS {
                assert!(
                    snapshot.get(format!("{n:04}").as_bytes())?.is_some(),
                    "{file:?} {at}"
                );
            }
            Ok((all.len() as u64, snapshot.seq()))
        });
        match outcome {
            Ok(all) => assert_eq!(all, (GROUPS, last), "{file:?} at {at}"),
            Err(_) => found += 1,
        }
    }
    assert!(found > 0);
}

fn list(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            list(&entry.path(), files);
        } else {
            files.push(entry.path());
        }
    }
    files.sort();
}

#[test]
fn a_failed_sync_fails_its_group_and_makes_the_store_read_only() {
    let dir = common::dir();
    let broken = Arc::new(AtomicBool::new(false));
    let hook = broken.clone();
    let sync = move |_: &Path, file: &fs::File| {
        if hook.load(Ordering::Relaxed) {
            return Err(std::io::Error::other("the disk is gone"));
        }
        file.sync_data()
    };
    let options = Options {
        sync: Some(Arc::new(sync)),
        ..Options::default()
    };
    let store = DiskStore::open(dir.path(), options).unwrap();
    let put = |key: &str| store.submit(&mut |_, batch| batch.put(key.to_owned(), "v"));
    put("safe").unwrap().wait().unwrap();
    broken.store(true, Ordering::Relaxed);
    let error = put("lost").unwrap().wait().unwrap_err();
    assert!(error.to_string().contains("the disk is gone"), "{error}");
    broken.store(false, Ordering::Relaxed);
    let late = put("late").and_then(bothways_store::Ticket::wait);
    assert!(matches!(late, Err(Error::Poisoned(_))), "{late:?}");
    assert!(matches!(put("later"), Err(Error::Poisoned(_))));
    assert_eq!(store.get(b"safe").unwrap().unwrap(), "v");
    assert_eq!(
        store.get(b"lost").unwrap(),
        None,
        "readers see what is durable"
    );
    let latest = store.latest(b"lost").unwrap();
    assert!(store.settled(latest.seq).wait().is_err());
    assert!(store.close().is_err());
    let store = DiskStore::open(dir.path(), Options::default()).unwrap();
    assert_eq!(store.get(b"safe").unwrap().unwrap(), "v");
    assert_eq!(store.get(b"late").unwrap(), None);
    store
        .submit(&mut |_, batch| batch.put("again", "v"))
        .unwrap()
        .wait()
        .unwrap();
}

#[test]
fn a_hot_counter_is_updated_many_times_a_sync() {
    const THREADS: u64 = 64;
    const UPDATES: u64 = 20;
    let dir = common::dir();
    let syncs = Arc::new(AtomicU64::new(0));
    let counted = syncs.clone();
    let sync = move |_: &Path, file: &fs::File| {
        counted.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(4));
        file.sync_data()
    };
    let options = Options {
        sync: Some(Arc::new(sync)),
        ..Options::default()
    };
    let store = DiskStore::open(dir.path(), options).unwrap();
    syncs.store(0, Ordering::Relaxed);
    let key = Mutex::new(());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..UPDATES {
                    let ticket = {
                        let _key = key.lock().unwrap();
                        let latest = store.latest(b"counter").unwrap().value;
                        let count =
                            latest.map_or(0, |v| u64::from_be_bytes(v[..].try_into().unwrap()));
                        let next = (count + 1).to_be_bytes().to_vec();
                        store
                            .submit(&mut |_, batch| batch.put("counter", next.clone()))
                            .unwrap()
                    };
                    ticket.wait().unwrap();
                }
            });
        }
    });
    let count = store.get(b"counter").unwrap().unwrap();
    assert_eq!(
        u64::from_be_bytes(count[..].try_into().unwrap()),
        THREADS * UPDATES
    );
    let syncs = syncs.load(Ordering::Relaxed);
    assert!(
        THREADS * UPDATES >= 20 * syncs,
        "{syncs} syncs for {} updates",
        THREADS * UPDATES
    );
}

#[test]
fn a_group_hook_that_panics_leaves_nobody_waiting() {
    let dir = common::dir();
    let store = DiskStore::open(dir.path(), unsynced()).unwrap();
    store.on_group(Box::new(|_| {
        panic!("a fault in the hook; this message belongs to the test")
    }));
    let ticket = store.submit(&mut |_, batch| batch.put("k", "v")).unwrap();
    assert!(ticket.wait().is_err());
    assert!(matches!(
        store.submit(&mut |_, _| {}),
        Err(Error::Poisoned(_))
    ));
    assert_eq!(store.get(b"k").unwrap(), None);
}

#[test]
fn the_group_hook_adds_its_rows_to_every_group() {
    let dir = common::dir();
    let store = DiskStore::open(dir.path(), Options::default()).unwrap();
    let total = Arc::new(AtomicU64::new(0));
    let summed = total.clone();
    store.on_group(Box::new(move |batch| {
        batch.put("total", format!("{}", summed.load(Ordering::Relaxed)));
    }));
    for n in 1..=50 {
        let fill = &mut |_, batch: &mut Batch| {
            total.fetch_add(1, Ordering::Relaxed);
            batch.put(format!("row{n}"), "");
        };
        let ticket = store.submit(fill).unwrap();
        if n % 5 == 0 {
            ticket.wait().unwrap();
            let snapshot = store.snapshot().unwrap();
            assert_eq!(snapshot.get(b"total").unwrap().unwrap(), format!("{n}"));
            let all = rows(&*snapshot, Unbounded, Unbounded, false);
            assert_eq!(all.len(), n + 1);
        }
    }
    drop(store);
    let store = DiskStore::open(dir.path(), Options::default()).unwrap();
    assert_eq!(store.get(b"total").unwrap().unwrap(), "50");
}
