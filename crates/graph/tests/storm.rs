//! Everything at once: clients that link, unlink, grow and shrink shards, verify, repair and delete entities with all
//! their edges, in all weathers, dying at any of their requests, over a database that dies at any step of its store and is
//! opened again. Afterwards every counter is its list, and nothing of what was deleted is left.
//!
//! `BOTHWAYS_CAMPAIGN` sets the number of storms, each of about five hundred operations.

mod support;

use bothways_graph::model::shipped;
use bothways_graph::{
    CascadeOptions, Changes, Direction, Environment, Graph, JobState, ListOptions, Ran,
    VerifyOptions, VerifyReport,
};
use bothways_lab::{Client, Clock, Faults, Lab};
use bothways_protocol::{BoxFuture, DynamoDb};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use support::mortal::Mortal;
use support::world::ended;
use support::{cx, listed, wait};

const NODES: [&str; 6] = ["al", "bo", "cy", "di", "ed", "star"];
const CLIENTS: u64 = 4;
const OPERATIONS: u64 = 120;
/// Sums of shards are made anew when they are older than five seconds.
const SUM_AGE: Duration = Duration::from_secs(6);

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
        self.db.calm();
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
        // A spread target's sum may be this old, and says so.
        self.clock.sleep(SUM_AGE).await;
    }
}

fn storm(seed: u64) -> (u64, u64, u64, u64) {
    let storm = Storm::new(seed);
    storm.db.dies_within(7_000);
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
    let deaths = storm.db.deaths();
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
