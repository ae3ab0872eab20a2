//! Edge operations against a naive model, in storms of faults: each is done once, whatever happens on the line.

mod support;

use bothways_core::{Item, Value};
use bothways_graph::model::{Removal, shipped};
use bothways_graph::{
    BatchAnswer, BatchEdge, ChangedType, Changes, Direction, Edge, EdgeOptions, Graph, Linked,
    ListOptions, Model, Result, Set, Unlinked, Upserted,
};
use bothways_lab::{Client, Clock, Faults, Lab};
use bothways_protocol::{BoxFuture, DynamoDb};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use support::{campaign, cx, draw, engine};

const NODES: [&str; 4] = ["a", "b", "c", "d"];

fn value(text: &str) -> Changes {
    Changes::new().set("v", Value::S(text.into()))
}

fn v(edge: &Edge) -> Option<String> {
    match edge.attributes.get("v")?.to_value() {
        Value::S(text) => Some(text),
        _ => None,
    }
}

fn stormy() -> Faults {
    Faults {
        lost_answers: 120,
        lost_requests: 60,
        forgotten_tokens: 700,
        ..Faults::stormy()
    }
}

fn soft() -> Model {
    let mut model = shipped("follow").expect("follow").model;
    model.relations[0].removal = Removal::Soft { keep: 3600 };
    model.ttl = Some("expiresAt".into());
    model
}

fn graph_of(db: Arc<dyn DynamoDb>, model: Model, clock: &Clock) -> Graph {
    let graph = Graph::with_environment(db, model, Arc::new(clock.clone())).expect("a graph");
    clock.run(graph.apply(&cx())).expect("a table");
    graph
}

/// All edges by both lists; panics where the lists and the counters do not say the same.
fn edges(graph: &Graph, clock: &Clock, relation: &str) -> BTreeMap<(String, String), Edge> {
    let (mut out, mut inward) = (BTreeMap::new(), BTreeMap::new());
    for node in NODES {
        let mut counted = [0_i64; 2];
        for direction in [Direction::Out, Direction::In] {
            let (cx, options) = (cx(), ListOptions::default());
            let page = graph.list(&cx, relation, direction, node, &options);
            for edge in clock.run(page).expect("a list").value.edges {
                let list = if direction == Direction::Out {
                    &mut out
                } else {
                    &mut inward
                };
                counted[usize::from(direction == Direction::In)] += 1;
                list.insert((edge.source.clone(), edge.target.clone()), edge);
            }
        }
        let counts = clock.run(graph.counts(&cx(), relation, node, None));
        let counts = counts.expect("counts").value;
        assert_eq!(
            (counts.out, counts.inward),
            (Some(counted[0]), Some(counted[1])),
            "{node}"
        );
    }
    assert_eq!(out, inward);
    out
}

/// Repeats an operation until its fate is known.
async fn until_known<T, F: Future<Output = Result<T>>>(mut again: impl FnMut() -> F) -> T {
    for _ in 0..100 {
        match again().await {
            Ok(done) => return done,
            Err(
                bothways_graph::Error::Unknown { .. } | bothways_graph::Error::Contended { .. },
            ) => {}
            Err(other) => panic!("{other}"),
        }
    }
    panic!("no end")
}

/// One write at a position.
#[derive(Debug, Clone)]
struct Placed {
    source: &'static str,
    target: &'static str,
    at: u64,
    op_id: String,
    remove: bool,
}

async fn send(graph: &Graph, write: &Placed) {
    let options = EdgeOptions {
        op_id: Some(write.op_id.clone()),
        position: Some(write.at),
        ..EdgeOptions::default()
    };
    let (source, target) = (write.source, write.target);
    let changes = value(&write.op_id);
    if write.remove {
        until_known(async || {
            graph
                .remove(&cx(), "follows", source, target, &options)
                .await
                .map(drop)
        })
        .await;
    } else {
        until_known(async || {
            graph
                .upsert(&cx(), "follows", source, target, &changes, &options)
                .await
                .map(drop)
        })
        .await;
    }
}

/// What is there when all writes have come, in whatever order: the greatest write of each edge, unless a removal is as late.
fn folded(writes: &[Placed]) -> BTreeMap<(String, String), (u64, String)> {
    let mut last: BTreeMap<(String, String), (u64, String)> = BTreeMap::new();
    let mut removed: BTreeMap<(String, String), u64> = BTreeMap::new();
    for write in writes {
        let key = (write.source.to_owned(), write.target.to_owned());
        if write.remove {
            let at = removed.entry(key).or_default();
            *at = write.at.max(*at);
        } else {
            let rank = (write.at, write.op_id.clone());
            let at = last.entry(key).or_default();
            *at = rank.max(at.clone());
        }
    }
    last.retain(|key, (at, _)| removed.get(key).is_none_or(|r| r < at));
    last
}

