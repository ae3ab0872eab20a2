//! Second copies of edges, with their ids swapped, removed.

use super::{Orphans, orphans};
use crate::changes::Changes;
use crate::edge::Linked;
use crate::error::Result;
use crate::fetch::Fetch;
use crate::jobs::{Next, Work};
use crate::model::{Model, Relation};
use crate::read;
use crate::receipt::Receipt;
use crate::requests::{self, EDGE_OWN, Key};
use crate::verify::{key_of, page};
use bothways_core::Item;
use bothways_protocol::types::{DeleteItemInput, ReturnConsumedCapacity};
use bothways_protocol::{DynamoDbExt, Operation};
use std::collections::BTreeMap;

/// Items of one step.
const PAGE: i32 = 200;

/// The ends of the edge that an item is the second copy of: its key in the table is what the edge's key in the index
/// should be.
pub(crate) fn twin_of(model: &Model, relation: &Relation, item: &Item) -> Option<(String, String)> {
    let pk = read::text(item, &model.keys.pk)?;
    let sk = read::text(item, &model.keys.sk)?;
    let keys = &relation.inverse.keys;
    let plain = (&relation.key.sk, &relation.key.pk);
    for (of_pk, of_sk) in [(&keys.pk, &keys.sk), plain] {
        if let (Some(target), Some(source)) = (of_pk.read(pk), of_sk.read(sk)) {
            let (source, target) = (source.source.into_owned(), target.target.into_owned());
            if !source.is_empty() && !target.is_empty() {
                return Some((source, target));
            }
        }
    }
    None
}

pub(super) async fn step(work: &mut Work<'_>) -> Result<Next> {
    let model = work.graph.model.clone();
    let name = work
        .job
        .spec
        .text("relation")
        .unwrap_or_default()
        .to_owned();
    let relation = work.graph.relation(&name)?;
    let start = work.job.place.item("after");
    let (items, last) = page(work, PAGE, start).await?;
    let mut twins = Vec::new();
    for item in &items {
        // An edge is no twin, whatever its key looks like.
        if read::edge(&model, relation, item).is_some() {
            continue;
        }
        if let Some((source, target)) = twin_of(&model, relation, item) {
            let (from, to) = requests::ends(relation, &source, &target);
            let edge = requests::edge_key(&model, relation, from, to)?;
            twins.push((item, from.to_owned(), to.to_owned(), edge));
        }
    }
    let keys: Vec<Key> = twins.iter().map(|(.., edge)| edge.clone()).collect();
    let mut receipt = work.graph.fetching();
    let how = Fetch {
        strong: true,
        keys_only: true,
    };
    let there = work.graph.fetch(work.cx, &keys, how, &mut receipt).await?;
    work.sent(receipt);
    for (item, source, target, edge) in twins {
        work.keep().await?;
        one(
            work,
            relation,
            item,
            (&source, &target),
            there.contains_key(&edge),
        )
        .await?;
    }
    match last {
        Some(last) => {
            work.job.place.set_item("after", &last);
            Ok(Next::More)
        }
        None => Ok(Next::Done),
    }
}

/// One twin: its edge is made where it is missing and wanted, then it goes.
async fn one(
    work: &mut Work<'_>,
    relation: &Relation,
    item: &Item,
    (source, target): (&str, &str),
    edge: bool,
) -> Result<()> {
    work.tally("twins", 1);
    let orphans = orphans(work);
    if !edge {
        work.tally("orphans", 1);
        if orphans == Orphans::Keep {
            return Ok(());
        }
    }
    if work.job.spec.flag("dryRun") {
        return Ok(());
    }
    let graph = work.graph;
    if !edge && orphans == Orphans::Link {
        let changes = attributes(&graph.model, item);
        let linked = graph
            .link(work.cx, &relation.name, source, target, &changes)
            .await?;
        for receipt in linked.receipts {
            work.sent(receipt);
        }
        work.tally(
            "edges made",
            u64::from(matches!(linked.value, Linked::Created(_))),
        );
    }
    let removed = remove(work, item).await?;
    work.tally("removed", u64::from(removed));
    Ok(())
}

/// What a twin says of the edge.
fn attributes(model: &Model, item: &Item) -> Changes {
    let mut changes = Changes::new();
    let keys = model.key_attributes();
    for (name, value) in item {
        if !keys.contains(&name) && !EDGE_OWN.contains(&name) {
            changes.push(name.to_owned(), Some(value.to_value()));
        }
    }
    changes
}

/// Deletes a twin if it is as it was seen, as far as one condition can say.
async fn remove(work: &mut Work<'_>, item: &Item) -> Result<bool> {
    let graph = work.graph;
    let model = &*graph.model;
    let names = BTreeMap::from([("#pk".to_owned(), model.keys.pk.clone())]);
    let input = DeleteItemInput {
        table_name: Some(model.table.clone()),
        key: Some(key_of(model, item).item(&model.keys).into()),
        condition_expression: Some("attribute_exists(#pk)".into()),
        expression_attribute_names: Some(names),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..DeleteItemInput::default()
    };
    let mut receipt = Receipt::new(Operation::DeleteItem, &model.table);
    let send = || graph.db.delete_item(work.cx, input.clone());
    let done = graph
        .decide(work.cx, &work.job.id, &mut receipt, send)
        .await?;
    if let Ok(output) = &done {
        receipt.consumed(output.consumed_capacity.as_ref());
    }
    work.sent(receipt);
    Ok(done.is_ok())
}
