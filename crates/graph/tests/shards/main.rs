//! Targets spread over shards while they are used: counters equal lists, and no page has a gap or a repeat.

mod sleepers;
mod storms;
#[path = "../support/mod.rs"]
mod support;

use bothways_core::{Item, Value};
use bothways_engine::{Engine, Options};
use bothways_graph::model::shipped;
use bothways_graph::{
    BatchAnswer, BatchEdge, Changes, Direction, Graph, Linked, ListOptions, Set, Unlinked, escape,
};
use bothways_lab::{Clock, Faults, KeyLimits, Lab};
use bothways_protocol::types::UpdateItemInput;
use bothways_protocol::{BoxFuture, Context, DynamoDb, DynamoDbExt, Operation};
use bothways_store::MemoryStore;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use support::mortal::Mortal;
use support::{Recorder, peers_of};

fn cx() -> Context {
    Context::default()
}

/// A deadline beyond every storm: outcomes are then known.
fn patient(clock: &Clock) -> Context {
    let now = bothways_graph::Environment::monotonic(clock);
    Context {
        deadline: Some(now + Duration::from_mins(8)),
        ..Context::default()
    }
}

fn engine(clock: &Clock) -> Arc<dyn DynamoDb> {
    let options = Options {
        clock: Arc::new(clock.clone()),
        background: false,
        ..Options::default()
    };
    Arc::new(Engine::open(Arc::new(MemoryStore::new()), options).expect("an engine"))
}

fn process(db: Arc<dyn DynamoDb>, model: &str, clock: &Clock) -> Graph {
    let model = shipped(model).expect("it ships").model;
    Graph::with_environment(db, model, Arc::new(clock.clone())).expect("a good model")
}

struct World {
    lab: Lab,
    db: Arc<Mortal>,
    clock: Clock,
    model: &'static str,
    relation: &'static str,
}

impl World {
    fn new(seed: u64, model: &'static str, relation: &'static str) -> Self {
        let clock = Clock::new(seed);
        let db = Mortal::new(&clock);
        let lab = Lab::by(db.clone(), clock.clone());
        let world = Self {
            lab,
            db,
            clock,
            model,
            relation,
        };
        world
            .clock
            .run(world.graph().apply(&cx()))
            .expect("a table");
        world
    }
    /// A process of its own, which has learned no map yet.
    fn graph(&self) -> Graph {
        process(Arc::new(self.lab.clone()), self.model, &self.clock)
    }
    async fn link(&self, graph: &Graph, source: &str) -> bool {
        let cx = patient(&self.clock);
        let linked = graph
            .link(&cx, self.relation, source, "star", &Changes::new())
            .await;
        matches!(linked.expect("an answer").value, Linked::Created(_))
    }
    async fn unlink(&self, graph: &Graph, source: &str) -> bool {
        let cx = patient(&self.clock);
        let unlinked = graph.unlink(&cx, self.relation, source, "star").await;
        unlinked.expect("an answer").value == Unlinked::Removed
    }
    /// The whole list, page by page.
    async fn listed(&self, graph: &Graph, limit: Option<u32>, reverse: bool) -> Vec<String> {
        let mut all = Vec::new();
        let mut options = ListOptions {
            limit,
            reverse,
            ..ListOptions::default()
        };
        loop {
            let page = graph
                .list(&cx(), self.relation, Direction::In, "star", &options)
                .await
                .expect("a page")
                .value;
            all.extend(peers_of(&page, Direction::In));
            let Some(next) = page.next else { return all };
            options.after = Some(next);
        }
    }
    async fn count(&self, graph: &Graph) -> i64 {
        let counts = graph
            .counts(&cx(), self.relation, "star", Some(Direction::In))
            .await;
        counts.expect("counts").value.inward.expect("a counter")
    }
}

