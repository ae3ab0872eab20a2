//! Archived entities: hidden, and whole when they are taken back.

mod support;

use bothways_graph::{Archived, Changes, Direction, Graph, ListOptions};
use bothways_protocol::Operation;
use support::{Recorder, cx, engine, graph_over, listed, wait};

fn hydrated(graph: &Graph) -> Vec<String> {
    let options = ListOptions {
        hydrate: true,
        ..ListOptions::default()
    };
    listed(graph, "follows", Direction::Out, "al", options).0
}

#[test]
fn an_archived_entity_is_hidden_until_it_is_taken_back() {
    let recorder = Recorder::new(engine());
    let graph = graph_over(recorder.clone(), "follow", 1);
    for target in ["bo", "cy"] {
        wait(graph.link(&cx(), "follows", "al", target, &Changes::new())).expect("a link");
    }
    let archive = |id: &str| {
        wait(graph.archive(&cx(), "actor", id))
            .expect("an answer")
            .value
    };
    recorder.take();
    assert_eq!(archive("bo"), Archived::Changed);
    assert_eq!(recorder.operations(), [Operation::UpdateItem]);
    assert_eq!(archive("bo"), Archived::Unchanged);
    assert_eq!(archive("nobody"), Archived::NotFound);

    let got = wait(graph.get_entity(&cx(), "actor", "bo")).expect("an answer");
    assert_eq!(got.value, None);
    assert_eq!(
        got.receipts[0].note.as_deref(),
        Some("archived, so it is hidden")
    );
    let seen = wait(graph.inspect_entity(&cx(), "actor", "bo")).expect("an answer");
    assert_eq!(
        seen.value.expect("it is there").archived,
        Some(1_718_900_000_000)
    );
    let ids: Vec<String> = ["cy", "bo", "al", "cy"].map(str::to_owned).into();
    let several = wait(graph.get_entities(&cx(), "actor", &ids)).expect("an answer");
    let found: Vec<Option<&str>> = several
        .value
        .iter()
        .map(|e| e.as_ref().map(|e| e.id.as_str()))
        .collect();
    assert_eq!(found, [Some("cy"), None, Some("al"), Some("cy")]);
    let shown = wait(graph.show(&cx(), "actor", "bo")).expect("an answer");
    assert_eq!(shown.value.entity, None);

    // The edge is there, with its counters; lists that read their peers leave it out.
    assert_eq!(hydrated(&graph), ["cy"]);
    let plain = listed(
        &graph,
        "follows",
        Direction::Out,
        "al",
        ListOptions::default(),
    )
    .0;
    assert_eq!(plain, ["bo", "cy"]);
    let back = wait(graph.unarchive(&cx(), "actor", "bo")).expect("an answer");
    assert_eq!(back.value, Archived::Changed);
    let again = wait(graph.unarchive(&cx(), "actor", "bo")).expect("an answer");
    assert_eq!(again.value, Archived::Unchanged);
    assert_eq!(hydrated(&graph), ["bo", "cy"]);
    let bo = wait(graph.get_entity(&cx(), "actor", "bo")).expect("an answer");
    assert_eq!(
        bo.value.expect("back").counters[1],
        ("followers".to_owned(), 1)
    );
}
