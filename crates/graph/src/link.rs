//! The actions of a linking or unlinking transaction: edges, and the counters that they move, each item once.

use crate::changes::Changes;
use crate::env::Environment;
use crate::error::{Error, Result};
use crate::keys::Filling;
use crate::model::{Attribute, Entity, Model, Preset, Relation, companion};
use crate::requests::{self, CLOSED, Key, OPERATION_ID, index_keys, set_index_keys};
use bothways_core::{Item, ItemBuilder, Number, Value};
use bothways_protocol::types::{
    ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem,
    TransactWriteItemsInput, Update,
};
use std::collections::BTreeMap;

/// Which way the counters go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Move {
    Link,
    Unlink,
}

/// One end of edges: its item and by how much each of its counters changes.
#[derive(Debug, Clone)]
pub(crate) struct End<'m> {
    pub(crate) entity: &'m Entity,
    pub(crate) id: String,
    pub(crate) key: Key,
    /// Counter and change; empty where the relation has no counter on this side.
    pub(crate) counters: Vec<(&'m str, i64)>,
}

/// The items that one edge moves: two, or one where both ends are the same item. `None` stands for an entity that the
/// model does not have, which its check refuses.
pub(crate) fn edge_ends<'m>(
    model: &'m Model,
    relation: &'m Relation,
    source: &str,
    target: &str,
) -> Result<Vec<End<'m>>> {
    let mut ends: Vec<End<'m>> = Vec::with_capacity(2);
    for (name, id, counter) in [
        (&relation.from, source, &relation.counters.out),
        (&relation.to, target, &relation.counters.inward),
    ] {
        let Some(entity) = model.entity(name) else {
            continue;
        };
        let key = requests::entity_key(model, entity, id)?;
        let counter = counter.as_deref().map(|c| (c, 1));
        match ends.iter_mut().find(|e| e.key == key) {
            // Linked to itself: one action. An undirected relation counts it once.
            Some(end) => {
                let new = counter.filter(|(c, _)| end.counters.iter().all(|(had, _)| had != c));
                end.counters.extend(new);
            }
            None => ends.push(End {
                entity,
                id: id.to_owned(),
                key,
                counters: counter.into_iter().collect(),
            }),
        }
    }
    Ok(ends)
}

/// Whether an attribute may be given by a user.
pub(crate) fn may_set(model: &Model, name: &str, counters: &[&str]) -> Result<()> {
    let why = if model.key_attributes().contains(&name) {
        "it is part of the key"
    } else if name == OPERATION_ID {
        "it holds the operation's id"
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
}

impl<'m> EdgeItems<'m> {
    /// Reads the clock once: every edge of one operation has the same moment.
    pub(crate) fn new(
        model: &'m Model,
        relation: &'m Relation,
        env: &dyn Environment,
    ) -> Result<Self> {
        let millis = env.epoch_millis();
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
        })
    }

    /// The item of one edge; the ends as [`requests::ends`] gives them.
    pub(crate) fn item(
        &self,
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
        item.set(OPERATION_ID, Value::S(op_id.to_owned()).as_ref());
        key.set_on(&self.model.keys, &mut item);
        item.build()
    }
}

const ALL_OLD: Option<ReturnValuesOnConditionCheckFailure> =
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

fn key_name(model: &Model) -> BTreeMap<String, String> {
    BTreeMap::from([("#pk".to_owned(), model.keys.pk.clone())])
}

/// The action on one end: its counters, each with its companion, and what the model asks of entities. `None` where there
/// is nothing to do.
pub(crate) fn end_action(model: &Model, end: &End<'_>, change: Move) -> Option<TransactWriteItem> {
    let mut names = BTreeMap::new();
    let mut values = BTreeMap::new();
    let mut adds = Vec::new();
    for (i, (counter, delta)) in end.counters.iter().enumerate() {
        let delta = if change == Move::Link {
            *delta
        } else {
            -*delta
        };
        names.insert(format!("#c{i}"), (*counter).to_owned());
        names.insert(format!("#o{i}"), companion(counter));
        values.insert(format!(":c{i}"), Value::N(Number::from(delta)));
        values.insert(":one".to_owned(), Value::N(Number::from(1_i64)));
        adds.push(format!("#c{i} :c{i}, #o{i} :one"));
    }
    let mut sets = Vec::new();
    if let (Move::Link, true, Some(keys)) = (change, model.upsert_entities, &end.entity.indexed) {
        set_index_keys(model, keys, &Filling::entity(&end.id), |name, value| {
            let i = sets.len();
            names.insert(format!("#g{i}"), name.to_owned());
            values.insert(format!(":g{i}"), Value::S(value));
            sets.push(format!("#g{i} = if_not_exists(#g{i}, :g{i})"));
        });
    }
    let condition = condition(model, change, !adds.is_empty(), &mut names);
    if adds.is_empty() && sets.is_empty() {
        return condition.map(|condition| check_action(model, end, condition, names));
    }
    let mut expression = String::new();
    for (verb, parts) in [("SET", &sets), ("ADD", &adds)] {
        if !parts.is_empty() {
            if !expression.is_empty() {
                expression.push(' ');
            }
            expression.push_str(verb);
            expression.push(' ');
            expression.push_str(&parts.join(", "));
        }
    }
    Some(TransactWriteItem {
        update: Some(Update {
            key: Some(end.key.item(&model.keys).into()),
            table_name: Some(model.table.clone()),
            update_expression: Some(expression),
            return_values_on_condition_check_failure: condition.as_ref().and(ALL_OLD),
            condition_expression: condition,
            expression_attribute_names: Some(names),
            expression_attribute_values: Some(values.into()),
        }),
        ..TransactWriteItem::default()
    })
}

