//! Counters of a target whose edges are counted part by part: their sum, kept on the entity with its age.

use super::map::{Map, base_attribute, counted_at, map_attribute};
use super::part::COUNT;
use crate::error::Result;
use crate::fetch::Fetch;
use crate::graph::Graph;
use crate::model::Relation;
use crate::read;
use crate::receipt::Receipt;
use crate::requests;
use bothways_core::{Item, Number, Value};
use bothways_protocol::Context;
use bothways_protocol::types::{ReturnConsumedCapacity, ReturnValue, UpdateItemInput};
use std::collections::BTreeMap;

/// How old a sum is shown, in milliseconds. An older one is made anew by whoever asks.
const FRESH_MILLIS: u64 = 5_000;

/// A count, and when it was true: milliseconds since 1970, `None` where it is part of the edges' transactions.
pub(crate) type Counted = (i64, Option<u64>);

impl Graph {
    /// What the entity's item says of the edges that reach it, where a map is on it; a sum that is too old is made anew.
    pub(crate) async fn mapped_count(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        item: &Item,
        receipts: &mut Vec<Receipt>,
    ) -> Result<Option<Counted>> {
        let (Some(counter), Some(map)) = (&relation.counters.inward, Map::of(relation, item))
        else {
            return Ok(None);
        };
        let at = u64::try_from(read::integer(item, &counted_at(relation))).unwrap_or(0);
        match map.counting {
            super::Counting::Async => Ok(Some((read::integer(item, counter), Some(at)))),
            super::Counting::Counted => {
                let count = self.count_list(cx, relation, id, &map, receipts).await?;
                Ok(Some((count, Some(self.env.epoch_millis()))))
            }
            super::Counting::Exact => {
                let now = self.env.epoch_millis();
                if at > 0 && now.saturating_sub(at) < FRESH_MILLIS {
                    return Ok(Some((read::integer(item, counter), Some(at))));
                }
                let sum = self
                    .sum_parts(cx, relation, id, item, &map, receipts)
                    .await?;
                // Whoever may not write still gets the sum.
                if let Ok(receipt) = self.keep_sum(cx, relation, id, &map, sum, now).await {
                    receipts.push(receipt);
                }
                Ok(Some((sum, Some(now))))
            }
        }
    }

    /// The base and the counters of all parts. They are read one after another, so that links meanwhile may be seen in part.
    pub(crate) async fn sum_parts(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        item: &Item,
        map: &Map,
        receipts: &mut Vec<Receipt>,
    ) -> Result<i64> {
        let keys: Vec<_> = map.parts().map(|part| part.counter(relation, id)).collect();
        let how = Fetch {
            strong: true,
            keys_only: false,
        };
        let mut receipt = self.fetching();
        let counters = self.fetch(cx, &keys, how, &mut receipt).await?;
        receipt.note = Some(format!("{} counters of shards", keys.len()));
        receipts.push(receipt);
        let base = read::integer(item, &base_attribute(relation));
        let counts = counters.values().map(|i| read::integer(i, COUNT));
        Ok(counts.fold(base, i64::saturating_add))
    }

    /// Keeps a sum unless a newer one is there or the map is another.
    async fn keep_sum(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        map: &Map,
        sum: i64,
        at: u64,
    ) -> Result<Receipt> {
        let model = &*self.model;
        let key = requests::entity_key(model, self.entity(&relation.to)?, id)?;
        let counter = relation.counters.inward.clone().unwrap_or_default();
        let names = [
            ("#count", counter),
            ("#at", counted_at(relation)),
            ("#map", map_attribute(relation)),
            ("#epoch", "epoch".to_owned()),
        ];
        let number = |n: u64| Value::N(Number::from(n));
        let values = BTreeMap::from([
            (":sum".to_owned(), Value::N(Number::from(sum))),
            (":at".to_owned(), number(at)),
            (":epoch".to_owned(), number(map.epoch)),
        ]);
        let input = UpdateItemInput {
            table_name: Some(model.table.clone()),
            key: Some(key.item(&model.keys).into()),
            update_expression: Some("SET #count = :sum, #at = :at".into()),
            condition_expression: Some(
                "#map.#epoch = :epoch AND (attribute_not_exists(#at) OR #at < :at)".into(),
            ),
            expression_attribute_names: Some(
                names.into_iter().map(|(n, a)| (n.to_owned(), a)).collect(),
            ),
            expression_attribute_values: Some(values.into()),
            return_values: Some(ReturnValue::UpdatedNew),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..UpdateItemInput::default()
        };
        let (_, mut receipt) = self.update_item(cx, input).await?;
        receipt.note = Some("the sum, kept with its time".into());
        Ok(receipt)
    }

    /// Edges of a list, by reading it.
    pub(crate) async fn count_list(
        &self,
        cx: &Context,
        relation: &Relation,
        id: &str,
        map: &Map,
        receipts: &mut Vec<Receipt>,
    ) -> Result<i64> {
        let mut count = 0;
        let mut read = Vec::new();
        for part in map.parts() {
            count += self.count_part(cx, relation, id, part, &mut read).await?;
        }
        let whole = read.into_iter().reduce(|mut sum, one| {
            sum.absorb(&one);
            sum
        });
        receipts.extend(whole.map(|mut receipt| {
            receipt.note = Some("the whole list, for its count".into());
            receipt
        }));
        Ok(count)
    }
}
