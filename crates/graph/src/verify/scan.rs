//! The pass over the table.

use super::{Finding, FindingKind, MOST_FINDINGS, counter, edge, repair};
use crate::edge::Edge;
use crate::error::Result;
use crate::fetch::Fetch;
use crate::jobs::{Next, Work};
use crate::model::{Entity, Model, Relation};
use crate::read;
use crate::receipt::{Consistency, Receipt};
use crate::requests::{self, Key};
use crate::shard::{Map, Part, Stray};
use bothways_core::Item;
use bothways_protocol::types::{ReturnConsumedCapacity, ScanInput};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::time::Duration;

/// Items of one step.
const PAGE: i32 = 500;
/// Of a repair: first the edges, then the counters. Without one, a single phase has both.
pub(super) const EDGES: &str = "edges";
const COUNTERS: &str = "counters";
/// What the layer's own items begin with.
const OWN: &str = "BOTHWAYS#";

/// What an item of the table is.
pub(crate) enum Kind<'m> {
    Edge(&'m Relation, Edge),
    Entity(&'m Entity, String),
    /// Among the edges of a relation, and none by its key.
    Misfit(&'m Relation),
    Own,
    Foreign,
}

/// What an item is by its key.
pub(crate) fn kind<'m>(model: &'m Model, item: &Item) -> Kind<'m> {
    let text = |name: &str| read::text(item, name).unwrap_or_default();
    let (pk, sk) = (text(&model.keys.pk), text(&model.keys.sk));
    if pk.starts_with(OWN) {
        return Kind::Own;
    }
    for relation in &model.relations {
        if let Some(edge) = read::edge(model, relation, item) {
            return Kind::Edge(relation, edge);
        }
    }
    for entity in &model.entities {
        if let Some(found) = read::entity(model, entity, item) {
            return Kind::Entity(entity, found.id);
        }
    }
    let among = |r: &&Relation| {
        let prefix = r.key.sk.prefix();
        !prefix.is_empty() && sk.starts_with(prefix) && pk.starts_with(r.key.pk.prefix())
    };
    match model.relations.iter().find(among) {
        Some(relation) => Kind::Misfit(relation),
        None => Kind::Foreign,
    }
}

pub(crate) fn key_of(model: &Model, item: &Item) -> Key {
    let text = |name: &str| read::text(item, name).unwrap_or_default().to_owned();
    Key {
        pk: text(&model.keys.pk),
        sk: text(&model.keys.sk),
    }
}

/// Takes down a finding.
pub(super) fn found(
    work: &mut Work<'_>,
    kind: FindingKind,
    key: &Key,
    what: String,
    repaired: bool,
) {
    let keys = &work.graph.model.keys;
    let finding = Finding {
        kind,
        key: requests::key_words(&key.item(keys), keys),
        what,
        repaired,
    };
    work.tally(kind.as_str(), 1);
    work.tally("repaired", u64::from(repaired));
    if work.job.place.list("findings").len() < MOST_FINDINGS {
        work.job.place.push("findings", finding.value());
    }
}

/// One page of a strongly consistent Scan.
pub(crate) async fn page(
    work: &mut Work<'_>,
    limit: i32,
    start: Option<Item>,
) -> Result<(Vec<Item>, Option<Item>)> {
    let graph = work.graph;
    let input = ScanInput {
        table_name: Some(graph.model.table.clone()),
        consistent_read: Some(true),
        limit: Some(limit),
        exclusive_start_key: start.map(Item::into),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..ScanInput::default()
    };
    let mut receipt = Receipt::new(Operation::Scan, &graph.model.table);
    receipt.consistency = Some(Consistency::Strong);
    let output = graph.db.scan(work.cx, input).await?;
    receipt.requests = 1;
    receipt.count = u64::try_from(output.count.unwrap_or(0)).unwrap_or(0);
    receipt.scanned = u64::try_from(output.scanned_count.unwrap_or(0)).unwrap_or(0);
    receipt.consumed(output.consumed_capacity.as_ref());
    work.sent(receipt);
    Ok((output.items.unwrap_or_default(), output.last_evaluated_key))
}

