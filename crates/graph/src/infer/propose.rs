//! From sampled items to a model with its evidence.

use super::Evidence;
use super::shape::{Shape, Words};
use crate::keys::Template;
use crate::model::{
    Access, Attribute, AttributeType, Counters, Entity, Index, IndexKeys, KeyNames, KeyTemplates,
    Loops, Model, Order, Pattern, Projection, Relation, Removal, ShardRule, companion,
};
use crate::requests::OPERATION_ID;
use bothways_core::{Item, Value, ValueRef};
use bothways_protocol::types::{
    KeyRole, KeySchemaElement, ProjectionType, ScalarAttributeType, TableDescription,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Share of a group's items that has to agree, in hundredths: a few stray ones are no reason to see no list.
const AGREE: usize = 90;
/// Prefixes of partition keys behind which an id is looked for.
const PREFIXES: usize = 64;
/// Shards that a proposed rule allows.
const SHARDS: u32 = 256;
/// Bytes of an item where none was seen.
const ITEM_BYTES: u64 = 200;

/// The table's key and the indexes that can list by a target.
pub(super) struct Places {
    keys: KeyNames,
    indexes: Vec<Index>,
}

impl Places {
    /// Partitions that the sample names and has not met, those named most often first: keys of index partitions, and
    /// the ids at the end of sort keys behind each prefix that partition keys have.
    pub(super) fn named_elsewhere(&self, sample: &[Item], most: usize) -> Vec<String> {
        let met: HashSet<&str> = sample
            .iter()
            .filter_map(|i| text(i, &self.keys.pk))
            .collect();
        let prefixes: BTreeSet<&str> = met
            .iter()
            .filter_map(|key| key.rfind('#').map(|at| &key[..=at]))
            .take(PREFIXES)
            .collect();
        let mut named: BTreeMap<String, usize> = BTreeMap::new();
        let mut note = |key: String| {
            if !met.contains(key.as_str()) {
                *named.entry(key).or_default() += 1;
            }
        };
        for item in sample {
            for index in &self.indexes {
                if let Some(key) = text(item, &index.keys.pk) {
                    note(key.to_owned());
                }
            }
            let tail = text(item, &self.keys.sk).and_then(|key| key.rsplit_once('#'));
            for prefix in prefixes.iter().filter(|_| tail.is_some()) {
                note(format!("{prefix}{}", tail.map_or("", |(_, id)| id)));
            }
        }
        let mut named: Vec<(String, usize)> = named.into_iter().collect();
        named.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        named.into_iter().take(most).map(|(key, _)| key).collect()
    }

    /// Placeholders of a condition on the partition key: `#k = :k`.
    pub(super) fn partition(
        &self,
        key: &str,
    ) -> (BTreeMap<String, String>, BTreeMap<String, Value>) {
        let names = BTreeMap::from([("#k".to_owned(), self.keys.pk.clone())]);
        let values = BTreeMap::from([(":k".to_owned(), Value::from(key))]);
        (names, values)
    }
}

/// What of a table a model can use; `None` where its key is not a partition key and a sort key of text.
pub(super) fn places(table: &TableDescription) -> Option<Places> {
    let text = |name: &str| {
        table.attribute_definitions.iter().flatten().any(|d| {
            d.attribute_name.as_deref() == Some(name)
                && d.attribute_type == Some(ScalarAttributeType::S)
        })
    };
    let names = |schema: Option<&Vec<KeySchemaElement>>| {
        let part = |role| {
            let mut parts = schema.into_iter().flatten();
            let found = parts.find(|e| e.key_type == Some(role))?;
            found.attribute_name.clone().filter(|name| text(name))
        };
        Some(KeyNames {
            pk: part(KeyRole::Hash)?,
            sk: part(KeyRole::Range)?,
        })
    };
    let indexes = table.global_secondary_indexes.iter().flatten();
    let indexes = indexes.filter_map(|index| {
        let projection = index.projection.as_ref()?;
        Some(Index {
            name: index.index_name.clone()?,
            keys: names(index.key_schema.as_ref())?,
            projection: match projection.projection_type? {
                ProjectionType::All => Projection::All,
                ProjectionType::KeysOnly => Projection::KeysOnly,
                ProjectionType::Include => {
                    Projection::Include(projection.non_key_attributes.clone().unwrap_or_default())
                }
            },
            local: false,
        })
    });
    Some(Places {
        keys: names(table.key_schema.as_ref())?,
        indexes: indexes.collect(),
    })
}

/// Items whose keys have one form.
struct Group<'i> {
    pk: Shape,
    sk: Shape,
    items: Vec<&'i Item>,
}

fn text<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    match item.get(name) {
        Some(ValueRef::S(text)) => Some(text),
        _ => None,
    }
}

/// The words of one attribute over the whole sample.
fn words_of(sample: &[Item], name: &str) -> Words {
    let mut words = Words::default();
    for key in sample.iter().filter_map(|item| text(item, name)) {
        words.note(key);
    }
    words
}

