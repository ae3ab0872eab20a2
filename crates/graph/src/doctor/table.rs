//! Traps that a table shows.

use super::{Diagnosis, DoctorOptions, DoctorReport, Trap, words};
use crate::apply;
use crate::edge::Edge;
use crate::error::Result;
use crate::fetch::Fetch;
use crate::graph::Graph;
use crate::migrate::{list_ids, twin_of};
use crate::model::{Entity, Model, Relation, companion};
use crate::read;
use crate::receipt::{Consistency, Receipt};
use crate::requests::{self, Key};
use crate::verify::{Kind, index_attributes, kind};
use bothways_core::{Item, ValueRef};
use bothways_protocol::types::{ReturnConsumedCapacity, ScanInput};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::collections::BTreeMap;

/// Followers from which one key without shards is a danger: at a hundred transactions a second it took an hour to get there.
const HOT: i64 = 100_000;
/// Twins whose edges are looked up.
const LOOKED_UP: usize = 1_000;
/// Items of one page.
const PAGE: u64 = 1_000;

/// A list attribute of an entity.
#[derive(Default)]
struct Lists {
    items: u64,
    longest: usize,
    largest: usize,
    /// Its elements say more than ids.
    maps: bool,
}

/// What is known of one relation.
#[derive(Default)]
struct Seen {
    edges: u64,
    unindexed: u64,
    twins: u64,
    /// Keys of the edges of some twins.
    of_twins: Vec<Key>,
    /// Targets whose own items were looked at, and those of them that carry a counter.
    targets: u64,
    counted: u64,
    busiest: Option<(i64, String)>,
}

pub(super) async fn examine(
    graph: &Graph,
    cx: &Context,
    options: &DoctorOptions,
    report: &mut DoctorReport,
    receipts: &mut Vec<Receipt>,
) -> Result<()> {
    let model = &*graph.model;
    let mut described = Receipt::new(Operation::DescribeTable, &model.table);
    let table = graph.describe(cx, &mut described).await?;
    receipts.push(described);
    let Some(table) = table else { return Ok(()) };
    report.table = true;
    definition(model, &table, report);
    let mut lists: BTreeMap<(String, String), Lists> = BTreeMap::new();
    let mut seen: Vec<Seen> = model.relations.iter().map(|_| Seen::default()).collect();
    let mut scanned = Receipt::new(Operation::Scan, &model.table);
    scanned.consistency = Some(Consistency::Eventual);
    let mut start: Option<Item> = None;
    loop {
        let left = options
            .sample
            .map_or(PAGE, |most| most.saturating_sub(report.sampled));
        let limit = left.min(PAGE);
        if limit == 0 {
            break;
        }
        let items = page(graph, cx, limit, &mut start, &mut scanned).await?;
        report.sampled += u64::try_from(items.len()).unwrap_or(0);
        for item in &items {
            look(model, item, &mut lists, &mut seen);
        }
        if start.is_none() {
            report.whole = true;
            break;
        }
    }
    if scanned.requests > 0 {
        receipts.push(scanned);
    }
    for ((entity, attribute), found) in lists {
        report
            .diagnoses
            .extend(list(model, &entity, &attribute, &found));
    }
    for (relation, seen) in model.relations.iter().zip(&seen) {
        twins(graph, cx, relation, seen, report, receipts).await?;
        relations(model, relation, seen, report);
    }
    Ok(())
}

async fn page(
    graph: &Graph,
    cx: &Context,
    limit: u64,
    start: &mut Option<Item>,
    receipt: &mut Receipt,
) -> Result<Vec<Item>> {
    let input = ScanInput {
        table_name: Some(graph.model.table.clone()),
        limit: Some(i32::try_from(limit).unwrap_or(i32::MAX)),
        exclusive_start_key: start.take().map(Item::into),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..ScanInput::default()
    };
    let output = graph.db.scan(cx, input).await?;
    receipt.requests += 1;
    let number = |n: Option<i64>| n.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
    receipt.count += number(output.count);
    receipt.scanned += number(output.scanned_count);
    receipt.consumed(output.consumed_capacity.as_ref());
    *start = output.last_evaluated_key;
    Ok(output.items.unwrap_or_default())
}