/// Several clients write the same few edges at positions, each write more than once, in a storm.
fn positions_commute(seed: u64, clients: usize, each: usize) {
    let lab = Lab::over(engine(), seed);
    let clock = lab.clock();
    let graph = graph_of(Arc::new(lab.clone()), soft(), &clock);
    lab.set(stormy());
    let mut state = seed;
    let mut pick = |n: usize| usize::try_from(draw(&mut state, n as u64)).expect("small");
    let mut all = Vec::new();
    let mut by_client: Vec<Vec<Placed>> = vec![Vec::new(); clients];
    for n in 0..clients * each {
        let write = Placed {
            source: NODES[pick(2)],
            target: NODES[pick(4)],
            at: 1 + pick(12) as u64,
            op_id: format!("op{:03}", (n * 37) % 1000),
            remove: pick(3) == 0,
        };
        all.push(write.clone());
        by_client[pick(clients)].push(write.clone());
        // A late repetition, by anybody.
        if pick(3) == 0 {
            by_client[pick(clients)].push(write);
        }
    }
    let graph = &graph;
    let running = by_client.iter().map(|writes| -> BoxFuture<'_, ()> {
        Box::pin(async move {
            for write in writes {
                send(graph, write).await;
            }
        })
    });
    let _: Vec<()> = clock.run_all(running.collect());
    lab.set(Faults::default());
    clock.run(lab.catch_up());
    let found: BTreeMap<_, _> = edges(graph, &clock, "follows")
        .into_iter()
        .map(|(key, edge)| {
            (
                key,
                (edge.position.unwrap_or(0), v(&edge).unwrap_or_default()),
            )
        })
        .collect();
    assert_eq!(found, folded(&all), "seed {seed}");
}

#[test]
fn writes_at_positions_come_out_the_same_in_any_order_and_however_often() {
    for seed in 0..25 * campaign() {
        positions_commute(seed, 4, 12);
    }
}

/// One edge of the storm: where it is, its version and its value.
type Known = BTreeMap<(String, String), (u64, Option<String>)>;

/// One client in a storm, and what must come out.
struct Storm<'g> {
    graph: &'g Graph,
    known: Known,
    source: &'static str,
    target: &'static str,
    options: EdgeOptions,
    text: String,
}

impl Storm<'_> {
    fn key(&self) -> (String, String) {
        (self.source.to_owned(), self.target.to_owned())
    }

    fn there(&self) -> Option<(u64, Option<String>)> {
        self.known.get(&self.key()).cloned()
    }

    fn is_same(&self) -> bool {
        self.there()
            .is_some_and(|(_, v)| v.as_ref() == Some(&self.text))
    }

    async fn create(&mut self) {
        let (graph, source, target, none) = (self.graph, self.source, self.target, Changes::new());
        let linked = until_known(async || {
            graph
                .create(&cx(), "follows", source, target, &none, &self.options)
                .await
        })
        .await
        .value;
        let created = matches!(linked, Linked::Created(_));
        assert_eq!(created, self.there().is_none(), "{linked:?}");
        self.known.entry(self.key()).or_insert((1, None));
    }

    async fn remove(&mut self) {
        let (graph, source, target) = (self.graph, self.source, self.target);
        let unlinked = until_known(async || {
            graph
                .remove(&cx(), "follows", source, target, &self.options)
                .await
        })
        .await
        .value;
        let want = match self.known.remove(&self.key()) {
            Some(_) => Unlinked::Removed,
            None => Unlinked::NotFound,
        };
        assert_eq!(unlinked, want);
    }

    async fn upsert(&mut self) {
        let (graph, source, target) = (self.graph, self.source, self.target);
        let changes = value(&self.text);
        let upserted = until_known(async || {
            graph
                .upsert(&cx(), "follows", source, target, &changes, &self.options)
                .await
        })
        .await
        .value;
        let text = Some(self.text.clone());
        match (&upserted, self.there()) {
            (Upserted::Created(_), None) => self.known.insert(self.key(), (1, text)),
            (Upserted::Unchanged { .. }, Some(_)) if self.is_same() => None,
            (Upserted::Updated { .. }, Some((version, _))) if !self.is_same() => {
                self.known.insert(self.key(), (version + 1, text))
            }
            other => panic!("{other:?}"),
        };
    }

    async fn update(&mut self, version: u64) {
        let (graph, source, target) = (self.graph, self.source, self.target);
        let (changes, options) = (
            value(&self.text),
            EdgeOptions {
                if_version: Some(version),
                ..self.options.clone()
            },
        );
        let set = until_known(async || {
            graph
                .update(&cx(), "follows", source, target, &changes, &options)
                .await
        })
        .await
        .value;
        match (&set, self.there()) {
            (Set::NotFound, None) => {}
            (Set::Kept { .. }, Some((there, _))) => assert_ne!(there, version),
            (Set::Unchanged, Some(_)) if self.is_same() => {}
            (Set::Updated(_), Some((there, _))) => {
                assert_eq!(there, version);
                let now = (version + 1, Some(self.text.clone()));
                self.known.insert(self.key(), now);
            }
            other => panic!("{other:?}"),
        }
    }
}

