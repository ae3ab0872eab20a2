//! Edges one at a time and many at once: versions, positions, tombstones, change of relation, batches.

mod support;

use bothways_core::{Number, Value};
use bothways_graph::model::{Loops, Removal};
use bothways_graph::{
    BatchAnswer, BatchEdge, ChangedType, Changes, Direction, Edge, EdgeOptions, Error, Graph,
    Linked, ListOptions, Set, Unlinked, Upserted,
};
use bothways_protocol::Operation;
use std::time::Duration;
use support::{Recorder, Seeded, cx, engine, graph, graph_over, listed, wait};

fn note(text: &str) -> Changes {
    Changes::new().set("note", Value::S(text.into()))
}

fn at(position: u64) -> EdgeOptions {
    EdgeOptions {
        position: Some(position),
        ..EdgeOptions::default()
    }
}

fn version(version: u64) -> EdgeOptions {
    EdgeOptions {
        if_version: Some(version),
        ..EdgeOptions::default()
    }
}

fn named(op_id: &str) -> EdgeOptions {
    EdgeOptions {
        op_id: Some(op_id.into()),
        ..EdgeOptions::default()
    }
}

fn upsert(graph: &Graph, changes: &Changes, options: &EdgeOptions) -> Upserted {
    wait(graph.upsert(&cx(), "follows", "al", "bo", changes, options))
        .expect("an answer")
        .value
}

fn remove(graph: &Graph, options: &EdgeOptions) -> Unlinked {
    wait(graph.remove(&cx(), "follows", "al", "bo", options))
        .expect("an answer")
        .value
}

fn create(graph: &Graph, options: &EdgeOptions) -> Linked {
    wait(graph.create(&cx(), "follows", "al", "bo", &Changes::new(), options))
        .expect("an answer")
        .value
}

fn edge(graph: &Graph) -> Option<Edge> {
    wait(graph.edge(&cx(), "follows", "al", "bo"))
        .expect("an answer")
        .value
}

fn text(edge: &Edge, name: &str) -> Option<String> {
    match edge.attributes.get(name)?.to_value() {
        Value::S(text) => Some(text),
        other => Some(format!("{other:?}")),
    }
}

fn followers(graph: &Graph, id: &str) -> (usize, i64) {
    let (list, _) = listed(graph, "follows", Direction::In, id, ListOptions::default());
    let counts = wait(graph.counts(&cx(), "follows", id, None)).expect("counts");
    (list.len(), counts.value.inward.expect("a counter"))
}

/// The follow model whose removals leave tombstones.
fn soft() -> (Graph, std::sync::Arc<Seeded>) {
    let mut model = bothways_graph::model::shipped("follow")
        .expect("follow")
        .model;
    model.relations[0].removal = Removal::Soft { keep: 60 };
    model.ttl = Some("expiresAt".into());
    let env = Seeded::new(3);
    let graph = Graph::with_environment(engine(), model, env.clone()).expect("a graph");
    wait(graph.apply(&cx())).expect("a table");
    (graph, env)
}

#[test]
fn an_upsert_creates_updates_and_then_changes_nothing() {
    let graph = graph("follow");
    let none = EdgeOptions::default();
    let created = upsert(&graph, &note("a"), &none);
    assert!(matches!(created, Upserted::Created(_)), "{created:?}");
    let Upserted::Updated { edge, before } = upsert(&graph, &note("b"), &none) else {
        panic!("it differs")
    };
    assert_eq!(text(&edge, "note").as_deref(), Some("b"));
    assert_eq!(text(&before.expect("seen"), "note").as_deref(), Some("a"));
    assert_eq!(edge.version, Some(2));
    assert_eq!(Some(edge.clone()), self::edge(&graph));
    let again = upsert(&graph, &note("b"), &none);
    assert_eq!(again, Upserted::Unchanged { existing: edge });
    assert_eq!(followers(&graph, "bo"), (1, 1));
}

