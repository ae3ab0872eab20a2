//! Entities: put, get, remove, archive, show with their edges, counts.

mod archive;

pub use archive::Archived;
pub(crate) use archive::archived_at;

use crate::changes::Changes;
use crate::edge::Edge;
use crate::env::operation_id;
use crate::error::{Error, Result};
use crate::fetch::{BATCH_KEYS, Fetch};
use crate::graph::Graph;
use crate::keys::Filling;
use crate::link;
use crate::list::ListOptions;
use crate::model::{Direction, Entity, Model, Relation};
use crate::read;
use crate::receipt::{Done, Receipt};
use crate::requests::{self, ARCHIVED, Key};
use crate::shard::{attributes_of, is_mark, map_attribute};
use bothways_core::{Item, Number, Value, ValueRef};
use bothways_protocol::types::{
    DeleteItemInput, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure, UpdateItemInput,
};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// An entity as it stands in the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityItem {
    /// Its entity's name in the model.
    pub entity: String,
    /// Its id.
    pub id: String,
    /// Its attributes, without keys and counters.
    pub attributes: Item,
    /// Its counters, each with its name, in the model's order. A counter that never moved is 0. Empty where the item was
    /// read from an index, which does not copy them.
    pub counters: Vec<(String, i64)>,
    /// Nothing but counters is there: edges reached an entity that nobody put.
    pub bare: bool,
    /// It is being deleted.
    pub closed: bool,
    /// Since when it is archived, in milliseconds since 1970.
    pub archived: Option<u64>,
}

/// What putting an entity did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    /// It is new (or was bare).
    Created,
    /// It was there and changed.
    Updated,
    /// It was so already.
    Unchanged,
}

/// What removing an entity did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removed {
    /// It is gone.
    Removed,
    /// There was none.
    NotFound,
    /// It still has edges, so it stays: its counters.
    HasEdges(Vec<(String, i64)>),
}

/// The edges of one relation beside an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownEdges {
    /// Relation.
    pub relation: String,
    /// Which way they are read.
    pub direction: Direction,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// An entity with its edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The entity; `None` when no item of its own is there.
    pub entity: Option<EntityItem>,
    /// Its edges by relation, in the model's order; a relation without edges is listed empty.
    pub edges: Vec<ShownEdges>,
    /// There are more than one page: read the lists for the rest.
    pub more: bool,
}

/// Counters of one id in one relation. `None` where that side has no counter in the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Edges that leave it.
    pub out: Option<i64>,
    /// Edges that reach it.
    pub inward: Option<i64>,
    /// When `inward` was true, in milliseconds since 1970, where it is a sum of shards, comes from the stream or was read
    /// from the list; `None` where it is exact now.
    pub inward_at: Option<u64>,
}

impl Graph {
    /// Puts an entity or changes it; counters and attributes that are not named stay as they are. One `UpdateItem`.
    ///
    /// # Errors
    /// Ids and attributes that cannot be; what the database refuses.
    pub async fn put_entity(
        &self,
        cx: &Context,
        entity: &str,
        id: &str,
        changes: &Changes,
    ) -> Result<Done<Put>> {
        let entity = self.entity(entity)?;
        let model = &*self.model;
        let counters = model.counters_of(&entity.name);
        for (name, _) in changes.iter() {
            link::may_set(model, name, &counters)?;
            if name == ARCHIVED {
                return Err(Error::Attribute {
                    name: name.to_owned(),
                    why: "it marks what is archived",
                });
            }
            if attributes_of(model, &entity.name).iter().any(|a| a == name) {
                return Err(Error::Attribute {
                    name: name.to_owned(),
                    why: "it belongs to the shards of its lists",
                });
            }
        }
        let key = requests::entity_key(model, entity, id)?;
        let mut all = changes.clone();
        if let Some(keys) = &entity.indexed {
            requests::set_index_keys(model, keys, &Filling::entity(id), |name, value| {
                all.push(name.to_owned(), Some(Value::S(value)));
            });
        }
        let mut input = requests::update(model, &key, all.iter());
        if all.is_empty() {
            // Names that no expression uses are an error.
            input.expression_attribute_names = None;
        } else if let Some(names) = &mut input.expression_attribute_names {
            names.remove("#pk");
        }
        let (old, receipt) = self.update_item(cx, input).await?;
        let put = match old {
            None => Put::Created,
            Some(old) => {
                let same = |(name, new): (&str, Option<&Value>)| {
                    old.get(name).map(ValueRef::to_value).as_ref() == new
                };
                let bare = read::entity(model, entity, &old).is_some_and(|e| e.bare);
                match (bare, all.iter().all(same)) {
                    (true, false) => Put::Created,
                    (false, false) => Put::Updated,
                    (_, true) => Put::Unchanged,
                }
            }
        };
        Ok(Done::new(put, vec![receipt]))
    }

