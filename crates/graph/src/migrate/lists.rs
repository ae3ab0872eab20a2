//! Lists of ids on entities made edges.

use crate::changes::Changes;
use crate::edge::{BatchAnswer, BatchEdge, Linked};
use crate::error::Result;
use crate::jobs::{Next, Work};
use crate::receipt::Receipt;
use crate::requests::Key;
use crate::verify::{Kind, key_of, kind, page};
use bothways_core::{Value, ValueRef};
use bothways_protocol::types::{ReturnConsumedCapacity, UpdateItemInput};
use bothways_protocol::{DynamoDbExt, Operation};
use std::collections::BTreeMap;

/// Items of one step: each may hold thousands of ids.
const PAGE: i32 = 25;
/// Members of a map that may hold the peer's id, in this order.
const ID_MEMBERS: [&str; 3] = ["id", "ID", "Id"];

/// An edge that a list's element stands for: the peer, and what it says of the edge.
type Element = (String, Changes);

fn scalar(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::S(text) if !text.is_empty() => Some(text.to_owned()),
        ValueRef::N(number) => {
            let mut text = Vec::new();
            number.write(&mut text);
            String::from_utf8(text).ok()
        }
        _ => None,
    }
}

/// A map with an id among its members: `{ "courseId": "math204", "grade": "A" }`.
fn element(value: &Value) -> Option<Element> {
    let Value::M(map) = value else {
        return Some((scalar(value.as_ref())?, Changes::new()));
    };
    let named = ID_MEMBERS
        .iter()
        .find(|name| map.contains_key(**name))
        .map(|n| (*n).to_owned());
    let name = named.or_else(|| {
        map.keys()
            .find(|n| n.ends_with("Id") || n.ends_with("_id"))
            .cloned()
    })?;
    let id = scalar(map.get(&name)?.as_ref())?;
    let mut changes = Changes::new();
    for (member, value) in map.iter().filter(|(member, _)| **member != name) {
        changes.push(member.clone(), Some(value.clone()));
    }
    Some((id, changes))
}

/// The ids in a list attribute; `None` where it is none, or has elements that are no ids.
pub(crate) fn ids(value: &Value) -> Option<Vec<Element>> {
    match value {
        Value::L(list) => list.iter().map(element).collect(),
        Value::Ss(set) => Some(set.iter().map(|id| (id.clone(), Changes::new())).collect()),
        Value::Ns(set) => {
            let id = |n: &bothways_core::Number| scalar(ValueRef::N(*n));
            set.iter().map(|n| Some((id(n)?, Changes::new()))).collect()
        }
        _ => None,
    }
}

pub(super) async fn step(work: &mut Work<'_>) -> Result<Next> {
    let model = work.graph.model.clone();
    let text = |name: &str| work.job.spec.text(name).unwrap_or_default().to_owned();
    let (of, attribute, relation) = (text("entity"), text("attribute"), text("relation"));
    let out = text("direction") == "out";
    let dry = work.job.spec.flag("dryRun");
    let start = work.job.place.item("after");
    let (items, last) = page(work, PAGE, start).await?;
    for item in &items {
        let Kind::Entity(entity, id) = kind(&model, item) else {
            continue;
        };
        let Some(value) = item.get(&attribute).filter(|_| entity.name == of) else {
            continue;
        };
        let value = value.to_value();
        let Some(elements) = ids(&value) else {
            work.tally("not lists of ids", 1);
            continue;
        };
        let count = u64::try_from(elements.len()).unwrap_or(u64::MAX);
        if dry {
            work.tally("lists", 1);
            work.tally("edges to make", count);
            continue;
        }
        let edges = elements.into_iter().map(|(peer, changes)| {
            let (source, target) = if out {
                (id.clone(), peer)
            } else {
                (peer, id.clone())
            };
            let (relation, link) = (relation.clone(), Some(changes));
            BatchEdge {
                relation,
                source,
                target,
                link,
            }
        });
        make(work, edges.collect()).await?;
        let removed = forget(work, &key_of(&model, item), &attribute, &value).await?;
        work.tally(
            if removed {
                "lists"
            } else {
                "lists that changed"
            },
            1,
        );
    }
    match last {
        Some(last) => {
            work.job.place.set_item("after", &last);
            Ok(Next::More)
        }
        None => Ok(Next::Done),
    }
}

async fn make(work: &mut Work<'_>, edges: Vec<BatchEdge>) -> Result<()> {
    for edges in edges.chunks(1_000) {
        work.keep().await?;
        let done = work.graph.batch(work.cx, edges).await?;
        for receipt in done.receipts {
            work.sent(receipt);
        }
        let mut failed = None;
        for answer in done.value {
            match answer {
                BatchAnswer::Linked(Linked::Created(_)) => work.tally("edges", 1),
                BatchAnswer::Failed(error) => failed = failed.or(Some(error)),
                _ => work.tally("edges that were there", 1),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
    }
    Ok(())
}

/// Removes the attribute if it still is what its edges were made of. Whether it did: one that grew meanwhile is left for
/// another run.
async fn forget(work: &mut Work<'_>, key: &Key, attribute: &str, seen: &Value) -> Result<bool> {
    let graph = work.graph;
    let model = &*graph.model;
    let input = UpdateItemInput {
        table_name: Some(model.table.clone()),
        key: Some(key.item(&model.keys).into()),
        update_expression: Some("REMOVE #list".into()),
        condition_expression: Some("#list = :seen".into()),
        expression_attribute_names: Some(BTreeMap::from([(
            "#list".to_owned(),
            attribute.to_owned(),
        )])),
        expression_attribute_values: Some(
            BTreeMap::from([(":seen".to_owned(), seen.clone())]).into(),
        ),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..UpdateItemInput::default()
    };
    let mut receipt = Receipt::new(Operation::UpdateItem, &model.table);
    let send = || graph.db.update_item(work.cx, input.clone());
    let done = graph
        .decide(work.cx, &work.job.id, &mut receipt, send)
        .await?;
    if let Ok(output) = &done {
        receipt.consumed(output.consumed_capacity.as_ref());
    }
    work.sent(receipt);
    Ok(done.is_ok())
}