#[test]
fn a_version_that_is_not_there_changes_nothing() {
    let graph = graph("follow");
    assert_eq!(upsert(&graph, &note("a"), &version(1)), Upserted::NotFound);
    assert_eq!(edge(&graph), None);
    create(&graph, &EdgeOptions::default());
    let set = |text: &str, v: u64| {
        wait(graph.update(&cx(), "follows", "al", "bo", &note(text), &version(v)))
            .expect("an answer")
            .value
    };
    for (value, v, done) in [
        ("a", 1, true),
        ("b", 1, false),
        ("b", 2, true),
        ("b", 2, false),
    ] {
        let set = set(value, v);
        assert_eq!(matches!(set, Set::Updated(_)), done, "{value} {v}: {set:?}");
        assert_eq!(matches!(set, Set::Kept { .. }), !done, "{value} {v}");
    }
    // The same value at the right version is no change and no new version.
    assert_eq!(set("b", 3), Set::Unchanged);
    let kept = upsert(&graph, &note("c"), &version(2));
    assert!(matches!(kept, Upserted::Kept { .. }), "{kept:?}");
    let kept = remove(&graph, &version(2));
    assert!(matches!(kept, Unlinked::Kept { .. }), "{kept:?}");
    assert_eq!(remove(&graph, &version(3)), Unlinked::Removed);
    assert_eq!(followers(&graph, "bo"), (0, 0));
}

#[test]
fn an_operation_that_is_repeated_under_its_id_tells_what_it_did() {
    let graph = graph("follow");
    assert!(matches!(create(&graph, &named("one")), Linked::Created(_)));
    assert!(matches!(create(&graph, &named("one")), Linked::Created(_)));
    let other = create(&graph, &named("two"));
    assert!(matches!(other, Linked::Unchanged { .. }), "{other:?}");
    let set = |op| {
        wait(graph.update(&cx(), "follows", "al", "bo", &note("a"), &named(op)))
            .expect("an answer")
            .value
    };
    assert!(matches!(set("three"), Set::Updated(changes) if changes.len() == 1));
    assert_eq!(set("three"), Set::Updated(Vec::new()));
    assert_eq!(set("four"), Set::Unchanged);
    for op_id in ["", "an operation id of more than 36 characters"] {
        let error =
            wait(graph.create(&cx(), "follows", "al", "bo", &Changes::new(), &named(op_id)));
        assert!(matches!(error, Err(Error::Option { .. })), "{op_id}");
    }
}

#[test]
fn the_greater_position_wins_in_any_order_of_arrival() {
    let writes = [(5, "a"), (7, "b"), (6, "c"), (7, "d")];
    let mut seen = Vec::new();
    for turn in 0..4 {
        let graph = graph("follow");
        for i in 0..4 {
            let (position, value) = writes[(i + turn) % 4];
            let options = EdgeOptions {
                op_id: Some(format!("op-{value}")),
                ..at(position)
            };
            upsert(&graph, &note(value), &options);
            upsert(&graph, &note(value), &options);
        }
        let edge = edge(&graph).expect("an edge");
        assert_eq!(edge.position, Some(7));
        seen.push(edge.attributes);
        assert_eq!(followers(&graph, "bo"), (1, 1));
    }
    // Of two at one position the greater operation id wins.
    assert!(seen.iter().all(|a| *a == seen[0]), "{seen:?}");
    assert_eq!(
        seen[0].get("note").map(bothways_core::ValueRef::to_value),
        Some(Value::S("d".into()))
    );
}

#[test]
fn a_write_at_a_position_replaces_the_whole_edge() {
    let graph = graph("follow");
    upsert(&graph, &note("a"), &at(5_000));
    let extra = Changes::new().set("extra", Value::N(Number::from(1_i64)));
    upsert(&graph, &extra, &at(9_000));
    let edge = edge(&graph).expect("an edge");
    let names: Vec<&str> = edge.attributes.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["createdAt", "edgeType", "extra"]);
    assert_eq!(
        edge.attributes
            .get("createdAt")
            .map(bothways_core::ValueRef::to_value),
        Some(Value::N(Number::from(9_i64)))
    );
}

#[test]
fn a_late_link_never_revives_what_was_removed_softly() {
    let (graph, env) = soft();
    assert!(matches!(create(&graph, &at(5)), Linked::Created(_)));
    assert_eq!(remove(&graph, &at(6)), Unlinked::Removed);
    let late = create(&graph, &at(5));
    assert_eq!(late, Linked::Outdated { removed_at: 6 });
    assert_eq!(followers(&graph, "bo"), (0, 0));
    // At one position the removal wins, whichever comes first.
    assert_eq!(create(&graph, &at(6)), Linked::Outdated { removed_at: 6 });
    assert!(matches!(create(&graph, &at(7)), Linked::Created(_)));
    let kept = remove(&graph, &at(6));
    assert!(matches!(kept, Unlinked::Kept { .. }), "{kept:?}");
    assert_eq!(remove(&graph, &at(7)), Unlinked::Removed);
    // A removal that comes before its link.
    assert_eq!(remove(&graph, &at(20)), Unlinked::NotFound);
    assert_eq!(create(&graph, &at(19)), Linked::Outdated { removed_at: 20 });
    assert!(matches!(create(&graph, &at(21)), Linked::Created(_)));
    assert_eq!(followers(&graph, "bo"), (1, 1));
    // A wish without a position is a new one, however the clocks stand.
    remove(&graph, &at(env_millis(&env) + 1000));
    assert!(matches!(
        create(&graph, &EdgeOptions::default()),
        Linked::Created(_)
    ));
    assert_eq!(remove(&graph, &EdgeOptions::default()), Unlinked::Removed);
    assert_eq!(followers(&graph, "bo"), (0, 0));
}