fn groups<'i>(keys: &KeyNames, sample: &'i [Item]) -> Vec<Group<'i>> {
    let (pk_words, sk_words) = (words_of(sample, &keys.pk), words_of(sample, &keys.sk));
    let mut found: BTreeMap<(Shape, Shape), Vec<&Item>> = BTreeMap::new();
    for item in sample {
        if let (Some(pk), Some(sk)) = (text(item, &keys.pk), text(item, &keys.sk)) {
            let shapes = (Shape::of(pk, &pk_words), Shape::of(sk, &sk_words));
            found.entry(shapes).or_default().push(item);
        }
    }
    let groups = found
        .into_iter()
        .map(|((pk, sk), items)| Group { pk, sk, items });
    groups.collect()
}

pub(super) fn propose(table: &str, places: &Places, sample: &[Item]) -> (Model, Vec<Evidence>) {
    let mut draft = Draft {
        sample,
        model: Model {
            name: table.to_owned(),
            table: table.to_owned(),
            keys: places.keys.clone(),
            upsert_entities: true,
            referential: false,
            ttl: None,
            indexes: places.indexes.clone(),
            entities: Vec::new(),
            relations: Vec::new(),
            patterns: Vec::new(),
        },
        ids: BTreeMap::new(),
        evidence: Vec::new(),
    };
    let groups = groups(&places.keys, sample);
    for group in &groups {
        draft.entity(group);
    }
    for group in &groups {
        draft.relation(group);
    }
    for group in &groups {
        let used = (group.pk.ids(), group.sk.ids());
        if used != (1, 0) && used != (1, 1) {
            draft.left_over(group);
        }
    }
    draft.patterns();
    (draft.model, draft.evidence)
}

struct Draft<'i> {
    sample: &'i [Item],
    model: Model,
    /// Ids seen, by entity.
    ids: BTreeMap<String, HashSet<String>>,
    evidence: Vec<Evidence>,
}

