//! Walks against a naive breadth-first search.

mod support;

use bothways_graph::{
    Along, Changes, Cut, Error, Graph, Limits, NearOptions, PathOptions, SuggestOptions, escape,
    model,
};
use bothways_lab::{Clock, Faults, Lab};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use support::{campaign, cx, draw, engine, graph, wait};

type Edges = BTreeSet<(String, String)>;

/// A random graph of a relation, and its edges; of an undirected one both ways.
fn random(seed: u64, relation: &str, nodes: u64, edges: usize) -> (Graph, Lab, Clock, Edges) {
    let lab = Lab::over(engine(), seed);
    let clock = lab.clock();
    let model = model::shipped("social").expect("social").model;
    let graph = Graph::with_environment(Arc::new(lab.clone()), model, Arc::new(clock.clone()))
        .expect("a graph");
    clock.run(graph.apply(&cx())).expect("a table");
    let (mut state, mut all) = (seed, Edges::new());
    for _ in 0..edges {
        let source = format!("n{}", draw(&mut state, nodes));
        let target = format!("n{}", draw(&mut state, nodes));
        let (cx, none) = (cx(), Changes::new());
        clock
            .run(graph.link(&cx, relation, &source, &target, &none))
            .expect("a link");
        if relation == "friends" {
            all.insert((target.clone(), source.clone()));
        }
        all.insert((source, target));
    }
    lab.set(Faults {
        index_lag: Duration::ZERO,
        item_by_item: Duration::ZERO,
        ..Faults::stormy()
    });
    (graph, lab, clock, all)
}

fn steps(edges: &Edges, along: Along, node: &str) -> BTreeSet<String> {
    let out = edges
        .iter()
        .filter(|(s, _)| s == node && along != Along::In);
    let inward = edges
        .iter()
        .filter(|(_, t)| t == node && along != Along::Out);
    out.map(|(_, t)| t.clone())
        .chain(inward.map(|(s, _)| s.clone()))
        .collect()
}

/// Distances from a node.
fn distances(edges: &Edges, along: Along, from: &str) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::from([(from.to_owned(), 0)]);
    let mut frontier = vec![from.to_owned()];
    for distance in 1.. {
        let mut next = Vec::new();
        for node in &frontier {
            for peer in steps(edges, along, node) {
                if !found.contains_key(&peer) {
                    found.insert(peer.clone(), distance);
                    next.push(peer);
                }
            }
        }
        if next.is_empty() {
            return found;
        }
        frontier = next;
    }
    found
}

const WAYS: [(&str, Along); 4] = [
    ("follows", Along::Out),
    ("follows", Along::In),
    ("follows", Along::Both),
    ("friends", Along::Out),
];

#[test]
fn neighbourhoods_and_paths_are_what_a_plain_search_finds() {
    for seed in 0..6 * campaign() {
        for (relation, along) in WAYS {
            let (graph, _lab, clock, edges) = random(seed, relation, 18, 24);
            let way = if relation == "friends" {
                Along::Both
            } else {
                along
            };
            let distances = distances(&edges, way, "n0");
            for depth in 1..=3 {
                let options = NearOptions {
                    along,
                    depth,
                    ..NearOptions::default()
                };
                let near = clock.run(graph.near(&cx(), relation, "n0", &options));
                let near = near.expect("an answer").value;
                assert_eq!(near.cut, None);
                let mut want: Vec<(u32, String)> = distances
                    .iter()
                    .filter(|(_, d)| (1..=depth).contains(*d))
                    .map(|(id, d)| (*d, id.clone()))
                    .collect();
                want.sort_by(|a, b| (a.0, escape(&a.1)).cmp(&(b.0, escape(&b.1))));
                let got: Vec<(u32, String)> = near
                    .nodes
                    .iter()
                    .map(|n| (n.distance, n.id.clone()))
                    .collect();
                assert_eq!(got, want, "{relation} {along:?} {depth}, seed {seed}");
                for node in &near.nodes {
                    assert!(steps(&edges, way, &node.via).contains(&node.id));
                    assert_eq!(distances[&node.via] + 1, node.distance);
                }
            }
            for to in 0..18 {
                let to = format!("n{to}");
                let options = PathOptions {
                    along,
                    longest: 5,
                    ..PathOptions::default()
                };
                let path = clock.run(graph.path(&cx(), relation, "n0", &to, &options));
                let path = path.expect("an answer").value;
                assert_eq!(path.cut, None);
                let context = format!("{relation} {along:?} to {to}, seed {seed}: {path:?}");
                let want = distances.get(&to).copied().filter(|d| *d <= 5);
                let hops = path.nodes.as_ref().map(|n| n.len() - 1);
                assert_eq!(hops, want.map(|d| d as usize), "{context}");
                for pair in path.nodes.iter().flat_map(|n| n.windows(2)) {
                    assert!(steps(&edges, way, &pair[0]).contains(&pair[1]), "{context}");
                }
                if let Some(nodes) = &path.nodes {
                    assert_eq!((&*nodes[0], nodes.last()), ("n0", Some(&to)));
                }
            }
        }
    }
}

