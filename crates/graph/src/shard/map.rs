//! The map: an attribute of the target's own item.

use super::part::Part;
use crate::cursor::Fnv;
use crate::model::{MAX_SHARDS, Model, Relation};
use bothways_core::{Item, Number, Value, ValueRef};
use std::collections::BTreeMap;

/// How the edges that reach a target are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Counting {
    /// In the edge's transaction: no error at any time.
    #[default]
    Exact,
    /// From the table's stream: exact up to where the stream was read, seconds behind. The cheapest for writers.
    Async,
    /// Not at all: a count reads the list.
    Counted,
}

impl Counting {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Async, Self::Counted];

    /// `exact`, `async` or `counted`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Async => "async",
            Self::Counted => "counted",
        }
    }
}

/// A target's map as a caller sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardMap {
    /// Keys that a list reads beside the plain one; 1: the plain key alone.
    pub read: u32,
    /// Shards over which new edges are spread; 1: the plain key. Never more than `read`.
    pub write: u32,
    /// Rises with every change of the map; 0: there is none.
    pub epoch: u64,
    /// How its edges are counted.
    pub counting: Counting,
    /// The way of counting is being changed: links wait.
    pub gated: bool,
}

/// A target's map. Where none is stored, [`Map::PLAIN`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Map {
    pub(crate) read: u32,
    pub(crate) write: u32,
    pub(crate) epoch: u64,
    pub(crate) counting: Counting,
    pub(crate) gated: bool,
    /// Milliseconds since 1970: stream records before it are in the count already. 0 where that is not needed.
    pub(crate) since: u64,
}

/// The attribute of an entity's item that holds the map of a relation's edges that reach it.
pub(crate) fn map_attribute(relation: &Relation) -> String {
    format!("{}Shards", relation.name)
}

/// The count that the entity's item had when the map was made: the plain key's counter goes on from there.
pub(crate) fn base_attribute(relation: &Relation) -> String {
    format!("{}Base", relation.name)
}

/// When the entity's counter was true, in milliseconds since 1970, where it is not part of the edges' transactions.
pub(crate) fn counted_at(relation: &Relation) -> String {
    format!("{}At", relation.name)
}

/// The attributes that maps keep on an entity's item.
pub(crate) fn attributes_of(model: &Model, entity: &str) -> Vec<String> {
    let mapped = model
        .relations
        .iter()
        .filter(|r| r.to == entity && r.may_map());
    mapped
        .flat_map(|r| [map_attribute(r), base_attribute(r), counted_at(r)])
        .collect()
}

impl Map {
    /// What holds where no map is stored.
    pub(crate) const PLAIN: Self = Self {
        read: 1,
        write: 1,
        epoch: 0,
        counting: Counting::Exact,
        gated: false,
        since: 0,
    };

    /// The map on an entity's item; `None` where there is none.
    pub(crate) fn of(relation: &Relation, item: &Item) -> Option<Self> {
        let Some(ValueRef::M(map)) = item.get(&map_attribute(relation)) else {
            return None;
        };
        let number = |name: &str| match map.get(name) {
            Some(ValueRef::N(n)) => n.to_i64().and_then(|n| u64::try_from(n).ok()),
            _ => None,
        };
        // A number that no map of ours can hold, damaged perhaps, is read as the most there can be: every key that a
        // link can have used is read, and no read is larger than that.
        let shards = |name| {
            number(name).map_or(1, |n| {
                u32::try_from(n).map_or(MAX_SHARDS, |n| n.clamp(1, MAX_SHARDS))
            })
        };
        let counting = match map.get("counting") {
            Some(ValueRef::S(word)) => Counting::ALL.into_iter().find(|c| c.as_str() == word),
            _ => None,
        };
        Some(Self {
            read: shards("read").max(shards("write")),
            write: shards("write"),
            epoch: number("epoch").unwrap_or(0),
            counting: counting.unwrap_or_default(),
            gated: map.get("gated").is_some(),
            since: number("since").unwrap_or(0),
        })
    }

