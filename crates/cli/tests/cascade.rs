//! An entity with very many edges deleted while others keep following it, its worker killed five times on the way.
//!
//! `BOTHWAYS_CASCADE_EDGES` sets the number of edges; a campaign takes a million.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use bothways_client::{Client, Config};
use bothways_graph::model::shipped;
use bothways_graph::{Changes, Error, Graph, Job, JobState, Linked};
use bothways_protocol::Context;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::{Server, bothways, count, run_in, signal, wait};

/// Kills on the way.
const KILLS: u64 = 5;
/// Clients that go on following.
const RACERS: usize = 4;
/// The longest that the whole may take, for each edge.
const PATIENCE_PER_EDGE: Duration = Duration::from_millis(5);

fn graph(server: &Server) -> Graph {
    let client = Client::new(Config::new(server.endpoint.parse().unwrap())).unwrap();
    Graph::new(Arc::new(client), shipped("follow").unwrap().model).unwrap()
}

/// Follows the star under ever new names until told to stop; how many did, and how many were refused.
async fn race(graph: Graph, racer: usize, stop: Arc<AtomicBool>) -> (u64, u64) {
    let (mut made, mut refused) = (0, 0);
    let mut round = 0_u64;
    while !stop.load(Ordering::Relaxed) {
        round += 1;
        let fan = format!("late{racer}-{round}");
        match graph
            .link(
                &Context::default(),
                "follows",
                &fan,
                "star",
                &Changes::new(),
            )
            .await
        {
            Ok(done) => made += u64::from(matches!(done.value, Linked::Created(_))),
            Err(Error::Closed { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        // Followers come one by one, and leave the machine to the work that is tested.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    (made, refused)
}

fn worker(server: &Server, args: &[&str]) -> Child {
    let mut command = bothways();
    command
        .args(args)
        .args(["--endpoint", &server.endpoint, "-q"]);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

async fn job(graph: &Graph) -> Option<Job> {
    graph
        .jobs(&Context::default())
        .await
        .unwrap()
        .value
        .into_iter()
        .next()
}

/// Starts the work and kills it five times, spread over the edges; then lets it be done. How often it was killed.
async fn work(server: &Server, edges: u64, written: &AtomicU64) -> u64 {
    let graph = graph(server);
    let deadline =
        Instant::now() + Duration::from_mins(2) + PATIENCE_PER_EDGE * u32::try_from(edges).unwrap();
    // A small one is held back, so that it can be killed on the way.
    let units = if edges < 100_000 { "8000" } else { "1000000" };
    let mut args = vec![
        "rm",
        "follow",
        "actor",
        "star",
        "--cascade",
        "--grace",
        "0",
        "--hold",
        "4",
    ];
    args.extend(["--write-units", units]);
    let mut child = worker(server, &args);
    let mut kills = 0;
    loop {
        assert!(Instant::now() < deadline, "it takes too long");
        tokio::time::sleep(Duration::from_millis(5)).await;
        let Some(job) = job(&graph).await else {
            continue;
        };
        written.store(job.tally("deleted"), Ordering::Relaxed);
        if matches!(job.phase.as_str(), "tombstone" | "hold") || job.state == JobState::Done {
            break;
        }
        let due = job.phase == "edges" && job.tally("deleted") >= edges * kills / (KILLS + 1);
        if kills < KILLS && due && child.try_wait().unwrap().is_none() {
            signal(child.id(), "KILL");
            wait(&mut child);
            kills += 1;
            child = worker(server, &["jobs", "run", "follow", &job.id, "--take-over"]);
        }
    }
    // The rest is its own: the last worker ends with the job.
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < deadline, "it takes too long");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert!(status.success());
    assert_eq!(job(&graph).await.unwrap().state, JobState::Done);
    kills
}

fn followers(path: &Path, edges: usize) {
    let mut rows = String::from("source,target\n");
    for fan in 0..edges {
        let _ = writeln!(rows, "fan{fan},star");
    }
    // What has nothing to do with the star stays.
    rows.push_str("fan0,fan1\n");
    std::fs::write(path, rows).unwrap();
}

#[test]
fn a_node_with_very_many_edges_goes_while_others_follow_it() {
    let edges = count("BOTHWAYS_CASCADE_EDGES", 3_000);
    let dir = tempfile::tempdir().unwrap();
    followers(&dir.path().join("fans.csv"), edges);
    run_in(
        dir.path(),
        &[
            "import", "follow", "follows", "fans.csv", "--data", "db", "-q",
        ],
    )
    .done();
    let data = dir.path().join("db");
    let server = Server::start(&["--data", data.to_str().unwrap()]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let deleted = AtomicU64::new(0);
    let (made, refused) = runtime.block_on(async {
        let stop = Arc::new(AtomicBool::new(false));
        let racers: Vec<_> = (0..RACERS)
            .map(|racer| tokio::spawn(race(graph(&server), racer, Arc::clone(&stop))))
            .collect();
        tokio::time::sleep(Duration::from_millis(100)).await;
        let stopping = Arc::clone(&stop);
        let looking = graph(&server);
        let watcher = tokio::spawn(async move {
            // They race it to the end: until the tombstone stands.
            loop {
                let job = job(&looking).await;
                if job.is_some_and(|job| job.phase == "hold" || job.state == JobState::Done) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
            stopping.store(true, Ordering::Relaxed);
        });
        let kills = work(&server, u64::try_from(edges).unwrap(), &deleted).await;
        assert_eq!(kills, KILLS);
        watcher.await.unwrap();
        let (mut made, mut refused) = (0, 0);
        for racer in racers {
            let (m, r) = racer.await.unwrap();
            made += m;
            refused += r;
        }
        (made, refused)
    });
    assert!(
        made > 0 && refused > 0,
        "{made} followed, {refused} were refused"
    );
    assert_eq!(server.interrupt(), 0);

    let run = |args: &[&str]| {
        let mut all = args.to_vec();
        all.extend(["--data", "db", "--json", "-q"]);
        run_in(dir.path(), &all)
    };
    assert_eq!(run(&["get", "follow", "actor", "star"]).code, 1);
    let verified = run(&["verify", "follow"]).done().json();
    let verified = &verified["verified"];
    assert_eq!(
        (verified["clean"].as_bool(), verified["edges"].as_u64()),
        (Some(true), Some(1)),
        "{verified}"
    );
    let list = run(&["in", "follow", "follows", "star"]).done().json();
    assert_eq!(list["edges"].as_array().unwrap().len(), 0);
}
