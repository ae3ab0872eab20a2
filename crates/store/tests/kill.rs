//! A process that writes is killed at any moment: nothing that it acknowledged is lost, nothing is torn.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod common;

use bothways_store::{Batch, DiskStore, Options, Snapshot, Store};
use common::{Random, times};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const DIR: &str = "BOTHWAYS_STORE_KILL_DIR";
const THREADS: u64 = 4;
/// A commit deletes what this many commits before it wrote.
const KEPT: u64 = 40;

fn options() -> Options {
    // So small that tables, merges and new segments are always being made.
    let (memtable_bytes, segment_bytes) = (200 << 10, 100 << 10);
    Options {
        memtable_bytes,
        segment_bytes,
        ..Options::default()
    }
}

/// Commit `n` of a thread: two rows that belong together, a counter, and the end of two older rows.
fn write(thread: u64, n: u64, batch: &mut Batch) {
    batch.put(format!("a/{thread}/{n:08}"), format!("{n}"));
    batch.put(format!("b/{thread}/{n:08}"), vec![b'x'; 300]);
    batch.put(format!("c/{thread}"), format!("{n}"));
    if let Some(old) = n.checked_sub(KEPT) {
        batch.delete(format!("a/{thread}/{old:08}"));
        batch.delete(format!("b/{thread}/{old:08}"));
    }
}

fn count(snapshot: &dyn Snapshot, thread: u64) -> u64 {
    let value = snapshot.get(format!("c/{thread}").as_bytes()).unwrap();
    value.map_or(0, |v| std::str::from_utf8(&v).unwrap().parse().unwrap())
}

/// The process that is killed. Does nothing in an ordinary run of the tests.
#[test]
fn writer() {
    let Some(dir) = std::env::var_os(DIR) else {
        return;
    };
    let store = DiskStore::open(dir, options()).unwrap();
    let summed = std::sync::atomic::AtomicU64::new(0);
    store.on_group(Box::new(move |batch| {
        let groups = summed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        batch.put("groups", format!("{groups}"));
    }));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                let first = count(&*store.snapshot().unwrap(), thread) + 1;
                for n in first.. {
                    let ticket = store
                        .submit(&mut |_, batch| write(thread, n, batch))
                        .unwrap();
                    ticket.wait().unwrap();
                    let line = format!("acknowledged {thread} {n}\n");
                    std::io::stdout().write_all(line.as_bytes()).unwrap();
                }
            });
        }
    });
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_torn() {
    let dir = common::dir();
    let mut random = Random::new(99);
    let mut acknowledged = BTreeMap::new();
    for round in 0..6 * times() {
        // Now and then during the recovery of the round before.
        let wait = if round % 3 == 2 {
            random.below(20)
        } else {
            50 + random.below(300)
        };
        run_and_kill(dir.path(), Duration::from_millis(wait), &mut acknowledged);
        if round % 2 == 0 {
            verify(dir.path(), &acknowledged);
        }
    }
    verify(dir.path(), &acknowledged);
    assert!(acknowledged.values().sum::<u64>() > 0, "{acknowledged:?}");
}

fn run_and_kill(dir: &Path, wait: Duration, acknowledged: &mut BTreeMap<u64, u64>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--nocapture"])
        .env(DIR, dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let reader = std::thread::spawn(move || {
        let mut seen: BTreeMap<u64, u64> = BTreeMap::new();
        for line in lines {
            let Ok(line) = line else { break };
            let mut words = line
                .split(' ')
                .skip_while(|word| !word.ends_with("acknowledged"));
            let numbers =
                [words.nth(1), words.next()].map(|word| word.and_then(|w| w.parse().ok()));
            if let [Some(thread), Some(n)] = numbers {
                seen.insert(thread, n);
            }
        }
        seen
    });
    std::thread::sleep(wait);
    child.kill().unwrap();
    child.wait().unwrap();
    acknowledged.extend(reader.join().unwrap());
}

fn verify(dir: &Path, acknowledged: &BTreeMap<u64, u64>) {
    let store = DiskStore::open(dir, options()).unwrap();
    let snapshot = store.snapshot().unwrap();
    for thread in 0..THREADS {
        let last = count(&*snapshot, thread);
        let told = acknowledged.get(&thread).copied().unwrap_or(0);
        assert!(
            last >= told,
            "thread {thread}: {told} acknowledged, {last} found"
        );
        for table in ["a", "b"] {
            let prefix = format!("{table}/{thread}/");
            let end = format!("{table}/{thread}0");
            let from = std::ops::Bound::Included(prefix.as_bytes());
            let to = std::ops::Bound::Excluded(end.as_bytes());
            let found = snapshot.range(from, to, false).map(|row| row.unwrap().0);
            let want =
                (last.saturating_sub(KEPT - 1).max(1)..=last).map(|n| format!("{prefix}{n:08}"));
            assert!(found.eq(want), "thread {thread}, {table}, {last}");
        }
    }
}
