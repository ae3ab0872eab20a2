//! Which targets are hot: how fast they are linked to, and how often a key of theirs was throttled.

use super::change::most_shards;
use super::map::{Map, ShardMap};
use crate::error::Result;
use crate::graph::Graph;
use crate::model::Relation;
use crate::receipt::Done;
use bothways_protocol::Context;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Targets that are watched. Where there are more, those that were quiet go, else all.
const MOST: usize = 10_000;
/// How long a second counts in which a target was linked to, in milliseconds.
const MEMORY: u64 = 60_000;
/// Links a second that one shard takes: a transactional counter takes 500 (Developer Guide, "Burst and adaptive
/// capacity"; two write units for each, of the 1,000 of a partition).
const SHARD_LINKS: u32 = 500;
/// Links that were throttled within the memory and make a target hot, whatever its rate.
const THROTTLED: u32 = 10;

/// A target as this process has seen it in the last minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HotTarget {
    /// Relation.
    pub relation: String,
    /// Id.
    pub id: String,
    /// Links in its busiest second.
    pub rate: u32,
    /// Links that had to be sent again because a key was throttled.
    pub throttled: u32,
}

#[derive(Debug, Default)]
struct Warm {
    second: u64,
    links: u32,
    /// The busiest second, and when it was.
    busiest: (u32, u64),
    throttled: u32,
    throttled_at: u64,
}

impl Warm {
    fn is_quiet(&self, now: u64) -> bool {
        self.busiest.1 + MEMORY < now && self.second * 1000 + MEMORY < now
    }
}

/// What this process saw of its targets. Clones of a graph share it.
#[derive(Debug, Default)]
pub(crate) struct Heat(Mutex<HashMap<(String, String), Warm>>);

impl Heat {
    /// A link was made, or could not be.
    pub(crate) fn note(&self, relation: &Relation, id: &str, throttled: bool, now: u64) {
        if relation.shard.is_none() {
            return;
        }
        let mut heat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if heat.len() >= MOST {
            heat.retain(|_, warm| !warm.is_quiet(now));
            if heat.len() >= MOST {
                heat.clear();
            }
        }
        let warm = heat
            .entry((relation.name.clone(), id.to_owned()))
            .or_default();
        if warm.second != now / 1000 {
            (warm.second, warm.links) = (now / 1000, 0);
        }
        warm.links += 1;
        if warm.links >= warm.busiest.0 || warm.busiest.1 + MEMORY < now {
            warm.busiest = (warm.links, now);
        }
        if throttled {
            if warm.throttled_at + MEMORY < now {
                warm.throttled = 0;
            }
            warm.throttled += 1;
            warm.throttled_at = now;
        }
    }

    fn hot(&self, now: u64) -> Vec<HotTarget> {
        let heat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hot = Vec::new();
        for ((relation, id), warm) in &*heat {
            let recent = |at: u64| at + MEMORY >= now;
            let rate = if recent(warm.busiest.1) {
                warm.busiest.0
            } else {
                0
            };
            let throttled = if recent(warm.throttled_at) {
                warm.throttled
            } else {
                0
            };
            if rate > SHARD_LINKS || throttled >= THROTTLED {
                hot.push(HotTarget {
                    relation: relation.clone(),
                    id: id.clone(),
                    rate,
                    throttled,
                });
            }
        }
        hot.sort_by(|a, b| (b.rate, &b.id).cmp(&(a.rate, &a.id)));
        hot
    }

    fn cool(&self, relation: &str, id: &str) {
        let mut heat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heat.remove(&(relation.to_owned(), id.to_owned()));
    }
}

impl HotTarget {
    /// Shards that it should have, where it has these.
    fn wants(&self, map: &Map, most: u32) -> u32 {
        let by_rate = self.rate.div_ceil(SHARD_LINKS).max(1).next_power_of_two();
        let by_throttling = if self.throttled >= THROTTLED {
            map.write.saturating_mul(2)
        } else {
            1
        };
        by_rate.max(by_throttling).min(most)
    }
}

impl Graph {
    /// Targets that this process has linked to faster than one shard takes, or whose keys were throttled, in the last
    /// minute; the hottest first. Only relations with a shard rule are watched.
    #[must_use]
    pub fn hot_targets(&self) -> Vec<HotTarget> {
        self.heat.hot(self.env.epoch_millis())
    }

    /// Spreads the hot targets over as many shards as their rate asks for, or twice as many as they have where keys are
    /// throttled all the same. One target at a time: each takes a good quarter of a minute.
    ///
    /// # Errors
    /// As [`Graph::grow_shards`].
    pub async fn grow_hot_targets(&self, cx: &Context) -> Result<Done<Vec<(HotTarget, ShardMap)>>> {
        let (mut grown, mut receipts) = (Vec::new(), Vec::new());
        for hot in self.hot_targets() {
            let relation = self.relation(&hot.relation)?;
            let (map, receipt) = self.read_map(cx, relation, &hot.id).await?;
            receipts.extend(receipt);
            let map = map.unwrap_or(Map::PLAIN);
            let to = hot.wants(&map, most_shards(relation));
            if to > map.write {
                let done = self.grow_shards(cx, &hot.relation, &hot.id, to).await?;
                receipts.extend(done.receipts);
                // What was seen before says nothing of the new shards.
                self.heat.cool(&hot.relation, &hot.id);
                grown.push((hot, done.value));
            }
        }
        Ok(Done::new(grown, receipts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shipped;

    #[test]
    fn heat_is_rate_and_throttling_of_the_last_minute() {
        let model = shipped("follow").unwrap().model;
        let follows = model.relation("follows").unwrap();
        let heat = Heat::default();
        for i in 0..1_500 {
            heat.note(follows, "star", false, 5_000 + i % 2);
        }
        for _ in 0..10 {
            heat.note(follows, "bob", true, 5_000);
        }
        heat.note(follows, "al", false, 5_000);
        let seen: Vec<(String, u32, u32)> = heat
            .hot(6_000)
            .into_iter()
            .map(|h| (h.id, h.rate, h.throttled))
            .collect();
        assert_eq!(seen, [("star".into(), 1_500, 0), ("bob".into(), 10, 10)]);
        assert!(heat.hot(66_000).is_empty());
        let wants = |rate, throttled, write| {
            let hot = HotTarget {
                relation: "follows".into(),
                id: "star".into(),
                rate,
                throttled,
            };
            hot.wants(
                &Map {
                    write,
                    ..Map::PLAIN
                },
                256,
            )
        };
        assert_eq!(wants(1_500, 0, 1), 4);
        assert_eq!(wants(10, 10, 4), 8);
        assert_eq!(wants(10, 9, 4), 1);
        assert_eq!(wants(10, 90, 256), 256);
    }
}
