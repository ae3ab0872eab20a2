//! Sets of peers against a naive sorted model, page by page, however they are read.

mod support;

use bothways_graph::{
    Changes, Consistency, Cut, Direction, Graph, Limits, Operand, Part, SetOperation, SetOptions,
    escape, model,
};
use bothways_lab::Faults;
use bothways_protocol::Operation;
use bothways_protocol::types::Units;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use support::storm::Weather;
use support::{Recorder, campaign, cx, draw, engine, graph_over, wait};

/// Ids whose order depends on escaping, and that begin one another.
const PEOPLE: [&str; 14] = [
    "a", "a#", "a%", "a0", "a b", "b", "b1", "b10", "c", "d", "é", "z", "~", "A",
];
const POSTS: [&str; 2] = ["p1", "p2"];

/// Who is in which list: relation, direction, node.
type Lists = BTreeMap<(String, Direction2, String), BTreeSet<String>>;

/// A direction with an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Direction2 {
    Out,
    In,
}

impl Direction2 {
    fn graph(self) -> Direction {
        match self {
            Self::Out => Direction::Out,
            Self::In => Direction::In,
        }
    }
}

fn social(seed: u64) -> (Graph, Weather, Lists) {
    let weather = Weather::new(seed);
    let (lab, clock) = (weather.lab.clone(), weather.clock.clone());
    let model = model::shipped("social").expect("social").model;
    let graph =
        Graph::with_environment(Arc::new(lab), model, Arc::new(clock.clone())).expect("a graph");
    clock.run(graph.apply(&cx())).expect("a table");
    let mut lists = Lists::new();
    let mut state = seed;
    let mut pick = |n: usize| usize::try_from(draw(&mut state, n as u64)).expect("small");
    for _ in 0..90 {
        let (source, other) = (PEOPLE[pick(14)], PEOPLE[pick(14)]);
        let (relation, target) = match pick(3) {
            0 => ("follows", other),
            1 => ("friends", other),
            _ => ("likes", POSTS[pick(2)]),
        };
        let (cx, none) = (cx(), Changes::new());
        clock
            .run(graph.link(&cx, relation, source, target, &none))
            .expect("a link");
        let mut add = |direction, node: &str, peer: &str| {
            let list = lists.entry((relation.into(), direction, node.into()));
            list.or_default().insert(peer.into());
        };
        add(Direction2::Out, source, target);
        add(Direction2::In, target, source);
        if relation == "friends" {
            add(Direction2::Out, target, source);
            add(Direction2::In, source, target);
        }
    }
    (graph, weather, lists)
}

fn naive(
    lists: &Lists,
    operation: SetOperation,
    operands: &[(String, Direction2, String)],
) -> Vec<String> {
    let list = |key| lists.get(key).cloned().unwrap_or_default();
    let mut set = list(&operands[0]);
    for other in &operands[1..] {
        let other = list(other);
        set = match operation {
            SetOperation::Intersect => &set & &other,
            SetOperation::Union => &set | &other,
            SetOperation::Difference => &set - &other,
        };
    }
    let mut ids: Vec<String> = set.into_iter().collect();
    ids.sort_by(|a, b| escape(a).cmp(&escape(b)));
    ids
}

fn compare(seed: u64) -> u64 {
    let (graph, weather, lists) = social(seed);
    let clock = weather.clock.clone();
    let faults = Faults {
        unprocessed: 300,
        short_pages: 300,
        empty_pages: 200,
        index_lag: Duration::ZERO,
        item_by_item: Duration::ZERO,
        ..Faults::stormy()
    };
    weather.begin(faults, 4_000);
    let mut state = seed + 77;
    for _ in 0..60 {
        let mut pick = |n: usize| usize::try_from(draw(&mut state, n as u64)).expect("small");
        let operation = [
            SetOperation::Intersect,
            SetOperation::Union,
            SetOperation::Difference,
        ][pick(3)];
        let keys: Vec<(String, Direction2, String)> = (0..=pick(3))
            .map(|_| match pick(4) {
                0 => ("follows".into(), Direction2::Out, PEOPLE[pick(14)].into()),
                1 => ("follows".into(), Direction2::In, PEOPLE[pick(14)].into()),
                2 => ("friends".into(), Direction2::Out, PEOPLE[pick(14)].into()),
                _ => ("likes".into(), Direction2::In, POSTS[pick(2)].into()),
            })
            .collect();
        let operands: Vec<Operand> = keys
            .iter()
            .map(|(relation, direction, id)| Operand::new(relation, direction.graph(), id))
            .collect();
        let mut options = SetOptions {
            limit: Some(1 + u32::try_from(pick(4)).expect("small")),
            part: [None, Some(Part::Merged), Some(Part::Probed)][pick(3)],
            ..SetOptions::default()
        };
        let has_time = keys.iter().any(|(relation, ..)| relation == "likes");
        if pick(3) == 0 && !has_time {
            // Next to nothing: every page is cut, and still gets on.
            options.limits.edges = 1;
        }
        let mut got = Vec::new();
        for round in 0.. {
            assert!(round < 200, "it does not end");
            let page = clock.run(graph.set_page(&cx(), operation, &operands, &options));
            let page = page.expect("a page").value;
            assert!(page.ids.len() <= options.limit.expect("given") as usize);
            assert!(page.cut.is_none() || page.next.is_some());
            got.extend(page.ids);
            options.after = page.next;
            if options.after.is_none() {
                break;
            }
        }
        let want = naive(&lists, operation, &keys);
        assert_eq!(
            got, want,
            "seed {seed}: {operation:?} of {keys:?}, {options:?}"
        );
    }
    weather.end()
}

