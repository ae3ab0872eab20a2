//! Shards added and taken away, by hand or by whoever sees a key throttled.

use super::map::{Map, ShardMap, base_attribute, map_attribute};
use super::part::Part;
use super::{SETTLE, cache::Known};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::keys::Filling;
use crate::link;
use crate::model::{MAX_SHARDS, Relation};
use crate::receipt::{Done, Receipt};
use crate::requests::{self, CLOSED};
use bothways_core::{Number, Value};
use bothways_protocol::Context;
use bothways_protocol::types::{ReturnConsumedCapacity, ReturnValue, UpdateItemInput};
use std::collections::BTreeMap;
use std::time::Duration;

/// Why a counter item is closed: its shard takes no new edges.
pub(super) const RETIRED: &str = "retired";
/// Pause between the two looks that must find a drained shard empty: longer than an index usually lags.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// A conditional change of a map.
pub(crate) struct MapChange<'c> {
    pub(crate) relation: &'c Relation,
    pub(crate) id: &'c str,
    /// As it was read; `None`: none may be there.
    pub(crate) seen: Option<Map>,
    pub(crate) new: Map,
}

impl Graph {
    /// A target's map, read strongly.
    ///
    /// # Errors
    /// A relation that is not there; what the database refuses.
    pub async fn shards(&self, cx: &Context, relation: &str, id: &str) -> Result<Done<ShardMap>> {
        let relation = self.relation(relation)?;
        let (map, receipt) = self.read_map(cx, relation, id).await?;
        let shown = map.unwrap_or(Map::PLAIN).shown();
        Ok(Done::new(shown, receipt.into_iter().collect()))
    }

    /// Spreads a target's new edges over `to` shards. It takes a good quarter of a minute, in which the list and the links
    /// go on; edges that are there stay where they are. Run again after it was cut off, it goes on.
    ///
    /// # Errors
    /// [`Error::Shards`] where the relation has no rule or it does not allow so many; [`Error::Closed`]; a map that
    /// somebody else changes meanwhile, as [`Error::Contended`]; what the database refuses.
    pub async fn grow_shards(
        &self,
        cx: &Context,
        relation: &str,
        id: &str,
        to: u32,
    ) -> Result<Done<ShardMap>> {
        let relation = self.relation(relation)?;
        let to = allowed(relation, to)?;
        let (known, receipt) = self.fetch_map(cx, relation, id).await?;
        let mut receipts = vec![receipt];
        let mut map = changeable(relation, id, &known)?;
        if map.write >= to {
            return Ok(Done::new(map.shown(), receipts));
        }
        receipts.push(self.mark(cx, relation, id).await?);
        if map.read < to || map.epoch == 0 {
            let new = Map {
                read: to.max(map.read),
                epoch: map.epoch + 1,
                ..map
            };
            let change = MapChange {
                relation,
                id,
                seen: known.map,
                new,
            };
            receipts.push(self.change_map(cx, &change).await?);
            map = new;
        }
        self.reopen(cx, relation, id, &map, to, &mut receipts)
            .await?;
        self.env.sleep(SETTLE).await;
        let new = Map {
            write: to,
            epoch: map.epoch + 1,
            ..map
        };
        let change = MapChange {
            relation,
            id,
            seen: Some(map),
            new,
        };
        receipts.push(self.change_map(cx, &change).await?);
        Ok(Done::new(new.shown(), receipts))
    }

