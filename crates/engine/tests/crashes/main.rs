//! Backups, restores, exports, imports and the recovery log, cut off at any step by a death of the process or a power
//! loss: what was answered is there, the rest is whole or absent, and nothing is shown before it is whole.
//!
//! `BOTHWAYS_CAMPAIGN` multiplies how many steps are tried.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

#[path = "../common/mod.rs"]
mod common;

mod check;
mod script;

use bothways_store::{
    DiskStore, FaultyStore, FileRecorder, MemoryStore, Options, Plan, Recording, Store,
};
use check::check;
use common::{Rng, campaign, clock};
use script::{Facts, World, buckets, run};
use std::path::Path;
use std::sync::Arc;

/// Runs the script on a store that fails as planned, then looks at what a new process finds.
fn fails(plan: Plan, what: &str) -> u64 {
    let inner = Arc::new(MemoryStore::new());
    let store = Arc::new(FaultyStore::new(inner, plan).unwrap());
    let (dir, clock) = (buckets(), clock());
    let mut facts = Facts::default();
    if let Some(world) = World::open(store.clone(), &clock, dir.path()) {
        let mut note = |_: &Facts| {};
        run(&world, &mut facts, &mut note);
    }
    let steps = store.steps();
    let found = Arc::new(store.reopen(Plan::default()).unwrap());
    let world = World::open(found, &clock, dir.path()).unwrap();
    check(&world, &facts, what);
    steps
}

#[test]
fn at_whatever_step_the_process_dies_everything_is_whole_or_absent() {
    let plan = Plan {
        seed: 5,
        most_delay: 2,
        ..Plan::default()
    };
    let steps = fails(plan, "no fault");
    let tries = (16 * campaign() as u64).min(steps);
    let mut rng = Rng(17);
    for number in 0..tries {
        // One in each part of the run, so that none is left out by chance.
        let (from, to) = (number * steps / tries, (number + 1) * steps / tries);
        let dies_at = 1 + from + rng.next() % (to - from).max(1);
        let plan = Plan {
            dies_at: Some(dies_at),
            ..plan
        };
        fails(plan, &format!("dies at step {dies_at} of {steps}"));
    }
}

#[test]
fn reads_writes_and_syncs_that_fail_leave_everything_whole_or_absent() {
    // In the last one the only backup's last step is cut off.
    for seed in (0..6 * campaign() as u64).chain([260]) {
        let plan = Plan {
            seed,
            submit_failures: 5,
            read_failures: 1,
            sync_failures: 2,
            most_delay: 3,
            dies_at: None,
        };
        fails(plan, &format!("seed {seed}"));
    }
}

/// How many events a record had when it was so long.
fn events_at(record: &Path, length: u64) -> usize {
    let prefix = record.with_extension("prefix");
    let bytes = std::fs::read(record).unwrap();
    std::fs::write(&prefix, &bytes[..usize::try_from(length).unwrap()]).unwrap();
    Recording::read(&prefix).unwrap().len()
}

#[test]
fn any_state_that_a_power_loss_leaves_has_everything_whole_or_absent() {
    let root = script::dir();
    let (dir, clock) = (buckets(), clock());
    let record = root.path().join("record");
    let recorder = Arc::new(FileRecorder::create(&record).unwrap());
    let options = Options {
        memtable_bytes: 2 << 20,
        segment_bytes: 1 << 20,
        recorder: Some(recorder.clone()),
        ..Options::default()
    };
    let store = DiskStore::open(root.path().join("store"), options).unwrap();
    let world = World::open(Arc::new(store), &clock, dir.path()).unwrap();
    let mut heard: Vec<(u64, Facts)> = Vec::new();
    let mut note = |facts: &Facts| {
        let length = std::fs::metadata(&record).unwrap().len();
        heard.push((length, facts.clone()));
    };
    let mut facts = Facts::default();
    assert!(run(&world, &mut facts, &mut note).is_some());
    drop(world);
    assert_eq!(recorder.failure(), None);
    let recording = Recording::read(&record).unwrap();
    let mut rng = Rng(23);
    for state in 0..6 * campaign() {
        // What was known when power failed, and how many events there were by then.
        let which = rng.below(heard.len());
        let from = events_at(&record, heard[which].0);
        let to = match heard.get(which + 1) {
            Some((length, _)) => events_at(&record, *length),
            None => recording.len(),
        };
        let at = from + rng.below((to - from).max(1));
        let rebuilt = script::dir();
        let page = if state % 2 == 0 { 4096 } else { 512 };
        recording
            .rebuild(at, page, &mut |n| rng.next() % n, rebuilt.path())
            .unwrap();
        let unsynced = Options {
            sync: Some(Arc::new(|_: &Path, _: &std::fs::File| Ok(()))),
            ..Options::default()
        };
        let store: Arc<dyn Store> = Arc::new(DiskStore::open(rebuilt.path(), unsynced).unwrap());
        let world = World::open(store, &clock, dir.path()).unwrap();
        check(&world, &heard[which].1, &format!("after {at} events"));
    }
}
