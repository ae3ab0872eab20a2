//! Import: the real files in full where they are, exact whatever happens on the way.

mod deaths;
mod exports;
mod leases;
mod rows;
#[path = "../support/mod.rs"]
mod support;

use bothways_core::ValueRef;
use bothways_graph::import::{
    ImportObserver, ImportOptions, ImportReport, ImportSource, Progress, Reject, Unobserved,
};
use bothways_graph::{Direction, Error, Graph, ListOptions, escape};
use bothways_protocol::{Operation, Request};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use support::{
    Recorder, cx, draw, engine, graph, graph_over, is_write, listed, operation, shared, wait,
};

fn import_with(
    graph: &Graph,
    relation: &str,
    text: &str,
    options: &ImportOptions,
    observer: &mut dyn ImportObserver,
) -> Result<ImportReport, Error> {
    let source = ImportSource {
        name: "votes".into(),
        reader: Box::new(text.as_bytes()),
        bytes: Some(text.len() as u64),
    };
    wait(graph.import(&cx(), relation, source, options, observer))
}

fn import(graph: &Graph, relation: &str, text: &str) -> ImportReport {
    let options = ImportOptions::default();
    import_with(graph, relation, text, &options, &mut Unobserved).expect("an import")
}

/// Edges of a file as a plain model of what the table should hold.
#[derive(Default)]
struct Expected {
    out: BTreeMap<String, Vec<String>>,
    inward: BTreeMap<String, Vec<String>>,
}

impl Expected {
    fn of<'t>(pairs: impl Iterator<Item = (&'t str, &'t str)>) -> Self {
        let mut expected = Self::default();
        for (source, target) in pairs {
            let (source, target) = (source.to_owned(), target.to_owned());
            expected
                .out
                .entry(source.clone())
                .or_default()
                .push(target.clone());
            expected.inward.entry(target).or_default().push(source);
        }
        for list in expected
            .out
            .values_mut()
            .chain(expected.inward.values_mut())
        {
            list.sort_by(|a, b| escape(a).cmp(&escape(b)));
            list.dedup();
        }
        expected
    }

    fn tsv(text: &str) -> Self {
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        Self::of(rows.filter_map(|line| line.split_once('\t')))
    }

    /// Every `step`th id has the lists and the counters of the file.
    fn holds(&self, graph: &Graph, relation: &str, step: usize) {
        for (direction, lists) in [(Direction::Out, &self.out), (Direction::In, &self.inward)] {
            for (id, want) in lists.iter().step_by(step) {
                let (got, _) = listed(graph, relation, direction, id, ListOptions::default());
                assert_eq!(&got, want, "{direction:?} of {id}");
                let counts = wait(graph.counts(&cx(), relation, id, Some(direction)));
                let counts = counts.expect("counts").value;
                let count = counts.out.or(counts.inward);
                assert_eq!(
                    count,
                    i64::try_from(want.len()).ok(),
                    "{direction:?} of {id}"
                );
            }
        }
    }
}

/// Optimised builds take the real files whole; others their first lines, to stay within seconds.
const WHOLE: bool = !cfg!(debug_assertions);

fn some_of(text: String) -> String {
    if WHOLE {
        return text;
    }
    text.lines()
        .take(5000)
        .flat_map(|line| [line, "\n"])
        .collect()
}

/// Random pairs, some of them twice.
fn made_up(seed: u64, rows: u64) -> String {
    let mut state = seed;
    let mut text = String::from("# made up\n");
    for _ in 0..rows {
        let source = draw(&mut state, 60);
        // A few targets take most of the edges.
        let target = draw(&mut state, 40).min(draw(&mut state, 40)) + 30;
        let _ = writeln!(text, "{source}\t{target}");
    }
    text
}

#[test]
fn the_votes_come_in_whole_are_read_both_ways_and_are_not_written_twice() {
    // Where the real file is not there, made-up votes stand in.
    let real = shared("wiki-vote.tsv");
    let text = real.clone().map_or_else(|| made_up(1, 3000), some_of);
    let expected = Expected::tsv(&text);
    let edges: usize = expected.out.values().map(Vec::len).sum();
    let recorder = Recorder::counting(engine());
    let graph = graph_over(recorder.clone(), "follow", 1);
    let report = import(&graph, "follows", &text);
    assert_eq!(
        (report.created, report.existing, report.rejected),
        (edges as u64, 0, 0)
    );
    if real.is_some() && WHOLE {
        assert_eq!(edges, 103_689);
        assert!(
            report.transactions < 2120,
            "{} transactions",
            report.transactions
        );
        assert_eq!(expected.inward.values().map(Vec::len).max(), Some(457));
    }
    assert!(recorder.writes() > 0);
    recorder.reset();
    let again = import(&graph, "follows", &text);
    assert_eq!(
        (again.created, again.existing, again.writes),
        (0, edges as u64, 0)
    );
    assert_eq!(recorder.writes(), 0);
    expected.holds(
        &graph,
        "follows",
        if cfg!(debug_assertions) { 7 } else { 1 },
    );

    let busiest = expected
        .inward
        .iter()
        .max_by_key(|(_, list)| list.len())
        .expect("a target");
    recorder.reset();
    let options = ListOptions {
        limit: Some(50),
        ..ListOptions::default()
    };
    let (got, pages) = listed(&graph, "follows", Direction::In, busiest.0, options);
    assert_eq!(&got, busiest.1);
    assert_eq!(pages, busiest.1.len().div_ceil(50) as u64);
    assert_eq!(recorder.count(Operation::Query), pages);
}

