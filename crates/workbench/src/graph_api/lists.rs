//! Lists and counts of one node.

use super::problem::{Code, Problem};
use super::{Answer, Call, Result, edges, entities};
use bothways_graph::{Consistency, Direction, ListOptions, Span};
use serde::Serialize;
use serde_json::json;

/// Edges of a page where nothing is said.
const PAGE: u32 = 100;
/// Most edges of a page: what one answer can reasonably hold.
const PAGE_MAX: u32 = 1000;

pub(crate) async fn list(call: &Call<'_>, relation: &str, id: &str, side: &str) -> Result<Answer> {
    let direction = if side == "out" {
        Direction::Out
    } else {
        Direction::In
    };
    let options = options(call)?;
    let done = call
        .graph
        .list(&call.cx, relation, direction, id, &options)
        .await?;
    let page = done.value;
    let peers = page.peers.iter().map(|p| p.as_ref().map(entities::shape));
    let body = Page {
        edges: page.edges.iter().map(edges::shape).collect(),
        next: page.next.as_deref(),
        previous: page.previous.as_deref(),
        consistency: page.consistency.as_str(),
        peers: options.hydrate.then(|| peers.collect()),
    };
    Ok(Answer::of(body, &done.receipts))
}

#[derive(Serialize)]
struct Page<'p> {
    edges: Vec<edges::Shape<'p>>,
    next: Option<&'p str>,
    previous: Option<&'p str>,
    consistency: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    peers: Option<Vec<Option<entities::Shape<'p>>>>,
}

/// How many a page may have.
pub(super) fn limit(call: &Call<'_>) -> Result<u32> {
    let limit: u32 = call.number("limit")?.unwrap_or(PAGE);
    if !(1..=PAGE_MAX).contains(&limit) {
        let detail = format!("limit is {limit}; it is 1 to {PAGE_MAX}");
        return Err(Problem::new(Code::BadRequest, detail));
    }
    Ok(limit)
}

fn options(call: &Call<'_>) -> Result<ListOptions> {
    let bad = |detail: String| Err(Problem::new(Code::BadRequest, detail));
    let limit = limit(call)?;
    let consistency = match call.query.get("consistency") {
        None => None,
        Some("strong") => Some(Consistency::Strong),
        Some("eventual") => Some(Consistency::Eventual),
        Some(other) => {
            return bad(format!(
                "consistency is {other:?}; it is strong or eventual"
            ));
        }
    };
    let (prefix, since, until) = (
        call.query.get("prefix"),
        call.number("since")?,
        call.number("until")?,
    );
    let span = match (prefix, since, until) {
        (None, None, None) => Span::All,
        (Some(prefix), None, None) => Span::Prefix(prefix.to_owned()),
        (None, from, to) => Span::Time { from, to },
        _ => return bad("prefix is of lists by id, since and until of lists by time".to_owned()),
    };
    Ok(ListOptions {
        limit: Some(limit),
        after: call.query.get("after").map(str::to_owned),
        reverse: call.yes("reverse")?,
        consistency,
        span,
        skip: call.number("skip")?.unwrap_or(0),
        hydrate: call.yes("hydrate")?,
        ..ListOptions::default()
    })
}

pub(crate) async fn counts(call: &Call<'_>, relation: &str, id: &str) -> Result<Answer> {
    let done = call.graph.counts(&call.cx, relation, id, None).await?;
    let counts = done.value;
    let body = json!({"out": counts.out, "in": counts.inward, "in_at": counts.inward_at});
    Ok(Answer::of(body, &done.receipts))
}
