//! Edges as rows, as one line, and as JSON.

use super::{Table, title, utc, visible};
use crate::dynamo;
use bothways_core::{Item, ValueRef};
use bothways_graph::model::{Attribute, AttributeType, Relation};
use bothways_graph::{Direction, Edge};
use serde_json::{Map, Value as Json, json};

/// Declared attributes that a table shows even where no row has them: enough to see what may be set.
const ALWAYS_SHOWN: usize = 2;

/// `alice → bob`, or `alice ↔ bob` where there is no direction.
pub(crate) fn arrow(relation: &Relation, source: &str, target: &str) -> String {
    let arrow = if relation.undirected { "↔" } else { "→" };
    format!("{} {arrow} {}", visible(source), visible(target))
}

/// A value as its declaration says one reads it.
pub(crate) fn attribute_cell(declared: Option<&Attribute>, value: ValueRef<'_>) -> String {
    if let (Some(AttributeType::Time), ValueRef::N(number)) = (declared.map(|a| a.kind), value)
        && let Some(text) = number.to_i64().and_then(utc)
    {
        return text;
    }
    visible(&dynamo::cell(value))
}

/// When an edge was made, where its model says which attribute that is: its first time or date.
pub(crate) fn since(relation: &Relation, edge: &Edge) -> Option<String> {
    let dated = |a: &&Attribute| matches!(a.kind, AttributeType::Time | AttributeType::Date);
    let declared = relation.attributes.iter().find(dated)?;
    Some(attribute_cell(
        Some(declared),
        edge.attributes.get(&declared.name)?,
    ))
}

/// A table of edges seen from one side: the peer, then the attributes.
pub(crate) fn edge_table(
    relation: &Relation,
    direction: Direction,
    edges: &[&Edge],
    id: &str,
) -> Table {
    let peer = if relation.undirected {
        relation.to.as_str()
    } else if relation.from == relation.to {
        if direction == Direction::Out {
            "target"
        } else {
            "source"
        }
    } else if direction == Direction::Out {
        relation.to.as_str()
    } else {
        relation.from.as_str()
    };
    let items: Vec<&Item> = edges.iter().map(|edge| &edge.attributes).collect();
    let columns = columns(&relation.attributes, &items, ALWAYS_SHOWN);
    let mut table = Table::new().column(title(peer));
    for (name, declared) in &columns {
        let heading = title(name);
        let is_number = declared.is_some_and(|a| a.kind == AttributeType::Number);
        table = if is_number {
            table.numbers(heading)
        } else {
            table.column(heading)
        };
    }
    for edge in edges {
        let cells = columns
            .iter()
            .map(|(name, declared)| Some(attribute_cell(*declared, edge.attributes.get(name)?)));
        table.row(
            std::iter::once(Some(peer_of(relation, direction, edge, id).to_owned())).chain(cells),
        );
    }
    table
}

/// The other end of an edge.
fn peer_of<'e>(relation: &Relation, direction: Direction, edge: &'e Edge, id: &str) -> &'e str {
    let other = if relation.undirected {
        edge.source == id
    } else {
        direction == Direction::Out
    };
    if other { &edge.target } else { &edge.source }
}

/// Declared attributes that some item has, the first few of them in any case, then what else there is, by name.
pub(crate) fn columns<'a>(
    declared: &'a [Attribute],
    items: &[&'a Item],
    at_least: usize,
) -> Vec<(&'a str, Option<&'a Attribute>)> {
    let is_there = |a: &Attribute| items.iter().any(|item| item.get(&a.name).is_some());
    let present = declared.iter().filter(|a| is_there(a)).count();
    let mut spare = at_least.saturating_sub(present);
    let mut out: Vec<(&str, Option<&Attribute>)> = Vec::new();
    for attribute in declared {
        let shown = is_there(attribute);
        if shown || spare > 0 {
            spare -= usize::from(!shown);
            out.push((&attribute.name, Some(attribute)));
        }
    }
    let mut others: Vec<&str> = items
        .iter()
        .flat_map(|item| item.iter().map(|(name, _)| name))
        .filter(|name| declared.iter().all(|a| a.name != *name))
        .collect();
    others.sort_unstable();
    others.dedup();
    out.extend(others.into_iter().map(|name| (name, None)));
    out
}

/// `{"source":"alice","target":"bob","attributes":{…}}`.
pub(crate) fn edge_json(edge: &Edge) -> Json {
    json!({
        "source": edge.source,
        "target": edge.target,
        "attributes": item_json(&edge.attributes),
    })
}

/// An item's attributes as DynamoDB JSON.
pub(crate) fn item_json(item: &Item) -> Json {
    let members = item
        .iter()
        .map(|(name, value)| (name.to_owned(), dynamo::document(value)));
    Json::Object(members.collect::<Map<String, Json>>())
}