fn made_up_enrolments() -> String {
    let mut text = "student,course,studied_credits,previous_attempts,result\n".to_owned();
    for i in 0..300 {
        let result = if i % 3 == 0 { "" } else { "Pass" };
        let _ = writeln!(text, "{},C{},{},0,{result}", i / 2, i % 7, i * 10);
    }
    text
}

#[test]
fn the_enrolments_come_in_with_their_results_on_the_edge() {
    let real = shared("oulad-enrolments.csv");
    let text = real.clone().map_or_else(made_up_enrolments, some_of);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|l| l.split(',').collect())
        .collect();
    let expected = Expected::of(rows.iter().map(|r| (r[0], r[1])));
    let graph = graph("school");
    let report = import(&graph, "enrolled", &text);
    assert_eq!((report.created, report.rejected), (rows.len() as u64, 0));
    if real.is_some() && WHOLE {
        assert_eq!(
            (rows.len(), expected.out.len(), expected.inward.len()),
            (32_593, 28_785, 22)
        );
    }
    let again = import(&graph, "enrolled", &text);
    assert_eq!((again.created, again.writes), (0, 0));
    expected.holds(
        &graph,
        "enrolled",
        if cfg!(debug_assertions) { 9 } else { 1 },
    );
    for row in rows.iter().step_by(97) {
        let edge = wait(graph.edge(&cx(), "enrolled", row[0], row[1]))
            .expect("an answer")
            .value;
        let mut json = Vec::new();
        edge.expect("an enrolment").attributes.write_json(&mut json);
        let result = match row[4] {
            "" => String::new(),
            result => format!("\"result\":{{\"S\":\"{result}\"}},"),
        };
        let want = format!(
            "{{\"previous_attempts\":{{\"N\":\"{}\"}},{result}\"studied_credits\":{{\"N\":\"{}\"}}}}",
            row[3], row[2]
        );
        assert_eq!(String::from_utf8(json).expect("text"), want);
    }
    // A course that an import put leads its roster.
    let course = expected.inward.keys().next().expect("a course");
    let shown = wait(graph.show(&cx(), "course", course))
        .expect("an answer")
        .value;
    assert_eq!(shown.entity.map(|e| e.id).as_ref(), Some(course));
}

#[derive(Default)]
struct Watch {
    rejects: Vec<Reject>,
    last: Progress,
    stop_at: Option<u64>,
}

impl ImportObserver for Watch {
    fn progress(&mut self, progress: &Progress) {
        assert!(progress.created + progress.existing >= self.last.created + self.last.existing);
        assert!(progress.bytes_read <= progress.bytes_total.expect("known"));
        self.last = *progress;
    }
    fn rejected(&mut self, reject: &Reject) {
        self.rejects.push(reject.clone());
    }
    fn stop(&mut self) -> bool {
        self.stop_at.is_some_and(|at| self.last.created >= at)
    }
}

#[test]
fn the_sample_is_the_guides_rows_and_loading_it_again_changes_nothing() {
    let recorder = Recorder::new(engine());
    let follow = graph_over(recorder.clone(), "follow", 1);
    let sampled = wait(follow.load_sample(&cx())).expect("a sample").value;
    assert_eq!((sampled.created, sampled.existing), (2503, 0));
    recorder.take();
    let again = wait(follow.load_sample(&cx())).expect("a sample").value;
    assert_eq!((again.created, again.existing), (0, 2503));
    assert!(!recorder.operations().into_iter().any(is_write));
    for (source, target, at) in [
        ("alice", "bob", "1718900000"),
        ("alice", "carol", "1718900100"),
        ("dave", "bob", "1718900200"),
    ] {
        let edge = wait(follow.edge(&cx(), "follows", source, target))
            .expect("an answer")
            .value;
        let at_edge = edge.and_then(|e| e.attributes.get("createdAt").map(ValueRef::to_value));
        let number = bothways_core::Number::parse(at).expect("a number");
        assert_eq!(at_edge, Some(bothways_core::Value::N(number)));
    }
    let school = graph_over(recorder.clone(), "school", 2);
    let sampled = wait(school.reset(&cx())).expect("a sample").value;
    assert_eq!(sampled.created, 2501);
    let shown = wait(school.show(&cx(), "student", "a91"))
        .expect("an answer")
        .value;
    assert_eq!(shown.edges[0].edges.len(), 1);
    let social = graph_over(recorder, "social", 3);
    assert_eq!(
        wait(social.load_sample(&cx()))
            .expect("a sample")
            .value
            .created,
        4
    );
}

#[test]
fn several_transactions_are_in_flight_and_none_share_an_item() {
    let recorder = Recorder::new(engine());
    let graph = graph_over(recorder.clone(), "follow", 1);
    import(&graph, "follows", &made_up(7, 500));
    let writes = recorder.take();
    let writes = writes
        .iter()
        .filter(|r| operation(r) == Operation::TransactWriteItems);
    for request in writes {
        let Request::TransactWriteItems(input) = request else {
            continue;
        };
        let actions = input.transact_items.as_ref().expect("actions");
        assert!(actions.len() <= 100);
        let mut keys: Vec<Vec<u8>> = actions
            .iter()
            .map(|action| {
                let put = action.put.as_ref().and_then(|p| p.item.as_ref());
                let update = action.update.as_ref().and_then(|u| u.key.as_ref());
                let item = &put.or(update).expect("an item").value;
                item.only(&["PK", "SK"]).bytes().to_vec()
            })
            .collect();
        keys.sort();
        let before = keys.len();
        keys.dedup();
        assert_eq!(keys.len(), before);
    }
}
