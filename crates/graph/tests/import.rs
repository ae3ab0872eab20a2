//! Import: the real files in full where they are, exact whatever happens on the way.

mod support;

use bothways_core::ValueRef;
use bothways_graph::import::{
    FileError, ImportObserver, ImportOptions, ImportReport, ImportSource, Progress, Reject,
    Unobserved,
};
use bothways_graph::{Changes, Direction, Error, ExportFormat, Graph, ListOptions, escape};
use bothways_protocol::{
    BoxFuture, Context, DynamoDb, Error as DbError, ErrorKind, Operation, Request, Response,
};
use bothways_store::{FaultyStore, MemoryStore, Plan};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use support::{
    Recorder, cx, draw, engine, engine_over, graph, graph_over, is_write, listed, operation,
    shared, wait,
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
            (8, "its quotes do not match"),
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

/// Answers a number of item calls, and from then on none: what it did in the last ones may be done or not.
struct Dying {
    inner: Arc<dyn DynamoDb>,
    left: AtomicI64,
}

impl DynamoDb for Dying {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, DbError>> {
        Box::pin(async move {
            let left = self.left.fetch_sub(1, Ordering::Relaxed);
            let dead = || DbError::new(ErrorKind::Validation, "killed");
            if left <= 0 {
                return Err(dead());
            }
            let answer = self.inner.call(cx, request).await;
            if left <= 2 { Err(dead()) } else { answer }
        })
    }
}

#[test]
fn an_import_killed_anywhere_and_run_again_is_exact() {
    let text = made_up(4, 1500);
    let expected = Expected::tsv(&text);
    let options = ImportOptions {
        window: 300,
        ..ImportOptions::default()
    };
    for lives in [3, 7, 12, 20, 33] {
        let db = engine();
        graph_over(db.clone(), "follow", 1);
        let mut runs = 0;
        loop {
            let dying = Dying {
                inner: db.clone(),
                left: AtomicI64::new(lives + runs),
            };
            let model = bothways_graph::model::shipped("follow")
                .expect("follow")
                .model;
            let graph = Graph::new(Arc::new(dying), model).expect("a graph");
            runs += 1;
            if import_with(&graph, "follows", &text, &options, &mut Unobserved).is_ok() {
                break;
            }
            assert!(runs < 1000, "it never ends");
        }
        assert!(runs > 1, "it was killed");
        let graph = graph_over(db, "follow", 2);
        expected.holds(&graph, "follows", 1);
        assert_eq!(import(&graph, "follows", &text).writes, 0);
    }
}

#[test]
fn a_process_that_dies_at_any_step_leaves_every_counter_equal_to_its_list() {
    let text = made_up(8, 400);
    let expected = Expected::tsv(&text);
    let options = ImportOptions {
        window: 150,
        in_flight: 4,
        ..ImportOptions::default()
    };
    let plan = |dies_at, seed| Plan {
        seed,
        most_delay: 3,
        dies_at,
        ..Plan::default()
    };
    let store = |plan| FaultyStore::new(Arc::new(MemoryStore::new()), plan).expect("a store");
    let whole = Arc::new(store(plan(None, 1)));
    let graph = graph_over(engine_over(whole.clone()), "follow", 1);
    let start = whole.steps();
    import_with(&graph, "follows", &text, &options, &mut Unobserved).expect("an import");
    let steps = whole.steps() - start;
    for part in 1..20 {
        let store = Arc::new(store(plan(Some(start + steps * part / 20), part)));
        let graph = graph_over(engine_over(store.clone()), "follow", part);
        let died = import_with(&graph, "follows", &text, &options, &mut Unobserved);
        assert!(died.is_err() && store.is_dead());
        let store = store.reopen(plan(None, part)).expect("what was durable");
        let graph = graph_over(engine_over(Arc::new(store)), "follow", 100 + part);
        for (direction, lists) in [
            (Direction::Out, &expected.out),
            (Direction::In, &expected.inward),
        ] {
            for id in lists.keys() {
                let (list, _) = listed(&graph, "follows", direction, id, ListOptions::default());
                let counts = wait(graph.counts(&cx(), "follows", id, Some(direction)));
                let counts = counts.expect("counts").value;
                let count = counts.out.or(counts.inward);
                assert_eq!(
                    count,
                    i64::try_from(list.len()).ok(),
                    "{direction:?} of {id}"
                );
            }
        }
        import_with(&graph, "follows", &text, &options, &mut Unobserved).expect("the rest");
        expected.holds(&graph, "follows", 1);
    }
}

#[test]
fn a_stopped_import_goes_on_where_it_was_and_wants_the_same_file() {
    let text = made_up(5, 2000);
    let graph = graph("follow");
    let options = ImportOptions {
        window: 250,
        ..ImportOptions::default()
    };
    let mut watch = Watch {
        stop_at: Some(700),
        ..Watch::default()
    };
    let report = import_with(&graph, "follows", &text, &options, &mut watch).expect("an import");
    assert!(report.stopped);

    let other = text.replacen("# made up", "# made ut", 1);
    let error = import_with(&graph, "follows", &other, &options, &mut Unobserved)
        .expect_err("another file");
    assert!(
        matches!(error, Error::File(FileError::Changed { rows: 750.., .. })),
        "{error}"
    );
    // The refusal forgot how far it was: the next run begins at the first row and finds what is there.
    let report =
        import_with(&graph, "follows", &text, &options, &mut Unobserved).expect("an import");
    assert!(!report.stopped);
    assert_eq!(report.resumed_rows, 0);
    Expected::tsv(&text).holds(&graph, "follows", 1);
}

#[test]
fn a_resumed_import_skips_the_rows_that_were_done() {
    let text = made_up(6, 2000);
    let graph = graph("follow");
    let options = ImportOptions {
        window: 250,
        ..ImportOptions::default()
    };
    let mut watch = Watch {
        stop_at: Some(700),
        ..Watch::default()
    };
    import_with(&graph, "follows", &text, &options, &mut watch).expect("an import");
    let report =
        import_with(&graph, "follows", &text, &options, &mut Unobserved).expect("an import");
    assert!(
        report.resumed_rows >= 500 && report.resumed_rows.is_multiple_of(250),
        "{report:?}"
    );
    assert_eq!(report.rows, 2000);
    Expected::tsv(&text).holds(&graph, "follows", 1);
    let items = export(&graph, "follows", ExportFormat::JsonLines);
    assert!(!items.contains("BOTHWAYS"));
}

fn export(graph: &Graph, relation: &str, format: ExportFormat) -> String {
    let mut out = Vec::new();
    let report = wait(graph.export(&cx(), relation, format, &mut out, &mut |_| true));
    let report = report.expect("an export");
    assert!(report.receipt.read.0 > 0 && report.left_out.is_empty());
    String::from_utf8(out).expect("text")
}

#[test]
fn what_is_exported_can_be_imported_again() {
    let graph = graph("school");
    let text = "student,course,enrolledOn,grade,studied_credits\n\
        \"a,1\",\"m\"\"2\",2026-09-01,A,60\n#b,m,,,\nc,m,,B,1.50\n";
    import(&graph, "enrolled", text);
    for format in [ExportFormat::Csv, ExportFormat::Tsv] {
        let exported = export(&graph, "enrolled", format);
        let copy = support::graph("school");
        let report = import(&copy, "enrolled", &exported);
        assert_eq!((report.created, report.rejected), (2, 0), "{exported}");
        let sorted = |graph: &Graph| {
            let text = export(graph, "enrolled", ExportFormat::JsonLines);
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&copy), sorted(&graph));
        assert_eq!(
            sorted(&copy)[0],
            "{\"source\":\"a,1\",\"target\":\"m\\\"2\",\"attributes\":{\"enrolledOn\":{\"S\":\"2026-09-01\"},\"grade\":{\"S\":\"A\"},\"studied_credits\":{\"N\":\"60\"}}}"
        );
    }
}

#[test]
fn what_a_format_cannot_hold_is_an_error_or_quoted() {
    let graph = graph("school");
    import(&graph, "enrolled", "student,course\n\"#a\",m\n");
    assert_eq!(
        export(&graph, "enrolled", ExportFormat::Csv).lines().nth(1),
        Some("\"#a\",m,,,,,")
    );
    let (mut out, tsv) = (Vec::new(), ExportFormat::Tsv);
    let error = wait(graph.export(&cx(), "enrolled", tsv, &mut out, &mut |_| true))
        .expect_err("it would be read as a comment");
    assert_eq!(
        error.to_string(),
        "\"#a\" holds a tab or a line end or begins like a comment, and a tab-separated file cannot hold that"
    );
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