#[test]
fn suggestions_are_those_with_most_friends_in_common() {
    for seed in 0..10 * campaign() {
        for relation in ["follows", "friends"] {
            let (graph, _lab, clock, edges) = random(seed, relation, 20, 60);
            let options = SuggestOptions {
                limit: 100,
                ..SuggestOptions::default()
            };
            let found = clock.run(graph.suggest(&cx(), relation, "n0", &options));
            let found = found.expect("an answer").value;
            assert!(!found.capped);
            let friends = steps(&edges, Along::Out, "n0");
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for friend in friends.iter().filter(|f| *f != "n0") {
                for other in steps(&edges, Along::Out, friend) {
                    if other != "n0" && other != *friend && !friends.contains(&other) {
                        *counts.entry(other).or_default() += 1;
                    }
                }
            }
            let mut want: Vec<(u64, String)> = counts.into_iter().map(|(id, n)| (n, id)).collect();
            want.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| escape(&a.1).cmp(&escape(&b.1))));
            let got: Vec<(u64, String)> = found
                .found
                .iter()
                .map(|s| (s.count, s.id.clone()))
                .collect();
            assert_eq!(got, want, "{relation}, seed {seed}");
            for suggestion in &found.found {
                for through in &suggestion.through {
                    assert!(friends.contains(through));
                    assert!(steps(&edges, Along::Out, through).contains(&suggestion.id));
                }
            }
        }
    }
}

fn link(graph: &Graph, source: &str, target: &str) {
    wait(graph.link(&cx(), "follows", source, target, &Changes::new())).expect("a link");
}

#[test]
fn a_walk_that_runs_out_says_of_what_and_shows_what_it_has() {
    let graph = graph("follow");
    for i in 0..30 {
        link(&graph, "hub", &format!("a{i:02}"));
        link(&graph, &format!("a{i:02}"), &format!("b{i:02}"));
    }
    let limits = Limits::default;
    for (limits, cut, most) in [
        (
            Limits {
                nodes: 10,
                ..limits()
            },
            Cut::Nodes,
            10,
        ),
        (
            Limits {
                edges: 12,
                ..limits()
            },
            Cut::Edges,
            30,
        ),
        (
            Limits {
                read: bothways_protocol::types::Units::whole(4),
                ..limits()
            },
            Cut::Read,
            59,
        ),
        (
            Limits {
                time: Duration::ZERO,
                ..limits()
            },
            Cut::Time,
            0,
        ),
    ] {
        let options = NearOptions {
            limits,
            ..NearOptions::default()
        };
        let near = wait(graph.near(&cx(), "follows", "hub", &options)).expect("an answer");
        assert_eq!(near.value.cut, Some(cut));
        assert!(
            near.value.nodes.len() <= most,
            "{cut:?} {}",
            near.value.nodes.len()
        );
    }
    let options = PathOptions {
        limits: Limits {
            edges: 3,
            ..limits()
        },
        ..PathOptions::default()
    };
    let path = wait(graph.path(&cx(), "follows", "hub", "nowhere", &options)).expect("an answer");
    assert_eq!(path.value.nodes, None);
    let options = SuggestOptions {
        friends: 5,
        each: 1,
        ..SuggestOptions::default()
    };
    let found = wait(graph.suggest(&cx(), "follows", "hub", &options)).expect("an answer");
    assert!(found.value.capped);
    assert_eq!(found.value.found.len(), 5);
}

#[test]
fn a_path_goes_on_where_there_is_less_to_read() {
    let graph = graph("follow");
    for i in 0..300 {
        link(&graph, &format!("fan{i}"), "star");
    }
    link(&graph, "al", "bo");
    link(&graph, "bo", "star");
    let path = wait(graph.path(&cx(), "follows", "al", "star", &PathOptions::default()));
    let path = path.expect("an answer");
    assert_eq!(
        path.value.nodes.as_deref(),
        Some(&["al", "bo", "star"].map(str::to_owned)[..])
    );
    let read: u64 = path.receipts.iter().map(|r| r.scanned).sum();
    assert!(read < 20, "{read} items: the star's followers were read");
}

#[test]
fn a_celebritys_edge_that_was_not_read_is_no_suggestion() {
    let graph = graph("follow");
    for friend in ["a", "b", "c"] {
        link(&graph, "me", friend);
        link(&graph, friend, "c");
        link(&graph, friend, "new");
    }
    let options = SuggestOptions {
        friends: 2,
        ..SuggestOptions::default()
    };
    let found = wait(graph.suggest(&cx(), "follows", "me", &options))
        .expect("an answer")
        .value;
    let ids: Vec<&str> = found.found.iter().map(|s| s.id.as_str()).collect();
    assert_eq!((ids, found.capped), (vec!["new"], true));
}

#[test]
fn walks_need_one_kind_of_entities_and_bounds_within_reason() {
    let school = graph("school");
    let error = wait(school.near(&cx(), "enrolled", "a91", &NearOptions::default()));
    assert!(matches!(
        error,
        Err(Error::Option {
            option: "relation",
            ..
        })
    ));
    let graph = graph("follow");
    let deep = NearOptions {
        depth: 4,
        ..NearOptions::default()
    };
    let error = wait(graph.near(&cx(), "follows", "a", &deep)).expect_err("too deep");
    assert_eq!(error.to_string(), "depth is 4: 1 to 3");
    let path = wait(graph.path(&cx(), "follows", "a", "a", &PathOptions::default()));
    let path = path.expect("an answer");
    assert_eq!(path.value.nodes.as_deref(), Some(&["a".to_owned()][..]));
    assert!(path.receipts.is_empty());
}
