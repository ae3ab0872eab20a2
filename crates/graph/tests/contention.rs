//! Many clients at once, lost answers, transactions in each other's way: nothing is lost and nothing done twice.

mod support;

use bothways_graph::{Changes, Direction, Error, Graph, Linked, ListOptions, Unlinked};
use bothways_protocol::{
    BoxFuture, CancellationReason, Context, DynamoDb, Error as DbError, ErrorKind, Operation,
    Request, Response,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use support::{BadLine, cx, draw, engine, graph_over, listed, operation, wait};

fn followers(graph: &Graph, id: &str) -> (usize, i64) {
    let (list, _) = listed(graph, "follows", Direction::In, id, ListOptions::default());
    let counts = wait(graph.counts(&cx(), "follows", id, None))
        .expect("counts")
        .value;
    (list.len(), counts.inward.expect("a counter"))
}

/// Follows and unfollows one target at random; answers whether each source follows at the end.
fn churn(graph: &Graph, client: u64, steps: u64) -> Vec<(String, bool)> {
    let mut state = client + 1;
    let mut follows = vec![false; 5];
    for _ in 0..steps {
        let i = usize::try_from(draw(&mut state, 5)).expect("small");
        let source = format!("c{client}-{i}");
        if draw(&mut state, 2) == 0 {
            let linked = wait(graph.link(&cx(), "follows", &source, "star", &Changes::new()));
            let created = matches!(linked.expect("an answer").value, Linked::Created(_));
            assert_eq!(created, !follows[i], "{source}");
            follows[i] = true;
        } else {
            let unlinked = wait(graph.unlink(&cx(), "follows", &source, "star"));
            let removed = unlinked.expect("an answer").value == Unlinked::Removed;
            assert_eq!(removed, follows[i], "{source}");
            follows[i] = false;
        }
    }
    let named = follows.into_iter().enumerate();
    named.map(|(i, f)| (format!("c{client}-{i}"), f)).collect()
}

#[test]
fn sixteen_clients_at_one_celebrity_leave_the_counter_equal_to_the_list() {
    let graph = graph_over(engine(), "follow", 1);
    let graph = &graph;
    let mut want: Vec<String> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..16)
            .map(|c| scope.spawn(move || churn(graph, c, 60)))
            .collect();
        let ends = clients
            .into_iter()
            .flat_map(|c| c.join().expect("a client"));
        ends.filter(|(_, follows)| *follows)
            .map(|(source, _)| source)
            .collect()
    });
    want.sort();
    let (list, _) = listed(
        graph,
        "follows",
        Direction::In,
        "star",
        ListOptions::default(),
    );
    assert_eq!(list, want);
    assert_eq!(
        followers(graph, "star"),
        (want.len(), i64::try_from(want.len()).expect("small"))
    );
}

#[test]
fn a_line_that_loses_requests_and_answers_changes_no_outcome() {
    for seed in 0..20 {
        let line = BadLine::new(engine(), seed, 40);
        let graph = graph_over(line.clone(), "follow", seed);
        let want: usize = churn(&graph, seed, 60).iter().filter(|(_, f)| *f).count();
        line.mend();
        assert_eq!(
            followers(&graph, "star"),
            (want, i64::try_from(want).expect("small")),
            "seed {seed}"
        );
    }
}

/// What to do with the next writing calls.
enum Turn {
    /// Answer with this error and pass nothing on.
    Refuse(DbError),
    /// Pass it on and lose the answer; tokens count for nothing from here on.
    LoseAnswer,
}

/// Takes turns; afterwards passes everything on. Strips tokens, as a backend does that has forgotten them.
struct Scripted {
    inner: Arc<dyn DynamoDb>,
    turns: Mutex<VecDeque<Turn>>,
}

impl DynamoDb for Scripted {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        mut request: Request,
    ) -> BoxFuture<'a, Result<Response, DbError>> {
        Box::pin(async move {
            if operation(&request) != Operation::TransactWriteItems {
                return self.inner.call(cx, request).await;
            }
            if let Request::TransactWriteItems(input) = &mut request {
                input.client_request_token = None;
            }
            let turn = self.turns.lock().expect("a lock").pop_front();
            match turn {
                Some(Turn::Refuse(error)) => Err(error),
                Some(Turn::LoseAnswer) => {
                    self.inner.call(cx, request).await?;
                    Err(DbError::new(ErrorKind::NoAnswer, "the line is down"))
                }
                None => self.inner.call(cx, request).await,
            }
        })
    }
}

fn scripted(turns: Vec<Turn>) -> Graph {
    let db = Arc::new(Scripted {
        inner: engine(),
        turns: Mutex::new(turns.into()),
    });
    graph_over(db, "follow", 5)
}

fn cancelled(codes: &[&str]) -> DbError {
    let mut error = DbError::new(ErrorKind::TransactionCanceled, "cancelled");
    let reason = |code: &&str| CancellationReason {
        code: (*code).to_owned(),
        ..CancellationReason::default()
    };
    error.reasons = codes.iter().map(reason).collect();
    error
}

#[test]
fn a_retry_that_finds_its_own_edge_reports_it_created() {
    let graph = scripted(vec![Turn::LoseAnswer]);
    let done =
        wait(graph.link(&cx(), "follows", "al", "star", &Changes::new())).expect("an answer");
    assert!(matches!(done.value, Linked::Created(_)));
    assert_eq!(done.receipts[0].retries, 1);
    assert_eq!(followers(&graph, "star"), (1, 1));
}

#[test]
fn conflicts_are_sent_again_and_counted() {
    let conflict = || Turn::Refuse(cancelled(&["None", "TransactionConflict", "None"]));
    let in_progress = Turn::Refuse(DbError::new(ErrorKind::TransactionInProgress, "wait"));
    let graph = scripted(vec![conflict(), in_progress, conflict()]);
    let done =
        wait(graph.link(&cx(), "follows", "al", "star", &Changes::new())).expect("an answer");
    let receipt = &done.receipts[0];
    assert_eq!(
        (receipt.requests, receipt.retries, receipt.conflicts),
        (4, 3, 2)
    );
}

#[test]
fn a_fault_that_no_repetition_mends_is_told_at_once() {
    let graph = scripted(vec![Turn::Refuse(cancelled(&[
        "None",
        "ValidationError",
        "TransactionConflict",
    ]))]);
    let error =
        wait(graph.link(&cx(), "follows", "al", "star", &Changes::new())).expect_err("a fault");
    assert!(matches!(error, Error::Database(_)), "{error}");
    assert_eq!(followers(&graph, "star"), (0, 0));
}

#[test]
fn when_the_time_is_up_an_unknown_fate_is_not_called_a_failure() {
    let at_once = Context {
        deadline: Some(Instant::now()),
        ..Context::default()
    };
    let graph = scripted(vec![Turn::LoseAnswer]);
    let error =
        wait(graph.link(&at_once, "follows", "al", "star", &Changes::new())).expect_err("late");
    let Error::Unknown { op_id, .. } = error else {
        panic!("{error}")
    };
    let edge = wait(graph.edge(&cx(), "follows", "al", "star"))
        .expect("an answer")
        .value;
    assert_eq!(edge.expect("it was done").op_id, Some(op_id));

    let graph = scripted(vec![Turn::Refuse(cancelled(&["TransactionConflict"]))]);
    let error =
        wait(graph.link(&at_once, "follows", "al", "star", &Changes::new())).expect_err("late");
    assert!(
        matches!(error, Error::Contended { attempts: 1, .. }),
        "{error}"
    );
}
