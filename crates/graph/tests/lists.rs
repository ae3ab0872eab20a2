//! Pages and cursors: every edge once, in order, from any page size.

mod support;

use bothways_graph::model::shipped;
use bothways_graph::{Changes, CursorError, Direction, Error, Graph, ListOptions, escape};
use bothways_lab::{Clock, Faults};
use bothways_protocol::{Operation, Request};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use support::storm::{Weather, graph_of, stormy, until_known};
use support::{Recorder, campaign, cx, draw, engine, graph, graph_over, listed, peers_of, wait};

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_any_size_hold_every_edge_once_in_the_order_of_escaped_bytes(
        peers in proptest::collection::btree_set("[a-c#%é ]{1,4}", 0..25),
        limit in proptest::option::of(1_u32..9),
        reverse in any::<bool>(),
        towards in any::<bool>(),
    ) {
        let graph = graph("follow");
        for peer in &peers {
            let (source, target) = if towards { (peer.as_str(), "x") } else { ("x", peer.as_str()) };
            wait(graph.link(&cx(), "follows", source, target, &Changes::new())).expect("a link");
        }
        let direction = if towards { Direction::In } else { Direction::Out };
        let options = ListOptions { limit, reverse, ..ListOptions::default() };
        let (got, pages) = listed(&graph, "follows", direction, "x", options);
        let mut want: Vec<String> = peers.into_iter().collect();
        want.sort_by(|a, b| escape(a).cmp(&escape(b)));
        if reverse {
            want.reverse();
        }
        prop_assert_eq!(&got, &want);
        let full = limit.map_or(1, |l| want.len().div_ceil(l as usize).max(1));
        prop_assert_eq!(pages, full as u64);
    }

    #[test]
    fn keys_are_injective(a in "\\PC{1,6}", b in "\\PC{1,6}", c in "\\PC{1,6}", d in "\\PC{1,6}") {
        let key = |source: &str, target: &str| {
            let template = bothways_graph::Template::parse("X#{src}#Y#{dst}").expect("a template");
            template.fill(&bothways_graph::Filling::edge(source, target))
        };
        prop_assert_eq!(key(&a, &b) == key(&c, &d), (&a, &b) == (&c, &d));
        let template = bothways_graph::Template::parse("X#{src}#Y#{dst}").expect("a template");
        let filled = key(&a, &b);
        let read = template.read(&filled).expect("its own key");
        prop_assert_eq!((read.source.as_ref(), read.target.as_ref()), (a.as_str(), b.as_str()));
    }
}

#[test]
fn a_page_goes_on_where_it_ended_whatever_happened_to_its_last_edge() {
    let graph = graph("follow");
    for i in 0..10 {
        let source = format!("f{i}");
        wait(graph.link(&cx(), "follows", &source, "star", &Changes::new())).expect("a link");
    }
    let page = |after: Option<String>| {
        let options = ListOptions {
            limit: Some(4),
            after,
            ..ListOptions::default()
        };
        wait(graph.list(&cx(), "follows", Direction::In, "star", &options))
            .expect("a page")
            .value
    };
    let first = page(None);
    wait(graph.unlink(&cx(), "follows", "f3", "star")).expect("an answer");
    wait(graph.link(&cx(), "follows", "f31", "star", &Changes::new())).expect("a link");
    let second = page(first.next);
    let sources: Vec<&str> = second.edges.iter().map(|e| e.source.as_str()).collect();
    assert_eq!(sources, ["f31", "f4", "f5", "f6"]);
}

#[test]
fn a_cursor_of_another_list_is_refused() {
    let graph = graph("follow");
    for target in ["b", "c", "d"] {
        wait(graph.link(&cx(), "follows", "a", target, &Changes::new())).expect("a link");
    }
    let list = |direction, id: &str, reverse, after: Option<String>| {
        let options = ListOptions {
            limit: Some(1),
            after,
            reverse,
            ..ListOptions::default()
        };
        wait(graph.list(&cx(), "follows", direction, id, &options)).map(|page| page.value.next)
    };
    let cursor = list(Direction::Out, "a", false, None).expect("a page");
    assert!(cursor.is_some());
    let refused = Err(Error::Cursor(CursorError::OtherList));
    assert_eq!(list(Direction::In, "a", false, cursor.clone()), refused);
    assert_eq!(list(Direction::Out, "b", false, cursor.clone()), refused);
    assert_eq!(list(Direction::Out, "a", true, cursor.clone()), refused);
    assert_eq!(
        list(Direction::Out, "a", false, Some("nonsense".into())),
        Err(Error::Cursor(CursorError::Damaged))
    );
    assert!(list(Direction::Out, "a", false, cursor).is_ok());
}

