//! Index attributes on edges that lack them, and the index where the table lacks it.

use crate::apply;
use crate::error::{Error, Result};
use crate::flight::Flight;
use crate::graph::Graph;
use crate::jobs::{Next, Work};
use crate::receipt::Receipt;
use crate::requests::Key;
use crate::verify::{IndexAttribute, Kind, index_attributes, key_of, kind, page};
use bothways_core::Value;
use bothways_protocol::types::{ReturnConsumedCapacity, UpdateItemInput};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// Items of one step.
const PAGE: i32 = 400;
/// Updates in flight, so that they share syncs.
const IN_FLIGHT: usize = 16;
/// Passes after which it ends even if writers go on making edges that lack attributes.
const PASSES: u64 = 5;
/// Between two looks at an index that is being made.
const LOOK: Duration = Duration::from_secs(1);

pub(super) async fn step(work: &mut Work<'_>) -> Result<Next> {
    match work.job.phase.as_str() {
        "index" => index(work).await,
        _ => scan(work).await,
    }
}

/// A page of the table. Passes go on until one has found nothing: writers who know nothing of the index may have made
/// edges behind the last one.
async fn scan(work: &mut Work<'_>) -> Result<Next> {
    let model = work.graph.model.clone();
    let dry = work.job.spec.flag("dryRun");
    let start = work.job.place.item("after");
    let (items, last) = page(work, PAGE, start).await?;
    let mut updates = Vec::new();
    let first = work.job.place.count("pass") == 0;
    for item in &items {
        let Kind::Edge(relation, edge) = kind(&model, item) else {
            continue;
        };
        let wanted = index_attributes(&model, relation, &edge, item);
        work.tally("edges", u64::from(first));
        // What stands there and is another key is for verify to judge.
        let wrong = wanted.iter().any(|a| a.wrong.is_some());
        work.tally("wrong", u64::from(wrong && first));
        let missing: Vec<_> = wanted.into_iter().filter(|a| a.wrong.is_none()).collect();
        if !missing.is_empty() {
            updates.push((key_of(&model, item), missing));
        }
    }
    let count = u64::try_from(updates.len()).unwrap_or(u64::MAX);
    work.job.place.add("found", count);
    if dry {
        work.tally("would fill", count);
    } else {
        let filled = fill(work, updates).await?;
        work.tally("filled", filled);
    }
    if let Some(last) = last {
        work.job.place.set_item("after", &last);
        return Ok(Next::More);
    }
    let (found, pass) = (
        work.job.place.count("found"),
        work.job.place.count("pass") + 1,
    );
    if dry || found == 0 || pass >= PASSES {
        work.enter("index");
    } else {
        work.enter("scan");
        work.job.place.set_number("pass", pass);
    }
    Ok(Next::More)
}

/// Sets attributes, several edges at once. How many edges got them.
async fn fill(work: &mut Work<'_>, updates: Vec<(Key, Vec<IndexAttribute<'_>>)>) -> Result<u64> {
    let (graph, cx) = (work.graph, work.cx);
    let mut flight: Flight<'_, (), Result<(bool, Receipt)>> = Flight::new();
    let mut left = updates.into_iter();
    let (mut filled, mut failed) = (0, None);
    loop {
        while failed.is_none()
            && flight.len() < IN_FLIGHT
            && let Some((key, attributes)) = left.next()
        {
            flight.launch((), Box::pin(set(graph, cx, key, attributes)));
        }
        match flight.land().await {
            None => break,
            Some(((), Ok((done, receipt)))) => {
                filled += u64::from(done);
                work.sent(receipt);
            }
            Some(((), Err(error))) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(filled), Err)
}

/// Sets the attributes that one edge lacks, if it is there and lacks them still.
async fn set(
    graph: &Graph,
    cx: &Context,
    key: Key,
    attributes: Vec<IndexAttribute<'_>>,
) -> Result<(bool, Receipt)> {
    let model = &*graph.model;
    let mut names = BTreeMap::from([("#pk".to_owned(), model.keys.pk.clone())]);
    let mut values = BTreeMap::new();
    let (mut sets, mut condition) = (Vec::new(), "attribute_exists(#pk)".to_owned());
    for (i, attribute) in attributes.iter().enumerate() {
        names.insert(format!("#i{i}"), attribute.name.to_owned());
        values.insert(format!(":i{i}"), Value::from(attribute.value.as_str()));
        sets.push(format!("#i{i} = :i{i}"));
        let _ = write!(condition, " AND attribute_not_exists(#i{i})");
    }
    let input = UpdateItemInput {
        table_name: Some(model.table.clone()),
        key: Some(key.item(&model.keys).into()),
        update_expression: Some(format!("SET {}", sets.join(", "))),
        condition_expression: Some(condition),
        expression_attribute_names: Some(names),
        expression_attribute_values: Some(values.into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..UpdateItemInput::default()
    };
    let mut receipt = Receipt::new(Operation::UpdateItem, &model.table);
    let send = || graph.db.update_item(cx, input.clone());
    let done = graph.decide(cx, &key.sk, &mut receipt, send).await?;
    if let Ok(output) = &done {
        receipt.consumed(output.consumed_capacity.as_ref());
    }
    Ok((done.is_ok(), receipt))
}

/// Makes the indexes that the table lacks, one at a time, and waits for them.
async fn index(work: &mut Work<'_>) -> Result<Next> {
    let graph = work.graph;
    let mut receipt = Receipt::new(Operation::DescribeTable, &graph.model.table);
    let described = graph.describe(work.cx, &mut receipt).await?;
    work.sent(receipt);
    let Some(table) = described else {
        return Ok(Next::Done);
    };
    if !apply::active(&table) {
        return Ok(Next::After(LOOK));
    }
    let there = |name: &str| {
        let mut indexes = table.global_secondary_indexes.iter().flatten();
        indexes.any(|i| i.index_name.as_deref() == Some(name))
    };
    let mut lacking = graph
        .model
        .indexes
        .iter()
        .filter(|i| !i.local && !there(&i.name));
    let Some(index) = lacking.next() else {
        return Ok(Next::Done);
    };
    if work.job.spec.flag("dryRun") {
        work.tally(
            "indexes to make",
            1 + u64::try_from(lacking.count()).unwrap_or(0),
        );
        return Ok(Next::Done);
    }
    let input = apply::add_index(&graph.model, index, &table);
    graph
        .db
        .update_table(work.cx, input)
        .await
        .map_err(Error::from)?;
    work.tally("indexes made", 1);
    Ok(Next::After(LOOK))
}
