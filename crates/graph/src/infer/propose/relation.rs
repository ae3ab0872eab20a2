//! Relations: groups with an id in either key, and what their items say of both ends.

use super::super::shape::Shape;
use super::{Draft, Group, SHARDS, agrees, text, words_of};
use crate::keys::Template;
use crate::model::{
    Counters, Entity, Index, IndexKeys, KeyNames, KeyTemplates, Loops, Order, Projection, Relation,
    Removal, ShardRule, companion,
};
use bothways_core::ValueRef;
use std::collections::{BTreeMap, HashSet};

impl Draft<'_> {
    /// One id in either key: an edge.
    pub(super) fn relation(&mut self, group: &Group<'_>) {
        if (group.pk.ids(), group.sk.ids()) != (1, 1) {
            return;
        }
        let (Some(pk), Some(sk)) = (group.pk.template("src"), group.sk.template("dst")) else {
            return self.left_over(group);
        };
        let wish = Self::constant_type(group)
            .or_else(|| group.sk.first_label())
            .unwrap_or_else(|| "edge".to_owned());
        let name = Self::free(|n| self.model.relation(n).is_some(), &wish);
        let place = format!("relation {name}");
        self.saw_keys(&place, group, &pk, &sk);
        let key = KeyTemplates { pk, sk };
        let from = self.source_of(group, &place);
        let to = self.target_of(group, &key, &place);
        let inverse = self.inverse(group, &key, &place);
        let shard = self.shard(group, &inverse, &place);
        let counters = self.counters(group, &key, (&from, &to), &place);
        let order = if inverse.keys.sk.as_str().starts_with("{pos}") {
            Order::Time
        } else {
            Order::Id
        };
        let attributes = self.attributes(group);
        self.assumed(
            &place,
            "how it reads from either end: say it as your users do",
        );
        self.model.relations.push(Relation {
            out_label: name.clone(),
            in_label: format!("is target of {name}"),
            name,
            from,
            to,
            undirected: false,
            loops: Loops::default(),
            removal: Removal::default(),
            key,
            inverse,
            forward: None,
            shard,
            order,
            counters,
            peak: 0,
            attributes,
        });
    }

    /// The one value of an attribute that says what kind of edge it is: `edgeType = FOLLOWS`.
    fn constant_type(group: &Group<'_>) -> Option<String> {
        let first = group.items.first()?;
        let kinds = first.iter().filter(|(name, _)| {
            let name = name.to_ascii_lowercase();
            name.ends_with("type") || name == "kind"
        });
        let mut found = kinds.filter_map(|(name, value)| match value {
            ValueRef::S(word) => Some((name, word)),
            _ => None,
        });
        let (_, word) =
            found.find(|(name, word)| group.items.iter().all(|i| text(i, name) == Some(word)))?;
        Some(word.to_ascii_lowercase())
    }

    fn source_of(&mut self, group: &Group<'_>, place: &str) -> String {
        let pk = group.pk.template("id");
        let known = self
            .model
            .entities
            .iter()
            .find(|e| Some(&e.key.pk) == pk.as_ref());
        if let Some(entity) = known {
            return entity.name.clone();
        }
        self.made_up(group.pk.nearest_label(), pk, place, "its sources")
    }

    /// The entity whose ids the edges name; failing that, one of the same label.
    fn target_of(&mut self, group: &Group<'_>, key: &KeyTemplates, place: &str) -> String {
        let named: HashSet<String> = group
            .items
            .iter()
            .filter_map(|item| key.sk.read(text(item, &self.model.keys.sk)?))
            .map(|filled| filled.target.into_owned())
            .collect();
        let overlap = |ids: &HashSet<String>| named.iter().filter(|id| ids.contains(*id)).count();
        let best = self.ids.iter().max_by_key(|(_, ids)| overlap(ids));
        let label = group.sk.nearest_label();
        let by_label = self.model.entities.iter().find(|entity| {
            let first = entity.key.pk.as_str().split('#').next().unwrap_or_default();
            label.as_deref() == Some(first.to_ascii_lowercase().as_str())
        });
        if let Some(entity) = by_label {
            return entity.name.clone();
        }
        if let Some((name, ids)) = best
            && overlap(ids) > 0
        {
            let text = format!(
                "{} of its {} targets are {name}s",
                overlap(ids),
                named.len()
            );
            let name = name.clone();
            self.saw(place, text);
            return name;
        }
        let label = label.unwrap_or_else(|| "target".to_owned());
        let pk = Template::parse(&format!("{}#{{id}}", label.to_ascii_uppercase())).ok();
        self.made_up(Some(label), pk, place, "its targets")
    }

    /// An entity of which no item was seen.
    fn made_up(
        &mut self,
        label: Option<String>,
        pk: Option<Template>,
        place: &str,
        what: &str,
    ) -> String {
        let wish = label.unwrap_or_else(|| "node".to_owned());
        if self.model.entity(&wish).is_some() && pk.is_none() {
            return wish;
        }
        let name = Self::free(|n| self.model.entity(n).is_some(), &wish);
        if let (Some(pk), Ok(sk)) = (pk, Template::parse("PROFILE")) {
            self.model.entities.push(Entity {
                name: name.clone(),
                key: KeyTemplates { pk, sk },
                indexed: None,
                attributes: Vec::new(),
            });
        }
        self.assumed(
            place,
            format!("no item of {what} was seen: entity {name} is a guess"),
        );
        name
    }

    /// The index that lists the edges by target; where none does, one that would.
    fn inverse(&mut self, group: &Group<'_>, key: &KeyTemplates, place: &str) -> IndexKeys {
        let names = self.model.keys.clone();
        for index in &self.model.indexes {
            let Some(keys) = self.index_keys(group, index, "dst", "src") else {
                continue;
            };
            let fits = group.items.iter().filter(|item| {
                let base = |name, template: &Template| {
                    text(item, name).and_then(|key| {
                        template
                            .read(key)
                            .map(|f| (f.source.into_owned(), f.target.into_owned()))
                    })
                };
                let source = base(&names.pk, &key.pk).map(|ids| ids.0);
                let target = base(&names.sk, &key.sk).map(|ids| ids.1);
                let by_target = plain_or_sharded(text(item, &index.keys.pk), &keys.pk);
                let by_source = base(&index.keys.sk, &keys.sk).map(|ids| ids.0);
                target.is_some() && by_target == target && by_source == source
            });
            let fits = fits.count();
            if agrees(fits, group.items.len()) {
                let (index, total) = (index.name.clone(), group.items.len());
                let text = format!(
                    "{fits} of its {total} stand in {index}: {} {}",
                    keys.pk, keys.sk
                );
                self.saw(place, text);
                return IndexKeys { index, keys };
            }
        }
        let name = Self::free(|n| self.model.index(n).is_some(), "GSI1");
        let text = format!(
            "no index lists it by target, so that list would be a Scan: {name} would serve, and the table lacks it"
        );
        self.assumed(place, text);
        self.model.indexes.push(Index {
            keys: KeyNames {
                pk: format!("{name}PK"),
                sk: format!("{name}SK"),
            },
            name: name.clone(),
            projection: Projection::All,
            local: false,
        });
        IndexKeys {
            index: name,
            keys: KeyTemplates {
                pk: key.sk.clone(),
                sk: key.pk.clone(),
            },
        }
    }

    fn shard(&mut self, group: &Group<'_>, inverse: &IndexKeys, place: &str) -> Option<ShardRule> {
        let index = self.model.index(&inverse.index)?;
        let words = words_of(self.sample, &index.keys.pk);
        let keys = group
            .items
            .iter()
            .filter_map(|item| text(item, &index.keys.pk));
        let sharded = keys
            .filter(|key| Shape::of(key, &words).is_sharded())
            .count();
        if sharded == 0 {
            return None;
        }
        let pk = Template::parse(&format!("{}#{{k}}", inverse.keys.pk)).ok()?;
        self.saw(
            place,
            format!("{sharded} of its items stand in shards: {pk}"),
        );
        Some(ShardRule { pk, max: SHARDS })
    }

    /// Whole numbers on either end that have a companion, and equal the edges seen more often than not.
    fn counters(
        &mut self,
        group: &Group<'_>,
        key: &KeyTemplates,
        (from, to): (&str, &str),
        place: &str,
    ) -> Counters {
        let mut outs: BTreeMap<String, u64> = BTreeMap::new();
        let mut ins: BTreeMap<String, u64> = BTreeMap::new();
        for item in &group.items {
            let names = &self.model.keys;
            if let Some(filled) = text(item, &names.pk).and_then(|k| key.pk.read(k)) {
                *outs.entry(filled.source.into_owned()).or_default() += 1;
            }
            if let Some(filled) = text(item, &names.sk).and_then(|k| key.sk.read(k)) {
                *ins.entry(filled.target.into_owned()).or_default() += 1;
            }
        }
        let out = self.counter(from, &outs, None);
        let inward = self.counter(to, &ins, out.as_deref());
        for (name, side) in [(&out, "out of it"), (&inward, "into it")] {
            if let Some(name) = name {
                self.saw(place, format!("{name} counts the edges {side}"));
            }
        }
        Counters { out, inward }
    }

    fn counter(
        &self,
        entity: &str,
        edges: &BTreeMap<String, u64>,
        not: Option<&str>,
    ) -> Option<String> {
        let pk = &self.model.entity(entity)?.key.pk;
        let mut right: BTreeMap<&str, usize> = BTreeMap::new();
        for item in self.sample {
            let Some(filled) = text(item, &self.model.keys.pk).and_then(|k| pk.read(k)) else {
                continue;
            };
            let seen = edges.get(filled.id.as_ref()).copied().unwrap_or(0);
            for (name, value) in item {
                let ValueRef::N(number) = value else { continue };
                let counted = item.get(&companion(name)).is_some() && Some(name) != not;
                if counted && seen > 0 && number.to_string() == seen.to_string() {
                    *right.entry(name).or_default() += 1;
                }
            }
        }
        let best = right.into_iter().max_by_key(|(_, n)| *n);
        best.map(|(name, _)| name.to_owned())
    }
}

/// The target in an index key, whether the key is plain or that of a shard.
fn plain_or_sharded(key: Option<&str>, plain: &Template) -> Option<String> {
    let key = key?;
    let sharded = || Template::parse(&format!("{plain}#{{k}}")).ok();
    let read = |template: &Template| template.read(key).map(|f| f.target.into_owned());
    read(plain).or_else(|| read(&sharded()?))
}