/// How the table differs from the model, before its items are looked at.
fn definition(
    model: &Model,
    table: &bothways_protocol::types::TableDescription,
    report: &mut DoctorReport,
) {
    for difference in apply::differences(model, table) {
        let what = &difference.what;
        let lacks = difference.table == "none";
        let (trap, repair) = if lacks {
            (Trap::UnindexedEdges, "make it: the backfill does")
        } else if what.contains("projection") {
            (
                Trap::Projection,
                "a projection cannot be changed: make another index, or change the model",
            )
        } else {
            (
                Trap::Table,
                "change the model to fit, or make another table",
            )
        };
        report.diagnoses.push(Diagnosis {
            trap,
            place: what.clone(),
            evidence: format!(
                "the model says {}, the table has {}",
                difference.model, difference.table
            ),
            repair: repair.to_owned(),
            command: lacks.then(|| words(&["model", "migrate", "MODEL", "backfill", "--dry-run"])),
        });
    }
    for index in table.local_secondary_indexes.iter().flatten() {
        let name = index.index_name.clone().unwrap_or_default();
        report.diagnoses.push(Diagnosis {
            trap: Trap::LocalIndex,
            place: format!("index {name}"),
            evidence: "it is local: its partition key is the table's, it caps each partition at 10 GB and keeps it from being split".to_owned(),
            repair: "list by target through a global index".to_owned(),
            command: None,
        });
    }
}

/// One item.
fn look(
    model: &Model,
    item: &Item,
    lists: &mut BTreeMap<(String, String), Lists>,
    seen: &mut [Seen],
) {
    match kind(model, item) {
        Kind::Edge(relation, edge) => {
            let at = model.relations.iter().position(|r| r.name == relation.name);
            if let Some(seen) = at.and_then(|at| seen.get_mut(at)) {
                edge_of(model, relation, &edge, item, seen);
            }
        }
        Kind::Entity(entity, id) => {
            entity_of(model, entity, item, lists);
            counters(model, entity, &id, item, seen);
        }
        Kind::Misfit(_) | Kind::Foreign => {
            for (relation, seen) in model.relations.iter().zip(seen) {
                if let Some((source, target)) = twin_of(model, relation, item) {
                    seen.twins += 1;
                    let (source, target) = requests::ends(relation, &source, &target);
                    if let Ok(key) = requests::edge_key(model, relation, source, target)
                        && seen.of_twins.len() < LOOKED_UP
                    {
                        seen.of_twins.push(key);
                    }
                    return;
                }
            }
        }
        Kind::Own => {}
    }
}

fn edge_of(model: &Model, relation: &Relation, edge: &Edge, item: &Item, seen: &mut Seen) {
    seen.edges += 1;
    let lacks = index_attributes(model, relation, edge, item);
    seen.unindexed += u64::from(lacks.iter().any(|a| a.wrong.is_none()));
}

fn entity_of(
    model: &Model,
    entity: &Entity,
    item: &Item,
    lists: &mut BTreeMap<(String, String), Lists>,
) {
    let keys = model.key_attributes();
    for (name, value) in item {
        if keys.contains(&name)
            || !matches!(value, ValueRef::L(_) | ValueRef::Ss(_) | ValueRef::Ns(_))
        {
            continue;
        }
        let Some(ids) = list_ids(&value.to_value()) else {
            continue;
        };
        let maps = ids.iter().any(|(_, changes)| !changes.is_empty());
        if relation_of(model, &entity.name, name).is_none() && !maps && !named_for_ids(name) {
            continue;
        }
        let key = (entity.name.clone(), name.to_owned());
        let found = lists.entry(key).or_default();
        found.items += 1;
        found.longest = found.longest.max(ids.len());
        found.largest = found.largest.max(item.size());
        found.maps |= maps;
    }
}

fn named_for_ids(name: &str) -> bool {
    ["Ids", "IDs", "_ids"].iter().any(|end| name.ends_with(end))
}

/// The relation that a list attribute stands for: by the name of the entity at its other end, by its counters, or because
/// the entity has no other.
fn relation_of<'m>(
    model: &'m Model,
    entity: &str,
    attribute: &str,
) -> Option<(&'m Relation, bool)> {
    let name = attribute.to_lowercase();
    let sides = model.relations.iter().flat_map(|r| {
        [
            (r, true, &r.from, &r.to, &r.counters.out),
            (r, false, &r.to, &r.from, &r.counters.inward),
        ]
    });
    let mut sides: Vec<_> = sides.filter(|(_, _, own, ..)| *own == entity).collect();
    let named = sides.iter().position(|(_, _, _, peer, counter)| {
        name.starts_with(&peer.to_lowercase())
            || counter
                .as_ref()
                .is_some_and(|c| name.starts_with(&c.to_lowercase()))
    });
    match (named, sides.len()) {
        (Some(at), _) => Some(sides.swap_remove(at)),
        (None, 1) if named_for_ids(attribute) => sides.pop(),
        _ => None,
    }
    .map(|(relation, out, ..)| (relation, out))
}

fn counters(model: &Model, entity: &Entity, id: &str, item: &Item, seen: &mut [Seen]) {
    for (relation, seen) in model.relations.iter().zip(seen) {
        let Some(counter) = relation
            .counters
            .inward
            .as_ref()
            .filter(|_| relation.to == entity.name)
        else {
            continue;
        };
        seen.targets += 1;
        let count = read::integer(item, counter);
        if seen.busiest.as_ref().is_none_or(|(most, _)| count > *most) {
            seen.busiest = Some((count, id.to_owned()));
        }
        seen.counted += u64::from(item.get(&companion(counter)).is_some());
    }
}

