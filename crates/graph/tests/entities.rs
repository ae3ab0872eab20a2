//! Entities, with their edges and counters.

mod support;

use bothways_core::Value;
use bothways_graph::{Changes, Consistency, Counts, Direction, Error, Graph, Linked, Put, Removed};
use bothways_protocol::Operation;
use support::{Recorder, created_at, cx, engine, graph, graph_over, wait};

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

#[test]
fn putting_an_entity_keeps_its_counters() {
    let graph = graph("follow");
    let name = |text: &str| Changes::new().set("name", Value::S(text.into()));
    let put = |changes: &Changes| {
        wait(graph.put_entity(&cx(), "actor", "bob", changes))
            .expect("an answer")
            .value
    };
    assert_eq!(put(&name("Bob")), Put::Created);
    sample(&graph);
    assert_eq!(put(&name("Bob")), Put::Unchanged);
    assert_eq!(put(&name("Robert")), Put::Updated);
    let bob = wait(graph.get_entity(&cx(), "actor", "bob"))
        .expect("an answer")
        .value;
    let bob = bob.expect("bob");
    assert_eq!(bob.counters[1], ("followers".to_owned(), 2));
    assert!(!bob.bare);
    assert_eq!(put(&Changes::new()), Put::Unchanged);
}

#[test]
fn an_entity_with_edges_stays() {
    let graph = graph("follow");
    sample(&graph);
    let remove = |id: &str| {
        wait(graph.remove_entity(&cx(), "actor", id))
            .expect("an answer")
            .value
    };
    assert_eq!(
        remove("bob"),
        Removed::HasEdges(vec![("followers".into(), 2)])
    );
    assert_eq!(remove("nobody"), Removed::NotFound);
    for source in ["alice", "dave"] {
        wait(graph.unlink(&cx(), "follows", source, "bob")).expect("an answer");
    }
    assert_eq!(remove("bob"), Removed::Removed);
    assert_eq!(remove("bob"), Removed::NotFound);
}

#[test]
fn a_student_and_its_courses_come_in_one_query_and_a_course_with_its_roster_too() {
    let recorder = Recorder::new(engine());
    let graph = graph_over(recorder.clone(), "school", 3);
    for (student, course) in [("a91", "math204"), ("a91", "art1"), ("b17", "math204")] {
        wait(graph.link(&cx(), "enrolled", student, course, &Changes::new())).expect("a link");
    }
    let title = Changes::new().set("title", Value::S("Algebra".into()));
    wait(graph.put_entity(&cx(), "course", "math204", &title)).expect("a course");
    recorder.take();

    let shown = wait(graph.show(&cx(), "student", "a91")).expect("an answer");
    assert_eq!(recorder.operations(), [Operation::Query]);
    let entity = shown.value.entity.expect("the student");
    assert_eq!(entity.counters, [("courses".to_owned(), 2)]);
    let courses: Vec<&str> = shown.value.edges[0]
        .edges
        .iter()
        .map(|e| e.target.as_str())
        .collect();
    assert_eq!(courses, ["art1", "math204"]);
    let receipt = &shown.receipts[0];
    assert_eq!(receipt.key.as_deref(), Some("PK = STU#a91"));
    assert_eq!(receipt.consistency, Some(Consistency::Strong));
    assert_eq!(receipt.note.as_deref(), Some("profile and 2 edges"));

    let shown = wait(graph.show(&cx(), "course", "math204")).expect("an answer");
    assert_eq!(recorder.operations(), [Operation::Query]);
    let entity = shown.value.entity.expect("the course");
    assert_eq!(
        entity
            .attributes
            .get("title")
            .map(bothways_core::ValueRef::to_value),
        Some(Value::S("Algebra".into()))
    );
    assert_eq!(shown.value.edges[0].edges.len(), 2);
    assert_eq!(shown.receipts[0].index.as_deref(), Some("GSI1"));
}

#[test]
fn counts_read_one_item_where_the_ends_are_of_one_kind() {
    let recorder = Recorder::new(engine());
    let follow = graph_over(recorder.clone(), "follow", 1);
    sample(&follow);
    recorder.take();
    assert_eq!(counts(&follow, "bob"), (0, 2));
    assert_eq!(recorder.operations(), [Operation::GetItem]);
    let school = graph_over(recorder.clone(), "school", 1);
    recorder.take();
    let only = wait(school.counts(&cx(), "enrolled", "x", Some(Direction::In))).expect("counts");
    assert_eq!(
        only.value,
        Counts {
            inward: Some(0),
            ..Counts::default()
        }
    );
    assert_eq!(recorder.operations(), [Operation::GetItem]);
}

#[test]
fn a_model_that_asks_for_both_ends_refuses_strangers() {
    let mut model = bothways_graph::model::shipped("follow")
        .expect("follow")
        .model;
    model.upsert_entities = false;
    model.referential = true;
    let graph = Graph::new(engine(), model).expect("a graph");
    wait(graph.apply(&cx())).expect("a table");
    wait(graph.put_entity(&cx(), "actor", "al", &Changes::new())).expect("al");
    let error = wait(graph.link(&cx(), "follows", "al", "bo", &Changes::new()))
        .expect_err("bo is not there");
    assert_eq!(
        error,
        Error::MissingEntity {
            entity: "actor".into(),
            id: "bo".into()
        }
    );
    wait(graph.put_entity(&cx(), "actor", "bo", &Changes::new())).expect("bo");
    assert!(matches!(
        link(&graph, "al", "bo", &Changes::new()),
        Linked::Created(_)
    ));
    assert_eq!(counts(&graph, "bo"), (0, 1));
}

#[test]
fn without_either_rule_an_edge_may_reach_nobody() {
    let mut model = bothways_graph::model::shipped("follow")
        .expect("follow")
        .model;
    model.upsert_entities = false;
    let graph = Graph::new(engine(), model).expect("a graph");
    wait(graph.apply(&cx())).expect("a table");
    link(&graph, "al", "bo", &Changes::new());
    let bo = wait(graph.get_entity(&cx(), "actor", "bo"))
        .expect("an answer")
        .value
        .expect("bo");
    assert!(bo.bare);
    assert_eq!(counts(&graph, "bo"), (0, 1));
}
