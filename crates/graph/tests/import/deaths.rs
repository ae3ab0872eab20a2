//! Imports that die or are stopped, and are run again.

use super::exports::export;
use super::support::{cx, engine, engine_over, graph, graph_over, listed, wait};
use super::{Expected, Watch, import, import_with, made_up};
use bothways_graph::import::{FileError, ImportOptions, Unobserved};
use bothways_graph::{Direction, Error, ExportFormat, Graph, ListOptions};
use bothways_protocol::{
    BoxFuture, Context, DynamoDb, Error as DbError, ErrorKind, Request, Response,
};
use bothways_store::{FaultyStore, MemoryStore, Plan};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

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
        // Its clock is the machine's, and nobody wants to wait for leases of the dead.
        take_over: true,
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
