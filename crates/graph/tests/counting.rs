//! Counters from the stream: exactly once whoever dies, in agreement with the list, also over changes of the way of counting.

mod support;

use bothways_core::{Item, Number, Value};
use bothways_graph::model::shipped;
use bothways_graph::{
    Changes, ConsumerOptions, Counting, Direction, Environment, Error, Graph, Linked, ListOptions,
    Ran, Unlinked, VerifyOptions, VerifyReport,
};
use bothways_lab::{Client, Clock, Faults, Lab};
use bothways_protocol::types::{TimeToLiveSpecification, UpdateItemInput, UpdateTimeToLiveInput};
use bothways_protocol::{BoxFuture, Context, DynamoDb, DynamoDbExt};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use support::mortal::Mortal;
use support::{draw, peers_of};

fn cx() -> Context {
    Context::default()
}

struct World {
    db: Arc<Mortal>,
    lab: Lab,
    clock: Clock,
}

impl World {
    fn new(seed: u64) -> Self {
        let clock = Clock::new(seed);
        let db = Mortal::new(&clock);
        let lab = Lab::by(db.clone(), clock.clone());
        let world = Self { db, lab, clock };
        world
            .clock
            .run(world.graph().apply(&cx()))
            .expect("a table");
        world
    }
    /// A process of its own.
    fn graph(&self) -> Graph {
        self.graph_over(Arc::new(self.lab.clone()))
    }
    fn graph_over(&self, db: Arc<dyn DynamoDb>) -> Graph {
        let model = shipped("follow").expect("it ships").model;
        Graph::with_environment(db, model, Arc::new(self.clock.clone())).expect("a good model")
    }
    fn patient(&self) -> Context {
        Context {
            deadline: Some(self.clock.monotonic() + Duration::from_mins(8)),
            ..Context::default()
        }
    }
    async fn switch(&self, to: Counting) {
        loop {
            let switched = self
                .graph()
                .switch_counting(&cx(), "follows", "star", to)
                .await;
            match switched {
                Ok(done) => {
                    assert!(!done.value.gated);
                    return;
                }
                // A storm cut it off: it goes on when it is run again.
                Err(Error::Contended { .. } | Error::Unknown { .. } | Error::Database(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
    async fn listed(&self) -> Vec<String> {
        let graph = self.graph();
        let mut pages = graph.pages("follows", Direction::In, "star", ListOptions::default());
        let mut all = Vec::new();
        while let Some(page) = pages.next(&cx()).await.expect("a page") {
            all.extend(peers_of(&page.value, Direction::In));
        }
        all
    }
    async fn count(&self) -> i64 {
        let graph = self.graph();
        let cx = cx();
        let counts = graph.counts(&cx, "follows", "star", Some(Direction::In));
        let counts = counts.await.expect("counts").value;
        counts.inward.expect("a counter")
    }
    /// Consumes all there is.
    async fn drain(&self) {
        let options = ConsumerOptions {
            once: true,
            ..ConsumerOptions::default()
        };
        // Leases of the dead end first.
        self.clock.sleep(Duration::from_secs(40)).await;
        let consumed = self.graph().consume(&cx(), &options, |_| false).await;
        consumed.expect("an end");
    }
    /// The end of every story: the counter is the list.
    fn settles(&self, want: &[String], what: &str) {
        self.db.calm();
        self.lab.set(Faults::default());
        self.clock.run(async {
            self.lab.catch_up().await;
            self.drain().await;
            assert_eq!(self.listed().await, want, "{what}");
            let len = i64::try_from(want.len()).expect("small");
            assert_eq!(self.count().await, len, "{what}");
        });
    }
}

/// Follows and unfollows at random; answers who follows in the end.
async fn churn(world: &World, client: u64, steps: u64) -> Vec<String> {
    let graph = world.graph();
    let mut state = client * 6151;
    let mut follows = [false; 6];
    for _ in 0..steps {
        let at = usize::try_from(draw(&mut state, 6)).expect("small");
        let source = format!("c{client}-{at}");
        let cx = world.patient();
        if draw(&mut state, 3) > 0 {
            let none = Changes::new();
            let linked = graph.link(&cx, "follows", &source, "star", &none);
            let created = matches!(linked.await.expect("done").value, Linked::Created(_));
            assert_eq!(created, !follows[at], "{source}");
            follows[at] = true;
        } else {
            let unlinked = graph.unlink(&cx, "follows", &source, "star").await;
            let removed = unlinked.expect("done").value == Unlinked::Removed;
            assert_eq!(removed, follows[at], "{source}");
            follows[at] = false;
        }
        let pause = Duration::from_millis(draw(&mut state, 4_000));
        world.clock.sleep(pause).await;
    }
    let named = follows.iter().enumerate().filter(|(_, f)| **f);
    named.map(|(at, _)| format!("c{client}-{at}")).collect()
}

/// Consumers that die at a random request and are followed by the next, until told to stop. Answers how many died.
async fn mortal_consumers(world: &World, seed: u64, over: &Cell<bool>) -> u64 {
    let mut state = seed;
    let mut deaths = 0;
    while !over.get() {
        let dies_at = draw(&mut state, 40);
        let unheard = draw(&mut state, 2) == 0;
        let client = Client::dying_at(Arc::new(world.lab.clone()), dies_at, unheard);
        let graph = world.graph_over(client.clone());
        let options = ConsumerOptions {
            lease: Duration::from_secs(2),
            pause: Duration::from_millis(200),
            ..ConsumerOptions::default()
        };
        let cx = cx();
        let life = graph.consume(&cx, &options, |_| over.get());
        // Cut off by a storm it ends with an error, as a process would; the next one goes on.
        deaths += u64::from(client.life(life).await.is_none());
        world.clock.sleep(Duration::from_millis(100)).await;
    }
    deaths
}

/// Work by clients and consumers side by side; answers who follows in the end, and how many consumers died.
fn side_by_side(world: &World, seed: u64, clients: u64, steps: u64) -> (Vec<String>, u64) {
    let over = Cell::new(false);
    let left = Cell::new(clients);
    let deaths = Cell::new(0);
    let mut ends: Vec<String> = Vec::new();
    let tasks = (0..clients).map(|client| {
        let (over, left) = (&over, &left);
        let task = async move {
            let follows = churn(world, 1 + client + seed * 16, steps).await;
            left.set(left.get() - 1);
            over.set(left.get() == 0);
            follows
        };
        Task(Box::pin(task))
    });
    let mut tasks: Vec<Task<'_>> = tasks.collect();
    for consumer in 0..2 {
        let (over, deaths) = (&over, &deaths);
        tasks.push(Task(Box::pin(async move {
            let died = mortal_consumers(world, seed * 977 + consumer, over).await;
            deaths.set(deaths.get() + died);
            Vec::new()
        })));
    }
    for end in world.clock.run(all(tasks)) {
        ends.extend(end);
    }
    ends.sort();
    (ends, deaths.get())
}

/// A future that stays on this thread.
struct Task<'t>(std::pin::Pin<Box<dyn Future<Output = Vec<String>> + 't>>);

/// All of them side by side.
async fn all(mut tasks: Vec<Task<'_>>) -> Vec<Vec<String>> {
    let mut ends = Vec::new();
    std::future::poll_fn(|cx| {
        tasks.retain_mut(|task| match task.0.as_mut().poll(cx) {
            std::task::Poll::Ready(end) => {
                ends.push(end);
                false
            }
            std::task::Poll::Pending => true,
        });
        if tasks.is_empty() {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    ends
}

/// Deaths of consumers in all: `BOTHWAYS_CAMPAIGN` multiplies them.
fn times(few: u64) -> u64 {
    let times = std::env::var("BOTHWAYS_CAMPAIGN").ok();
    few * times.and_then(|t| t.parse().ok()).unwrap_or(1)
}

#[test]
fn a_consumer_that_dies_at_any_request_leaves_the_counter_equal_to_the_list() {
    let mut deaths = 0;
    let mut seed = 0;
    while deaths < times(20) {
        seed += 1;
        let world = World::new(seed);
        world.clock.run(world.switch(Counting::Async));
        world.lab.set(Faults {
            replayed_records: 200,
            latency: Duration::from_millis(20),
            ..Faults::default()
        });
        let (want, died) = side_by_side(&world, seed, 3, 20);
        deaths += died;
        world.settles(&want, &format!("seed {seed}"));
    }
}

#[test]
fn the_same_holds_in_a_storm_over_a_database_that_dies() {
    let mut deaths = 0;
    for seed in 50..50 + times(2) {
        let world = World::new(seed);
        world.clock.run(world.switch(Counting::Async));
        world.lab.set(Faults::stormy());
        world.db.dies_within(4_000);
        let (want, _) = side_by_side(&world, seed, 3, 15);
        world.settles(&want, &format!("seed {seed}"));
        deaths += world.db.deaths();
    }
    assert!(deaths > 0, "the database never died");
}

#[test]
fn the_way_of_counting_changes_while_edges_come_and_go() {
    for seed in 80..80 + times(2) {
        let world = World::new(seed);
        world.lab.set(Faults {
            latency: Duration::from_millis(20),
            lost_answers: 20,
            conflicts: 20,
            ..Faults::default()
        });
        let over = Cell::new(false);
        let operator = async {
            let graph = world.graph();
            for to in [Counting::Async, Counting::Exact, Counting::Counted] {
                world.switch(to).await;
                world.clock.sleep(Duration::from_secs(7)).await;
            }
            world.switch(Counting::Exact).await;
            while graph
                .grow_shards(&cx(), "follows", "star", 4)
                .await
                .is_err()
            {}
            world.switch(Counting::Async).await;
            world.clock.sleep(Duration::from_secs(7)).await;
            world.switch(Counting::Exact).await;
            over.set(true);
            Vec::new()
        };
        let mut tasks = vec![Task(Box::pin(operator))];
        for client in 0..3 {
            tasks.push(Task(Box::pin(churn(&world, client + 1, 100))));
        }
        tasks.push(Task(Box::pin(async {
            mortal_consumers(&world, seed, &over).await;
            Vec::new()
        })));
        let mut want: Vec<String> = world.clock.run(all(tasks)).into_iter().flatten().collect();
        want.sort();
        world.settles(&want, &format!("seed {seed}"));
    }
}

/// Edges that expire, and edges that do not, under each way of counting.
#[test]
fn what_expires_is_taken_off_both_counters() {
    for (counting, shards) in [
        (Counting::Exact, 1),
        (Counting::Exact, 4),
        (Counting::Async, 1),
        (Counting::Async, 4),
    ] {
        let world = World::new(7);
        let graph = world.graph();
        let run = &world.clock;
        run.run(world.switch(Counting::Async));
        let ttl = UpdateTimeToLiveInput {
            table_name: Some("follow".into()),
            time_to_live_specification: Some(TimeToLiveSpecification {
                enabled: Some(true),
                attribute_name: Some("expiresAt".into()),
            }),
        };
        run.run(world.db.update_time_to_live(&cx(), ttl))
            .expect("a setting");
        if counting == Counting::Exact {
            run.run(world.switch(counting));
        }
        if shards > 1 {
            run.run(graph.grow_shards(&cx(), "follows", "star", shards))
                .expect("shards");
        }
        let soon = i64::try_from(run.epoch_millis() / 1000).expect("small") + 60;
        for at in 0..12 {
            let mut attributes = Changes::new();
            if at % 3 == 0 {
                let expires = Value::N(Number::from(soon));
                attributes = attributes.set("expiresAt", expires);
            }
            let source = format!("f{at:02}");
            run.run(graph.link(&cx(), "follows", &source, "star", &attributes))
                .expect("a link");
        }
        run.pass(Duration::from_mins(20));
        while world.db.engine().sweep().expect("a sweep") {}
        let want: Vec<String> = (0..12)
            .filter(|at| at % 3 != 0)
            .map(|at| format!("f{at:02}"))
            .collect();
        world.settles(&want, &format!("{counting:?} {shards}"));
        // Once more: nothing is counted twice.
        world.settles(&want, &format!("{counting:?} {shards} again"));
        for (source, follows) in [("f00", 0), ("f01", 1)] {
            let counts = run.run(graph.counts(&cx(), "follows", source, Some(Direction::Out)));
            assert_eq!(counts.expect("counts").value.out, Some(follows), "{source}");
        }
    }
}

#[test]
fn a_stream_that_was_not_read_for_a_day_is_made_up_for_by_a_recount() {
    let world = World::new(3);
    let graph = world.graph();
    let run = &world.clock;
    run.run(world.switch(Counting::Async));
    let link = |source: &str| {
        run.run(graph.link(&cx(), "follows", source, "star", &Changes::new()))
            .expect("a link");
    };
    link("a");
    run.run(world.drain());
    assert_eq!(run.run(world.count()), 1);
    link("b");
    for _ in 0..60 {
        run.pass(Duration::from_mins(30));
        while world.db.engine().sweep().expect("a sweep") {}
    }
    link("c");
    world.settles(&["a".into(), "b".into(), "c".into()], "after a day");
}

#[test]
fn links_wait_while_the_way_of_counting_changes() {
    let world = World::new(4);
    let link = async {
        world.clock.sleep(Duration::from_secs(3)).await;
        let cx = world.patient();
        let before = world.clock.now();
        let graph = world.graph();
        let linked = graph
            .link(&cx, "follows", "al", "star", &Changes::new())
            .await;
        assert!(matches!(linked.expect("done").value, Linked::Created(_)));
        world.clock.now().saturating_sub(before).as_secs()
    };
    let switch = async {
        world.switch(Counting::Async).await;
        0
    };
    let tasks: Vec<BoxFuture<'_, u64>> = vec![Box::pin(link), Box::pin(switch)];
    let waited = world.clock.run_all(tasks)[0];
    assert!((15..40).contains(&waited), "{waited}");
    world.settles(&["al".into()], "after the gate");
}

async fn verified(world: &World, repair: bool) -> VerifyReport {
    let options = VerifyOptions {
        grace: Duration::from_secs(2),
        repair,
        ..VerifyOptions::default()
    };
    let graph = world.graph();
    let job = graph.verify(&cx(), &options).await.expect("a job").value;
    let ran = graph
        .run_job(&cx(), &job.id, &mut ())
        .await
        .expect("an end");
    let Ran::Ended(job) = ran.value else {
        panic!("{ran:?}");
    };
    VerifyReport::of(&job).expect("a report")
}

#[test]
fn a_counter_from_the_stream_is_verified_with_what_waits_in_the_stream() {
    let world = World::new(3);
    let graph = world.graph();
    let link = async |id: String| {
        let cx = world.patient();
        let none = Changes::new();
        graph
            .link(&cx, "follows", &id, "star", &none)
            .await
            .expect("a link");
    };
    world.clock.run(async {
        link("early".to_owned()).await;
        world.switch(Counting::Async).await;
        for i in 0..5 {
            link(format!("fan{i}")).await;
        }
        // Nobody has counted yet: the counter is behind, and right.
        world.clock.sleep(Duration::from_secs(7)).await;
        let report = verified(&world, true).await;
        assert!(report.is_clean(), "{report:#?}");
        assert_eq!(report.streamed, 1);
        assert!(report.lag >= Some(7_000), "{report:#?}");
        world.drain().await;
        assert_eq!(world.count().await, 6);
        let report = verified(&world, true).await;
        assert!(report.is_clean() && report.lag == Some(0), "{report:#?}");
        // Drift is found under what waits, and mended by what is counted already only.
        let item = [("followers", Number::from(40_i64))];
        tamper(&world, &item).await;
        link("late".to_owned()).await;
        let found = verified(&world, false).await;
        let what = "followers is 40, and the number of its edges is 7, +1 of them not yet counted from the stream";
        assert_eq!(found.findings[0].what, what);
        let mended = verified(&world, true).await;
        assert!(!mended.is_clean() && mended.is_mended(), "{mended:#?}");
        assert_eq!(world.count().await, 6);
        world.drain().await;
        assert_eq!(world.count().await, 7);
        assert!(verified(&world, true).await.is_clean());
    });
}

/// Sets numbers on the target's item behind the layer's back.
async fn tamper(world: &World, numbers: &[(&str, Number)]) {
    for (name, number) in numbers {
        let input = UpdateItemInput {
            table_name: Some("follow".to_owned()),
            key: Some(
                Item::from_attributes([
                    ("PK", Value::from("ACTOR#star")),
                    ("SK", Value::from("PROFILE")),
                ])
                .into(),
            ),
            update_expression: Some(format!("SET {name} = :n")),
            expression_attribute_values: Some(
                BTreeMap::from([(":n".to_owned(), Value::N(*number))]).into(),
            ),
            ..UpdateItemInput::default()
        };
        world.db.update_item(&cx(), input).await.expect("an update");
    }
}