fn env_millis(env: &Seeded) -> u64 {
    bothways_graph::Environment::epoch_millis(env)
}

#[test]
fn a_tombstone_expires_and_stands_in_no_list() {
    let recorder = Recorder::new(engine());
    let mut model = bothways_graph::model::shipped("follow")
        .expect("follow")
        .model;
    model.relations[0].removal = Removal::Soft { keep: 60 };
    model.ttl = Some("expiresAt".into());
    let env = Seeded::new(3);
    let graph = Graph::with_environment(recorder.clone(), model, env.clone()).expect("a graph");
    wait(graph.apply(&cx())).expect("a table");
    create(&graph, &EdgeOptions::default());
    recorder.take();
    assert_eq!(remove(&graph, &EdgeOptions::default()), Unlinked::Removed);
    let requests = recorder.take();
    let bothways_protocol::Request::TransactWriteItems(sent) = &requests[0] else {
        panic!("one transaction")
    };
    let put = sent.transact_items.as_ref().expect("actions")[1]
        .put
        .as_ref()
        .expect("a tombstone");
    let mut json = Vec::new();
    put.item
        .as_ref()
        .expect("an item")
        .value
        .write_json(&mut json);
    let json = String::from_utf8(json).expect("text");
    assert!(
        json.contains(r#""PK":{"S":"BOTHWAYS#REMOVED#follows#al"},"SK":{"S":"bo"}"#),
        "{json}"
    );
    let expires = env_millis(&env) / 1000 + 60;
    assert!(
        json.contains(&format!(r#""expiresAt":{{"N":"{expires}"}}"#)),
        "{json}"
    );
    for direction in [Direction::Out, Direction::In] {
        let id = if direction == Direction::Out {
            "al"
        } else {
            "bo"
        };
        assert!(
            listed(&graph, "follows", direction, id, ListOptions::default())
                .0
                .is_empty()
        );
    }
    env.pass(Duration::from_millis(1));
    assert!(matches!(
        create(&graph, &EdgeOptions::default()),
        Linked::Created(_)
    ));
}

#[test]
fn loops_are_refused_where_the_relation_says_so() {
    let mut model = bothways_graph::model::shipped("follow")
        .expect("follow")
        .model;
    model.relations[0].loops = Loops::Reject;
    let graph = Graph::new(engine(), model).expect("a graph");
    wait(graph.apply(&cx())).expect("a table");
    let error =
        wait(graph.link(&cx(), "follows", "al", "al", &Changes::new())).expect_err("a loop");
    assert_eq!(
        error.to_string(),
        "\"al\" cannot be linked to itself: follows has loops = \"reject\""
    );
    assert!(wait(graph.link(&cx(), "follows", "al", "bo", &Changes::new())).is_ok());
}

#[test]
fn a_request_that_is_accepted_becomes_a_friendship_in_one_transaction() {
    let recorder = Recorder::new(engine());
    let graph = graph_over(recorder.clone(), "friendships", 1);
    let ask = |source: &str, target: &str| {
        wait(graph.link(&cx(), "requested", source, target, &note("hello"))).expect("a request");
    };
    let accept = |source: &str, target: &str| {
        let (none, cx, options) = (Changes::new(), cx(), EdgeOptions::default());
        let changed =
            graph.change_type(&cx, "requested", "friends", source, target, &none, &options);
        wait(changed).expect("an answer").value
    };
    let counters = |id: &str| {
        let person = wait(graph.get_entity(&cx(), "person", id)).expect("an answer");
        let person = person.value.expect("a person");
        person
            .counters
            .into_iter()
            .map(|(_, n)| n)
            .collect::<Vec<_>>()
    };
    assert_eq!(accept("zoe", "al"), ChangedType::NotFound);
    ask("zoe", "al");
    assert_eq!(
        (counters("zoe"), counters("al")),
        (vec![0, 1, 0], vec![0, 0, 1])
    );
    recorder.take();
    let ChangedType::Changed(edge) = accept("zoe", "al") else {
        panic!("accepted")
    };
    assert_eq!(
        recorder.operations(),
        [Operation::GetItem, Operation::TransactWriteItems]
    );
    // The friendship has no direction, and keeps what the request said.
    assert_eq!((edge.source.as_str(), edge.target.as_str()), ("al", "zoe"));
    assert_eq!(text(&edge, "note").as_deref(), Some("hello"));
    assert_eq!(
        (counters("zoe"), counters("al")),
        (vec![1, 0, 0], vec![1, 0, 0])
    );
    assert_eq!(accept("zoe", "al"), ChangedType::NotFound);
    ask("al", "zoe");
    assert_eq!(
        accept("al", "zoe"),
        ChangedType::Occupied { existing: edge }
    );
    assert_eq!(
        (counters("zoe"), counters("al")),
        (vec![1, 0, 1], vec![1, 1, 0])
    );
}

#[test]
fn several_edges_come_in_the_order_asked_for_and_the_missing_are_named() {
    let recorder = Recorder::new(engine());
    let graph = graph_over(recorder.clone(), "follow", 1);
    for target in ["b", "c", "d"] {
        wait(graph.link(&cx(), "follows", "a", target, &Changes::new())).expect("a link");
    }
    recorder.take();
    let pair = |s: &str, t: &str| (s.to_owned(), t.to_owned());
    let pairs = [
        pair("a", "d"),
        pair("d", "a"),
        pair("a", "b"),
        pair("a", "d"),
    ];
    let edges = wait(graph.edges(&cx(), "follows", &pairs)).expect("an answer");
    let found: Vec<Option<String>> = edges
        .value
        .into_iter()
        .map(|e| e.map(|e| e.target))
        .collect();
    let some = |id: &str| Some(id.to_owned());
    assert_eq!(found, [some("d"), None, some("b"), some("d")]);
    assert_eq!(recorder.operations(), [Operation::BatchGetItem]);
    let many = vec![pair("a", "b"); 101];
    assert!(matches!(
        wait(graph.edges(&cx(), "follows", &many)),
        Err(Error::Option { .. })
    ));
}

fn batch_edge(source: &str, target: &str, link: bool) -> BatchEdge {
    BatchEdge {
        relation: "follows".into(),
        source: source.into(),
        target: target.into(),
        link: link.then(Changes::new),
    }
}

#[test]
fn a_batch_answers_for_each_edge_and_moves_each_counter_once_a_transaction() {
    let recorder = Recorder::new(engine());
    let graph = graph_over(recorder.clone(), "follow", 1);
    wait(graph.link(&cx(), "follows", "a", "there", &Changes::new())).expect("a link");
    recorder.take();
    let edges = [
        batch_edge("a", "b", true),
        batch_edge("a", "there", true),
        batch_edge("a", "c", true),
        batch_edge("a", "nothing", false),
        batch_edge("a", "b", false),
        batch_edge("", "b", true),
    ];
    let done = wait(graph.batch(&cx(), &edges)).expect("answers");
    let words: Vec<&str> = done
        .value
        .iter()
        .map(|answer| match answer {
            BatchAnswer::Linked(Linked::Created(_)) => "created",
            BatchAnswer::Linked(_) => "unchanged",
            BatchAnswer::Unlinked(Unlinked::Removed) => "removed",
            BatchAnswer::Unlinked(_) => "not found",
            BatchAnswer::Failed(_) => "failed",
        })
        .collect();
    assert_eq!(
        words,
        [
            "created",
            "unchanged",
            "created",
            "not found",
            "removed",
            "failed"
        ]
    );
    // Refused, sent again without the two that were settled, then the edge that came twice.
    assert_eq!(recorder.operations(), [Operation::TransactWriteItems; 3]);
    let counts = wait(graph.counts(&cx(), "follows", "a", None)).expect("counts");
    assert_eq!(counts.value.out, Some(2));
    assert_eq!(
        (followers(&graph, "b"), followers(&graph, "c")),
        ((0, 0), (1, 1))
    );
}

#[test]
fn a_large_batch_takes_transactions_of_up_to_a_hundred_actions() {
    let recorder = Recorder::new(engine());
    let graph = graph_over(recorder.clone(), "follow", 1);
    recorder.take();
    let edges: Vec<BatchEdge> = (0..198)
        .map(|i| batch_edge(&format!("s{i:03}"), "star", true))
        .collect();
    wait(graph.batch(&cx(), &edges)).expect("answers");
    // 49 edges, 49 sources and the star are 99 actions.
    assert_eq!(recorder.operations().len(), 5);
    assert_eq!(followers(&graph, "star"), (198, 198));
}