#[test]
fn sets_are_what_a_naive_model_says_on_pages_of_any_size() {
    let deaths: u64 = (0..8 * campaign()).map(compare).sum();
    assert!(deaths > 0, "the database never died");
}

#[test]
fn a_long_list_is_looked_into_and_not_read() {
    let recorder = Recorder::new(engine());
    let graph = graph_over(recorder.clone(), "follow", 1);
    let link = |source: &str, target: &str| {
        wait(graph.link(&cx(), "follows", source, target, &Changes::new())).expect("a link");
    };
    for i in 0..90 {
        link(&format!("f{i:02}"), "star");
    }
    link("al", "f07");
    link("al", "bo");
    recorder.take();
    let known = wait(graph.known(&cx(), "follows", "al", "star", &SetOptions::default()));
    let known = known.expect("a page");
    assert_eq!(known.value.ids, ["f07"]);
    assert_eq!(known.value.parts, [Part::Merged, Part::Probed]);
    assert_eq!(known.value.consistency, Consistency::Eventual);
    assert_eq!(
        recorder.operations(),
        [
            Operation::GetItem,
            Operation::GetItem,
            Operation::Query,
            Operation::BatchGetItem
        ]
    );
    assert_eq!(known.value.next, None);
    // Two lists of the table itself are read side by side, as fresh as they are.
    link("cy", "f07");
    let both = ["al", "cy"].map(|id| Operand::new("follows", Direction::Out, id));
    let options = SetOptions::default();
    let page = wait(graph.set_page(&cx(), SetOperation::Intersect, &both, &options));
    let page = page.expect("a page").value;
    assert_eq!(
        (page.ids, page.consistency),
        (vec!["f07".to_owned()], Consistency::Strong)
    );
}

#[test]
fn mutuals_are_those_who_point_back() {
    let graph = graph_over(engine(), "follow", 1);
    for (source, target) in [("a", "b"), ("b", "a"), ("a", "c"), ("d", "a"), ("a", "a")] {
        wait(graph.link(&cx(), "follows", source, target, &Changes::new())).expect("a link");
    }
    let mutual = wait(graph.mutual(&cx(), "follows", "a", &SetOptions::default()));
    assert_eq!(mutual.expect("a page").value.ids, ["a", "b"]);
}

#[test]
fn a_page_that_the_budget_ends_says_so_and_goes_on() {
    let graph = graph_over(engine(), "follow", 1);
    for i in 0..300 {
        // Nothing in common: alternately one's and the other's.
        let source = if i % 2 == 0 { "a" } else { "b" };
        let target = format!("t{i:03}");
        wait(graph.link(&cx(), "follows", source, &target, &Changes::new())).expect("a link");
    }
    let operands = ["a", "b"].map(|id| Operand::new("follows", Direction::Out, id));
    let mut options = SetOptions {
        limits: Limits {
            read: Units::whole(3),
            ..Limits::default()
        },
        ..SetOptions::default()
    };
    let mut pages = 0;
    loop {
        let page = wait(graph.set_page(&cx(), SetOperation::Intersect, &operands, &options));
        let page = page.expect("a page").value;
        assert!(page.ids.is_empty());
        pages += 1;
        options.after = page.next;
        if options.after.is_none() {
            assert_eq!(page.cut, None);
            break;
        }
        assert_eq!(page.cut, Some(Cut::Read));
    }
    assert!(pages > 1, "{pages}");
}

#[test]
fn lists_of_different_entities_and_foreign_cursors_are_refused() {
    let graph = graph_over(engine(), "social", 1);
    let people = Operand::new("follows", Direction::Out, "ann");
    let posts = Operand::new("likes", Direction::Out, "ann");
    let options = SetOptions::default();
    let page = |operands: &[Operand], options: &SetOptions| {
        wait(graph.set_page(&cx(), SetOperation::Union, operands, options))
    };
    for operands in [
        vec![],
        vec![people.clone(), posts.clone()],
        vec![people.clone(); 17],
    ] {
        let error = page(&operands, &options).expect_err("refused");
        assert!(
            matches!(error, bothways_graph::Error::Option { .. }),
            "{error}"
        );
    }
    for target in ["x", "y", "z"] {
        wait(graph.link(&cx(), "follows", "ann", target, &Changes::new())).expect("a link");
    }
    let limited = SetOptions {
        limit: Some(1),
        ..SetOptions::default()
    };
    let next = page(std::slice::from_ref(&people), &limited)
        .expect("a page")
        .value
        .next;
    let other = SetOptions {
        after: next,
        ..SetOptions::default()
    };
    let friends = Operand::new("friends", Direction::Out, "ann");
    assert!(page(&[friends], &other).is_err());
    assert_eq!(
        page(&[people], &other).expect("a page").value.ids,
        ["y", "z"]
    );
}
