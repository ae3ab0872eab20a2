//! Power loss: a real `bothways serve` under an import is recorded, write by write and sync by sync; states that
//! a power loss could have left are rebuilt and opened.
//!
//! `BOTHWAYS_POWER_STATES` sets the number of states (50, and 8 without optimisation); a campaign runs a thousand. `BOTHWAYS_SEED` sets which.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use bothways_store::{Recording, Store};
use std::collections::BTreeSet;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::importer::{Acknowledgement, Key, Random, import_votes};
use support::oracle::{Contents, open};
use support::{Server, bothways, count, run_in, sample};

/// Bytes that a disk writes whole or not at all.
const PAGES: [usize; 2] = [512, 4096];

/// An import into a recorded server, which is then killed; the record, and what was acknowledged when it was how long.
fn recorded_import(
    runtime: &tokio::runtime::Runtime,
    root: &Path,
) -> (PathBuf, Vec<Acknowledgement>) {
    let record = root.join("record");
    let mut command = bothways();
    command
        .env("BOTHWAYS_RECORD", &record)
        .current_dir(root)
        .args([
            "serve", "-q", "--port", "0", "--data", "db", "--model", "follow",
        ]);
    let server = Server::start_command(&mut command);
    let written = record.clone();
    let length = move || std::fs::metadata(&written).unwrap().len();
    let file = sample("wiki-vote-sample.tsv");
    let patience = Duration::from_mins(1);
    let heard = import_votes(runtime, &server.endpoint, &file, patience, Box::new(length));
    server.kill();
    (record, heard)
}

/// How many events a record had when it was so long.
fn events_at(record: &Path, length: u64) -> usize {
    let prefix = record.with_extension("prefix");
    let bytes = std::fs::read(record).unwrap();
    std::fs::write(&prefix, &bytes[..usize::try_from(length).unwrap()]).unwrap();
    Recording::read(&prefix).unwrap().len()
}

#[test]
fn any_state_that_a_power_loss_leaves_opens_sound_and_whole() {
    let states = count(
        "BOTHWAYS_POWER_STATES",
        if cfg!(debug_assertions) { 8 } else { 50 },
    );
    let mut random = Random::new(count("BOTHWAYS_SEED", 11) as u64);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let root = tempfile::tempdir().unwrap();
    let (record, heard) = recorded_import(&runtime, root.path());
    let heard: Vec<(usize, Vec<Key>)> = heard
        .into_iter()
        .map(|answer| (events_at(&record, answer.at), answer.edges))
        .collect();
    assert!(heard.iter().any(|(_, edges)| !edges.is_empty()));
    let recording = Recording::read(&record).unwrap();
    let (mut partly, mut most) = (0, 0);
    for state in 0..states {
        let at = usize::try_from(random.below(recording.len() as u64 + 1)).unwrap();
        let page = PAGES[state % PAGES.len()];
        let dir = root.path().join(format!("state{state}"));
        std::fs::create_dir(&dir).unwrap();
        let acknowledged = recording
            .rebuild(at, page, &mut |n| random.below(n), &dir)
            .unwrap();
        let (store, engine) = open(&dir);
        let found = store.snapshot().unwrap().seq();
        assert!(
            found >= acknowledged,
            "after {at} events: {found} of {acknowledged} commits"
        );
        let before = heard.iter().filter(|(events, _)| *events <= at);
        let promised: BTreeSet<Key> = before.flat_map(|(_, edges)| edges.clone()).collect();
        // Before the table was made there is nothing to look at, and nothing was promised.
        if let Some(contents) = runtime.block_on(Contents::if_there(&*engine)) {
            contents.assert_sound();
            let lost: Vec<_> = promised.difference(&contents.edges).collect();
            assert!(
                lost.is_empty(),
                "after {at} events: {} edges lost",
                lost.len()
            );
            partly += usize::from(!contents.edges.is_empty());
            most = most.max(contents.edges.len());
        } else {
            assert!(promised.is_empty(), "after {at} events: the table is lost");
        }
        drop((store, engine));
        std::fs::remove_dir_all(&dir).unwrap();
    }
    assert!(
        partly > states / 4,
        "only {partly} of {states} states had edges"
    );
    assert!(most > 1_000, "no state had more than {most} edges");
}

/// The log file of a directory, and where its used part ends.
fn log_of(dir: &Path) -> (PathBuf, u64) {
    let files = std::fs::read_dir(dir.join("log"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let used = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap();
        bytes
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |at| at as u64 + 1)
    };
    let files = files.map(|path| (used(&path), path));
    let (end, path) = files.max().unwrap();
    (path, end)
}

#[test]
fn damage_in_the_middle_of_the_log_is_reported_and_never_cut() {
    let root = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    recorded_import(&runtime, root.path());
    let (path, end) = log_of(&root.path().join("db"));
    let before = std::fs::read(&path).unwrap();
    let middle = end / 2;
    let byte = before[usize::try_from(middle).unwrap()];
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[byte ^ 0x10], middle).unwrap();
    drop(file);
    let damaged = std::fs::read(&path).unwrap();
    for command in [
        "serve --port 0 --data db",
        "count follow follows 4037 --data db",
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        let ran = run_in(root.path(), &args);
        assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("is damaged at byte"), "{}", ran.err);
        assert!(
            ran.err
                .contains(path.file_name().unwrap().to_str().unwrap()),
            "{}",
            ran.err
        );
    }
    assert!(
        std::fs::read(&path).unwrap() == damaged,
        "the damaged log was changed"
    );
}