    /// Takes a target's shards back to `to`; 1: to the plain key alone. The edges of the others are moved. Run again
    /// after it was cut off, it goes on.
    ///
    /// # Errors
    /// As [`Graph::grow_shards`].
    pub async fn shrink_shards(
        &self,
        cx: &Context,
        relation: &str,
        id: &str,
        to: u32,
    ) -> Result<Done<ShardMap>> {
        let relation = self.relation(relation)?;
        let to = allowed(relation, to)?;
        let (known, receipt) = self.fetch_map(cx, relation, id).await?;
        let mut receipts = vec![receipt];
        let mut map = changeable(relation, id, &known)?;
        if map.read <= to {
            return Ok(Done::new(map.shown(), receipts));
        }
        if map.write > to {
            let new = Map {
                write: to,
                epoch: map.epoch + 1,
                ..map
            };
            let change = MapChange {
                relation,
                id,
                seen: known.map,
                new,
            };
            receipts.push(self.change_map(cx, &change).await?);
            map = new;
        }
        self.env.sleep(SETTLE).await;
        let emptied: Vec<Part> = map.parts().filter(|p| map.beyond(*p)).collect();
        if map.counts_parts() {
            for part in &emptied {
                let closed = Some(Value::S(RETIRED.to_owned()));
                receipts.push(self.close(cx, relation, id, *part, closed).await?);
            }
        }
        let mut clean = 0;
        while clean < 2 {
            if clean > 0 {
                self.env.sleep(LOOK_AGAIN).await;
            }
            let mut moved = 0;
            for part in &emptied {
                moved += self
                    .drain_part(cx, relation, id, &map, *part, &mut receipts)
                    .await?;
            }
            clean = if moved == 0 { clean + 1 } else { 0 };
        }
        let new = Map {
            read: to,
            epoch: map.epoch + 1,
            ..map
        };
        let change = MapChange {
            relation,
            id,
            seen: Some(map),
            new,
        };
        receipts.push(self.change_map(cx, &change).await?);
        Ok(Done::new(new.shown(), receipts))
    }

    /// Changes the map if it is as it was read.
    pub(crate) async fn change_map(&self, cx: &Context, change: &MapChange<'_>) -> Result<Receipt> {
        let MapChange {
            relation,
            id,
            seen,
            new,
            ..
        } = change;
        let input = self.map_update(relation, id, *seen, new)?;
        let (old, receipt) = self.update_item(cx, input).await?;
        if old.is_none() {
            // Perhaps an earlier attempt did it, and its answer was lost.
            let (known, _) = self.fetch_map(cx, relation, id).await?;
            if known.map != Some(*new) {
                return Err(Error::Shards {
                    relation: relation.name.clone(),
                    why: format!("the map of {id:?} was changed meanwhile: look and run it again"),
                });
            }
        }
        self.maps.forget(relation, id);
        Ok(receipt)
    }

    /// The update of a map that is as it was read. With the first one the entity's count becomes the plain key's base.
    pub(super) fn map_update(
        &self,
        relation: &Relation,
        id: &str,
        seen: Option<Map>,
        new: &Map,
    ) -> Result<UpdateItemInput> {
        let model = &*self.model;
        let entity = self.entity(&relation.to)?;
        let key = requests::entity_key(model, entity, id)?;
        let mut names = BTreeMap::from([
            ("#map".to_owned(), map_attribute(relation)),
            ("#closed".to_owned(), CLOSED.to_owned()),
        ]);
        let mut values = BTreeMap::from([(":map".to_owned(), new.value())]);
        let mut sets = vec!["#map = :map".to_owned()];
        let mut conditions = vec!["attribute_not_exists(#closed)".to_owned()];
        if let Some(seen) = seen {
            names.insert("#epoch".into(), "epoch".into());
            values.insert(":epoch".into(), Value::N(Number::from(seen.epoch)));
            conditions.push("#map.#epoch = :epoch".into());
        } else {
            conditions.push("attribute_not_exists(#map)".into());
            if model.referential {
                names.extend(link::key_name(model));
                conditions.push("attribute_exists(#pk)".into());
            }
            if let Some(counter) = &relation.counters.inward {
                names.insert("#base".into(), base_attribute(relation));
                names.insert("#count".into(), counter.clone());
                values.insert(":zero".into(), Value::N(Number::ZERO));
                sets.push("#base = if_not_exists(#count, :zero)".into());
            }
            // Links leave the entity alone from now on, so what they would have set is set here.
            if let (true, Some(keys)) = (model.upsert_entities, &entity.indexed) {
                requests::set_index_keys(model, keys, &Filling::entity(id), |name, value| {
                    let i = sets.len();
                    names.insert(format!("#g{i}"), name.to_owned());
                    values.insert(format!(":g{i}"), Value::S(value));
                    sets.push(format!("#g{i} = if_not_exists(#g{i}, :g{i})"));
                });
            }
        }
        Ok(UpdateItemInput {
            table_name: Some(model.table.clone()),
            key: Some(key.item(&model.keys).into()),
            update_expression: Some(format!("SET {}", sets.join(", "))),
            condition_expression: Some(conditions.join(" AND ")),
            expression_attribute_names: Some(names),
            expression_attribute_values: Some(values.into()),
            return_values: Some(ReturnValue::UpdatedNew),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..UpdateItemInput::default()
        })
    }

