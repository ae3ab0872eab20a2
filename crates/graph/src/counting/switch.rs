//! From one way of counting to another: through a gate, a recount, and out again.

use super::TARGETS;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::keys::escape;
use crate::model::{Direction, Relation, companion};
use crate::read;
use crate::receipt::{Done, Receipt};
use crate::requests::{self, CLOSED, Key, Place};
use crate::shard::{
    COUNT, Counting, Map, MapChange, Part, SETTLE, SWITCHING, ShardMap, base_attribute, counted_at,
    map_attribute,
};
use bothways_core::{Item, ItemBuilder, Number, Value, ValueRef};
use bothways_protocol::types::{
    DeleteItemInput, PutItemInput, ReturnConsumedCapacity, ReturnValue, UpdateItemInput,
};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::collections::BTreeMap;
use std::time::Duration;

/// Pause between the two counts that must agree: longer than an index usually lags.
const COUNT_AGAIN: Duration = Duration::from_secs(5);
/// Counts until two agree. Nothing links or unlinks meanwhile; only what expires changes them.
const COUNTS: u32 = 30;

/// A switch under way.
struct Switching<'g> {
    graph: &'g Graph,
    cx: &'g Context,
    relation: &'g Relation,
    counter: &'g str,
    id: &'g str,
    receipts: Vec<Receipt>,
}

/// Edges by part, and when counting them began, in milliseconds since 1970.
struct Counts {
    parts: Vec<(Part, i64)>,
    began: u64,
}

impl Counts {
    fn total(&self) -> i64 {
        self.parts.iter().map(|(_, n)| n).sum()
    }
}

impl Graph {
    /// Counts the edges that reach a target in another way. Links and unlinks wait meanwhile, about half a minute; the
    /// edges are counted anew. The way that it has already is a recount. Run again after it was cut off, it goes on.
    ///
    /// Counting from the stream needs a consumer: [`Graph::consume`]. The table's stream is switched on where it is off.
    ///
    /// # Errors
    /// [`Error::Counting`] where the relation has no counter for it, or its counts do not come to rest;
    /// [`Error::Closed`]; what the database refuses.
    pub async fn switch_counting(
        &self,
        cx: &Context,
        relation: &str,
        id: &str,
        to: Counting,
    ) -> Result<Done<ShardMap>> {
        let relation = self.relation(relation)?;
        let counter = relation.counters.inward.as_deref();
        let Some(counter) = counter.filter(|_| relation.may_map()) else {
            return Err(Error::Counting {
                why: format!("{} has no counter of what reaches a target", relation.name),
            });
        };
        if to == Counting::Async {
            self.ensure_stream(cx).await?;
        }
        let mut switching = Switching {
            graph: self,
            cx,
            relation,
            counter,
            id,
            receipts: Vec::new(),
        };
        let map = switching.run(to).await?;
        Ok(Done::new(map.shown(), switching.receipts))
    }

    /// Targets that are counted from the stream: relation and id.
    pub(super) async fn async_targets(&self, cx: &Context) -> Result<Vec<(String, String)>> {
        let model = &*self.model;
        let Some(relation) = model.relations.first() else {
            return Ok(Vec::new());
        };
        let place = Place::of(model, relation, Direction::Out, None);
        let mut targets = Vec::new();
        let mut start = None;
        loop {
            let mut input = requests::query(model, &place, TARGETS, "");
            input.exclusive_start_key = start;
            let (output, _) = self.query(cx, input).await?;
            for item in output.items.iter().flatten() {
                let text = |name: &str| read::text(item, name).map(str::to_owned);
                targets.extend(text("relation").zip(text("target")));
            }
            match output.last_evaluated_key {
                Some(last) => start = Some(last.into()),
                None => return Ok(targets),
            }
        }
    }
}

