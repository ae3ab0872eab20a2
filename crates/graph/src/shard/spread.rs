//! What a partition key stands for in a model, and where the edges of a target would go with so many shards.

use super::change::allowed;
use super::map::Map;
use super::part::Part;
use crate::error::Result;
use crate::graph::Graph;
use crate::keys::Template;
use crate::model::{Model, Relation};

/// What stands behind a partition key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName {
    /// Which of a node's keys it is.
    pub kind: KeyKind,
    /// The relation, where it is one's.
    pub relation: Option<String>,
    /// The node's entity.
    pub entity: String,
    /// The node's id.
    pub id: String,
    /// The shard, where it is one's.
    pub shard: Option<u32>,
}

/// A node's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// Its own item, and its edges out.
    Node,
    /// The list of edges that reach it, or a shard of it.
    In,
    /// A counter of a part of that list.
    Counter,
}

impl Model {
    /// What the partition key of the table, or of an index, stands for; `None` where it is not the model's.
    #[must_use]
    pub fn name_of_key(&self, index: Option<&str>, partition: &str) -> Option<KeyName> {
        self.relations
            .iter()
            .find_map(|relation| list_of(relation, index, partition))
            .or_else(|| {
                let mut entities = self.entities.iter();
                entities.find_map(|entity| {
                    let filling = match (index, &entity.indexed) {
                        (None, _) => entity.key.pk.read(partition),
                        (Some(index), Some(own)) if own.index == index => {
                            own.keys.pk.read(partition)
                        }
                        _ => None,
                    }?;
                    Some(KeyName {
                        kind: KeyKind::Node,
                        relation: None,
                        entity: entity.name.clone(),
                        id: filling.id.into_owned(),
                        shard: None,
                    })
                })
            })
    }
}

fn list_of(relation: &Relation, index: Option<&str>, partition: &str) -> Option<KeyName> {
    let named = |kind, id: String, shard| KeyName {
        kind,
        relation: Some(relation.name.clone()),
        entity: relation.to.clone(),
        id,
        shard,
    };
    if index.is_none() {
        let counters = format!("BOTHWAYS#COUNT#{}#{{dst}}#", relation.name);
        return [("plain", false), ("{k}", true)]
            .into_iter()
            .find_map(|(end, sharded)| {
                let template = Template::parse(&format!("{counters}{end}")).ok()?;
                let filling = template.read(partition)?;
                let shard = sharded.then_some(filling.shard);
                Some(named(
                    KeyKind::Counter,
                    filling.target.clone().into_owned(),
                    shard,
                ))
            });
    }
    if index != Some(&relation.inverse.index) {
        return None;
    }
    if let Some(filling) = relation.inverse.keys.pk.read(partition) {
        return Some(named(KeyKind::In, filling.target.into_owned(), None));
    }
    let filling = relation.shard.as_ref()?.pk.read(partition)?;
    let shard = Some(filling.shard);
    Some(named(KeyKind::In, filling.target.into_owned(), shard))
}

impl Graph {
    /// How many of these sources' edges to a target each key of its list would take with `shards` shards, in the order
    /// of the keys. With one, that is the plain key. It asks the database nothing: which shard an edge goes to depends on
    /// its source alone.
    ///
    /// # Errors
    /// A relation that is not there; as [`Graph::grow_shards`] for a number of shards that its rule does not allow.
    pub fn spread<S: AsRef<str>>(
        &self,
        relation: &str,
        shards: u32,
        sources: impl IntoIterator<Item = S>,
    ) -> Result<Vec<u64>> {
        let relation = self.relation(relation)?;
        let shards = allowed(relation, shards)?;
        let map = Map {
            read: shards,
            write: shards,
            ..Map::PLAIN
        };
        let mut counts = vec![0; usize::try_from(shards).unwrap_or(1)];
        for source in sources {
            let at = match map.part_of(source.as_ref()) {
                Part::Plain => 0,
                Part::Shard(shard) => usize::try_from(shard).unwrap_or(0),
            };
            if let Some(count) = counts.get_mut(at) {
                *count += 1;
            }
        }
        Ok(counts)
    }

    /// The most shards that a target of the relation may have; 1 where it may have none.
    ///
    /// # Errors
    /// A relation that is not there.
    pub fn most_shards(&self, relation: &str) -> Result<u32> {
        Ok(super::change::most_shards(self.relation(relation)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shipped;

    #[test]
    fn keys_of_a_model_have_names() {
        let model = shipped("follow").unwrap().model;
        let name = |index, key: &str| {
            model
                .name_of_key(index, key)
                .map(|n| (n.kind, n.entity, n.id, n.shard))
        };
        let actor = |kind, id: &str, shard| Some((kind, "actor".to_owned(), id.to_owned(), shard));
        for (index, key, want) in [
            (None, "ACTOR#alice", actor(KeyKind::Node, "alice", None)),
            (Some("GSI1"), "TARGET#bob", actor(KeyKind::In, "bob", None)),
            (
                Some("GSI1"),
                "TARGET#bob#12",
                actor(KeyKind::In, "bob", Some(12)),
            ),
            (
                Some("GSI1"),
                "TARGET#a%23b",
                actor(KeyKind::In, "a#b", None),
            ),
            (
                None,
                "BOTHWAYS#COUNT#follows#bob#plain",
                actor(KeyKind::Counter, "bob", None),
            ),
            (
                None,
                "BOTHWAYS#COUNT#follows#a%23b#3",
                actor(KeyKind::Counter, "a#b", Some(3)),
            ),
            (None, "OTHER#x", None),
            (Some("GSI9"), "TARGET#bob", None),
        ] {
            assert_eq!(name(index, key), want, "{key}");
        }
    }
}
