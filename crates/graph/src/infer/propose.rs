//! From sampled items to a model with its evidence.

mod relation;

use super::Evidence;
use super::shape::{Shape, Words};
use crate::keys::Template;
use crate::model::{
    Access, Attribute, AttributeType, Entity, Index, IndexKeys, KeyNames, KeyTemplates, Model,
    Pattern, Projection, companion,
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

    /// The keys that a group's items share.
    fn saw_keys(&mut self, place: &str, group: &Group<'_>, pk: &Template, sk: &Template) {
        let (share, names) = (self.share(&group.items), &self.model.keys);
        let text = format!("{share}: {} = {pk}, {} = {sk}", names.pk, names.sk);
        self.saw(place, text);
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
        self.saw_keys(&place, group, &pk, &sk);
        let pk_name = self.model.keys.pk.as_str();
        let ids = group.items.iter().filter_map(|item| {
            let filled = pk.read(text(item, pk_name)?)?;
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