/// One client does all kinds of operations in a storm; the model knows what must come out.
fn storms_change_no_outcome(seed: u64, steps: u64) {
    let lab = Lab::over(engine(), seed);
    let clock = lab.clock();
    let graph = graph_of(Arc::new(lab.clone()), soft(), &clock);
    lab.set(stormy());
    let mut state = seed;
    let mut pick = |n: usize| usize::try_from(draw(&mut state, n as u64)).expect("small");
    let mut storm = Storm {
        graph: &graph,
        known: Known::new(),
        source: "",
        target: "",
        options: EdgeOptions::default(),
        text: String::new(),
    };
    for step in 0..steps {
        (storm.source, storm.target) = (NODES[pick(3)], NODES[pick(4)]);
        storm.options.op_id = Some(format!("seed{seed}step{step}"));
        storm.text = format!("{}", pick(3));
        match pick(4) {
            0 => clock.run(storm.create()),
            1 => clock.run(storm.remove()),
            2 => clock.run(storm.upsert()),
            _ => clock.run(storm.update(1 + pick(2) as u64)),
        }
    }
    lab.set(Faults::default());
    clock.run(lab.catch_up());
    let found: Known = edges(&graph, &clock, "follows")
        .into_iter()
        .map(|(key, edge)| (key, (edge.version.unwrap_or(0), v(&edge))))
        .collect();
    assert_eq!(found, storm.known, "seed {seed}");
}

#[test]
fn operations_with_an_id_are_done_once_in_any_storm() {
    for seed in 0..25 * campaign() {
        storms_change_no_outcome(seed, 60);
    }
}

/// Batches of links and unlinks, edges that come twice among them: each edge is answered as if done by itself, in order.
fn batches_are_their_edges_in_order(seed: u64) {
    let lab = Lab::over(engine(), seed);
    let clock = lab.clock();
    let model = shipped("follow").expect("follow").model;
    let graph = graph_of(Arc::new(lab.clone()), model, &clock);
    lab.set(Faults {
        forgotten_tokens: 0,
        ..stormy()
    });
    let mut state = seed;
    let mut pick = |n: usize| usize::try_from(draw(&mut state, n as u64)).expect("small");
    let mut known: BTreeSet<(String, String)> = BTreeSet::new();
    for _ in 0..6 {
        let edges: Vec<BatchEdge> = (0..1 + pick(40))
            .map(|_| BatchEdge {
                relation: "follows".into(),
                source: NODES[pick(4)].into(),
                target: NODES[pick(4)].into(),
                link: (pick(2) == 0).then(Changes::new),
            })
            .collect();
        let done = clock.run(graph.batch(&cx(), &edges)).expect("answers");
        for (edge, answer) in edges.iter().zip(done.value) {
            let key = (edge.source.clone(), edge.target.clone());
            let moved = match &answer {
                BatchAnswer::Linked(linked) => matches!(linked, Linked::Created(_)),
                BatchAnswer::Unlinked(unlinked) => *unlinked == Unlinked::Removed,
                BatchAnswer::Failed(error) => panic!("seed {seed}: {error}"),
            };
            let want = if edge.link.is_some() {
                known.insert(key)
            } else {
                known.remove(&key)
            };
            assert_eq!(moved, want, "seed {seed}: {edge:?} {answer:?}");
        }
    }
    lab.set(Faults::default());
    clock.run(lab.catch_up());
    let found: BTreeSet<_> = self::edges(&graph, &clock, "follows").into_keys().collect();
    assert_eq!(found, known, "seed {seed}");
}

#[test]
fn batches_answer_as_their_edges_would_one_by_one() {
    for seed in 0..20 * campaign() {
        batches_are_their_edges_in_order(seed);
    }
}

