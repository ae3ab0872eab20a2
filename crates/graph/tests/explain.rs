//! Explained operations: every request, what it costs, and nothing sent.

mod support;

use bothways_graph::model::shipped;
use bothways_graph::{
    CascadeOptions, Changes, Direction, EdgeOptions, Explained, Explainer, Graph, ListOptions,
    NearOptions, VerifyOptions,
};
use bothways_protocol::{BoxFuture, Operation};
use support::{created_at, cx, engine, graph_over, wait};

/// What an operation would send: the operations with how often, and its units.
fn explained(
    model: &str,
    run: impl for<'g> FnOnce(&'g Graph) -> BoxFuture<'g, ()>,
) -> (Vec<(Operation, u64)>, Explained) {
    let model = shipped(model).expect("it ships").model;
    let explainer = Explainer::new(&model);
    let graph = explainer.graph(model).expect("a good model");
    wait(run(&graph));
    let taken = explainer.take();
    let kinds = taken.kinds.iter();
    let kinds = kinds.map(|k| (k.request.operation().expect("a name"), k.times));
    (kinds.collect(), taken)
}

#[test]
fn the_estimate_of_an_edge_is_what_it_costs() {
    let (sent, link) = explained("follow", |graph| {
        Box::pin(async {
            let done = graph
                .link(&cx(), "follows", "al", "bo", &created_at(1))
                .await;
            done.expect("imagined");
        })
    });
    assert_eq!(sent, [(Operation::TransactWriteItems, 1)]);
    let (_, unlink) = explained("follow", |graph| {
        Box::pin(async {
            let done = graph.unlink(&cx(), "follows", "al", "bo").await;
            done.expect("imagined");
        })
    });
    let graph = graph_over(engine(), "follow", 1);
    let made = wait(graph.link(&cx(), "follows", "al", "bo", &created_at(1))).expect("a link");
    assert_eq!(made.receipts[0].write, link.write());
    let gone = wait(graph.unlink(&cx(), "follows", "al", "bo")).expect("an unlink");
    assert_eq!(gone.receipts[0].write, unlink.write());
}

#[test]
fn what_rests_on_answers_is_explained_too() {
    let (sent, near) = explained("social", |graph| {
        Box::pin(async {
            let options = NearOptions::default();
            let done = graph.near(&cx(), "follows", "al", &options).await;
            done.expect("imagined");
        })
    });
    let queries: u64 = sent.iter().map(|(_, times)| times).sum();
    assert!(queries > 1 && !near.cut, "{sent:?}");
    let (sent, _) = explained("follow", |graph| {
        Box::pin(async {
            let options = ListOptions {
                hydrate: true,
                limit: Some(10),
                ..ListOptions::default()
            };
            let list = graph
                .list(&cx(), "follows", Direction::In, "bo", &options)
                .await;
            assert_eq!(list.expect("imagined").value.edges.len(), 10);
        })
    });
    assert_eq!(sent, [(Operation::Query, 1), (Operation::BatchGetItem, 1)]);
}

#[test]
fn jobs_and_moves_of_shards_end_without_waiting() {
    let began = std::time::Instant::now();
    let (sent, cascade) = explained("follow", |graph| {
        Box::pin(async {
            let options = CascadeOptions::default();
            let job = graph.cascade(&cx(), "actor", "al", &options).await;
            let id = job.expect("imagined").value.id;
            graph.run_job(&cx(), &id, &mut ()).await.expect("imagined");
        })
    });
    let deletes = sent
        .iter()
        .any(|(o, _)| *o == Operation::TransactWriteItems);
    assert!(deletes && !cascade.cut, "{sent:?}");
    let (_, grow) = explained("follow", |graph| {
        Box::pin(async {
            let grown = graph.grow_shards(&cx(), "follows", "al", 4).await;
            grown.expect("imagined");
        })
    });
    assert!(grow.times() > 3);
    let (sent, _) = explained("follow", |graph| {
        Box::pin(async {
            let job = graph.verify(&cx(), &VerifyOptions::default()).await;
            let id = job.expect("imagined").value.id;
            graph.run_job(&cx(), &id, &mut ()).await.expect("imagined");
        })
    });
    assert!(sent.iter().any(|(o, _)| *o == Operation::Scan), "{sent:?}");
    assert!(began.elapsed() < std::time::Duration::from_secs(5));
}

#[test]
fn an_operation_that_is_refused_before_it_sends_has_nothing_to_explain() {
    let (sent, _) = explained("follow", |graph| {
        Box::pin(async {
            let options = EdgeOptions::default();
            let none = Changes::new();
            let refused = graph
                .create(&cx(), "follows", "", "bo", &none, &options)
                .await;
            assert!(refused.is_err());
        })
    });
    assert_eq!(sent, []);
}