fn list(model: &Model, entity: &str, attribute: &str, found: &Lists) -> Vec<Diagnosis> {
    let Lists {
        items,
        longest,
        largest,
        maps,
    } = found;
    let evidence = format!(
        "{items} of the {entity} items have it, with up to {longest} ids; the largest item has {largest} bytes of 409,600"
    );
    let relation = relation_of(model, entity, attribute);
    let command = relation.map(|(relation, out)| {
        let side = if out { "out" } else { "in" };
        words(&[
            "model",
            "migrate",
            "MODEL",
            "lists",
            entity,
            attribute,
            &relation.name,
            "--side",
            side,
            "--dry-run",
        ])
    });
    let mut diagnoses = vec![Diagnosis {
        trap: Trap::ListAttribute,
        place: format!("{entity}.{attribute}"),
        evidence: evidence.clone(),
        repair: "make edges of it: nothing is lost when two write at once, and no item grows"
            .to_owned(),
        command: command.clone(),
    }];
    if *maps {
        diagnoses.push(Diagnosis {
            trap: Trap::CopiedData,
            place: format!("{entity}.{attribute}"),
            evidence: "its elements hold more than ids: data of edges, or of the peers".to_owned(),
            repair: "edges hold their own data; read the peers' beside the list".to_owned(),
            command,
        });
    }
    diagnoses
}

async fn twins(
    graph: &Graph,
    cx: &Context,
    relation: &Relation,
    seen: &Seen,
    report: &mut DoctorReport,
    receipts: &mut Vec<Receipt>,
) -> Result<()> {
    if seen.twins == 0 {
        return Ok(());
    }
    let how = Fetch {
        strong: false,
        keys_only: true,
    };
    let mut receipt = graph.fetching();
    let there = graph.fetch(cx, &seen.of_twins, how, &mut receipt).await?;
    receipts.push(receipt);
    let looked = seen.of_twins.len();
    let orphans = seen
        .of_twins
        .iter()
        .filter(|key| !there.contains_key(key))
        .count();
    report.diagnoses.push(Diagnosis {
        trap: Trap::TwinEdges,
        place: format!("relation {}", relation.name),
        evidence: format!(
            "{} second copies beside {} edges; of {looked} looked up, {orphans} have no edge",
            seen.twins, seen.edges
        ),
        repair: "keep each edge once, listed by the index; then count: verify --repair".to_owned(),
        command: Some(words(&[
            "model",
            "migrate",
            "MODEL",
            "twins",
            &relation.name,
            "--dry-run",
        ])),
    });
    Ok(())
}

fn relations(model: &Model, relation: &Relation, seen: &Seen, report: &mut DoctorReport) {
    let place = format!("relation {}", relation.name);
    if seen.unindexed > 0 {
        report.diagnoses.push(Diagnosis {
            trap: Trap::UnindexedEdges,
            place: place.clone(),
            evidence: format!(
                "{} of {} edges lack attributes of index {}, which leaves them out of its lists",
                seen.unindexed, seen.edges, relation.inverse.index
            ),
            repair: "set them: the backfill does".to_owned(),
            command: Some(words(&[
                "model",
                "migrate",
                "MODEL",
                "backfill",
                "--dry-run",
            ])),
        });
    }
    // A sample that shows edges alone says nothing about their targets' items.
    let looked = report.whole || seen.targets > 0;
    if looked && seen.counted == 0 && seen.edges > 0 && relation.counters.inward.is_some() {
        report.diagnoses.push(Diagnosis {
            trap: Trap::DerivedCount,
            place: place.clone(),
            evidence: format!(
                "{} edges, and no {} with a counter",
                seen.edges, relation.to
            ),
            repair: "count once; from then on each edge's transaction does".to_owned(),
            command: Some(words(&["verify", "MODEL", "--repair"])),
        });
    }
    let plain = model
        .index(&relation.inverse.index)
        .is_some_and(|i| model.is_plain_inverted(i));
    if let Some((count, id)) = seen.busiest.as_ref().filter(|(count, _)| *count >= HOT)
        && relation.shard.is_none()
    {
        let why = if plain {
            "; a plain inverted index can have none"
        } else {
            ""
        };
        report.diagnoses.push(Diagnosis {
            trap: Trap::HotKey,
            place,
            evidence: format!(
                "{id:?} has {count} edges under one key, and the relation has no shard rule{why}"
            ),
            repair: "give the relation a shard rule".to_owned(),
            command: None,
        });
    }
}
