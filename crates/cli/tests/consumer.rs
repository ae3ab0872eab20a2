//! `kill -9` of the consumer that counts from the stream, just before and just after its transaction was done, and of the
//! server with that transaction under way, while edges come and go: in the end the counter is the list.
//!
//! `BOTHWAYS_CONSUMER_KILLS` sets the number of kills; a campaign takes a thousand.

#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use bothways_client::{Client, Config};
use bothways_graph::model::shipped;
use bothways_graph::{Changes, Counting, Environment, Graph, SystemEnvironment};
use bothways_protocol::{BoxFuture, Context};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::importer::Random;
use support::proxy::{Moment, Proxy};
use support::{PATIENCE, Server, bothways, count, run_in, signal, wait};

/// Names that follow the star, and leave it: few, so that they meet again and again.
const FANS: u64 = 40;
/// One kill in this many is of the server.
const SERVERS: usize = 10;
/// How long a fan tries: the server may be gone.
const TRY: Duration = Duration::from_millis(300);

/// Waits without waiting: nobody else is there while the way of counting changes.
struct Hasty(AtomicU64);

impl Environment for Hasty {
    fn epoch_millis(&self) -> u64 {
        SystemEnvironment.epoch_millis()
    }
    fn monotonic(&self) -> Instant {
        Instant::now() + Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
    fn random(&self) -> u64 {
        SystemEnvironment.random()
    }
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        let millis = u64::try_from(time.as_millis()).unwrap();
        self.0.fetch_add(millis, Ordering::Relaxed);
        Box::pin(std::future::ready(()))
    }
}

fn graph(server: &Server, env: Arc<dyn Environment>) -> Graph {
    let client = Client::new(Config::new(server.endpoint.parse().unwrap())).unwrap();
    let model = shipped("follow").unwrap().model;
    Graph::with_environment(Arc::new(client), model, env).unwrap()
}

fn serve(dir: &Path) -> Server {
    let data = dir.join("db");
    Server::start(&["--data", data.to_str().unwrap(), "--model", "follow"])
}

/// Follows and leaves the star until it is over. What becomes of one attempt does not matter: the server may be dead.
async fn churn(graph: &Graph, random: &mut Random, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        let fan = format!("fan{}", random.below(FANS));
        let cx = Context {
            deadline: Some(Instant::now() + TRY),
            ..Context::default()
        };
        if random.below(3) > 0 {
            let none = Changes::new();
            let _ = graph.link(&cx, "follows", &fan, "star", &none).await;
        } else {
            let _ = graph.unlink(&cx, "follows", &fan, "star").await;
        }
    }
}

/// One consumer, killed at its first transaction; the server with it where `of_server`.
fn kill_one(server: &Server, moment: Moment, of_server: bool) {
    let proxy = Proxy::start(&server.endpoint, moment);
    // Under one name, so that nobody waits for a dead one's lease.
    let mut consumer = bothways()
        .args(["counters", "run", "follow", "--owner", "one", "-q"])
        .args(["--endpoint", &proxy.endpoint])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let come = proxy.wait(PATIENCE);
    if of_server {
        signal(server.pid(), "KILL");
    }
    signal(consumer.id(), "KILL");
    wait(&mut consumer);
    assert!(come, "the consumer came to no transaction");
    drop(proxy);
}

#[test]
fn a_consumer_killed_around_its_transaction_leaves_the_counter_equal_to_the_list() {
    let kills = count(
        "BOTHWAYS_CONSUMER_KILLS",
        if cfg!(debug_assertions) { 10 } else { 30 },
    );
    let seed = count("BOTHWAYS_SEED", 7) as u64;
    let dir = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut server = serve(dir.path());
    let hasty = graph(&server, Arc::new(Hasty(AtomicU64::new(0))));
    let cx = Context::default();
    let switch = hasty.switch_counting(&cx, "follows", "star", Counting::Async);
    runtime.block_on(switch).unwrap();
    // Records know their second: those of the second of the recount would be taken for counted. An honest change of the way
    // of counting waits longer.
    std::thread::sleep(Duration::from_millis(1_100));

    let mut random = Random::new(seed);
    for kill in 0..kills {
        let of_server = kill % SERVERS == SERVERS - 1;
        let moment = match random.below(3) {
            0 => Moment::Before,
            1 => Moment::UnderWay,
            _ => Moment::Done,
        };
        let (over, fans) = (
            AtomicBool::new(false),
            graph(&server, Arc::new(SystemEnvironment)),
        );
        std::thread::scope(|scope| {
            scope.spawn(|| runtime.block_on(churn(&fans, &mut random, &over)));
            kill_one(&server, moment, of_server);
            over.store(true, Ordering::Relaxed);
        });
        if of_server {
            drop(server);
            server = serve(dir.path());
        }
    }

    server
        .run(&[
            "counters", "run", "follow", "--owner", "one", "--once", "-q",
        ])
        .done();
    assert_eq!(server.interrupt(), 0);
    let said = |args: &[&str]| {
        let mut all = args.to_vec();
        all.extend(["--data", "db", "--json", "-q"]);
        run_in(dir.path(), &all).done().json()
    };
    let list = said(&["in", "follow", "follows", "star", "--all"]);
    let fans = list["edges"].as_array().unwrap().len();
    assert!(fans > 0, "nobody follows");
    let counters = said(&["counters", "show", "follow", "follows", "star"]);
    assert_eq!(counters["in"], fans, "seed {seed}: {counters}");
    assert_eq!(said(&["verify", "follow"])["verified"]["clean"], true);
}