/// One step: a page of the table. A repair first goes over the edges: a counter would be set to what a list holds that lacks
/// some of them, and its own page may come long before theirs.
pub(crate) async fn step(work: &mut Work<'_>) -> Result<Next> {
    if work.job.phase == "cancel" {
        return Ok(Next::Cancelled);
    }
    let start = work.job.place.item("after");
    let (items, last) = page(work, PAGE, start).await?;
    match work.job.phase.as_str() {
        EDGES => {
            edges(work, &items).await?;
            if last.is_none() {
                COUNTERS.clone_into(&mut work.job.phase);
                work.job.place.remove("after");
                // Lists get what was mended a moment later, and a counter that agrees at first sight is not looked at again.
                let grace = Duration::from_millis(work.job.spec.count("grace"));
                return Ok(Next::After(grace));
            }
        }
        COUNTERS => counters(work, &items).await?,
        _ => {
            edges(work, &items).await?;
            counters(work, &items).await?;
        }
    }
    let Some(last) = last else {
        return Ok(Next::Done);
    };
    work.job.place.set_item("after", &last);
    Ok(Next::More)
}

/// Looks at every edge by itself.
async fn edges(work: &mut Work<'_>, items: &[Item]) -> Result<()> {
    let model = work.graph.model.clone();
    for item in items {
        let key = key_of(&model, item);
        match kind(&model, item) {
            Kind::Own | Kind::Entity(..) => {}
            Kind::Foreign => work.tally("foreign", 1),
            Kind::Misfit(relation) => {
                let what = format!("it stands among {} and names no edge", relation.name);
                found(work, FindingKind::Key, &key, what, false);
            }
            Kind::Edge(relation, edge) => {
                work.tally("edges", 1);
                look(work, relation, &edge, item, &key).await?;
                shard(work, relation, &edge, item, &key).await?;
            }
        }
    }
    Ok(())
}

/// Compares the counters of the entities, and looks for the ends of the edges.
async fn counters(work: &mut Work<'_>, items: &[Item]) -> Result<()> {
    let model = work.graph.model.clone();
    let mut suspects = Vec::new();
    let mut ends: Vec<(Key, &Entity, String, Key)> = Vec::new();
    for item in items {
        let key = key_of(&model, item);
        match kind(&model, item) {
            Kind::Entity(entity, id) => {
                work.tally("entities", 1);
                suspects.extend(counter::of_entity(&model, entity, &id, &key, Some(item)));
                work.know(std::iter::once(key));
            }
            Kind::Edge(relation, edge) => {
                for (entity, id) in wanted(&model, relation, &edge) {
                    let end = requests::entity_key(&model, entity, id)?;
                    if !work.known.contains(&end) && ends.iter().all(|(k, ..)| *k != end) {
                        ends.push((end, entity, id.to_owned(), key.clone()));
                    }
                }
            }
            Kind::Own | Kind::Foreign | Kind::Misfit(_) => {}
        }
    }
    let missing = absent(work, ends).await?;
    // A counter that is not there counts 0. Where an entity has to be put first, its absence is the finding.
    for (end, entity, id, _) in missing.iter().filter(|_| !model.referential) {
        suspects.extend(counter::of_entity(&model, entity, id, end, None));
    }
    counter::compare(work, suspects).await?;
    dangling(work, missing).await
}

/// The faults of an edge by itself.
async fn look(
    work: &mut Work<'_>,
    relation: &Relation,
    edge: &Edge,
    item: &Item,
    key: &Key,
) -> Result<()> {
    let graph = work.graph;
    let model = &*graph.model;
    let faults = edge::faults(model, relation, edge, item);
    if faults.is_empty() {
        return Ok(());
    }
    let attributes = edge::index_attributes(model, relation, edge, item);
    let mends = work.job.spec.flag("repair") && !attributes.is_empty();
    let mended = mends && repair::index(work, key, &attributes).await?;
    for (kind, what) in faults {
        let repaired = mended && kind != FindingKind::Key;
        found(work, kind, key, what, repaired);
    }
    Ok(())
}