    /// One `UpdateItem`: the item before, `None` where its condition did not hold (or there was none).
    pub(crate) async fn update_item(
        &self,
        cx: &Context,
        input: UpdateItemInput,
    ) -> Result<(Option<Item>, Receipt)> {
        let mut receipt = Receipt::new(Operation::UpdateItem, &self.model.table);
        let key = input.key.as_ref();
        receipt.key = key.map(|k| requests::key_words(&k.value, &self.model.keys));
        let op_id = operation_id(&*self.env);
        let send = || self.db.update_item(cx, input.clone());
        let Ok(output) = self.decide(cx, &op_id, &mut receipt, send).await? else {
            return Ok((None, receipt));
        };
        receipt.consumed(output.consumed_capacity.as_ref());
        if receipt.retries > 0 {
            receipt.note = Some("sent again: an earlier attempt may have made the change".into());
        }
        Ok((output.attributes, receipt))
    }

    /// Reads an entity: one `GetItem`, strongly consistent. An archived one is not found; the receipt says so.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn get_entity(
        &self,
        cx: &Context,
        entity: &str,
        id: &str,
    ) -> Result<Done<Option<EntityItem>>> {
        let mut done = self.inspect_entity(cx, entity, id).await?;
        if done.value.as_ref().is_some_and(|e| e.archived.is_some()) {
            done.value = None;
            hide(&mut done.receipts);
        }
        Ok(done)
    }

    /// Reads an entity, also one that is archived.
    ///
    /// # Errors
    /// As [`Graph::get_entity`].
    pub async fn inspect_entity(
        &self,
        cx: &Context,
        entity: &str,
        id: &str,
    ) -> Result<Done<Option<EntityItem>>> {
        let entity = self.entity(entity)?;
        let key = requests::entity_key(&self.model, entity, id)?;
        let (item, receipt) = self.get_item(cx, &key, true).await?;
        let found = item.and_then(|item| read::entity(&self.model, entity, &item));
        Ok(Done::new(found, vec![receipt]))
    }

    /// Reads up to 100 entities of a kind: one `BatchGetItem`, strongly consistent, sent again for keys that it leaves.
    /// Answers come in the order of the ids; one that is not there, or archived, is `None`. Ids may repeat.
    ///
    /// # Errors
    /// More than 100 ids; ids that cannot be; what the database refuses.
    pub async fn get_entities(
        &self,
        cx: &Context,
        entity: &str,
        ids: &[String],
    ) -> Result<Done<Vec<Option<EntityItem>>>> {
        let entity = self.entity(entity)?;
        if ids.len() > BATCH_KEYS {
            return Err(Error::Option {
                option: "ids",
                why: format!("are {}, and {BATCH_KEYS} are allowed", ids.len()),
            });
        }
        let keys = ids
            .iter()
            .map(|id| requests::entity_key(&self.model, entity, id))
            .collect::<Result<Vec<_>>>()?;
        let mut receipt = self.fetching();
        let how = Fetch {
            strong: true,
            keys_only: false,
        };
        let found = self.fetch(cx, &keys, how, &mut receipt).await?;
        let read = keys.iter().map(|key| {
            let found = read::entity(&self.model, entity, found.get(key)?)?;
            found.archived.is_none().then_some(found)
        });
        Ok(Done::new(read.collect(), vec![receipt]))
    }

    /// Removes an entity that has no edges: one `DeleteItem`, conditional on its counters.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn remove_entity(
        &self,
        cx: &Context,
        entity: &str,
        id: &str,
    ) -> Result<Done<Removed>> {
        let entity = self.entity(entity)?;
        let model = &*self.model;
        let key = requests::entity_key(model, entity, id)?;
        let input = delete_without_edges(model, entity, &key);
        let mut receipt = Receipt::new(Operation::DeleteItem, &model.table);
        receipt.key = Some(requests::key_words(&key.item(&model.keys), &model.keys));
        let op_id = operation_id(&*self.env);
        let send = || self.db.delete_item(cx, input.clone());
        let refused = match self.decide(cx, &op_id, &mut receipt, send).await? {
            Ok(output) => {
                receipt.consumed(output.consumed_capacity.as_ref());
                return Ok(Done::new(Removed::Removed, vec![receipt]));
            }
            Err(error) => error,
        };
        let mut receipts = vec![receipt];
        let item = if refused.item.is_some() {
            refused.item
        } else {
            // There is none, or the backend does not send it with the refusal.
            let (item, read) = self.get_item(cx, &key, true).await?;
            receipts.push(read);
            item
        };
        let removed = match item.and_then(|item| read::entity(model, entity, &item)) {
            None => Removed::NotFound,
            Some(found) => {
                let moved = found.counters.into_iter().filter(|(_, n)| *n != 0);
                Removed::HasEdges(moved.collect())
            }
        };
        Ok(Done::new(removed, receipts))
    }

    /// An entity and its edges: one `Query`. Where they are more than a page, the entity is read by a `GetItem` beside it,
    /// and the receipt says so. An undirected relation takes a `Query` more, for the edges that end here.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn show(&self, cx: &Context, entity: &str, id: &str) -> Result<Done<Shown>> {
        let entity = self.entity(entity)?;
        let model = &*self.model;
        let key = requests::entity_key(model, entity, id)?;
        let from_index = requests::show_place(model, entity).index.is_some();
        let (output, mut receipt) = self.query(cx, requests::show(model, entity, id)).await?;
        let mut shown = Shown {
            entity: None,
            edges: shown_relations(model, entity, from_index),
            more: output.last_evaluated_key.is_some(),
        };
        let mut count = 0;
        let mut items = output.items.iter().flatten();
        let spread = from_index && items.any(|item| is_mark(&model.keys.pk, item));
        for item in output.items.iter().flatten() {
            if let Some(found) = read::entity(model, entity, item) {
                shown.entity = Some(found);
            } else if place_edge(model, item, &mut shown.edges) {
                count += 1;
            }
        }
        let profile = if shown.entity.is_some() {
            "profile and "
        } else {
            ""
        };
        receipt.note = Some(format!(
            "{profile}{count} edge{}",
            if count == 1 { "" } else { "s" }
        ));
        let mut receipts = vec![receipt];
        if from_index {
            // Counters are not copied into the index; what was read is no count of zero.
            if let Some(found) = &mut shown.entity {
                found.counters.clear();
            }
        }
        for side in &mut shown.edges {
            let merged = |r: &Relation| r.undirected || (spread && r.shard.is_some());
            if model.relation(&side.relation).is_some_and(merged) {
                let options = ListOptions::default();
                let page = self
                    .list(cx, &side.relation, side.direction, id, &options)
                    .await?;
                side.edges = page.value.edges;
                shown.more |= page.value.next.is_some();
                receipts.extend(page.receipts);
            }
        }
        if shown.more {
            let (item, mut receipt) = self.get_item(cx, &key, true).await?;
            receipt.note = Some("beside the list, which has more than one page".into());
            receipts.push(receipt);
            shown.entity = item.and_then(|item| read::entity(model, entity, &item));
        }
        if shown.entity.as_ref().is_some_and(|e| e.archived.is_some()) {
            shown.entity = None;
            shown.edges.iter_mut().for_each(|side| side.edges.clear());
            shown.more = false;
            hide(&mut receipts);
        }
        Ok(Done::new(shown, receipts))
    }

    /// Counters of an id in a relation: a `GetItem` of its entity (of both entities where they differ and no direction is
    /// given).
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn counts(
        &self,
        cx: &Context,
        relation: &str,
        id: &str,
        direction: Option<Direction>,
    ) -> Result<Done<Counts>> {
        let relation = self.relation(relation)?;
        let (mut counts, mut receipts) = (Counts::default(), Vec::new());
        let mut last: Option<(&str, Option<Item>)> = None;
        for (side, entity, counter) in [
            (Direction::Out, &relation.from, &relation.counters.out),
            (Direction::In, &relation.to, &relation.counters.inward),
        ] {
            if direction.is_some_and(|d| d != side) {
                continue;
            }
            let item = match &last {
                Some((read, item)) if *read == entity.as_str() => item.clone(),
                _ => {
                    let key = requests::entity_key(&self.model, self.entity(entity)?, id)?;
                    let (item, receipt) = self.get_item(cx, &key, true).await?;
                    receipts.push(receipt);
                    item
                }
            };
            if let (Direction::In, Some(item)) = (side, &item)
                && let Some((count, at)) = self
                    .mapped_count(cx, relation, id, item, &mut receipts)
                    .await?
            {
                (counts.inward, counts.inward_at) = (Some(count), at);
                continue;
            }
            let count = counter
                .as_ref()
                .map(|name| item.as_ref().map_or(0, |item| read::integer(item, name)));
            match side {
                Direction::Out => counts.out = count,
                Direction::In => counts.inward = count,
            }
            last = Some((entity, item));
        }
        Ok(Done::new(counts, receipts))
    }
}