impl Switching<'_> {
    async fn run(&mut self, to: Counting) -> Result<Map> {
        let gated = self.gate().await?;
        if to == Counting::Async {
            self.remember().await?;
        }
        self.graph.env.sleep(SETTLE).await;
        let counts = self.count(&gated).await?;
        let new = Map {
            counting: to,
            gated: false,
            epoch: gated.epoch + 1,
            since: counts.began,
            ..gated
        };
        let plain = to == Counting::Exact && new.read == 1;
        if to == Counting::Exact {
            for (part, count) in &counts.parts {
                // Without a map the entity's item counts alone.
                self.set_part(*part, if plain { 0 } else { *count }).await?;
            }
        }
        self.finish(&gated, &new, &counts, plain).await?;
        if to != Counting::Async {
            self.forget().await?;
        }
        self.graph.maps.forget(self.relation, self.id);
        Ok(if plain { Map::PLAIN } else { new })
    }

    /// Lets nothing more be counted the old way. The counters of shards are closed too, for writers who sleep on.
    async fn gate(&mut self) -> Result<Map> {
        let (graph, cx, relation, id) = (self.graph, self.cx, self.relation, self.id);
        let (known, receipt) = graph.fetch_map(cx, relation, id).await?;
        self.receipts.push(receipt);
        if known.closed {
            return Err(Error::Closed {
                entity: relation.to.clone(),
                id: id.to_owned(),
            });
        }
        let map = known.map.unwrap_or(Map::PLAIN);
        let mut gated = map;
        if !map.gated {
            gated = Map {
                gated: true,
                epoch: map.epoch + 1,
                ..map
            };
            let change = MapChange {
                relation,
                id,
                seen: known.map,
                new: gated,
            };
            self.receipts.push(graph.change_map(cx, &change).await?);
        }
        for part in gated.parts() {
            let closed = Some(Value::S(SWITCHING.to_owned()));
            let receipt = graph.close(cx, relation, id, part, closed).await?;
            self.receipts.push(receipt);
        }
        Ok(gated)
    }

    /// Counts until two counts agree.
    async fn count(&mut self, map: &Map) -> Result<Counts> {
        let mut last: Option<Counts> = None;
        for _ in 0..COUNTS {
            let began = self.graph.env.epoch_millis();
            let mut parts = Vec::new();
            for part in map.parts() {
                let count = self
                    .graph
                    .count_part(self.cx, self.relation, self.id, part, &mut self.receipts)
                    .await?;
                parts.push((part, count));
            }
            match last {
                Some(last) if last.parts == parts => return Ok(last),
                _ => last = Some(Counts { parts, began }),
            }
            self.graph.env.sleep(COUNT_AGAIN).await;
        }
        Err(Error::Counting {
            why: format!("the edges of {:?} do not come to rest", self.id),
        })
    }

    /// Sets a part's counter and opens it.
    async fn set_part(&mut self, part: Part, count: i64) -> Result<()> {
        let model = &*self.graph.model;
        let key = part.counter(self.relation, self.id);
        let names = [
            ("#n", COUNT.to_owned()),
            ("#ops", companion(COUNT)),
            ("#closed", CLOSED.to_owned()),
        ];
        let values = BTreeMap::from([
            (":n".to_owned(), Value::N(Number::from(count))),
            (":one".to_owned(), Value::N(Number::from(1_i64))),
            (":switching".to_owned(), Value::S(SWITCHING.to_owned())),
        ]);
        let input = UpdateItemInput {
            table_name: Some(model.table.clone()),
            key: Some(key.item(&model.keys).into()),
            update_expression: Some("SET #n = :n ADD #ops :one REMOVE #closed".into()),
            condition_expression: Some("#closed = :switching".into()),
            expression_attribute_names: Some(
                names.into_iter().map(|(n, a)| (n.to_owned(), a)).collect(),
            ),
            expression_attribute_values: Some(values.into()),
            return_values: Some(ReturnValue::UpdatedNew),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..UpdateItemInput::default()
        };
        let (_, receipt) = self.graph.update_item(self.cx, input).await?;
        self.receipts.push(receipt);
        Ok(())
    }

    /// Opens the gate under the new map; or, where the plain way will do, without one.
    async fn finish(&mut self, gated: &Map, new: &Map, counts: &Counts, plain: bool) -> Result<()> {
        let (graph, relation) = (self.graph, self.relation);
        let model = &*graph.model;
        let entity = graph.entity(&relation.to)?;
        let key = requests::entity_key(model, entity, self.id)?;
        let names = [
            ("#map", map_attribute(relation)),
            ("#base", base_attribute(relation)),
            ("#at", counted_at(relation)),
            ("#count", self.counter.to_owned()),
            ("#ops", companion(self.counter)),
            ("#epoch", "epoch".to_owned()),
        ];
        let mut values = BTreeMap::from([
            (":total".to_owned(), Value::N(Number::from(counts.total()))),
            (":at".to_owned(), Value::N(Number::from(counts.began))),
            (":epoch".to_owned(), Value::N(Number::from(gated.epoch))),
            (":one".to_owned(), Value::N(Number::from(1_i64))),
        ]);
        let expression = if plain {
            "SET #count = :total, #at = :at ADD #ops :one REMOVE #map, #base"
        } else {
            values.insert(":map".to_owned(), new.value());
            "SET #count = :total, #at = :at, #map = :map ADD #ops :one REMOVE #base"
        };
        let input = UpdateItemInput {
            table_name: Some(model.table.clone()),
            key: Some(key.item(&model.keys).into()),
            update_expression: Some(expression.to_owned()),
            condition_expression: Some("#map.#epoch = :epoch".into()),
            expression_attribute_names: Some(
                names.into_iter().map(|(n, a)| (n.to_owned(), a)).collect(),
            ),
            expression_attribute_values: Some(values.into()),
            return_values: Some(ReturnValue::UpdatedNew),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..UpdateItemInput::default()
        };
        let (done, receipt) = graph.update_item(self.cx, input).await?;
        self.receipts.push(receipt);
        if done.is_some() {
            return Ok(());
        }
        // Perhaps an attempt whose answer was lost did it.
        let (known, receipt) = graph.fetch_map(self.cx, relation, self.id).await?;
        self.receipts.push(receipt);
        if known.map == (!plain).then_some(*new) {
            return Ok(());
        }
        Err(Error::Counting {
            why: format!(
                "the map of {:?} was changed meanwhile: run it again",
                self.id
            ),
        })
    }

    fn registered(&self) -> Key {
        Key {
            pk: TARGETS.to_owned(),
            sk: format!("{}#{}", self.relation.name, escape(self.id)),
        }
    }

    /// Notes that the target is counted from the stream, for whoever finds that the stream was not read for too long.
    async fn remember(&mut self) -> Result<()> {
        let model = &*self.graph.model;
        let mut item = ItemBuilder::default();
        self.registered().set_on(&model.keys, &mut item);
        item.set("relation", ValueRef::S(&self.relation.name));
        item.set("target", ValueRef::S(self.id));
        let item: Item = item.build();
        let mut receipt = Receipt::new(Operation::PutItem, &model.table);
        let send = || {
            let input = PutItemInput {
                table_name: Some(model.table.clone()),
                item: Some(item.clone().into()),
                ..PutItemInput::default()
            };
            self.graph.db.put_item(self.cx, input)
        };
        let _ = self
            .graph
            .decide(self.cx, "switch", &mut receipt, send)
            .await?;
        self.receipts.push(receipt);
        Ok(())
    }

    async fn forget(&mut self) -> Result<()> {
        let model = &*self.graph.model;
        let key = self.registered().item(&model.keys);
        let mut receipt = Receipt::new(Operation::DeleteItem, &model.table);
        let send = || {
            let input = DeleteItemInput {
                table_name: Some(model.table.clone()),
                key: Some(key.clone().into()),
                ..DeleteItemInput::default()
            };
            self.graph.db.delete_item(self.cx, input)
        };
        let _ = self
            .graph
            .decide(self.cx, "switch", &mut receipt, send)
            .await?;
        self.receipts.push(receipt);
        Ok(())
    }
}

impl Graph {
    /// Edges that the index shows in one part.
    pub(crate) async fn count_part(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        part: Part,
        receipts: &mut Vec<Receipt>,
    ) -> Result<i64> {
        let model = &*self.model;
        let place = Place::of(model, relation, Direction::In, None);
        let partition = part.partition(relation, id);
        let mut whole: Option<Receipt> = None;
        let mut count: i64 = 0;
        let mut start = None;
        loop {
            let mut input = requests::query(model, &place, &partition, place.keys.sk.prefix());
            input.exclusive_start_key = start;
            let (output, receipt) = self.query(cx, input).await?;
            let edge = |item: &&Item| read::edge(model, relation, item).is_some();
            let edges = output.items.iter().flatten().filter(edge).count();
            count = count.saturating_add(i64::try_from(edges).unwrap_or(i64::MAX));
            match &mut whole {
                Some(whole) => whole.absorb(&receipt),
                None => whole = Some(receipt),
            }
            match output.last_evaluated_key {
                Some(last) => start = Some(last.into()),
                None => break,
            }
        }
        receipts.extend(whole);
        Ok(count)
    }
}
