//! Pages and cursors: every edge once, in order, from any page size.

mod support;

use bothways_graph::{Changes, CursorError, Direction, Error, ListOptions, escape};
use bothways_protocol::{Operation, Request};
use proptest::prelude::*;
use std::collections::BTreeSet;
use support::{Recorder, cx, engine, graph, graph_over, listed, wait};

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
