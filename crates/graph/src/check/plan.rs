//! The request that serves each pattern, taken from the request that would be sent, and its price.

use super::Findings;
use crate::ends::Move;
use crate::link;
use crate::model::{Access, Direction, Entity, Model, Pattern, Projection, Relation};
use crate::receipt::Consistency;
use crate::requests::{self, Place};
use bothways_core::limits::PAGE_BYTES;
use bothways_protocol::Operation;
use bothways_protocol::types::{QueryInput, TransactWriteItemsInput, Units};

/// Bytes of a read unit (API Reference, "Read request units").
const READ_UNIT_BYTES: u64 = 4096;
/// Bytes of a write unit.
const WRITE_UNIT_BYTES: u64 = 1024;

/// The request that serves a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Operation.
    pub operation: Operation,
    /// Table.
    pub table: String,
    /// Index.
    pub index: Option<String>,
    /// The key in words, with the model's slots: `GSI1PK = TARGET#{dst}`. Of a transaction: the keys of its actions.
    pub key: String,
    /// The range of a list in words: `begins_with(GSI1SK, ACTOR#)`.
    pub range: Option<String>,
    /// Freshness of a read.
    pub consistency: Option<Consistency>,
    /// Requests for the stated size: pages of a list.
    pub requests: u64,
    /// Read units for the stated size, in halves.
    pub read: Units,
    /// Write units for the stated size, indexes included, in halves.
    pub write: Units,
}

/// A pattern and its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The pattern's name.
    pub pattern: String,
    /// What it reads or writes: `out follows`.
    pub access: String,
    /// Edges of the stated size.
    pub items: u64,
    /// Bytes of one item.
    pub bytes: u64,
    /// The requests that serve it, usually one; none where only a `Scan` could.
    pub plans: Vec<Plan>,
}

pub(super) fn check(model: &Model, found: &mut Findings<'_>) {
    // Templates at fault make no requests worth pricing.
    if !found.report.problems.is_empty() {
        return;
    }
    for pattern in &model.patterns {
        let path = format!("pattern.{}", pattern.name);
        let plans = plans(model, pattern, &path, found);
        let from_index = plans.iter().find_map(|p| p.index.as_ref());
        if let (Some(true), Some(index)) = (pattern.strong, from_index) {
            let message =
                format!("it is read from {index}, and an index is never strongly consistent");
            found.problem(&format!("{path}.consistency"), message, None);
        }
        found.report.proofs.push(Proof {
            pattern: pattern.name.clone(),
            access: format!("{} {}", pattern.access.verb(), pattern.access.of()),
            items: pattern.items,
            bytes: pattern.bytes,
            plans,
        });
    }
}

fn plans(model: &Model, pattern: &Pattern, path: &str, found: &mut Findings<'_>) -> Vec<Plan> {
    match &pattern.access {
        Access::Entity(name) | Access::Show(name) | Access::Find { entity: name, .. } => {
            let Some(entity) = model.entity(name) else {
                found.problem(
                    &format!("{path}.of"),
                    format!("there is no entity {name:?}"),
                    None,
                );
                return Vec::new();
            };
            entity_plan(model, pattern, entity, path, found)
                .into_iter()
                .collect()
        }
        access => {
            let name = access.of();
            let Some(relation) = model.relation(name) else {
                found.problem(
                    &format!("{path}.of"),
                    format!("there is no relation {name:?}"),
                    None,
                );
                return Vec::new();
            };
            relation_plans(model, pattern, relation)
        }
    }
}

fn entity_plan(
    model: &Model,
    pattern: &Pattern,
    entity: &Entity,
    path: &str,
    found: &mut Findings<'_>,
) -> Option<Plan> {
    match &pattern.access {
        Access::Show(_) => {
            let input = requests::show(model, entity, "{id}");
            Some(query_plan(model, &input, pattern, pattern.items + 1))
        }
        Access::Find { by, .. } => {
            let Some(index) = model.indexes.iter().find(|i| i.keys.pk == *by) else {
                let message = format!(
                    "this would need a Scan: neither the table nor an index has {by} as its partition key"
                );
                let hint = format!("an [[index]] with pk = \"{by}\"");
                found.problem(&format!("{path}.by"), message, hint);
                return None;
            };
            let place = Place {
                index: Some(&index.name),
                names: &index.keys,
                keys: &entity.key,
            };
            let input = requests::query(model, &place, &format!("{{{by}}}"), "");
            Some(query_plan(model, &input, pattern, pattern.items))
        }
        _ => {
            let key = requests::entity_key(model, entity, "{id}").ok()?;
            Some(get_plan(model, &key, pattern))
        }
    }
}