#[test]
fn a_spread_list_is_the_sorted_list() {
    for (model, relation) in [
        ("follow", "follows"),
        ("social", "likes"),
        ("school", "enrolled"),
    ] {
        let world = World::new(3, model, relation);
        let graph = world.graph();
        let mut peers: Vec<String> = Vec::new();
        let run = |at: usize| {
            let names = ["a#", "é", "b", "z%"];
            format!("{}{at}", names[at % 4])
        };
        for at in 0..20 {
            peers.push(run(at));
            world.clock.pass(Duration::from_millis(3));
            world.clock.run(world.link(&graph, &run(at)));
        }
        world
            .clock
            .run(graph.grow_shards(&cx(), relation, "star", 8))
            .expect("eight shards");
        for at in 20..60 {
            peers.push(run(at));
            world.clock.pass(Duration::from_millis(3));
            world.clock.run(world.link(&graph, &run(at)));
        }
        if relation != "likes" {
            peers.sort_by_key(|peer| escape(peer).into_owned());
        }
        for limit in [None, Some(1), Some(7), Some(100)] {
            let listed = world.clock.run(world.listed(&graph, limit, false));
            assert_eq!(listed, peers, "{relation} {limit:?}");
            let mut listed = world.clock.run(world.listed(&graph, limit, true));
            listed.reverse();
            assert_eq!(listed, peers, "{relation} {limit:?} reversed");
        }
        if relation == "enrolled" {
            // A course is shown with its whole roster, wherever that stands.
            let shown = world.clock.run(graph.show(&cx(), "course", "star"));
            assert_eq!(shown.expect("a course").value.edges[0].edges.len(), 60);
        }
        let keys = world
            .clock
            .run(graph.list_keys(&cx(), relation, "star"))
            .expect("keys")
            .value;
        assert_eq!(keys.len(), 9);
        assert_eq!(keys[0].shard, None);
        assert!(keys[8].partition.ends_with("star#7"), "{:?}", keys[8]);
        let whole = ListOptions::default();
        let at = cx();
        let all = graph.list(&at, relation, Direction::In, "star", &whole);
        let edges = world.clock.run(all).expect("a page").value.edges;
        let plain = edges.iter().filter(|edge| edge.shard.is_none()).count();
        assert_eq!(
            plain, 20,
            "{relation}: those from before stay where they are"
        );
        assert!(edges.iter().all(|edge| edge.shard.is_none_or(|k| k < 8)));
        for edge in &edges {
            let alone = graph.edge(&at, relation, &edge.source, "star");
            let alone = world.clock.run(alone).expect("an answer").value;
            assert_eq!(alone.expect("an edge").shard, edge.shard);
        }
        assert_eq!(world.clock.run(world.count(&graph)), 60);
        world
            .clock
            .run(graph.shrink_shards(&cx(), relation, "star", 1))
            .expect("none");
        let listed = world
            .clock
            .run(world.listed(&world.graph(), Some(7), false));
        assert_eq!(listed, peers, "{relation} drained");
        assert_eq!(world.clock.run(world.count(&graph)), 60);
    }
}

#[test]
fn a_cursor_lives_over_growing_shrinking_and_a_restart() {
    let world = World::new(5, "follow", "follows");
    let graph = world.graph();
    let all: Vec<String> = (0..30).map(|i| format!("f{i:02}")).collect();
    for peer in &all {
        world.clock.run(world.link(&graph, peer));
    }
    let mut listed = Vec::new();
    let mut options = ListOptions {
        limit: Some(5),
        ..ListOptions::default()
    };
    for step in 0..6 {
        // Each page is read by another process.
        let graph = world.graph();
        let page = world
            .clock
            .run(graph.list(&cx(), "follows", Direction::In, "star", &options))
            .expect("a page")
            .value;
        listed.extend(peers_of(&page, Direction::In));
        options.after = page.next;
        let changed = match step {
            0 => world
                .clock
                .run(graph.grow_shards(&cx(), "follows", "star", 16)),
            1 | 3 => world
                .clock
                .run(graph.shrink_shards(&cx(), "follows", "star", 2)),
            2 => world
                .clock
                .run(graph.grow_shards(&cx(), "follows", "star", 4)),
            _ => world.clock.run(graph.shards(&cx(), "follows", "star")),
        };
        changed.expect("a map");
        // An edge that is made and removed meanwhile leaves nothing.
        world.clock.run(world.link(&graph, "zz"));
        world.clock.run(world.unlink(&graph, "zz"));
    }
    assert_eq!(listed, all);
    assert_eq!(options.after, None);
}

