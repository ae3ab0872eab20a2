//! Everything at once: clients that link, unlink, grow and shrink shards, verify, repair and delete entities with all
//! their edges, in all weathers, dying at any of their requests, over a database that dies at any step of its store and is
//! opened again. Afterwards every counter is its list, and nothing of what was deleted is left.
//!
//! `BOTHWAYS_CAMPAIGN` sets the number of storms, each of about five hundred operations.

mod support;

use bothways_engine::{Engine, Options};
use bothways_graph::model::shipped;
use bothways_graph::{
    CascadeOptions, Changes, Direction, Environment, Graph, JobState, ListOptions, Ran,
    VerifyOptions, VerifyReport,
};
use bothways_lab::{Client, Clock, Faults, Lab};
use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use bothways_store::{FaultyStore, MemoryStore, Plan};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::world::ended;
use support::{cx, listed, wait};

const NODES: [&str; 6] = ["al", "bo", "cy", "di", "ed", "star"];
const CLIENTS: u64 = 4;
const OPERATIONS: u64 = 120;

/// A database whose process dies at a step of its store and is started again.
struct Mortal {
    clock: Clock,
    life: Mutex<(Arc<FaultyStore>, Arc<Engine>)>,
    deaths: AtomicU64,
    calm: AtomicBool,
}

impl Mortal {
    fn new(clock: &Clock) -> Arc<Self> {
        let store =
            FaultyStore::new(Arc::new(MemoryStore::new()), Plan::default()).expect("a store");
        let life = Self::open(clock, store);
        Arc::new(Self {
            clock: clock.clone(),
            life: Mutex::new(life),
            deaths: AtomicU64::new(0),
            calm: AtomicBool::new(true),
        })
    }

    fn open(clock: &Clock, store: FaultyStore) -> (Arc<FaultyStore>, Arc<Engine>) {
        let options = Options {
            clock: Arc::new(clock.clone()),
            background: false,
            ..Options::default()
        };
        let store = Arc::new(store);
        let engine = Engine::open(store.clone(), options).expect("it opens after any death");
        (store, Arc::new(engine))
    }

    /// The engine that lives; a new one where the last has died.
    fn engine(&self) -> Arc<Engine> {
        let mut life = self.life.lock().expect("a lock");
        let calm = self.calm.load(Ordering::Relaxed);
        if life.0.is_dead() {
            self.deaths.fetch_add(1, Ordering::Relaxed);
            let plan = if calm { Plan::default() } else { self.plan() };
            let store = life.0.reopen(plan).expect("a store");
            *life = Self::open(&self.clock, store);
        }
        Arc::clone(&life.1)
    }

    fn plan(&self) -> Plan {
        Plan {
            seed: self.clock.random(),
            most_delay: 3,
            dies_at: Some(500 + self.clock.draw(6_000)),
            ..Plan::default()
        }
    }

    /// From here on it dies now and then, or, calm, no more.
    fn weather(&self, calm: bool) {
        self.calm.store(calm, Ordering::Relaxed);
        let mut life = self.life.lock().expect("a lock");
        let plan = if calm { Plan::default() } else { self.plan() };
        let store = life.0.reopen(plan).expect("a store");
        *life = Self::open(&self.clock, store);
    }
}

impl DynamoDb for Mortal {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let engine = self.engine();
        Box::pin(async move { engine.call(cx, request).await })
    }
}

struct Storm {
    clock: Clock,
    lab: Lab,
    db: Arc<Mortal>,
    deaths: AtomicU64,
    deleted: AtomicU64,
}

impl Storm {
    fn new(seed: u64) -> Self {
        let clock = Clock::new(seed);
        let db = Mortal::new(&clock);
        let lab = Lab::by(db.clone(), clock.clone());
        let storm = Self {
            clock,
            lab,
            db,
            deaths: AtomicU64::default(),
            deleted: AtomicU64::default(),
        };
        let cx = cx();
        let graph = storm.graph(Arc::new(storm.lab.clone()));
        storm.clock.run(graph.apply(&cx)).expect("a table");
        storm
    }

    fn graph(&self, db: Arc<dyn DynamoDb>) -> Graph {
        let model = shipped("follow").expect("it ships").model;
        Graph::with_environment(db, model, Arc::new(self.clock.clone())).expect("a good model")
    }

