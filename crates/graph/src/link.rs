//! The edges of a linking or unlinking transaction: their items, and the actions that put and delete them.

use crate::changes::Changes;
use crate::ends::{Ends, Move};
use crate::env::Environment;
use crate::error::{Error, Result};
use crate::guard::Guard;
use crate::keys::Filling;
use crate::model::{Attribute, Model, Preset, Relation, Removal, companion};
use crate::requests::{
    self, CLOSED, EDGE_OWN, Key, OPERATION_ID, POSITION, index_keys, set_index_keys,
};
use crate::shard::{Part, Route};
use crate::tombstone::{self, Stone};
use bothways_core::{Item, ItemBuilder, Number, Value};
use bothways_protocol::types::{
    Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, TransactWriteItemsInput,
};
use std::collections::BTreeMap;

/// Whether an attribute may be given by a user.
pub(crate) fn may_set(model: &Model, name: &str, counters: &[&str]) -> Result<()> {
    let why = if model.key_attributes().contains(&name) {
        "it is part of the key"
    } else if EDGE_OWN.contains(&name) {
        "the layer keeps it on every edge itself"
    } else if counters.iter().any(|c| *c == name || companion(c) == name) {
        "it is a counter"
    } else if name == CLOSED && !counters.is_empty() {
        "it marks what is being deleted"
    } else {
        return Ok(());
    };
    Err(Error::Attribute {
        name: name.to_owned(),
        why,
    })
}

/// Refuses another value than the one that the model fixes.
pub(crate) fn keeps_fixed(declared: &[Attribute], name: &str, value: Option<&Value>) -> Result<()> {
    let Some(attribute) = declared.iter().find(|a| a.name == name) else {
        return Ok(());
    };
    let Some(Preset::Value(fixed)) = &attribute.preset else {
        return Ok(());
    };
    if value == Some(&attribute.parse(fixed)?) {
        return Ok(());
    }
    Err(Error::Value(crate::model::AttributeError::Fixed {
        name: name.to_owned(),
        value: fixed.clone(),
    }))
}

/// An edge's item: keys, index keys, presets, what was given, the operation's id.
pub(crate) struct EdgeItems<'m> {
    model: &'m Model,
    relation: &'m Relation,
    presets: Vec<(&'m str, Value)>,
    millis: u64,
    /// The position is stored on the edge.
    placed: bool,
}

impl<'m> EdgeItems<'m> {
    /// Reads the clock once: every edge of one operation has the same moment.
    pub(crate) fn new(
        model: &'m Model,
        relation: &'m Relation,
        env: &dyn Environment,
    ) -> Result<Self> {
        Self::at(model, relation, env.epoch_millis(), false)
    }

    /// At a position, which is stored on the edge where it was given, and in any case where removals leave tombstones.
    pub(crate) fn at(
        model: &'m Model,
        relation: &'m Relation,
        millis: u64,
        given: bool,
    ) -> Result<Self> {
        let mut presets = Vec::new();
        for attribute in &relation.attributes {
            let value = match &attribute.preset {
                None => continue,
                Some(Preset::Now) => Value::N(Number::from(millis / 1000)),
                Some(Preset::Value(fixed)) => attribute.parse(fixed)?,
            };
            presets.push((attribute.name.as_str(), value));
        }
        Ok(Self {
            model,
            relation,
            presets,
            millis,
            placed: given || relation.removal != Removal::Hard,
        })
    }

    /// The item of one edge in the plain key; the ends as [`requests::ends`] gives them.
    pub(crate) fn item(
        &self,
        key: &Key,
        source: &str,
        target: &str,
        attributes: &Changes,
        op_id: &str,
    ) -> Item {
        self.item_in(Part::Plain, key, source, target, attributes, op_id)
    }

    /// The same in a part of its target's list.
    pub(crate) fn item_in(
        &self,
        part: Part,
        key: &Key,
        source: &str,
        target: &str,
        attributes: &Changes,
        op_id: &str,
    ) -> Item {
        let mut item = ItemBuilder::default();
        for (name, value) in &self.presets {
            if attributes.iter().all(|(n, _)| n != *name) {
                item.set(name, value.as_ref());
            }
        }
        for (name, value) in attributes.iter() {
            if let Some(value) = value {
                item.set(name, value.as_ref());
            }
        }
        let filling = Filling::edge(source, target).at(self.millis);
        for keys in index_keys(self.relation) {
            set_index_keys(self.model, keys, &filling, |name, value| {
                item.set(name, Value::S(value).as_ref());
            });
        }
        if let (Part::Shard(_), Some(index)) =
            (part, self.model.index(&self.relation.inverse.index))
        {
            let partition = part.partition(self.relation, target);
            item.set(&index.keys.pk, Value::S(partition).as_ref());
        }
        item.set(OPERATION_ID, Value::S(op_id.to_owned()).as_ref());
        if self.placed {
            item.set(POSITION, Value::N(Number::from(self.millis)).as_ref());
        }
        key.set_on(&self.model.keys, &mut item);
        item.build()
    }
}