#[test]
fn who_knows_no_map_sends_one_request_until_there_is_one() {
    let clock = Clock::new(1);
    let recorder = Recorder::new(engine(&clock));
    let db: Arc<dyn DynamoDb> = recorder.clone();
    let graph = || process(Arc::clone(&db), "follow", &clock);
    clock.run(graph().apply(&cx())).expect("a table");
    let link = |graph: &Graph, source: &str| {
        clock
            .run(graph.link(&cx(), "follows", source, "star", &Changes::new()))
            .expect("a link");
    };
    let list = |graph: &Graph, reverse| {
        let options = ListOptions {
            reverse,
            limit: Some(2),
            ..ListOptions::default()
        };
        let page = clock.run(graph.list(&cx(), "follows", Direction::In, "star", &options));
        page.expect("a page").value.edges.len()
    };
    link(&graph(), "al");
    recorder.take();
    link(&graph(), "bo");
    assert_eq!(recorder.operations(), [Operation::TransactWriteItems]);
    for reverse in [false, true] {
        assert_eq!(list(&graph(), reverse), 2);
        assert_eq!(recorder.operations(), [Operation::Query]);
    }
    clock
        .run(graph().grow_shards(&cx(), "follows", "star", 2))
        .expect("two");
    recorder.take();
    // The first attempt is refused and tells of the map, which is read and gone by from then on.
    let other = graph();
    link(&other, "cy");
    let write = Operation::TransactWriteItems;
    assert_eq!(recorder.operations(), [write, Operation::GetItem, write]);
    link(&other, "di");
    assert_eq!(recorder.operations(), [write]);
    let reader = graph();
    for reverse in [false, true] {
        assert_eq!(list(&reader, reverse), 2);
        recorder.take();
    }
    assert_eq!(list(&reader, false), 2);
    assert_eq!(recorder.operations(), [Operation::Query; 3]);
}

#[test]
fn every_way_of_writing_an_edge_finds_its_shard() {
    let world = World::new(9, "follow", "follows");
    let graph = world.graph();
    let cx = cx();
    let run = &world.clock;
    for peer in ["p1", "p2", "p3"] {
        run.run(world.link(&graph, peer));
    }
    run.run(graph.grow_shards(&cx, "follows", "star", 4))
        .expect("four");
    let edges: Vec<BatchEdge> = (0..90)
        .map(|i| BatchEdge {
            relation: "follows".into(),
            source: format!("b{i:02}"),
            target: "star".into(),
            link: Some(Changes::new()),
        })
        .collect();
    let fresh = world.graph();
    let answers = run.run(fresh.batch(&cx, &edges)).expect("a batch").value;
    assert!(
        answers
            .iter()
            .all(|a| matches!(a, BatchAnswer::Linked(Linked::Created(_)))),
        "{answers:?}"
    );
    let off: Vec<BatchEdge> = edges[..10]
        .iter()
        .map(|edge| BatchEdge {
            link: None,
            ..edge.clone()
        })
        .collect();
    let answers = run
        .run(world.graph().batch(&cx, &off))
        .expect("a batch")
        .value;
    assert!(
        answers
            .iter()
            .all(|a| *a == BatchAnswer::Unlinked(Unlinked::Removed))
    );
    assert!(run.run(world.unlink(&world.graph(), "p1")));
    let shout = Changes::new().set("note", bothways_core::Value::S("hi".into()));
    let set = run.run(graph.set(&cx, "follows", "b50", "star", &shout));
    assert!(matches!(set.expect("set").value, Set::Updated(_)));
    // To oneself, with shards of one's own.
    run.run(graph.link(&cx, "follows", "star", "star", &Changes::new()))
        .expect("a loop");
    assert_eq!(run.run(world.count(&world.graph())), 83);
    assert_eq!(run.run(world.listed(&world.graph(), None, false)).len(), 83);
    let counts = run
        .run(graph.counts(&cx, "follows", "star", None))
        .expect("counts")
        .value;
    assert_eq!(counts.out, Some(1));
    assert!(counts.inward_at.is_some());
}