/// A link wants its ends open, and there where the model asks for it. An unlink is always let through: a node that is
/// being deleted must be able to lose its edges.
fn condition(
    model: &Model,
    change: Move,
    counts: bool,
    names: &mut BTreeMap<String, String>,
) -> Option<String> {
    if change == Move::Unlink {
        return None;
    }
    let mut parts = Vec::new();
    if model.referential {
        names.extend(key_name(model));
        parts.push("attribute_exists(#pk)");
    }
    if counts {
        names.insert("#closed".to_owned(), CLOSED.to_owned());
        parts.push("attribute_not_exists(#closed)");
    }
    (!parts.is_empty()).then(|| parts.join(" AND "))
}

fn check_action(
    model: &Model,
    end: &End<'_>,
    condition: String,
    names: BTreeMap<String, String>,
) -> TransactWriteItem {
    TransactWriteItem {
        condition_check: Some(ConditionCheck {
            key: Some(end.key.item(&model.keys).into()),
            table_name: Some(model.table.clone()),
            condition_expression: Some(condition),
            expression_attribute_names: Some(names),
            return_values_on_condition_check_failure: ALL_OLD,
            ..ConditionCheck::default()
        }),
        ..TransactWriteItem::default()
    }
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
    for end in edge_ends(model, relation, source, target).unwrap_or_default() {
        actions.extend(end_action(model, &end, change));
    }
    requests::transaction(actions, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shipped;

    #[test]
    fn linking_to_oneself_moves_both_counters_in_one_action() {
        let model = shipped("follow").unwrap().model;
        let follows = model.relation("follows").unwrap();
        let ends = edge_ends(&model, follows, "al", "al").unwrap();
        assert_eq!(ends.len(), 1);
        assert_eq!(ends[0].counters, [("following", 1), ("followers", 1)]);
        let update = end_action(&model, &ends[0], Move::Link)
            .unwrap()
            .update
            .unwrap();
        assert_eq!(
            update.update_expression.as_deref(),
            Some("ADD #c0 :c0, #o0 :one, #c1 :c1, #o1 :one")
        );
        assert_eq!(
            update.condition_expression.as_deref(),
            Some("attribute_not_exists(#closed)")
        );
    }

    #[test]
    fn an_undirected_self_loop_counts_once() {
        let model = shipped("friendships").unwrap().model;
        let friends = model.relation("friends").unwrap();
        let ends = edge_ends(&model, friends, "al", "al").unwrap();
        assert_eq!(ends.len(), 1);
        assert_eq!(ends[0].counters, [("friends", 1)]);
    }

    #[test]
    fn linking_puts_a_course_at_the_head_of_its_roster() {
        let model = shipped("school").unwrap().model;
        let enrolled = model.relation("enrolled").unwrap();
        let ends = edge_ends(&model, enrolled, "a91", "math204").unwrap();
        let course = end_action(&model, &ends[1], Move::Link)
            .unwrap()
            .update
            .unwrap();
        assert_eq!(
            course.update_expression.as_deref(),
            Some(
                "SET #g0 = if_not_exists(#g0, :g0), #g1 = if_not_exists(#g1, :g1) ADD #c0 :c0, #o0 :one"
            )
        );
        let unlinked = end_action(&model, &ends[1], Move::Unlink)
            .unwrap()
            .update
            .unwrap();
        assert_eq!(
            unlinked.update_expression.as_deref(),
            Some("ADD #c0 :c0, #o0 :one")
        );
        assert_eq!(unlinked.condition_expression, None);
    }

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