    /// The attribute's value.
    pub(crate) fn value(&self) -> Value {
        let number = |n: u64| Value::N(Number::from(n));
        let mut map = BTreeMap::from([
            ("read".to_owned(), number(self.read.into())),
            ("write".to_owned(), number(self.write.into())),
            ("epoch".to_owned(), number(self.epoch)),
            (
                "counting".to_owned(),
                Value::S(self.counting.as_str().to_owned()),
            ),
        ]);
        if self.gated {
            map.insert("gated".to_owned(), Value::Bool(true));
        }
        if self.since > 0 {
            map.insert("since".to_owned(), number(self.since));
        }
        Value::M(map)
    }

    /// What a caller sees.
    pub(crate) fn shown(&self) -> ShardMap {
        ShardMap {
            read: self.read,
            write: self.write,
            epoch: self.epoch,
            counting: self.counting,
            gated: self.gated,
        }
    }

    /// The keys that a list reads.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part> + use<> {
        let shards = if self.read > 1 { self.read } else { 0 };
        std::iter::once(Part::Plain).chain((0..shards).map(Part::Shard))
    }

    /// Where a new edge goes.
    pub(crate) fn part_of(&self, peer: &str) -> Part {
        if self.write > 1 {
            Part::Shard(u32::try_from(hash(peer) % u64::from(self.write)).unwrap_or(0))
        } else {
            Part::Plain
        }
    }

    /// Whether a part takes no new edges and is being emptied, or was not yet opened.
    pub(crate) fn beyond(&self, part: Part) -> bool {
        match part {
            Part::Plain => false,
            Part::Shard(k) => self.write < self.read && (self.write == 1 || k >= self.write),
        }
    }
}

/// Spreads peers over shards, the same way for good: which shard an edge went to is stored, but a peer's edges should keep
/// going there.
fn hash(peer: &str) -> u64 {
    let mut hash = Fnv::new();
    hash.add(peer.as_bytes());
    let mut z = hash.value();
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shipped;
    use bothways_core::ItemBuilder;

    #[test]
    fn a_map_reads_back() {
        let model = shipped("follow").unwrap().model;
        let follows = model.relation("follows").unwrap();
        for map in [
            Map::PLAIN,
            Map {
                read: 16,
                write: 4,
                epoch: 7,
                counting: Counting::Async,
                gated: true,
                since: 1_718_900_000_000,
            },
        ] {
            let mut item = ItemBuilder::default();
            item.set("followsShards", map.value().as_ref());
            assert_eq!(Map::of(follows, &item.build()), Some(map));
        }
        assert_eq!(Map::of(follows, &ItemBuilder::default().build()), None);
    }

    #[test]
    fn peers_are_spread_evenly_and_the_same_way_for_good() {
        let map = Map {
            read: 16,
            write: 16,
            ..Map::PLAIN
        };
        let mut counts = [0_u32; 16];
        for i in 0..16_000 {
            if let Part::Shard(k) = map.part_of(&format!("user{i}")) {
                counts[k as usize] += 1;
            }
        }
        assert!(counts.iter().all(|n| (850..1150).contains(n)), "{counts:?}");
        assert_eq!(map.part_of("alice"), Part::Shard(12));
    }

    #[test]
    fn parts_are_the_plain_key_and_the_shards() {
        let map = |read, write| Map {
            read,
            write,
            ..Map::PLAIN
        };
        assert_eq!(map(1, 1).parts().count(), 1);
        assert_eq!(map(4, 1).parts().count(), 5);
        let beyond = |map: Map| map.parts().filter(|p| map.beyond(*p)).count();
        assert_eq!(
            [map(4, 4), map(4, 2), map(4, 1), map(1, 1)].map(beyond),
            [0, 2, 4, 0]
        );
    }
}