/// Says in the receipts why nothing is shown.
fn hide(receipts: &mut [Receipt]) {
    if let Some(receipt) = receipts.last_mut() {
        receipt.note = Some("archived, so it is hidden".into());
    }
}

/// Deletes an entity's item if it is there and every counter is 0.
fn delete_without_edges(model: &Model, entity: &Entity, key: &Key) -> DeleteItemInput {
    let mut names = BTreeMap::from([("#pk".to_owned(), model.keys.pk.clone())]);
    let mut condition = "attribute_exists(#pk)".to_owned();
    let mut values = BTreeMap::new();
    for (i, counter) in model.counters_of(&entity.name).into_iter().enumerate() {
        names.insert(format!("#c{i}"), counter.to_owned());
        values.insert(":zero".to_owned(), Value::N(Number::ZERO));
        let _ = write!(
            condition,
            " AND (attribute_not_exists(#c{i}) OR #c{i} = :zero)"
        );
    }
    // The counter of a target with a map may lag behind its list.
    let mapped = model
        .relations
        .iter()
        .filter(|r| r.to == entity.name && r.may_map());
    for (i, relation) in mapped.enumerate() {
        names.insert(format!("#m{i}"), map_attribute(relation));
        let _ = write!(condition, " AND attribute_not_exists(#m{i})");
    }
    DeleteItemInput {
        table_name: Some(model.table.clone()),
        key: Some(key.item(&model.keys).into()),
        condition_expression: Some(condition),
        expression_attribute_names: Some(names),
        expression_attribute_values: (!values.is_empty()).then(|| values.into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        return_values_on_condition_check_failure: Some(ReturnValuesOnConditionCheckFailure::AllOld),
        ..DeleteItemInput::default()
    }
}

/// The relations whose edges stand beside an entity.
fn shown_relations(model: &Model, entity: &Entity, from_index: bool) -> Vec<ShownEdges> {
    let beside = |r: &&Relation| match (from_index, &entity.indexed) {
        (true, Some(indexed)) => {
            r.to == entity.name
                && r.inverse.index == indexed.index
                && r.inverse.keys.pk.meets(&indexed.keys.pk)
        }
        _ => r.from == entity.name && r.key.pk.meets(&entity.key.pk),
    };
    let direction = if from_index {
        Direction::In
    } else {
        Direction::Out
    };
    let relations = model.relations.iter().filter(beside);
    let empty = relations.map(|r| ShownEdges {
        relation: r.name.clone(),
        direction,
        edges: Vec::new(),
    });
    empty.collect()
}

/// Adds an item to the edges of its relation.
fn place_edge(model: &Model, item: &Item, sides: &mut [ShownEdges]) -> bool {
    for side in sides {
        let edge = model
            .relation(&side.relation)
            .and_then(|r| read::edge(model, r, item));
        if let Some(edge) = edge {
            side.edges.push(edge);
            return true;
        }
    }
    false
}
