//! The gates: what keeps links out while an entity goes.
//!
//! Links that go by the entity's item are kept out by that; those of a target with a map of shards go by the counters of its
//! parts, which are closed too. Once the entity is closed its map does not change any more, so the parts are known.
//! Links that no counter counts go by a map that they read shortly before, and by whether the entity was closed then: for them
//! the passes wait as long as anybody goes by a map.

use super::{Node, delete, millis};
use crate::env::operation_id;
use crate::error::Result;
use crate::jobs::{Fields, Next, Work, job_key};
use crate::model::{Relation, companion};
use crate::read;
use crate::receipt::Receipt;
use crate::requests::{self, CLOSED, Key};
use crate::send::Outcome;
use crate::shard::{Map, Part, SETTLE, map_attribute, mark_keys};
use bothways_core::{Item, ItemBuilder, Number, Value};
use bothways_protocol::types::{
    ConditionCheck, ReturnConsumedCapacity, TransactWriteItem, Update, UpdateItemInput,
};
use bothways_protocol::{DynamoDbExt, Operation};
use std::collections::BTreeMap;

/// Parts closed in one transaction, beside the check of the job.
const PARTS: usize = 99;

/// A map of the entity: its relation, and the map.
pub(super) type Mapped<'g> = (&'g Relation, Map);

/// The maps of an entity, from a strong read of its item.
pub(super) async fn parts<'g>(work: &mut Work<'g>, node: &Node<'_>) -> Result<Vec<Mapped<'g>>> {
    let graph = work.graph;
    let (item, receipt) = graph.get_item(work.cx, &node.key, true).await?;
    work.sent(receipt);
    let Some(item) = item else {
        return Ok(Vec::new());
    };
    let relations = graph
        .model
        .relations
        .iter()
        .filter(|r| r.to == node.entity.name);
    Ok(relations
        .filter_map(|r| Some((r, Map::of(r, &item)?)))
        .collect())
}