fn relation_plans(model: &Model, pattern: &Pattern, relation: &Relation) -> Vec<Plan> {
    let list = |direction| {
        let place = Place::of(model, relation, direction, None);
        let id = match direction {
            Direction::Out => "{src}",
            Direction::In => "{dst}",
        };
        let mut input = requests::list(model, &place, id);
        if relation.undirected {
            // Half of the list is from an index, so the whole is no fresher than that.
            input.consistent_read = Some(false);
        }
        query_plan(model, &input, pattern, pattern.items)
    };
    let edge = requests::edge_key(model, relation, "{src}", "{dst}").ok();
    let of_edge = edge.map(|key| get_plan(model, &key, pattern));
    match &pattern.access {
        Access::Out(_) | Access::In(_) if relation.undirected => {
            vec![list(Direction::Out), list(Direction::In)]
        }
        Access::Out(_) => vec![list(Direction::Out)],
        Access::In(_) => vec![list(Direction::In)],
        Access::Count(_) => {
            let entity = model.entity(&relation.to);
            let key = entity.and_then(|e| requests::entity_key(model, e, "{dst}").ok());
            key.map(|key| get_plan(model, &key, pattern))
                .into_iter()
                .collect()
        }
        Access::Link(_) => vec![transaction_plan(model, relation, pattern, Move::Link)],
        Access::Unlink(_) => vec![transaction_plan(model, relation, pattern, Move::Unlink)],
        Access::Set(_) => of_edge
            .map(|plan| Plan {
                operation: Operation::UpdateItem,
                consistency: None,
                read: Units::default(),
                write: Units::whole(write_units(pattern.bytes) * (1 + copies(model, relation))),
                ..plan
            })
            .into_iter()
            .collect(),
        _ => of_edge.into_iter().collect(),
    }
}

/// Indexes that copy some attribute of an edge: each change writes them too.
fn copies(model: &Model, relation: &Relation) -> u64 {
    let copying = requests::index_keys(relation).filter(|keys| {
        model
            .index(&keys.index)
            .is_some_and(|i| i.projection != Projection::KeysOnly)
    });
    copying.count() as u64
}

fn write_units(bytes: u64) -> u64 {
    bytes.div_ceil(WRITE_UNIT_BYTES).max(1)
}

fn read_halves(bytes: u64, strong: bool) -> Units {
    let blocks = bytes.div_ceil(READ_UNIT_BYTES).max(1);
    Units(if strong { blocks * 2 } else { blocks })
}

fn get_plan(model: &Model, key: &requests::Key, pattern: &Pattern) -> Plan {
    let strong = pattern.strong.unwrap_or(true);
    let input = requests::get(model, key, strong);
    let words = input
        .key
        .as_ref()
        .map(|k| requests::key_words(&k.value, &model.keys));
    Plan {
        operation: Operation::GetItem,
        table: model.table.clone(),
        index: None,
        key: words.unwrap_or_default(),
        range: None,
        consistency: Some(if strong {
            Consistency::Strong
        } else {
            Consistency::Eventual
        }),
        requests: 1,
        read: read_halves(pattern.bytes, strong),
        write: Units::default(),
    }
}

fn query_plan(model: &Model, input: &QueryInput, pattern: &Pattern, items: u64) -> Plan {
    let strong = input.consistent_read == Some(true) && pattern.strong.unwrap_or(true);
    let (key, range) = requests::query_words(input);
    let page_bytes = PAGE_BYTES as u64;
    let bytes = items.saturating_mul(pattern.bytes);
    // A page ends with the item that reaches 1 MB, so every page but the last is about full.
    let (full, rest) = (bytes / page_bytes, bytes % page_bytes);
    let last = u64::from(rest > 0 || full == 0);
    let read =
        Units(read_halves(page_bytes, strong).0 * full) + Units(read_halves(rest, strong).0 * last);
    Plan {
        operation: Operation::Query,
        table: model.table.clone(),
        index: input.index_name.clone(),
        key,
        range,
        consistency: Some(if strong {
            Consistency::Strong
        } else {
            Consistency::Eventual
        }),
        requests: full + last,
        read,
        write: Units::default(),
    }
}

/// A transaction's base writes cost twice; index rows cost what they cost outside (2 units for the edge and each
/// counter, 1 for each index row).
fn transaction_plan(model: &Model, relation: &Relation, pattern: &Pattern, change: Move) -> Plan {
    let input = link::sample_transaction(model, relation, change);
    let actions = input.transact_items.as_ref().map_or(0, Vec::len) as u64;
    let indexes = requests::index_keys(relation).count() as u64;
    let write = write_units(pattern.bytes) * (2 * actions + indexes);
    Plan {
        operation: Operation::TransactWriteItems,
        table: model.table.clone(),
        index: None,
        key: transaction_words(model, &input),
        range: None,
        consistency: None,
        requests: 1,
        read: Units::default(),
        write: Units::whole(write),
    }
}

/// The keys of a transaction's actions: `Put PK = …, SK = …; Update PK = …, SK = …`.
pub(crate) fn transaction_words(model: &Model, input: &TransactWriteItemsInput) -> String {
    let mut words = Vec::new();
    for action in input.transact_items.iter().flatten() {
        let put = action.put.as_ref().and_then(|p| p.item.as_ref());
        let delete = action.delete.as_ref().and_then(|d| d.key.as_ref());
        let update = action.update.as_ref().and_then(|u| u.key.as_ref());
        for (verb, item) in [("Put", put), ("Delete", delete), ("Update", update)] {
            if let Some(item) = item {
                words.push(format!(
                    "{verb} {}",
                    requests::key_words(&item.value, &model.keys)
                ));
            }
        }
    }
    words.join("; ")
}
