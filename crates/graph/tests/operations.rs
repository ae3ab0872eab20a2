//! Every operation, over the engine in memory.

mod support;

use bothways_core::{Number, Value};
use bothways_graph::model::Order;
use bothways_graph::{
    Changes, Consistency, Direction, Error, Graph, Linked, ListOptions, Set, Unlinked,
};
use bothways_protocol::types::UpdateItemInput;
use bothways_protocol::{Context, DynamoDbExt};
use std::time::Duration;
use support::{Recorder, Seeded, created_at, cx, engine, graph, graph_over, listed, wait};

fn sample(graph: &Graph) {
    for (source, target, at) in [
        ("alice", "bob", 1_718_900_000),
        ("alice", "carol", 1_718_900_100),
        ("dave", "bob", 1_718_900_200),
    ] {
        link(graph, source, target, &created_at(at));
    }
}

fn link(graph: &Graph, source: &str, target: &str, attributes: &Changes) -> Linked {
    wait(graph.link(&cx(), "follows", source, target, attributes))
        .expect("a link")
        .value
}

fn counts(graph: &Graph, id: &str) -> (i64, i64) {
    let counts = wait(graph.counts(&cx(), "follows", id, None))
        .expect("counts")
        .value;
    (
        counts.out.expect("a counter"),
        counts.inward.expect("a counter"),
    )
}

