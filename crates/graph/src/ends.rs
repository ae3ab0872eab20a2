//! The ends of edges: the entities' items that a transaction moves, each once, with all that its edges change.

use crate::error::{Error, Result};
use crate::keys::Filling;
use crate::link::{ALL_OLD, key_name};
use crate::model::{Direction, Entity, Loops, Model, Relation, companion};
use crate::requests::{self, CLOSED, Key, set_index_keys};
use crate::shard::{COUNT, Part, Route, SWITCHING, map_attribute};
use bothways_core::{Number, Value};
use bothways_protocol::CancellationReason;
use bothways_protocol::types::{ConditionCheck, TransactWriteItem, Update};
use std::collections::{BTreeMap, HashMap};

/// Which way an edge moves the counters.
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
    key: Key,
    /// Counter and change; empty where the relation has no counter on this side.
    counters: Vec<(&'m str, i64)>,
    /// Some edge is linked to it, so it has to be open, and there where the model asks for it.
    links: bool,
    /// It is the counter of a part of a target's list, and no entity.
    is_part: bool,
    /// The relations whose edges it counts as their target, and by which route.
    routes: Vec<(&'m Relation, Route)>,
}

impl<'m> End<'m> {
    /// The relations whose edges it counts as their target, and by which route.
    pub(crate) fn routes(&self) -> &[(&'m Relation, Route)] {
        &self.routes
    }
}

/// The ends of a transaction's edges, in the order in which they came up.
#[derive(Debug)]
pub(crate) struct Ends<'m> {
    model: &'m Model,
    all: Vec<End<'m>>,
    known: HashMap<&'m str, HashMap<String, usize>>,
    parts: HashMap<Key, usize>,
}

impl<'m> Ends<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Self {
            model,
            all: Vec::new(),
            known: HashMap::new(),
            parts: HashMap::new(),
        }
    }

    /// Adds what one edge moves: two items, or one where both ends are the same. An entity that the model does not have is
    /// left out: its check refuses that.
    pub(crate) fn add(
        &mut self,
        relation: &'m Relation,
        source: &str,
        target: &str,
        change: Move,
        route: Route,
    ) -> Result<()> {
        let by = match change {
            Move::Link => 1,
            Move::Unlink => -1,
        };
        // An undirected relation has one counter, which a loop reaches from both ends.
        let once = relation.undirected && source == target && relation.loops != Loops::Twice;
        for (side, name, id, counter) in [
            (
                Direction::Out,
                &relation.from,
                source,
                &relation.counters.out,
            ),
            (
                Direction::In,
                &relation.to,
                target,
                &relation.counters.inward,
            ),
        ]
        .into_iter()
        .take(if once { 1 } else { 2 })
        {
            let Some(entity) = self.model.entity(name) else {
                continue;
            };
            let end = match (side, route) {
                // A map is on the target's item, so the target is there; its item is left alone.
                (Direction::In, Route::Mapped { counted: false, .. }) => continue,
                (Direction::In, Route::Mapped { part, .. }) => {
                    self.part(relation, entity, id, part, route)
                }
                _ => self.end(entity, id)?,
            };
            end.links |= change == Move::Link;
            let Some(counter) = counter else { continue };
            let guarded = side == Direction::In && route == Route::Plain && relation.may_map();
            if guarded && end.routes.iter().all(|(r, _)| r.name != relation.name) {
                end.routes.push((relation, route));
            }
            let counter = if end.is_part { COUNT } else { counter };
            match end.counters.iter_mut().find(|(c, _)| *c == counter) {
                Some((_, n)) => *n += by,
                None => end.counters.push((counter, by)),
            }
        }
        Ok(())
    }

    fn end(&mut self, entity: &'m Entity, id: &str) -> Result<&mut End<'m>> {
        let of_entity = self.known.entry(&entity.name).or_default();
        let at = if let Some(at) = of_entity.get(id) {
            *at
        } else {
            let at = self.all.len();
            self.all.push(End {
                entity,
                id: id.to_owned(),
                key: requests::entity_key(self.model, entity, id)?,
                counters: Vec::new(),
                links: false,
                is_part: false,
                routes: Vec::new(),
            });
            of_entity.insert(id.to_owned(), at);
            at
        };
        Ok(&mut self.all[at])
    }

    /// The counter of a part of a target's list.
    fn part(
        &mut self,
        relation: &'m Relation,
        entity: &'m Entity,
        id: &str,
        part: Part,
        route: Route,
    ) -> &mut End<'m> {
        let key = part.counter(relation, id);
        let at = *self.parts.entry(key.clone()).or_insert(self.all.len());
        if at == self.all.len() {
            self.all.push(End {
                entity,
                id: id.to_owned(),
                key,
                counters: Vec::new(),
                links: false,
                is_part: true,
                routes: vec![(relation, route)],
            });
        }
        &mut self.all[at]
    }

    /// The ends that refused, with entity and id, where `before` actions stood before theirs.
    pub(crate) fn refusals(
        &self,
        reasons: &[CancellationReason],
        before: usize,
    ) -> Vec<(String, String, Error)> {
        let acting = self
            .all
            .iter()
            .filter(|end| action(self.model, end).is_some());
        let reasons = reasons.iter().skip(before);
        reasons
            .zip(acting)
            .filter(|(reason, _)| reason.code == "ConditionalCheckFailed")
            .map(|(reason, end)| {
                let error = refusal(self.model, reason, end);
                (end.entity.name.clone(), end.id.clone(), error)
            })
            .collect()
    }

    /// Appends the ends' actions; answers the ends that have one, in that order: reasons come by action.
    pub(crate) fn act(&self, actions: &mut Vec<TransactWriteItem>) -> Vec<&End<'m>> {
        let mut acting = Vec::with_capacity(self.all.len());
        for end in &self.all {
            if let Some(action) = action(self.model, end) {
                actions.push(action);
                acting.push(end);
            }
        }
        acting
    }
}

