//! Edges and entities, each answer with the requests that were really sent for it.

use crate::answer::{Refusal, Result};
use crate::api::Query;
use crate::record::{Recorder, Sent};
use crate::shapes::{
    Edge, EdgePage, EdgeView, EntityView, LinkBody, Outcome, Raw, Reason, Receipt, raw, raw_item,
};
use crate::{Connection, Shown};
use bothways_core::ValueRef;
use bothways_core::json::item_from_slice;
use bothways_graph::{
    Changes, Direction, Edge as GraphEdge, Graph, Linked, ListOptions, Receipt as Spent, Set,
    Unlinked,
};
use bothways_protocol::{Context, DynamoDb, Operation, Response};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows of a page where none are asked for.
const PAGE: u32 = 50;
/// Most rows of a page.
const PAGE_MAX: u32 = 1000;

/// A graph whose requests are remembered.
fn open(connection: &Connection, shown: &Shown) -> Result<(Graph, Arc<Recorder>)> {
    let recorder = Recorder::new(Arc::clone(&connection.db));
    let db: Arc<dyn DynamoDb> = Arc::<Recorder>::clone(&recorder);
    Ok((Graph::new(db, shown.model.clone())?, recorder))
}

pub(crate) async fn list(
    connection: &Connection,
    shown: &Shown,
    relation: &str,
    side: &str,
    query: &Query,
) -> Result<EdgePage> {
    let (graph, recorder) = open(connection, shown)?;
    let cx = Context::default();
    let node = query.need("node")?;
    let direction = if side == "out" {
        Direction::Out
    } else {
        Direction::In
    };
    let options = ListOptions {
        limit: Some(limit(query.get("limit"))?),
        after: query.get("after").map(str::to_owned),
        ..ListOptions::default()
    };
    let page = graph.list(&cx, relation, direction, node, &options).await?;
    let mut costs = page.receipts;
    let with_item = match query.get("counter") {
        None => true,
        Some("none") => false,
        Some(text) => {
            return Err(Refusal::bad_request(format!(
                "counter is {text:?}; it is none, or left out"
            )));
        }
    };
    let first = with_item && options.after.is_none();
    let counter = if first {
        let counts = graph.counts(&cx, relation, node, Some(direction)).await?;
        costs.extend(counts.receipts);
        match direction {
            Direction::Out => counts.value.out,
            Direction::In => counts.value.inward,
        }
    } else {
        None
    };
    let sent = recorder.take();
    Ok(EdgePage {
        missing: first && item_read(&sent).0.is_none(),
        edges: page.value.edges.iter().map(edge_shape).collect(),
        next: page.value.next,
        counter: counter.map(|n| n.to_string()),
        receipt: Receipt::of(costs, &sent),
    })
}

fn limit(text: Option<&str>) -> Result<u32> {
    let Some(text) = text else { return Ok(PAGE) };
    text.parse()
        .ok()
        .filter(|n| (1..=PAGE_MAX).contains(n))
        .ok_or_else(|| Refusal::bad_request(format!("limit is {text:?}; it is 1 to {PAGE_MAX}")))
}

fn edge_shape(edge: &GraphEdge) -> Edge {
    Edge {
        source: edge.source.clone(),
        target: edge.target.clone(),
        item: raw_item(&edge.attributes),
    }
}

pub(crate) async fn edge(
    connection: &Connection,
    shown: &Shown,
    relation: &str,
    query: &Query,
) -> Result<EdgeView> {
    let (graph, recorder) = open(connection, shown)?;
    let (source, target) = (query.need("source")?, query.need("target")?);
    let found = graph
        .edge(&Context::default(), relation, source, target)
        .await?;
    let sent = recorder.take();
    let (item, key) = item_read(&sent);
    Ok(EdgeView {
        item,
        key,
        receipt: Receipt::of(found.receipts, &sent),
    })
}

/// An entity with its counters. With a relation its counters there are as they count: where its list is spread over
/// shards the entity's item has only a part of them.
pub(crate) async fn entity(
    connection: &Connection,
    shown: &Shown,
    entity: &str,
    query: &Query,
) -> Result<EntityView> {
    let (graph, recorder) = open(connection, shown)?;
    let cx = Context::default();
    let id = query.need("id")?;
    let (counters, costs, sent) = if let Some(relation) = query.get("relation") {
        let ends = graph.relation(relation)?;
        let direction = match (ends.from == entity, ends.to == entity) {
            (true, true) => None,
            (true, false) => Some(Direction::Out),
            (false, true) => Some(Direction::In),
            (false, false) => {
                return Err(Refusal::bad_request(format!(
                    "relation {relation} has no {entity} at its ends"
                )));
            }
        };
        let counts = graph.counts(&cx, relation, id, direction).await?;
        let sent = recorder.take();
        let mut counters = counters_in(&graph, entity, &sent);
        let (out, inward) = (&ends.counters.out, &ends.counters.inward);
        for (name, count) in [(out, counts.value.out), (inward, counts.value.inward)] {
            if let (Some(name), Some(count)) = (name, count)
                && !counters.is_empty()
            {
                counters.insert(name.clone(), count.to_string());
            }
        }
        (counters, counts.receipts, sent)
    } else {
        let found = graph.get_entity(&cx, entity, id).await?;
        let counters = found.value.map(|e| e.counters).unwrap_or_default();
        let text = |(name, n): (String, i64)| (name, n.to_string());
        (
            counters.into_iter().map(text).collect(),
            found.receipts,
            recorder.take(),
        )
    };
    // What comes after it are keys of its list.
    let (item, key) = item_read(&sent[..sent.len().min(1)]);
    Ok(EntityView {
        item,
        key,
        counters,
        receipt: Receipt::of(costs, &sent),
    })
}

