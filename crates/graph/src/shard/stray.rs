//! Edges that stand in a shard that no list reads, put where their target's new edges go.

use super::cache::Known;
use super::drain::{Moving, count, rekey};
use super::map::{Map, map_attribute};
use super::part::{COUNT, Part};
use crate::env::operation_id;
use crate::error::Result;
use crate::graph::Graph;
use crate::link::key_name;
use crate::model::{Relation, companion};
use crate::read;
use crate::receipt::Receipt;
use crate::requests::{self, CLOSED, Key};
use crate::send::Outcome;
use bothways_core::{Number, Value};
use bothways_protocol::types::{ConditionCheck, TransactWriteItem, Update};
use bothways_protocol::{Context, Operation};
use std::collections::BTreeMap;

/// An edge out of every list's sight.
pub(crate) struct Stray<'s> {
    pub(crate) relation: &'s Relation,
    pub(crate) source: &'s str,
    pub(crate) target: &'s str,
    /// The edge's item.
    pub(crate) key: &'s Key,
    /// Where it stands.
    pub(crate) part: Part,
}

impl Graph {
    /// Puts a stray edge into a part that is read, with its count, in one transaction: if it is where it was, and its target's
    /// map is the one that was read. Whether it did.
    pub(crate) async fn take_in(
        &self,
        cx: &Context,
        stray: &Stray<'_>,
        known: &Known,
        receipts: &mut Vec<Receipt>,
    ) -> Result<bool> {
        let (model, relation, target) = (&*self.model, stray.relation, stray.target);
        let map = known.map.unwrap_or(Map::PLAIN);
        if map.gated || !relation.may_map() {
            return Ok(false);
        }
        let to = map.part_of(stray.source);
        let edge = Moving {
            key: stray.key.clone(),
            to,
        };
        let mut actions = vec![
            rekey(model, relation, target, stray.part, &edge),
            self.under(relation, target, known.map)?,
        ];
        if map.counts_parts() {
            actions.push(count(model, &to.counter(relation, target), 1));
            // Where its shard still counts it, it does so no more.
            let left = stray.part.counter(relation, target);
            let (item, receipt) = self.get_item(cx, &left, true).await?;
            receipts.push(receipt);
            if item.is_some_and(|item| read::integer(&item, COUNT) > 0) {
                actions.push(taken_off(count(model, &left, -1)));
            }
        }
        let op_id = operation_id(&*self.env);
        let input = requests::transaction(actions, &op_id);
        let mut receipt = Receipt::new(Operation::TransactWriteItems, &model.table);
        let outcome = self.transact(cx, &input, &op_id, &mut receipt).await?;
        receipts.push(receipt);
        Ok(matches!(outcome, Outcome::Committed))
    }

    /// Holds a transaction to the map that was read. Without a map the entity itself counts the edge, if it counts.
    fn under(
        &self,
        relation: &Relation,
        target: &str,
        seen: Option<Map>,
    ) -> Result<TransactWriteItem> {
        let model = &*self.model;
        let entity = self.entity(&relation.to)?;
        let key = requests::entity_key(model, entity, target)?.item(&model.keys);
        let mut names = BTreeMap::from([
            ("#map".to_owned(), map_attribute(relation)),
            ("#closed".to_owned(), CLOSED.to_owned()),
        ]);
        let mut values = BTreeMap::new();
        let mut condition = "attribute_not_exists(#closed) AND ".to_owned();
        if let Some(map) = seen {
            names.insert("#epoch".into(), "epoch".into());
            values.insert(":epoch".to_owned(), Value::N(Number::from(map.epoch)));
            condition.push_str("#map.#epoch = :epoch");
        } else {
            condition.push_str("attribute_not_exists(#map)");
        }
        let counter = relation.counters.inward.as_ref();
        if let Some(counter) = counter.filter(|_| seen.is_none()) {
            if model.referential {
                names.extend(key_name(model));
                condition.push_str(" AND attribute_exists(#pk)");
            }
            names.insert("#n".into(), counter.clone());
            names.insert("#ops".into(), companion(counter));
            values.insert(":one".into(), Value::N(Number::from(1_i64)));
            return Ok(TransactWriteItem {
                update: Some(Update {
                    key: Some(key.into()),
                    table_name: Some(model.table.clone()),
                    update_expression: Some("ADD #n :one, #ops :one".into()),
                    condition_expression: Some(condition),
                    expression_attribute_names: Some(names),
                    expression_attribute_values: Some(values.into()),
                    ..Update::default()
                }),
                ..TransactWriteItem::default()
            });
        }
        Ok(TransactWriteItem {
            condition_check: Some(ConditionCheck {
                key: Some(key.into()),
                table_name: Some(model.table.clone()),
                condition_expression: Some(condition),
                expression_attribute_names: Some(names),
                expression_attribute_values: (!values.is_empty()).then(|| values.into()),
                ..ConditionCheck::default()
            }),
            ..TransactWriteItem::default()
        })
    }
}

/// A count that goes down, on condition that there is something to take off.
fn taken_off(mut action: TransactWriteItem) -> TransactWriteItem {
    if let Some(update) = &mut action.update {
        update.condition_expression = Some("#n >= :one".to_owned());
    }
    action
}
