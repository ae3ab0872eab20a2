//! Edge operations against a naive model, in storms of faults, over a database that dies again and again: each is done
//! once, whatever happens.

mod support;

use bothways_graph::model::shipped;
use bothways_graph::{
    BatchAnswer, BatchEdge, Changes, EdgeOptions, Graph, Linked, Set, Unlinked, Upserted,
};
use bothways_lab::Faults;
use bothways_protocol::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use support::storm::{NODES, Weather, edges, graph_of, soft, stormy, until_known, v, value};
use support::{campaign, cx, draw};

/// The database dies within so many steps of its store.
const DEATHS: u64 = 2_000;

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
fn positions_commute(seed: u64, clients: usize, each: usize) -> u64 {
    let weather = Weather::new(seed);
    let (lab, clock) = (weather.lab.clone(), weather.clock.clone());
    let graph = graph_of(Arc::new(lab), soft(), &clock);
    weather.begin(stormy(), DEATHS);
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
    let deaths = weather.end();
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
    deaths
}

#[test]
fn writes_at_positions_come_out_the_same_in_any_order_and_however_often() {
    let deaths: u64 = (0..25 * campaign())
        .map(|seed| positions_commute(seed, 4, 12))
        .sum();
    assert!(deaths > 0, "the database never died");
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
fn storms_change_no_outcome(seed: u64, steps: u64) -> u64 {
    let weather = Weather::new(seed);
    let (lab, clock) = (weather.lab.clone(), weather.clock.clone());
    let graph = graph_of(Arc::new(lab), soft(), &clock);
    weather.begin(stormy(), DEATHS);
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
    let deaths = weather.end();
    let found: Known = edges(&graph, &clock, "follows")
        .into_iter()
        .map(|(key, edge)| (key, (edge.version.unwrap_or(0), v(&edge))))
        .collect();
    assert_eq!(found, storm.known, "seed {seed}");
    deaths
}

#[test]
fn operations_with_an_id_are_done_once_in_any_storm() {
    let deaths: u64 = (0..25 * campaign())
        .map(|seed| storms_change_no_outcome(seed, 60))
        .sum();
    assert!(deaths > 0, "the database never died");
}

/// Batches of links and unlinks, edges that come twice among them: each edge is answered as if done by itself, in order.
fn batches_are_their_edges_in_order(seed: u64) -> u64 {
    let weather = Weather::new(seed);
    let (lab, clock) = (weather.lab.clone(), weather.clock.clone());
    let model = shipped("follow").expect("follow").model;
    let graph = graph_of(Arc::new(lab), model, &clock);
    let faults = Faults {
        forgotten_tokens: 0,
        ..stormy()
    };
    weather.begin(faults, DEATHS);
    let mut state = seed;
    let mut pick = |n: usize| usize::try_from(draw(&mut state, n as u64)).expect("small");
    let mut known: BTreeSet<(String, String)> = BTreeSet::new();
    for _ in 0..6 {
        let edges: Vec<BatchEdge> = (0..=pick(40))
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
    let deaths = weather.end();
    let found: BTreeSet<_> = self::edges(&graph, &clock, "follows").into_keys().collect();
    assert_eq!(found, known, "seed {seed}");
    deaths
}

#[test]
fn batches_answer_as_their_edges_would_one_by_one() {
    let deaths: u64 = (0..20 * campaign())
        .map(batches_are_their_edges_in_order)
        .sum();
    assert!(deaths > 0, "the database never died");
}
