//! The keys that a target's list is spread over, and their counters.

use super::map::Map;
use crate::error::Result;
use crate::graph::Graph;
use crate::keys::{Filling, escape};
use crate::model::{Model, Relation};
use crate::read;
use crate::receipt::Done;
use crate::requests::{self, Key};
use bothways_core::Item;
use bothways_protocol::Context;

/// One key of a target's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Part {
    /// The target's plain key.
    Plain,
    /// A shard.
    Shard(u32),
}

/// One key that a target's list is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListKey {
    /// The shard; `None`: the plain key.
    pub shard: Option<u32>,
    /// Its partition key in the relation's index.
    pub partition: String,
    /// Partition and sort key of its counter's item; `None` where the edges are not counted part by part.
    pub counter: Option<(String, String)>,
}

/// The counter item's attribute.
pub(crate) const COUNT: &str = "n";
/// The sort key of counter items.
const COUNTER: &str = "COUNT";

impl Part {
    /// Its partition key in the relation's index.
    pub(crate) fn partition(self, relation: &Relation, target: &str) -> String {
        match (self, &relation.shard) {
            (Self::Shard(shard), Some(rule)) => rule.pk.fill(&Filling {
                target: target.into(),
                shard,
                ..Filling::default()
            }),
            _ => requests::list_partition(&relation.inverse.keys.pk, target),
        }
    }

    /// The part that an edge's item is in: what its index key says.
    pub(crate) fn of(model: &Model, relation: &Relation, item: &Item) -> Self {
        let Some(index) = model.index(&relation.inverse.index) else {
            return Self::Plain;
        };
        let text = read::text(item, &index.keys.pk);
        let filling = relation.shard.as_ref().zip(text);
        match filling.and_then(|(rule, text)| rule.pk.read(text)) {
            Some(filling) => Self::Shard(filling.shard),
            None => Self::Plain,
        }
    }

    /// The key of its counter's item: a partition of its own, so that counters of one target do not share a limit.
    pub(crate) fn counter(self, relation: &Relation, target: &str) -> Key {
        let part = match self {
            Self::Plain => "plain".to_owned(),
            Self::Shard(k) => k.to_string(),
        };
        Key {
            pk: format!("BOTHWAYS#COUNT#{}#{}#{part}", relation.name, escape(target)),
            sk: COUNTER.to_owned(),
        }
    }
}

impl Map {
    /// Whether its edges are counted part by part.
    pub(crate) fn counts_parts(&self) -> bool {
        self.epoch > 0 && self.counting == super::Counting::Exact
    }
}

impl Graph {
    /// Every key that an id's inverse list is read from now, read strongly: the plain key and its shards, each with its
    /// counter.
    ///
    /// # Errors
    /// A relation that is not there; what the database refuses.
    pub async fn list_keys(
        &self,
        cx: &Context,
        relation: &str,
        id: &str,
    ) -> Result<Done<Vec<ListKey>>> {
        let relation = self.relation(relation)?;
        let (map, receipt) = self.read_map(cx, relation, id).await?;
        let map = map.unwrap_or(Map::PLAIN);
        let keys = map.parts().map(|part| ListKey {
            shard: match part {
                Part::Plain => None,
                Part::Shard(k) => Some(k),
            },
            partition: part.partition(relation, id),
            counter: map.counts_parts().then(|| {
                let key = part.counter(relation, id);
                (key.pk, key.sk)
            }),
        });
        Ok(Done::new(keys.collect(), receipt.into_iter().collect()))
    }
}
