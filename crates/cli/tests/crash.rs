//! `kill -9` in the middle of an import: no edge without its index row, no counter off, nothing acknowledged lost.
//!
//! `BOTHWAYS_KILLS` sets the number of kills (20, and 4 without optimisation); a campaign runs a thousand. `BOTHWAYS_SEED` sets the moments.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use bothways_client::{Client, Config};
use bothways_graph::Graph;
use bothways_graph::import::{ImportOptions, ImportSource, Unobserved};
use bothways_graph::model::shipped;
use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::oracle::{Contents, Edges, assert_equal, open};
use support::{Ran, Server, bothways, count, data_file, signal, wait};

/// Kills come within this time from the start of an import.
const SPREAD: Duration = Duration::from_millis(600);

/// A small generator of moments: xorshift, seeded.
struct Moments(u64);

impl Moments {
    fn next(&mut self) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        SPREAD * u32::try_from(self.0 % 1000).unwrap() / 1000
    }
}

/// Remembers every edge whose transaction was answered with success.
struct Acknowledged {
    inner: Client,
    edges: Arc<Mutex<BTreeSet<(String, String)>>>,
}

impl DynamoDb for Acknowledged {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let edges = edges_of(&request);
        Box::pin(async move {
            let answer = self.inner.call(cx, request).await?;
            self.edges.lock().unwrap().extend(edges);
            Ok(answer)
        })
    }
}

/// Keys of the edges that a transaction puts.
fn edges_of(request: &Request) -> Vec<(String, String)> {
    let Request::TransactWriteItems(input) = request else {
        return Vec::new();
    };
    let actions = input.transact_items.iter().flatten();
    let items = actions.filter_map(|action| Some(&action.put.as_ref()?.item.as_ref()?.value));
    let text = |item: &bothways_core::Item, name| match item.get(name) {
        Some(bothways_core::ValueRef::S(text)) => text.to_owned(),
        other => panic!("{name} is {other:?}"),
    };
    items
        .map(|item| (text(item, "PK"), text(item, "SK")))
        .filter(|(_, sk)| sk.starts_with("TARGET#"))
        .collect()
}

/// Imports over HTTP until the server is killed; what was acknowledged.
fn import_until_the_server_dies(
    runtime: &tokio::runtime::Runtime,
    dir: &Path,
    file: &Path,
    after: Duration,
) -> BTreeSet<(String, String)> {
    let server = Server::start(&["--data", dir.to_str().unwrap(), "--model", "follow"]);
    let client = Client::new(Config::new(server.endpoint.parse().unwrap())).unwrap();
    let edges = Arc::new(Mutex::new(BTreeSet::new()));
    let db = Arc::new(Acknowledged {
        inner: client,
        edges: edges.clone(),
    });
    let graph = Graph::new(db, shipped("follow").unwrap().model).unwrap();
    let text = std::fs::read(file).unwrap();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(after);
        server.kill();
    });
    let cx = Context {
        deadline: Some(Instant::now() + after + Duration::from_secs(2)),
        ..Context::default()
    };
    let source = ImportSource {
        name: "votes".to_owned(),
        bytes: Some(text.len() as u64),
        reader: Box::new(Cursor::new(text)),
    };
    let options = ImportOptions::default();
    let result = runtime.block_on(graph.import(&cx, "follows", source, &options, &mut Unobserved));
    // It may have been done before the kill; then there was nothing to lose after it.
    drop(result);
    killer.join().unwrap();
    let edges = edges.lock().unwrap();
    edges.clone()
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
    let mut moments = Moments(count("BOTHWAYS_SEED", 7) as u64 | 1);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let file = data_file("wiki-vote.tsv", "wiki-vote-sample.tsv");
    let edges = Edges::read(&file);
    let all = edges.len();
    let mut dir = tempfile::tempdir().unwrap();
    let mut acknowledged: BTreeSet<(String, String)> = BTreeSet::new();
    let (mut in_the_middle, mut most) = (0, 0);
    for kill in 0..kills {
        let path = dir.path().join("db");
        let after = moments.next();
        if kill % 2 == 0 {
            acknowledged.extend(import_until_the_server_dies(&runtime, &path, &file, after));
        } else {
            import_until_it_dies(&path, &file, after);
        }
        let (store, engine) = open(&path);
        let contents = runtime.block_on(Contents::of_follow(&*engine));
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
        }
    }
    // What the kills left is finished by one more run, from where it stopped, and then is the file's.
    let path = dir.path().join("db");
    let args = [
        "import",
        "follow",
        "follows",
        file.to_str().unwrap(),
        "--data",
        path.to_str().unwrap(),
    ];
    Ran::from(bothways().args(args).output().unwrap()).done();
    let (_store, engine) = open(&path);
    runtime.block_on(assert_equal(engine, "follow", "follows", &edges));
    assert!(most > 0, "no import got anywhere before it was killed");
    assert!(
        in_the_middle * 2 >= kills,
        "{in_the_middle} of {kills} kills came in the middle"
    );
}