    /// Takes the mark of a retired shard off the counters of those that are to be written again.
    async fn reopen(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        map: &Map,
        to: u32,
        receipts: &mut Vec<Receipt>,
    ) -> Result<()> {
        if !map.counts_parts() {
            return Ok(());
        }
        let first = if map.write > 1 { map.write } else { 0 };
        for part in (first..to).map(Part::Shard) {
            receipts.push(self.close(cx, relation, id, part, None).await?);
        }
        Ok(())
    }

    /// Closes a part's counter for links, or opens it. One that is closed because its entity goes stays closed.
    pub(crate) async fn close(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        part: Part,
        closed: Option<Value>,
    ) -> Result<Receipt> {
        let model = &*self.model;
        let key = part.counter(relation, id);
        let changes = [(CLOSED, closed.as_ref())];
        let mut input = requests::update(model, &key, changes.into_iter());
        let own = Value::S(RETIRED.to_owned());
        let switching = Value::S(super::route::SWITCHING.to_owned());
        input.condition_expression =
            Some("attribute_not_exists(#a0) OR #a0 = :retired OR #a0 = :switching".to_owned());
        if let Some(names) = &mut input.expression_attribute_names {
            names.remove("#pk");
        }
        let mut values = BTreeMap::from([
            (":retired".to_owned(), own),
            (":switching".to_owned(), switching),
        ]);
        if let Some(closed) = closed {
            values.insert(":a0".to_owned(), closed);
        }
        input.expression_attribute_values = Some(values.into());
        let (_, receipt) = self.update_item(cx, input).await?;
        Ok(receipt)
    }
}

/// The most shards that a relation's rule allows, a power of two; 1 without a rule.
pub(super) fn most_shards(relation: &Relation) -> u32 {
    let most = relation.shard.as_ref().map_or(1, |rule| rule.max);
    let most = most.clamp(1, MAX_SHARDS);
    if most.is_power_of_two() {
        most
    } else {
        most.next_power_of_two() / 2
    }
}

/// A number of shards that the rule allows.
pub(super) fn allowed(relation: &Relation, to: u32) -> Result<u32> {
    let fail = |why: String| {
        Err(Error::Shards {
            relation: relation.name.clone(),
            why,
        })
    };
    let Some(rule) = &relation.shard else {
        return fail("it has no shard rule in its model".into());
    };
    let most = most_shards(relation).min(rule.max);
    if to == 0 || to > most {
        return fail(format!("{to} shards: 1 to {most}, a power of two"));
    }
    if to.is_power_of_two() {
        return Ok(to);
    }
    let above = to.next_power_of_two();
    let below = above / 2;
    fail(if above <= most {
        format!("{to} shards: they are a power of two, {below} or {above}")
    } else {
        format!("{to} shards: they are a power of two, {below} at most here")
    })
}

/// The map, unless it must not be changed now.
fn changeable(relation: &Relation, id: &str, known: &Known) -> Result<Map> {
    let map = known.map.unwrap_or(Map::PLAIN);
    if known.closed {
        return Err(Error::Closed {
            entity: relation.to.clone(),
            id: id.to_owned(),
        });
    }
    if map.gated {
        return Err(Error::Shards {
            relation: relation.name.clone(),
            why: format!("the way of counting {id:?} is being changed: finish that first"),
        });
    }
    let counting = if relation.counters.inward.is_some() {
        map.counting
    } else {
        super::Counting::Counted
    };
    Ok(Map { counting, ..map })
}