#[test]
fn every_page_is_one_query() {
    let recorder = Recorder::new(engine());
    let graph = graph_over(recorder.clone(), "follow", 1);
    let targets: BTreeSet<String> = (0..23).map(|i| format!("t{i:02}")).collect();
    for target in &targets {
        wait(graph.link(&cx(), "follows", "a", target, &Changes::new())).expect("a link");
    }
    recorder.take();
    let options = ListOptions {
        limit: Some(5),
        ..ListOptions::default()
    };
    let (got, pages) = listed(&graph, "follows", Direction::Out, "a", options);
    assert_eq!(got, targets.into_iter().collect::<Vec<_>>());
    assert_eq!(pages, 5);
    assert_eq!(recorder.operations(), [Operation::Query; 5]);
}

#[test]
fn a_list_longer_than_a_page_of_the_database_goes_on() {
    let recorder = Recorder::new(engine());
    let graph = graph_over(recorder.clone(), "school", 1);
    // Edges of 40 KB: 1 MB holds 26.
    let big = Changes::new().set("essay", bothways_core::Value::S("x".repeat(40_000)));
    for i in 0..60 {
        wait(graph.link(&cx(), "enrolled", "a91", &format!("c{i:02}"), &big)).expect("a link");
    }
    recorder.take();
    let (courses, pages) = listed(
        &graph,
        "enrolled",
        Direction::Out,
        "a91",
        ListOptions::default(),
    );
    assert_eq!((courses.len(), pages), (60, 3));
    assert_eq!(recorder.take().len(), 3);

    let shown = wait(graph.show(&cx(), "student", "a91")).expect("an answer");
    assert!(shown.value.more);
    assert_eq!(
        shown.value.entity.expect("the student").counters,
        [("courses".to_owned(), 60)]
    );
    let requests = recorder.take();
    assert!(matches!(
        requests[..],
        [Request::Query(_), Request::GetItem(_)]
    ));
    assert_eq!(
        shown.receipts[1].note.as_deref(),
        Some("beside the list, which has more than one page")
    );
}

/// The whole list, page by page to its end, and what was left of it page by page to its beginning.
fn forth_and_back(graph: &Graph, clock: &Clock, mut options: ListOptions) -> [Vec<String>; 2] {
    let page = |options: &ListOptions| {
        let cx = cx();
        let list = graph.list(&cx, "follows", Direction::In, "star", options);
        clock.run(list).expect("a page").value
    };
    let mut last = page(&options);
    let mut forth = peers_of(&last, Direction::In);
    while let Some(next) = last.next {
        options.after = Some(next);
        last = page(&options);
        forth.extend(peers_of(&last, Direction::In));
    }
    let mut back = peers_of(&last, Direction::In);
    while let Some(previous) = last.previous {
        options.after = Some(previous);
        last = page(&options);
        let mut peers = peers_of(&last, Direction::In);
        peers.extend(back);
        back = peers;
        assert!(back.len() <= forth.len(), "{back:?} of {forth:?}");
    }
    [forth, back]
}

/// Lists that change under lost answers, cut pages and deaths; between the changes every page, forth and back, is the
/// sorted model's.
fn pages_in_any_weather(seed: u64) -> u64 {
    let weather = Weather::new(seed);
    let clock = weather.clock.clone();
    let model = shipped("follow").expect("follow").model;
    let graph = graph_of(Arc::new(weather.lab.clone()), model, &clock);
    // A list that lags is nobody's model: what is late has tests of its own.
    let faults = Faults {
        index_lag: Duration::ZERO,
        item_by_item: Duration::ZERO,
        ..stormy()
    };
    weather.begin(faults, 3_000);
    let mut state = seed;
    let mut pick = |n: u64| usize::try_from(draw(&mut state, n)).expect("small");
    let names = ["a", "a#", "a%", "a0", "b", "é", "~", "A"];
    let mut fans: BTreeSet<String> = BTreeSet::new();
    for round in 0..12 {
        for _ in 0..6 {
            let fan = format!("{}{}", names[pick(8)], pick(3));
            let (cx, none) = (cx(), Changes::new());
            if pick(3) > 0 {
                let linked = async || graph.link(&cx, "follows", &fan, "star", &none).await;
                clock.run(until_known(linked));
                fans.insert(fan);
            } else {
                let unlinked = async || graph.unlink(&cx, "follows", &fan, "star").await;
                clock.run(until_known(unlinked));
                fans.remove(&fan);
            }
        }
        if round == 5 {
            let cx = cx();
            let grown = async || graph.grow_shards(&cx, "follows", "star", 4).await;
            clock.run(until_known(grown));
        }
        let mut want: Vec<&String> = fans.iter().collect();
        want.sort_by_key(|fan| escape(fan));
        let reverse = pick(2) == 0;
        if reverse {
            want.reverse();
        }
        let options = ListOptions {
            limit: Some(1 + u32::try_from(pick(6)).expect("small")),
            reverse,
            ..ListOptions::default()
        };
        let read = forth_and_back(&graph, &clock, options);
        let want: Vec<String> = want.into_iter().cloned().collect();
        assert_eq!(read, [want.clone(), want], "seed {seed} round {round}");
    }
    weather.end()
}

#[test]
fn pages_are_a_sorted_models_in_any_weather() {
    let deaths: u64 = (0..4 * campaign()).map(pages_in_any_weather).sum();
    assert!(deaths > 0, "the database never died");
}
