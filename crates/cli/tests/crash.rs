//! `kill -9` in the middle of an import: no edge without its index row, no counter off, nothing acknowledged lost.
//!
//! `BOTHWAYS_KILLS` sets the number of kills (20, and 4 without optimisation); a campaign runs a thousand.
//! `BOTHWAYS_SEED` sets the moments.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use support::importer::{Key, Random, import_votes};
use support::oracle::{Contents, Edges, assert_equal, open};
use support::{Ran, Server, bothways, count, data_file, signal, wait};

/// Kills come within this time from the start of an import, milliseconds.
const SPREAD: u64 = 600;
/// How long an importer looks for a server that was killed.
const MOURNING: Duration = Duration::from_secs(2);

/// Imports over HTTP until the server is killed; what was acknowledged.
fn import_until_the_server_dies(
    runtime: &tokio::runtime::Runtime,
    dir: &Path,
    file: &Path,
    after: Duration,
) -> BTreeSet<Key> {
    let server = Server::start(&["--data", dir.to_str().unwrap(), "--model", "follow"]);
    let endpoint = server.endpoint.clone();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(after);
        server.kill();
    });
    let heard = import_votes(runtime, &endpoint, file, after + MOURNING, Box::new(|| 0));
    killer.join().unwrap();
    heard.into_iter().flat_map(|answer| answer.edges).collect()
}

/// Kills an import that has the directory open itself.
fn import_until_it_dies(dir: &Path, file: &Path, after: Duration) {
    let args = ["import", "follow", "follows", file.to_str().unwrap(), "-q"];
    let mut child = bothways()
        .args(args)
        .args(["--data", dir.to_str().unwrap()])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    if child.try_wait().unwrap().is_none() {
        signal(child.id(), "KILL");
    }
    wait(&mut child);
}

#[test]
fn a_kill_leaves_edges_index_rows_and_counters_in_step() {
    let kills = count(
        "BOTHWAYS_KILLS",
        if cfg!(debug_assertions) { 4 } else { 20 },
    );
    let mut random = Random::new(count("BOTHWAYS_SEED", 7) as u64);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let file = data_file("wiki-vote.tsv", "wiki-vote-sample.tsv");
    let edges = Edges::read(&file);
    let all = edges.len();
    let mut dir = tempfile::tempdir().unwrap();
    let mut acknowledged: BTreeSet<Key> = BTreeSet::new();
    let (mut in_the_middle, mut most) = (0, 0);
    // Whether the directory is known to have the table: a server has it before it says its address.
    let mut made = false;
    for kill in 0..kills {
        let path = dir.path().join("db");
        let after = Duration::from_millis(random.below(SPREAD));
        if kill % 2 == 0 {
            acknowledged.extend(import_until_the_server_dies(&runtime, &path, &file, after));
            made = true;
        } else {
            import_until_it_dies(&path, &file, after);
        }
        let (store, engine) = open(&path);
        let Some(contents) = runtime.block_on(Contents::if_there(&*engine)) else {
            assert!(!made, "kill {kill}: the table is lost");
            in_the_middle += 1;
            continue;
        };
        made = true;
        contents.assert_sound();
        let lost: Vec<_> = acknowledged.difference(&contents.edges).collect();
        assert!(
            lost.is_empty(),
            "kill {kill}: {} acknowledged edges lost: {lost:?}",
            lost.len()
        );
        drop((store, engine));
        most = most.max(contents.edges.len());
        in_the_middle += usize::from(contents.edges.len() < all);
        if contents.edges.len() == all {
            dir = tempfile::tempdir().unwrap();
            acknowledged.clear();
            made = false;
        }
    }
    // What the kills left is finished by one more run, from where it stopped, and then is the file's.
    let path = dir.path().join("db");
    let args = ["import", "follow", "follows", file.to_str().unwrap()];
    let mut import = bothways();
    import.args(args).args(["--data", path.to_str().unwrap()]);
    Ran::from(import.output().unwrap()).done();
    let (_store, engine) = open(&path);
    runtime.block_on(assert_equal(engine, "follow", "follows", &edges));
    assert!(most > 0, "no import got anywhere before it was killed");
    assert!(
        in_the_middle * 2 >= kills,
        "{in_the_middle} of {kills} kills came in the middle"
    );
}