    fn node(&self) -> &'static str {
        NODES[usize::try_from(self.clock.draw(6)).expect("small")]
    }

    /// A client's life: operations until it has done its share, or dies. How many it began.
    async fn life(&self, dies_at: u64) -> u64 {
        let unheard = self.clock.draw(2) == 0;
        let client = Client::dying_at(Arc::new(self.lab.clone()), dies_at, unheard);
        let graph = self.graph(client.clone());
        let begun = AtomicU64::new(0);
        let work = async {
            while begun.fetch_add(1, Ordering::Relaxed) < OPERATIONS {
                self.operation(&graph).await;
            }
        };
        if client.life(work).await.is_none() {
            self.deaths.fetch_add(1, Ordering::Relaxed);
        }
        begun.into_inner()
    }

    /// One operation. What it answers does not matter here: what is true afterwards does.
    async fn operation(&self, graph: &Graph) {
        let (cx, none) = (cx(), Changes::new());
        let (source, target) = (self.node(), self.node());
        match self.clock.draw(200) {
            0 => {
                let _ = graph.grow_shards(&cx, "follows", target, 4).await;
            }
            1 => {
                let _ = graph.shrink_shards(&cx, "follows", target, 1).await;
            }
            2 => self.cascade(graph, target).await,
            3 => {
                let options = VerifyOptions {
                    repair: true,
                    grace: Duration::from_secs(2),
                    ..VerifyOptions::default()
                };
                if let Ok(made) = graph.verify(&cx, &options).await
                    && let Ok(done) = graph.run_job(&cx, &made.value.id, &mut ()).await
                    && let Ran::Ended(job) = done.value
                {
                    let report = VerifyReport::of(&job).expect("a report");
                    assert!(report.is_clean(), "{report:#?}");
                }
            }
            4..=20 => {
                let options = ListOptions {
                    limit: Some(3),
                    ..ListOptions::default()
                };
                let _ = graph
                    .list(&cx, "follows", Direction::In, target, &options)
                    .await;
                let _ = graph.counts(&cx, "follows", target, None).await;
            }
            21..=90 => {
                let _ = graph.unlink(&cx, "follows", source, target).await;
            }
            _ => {
                let _ = graph.link(&cx, "follows", source, target, &none).await;
            }
        }
    }

    async fn cascade(&self, graph: &Graph, id: &str) {
        let options = CascadeOptions {
            grace: Duration::from_secs(2),
            ..CascadeOptions::default()
        };
        let Ok(made) = graph.cascade(&cx(), "actor", id, &options).await else {
            return;
        };
        if let Ok(done) = graph.run_job(&cx(), &made.value.id, &mut ()).await
            && let Ran::Ended(job) = done.value
        {
            assert_eq!(job.tally("miscounted"), 0, "{job:#?}");
            self.deleted.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What is true when it is over.
    async fn calm(&self) {
        self.lab.set(Faults::default());
        self.db.weather(true);
        let graph = self.graph(self.db.clone());
        for job in graph.jobs(&cx()).await.expect("jobs").value {
            if job.state == JobState::Failed {
                graph.resume_job(&cx(), &job.id).await.expect("an answer");
            }
            if matches!(job.state, JobState::Open | JobState::Failed) {
                // Of several that delete one entity the first to end does it; the others find it done.
                ended(&graph, &job.id).await;
            }
        }
        let options = VerifyOptions {
            grace: Duration::from_secs(2),
            ..VerifyOptions::default()
        };
        let job = graph.verify(&cx(), &options).await.expect("a job").value;
        let report = VerifyReport::of(&ended(&graph, &job.id).await).expect("a report");
        assert!(report.is_clean() && report.busy == 0, "{report:#?}");
    }
}

fn storm(seed: u64) -> (u64, u64, u64, u64) {
    let storm = Storm::new(seed);
    storm.db.weather(false);
    storm.lab.set(Faults::stormy());
    let begun = AtomicU64::new(0);
    let clients = (0..CLIENTS).map(|_| {
        let (storm, begun) = (&storm, &begun);
        let client: BoxFuture<'_, ()> = Box::pin(async move {
            while begun.load(Ordering::Relaxed) < CLIENTS * OPERATIONS {
                let dies_at = 50 + storm.clock.draw(700);
                begun.fetch_add(storm.life(dies_at).await, Ordering::Relaxed);
            }
        });
        client
    });
    let _: Vec<()> = storm.clock.run_all(clients.collect());
    storm.clock.run(storm.calm());
    let graph = storm.graph(storm.db.clone());
    for node in NODES {
        let (list, _) = listed(
            &graph,
            "follows",
            Direction::In,
            node,
            ListOptions::default(),
        );
        let counts = wait(graph.counts(&cx(), "follows", node, None))
            .expect("counts")
            .value;
        let fans = i64::try_from(list.len()).expect("small");
        assert_eq!(
            counts.inward,
            Some(fans),
            "seed {seed}, followers of {node}"
        );
        let (list, _) = listed(
            &graph,
            "follows",
            Direction::Out,
            node,
            ListOptions::default(),
        );
        assert_eq!(
            counts.out,
            Some(i64::try_from(list.len()).expect("small")),
            "seed {seed}, {node}"
        );
    }
    let deaths = storm.db.deaths.load(Ordering::Relaxed);
    let deleted = storm.deleted.into_inner();
    (
        begun.into_inner(),
        storm.deaths.into_inner(),
        deaths,
        deleted,
    )
}

#[test]
fn after_any_storm_every_counter_is_its_list() {
    let storms = std::env::var("BOTHWAYS_CAMPAIGN").map_or(1, |n| n.parse().expect("a number"));
    let first = std::env::var("BOTHWAYS_SEED").map_or(1, |n| n.parse().expect("a number"));
    let mut sum = (0, 0, 0, 0);
    for seed in first..first + storms {
        let (begun, clients, databases, deleted) = storm(seed);
        sum = (
            sum.0 + begun,
            sum.1 + clients,
            sum.2 + databases,
            sum.3 + deleted,
        );
    }
    // A storm without deaths would show little.
    assert!(sum.1 > 0 && sum.2 > 0, "{sum:?}");
}
