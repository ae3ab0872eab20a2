//! The passes over an entity's lists.

use super::{Node, unlink};
use crate::error::Result;
use crate::graph::Graph;
use crate::jobs::{Next, Work};
use crate::model::{Direction, Relation};
use crate::read;
use crate::requests::{self, Place};
use bothways_core::Item;
use std::time::Duration;

/// Edges of one step: some ten transactions, so that a step takes about a second at most.
const PAGE: i32 = 480;
/// Passes in a row that find nothing before the end.
const CLEAN: u64 = 2;
/// Further clean passes for counters that are not at 0. Then they were wrong before, and nothing is left to wait for.
const DOUBTS: u64 = 4;

/// One list of the entity.
struct Side<'g> {
    relation: &'g Relation,
    direction: Direction,
}

fn sides<'g>(graph: &'g Graph, node: &Node<'_>) -> Vec<Side<'g>> {
    let mut sides = Vec::new();
    for relation in &graph.model.relations {
        for (entity, direction) in [
            (&relation.from, Direction::Out),
            (&relation.to, Direction::In),
        ] {
            if *entity == node.entity.name {
                sides.push(Side {
                    relation,
                    direction,
                });
            }
        }
    }
    sides
}

/// Reads one page and deletes its edges; or decides what follows a whole pass.
pub(super) async fn step(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    let sides = sides(work.graph, node);
    let at = usize::try_from(work.job.place.count("list")).unwrap_or(usize::MAX);
    let Some(side) = sides.get(at) else {
        return passed(work, node).await;
    };
    let graph = work.graph;
    let place = Place::of(&graph.model, side.relation, side.direction, None);
    let mut input = requests::list(&graph.model, &place, &node.id);
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
    Ok(Next::More)
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
    let names = graph.model.counters_of(&node.entity.name);
    let counts = names
        .iter()
        .map(|name| item.as_ref().map_or(0, |item| read::integer(item, name)));
    Ok(counts.map(i64::unsigned_abs).sum())
}