/// All counters of an entity as the item holds them that was read first; none where there is no item.
fn counters_in(graph: &Graph, entity: &str, sent: &[Sent]) -> BTreeMap<String, String> {
    let Some(Ok(Response::GetItem(output))) = sent.first().map(|s| &s.answer) else {
        return BTreeMap::new();
    };
    let Some(item) = &output.item else {
        return BTreeMap::new();
    };
    let text = |name: &&str| match item.get(name) {
        Some(ValueRef::N(number)) => number.to_string(),
        _ => "0".to_owned(),
    };
    let names = graph.model().counters_of(entity);
    names
        .iter()
        .map(|name| ((*name).to_owned(), text(name)))
        .collect()
}

/// The item that the last `GetItem` returned, whole, and the key that it asked for.
fn item_read(sent: &[Sent]) -> (Option<Raw>, Raw) {
    let read = sent
        .iter()
        .rev()
        .find(|s| s.operation == Some(Operation::GetItem));
    let item = read.and_then(|s| match &s.answer {
        Ok(Response::GetItem(output)) => output.item.as_ref().map(raw_item),
        _ => None,
    });
    let key = read
        .and_then(|s| serde_json::from_slice::<KeyOf>(&s.input).ok())
        .map_or_else(|| RawValue::NULL.to_owned(), |k| k.key);
    (item, key)
}

#[derive(serde::Deserialize)]
struct KeyOf {
    #[serde(rename = "Key")]
    key: Raw,
}

pub(crate) async fn link(
    connection: &Connection,
    shown: &Shown,
    relation: &str,
    body: &[u8],
) -> Result<Outcome> {
    let (graph, recorder) = open(connection, shown)?;
    let body = read(body)?;
    let cx = Context::default();
    let changes = changes(&body)?;
    let done = graph
        .link(&cx, relation, &body.source, &body.target, &changes)
        .await?;
    let (outcome, existing) = match done.value {
        Linked::Created(_) => ("created", None),
        Linked::Unchanged { existing } => ("unchanged", Some(raw_item(&existing.attributes))),
        // Only where an answer was lost and somebody removed the edge meanwhile.
        Linked::Outdated { .. } => ("unchanged", None),
    };
    Ok(written(outcome, existing, &recorder.take(), done.receipts))
}

pub(crate) async fn unlink(
    connection: &Connection,
    shown: &Shown,
    relation: &str,
    body: &[u8],
) -> Result<Outcome> {
    let (graph, recorder) = open(connection, shown)?;
    let body = read(body)?;
    let done = graph
        .unlink(&Context::default(), relation, &body.source, &body.target)
        .await?;
    let outcome = match done.value {
        Unlinked::Removed => "removed",
        Unlinked::NotFound => "not_found",
        // No version or position was asked for.
        Unlinked::Kept { .. } => "unchanged",
    };
    Ok(written(outcome, None, &recorder.take(), done.receipts))
}

pub(crate) async fn set(
    connection: &Connection,
    shown: &Shown,
    relation: &str,
    body: &[u8],
) -> Result<Outcome> {
    let (graph, recorder) = open(connection, shown)?;
    let body = read(body)?;
    let changes = changes(&body)?;
    let cx = Context::default();
    let done = graph
        .set(&cx, relation, &body.source, &body.target, &changes)
        .await?;
    let outcome = match done.value {
        Set::Updated(_) => "updated",
        Set::Unchanged | Set::Kept { .. } => "unchanged",
        Set::NotFound => "not_found",
    };
    Ok(written(outcome, None, &recorder.take(), done.receipts))
}

/// The body's attributes as changes, each value checked as DynamoDB checks it.
fn changes(body: &LinkBody) -> Result<Changes> {
    let mut changes = Changes::new();
    for (name, value) in &body.attributes {
        let Some(value) = value else {
            changes = changes.remove(name);
            continue;
        };
        let bad = |why: String| Refusal::bad_request(format!("attribute {name}: {why}"));
        let wrapped = format!("{{\"value\":{}}}", value.get());
        let given = item_from_slice(wrapped.as_bytes()).map_err(|e| bad(e.to_string()))?;
        if given.fault.is_some() {
            return Err(bad("not a value that DynamoDB stores".to_owned()));
        }
        let value = given.value.get("value").map(ValueRef::to_value);
        changes.push(name.clone(), value);
    }
    Ok(changes)
}

fn read(body: &[u8]) -> Result<LinkBody> {
    serde_json::from_slice(body)
        .map_err(|e| Refusal::bad_request(format!("the body does not name an edge: {e}")))
}

/// An outcome with the last write that was sent for it, and why it was cancelled where it was.
fn written(
    outcome: &'static str,
    existing: Option<Raw>,
    sent: &[Sent],
    receipts: Vec<Spent>,
) -> Outcome {
    let write = sent.iter().rev().find(|s| {
        matches!(
            s.operation,
            Some(Operation::TransactWriteItems | Operation::UpdateItem | Operation::PutItem)
        )
    });
    let reasons = write.and_then(|s| s.answer.as_ref().err());
    Outcome {
        result: outcome,
        existing,
        transaction: write.map_or_else(|| RawValue::NULL.to_owned(), |s| raw(s.input.clone())),
        reasons: reasons
            .map(|error| error.reasons.iter().map(Reason::of).collect())
            .unwrap_or_default(),
        receipt: Receipt::of(receipts, sent),
    }
}
