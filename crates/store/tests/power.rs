//! Power loss: of what was written but not synced, any part may be missing.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod common;

use bothways_store::{
    Batch, DiskStore, FileRecorder, IoEvent, Options, Recorder, Recording, Store,
};
use common::{Random, apply, rows, times, unsynced};
use std::collections::BTreeMap;
use std::ops::Bound::Unbounded;
use std::path::Path;
use std::sync::Arc;

const COMMITS: u64 = 400;

/// Commit `n` writes and deletes rows that only depend on `n`.
fn write(n: u64) -> Batch {
    let mut random = Random::new(n);
    let mut batch = Batch::default();
    batch.put("last", format!("{n}"));
    for _ in 0..random.below(8) {
        let size = usize::try_from(random.below(3) * random.below(700)).unwrap();
        let value = (random.below(4) > 0).then(|| vec![b'a' + u8::try_from(n % 26).unwrap(); size]);
        batch
            .entries
            .push((random.key().into(), value.map(Into::into)));
    }
    batch
}

fn model(commits: u64) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut model = BTreeMap::new();
    (1..=commits).for_each(|n| apply(&mut model, &write(n)));
    model
}

/// Runs a store under record, with reopenings, small memtables and small segments.
fn record(root: &Path) -> Recording {
    let path = root.join("record");
    let recorder = Arc::new(FileRecorder::create(&path).unwrap());
    let options = Options {
        memtable_bytes: 60 << 10,
        segment_bytes: 24 << 10,
        recorder: Some(recorder.clone()),
        ..Options::default()
    };
    let mut n = 0;
    for part in 1..=4 {
        let store = DiskStore::open(root.join("store"), options.clone()).unwrap();
        let mut tickets = Vec::new();
        while n < COMMITS * part / 4 {
            n += 1;
            let fill = &mut |seq, batch: &mut Batch| {
                assert_eq!(seq, n);
                *batch = write(n);
            };
            tickets.push(store.submit(fill).unwrap());
            if n % 7 == 0 {
                tickets.drain(..).for_each(|ticket| ticket.wait().unwrap());
            }
        }
        for ticket in tickets {
            ticket.wait().unwrap();
        }
        if part == 2 {
            // Its flush and merge take a commit's number.
            drop(store);
        }
    }
    assert_eq!(recorder.failure(), None);
    Recording::read(path).unwrap()
}

#[test]
fn any_state_that_a_power_loss_leaves_opens_with_everything_acknowledged() {
    let root = common::dir();
    let recording = record(root.path());
    let mut random = Random::new(2_024);
    for state in 0..60 * times() {
        let at = usize::try_from(random.below(recording.len() as u64 + 1)).unwrap();
        let page = if state % 2 == 0 { 4096 } else { 512 };
        let dir = common::dir();
        let acknowledged = recording
            .rebuild(at, page, &mut |n| random.below(n), dir.path())
            .unwrap();
        let mut last = check(dir.path(), acknowledged, at);
        // What was found is durable now, and commits go on after it.
        for _ in 0..=state % 2 {
            let store = DiskStore::open(dir.path(), unsynced()).unwrap();
            last += 1;
            store
                .submit(&mut |_, b| *b = write(last))
                .unwrap()
                .wait()
                .unwrap();
            drop(store);
            assert_eq!(check(dir.path(), last, at), last);
        }
    }
}

/// Opens a state and compares it with the model after exactly as many commits; tells how many.
fn check(dir: &Path, acknowledged: u64, at: usize) -> u64 {
    let store =
        DiskStore::open(dir, unsynced()).unwrap_or_else(|e| panic!("after {at} events: {e}"));
    let snapshot = store.snapshot().unwrap();
    let last = snapshot.seq();
    assert!(
        last >= acknowledged,
        "after {at} events: {acknowledged} acknowledged, {last} found"
    );
    let want: Vec<_> = model(last)
        .into_iter()
        .map(|(k, v)| (k.into(), v.into()))
        .collect();
    assert!(
        rows(&*snapshot, Unbounded, Unbounded, false) == want,
        "after {at} events: {last}"
    );
    last
}

/// Records changes of a tree; tells after which numbers of events a state can have `tables/later`, which is there when the
/// last of them ends. Whether a change under way has happened is a choice; here it has wherever that can be.
fn states_with_the_later_table(changes: &[(u64, bool)]) -> Vec<usize> {
    let root = common::dir();
    let tree = root.path().join("store/tree");
    std::fs::create_dir_all(tree.join("tables")).unwrap();
    std::fs::write(tree.join("current"), "").unwrap();
    let recorder = FileRecorder::create(root.path().join("record")).unwrap();
    let path = Path::new("tree");
    for (at, (change, ends)) in changes.iter().copied().enumerate() {
        if at + 1 == changes.len() {
            std::fs::write(tree.join("tables/later"), "").unwrap();
        }
        let event = if ends {
            IoEvent::Tree { change, path }
        } else {
            IoEvent::TreeBegin { change }
        };
        recorder.record(&root.path().join("store"), event);
    }
    assert_eq!(recorder.failure(), None);
    let recording = Recording::read(root.path().join("record")).unwrap();
    let has = |events: &usize| {
        let dir = common::dir();
        recording
            .rebuild(*events, 4096, &mut |n| n - 1, dir.path())
            .unwrap();
        dir.path().join("tree/tables/later").exists()
    };
    (0..=changes.len()).filter(has).collect()
}

#[test]
fn a_change_of_the_tree_that_had_not_begun_is_in_no_state() {
    const BEGINS: bool = false;
    const ENDS: bool = true;
    // A merge begins, then a flush; the merge ends with the flush's table already in the tree.
    let two_at_once = [(0, BEGINS), (0, ENDS), (1, BEGINS), (2, BEGINS), (1, ENDS)];
    assert_eq!(states_with_the_later_table(&two_at_once), [4, 5]);
    // A merge is left unfinished when the store closes; opened anew, the store counts from nothing again.
    let opened_anew = [
        (0, BEGINS),
        (0, ENDS),
        (1, BEGINS),
        (0, BEGINS),
        (0, ENDS),
        (1, BEGINS),
        (1, ENDS),
    ];
    assert_eq!(states_with_the_later_table(&opened_anew), [6, 7]);
}