/// The action on one end: its counters, each with its companion, and what the model asks of entities. `None` where there
/// is nothing to do.
fn action(model: &Model, end: &End<'_>) -> Option<TransactWriteItem> {
    let mut names = BTreeMap::new();
    let mut values = BTreeMap::new();
    let mut adds = Vec::new();
    for (i, (counter, by)) in end.counters.iter().enumerate() {
        names.insert(format!("#c{i}"), (*counter).to_owned());
        names.insert(format!("#o{i}"), companion(counter));
        values.insert(format!(":c{i}"), Value::N(Number::from(*by)));
        values.insert(":one".to_owned(), Value::N(Number::from(1_i64)));
        adds.push(format!("#c{i} :c{i}, #o{i} :one"));
    }
    let mut sets = Vec::new();
    let upserts = end.links && model.upsert_entities && !end.is_part;
    if let (true, Some(keys)) = (upserts, &end.entity.indexed) {
        set_index_keys(model, keys, &Filling::entity(&end.id), |name, value| {
            let i = sets.len();
            names.insert(format!("#g{i}"), name.to_owned());
            values.insert(format!(":g{i}"), Value::S(value));
            sets.push(format!("#g{i} = if_not_exists(#g{i}, :g{i})"));
        });
    }
    let condition = condition(model, end, !adds.is_empty(), &mut names, &mut values);
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
    end: &End<'_>,
    counts: bool,
    names: &mut BTreeMap<String, String>,
    values: &mut BTreeMap<String, Value>,
) -> Option<String> {
    let mut parts = Vec::new();
    if end.links && model.referential && !end.is_part {
        names.extend(key_name(model));
        parts.push("attribute_exists(#pk)".to_owned());
    }
    if end.links && counts {
        names.insert("#closed".to_owned(), CLOSED.to_owned());
        parts.push("attribute_not_exists(#closed)".to_owned());
    }
    if end.is_part && !end.links {
        names.insert("#closed".to_owned(), CLOSED.to_owned());
        values.insert(":switching".to_owned(), Value::S(SWITCHING.to_owned()));
        parts.push("(attribute_not_exists(#closed) OR #closed <> :switching)".to_owned());
    }
    for (i, (relation, _)) in end.routes.iter().filter(|_| !end.is_part).enumerate() {
        names.insert(format!("#map{i}"), map_attribute(relation));
        parts.push(format!("attribute_not_exists(#map{i})"));
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

/// Why an end refused the edge. Its item comes with the reason; without one there is none, or the backend sends none,
/// and then the model says which of the two conditions it can have been.
pub(crate) fn refusal(model: &Model, reason: &CancellationReason, end: &End<'_>) -> Error {
    let (entity, id) = (end.entity.name.clone(), end.id.clone());
    let closed = reason
        .item
        .as_ref()
        .is_some_and(|i| i.get(CLOSED).is_some());
    if closed || !model.referential {
        Error::Closed { entity, id }
    } else {
        Error::MissingEntity { entity, id }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shipped;

    fn updates(model: &Model, edges: &[(&str, &str, &str, Move)]) -> Vec<Update> {
        let mut ends = Ends::new(model);
        for (relation, source, target, change) in edges {
            let relation = model.relation(relation).unwrap();
            ends.add(relation, source, target, *change, Route::Plain)
                .unwrap();
        }
        let mut actions = Vec::new();
        ends.act(&mut actions);
        actions.into_iter().map(|a| a.update.unwrap()).collect()
    }

    fn added(update: &Update) -> i64 {
        let values = &update.expression_attribute_values.as_ref().unwrap().value;
        match values.get(":c0") {
            Some(Value::N(n)) => n.to_i64().unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn linking_to_oneself_moves_both_counters_in_one_action() {
        let model = shipped("follow").unwrap().model;
        let updates = updates(&model, &[("follows", "al", "al", Move::Link)]);
        assert_eq!(updates.len(), 1);
        assert_eq!(
            updates[0].update_expression.as_deref(),
            Some("ADD #c0 :c0, #o0 :one, #c1 :c1, #o1 :one")
        );
        assert_eq!(
            updates[0].condition_expression.as_deref(),
            Some("attribute_not_exists(#closed) AND attribute_not_exists(#map0)")
        );
    }

    #[test]
    fn an_undirected_loop_counts_as_its_relation_says() {
        let mut model = shipped("friendships").unwrap().model;
        for (loops, count) in [(Loops::Once, 1), (Loops::Twice, 2)] {
            model.relations[0].loops = loops;
            let updates = updates(&model, &[("friends", "al", "al", Move::Link)]);
            assert_eq!((updates.len(), added(&updates[0])), (1, count), "{loops:?}");
        }
    }

    #[test]
    fn linking_puts_a_course_at_the_head_of_its_roster() {
        let model = shipped("school").unwrap().model;
        for (change, expression, condition) in [
            (
                Move::Link,
                "SET #g0 = if_not_exists(#g0, :g0), #g1 = if_not_exists(#g1, :g1) ADD #c0 :c0, #o0 :one",
                Some("attribute_not_exists(#closed) AND attribute_not_exists(#map0)"),
            ),
            (
                Move::Unlink,
                "ADD #c0 :c0, #o0 :one",
                Some("attribute_not_exists(#map0)"),
            ),
        ] {
            let updates = updates(&model, &[("enrolled", "a91", "math204", change)]);
            assert_eq!(updates[1].update_expression.as_deref(), Some(expression));
            assert_eq!(updates[1].condition_expression.as_deref(), condition);
        }
    }

    #[test]
    fn edges_that_come_and_go_at_one_end_share_its_action() {
        let model = shipped("follow").unwrap().model;
        let updates = updates(
            &model,
            &[
                ("follows", "al", "bo", Move::Link),
                ("follows", "al", "cy", Move::Unlink),
                ("follows", "al", "di", Move::Unlink),
            ],
        );
        let gated = |u: &Update| {
            let condition = u.condition_expression.as_deref().unwrap_or_default();
            condition.contains("#closed")
        };
        let moved: Vec<(i64, bool)> = updates.iter().map(|u| (added(u), gated(u))).collect();
        assert_eq!(moved, [(-1, true), (1, true), (-1, false), (-1, false)]);
    }
}
