//! What is true of every table of a model: each counter is the number of its edges, each edge has its keys.

use super::wait;
use bothways_core::{Item, ValueRef};
use bothways_graph::Model;
use bothways_protocol::types::ScanInput;
use bothways_protocol::{Context, DynamoDb, DynamoDbExt};
use std::collections::BTreeMap;

/// Every item of a table, read straight from the database.
pub fn items(db: &dyn DynamoDb, table: &str) -> Vec<Item> {
    let (mut items, mut start) = (Vec::new(), None);
    loop {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            consistent_read: Some(true),
            exclusive_start_key: start.map(Item::into),
            ..ScanInput::default()
        };
        let page = wait(db.scan(&Context::default(), input)).expect("a page");
        items.extend(page.items.into_iter().flatten());
        start = page.last_evaluated_key;
        if start.is_none() {
            return items;
        }
    }
}

fn text<'i>(item: &'i Item, name: &str) -> &'i str {
    item.get(name)
        .and_then(ValueRef::as_str)
        .unwrap_or_default()
}

/// A counter of an entity: its item's partition key, and the counter's name.
type Counter = (String, String);

/// The edges of a table by their partition and sort keys, after every counter was found to be right.
pub fn sound(db: &dyn DynamoDb, model: &Model) -> Vec<(String, String)> {
    let items = items(db, &model.table);
    let mut want: BTreeMap<Counter, i64> = BTreeMap::new();
    let mut edges = Vec::new();
    for item in &items {
        let (pk, sk) = (text(item, &model.keys.pk), text(item, &model.keys.sk));
        for relation in &model.relations {
            let (Some(out), Some(inward)) = (relation.key.pk.read(pk), relation.key.sk.read(sk))
            else {
                continue;
            };
            edges.push((pk.to_owned(), sk.to_owned()));
            let loops = relation.undirected && out.source == inward.target;
            let ends = [
                (&relation.from, &out.source, &relation.counters.out),
                (&relation.to, &inward.target, &relation.counters.inward),
            ];
            for (entity, id, counter) in ends.into_iter().take(if loops { 1 } else { 2 }) {
                let entity = model.entity(entity).expect("an entity");
                let filling = bothways_graph::Filling::entity(id);
                let key = entity.key.pk.fill(&filling);
                if let Some(counter) = counter {
                    *want.entry((key, counter.clone())).or_default() += 1;
                }
            }
        }
    }
    let mut have: BTreeMap<Counter, i64> = BTreeMap::new();
    for item in &items {
        for entity in &model.entities {
            let (pk, sk) = (text(item, &model.keys.pk), text(item, &model.keys.sk));
            if entity.key.pk.read(pk).is_none() || entity.key.sk.read(sk).is_none() {
                continue;
            }
            for counter in model.counters_of(&entity.name) {
                let count = item.get(counter).and_then(ValueRef::as_number);
                let count = count.and_then(bothways_core::Number::to_i64).unwrap_or(0);
                if count != 0 {
                    have.insert((pk.to_owned(), counter.to_owned()), count);
                }
            }
        }
    }
    assert_eq!(have, want, "counters (left) and edges (right)");
    edges
}