impl Draft<'_> {
    fn saw(&mut self, place: &str, text: String) {
        let place = place.to_owned();
        self.evidence.push(Evidence {
            place,
            text,
            assumed: false,
        });
    }

    fn assumed(&mut self, place: &str, text: impl Into<String>) {
        self.evidence.push(Evidence {
            place: place.to_owned(),
            text: text.into(),
            assumed: true,
        });
    }

    fn share(&self, items: &[&Item]) -> String {
        format!("{} of {} sampled items", items.len(), self.sample.len())
    }

    /// A name that no part of this kind has.
    fn free(taken: impl Fn(&str) -> bool, wish: &str) -> String {
        let wish: String = wish
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let numbered = (2..).map(|n| format!("{wish}{n}"));
        std::iter::once(wish.clone())
            .chain(numbered)
            .find(|name| !taken(name))
            .unwrap_or(wish)
    }

    /// One id in the partition key and none in the sort key: an entity's own item.
    fn entity(&mut self, group: &Group<'_>) {
        if (group.pk.ids(), group.sk.ids()) != (1, 0) {
            return;
        }
        let (Some(pk), Some(sk)) = (group.pk.template("id"), group.sk.template("id")) else {
            return self.left_over(group);
        };
        if let Some(known) = self.model.entities.iter().find(|e| e.key.pk == pk) {
            let place = format!("entity {}", known.name);
            let words = format!(
                "{} have the sort key {sk} beside it",
                self.share(&group.items)
            );
            return self.assumed(&place, format!("{words}: a second item of the entity"));
        }
        let wish = group
            .pk
            .nearest_label()
            .unwrap_or_else(|| "entity".to_owned());
        let name = Self::free(|n| self.model.entity(n).is_some(), &wish);
        let place = format!("entity {name}");
        let KeyNames {
            pk: pk_name,
            sk: sk_name,
        } = self.model.keys.clone();
        self.saw(
            &place,
            format!(
                "{}: {pk_name} = {pk}, {sk_name} = {sk}",
                self.share(&group.items)
            ),
        );
        let ids = group.items.iter().filter_map(|item| {
            let filled = pk.read(text(item, &pk_name)?)?;
            Some(filled.id.into_owned())
        });
        self.ids.insert(name.clone(), ids.collect());
        let indexed = self.indexed(group, &pk);
        if let Some(indexed) = &indexed {
            self.saw(&place, format!("it stands in {} too", indexed.index));
        }
        let attributes = self.attributes(group);
        self.model.entities.push(Entity {
            name,
            key: KeyTemplates { pk, sk },
            indexed,
            attributes,
        });
    }

    /// The index in which an entity's item stands under its own id.
    fn indexed(&self, group: &Group<'_>, pk: &Template) -> Option<IndexKeys> {
        self.model.indexes.iter().find_map(|index| {
            let keys = self.index_keys(group, index, "id", "id")?;
            let fits = group.items.iter().filter(|item| {
                let own = text(item, &self.model.keys.pk).and_then(|key| pk.read(key));
                let there = text(item, &index.keys.pk).and_then(|key| keys.pk.read(key));
                own.is_some_and(|own| there.is_some_and(|there| own.id == there.id))
            });
            let constant = keys.sk.slots().next().is_none();
            (constant && agrees(fits.count(), group.items.len())).then(|| IndexKeys {
                index: index.name.clone(),
                keys,
            })
        })
    }

    /// The form that most of a group's items have in an index.
    fn index_keys(
        &self,
        group: &Group<'_>,
        index: &Index,
        pk_slot: &str,
        sk_slot: &str,
    ) -> Option<KeyTemplates> {
        let most = |name: &str| {
            let words = words_of(self.sample, name);
            let mut counted: BTreeMap<Shape, usize> = BTreeMap::new();
            for key in group.items.iter().filter_map(|item| text(item, name)) {
                *counted.entry(Shape::of(key, &words).plain()).or_default() += 1;
            }
            counted
                .into_iter()
                .max_by_key(|(_, n)| *n)
                .map(|(shape, _)| shape)
        };
        Some(KeyTemplates {
            pk: most(&index.keys.pk)?.template(pk_slot)?,
            sk: most(&index.keys.sk)?.template(sk_slot)?,
        })
    }

    /// One id in either key: an edge.
    fn relation(&mut self, group: &Group<'_>) {
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
        let KeyNames {
            pk: pk_name,
            sk: sk_name,
        } = self.model.keys.clone();
        self.saw(
            &place,
            format!(
                "{}: {pk_name} = {pk}, {sk_name} = {sk}",
                self.share(&group.items)
            ),
        );
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

    /// The attributes of a group that are no keys, with the type that every value of them has.
    fn attributes(&self, group: &Group<'_>) -> Vec<Attribute> {
        let keys: Vec<&str> = self.model.key_attributes();
        let mut types: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
        for item in &group.items {
            for (name, value) in *item {
                let counter = item.get(&companion(name)).is_some();
                let follows = name
                    .strip_suffix("Ops")
                    .is_some_and(|n| item.get(n).is_some());
                if !keys.contains(&name) && name != OPERATION_ID && !counter && !follows {
                    types
                        .entry(name.to_owned())
                        .or_default()
                        .insert(type_of(value));
                }
            }
        }
        let declared = types.into_iter().filter_map(|(name, seen)| {
            let one = (seen.len() == 1).then(|| seen.first().copied())??;
            let kind = AttributeType::ALL.into_iter().find(|t| t.as_str() == one)?;
            Some(Attribute {
                name,
                kind,
                preset: None,
            })
        });
        declared.collect()
    }

    fn left_over(&mut self, group: &Group<'_>) {
        let keys = &self.model.keys;
        let example = group.items.first();
        let word = |name| {
            example
                .and_then(|item| text(item, name))
                .unwrap_or_default()
        };
        let text = format!(
            "{} fit neither an entity nor a relation, such as {} = {}, {} = {}",
            self.share(&group.items),
            keys.pk,
            word(&keys.pk),
            keys.sk,
            word(&keys.sk),
        );
        self.assumed("", text);
    }

    /// The reads that the keys serve, sized by what was seen.
    fn patterns(&mut self) {
        let mut patterns = Vec::new();
        let pattern = |name: String, access| Pattern {
            name,
            access,
            items: 1,
            bytes: ITEM_BYTES,
            strong: None,
        };
        for entity in &self.model.entities {
            let access = Access::Show(entity.name.clone());
            patterns.push(pattern(
                format!("one {} and its edges", entity.name),
                access,
            ));
        }
        for relation in &self.model.relations {
            let (name, of) = (&relation.name, || relation.name.clone());
            let list = |of: &str| format!("{name} of one {of}");
            patterns.push(pattern(list(&relation.from), Access::Out(of())));
            patterns.push(pattern(
                format!("{name} to one {}", relation.to),
                Access::In(of()),
            ));
            patterns.push(pattern(format!("one {name}"), Access::Edge(of())));
        }
        self.model.patterns = patterns;
    }
}

/// The target in an index key, whether the key is plain or that of a shard.
fn plain_or_sharded(key: Option<&str>, plain: &Template) -> Option<String> {
    let key = key?;
    let sharded = || Template::parse(&format!("{plain}#{{k}}")).ok();
    let read = |template: &Template| template.read(key).map(|f| f.target.into_owned());
    read(plain).or_else(|| read(&sharded()?))
}

fn agrees(fits: usize, of: usize) -> bool {
    fits > 0 && fits * 100 >= of * AGREE
}

/// Type of a value in the words of a model file; `other` where a model has none.
fn type_of(value: ValueRef<'_>) -> &'static str {
    match value {
        ValueRef::S(text) if is_date(text) => "date",
        ValueRef::S(_) => "string",
        ValueRef::N(number) if is_epoch(&number.to_string()) => "time",
        ValueRef::N(_) => "number",
        ValueRef::Bool(_) => "bool",
        _ => "other",
    }
}

/// `2026-09-01`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let digits = |part: Option<&str>, n: usize| {
        part.is_some_and(|p| p.len() == n && p.bytes().all(|b| b.is_ascii_digit()))
    };
    digits(parts.next(), 4)
        && digits(parts.next(), 2)
        && digits(parts.next(), 2)
        && parts.next().is_none()
}

/// Seconds between 2001 and 2286, as ten digits.
fn is_epoch(text: &str) -> bool {
    text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit())
}
