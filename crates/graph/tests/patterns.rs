//! Every pattern of every shipped model, run on a table and held against its proof.

mod support;

use bothways_graph::model::shipped_models;
use bothways_graph::{Changes, Graph, PatternOptions};
use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use std::sync::Arc;
use support::{cx, engine, graph_over, wait};

#[test]
fn every_pattern_of_every_shipped_model_is_as_proved() {
    for file in shipped_models() {
        let graph = graph_over(engine(), file.name, 1);
        for relation in graph.model().relations.clone() {
            for (source, target) in [("ann", "bob"), ("ann", "cid"), ("dan", "bob")] {
                wait(graph.link(&cx(), &relation.name, source, target, &Changes::new()))
                    .expect("a link");
            }
        }
        let count = |graph: &Graph| wait(graph.export_count());
        let before = count(&graph);
        for write in [false, true] {
            let options = PatternOptions {
                write,
                ..PatternOptions::default()
            };
            let report = wait(graph.run_patterns(&cx(), &options))
                .expect("a report")
                .value;
            assert!(report.holds(), "{}: {:#?}", file.name, report.patterns);
            let ran = report
                .patterns
                .iter()
                .filter(|run| run.skipped.is_none())
                .count();
            assert!(ran > 0, "{}: {:#?}", file.name, report.patterns);
        }
        assert_eq!(count(&graph), before, "{}: nothing is left over", file.name);
    }
}

/// Items of a table, by a Scan.
trait Count {
    async fn export_count(&self) -> usize;
}

impl Count for Graph {
    async fn export_count(&self) -> usize {
        let relations = self.model().relations.clone();
        let mut edges = 0;
        for relation in relations {
            let mut out = Vec::new();
            let format = bothways_graph::ExportFormat::JsonLines;
            let report = self
                .export(&cx(), &relation.name, format, &mut out, &mut |_| true)
                .await;
            edges += usize::try_from(report.expect("an export").edges).expect("few");
        }
        edges
    }
}

/// Reads strongly what was to be read as it comes.
struct Stronger(Arc<dyn DynamoDb>);

impl DynamoDb for Stronger {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        mut r: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        if let Request::GetItem(input) = &mut r {
            input.consistent_read = Some(false);
        }
        Box::pin(async move {
            let mut answer = self.0.call(cx, r).await?;
            if let Response::GetItem(output) = &mut answer
                && let Some(capacity) = &mut output.consumed_capacity
            {
                capacity.capacity_units = Some(bothways_protocol::types::Units::whole(9));
            }
            Ok(answer)
        })
    }
}

#[test]
fn what_costs_more_than_planned_is_told() {
    let graph = graph_over(Arc::new(Stronger(engine())), "follow", 1);
    wait(graph.link(&cx(), "follows", "ann", "bob", &Changes::new())).expect("a link");
    let report = wait(graph.run_patterns(&cx(), &PatternOptions::default()))
        .expect("a report")
        .value;
    assert!(!report.holds());
    let all: Vec<&String> = report
        .patterns
        .iter()
        .flat_map(|run| &run.differences)
        .collect();
    assert!(
        all.iter()
            .any(|d| d.starts_with("9 read units were used where")),
        "{all:?}"
    );
}