/// Whether an edge stands in a shard that is read; one that does not is put where its target's new edges go.
async fn shard(
    work: &mut Work<'_>,
    relation: &Relation,
    edge: &Edge,
    item: &Item,
    key: &Key,
) -> Result<()> {
    let graph = work.graph;
    let model = &*graph.model;
    let part = Part::of(model, relation, item);
    if part == Part::Plain {
        return Ok(());
    }
    let reads = |map: Option<Map>| map.unwrap_or(Map::PLAIN).parts().any(|p| p == part);
    let known = graph.known_map(relation, &edge.target);
    if known.is_some_and(|known| reads(known.map)) {
        return Ok(());
    }
    // What is known may be older than the edge.
    let (known, receipt) = graph.fetch_map(work.cx, relation, &edge.target).await?;
    work.sent(receipt);
    if reads(known.map) || known.closed {
        return Ok(());
    }
    // And the edge may have been moved before the map was changed.
    let (item, receipt) = graph.get_item(work.cx, key, true).await?;
    work.sent(receipt);
    if item.is_none_or(|item| Part::of(model, relation, &item) != part) {
        return Ok(());
    }
    let mut repaired = false;
    if work.job.spec.flag("repair") {
        let stray = Stray {
            relation,
            source: &edge.source,
            target: &edge.target,
            key,
            part,
        };
        let mut receipts = Vec::new();
        repaired = graph
            .take_in(work.cx, &stray, &known, &mut receipts)
            .await?;
        for receipt in receipts {
            work.sent(receipt);
        }
    }
    let what = format!("no list of {:?} reads its shard", edge.target);
    found(work, FindingKind::Shard, key, what, repaired);
    Ok(())
}

/// The ends of an edge whose items have to be there: those that count it, and all where the model asks for it.
fn wanted<'m, 'e>(
    model: &'m Model,
    relation: &'m Relation,
    edge: &'e Edge,
) -> Vec<(&'m Entity, &'e str)> {
    let ends = [
        (&relation.from, edge.source.as_str(), &relation.counters.out),
        (
            &relation.to,
            edge.target.as_str(),
            &relation.counters.inward,
        ),
    ];
    let wanted = ends
        .into_iter()
        .filter(|(_, id, counter)| !id.is_empty() && (model.referential || counter.is_some()));
    wanted
        .filter_map(|(entity, id, _)| Some((model.entity(entity)?, id)))
        .collect()
}

/// An end that is not there: its key, entity and id, and the key of an edge that has it.
type Absent<'m> = (Key, &'m Entity, String, Key);

/// The ends that are not there.
async fn absent<'m>(work: &mut Work<'_>, ends: Vec<Absent<'m>>) -> Result<Vec<Absent<'m>>> {
    let keys: Vec<Key> = ends.iter().map(|(key, ..)| key.clone()).collect();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let graph = work.graph;
    let mut receipt = graph.fetching();
    let how = Fetch {
        strong: true,
        keys_only: true,
    };
    let found = graph.fetch(work.cx, &keys, how, &mut receipt).await?;
    work.sent(receipt);
    work.know(found.keys().cloned());
    Ok(ends
        .into_iter()
        .filter(|(key, ..)| !found.contains_key(key))
        .collect())
}

/// Reports ends that are still not there after a grace, while their edges are.
async fn dangling(work: &mut Work<'_>, missing: Vec<Absent<'_>>) -> Result<()> {
    let graph = work.graph;
    let model = &*graph.model;
    if !model.referential || missing.is_empty() {
        return Ok(());
    }
    work.rest(Duration::from_millis(work.job.spec.count("grace")))
        .await?;
    for (end, entity, id, edge) in missing {
        let cx: &Context = work.cx;
        let (end, one) = graph.get_item(cx, &end, true).await?;
        let (edge_item, two) = graph.get_item(cx, &edge, true).await?;
        work.sent(one);
        work.sent(two);
        if end.is_none() && edge_item.is_some() {
            let what = format!("there is no {} {id:?}", entity.name);
            found(work, FindingKind::Dangling, &edge, what, false);
        }
    }
    Ok(())
}
