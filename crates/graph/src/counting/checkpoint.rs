//! How far a shard of the stream was counted, and whose turn it is.

use super::{checkpoint_key, checkpoints};
use crate::error::Result;
use crate::graph::Graph;
use crate::link::ALL_OLD;
use crate::model::{Direction, Model};
use crate::read;
use crate::requests::{self, Place};
use bothways_core::{Item, Number, Value};
use bothways_protocol::Context;
use bothways_protocol::types::{
    ReturnConsumedCapacity, ReturnValue, TransactWriteItem, Update, UpdateItemInput,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// A shard's checkpoint as it was read or written last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Checkpoint {
    /// The last record that was counted.
    pub(super) sequence: Option<String>,
    /// Every record was counted, and no more will come.
    pub(super) done: bool,
}

impl Checkpoint {
    fn of(item: &Item) -> Self {
        Self {
            sequence: read::text(item, "sequence").map(str::to_owned),
            done: item.get("done").is_some(),
        }
    }

    /// The condition that it is so still and the lease is this consumer's.
    fn condition(&self, values: &mut BTreeMap<String, Value>) -> String {
        match &self.sequence {
            Some(sequence) => {
                values.insert(":old".to_owned(), Value::S(sequence.clone()));
                "#owner = :me AND #sequence = :old".to_owned()
            }
            None => "#owner = :me AND attribute_not_exists(#sequence)".to_owned(),
        }
    }
}

fn names(names: &[&str]) -> BTreeMap<String, String> {
    let pairs = names.iter().map(|n| (format!("#{n}"), (*n).to_owned()));
    pairs.collect()
}

/// A lease: on which shard, whose, until when.
#[derive(Debug, Clone)]
pub(super) struct Lease {
    pub(super) label: String,
    pub(super) shard: String,
    pub(super) owner: String,
    pub(super) time: Duration,
}

impl Lease {
    fn until(&self, now: u64) -> Value {
        let time = u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX);
        Value::N(Number::from(now.saturating_add(time)))
    }

    /// The action that moves a checkpoint, if nobody else has.
    pub(super) fn advance(
        &self,
        model: &Model,
        from: &Checkpoint,
        to: &str,
        now: u64,
    ) -> TransactWriteItem {
        let mut values = BTreeMap::from([
            (":me".to_owned(), Value::S(self.owner.clone())),
            (":new".to_owned(), Value::S(to.to_owned())),
            (":until".to_owned(), self.until(now)),
        ]);
        let condition = from.condition(&mut values);
        TransactWriteItem {
            update: Some(Update {
                key: Some(
                    checkpoint_key(&self.label, &self.shard)
                        .item(&model.keys)
                        .into(),
                ),
                table_name: Some(model.table.clone()),
                update_expression: Some("SET #sequence = :new, #until = :until".into()),
                condition_expression: Some(condition),
                expression_attribute_names: Some(names(&["sequence", "owner", "until"])),
                expression_attribute_values: Some(values.into()),
                return_values_on_condition_check_failure: ALL_OLD,
            }),
            ..TransactWriteItem::default()
        }
    }
}

impl Graph {
    /// Takes or renews a lease: the checkpoint, or `None` where another consumer has it.
    pub(super) async fn lease(&self, cx: &Context, lease: &Lease) -> Result<Option<Checkpoint>> {
        let now = self.env.epoch_millis();
        let values = BTreeMap::from([
            (":me".to_owned(), Value::S(lease.owner.clone())),
            (":until".to_owned(), lease.until(now)),
            (":now".to_owned(), Value::N(Number::from(now))),
        ]);
        let input = UpdateItemInput {
            update_expression: Some("SET #owner = :me, #until = :until".into()),
            condition_expression: Some(
                "attribute_not_exists(#owner) OR #owner = :me OR #until < :now".into(),
            ),
            expression_attribute_names: Some(names(&["owner", "until"])),
            expression_attribute_values: Some(values.into()),
            ..self.checkpoint_update(lease)
        };
        let (item, _) = self.update_item(cx, input).await?;
        Ok(item.as_ref().map(Checkpoint::of))
    }

    /// Notes that a shard is counted to its end, or gives a lease back.
    pub(super) async fn leave(&self, cx: &Context, lease: &Lease, done: bool) -> Result<()> {
        let mut values = BTreeMap::from([
            (":me".to_owned(), Value::S(lease.owner.clone())),
            (":zero".to_owned(), Value::N(Number::ZERO)),
        ]);
        let mut all = names(&["owner", "until"]);
        let mut expression = "SET #until = :zero".to_owned();
        if done {
            expression.push_str(", #done = :true");
            all.extend(names(&["done"]));
            values.insert(":true".to_owned(), Value::Bool(true));
        }
        let input = UpdateItemInput {
            update_expression: Some(expression),
            condition_expression: Some("#owner = :me".into()),
            expression_attribute_names: Some(all),
            expression_attribute_values: Some(values.into()),
            ..self.checkpoint_update(lease)
        };
        self.update_item(cx, input).await.map(|_| ())
    }

    /// Begins a shard anew, at its oldest record.
    pub(super) async fn rewind(&self, cx: &Context, lease: &Lease) -> Result<()> {
        let values = BTreeMap::from([(":me".to_owned(), Value::S(lease.owner.clone()))]);
        let input = UpdateItemInput {
            update_expression: Some("REMOVE #sequence".into()),
            condition_expression: Some("#owner = :me".into()),
            expression_attribute_names: Some(names(&["owner", "sequence"])),
            expression_attribute_values: Some(values.into()),
            ..self.checkpoint_update(lease)
        };
        self.update_item(cx, input).await.map(|_| ())
    }

    fn checkpoint_update(&self, lease: &Lease) -> UpdateItemInput {
        let model = &*self.model;
        UpdateItemInput {
            table_name: Some(model.table.clone()),
            key: Some(
                checkpoint_key(&lease.label, &lease.shard)
                    .item(&model.keys)
                    .into(),
            ),
            return_values: Some(ReturnValue::AllNew),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..UpdateItemInput::default()
        }
    }

    /// The checkpoints of a stream, by shard.
    pub(super) async fn checkpoints(
        &self,
        cx: &Context,
        label: &str,
    ) -> Result<BTreeMap<String, Checkpoint>> {
        let model = &*self.model;
        let mut found = BTreeMap::new();
        let Some(relation) = model.relations.first() else {
            return Ok(found);
        };
        let place = Place::of(model, relation, Direction::Out, None);
        let mut start = None;
        loop {
            let mut input = requests::query(model, &place, &checkpoints(label), "");
            input.exclusive_start_key = start;
            let (output, _) = self.query(cx, input).await?;
            for item in output.items.iter().flatten() {
                if let Some(shard) = read::text(item, &model.keys.sk) {
                    found.insert(shard.to_owned(), Checkpoint::of(item));
                }
            }
            match output.last_evaluated_key {
                Some(last) => start = Some(last.into()),
                None => return Ok(found),
            }
        }
    }
}