#[test]
fn a_throttled_target_is_spread_and_takes_more() {
    let world = World::new(8, "follow", "follows");
    // A twentieth of what a key takes, so that few links do.
    world.lab.set(Faults {
        key_limits: Some(KeyLimits {
            write: 50,
            ..KeyLimits::default()
        }),
        latency: Duration::from_millis(5),
        ..Faults::default()
    });
    let graph = world.graph();
    let rate = |name: &'static str| {
        let clients = (0..16).map(|client| {
            let (graph, world) = (&graph, &world);
            let task: BoxFuture<'_, u32> = Box::pin(async move {
                let until = world.clock.now() + Duration::from_secs(4);
                let mut links = 0;
                while world.clock.now() < until {
                    world.link(graph, &format!("{name}{client}-{links}")).await;
                    links += 1;
                }
                links
            });
            task
        });
        let links = world.clock.run_all(clients.collect());
        links.into_iter().sum::<u32>()
    };
    let before = rate("a");
    let hot = graph.hot_targets();
    assert_eq!(hot.len(), 1);
    assert!(hot[0].id == "star" && hot[0].throttled >= 10, "{hot:?}");
    for shards in [2, 4, 8] {
        let grown = world.clock.run(graph.grow_hot_targets(&cx()));
        let grown = grown.expect("grown").value;
        assert_eq!(grown[0].1.write, shards);
        assert_eq!(graph.hot_targets(), []);
        rate("b");
    }
    let after = rate("c");
    assert!(after > before * 4, "{before} links, {after} with 8 shards");
}

#[test]
fn what_no_rule_allows_is_refused() {
    let world = World::new(2, "follow", "follows");
    let graph = world.graph();
    for (to, message) in [
        (0, "shards of follows: 0 shards: 1 to 256, a power of two"),
        (
            300,
            "shards of follows: 300 shards: 1 to 256, a power of two",
        ),
    ] {
        let error = world
            .clock
            .run(graph.grow_shards(&cx(), "follows", "star", to));
        assert_eq!(error.expect_err("no").to_string(), message);
    }
    let friends = World::new(2, "friendships", "friends");
    let graph = friends.graph();
    let error = friends
        .clock
        .run(graph.grow_shards(&cx(), "friends", "star", 2));
    assert_eq!(
        error.expect_err("no").to_string(),
        "shards of friends: it has no shard rule in its model"
    );
}

#[test]
fn a_damaged_map_is_read_as_the_most_there_can_be() {
    let world = World::new(11, "follow", "follows");
    let graph = world.graph();
    assert!(world.clock.run(world.link(&graph, "before")));
    let number = |n: i64| Value::N(n.into());
    let map = Value::M(BTreeMap::from([
        ("read".to_owned(), number(1_000_000_000)),
        ("write".to_owned(), number(5_000_000_000)),
        ("epoch".to_owned(), number(1)),
        ("counting".to_owned(), "exact".into()),
    ]));
    let damage = UpdateItemInput {
        table_name: Some("follow".to_owned()),
        key: Some(
            Item::from_attributes([("PK", "ACTOR#star".into()), ("SK", Value::from("PROFILE"))])
                .into(),
        ),
        update_expression: Some("SET followsShards = :map, followsBase = followers".to_owned()),
        expression_attribute_values: Some(BTreeMap::from([(":map".to_owned(), map)]).into()),
        ..UpdateItemInput::default()
    };
    world
        .clock
        .run(world.lab.update_item(&cx(), damage))
        .expect("an item");
    let graph = world.graph();
    assert!(world.clock.run(world.link(&graph, "after")));
    assert_eq!(world.clock.run(world.count(&graph)), 2);
    let mut listed = world.clock.run(world.listed(&graph, None, false));
    listed.sort_unstable();
    assert_eq!(listed, ["after", "before"]);
}
