//! One access pattern run, and the layer's verdict on it. What writes is not run here: the command line does, with `--write`.

use crate::answer::{Refusal, Result};
use crate::api::Query;
use crate::record::Recorder;
use crate::shapes::{PatternRan, Planned, Receipt};
use crate::{Connection, FirstEdge, Shown};
use bothways_graph::model::Pattern;
use bothways_graph::{Asked, Graph, PatternOptions, PatternRun, Skip};
use bothways_protocol::{Context, DynamoDb};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Runs a pattern by its name: with the ids that are given, with those of an edge that is known to be there, or with an
/// example that is looked for in one page of the table.
pub(crate) async fn run(
    connection: &Connection,
    shown: &Shown,
    name: &str,
    query: &Query,
) -> Result<PatternRan> {
    let pattern = shown.model.patterns.iter().find(|p| p.name == name);
    let pattern = pattern.ok_or_else(|| Refusal::not_found("pattern", name))?;
    let given = |end| query.get(end).filter(|id| !id.is_empty());
    let (source, target) = match (given("source"), given("target")) {
        (Some(source), Some(target)) => (Some(source.to_owned()), Some(target.to_owned())),
        (None, None) => first(shown, pattern)
            .map(|edge| (edge.source.clone(), edge.target.clone()))
            .unzip(),
        _ => {
            return Err(Refusal::bad_request(
                "source and target are given together: they are the ends of an edge",
            ));
        }
    };
    let recorder = Recorder::new(Arc::clone(&connection.db));
    let db: Arc<dyn DynamoDb> = Arc::<Recorder>::clone(&recorder);
    let graph = Graph::new(db, shown.model.clone())?;
    let options = PatternOptions {
        source,
        target,
        write: false,
    };
    let done = graph
        .run_pattern(&Context::default(), pattern, &options)
        .await?;
    let mut costs = done.receipts;
    costs.extend(done.value.receipts.iter().cloned());
    let looked_for = costs.len() - done.value.receipts.len();
    Ok(PatternRan {
        looked_for,
        receipt: Receipt::of(costs, &recorder.take()),
        ..shape(done.value)
    })
}

/// An edge that is known to be there, where a pattern is of its relation or of one of its ends.
fn first<'s>(shown: &'s Shown, pattern: &Pattern) -> Option<&'s FirstEdge> {
    let of = pattern.access.of();
    shown.firsts.iter().find(|first| {
        let relation = shown.model.relation(&first.relation);
        relation.is_some_and(|r| r.name == of || r.from == of || r.to == of)
    })
}

fn shape(run: PatternRun) -> PatternRan {
    PatternRan {
        ids: ids(&run),
        name: run.pattern,
        skipped: run.skipped.map(|why| match why {
            Skip::Writes => "writes",
            Skip::Find => "find",
            Skip::NoExample => "example",
        }),
        pass: run.skipped.is_none() && run.differences.is_empty(),
        differences: run.differences,
        more: run.more,
        planned: run.planned.iter().map(planned).collect(),
        looked_for: 0,
        receipt: Receipt::of(Vec::new(), &[]),
    }
}

fn planned(asked: &Asked) -> Planned {
    Planned {
        operation: asked.operation,
        index: asked.index.clone(),
        consistency: asked.consistency.unwrap_or("write"),
        pages: asked.requests,
        read_units: asked.read_units.to_string(),
        write_units: asked.write_units.to_string(),
    }
}

/// What stands in the slots of the pattern's read.
fn ids(run: &PatternRun) -> BTreeMap<&'static str, String> {
    let slots = [("src", &run.source), ("dst", &run.target), ("id", &run.id)];
    slots
        .into_iter()
        .filter_map(|(slot, id)| Some((slot, id.clone()?)))
        .collect()
}