pub(crate) const ALL_OLD: Option<ReturnValuesOnConditionCheckFailure> =
    Some(ReturnValuesOnConditionCheckFailure::AllOld);

/// Puts an edge unless it is there.
pub(crate) fn put_edge(model: &Model, item: Item) -> TransactWriteItem {
    TransactWriteItem {
        put: Some(Put {
            item: Some(item.into()),
            table_name: Some(model.table.clone()),
            condition_expression: Some("attribute_not_exists(#pk)".into()),
            expression_attribute_names: Some(key_name(model)),
            return_values_on_condition_check_failure: ALL_OLD,
            ..Put::default()
        }),
        ..TransactWriteItem::default()
    }
}

/// Deletes an edge that fulfils a condition, and tells what is there where it does not.
pub(crate) fn delete_guarded(model: &Model, key: &Key, guard: Guard) -> TransactWriteItem {
    let condition_expression = guard.condition();
    let (names, values) = guard.placeholders();
    TransactWriteItem {
        delete: Some(Delete {
            key: Some(key.item(&model.keys).into()),
            table_name: Some(model.table.clone()),
            condition_expression,
            expression_attribute_names: Some(names),
            expression_attribute_values: values,
            return_values_on_condition_check_failure: ALL_OLD,
        }),
        ..TransactWriteItem::default()
    }
}

/// Deletes an edge that is there.
pub(crate) fn delete_edge(model: &Model, key: &Key) -> TransactWriteItem {
    TransactWriteItem {
        delete: Some(Delete {
            key: Some(key.item(&model.keys).into()),
            table_name: Some(model.table.clone()),
            condition_expression: Some("attribute_exists(#pk)".into()),
            expression_attribute_names: Some(key_name(model)),
            ..Delete::default()
        }),
        ..TransactWriteItem::default()
    }
}

pub(crate) fn key_name(model: &Model) -> BTreeMap<String, String> {
    BTreeMap::from([("#pk".to_owned(), model.keys.pk.clone())])
}

/// The transaction for one edge as the check describes it: the slots stand for the ids.
pub(crate) fn sample_transaction(
    model: &Model,
    relation: &Relation,
    change: Move,
) -> TransactWriteItemsInput {
    let (source, target) = ("{src}", "{dst}");
    let mut actions = Vec::new();
    if let Ok(key) = requests::edge_key(model, relation, source, target) {
        actions.push(match change {
            Move::Link => put_edge(model, key.item(&model.keys)),
            Move::Unlink => delete_edge(model, &key),
        });
    }
    if relation.removal != Removal::Hard {
        actions.push(match change {
            Move::Link => tombstone::clear(model, relation, source, target, 0),
            Move::Unlink => tombstone::put(model, relation, source, target, &Stone::default()),
        });
    }
    let mut ends = Ends::new(model);
    if ends
        .add(relation, source, target, change, Route::Plain)
        .is_ok()
    {
        ends.act(&mut actions);
    }
    requests::transaction(actions, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shipped;

    #[test]
    fn an_edge_item_carries_keys_presets_and_its_operation() {
        let model = shipped("follow").unwrap().model;
        let follows = model.relation("follows").unwrap();
        let items = EdgeItems {
            millis: 1_718_900_000_123,
            ..EdgeItems::new(&model, follows, &crate::SystemEnvironment).unwrap()
        };
        let key = requests::edge_key(&model, follows, "alice", "bob").unwrap();
        let given = Changes::new().set("createdAt", Value::N(Number::from(1_718_900_000_i64)));
        let item = items.item(&key, "alice", "bob", &given, "op");
        let mut json = Vec::new();
        item.write_json(&mut json);
        assert_eq!(
            String::from_utf8(json).unwrap(),
            r#"{"GSI1PK":{"S":"TARGET#bob"},"GSI1SK":{"S":"ACTOR#alice"},"PK":{"S":"ACTOR#alice"},"SK":{"S":"TARGET#bob"},"createdAt":{"N":"1718900000"},"edgeType":{"S":"FOLLOWS"},"opId":{"S":"op"}}"#
        );
    }
}
