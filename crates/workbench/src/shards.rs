//! The keys of a target, and what other numbers of them would do.

use crate::answer::{Refusal, Result};
use crate::api::Query;
use crate::shapes::Receipt;
use crate::{Connection, Shown};
use bothways_graph::{Graph, ShardMap};
use bothways_protocol::Context;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Sources whose edges the lab spreads: enough that chance evens out to within a few in a hundred.
const SOURCES: u64 = 10_000;
/// Most shards that the lab shows.
const LAB_SHARDS: u32 = 64;

/// How a target's list is spread.
#[derive(Serialize)]
pub(crate) struct Shards {
    /// Shards that a list reads beside the plain key; 1: the plain key alone.
    read: u32,
    /// Shards that new edges go to; 1: the plain key.
    write: u32,
    counting: &'static str,
    /// Most shards that the model allows; 1: it has no rule.
    most: u32,
    keys: Vec<ShardKey>,
    lab: Lab,
    receipt: Receipt,
}

#[derive(Serialize)]
struct ShardKey {
    shard: Option<u32>,
    partition: String,
}

/// Where the edges of so many sources would go.
#[derive(Serialize)]
struct Lab {
    sources: u64,
    spreads: Vec<Spread>,
}

#[derive(Serialize)]
struct Spread {
    shards: u32,
    /// Edges that each key takes, in the order of the shards.
    edges: Vec<u64>,
}

pub(crate) async fn show(
    connection: &Connection,
    shown: &Shown,
    relation: &str,
    query: &Query,
) -> Result<Shards> {
    let graph = Graph::new(Arc::clone(&connection.db), shown.model.clone())?;
    let node = query.need("node")?;
    let cx = Context::default();
    let map = graph.shards(&cx, relation, node).await?;
    shards(&graph, &cx, relation, node, map.value, map.receipts).await
}

#[derive(Deserialize)]
struct ResizeBody {
    node: String,
    to: u32,
}

/// Spreads a target over more shards, or takes it back to fewer. It takes a good quarter of a minute: nobody may go by
/// the old map any more. Cut off, it goes on when it is asked for again.
pub(crate) async fn resize(
    connection: &Connection,
    shown: &Shown,
    relation: &str,
    body: &[u8],
) -> Result<Shards> {
    let graph = Graph::new(Arc::clone(&connection.db), shown.model.clone())?;
    let body: ResizeBody = serde_json::from_slice(body)
        .map_err(|e| Refusal::bad_request(format!("the body names no shards: {e}")))?;
    let cx = Context::default();
    let now = graph.shards(&cx, relation, &body.node).await?.value;
    let done = if body.to >= now.read {
        graph
            .grow_shards(&cx, relation, &body.node, body.to)
            .await?
    } else {
        let to = body.to;
        graph.shrink_shards(&cx, relation, &body.node, to).await?
    };
    shards(&graph, &cx, relation, &body.node, done.value, done.receipts).await
}

async fn shards(
    graph: &Graph,
    cx: &Context,
    relation: &str,
    node: &str,
    map: ShardMap,
    mut receipts: Vec<bothways_graph::Receipt>,
) -> Result<Shards> {
    let most = graph.most_shards(relation)?;
    let keys = graph.list_keys(cx, relation, node).await?;
    receipts.extend(keys.receipts);
    let numbers = std::iter::successors(Some(1_u32), |n| n.checked_mul(2));
    let numbers = numbers.take_while(|n| *n <= most.min(LAB_SHARDS));
    let mut spreads = Vec::new();
    if most > 1 {
        for shards in numbers {
            let sources = (0..SOURCES).map(|n| format!("{node}-{n:05}"));
            spreads.push(Spread {
                shards,
                edges: graph.spread(relation, shards, sources)?,
            });
        }
    }
    Ok(Shards {
        read: map.read,
        write: map.write,
        counting: map.counting.as_str(),
        most,
        keys: keys
            .value
            .into_iter()
            .map(|key| ShardKey {
                shard: key.shard,
                partition: key.partition,
            })
            .collect(),
        lab: Lab {
            sources: SOURCES,
            spreads,
        },
        receipt: Receipt::of(receipts, &[]),
    })
}
