//! The passes over an entity's lists.

use super::gates::{self, Mapped};
use super::{Node, unlink};
use crate::error::Result;
use crate::graph::Graph;
use crate::jobs::{Next, Work};
use crate::model::{Direction, Relation};
use crate::read;
use crate::requests::{self, Place};
use crate::shard::Map;
use bothways_core::Item;
use std::time::Duration;

/// Edges of one step: some ten transactions, so that a step takes about a second at most.
const PAGE: i32 = 480;
/// Pages without edges that one step reads: many shards are soon passed over.
const PAGES: u32 = 32;
/// Passes in a row that find nothing before the end.
const CLEAN: u64 = 2;
/// Further clean passes for counters that are not at 0. Then they were wrong before, and nothing is left to wait for.
const DOUBTS: u64 = 4;

/// One list of the entity, or one key of it.
struct Side<'g> {
    relation: &'g Relation,
    direction: Direction,
    partition: String,
}

/// The keys to read, in an order that stays: the entity is closed, so its maps do not change.
fn sides<'g>(graph: &'g Graph, node: &Node<'_>, mapped: &[Mapped<'_>]) -> Vec<Side<'g>> {
    let mut sides = Vec::new();
    for relation in &graph.model.relations {
        for (entity, direction) in [
            (&relation.from, Direction::Out),
            (&relation.to, Direction::In),
        ] {
            if *entity != node.entity.name {
                continue;
            }
            let place = Place::of(&graph.model, relation, direction, None);
            let map = mapped.iter().find(|(r, _)| r.name == relation.name);
            let partitions = match map.filter(|_| direction == Direction::In) {
                Some((_, map)) => map
                    .parts()
                    .map(|p| p.partition(relation, &node.id))
                    .collect(),
                None => vec![requests::list_partition(&place.keys.pk, &node.id)],
            };
            sides.extend(partitions.into_iter().map(|partition| Side {
                relation,
                direction,
                partition,
            }));
        }
    }
    sides
}

/// Reads pages until one has edges, and deletes them; or decides what follows a whole pass.
pub(super) async fn step(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    let mapped = gates::parts(work, node).await?;
    let sides = sides(work.graph, node, &mapped);
    for _ in 0..PAGES {
        let at = usize::try_from(work.job.place.count("list")).unwrap_or(usize::MAX);
        let Some(side) = sides.get(at) else {
            return passed(work, node).await;
        };
        if page(work, side).await? > 0 {
            break;
        }
    }
    Ok(Next::More)
}

/// Reads one page and deletes its edges; how many it had.
async fn page(work: &mut Work<'_>, side: &Side<'_>) -> Result<u64> {
    let graph = work.graph;
    let place = Place::of(&graph.model, side.relation, side.direction, None);
    let mut input = requests::query(
        &graph.model,
        &place,
        &side.partition,
        place.keys.sk.prefix(),
    );
    input.limit = Some(PAGE);
    input.exclusive_start_key = work.job.place.item("after").map(Item::into);
    let (page, receipt) = graph.query(work.cx, input).await?;
    work.sent(receipt);
    let items = page.items.iter().flatten();
    let edges = items.filter_map(|item| read::edge(&graph.model, side.relation, item));
    let edges: Vec<_> = edges.map(|edge| (edge.source, edge.target)).collect();
    let found = u64::try_from(edges.len()).unwrap_or(u64::MAX);
    let deleted = unlink::all(work, side.relation, edges).await?;
    work.tally("deleted", deleted);
    // What the index still showed and was gone already is no finding: the pass stays clean.
    let counted = if place.index.is_some() {
        deleted
    } else {
        found
    };
    work.job.place.add("found", counted);
    if let Some(last) = &page.last_evaluated_key {
        work.job.place.set_item("after", last);
    } else {
        work.job.place.clear("after");
        work.job.place.add("list", 1);
    }
    Ok(found)
}

/// A pass is over: another one, after a grace where it found nothing; or the end.
async fn passed(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    let found = work.job.place.count("found");
    let clean = if found == 0 {
        work.job.place.count("clean") + 1
    } else {
        0
    };
    work.tally("passes", 1);
    if clean >= CLEAN {
        let left = counted(work, node).await?;
        if left == 0 || clean >= CLEAN + DOUBTS {
            work.enter("tombstone");
            work.tally("miscounted", left);
            return Ok(Next::More);
        }
    }
    work.enter("edges");
    work.job.place.set_number("clean", clean);
    let grace = if clean > 0 {
        work.job.spec.count("grace")
    } else {
        0
    };
    Ok(Next::After(Duration::from_millis(grace)))
}

/// How far the entity's counters are from 0. While it is closed a counter is at 0 only when its list is empty.
async fn counted(work: &mut Work<'_>, node: &Node<'_>) -> Result<u64> {
    let graph = work.graph;
    let (item, receipt) = graph.get_item(work.cx, &node.key, true).await?;
    work.sent(receipt);
    let mut left = 0;
    for name in graph.model.counters_of(&node.entity.name) {
        let count = item.as_ref().map_or(0, |item| read::integer(item, name));
        left = u64::saturating_add(left, count.unsigned_abs());
    }
    for relation in graph
        .model
        .relations
        .iter()
        .filter(|r| r.to == node.entity.name)
    {
        let (Some(counter), Some(item)) = (&relation.counters.inward, &item) else {
            continue;
        };
        let Some(map) = Map::of(relation, item) else {
            continue;
        };
        // What stands on the entity is a sum of some time; its parts are what the transactions move.
        left = left.saturating_sub(read::integer(item, counter).unsigned_abs());
        if map.counts_parts() {
            let (cx, id) = (work.cx, &node.id);
            let mut receipts = Vec::new();
            let sum = graph
                .sum_parts(cx, relation, id, item, &map, &mut receipts)
                .await?;
            left = left.saturating_add(sum.unsigned_abs());
            for receipt in receipts {
                work.sent(receipt);
            }
        }
    }
    Ok(left)
}
