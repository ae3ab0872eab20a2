//! Rows at fault, closed targets and edges that are there: each row has its own fate.

use super::support::{cx, engine, graph, wait};
use super::{Expected, Watch, import, import_with, made_up};
use bothways_core::ValueRef;
use bothways_graph::import::ImportOptions;
use bothways_graph::{Changes, Graph};

#[test]
fn rows_at_fault_are_rejected_with_their_line_and_the_rest_comes_in() {
    let text = "student,course,studied_credits,note\n\
        a,m,60,\"x, y\"\n\
        ,m,60,\n\
        # a comment\n\
        b,,30,\n\
        c,m,many,\n\
        d,m,30,z,too much\n\
        \"e,m,30,\n\
        f,m,30,\n";
    let graph = graph("school");
    let mut watch = Watch::default();
    let options = ImportOptions::default();
    let report = import_with(&graph, "enrolled", text, &options, &mut watch).expect("an import");
    let rejects: Vec<(u64, &str)> = watch
        .rejects
        .iter()
        .map(|r| (r.line, r.reason.as_str()))
        .collect();
    assert_eq!(
        rejects,
        [
            (3, "source is empty"),
            (5, "target is empty"),
            (
                6,
                "studied_credits is a number, and \"many\" is not a decimal number"
            ),
            (7, "5 columns, and there should be 4"),
            (
                8,
                "the quote that is opened in line 8 is never closed: nothing from here on was read"
            ),
        ]
    );
    assert_eq!(watch.rejects[1].row, "b,,30,");
    assert_eq!((report.rows, report.created, report.rejected), (6, 1, 5));
    let edge = wait(graph.edge(&cx(), "enrolled", "a", "m"))
        .expect("an answer")
        .value;
    let edge = edge.expect("a in m");
    assert_eq!(
        edge.attributes.get("note").map(ValueRef::to_value),
        Some(bothways_core::Value::S("x, y".into()))
    );
}

#[test]
fn a_closed_target_rejects_its_rows_and_no_others() {
    let mut model = bothways_graph::model::shipped("follow")
        .expect("follow")
        .model;
    model.upsert_entities = false;
    model.referential = true;
    let graph = Graph::new(engine(), model).expect("a graph");
    wait(graph.apply(&cx())).expect("a table");
    for id in ["a", "b", "c"] {
        wait(graph.put_entity(&cx(), "actor", id, &Changes::new())).expect("an actor");
    }
    let mut watch = Watch::default();
    let options = ImportOptions::default();
    let text = "a\tb\na\tx\nb\tc\ny\tc\n";
    let report = import_with(&graph, "follows", text, &options, &mut watch).expect("an import");
    let mut rejects: Vec<(u64, &str)> = watch
        .rejects
        .iter()
        .map(|r| (r.line, r.reason.as_str()))
        .collect();
    rejects.sort_unstable();
    assert_eq!(rejects, [(2, "x does not exist"), (4, "y does not exist")]);
    assert_eq!((report.created, report.rejected), (2, 2));
    Expected::tsv("a\tb\nb\tc\n").holds(&graph, "follows", 1);
}

#[test]
fn edges_that_are_there_are_left_out_and_the_rest_of_their_chunk_is_written() {
    let graph = graph("follow");
    let text = made_up(3, 2000);
    let rows: Vec<&str> = text.lines().skip(1).collect();
    // Every third edge is there before, so that nearly every transaction meets some.
    for row in rows.iter().step_by(3) {
        let (source, target) = row.split_once('\t').expect("two columns");
        wait(graph.link(&cx(), "follows", source, target, &Changes::new())).expect("a link");
    }
    let expected = Expected::tsv(&text);
    let all: usize = expected.out.values().map(Vec::len).sum();
    let report = import(&graph, "follows", &text);
    assert!(report.existing > 300);
    assert_eq!(report.created + report.existing, all as u64);
    assert_eq!(report.created + report.existing + report.repeated, 2000);
    expected.holds(&graph, "follows", 1);
}