fn ids(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

#[test]
fn an_edge_written_once_is_read_both_ways() {
    let graph = graph("follow");
    sample(&graph);
    let options = ListOptions::default;
    assert_eq!(
        listed(&graph, "follows", Direction::Out, "alice", options()).0,
        ids(&["bob", "carol"])
    );
    assert_eq!(
        listed(&graph, "follows", Direction::In, "bob", options()).0,
        ids(&["alice", "dave"])
    );
    assert_eq!(counts(&graph, "alice"), (2, 0));
    assert_eq!(counts(&graph, "bob"), (0, 2));
    let edge = wait(graph.edge(&cx(), "follows", "alice", "bob"))
        .expect("an edge")
        .value;
    let edge = edge.expect("alice follows bob");
    let mut json = Vec::new();
    edge.attributes.write_json(&mut json);
    assert_eq!(
        String::from_utf8(json).expect("text"),
        r#"{"createdAt":{"N":"1718900000"},"edgeType":{"S":"FOLLOWS"}}"#
    );
    assert!(
        wait(graph.exists(&cx(), "follows", "dave", "bob"))
            .expect("an answer")
            .value
    );
    assert!(
        !wait(graph.exists(&cx(), "follows", "bob", "dave"))
            .expect("an answer")
            .value
    );
}

#[test]
fn linking_again_changes_nothing_and_shows_what_is_there() {
    let graph = graph("follow");
    let created = link(&graph, "alice", "bob", &created_at(1));
    let Linked::Created(edge) = created else {
        panic!("{created:?}")
    };
    let again = link(&graph, "alice", "bob", &created_at(2));
    assert_eq!(again, Linked::Unchanged { existing: edge });
    assert_eq!(counts(&graph, "bob"), (0, 1));
}

#[test]
fn unlinking_is_undone_linking_and_no_more() {
    let graph = graph("follow");
    sample(&graph);
    let unlink = |source: &str, target: &str| {
        wait(graph.unlink(&cx(), "follows", source, target))
            .expect("an answer")
            .value
    };
    assert_eq!(unlink("alice", "bob"), Unlinked::Removed);
    assert_eq!(unlink("alice", "bob"), Unlinked::NotFound);
    assert_eq!(unlink("bob", "alice"), Unlinked::NotFound);
    assert_eq!(
        (counts(&graph, "alice"), counts(&graph, "bob")),
        ((1, 0), (0, 1))
    );
}

#[test]
fn following_oneself_moves_both_counters() {
    let graph = graph("follow");
    link(&graph, "al", "al", &Changes::new());
    assert_eq!(counts(&graph, "al"), (1, 1));
    wait(graph.unlink(&cx(), "follows", "al", "al")).expect("an answer");
    assert_eq!(counts(&graph, "al"), (0, 0));
}

#[test]
fn companions_count_every_change() {
    let graph = graph("follow");
    link(&graph, "al", "bo", &Changes::new());
    wait(graph.unlink(&cx(), "follows", "al", "bo")).expect("an answer");
    let recorder = Recorder::new(engine());
    let other = graph_over(recorder.clone(), "follow", 2);
    link(&other, "al", "bo", &Changes::new());
    link(&other, "al", "bo", &Changes::new());
    // The second one was refused, so the companion stands at one; the entity hides it.
    let bo = wait(other.get_entity(&cx(), "actor", "bo"))
        .expect("an answer")
        .value;
    let bo = bo.expect("bo");
    assert_eq!(
        bo.counters,
        [("following".to_owned(), 0), ("followers".to_owned(), 1)]
    );
    assert!(bo.attributes.is_empty());
}

#[test]
fn ids_with_any_character_make_edges_of_their_own() {
    let graph = graph("follow");
    let odd = ["a#b", "a%23b", "a", "a#", "#", "%", "ü", "TARGET#a", "a b"];
    for id in odd {
        link(&graph, "src", id, &Changes::new());
        link(&graph, id, "dst", &Changes::new());
    }
    let (mut out, _) = listed(
        &graph,
        "follows",
        Direction::Out,
        "src",
        ListOptions::default(),
    );
    let (mut inward, _) = listed(
        &graph,
        "follows",
        Direction::In,
        "dst",
        ListOptions::default(),
    );
    let mut want = ids(&odd);
    want.sort();
    out.sort();
    inward.sort();
    assert_eq!(out, want);
    assert_eq!(inward, want);
}

#[test]
fn attributes_of_an_edge_are_set_and_removed() {
    let graph = graph("school");
    let grade = |text: &str| Changes::new().set("grade", Value::S(text.into()));
    let set = |changes: &Changes| {
        wait(graph.set(&cx(), "enrolled", "a91", "math204", changes))
            .expect("an answer")
            .value
    };
    assert_eq!(set(&grade("A")), Set::NotFound);
    wait(graph.link(&cx(), "enrolled", "a91", "math204", &Changes::new())).expect("a link");
    let change = |before: Option<&str>, after: Option<&str>| {
        let value = |text: Option<&str>| text.map(|t| Value::S(t.into()));
        Set::Updated(vec![("grade".into(), value(before), value(after))])
    };
    assert_eq!(set(&grade("A")), change(None, Some("A")));
    assert_eq!(set(&grade("A")), Set::Unchanged);
    assert_eq!(
        set(&Changes::new().remove("grade")),
        change(Some("A"), None)
    );
}

#[test]
fn attributes_that_the_layer_needs_cannot_be_set() {
    let graph = graph("follow");
    for (name, why) in [
        ("PK", "PK cannot be set: it is part of the key"),
        ("GSI1SK", "GSI1SK cannot be set: it is part of the key"),
        (
            "opId",
            "opId cannot be set: the layer keeps it on every edge itself",
        ),
        ("edgeType", "edgeType is always FOLLOWS in this model"),
    ] {
        let changes = Changes::new().set(name, Value::S("x".into()));
        let error = wait(graph.link(&cx(), "follows", "a", "b", &changes)).expect_err(name);
        assert_eq!(error.to_string(), why);
    }
    for name in ["followers", "followersOps", "closed"] {
        let changes = Changes::new().set(name, Value::N(Number::from(7_i64)));
        assert!(
            wait(graph.put_entity(&cx(), "actor", "a", &changes)).is_err(),
            "{name}"
        );
    }
}

#[test]
fn friends_are_one_item_listed_from_both_sides() {
    let graph = graph("friendships");
    for (a, b) in [("zoe", "al"), ("al", "mo"), ("mo", "zoe"), ("al", "al")] {
        wait(graph.link(&cx(), "friends", a, b, &Changes::new())).expect("a link");
    }
    let again = wait(graph.link(&cx(), "friends", "al", "zoe", &Changes::new())).expect("a link");
    assert!(matches!(again.value, Linked::Unchanged { .. }));
    for (id, friends) in [("al", vec!["al", "mo", "zoe"]), ("mo", vec!["al", "zoe"])] {
        for direction in [Direction::Out, Direction::In] {
            for limit in [None, Some(1)] {
                let options = ListOptions {
                    limit,
                    ..ListOptions::default()
                };
                let mut pages = graph.pages("friends", direction, id, options);
                let mut got = Vec::new();
                while let Some(page) = wait(pages.next(&cx())).expect("a page") {
                    let other = |e: &bothways_graph::Edge| {
                        if e.source == id {
                            e.target.clone()
                        } else {
                            e.source.clone()
                        }
                    };
                    got.extend(page.value.edges.iter().map(other));
                }
                assert_eq!(got, friends, "{id} {limit:?}");
            }
        }
    }
    let counts = wait(graph.counts(&cx(), "friends", "al", None))
        .expect("counts")
        .value;
    assert_eq!((counts.out, counts.inward), (Some(3), Some(3)));
}

#[test]
fn likes_come_in_the_order_of_time_from_either_end() {
    let env = Seeded::new(1);
    let model = bothways_graph::model::shipped("likes")
        .expect("likes")
        .model;
    let graph = Graph::with_environment(engine(), model, env.clone()).expect("a graph");
    wait(graph.apply(&cx())).expect("a table");
    // Al and mo come in the same moment: then the id decides.
    for (user, pause) in [("zoe", 10), ("mo", 0), ("al", 10), ("bo", 10)] {
        wait(graph.link(&cx(), "likes", user, "p1", &Changes::new())).expect("a link");
        env.pass(Duration::from_millis(pause));
    }
    for (reverse, want) in [
        (false, ["zoe", "al", "mo", "bo"]),
        (true, ["bo", "mo", "al", "zoe"]),
    ] {
        let options = ListOptions {
            limit: Some(3),
            reverse,
            ..ListOptions::default()
        };
        let (users, pages) = listed(&graph, "likes", Direction::In, "p1", options);
        assert_eq!((users, pages), (ids(&want), 2));
    }
}

#[test]
fn a_second_index_lists_forward_in_time() {
    let text = bothways_graph::model::shipped_models()[4].text;
    let text = text.replacen(
        "[[entity]]",
        "[[index]]\nname = \"GSI2\"\npk = \"GSI2PK\"\nsk = \"GSI2SK\"\n\n[[entity]]",
        1,
    );
    let text = text.replacen(
        "shard =",
        "forward = { index = \"GSI2\", pk = \"USER#{src}\", sk = \"{pos}#POST#{dst}\" }\nshard =",
        1,
    );
    let model = bothways_graph::Model::parse("m.toml", &text)
        .expect("a model")
        .model;
    let env = Seeded::new(1);
    let graph = Graph::with_environment(engine(), model, env.clone()).expect("a graph");
    wait(graph.apply(&cx())).expect("a table");
    for post in ["p2", "p1"] {
        wait(graph.link(&cx(), "likes", "al", post, &Changes::new())).expect("a link");
        env.pass(Duration::from_millis(1));
    }
    for (order, want) in [(None, ["p1", "p2"]), (Some(Order::Time), ["p2", "p1"])] {
        let options = ListOptions {
            order,
            limit: Some(1),
            ..ListOptions::default()
        };
        let (posts, _) = listed(&graph, "likes", Direction::Out, "al", options);
        assert_eq!(posts, ids(&want));
    }
}

#[test]
fn nothing_links_to_what_is_closed_and_its_edges_can_still_go() {
    let db = engine();
    let graph = graph_over(db.clone(), "follow", 1);
    sample(&graph);
    let key = bothways_core::Item::from_attributes([
        ("PK", Value::S("ACTOR#bob".into())),
        ("SK", Value::S("PROFILE".into())),
    ]);
    let input = UpdateItemInput {
        table_name: Some("follow".into()),
        key: Some(key.into()),
        update_expression: Some("SET closed = :yes".into()),
        expression_attribute_values: Some(
            std::collections::BTreeMap::from([(":yes".to_owned(), Value::Bool(true))]).into(),
        ),
        ..UpdateItemInput::default()
    };
    wait(db.update_item(&cx(), input)).expect("an update");
    let error = wait(graph.link(&cx(), "follows", "carol", "bob", &Changes::new()))
        .expect_err("bob is closed");
    let closed = Error::Closed {
        entity: "actor".into(),
        id: "bob".into(),
    };
    assert_eq!(error, closed);
    assert!(
        wait(graph.get_entity(&cx(), "actor", "bob"))
            .expect("bob")
            .value
            .expect("bob")
            .closed
    );
    let unlinked = wait(graph.unlink(&cx(), "follows", "alice", "bob"))
        .expect("an answer")
        .value;
    assert_eq!(unlinked, Unlinked::Removed);
    assert_eq!(counts(&graph, "bob"), (0, 1));
}

#[test]
fn three_relations_share_a_table_without_meeting() {
    let graph = graph("social");
    let link = |relation: &str, source: &str, target: &str| {
        wait(graph.link(&cx(), relation, source, target, &Changes::new())).expect("a link");
    };
    link("follows", "ann", "ben");
    link("likes", "ann", "ben");
    link("friends", "ann", "ben");
    for relation in ["follows", "likes", "friends"] {
        let (out, _) = listed(
            &graph,
            relation,
            Direction::Out,
            "ann",
            ListOptions::default(),
        );
        assert_eq!(out, ids(&["ben"]), "{relation}");
    }
    let ann = wait(graph.get_entity(&cx(), "person", "ann"))
        .expect("an answer")
        .value;
    let counters = ann.expect("ann").counters;
    let one = |name: &str| (name.to_owned(), 1);
    assert_eq!(
        counters,
        [
            one("following"),
            ("followers".to_owned(), 0),
            one("likesGiven"),
            one("friends")
        ]
    );
    let shown = wait(graph.show(&cx(), "person", "ann"))
        .expect("an answer")
        .value;
    assert_eq!(
        shown
            .edges
            .iter()
            .map(|e| e.edges.len())
            .collect::<Vec<_>>(),
        [1, 1, 1]
    );
}

#[test]
fn a_plain_inverted_index_works_without_attributes_of_its_own() {
    let text = "name = \"bills\"\nupsert_entities = true\n[[index]]\nname = \"inverted\"\npk = \"SK\"\nsk = \"PK\"\n[[entity]]\nname = \"invoice\"\nkey = { pk = \"Invoice-{id}\", sk = \"Invoice-{id}\" }\n[[entity]]\nname = \"bill\"\nkey = { pk = \"Bill-{id}\", sk = \"Bill-{id}\" }\n[[relation]]\nname = \"holds\"\nfrom = \"invoice\"\nto = \"bill\"\nout = \"holds\"\nin = \"is on\"\nkey = { pk = \"Invoice-{src}\", sk = \"Bill-{dst}\" }\n";
    let model = bothways_graph::Model::parse("m.toml", text)
        .expect("a model")
        .model;
    let graph = Graph::new(engine(), model).expect("a graph");
    wait(graph.apply(&cx())).expect("a table");
    for (invoice, bill) in [("1", "a"), ("1", "b"), ("2", "a")] {
        wait(graph.link(&cx(), "holds", invoice, bill, &Changes::new())).expect("a link");
    }
    let list =
        |direction, id: &str| listed(&graph, "holds", direction, id, ListOptions::default()).0;
    assert_eq!(list(Direction::Out, "1"), ids(&["a", "b"]));
    assert_eq!(list(Direction::In, "a"), ids(&["1", "2"]));
}

#[test]
fn applying_again_changes_nothing_and_another_table_is_told_apart() {
    let db = engine();
    let graph = graph_over(db.clone(), "follow", 1);
    let applied = wait(graph.apply(&cx())).expect("an answer").value;
    assert_eq!(applied, bothways_graph::Applied::Unchanged);
    let mut model = bothways_graph::model::shipped("follow")
        .expect("follow")
        .model;
    model.indexes[0].projection = bothways_graph::model::Projection::KeysOnly;
    let other = Graph::new(db, model).expect("a graph");
    let bothways_graph::Applied::Differs(differences) =
        wait(other.apply(&cx())).expect("an answer").value
    else {
        panic!("the projection differs");
    };
    let words: Vec<String> = differences
        .iter()
        .map(|d| format!("{}: {} / {}", d.what, d.model, d.table))
        .collect();
    assert_eq!(words, ["index GSI1 projection: KEYS_ONLY / ALL"]);
}

#[test]
fn a_strong_read_of_an_index_is_refused() {
    let graph = graph("follow");
    let options = ListOptions {
        consistency: Some(Consistency::Strong),
        ..ListOptions::default()
    };
    let error = wait(graph.list(&cx(), "follows", Direction::In, "bob", &options))
        .expect_err("an index is eventual");
    assert_eq!(
        error.to_string(),
        "follows in is read from GSI1, and an index is never strongly consistent"
    );
    assert!(wait(graph.list(&cx(), "follows", Direction::Out, "bob", &options)).is_ok());
}

#[test]
fn receipts_say_what_was_sent() {
    let graph = graph("follow");
    sample(&graph);
    let page = wait(graph.list(
        &Context::default(),
        "follows",
        Direction::In,
        "bob",
        &ListOptions::default(),
    ));
    let receipt = page.expect("a page").receipts.remove(0);
    let text = receipt.to_string();
    // The clock of these tests stands still, so no time was taken.
    assert_eq!(
        text,
        "1 Query on GSI1 · GSI1PK = TARGET#bob · eventual · 2 of 2 read · 0.5 RCU"
    );
    let again =
        wait(graph.link(&cx(), "follows", "alice", "bob", &Changes::new())).expect("a link");
    let text = again.receipts[0].to_string();
    assert!(
        text.starts_with(
            "1 TransactWriteItems · settled by attribute_not_exists(PK) · counters unmoved"
        ),
        "{text}"
    );
}