/// The tombstone keeps the maps, so that a repeated step finds them.
pub(super) fn keep_maps(mapped: &[Mapped<'_>], item: &mut ItemBuilder) {
    for (relation, map) in mapped {
        item.set(&map_attribute(relation), map.value().as_ref());
    }
}

/// How long the tombstone stands: at least as long as anybody goes by a map.
pub(super) fn hold(work: &Work<'_>, mapped: bool) -> u64 {
    let hold = work.job.spec.count("hold");
    if mapped {
        hold.max(millis(SETTLE))
    } else {
        hold
    }
}

pub(super) fn job_value(work: &Work<'_>) -> BTreeMap<String, Value> {
    BTreeMap::from([(":job".to_owned(), Value::from(work.job.id.as_str()))])
}

/// Closes the entity and the counters of its parts, if the job is still this worker's: a worker that comes late closes
/// nothing.
pub(super) async fn close(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    if !shut(work, std::slice::from_ref(&node.key)).await? {
        // The fence has moved on: saving this step will say so.
        return Ok(Next::More);
    }
    let mapped = parts(work, node).await?;
    let counted = mapped.iter().filter(|(_, map)| map.counts_parts());
    let keys: Vec<Key> = counted
        .flat_map(|(relation, map)| map.parts().map(|p| p.counter(relation, &node.id)))
        .collect();
    for keys in keys.chunks(PARTS) {
        if !shut(work, keys).await? {
            return Ok(Next::More);
        }
    }
    work.job.cancellable = false;
    work.enter("edges");
    let relations = work
        .graph
        .model
        .relations
        .iter()
        .filter(|r| r.to == node.entity.name);
    let ungated = mapped.iter().any(|(_, map)| !map.counts_parts())
        || relations
            .clone()
            .any(|r| r.may_map() && r.counters.inward.is_none());
    Ok(if ungated {
        Next::After(SETTLE)
    } else {
        Next::More
    })
}

/// Closes items in one transaction with the job's fence; `false` where the fence is another.
async fn shut(work: &mut Work<'_>, keys: &[Key]) -> Result<bool> {
    let graph = work.graph;
    let model = &*graph.model;
    let ours = BTreeMap::from([
        (":fence".to_owned(), Value::N(Number::from(work.job.fence))),
        (":phase".to_owned(), Value::from("close")),
    ]);
    let mut actions = vec![TransactWriteItem {
        condition_check: Some(ConditionCheck {
            key: Some(job_key(&work.job.id).item(&model.keys).into()),
            table_name: Some(model.table.clone()),
            condition_expression: Some("fence = :fence AND phase = :phase".into()),
            expression_attribute_values: Some(ours.into()),
            ..ConditionCheck::default()
        }),
        ..TransactWriteItem::default()
    }];
    for key in keys {
        let names = BTreeMap::from([("#closed".to_owned(), CLOSED.to_owned())]);
        actions.push(TransactWriteItem {
            update: Some(Update {
                key: Some(key.item(&model.keys).into()),
                table_name: Some(model.table.clone()),
                update_expression: Some("SET #closed = :job".into()),
                expression_attribute_names: Some(names),
                expression_attribute_values: Some(job_value(work).into()),
                ..Update::default()
            }),
            ..TransactWriteItem::default()
        });
    }
    let token = operation_id(&*graph.env);
    let input = requests::transaction(actions, &token);
    let mut receipt = Receipt::new(Operation::TransactWriteItems, &model.table);
    let outcome = graph
        .transact(work.cx, &input, &token, &mut receipt)
        .await?;
    work.sent(receipt);
    Ok(matches!(outcome, Outcome::Committed))
}

/// Takes the closing back: the parts first, then the entity.
pub(super) async fn reopen(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    let graph = work.graph;
    let model = &*graph.model;
    let (item, receipt) = graph.get_item(work.cx, &node.key, true).await?;
    work.sent(receipt);
    let ours = |item: &Item| read::text(item, CLOSED) == Some(&work.job.id);
    let Some(item) = item.filter(ours) else {
        return Ok(Next::Cancelled);
    };
    for (relation, map) in parts(work, node).await? {
        for part in map.parts().filter(|_| map.counts_parts()) {
            open(work, &part.counter(relation, &node.id)).await?;
        }
    }
    let own = [&model.keys.pk, &model.keys.sk];
    let made = item
        .iter()
        .all(|(name, _)| name == CLOSED || own.iter().any(|k| *k == name));
    if made {
        // Closing made the item. It goes, unless a counter has moved since.
        let counters = model.counters_of(&node.entity.name);
        let still: Vec<String> = counters
            .into_iter()
            .map(|counter| format!("attribute_not_exists({})", companion(counter)))
            .collect();
        let mut conditions = vec!["#closed = :job"];
        conditions.extend(still.iter().map(String::as_str));
        delete(work, &node.key.clone(), Some(&conditions)).await?;
    } else {
        open(work, &node.key.clone()).await?;
    }
    // Looks again: only an entity that is open lets the job end.
    Ok(Next::More)
}

async fn open(work: &mut Work<'_>, key: &Key) -> Result<()> {
    let graph = work.graph;
    let input = UpdateItemInput {
        table_name: Some(graph.model.table.clone()),
        key: Some(key.item(&graph.model.keys).into()),
        update_expression: Some("REMOVE #closed".into()),
        condition_expression: Some("#closed = :job".into()),
        expression_attribute_names: Some(BTreeMap::from([(
            "#closed".to_owned(),
            CLOSED.to_owned(),
        )])),
        expression_attribute_values: Some(job_value(work).into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..UpdateItemInput::default()
    };
    let mut receipt = Receipt::new(Operation::UpdateItem, &graph.model.table);
    let send = || graph.db.update_item(work.cx, input.clone());
    if let Ok(output) = graph
        .decide(work.cx, &work.job.id, &mut receipt, send)
        .await?
    {
        receipt.consumed(output.consumed_capacity.as_ref());
    }
    work.sent(receipt);
    Ok(())
}

/// How many shards each relation's list had, for [`remove`].
pub(super) fn remember(work: &mut Work<'_>, mapped: &[Mapped<'_>]) {
    let mut shards = Fields::default();
    for (relation, map) in mapped {
        shards.set_number(&relation.name, u64::from(map.read));
    }
    work.job.place.set("shards", shards.value());
}

/// Removes the counters of parts, and the marks of lists.
pub(super) async fn remove(work: &mut Work<'_>, node: &Node<'_>) -> Result<()> {
    let shards = work.job.place.item("shards").unwrap_or_default();
    for relation in &work.graph.model.relations {
        let read = read::unsigned(&shards, &relation.name);
        let Some(read) = read.and_then(|read| u32::try_from(read).ok()) else {
            continue;
        };
        let parts = std::iter::once(Part::Plain).chain((0..read).map(Part::Shard));
        let counters = parts.map(|part| part.counter(relation, &node.id));
        for key in counters.chain(mark_keys(relation, &node.id)) {
            work.keep().await?;
            delete(work, &key, None).await?;
        }
    }
    Ok(())
}