/// An operation to be repeated, as words.
type Repeat = fn(Graph) -> BoxFuture<'static, Result<String>>;

fn options() -> EdgeOptions {
    EdgeOptions {
        op_id: Some("the one".into()),
        ..EdgeOptions::default()
    }
}

fn repeats() -> Vec<(&'static str, Repeat)> {
    vec![
        ("create", |g| {
            Box::pin(async move {
                let done = g
                    .create(&cx(), "requested", "c", "d", &value("x"), &options())
                    .await?;
                Ok(format!("{}", matches!(done.value, Linked::Created(_))))
            })
        }),
        ("upsert new", |g| {
            Box::pin(async move {
                let done = g
                    .upsert(&cx(), "requested", "c", "d", &value("x"), &options())
                    .await?;
                Ok(format!("{}", matches!(done.value, Upserted::Created(_))))
            })
        }),
        ("upsert there", |g| {
            Box::pin(async move {
                let done = g
                    .upsert(&cx(), "requested", "a", "b", &value("x"), &options())
                    .await?;
                Ok(format!(
                    "{}",
                    matches!(done.value, Upserted::Updated { .. })
                ))
            })
        }),
        ("update", |g| {
            Box::pin(async move {
                let done = g
                    .update(&cx(), "requested", "a", "b", &value("x"), &options())
                    .await?;
                Ok(format!("{}", matches!(done.value, Set::Updated(_))))
            })
        }),
        ("remove", |g| {
            Box::pin(async move {
                let done = g.remove(&cx(), "requested", "a", "b", &options()).await?;
                Ok(format!("{}", done.value == Unlinked::Removed))
            })
        }),
        ("change", |g| {
            Box::pin(async move {
                let none = Changes::new();
                let done = g
                    .change_type(&cx(), "requested", "friends", "b", "c", &none, &options())
                    .await?;
                Ok(format!("{}", matches!(done.value, ChangedType::Changed(_))))
            })
        }),
    ]
}

/// Everything in the table.
fn dump(db: &Arc<dyn DynamoDb>, clock: &Clock) -> Vec<Item> {
    use bothways_protocol::DynamoDbExt;
    let input = bothways_protocol::types::ScanInput {
        table_name: Some("friendships".into()),
        ..Default::default()
    };
    let output = clock.run(db.scan(&cx(), input)).expect("a scan");
    output.items.unwrap_or_default()
}

#[test]
fn an_operation_cut_off_at_any_request_and_repeated_is_done_once() {
    let mut model = shipped("friendships").expect("friendships").model;
    for relation in &mut model.relations {
        relation.removal = Removal::Soft { keep: 3600 };
    }
    model.ttl = Some("expiresAt".into());
    for (name, repeat) in repeats() {
        let mut want: Option<Vec<Item>> = None;
        // Nobody dies in the first round: that is how it has to end.
        let deaths = (0..12).flat_map(|request| [(Some(request), false), (Some(request), true)]);
        for (request, unheard) in std::iter::once((None, false)).chain(deaths) {
            let clock = Clock::new(7);
            let db = engine();
            let sober = graph_of(db.clone(), model.clone(), &clock);
            for (source, target) in [("a", "b"), ("b", "c")] {
                let (cx, none) = (cx(), Changes::new());
                let linked = sober.link(&cx, "requested", source, target, &none);
                clock.run(linked).expect("a link");
            }
            if let Some(request) = request {
                let client = Client::dying_at(db.clone(), request, unheard);
                let environment = Arc::new(clock.clone());
                let mortal = Graph::with_environment(client.clone(), model.clone(), environment)
                    .expect("a graph");
                clock.run(client.life(repeat(mortal)));
            }
            let done = clock.run(repeat(sober)).expect("an answer");
            assert_eq!(
                done, "true",
                "{name} cut off at {request:?}, unheard {unheard}"
            );
            let found: Vec<Item> = dump(&db, &clock).iter().map(timeless).collect();
            let want = want.get_or_insert_with(|| found.clone());
            assert_eq!(
                *want, found,
                "{name} cut off at {request:?}, unheard {unheard}"
            );
        }
    }
}

/// Without what depends on when and under which random id it was written.
fn timeless(item: &Item) -> Item {
    let names = ["createdAt", "edgeAt", "removedAt", "expiresAt"];
    let gone: Vec<_> = names
        .into_iter()
        .filter(|n| item.get(n).is_some())
        .map(|n| (n, None))
        .collect();
    item.with(&gone)
}
