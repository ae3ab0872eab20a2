//! Edges in storms of faults: what the tests of edge operations share.

use super::cx;
use super::mortal::Mortal;
use bothways_core::Value;
use bothways_graph::model::{Removal, shipped};
use bothways_graph::{Changes, Direction, Edge, Graph, ListOptions, Model, Result};
use bothways_lab::{Clock, Faults, Lab};
use bothways_protocol::DynamoDb;
use std::collections::BTreeMap;
use std::sync::Arc;

pub const NODES: [&str; 4] = ["a", "b", "c", "d"];

/// Everything that can go wrong at once: a lab over a database that dies. It begins calm.
pub struct Weather {
    pub lab: Lab,
    pub db: Arc<Mortal>,
    pub clock: Clock,
}

impl Weather {
    pub fn new(seed: u64) -> Self {
        let clock = Clock::new(seed);
        let db = Mortal::new(&clock);
        let lab = Lab::by(db.clone(), clock.clone());
        Self { lab, db, clock }
    }

    /// From here on these faults, and a death within so many steps of the store.
    pub fn begin(&self, faults: Faults, steps: u64) {
        self.lab.set(faults);
        self.db.dies_within(steps);
    }

    /// It is over, and every copy has caught up. How often the database died.
    pub fn end(&self) -> u64 {
        self.db.calm();
        self.lab.set(Faults::default());
        self.clock.run(self.lab.catch_up());
        self.db.deaths()
    }
}

pub fn value(text: &str) -> Changes {
    Changes::new().set("v", Value::S(text.into()))
}

pub fn v(edge: &Edge) -> Option<String> {
    match edge.attributes.get("v")?.to_value() {
        Value::S(text) => Some(text),
        _ => None,
    }
}

pub fn stormy() -> Faults {
    Faults {
        lost_answers: 120,
        lost_requests: 60,
        forgotten_tokens: 700,
        ..Faults::stormy()
    }
}

pub fn soft() -> Model {
    let mut model = shipped("follow").expect("follow").model;
    model.relations[0].removal = Removal::Soft { keep: 3600 };
    model.ttl = Some("expiresAt".into());
    model
}

pub fn graph_of(db: Arc<dyn DynamoDb>, model: Model, clock: &Clock) -> Graph {
    let graph = Graph::with_environment(db, model, Arc::new(clock.clone())).expect("a graph");
    clock.run(graph.apply(&cx())).expect("a table");
    graph
}

/// All edges by both lists; panics where the lists and the counters do not say the same.
pub fn edges(graph: &Graph, clock: &Clock, relation: &str) -> BTreeMap<(String, String), Edge> {
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
pub async fn until_known<T, F: Future<Output = Result<T>>>(mut again: impl FnMut() -> F) -> T {
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
