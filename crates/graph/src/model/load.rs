//! A model file to a model: syntax, names and types. What the model means is the check's business.

use super::locate::{Problem, Source};
use super::{
    Access, Attribute, AttributeType, Counters, Entity, Index, IndexKeys, KeyNames, KeyTemplates,
    Model, Order, Pattern, Preset, Projection, Relation, ShardRule,
};
use crate::keys::Template;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Bytes of an item where a pattern states none.
const DEFAULT_ITEM_BYTES: u64 = 200;

/// A model with the file that it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// Its file.
    pub source: Source,
}

/// A model file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", problem.render())]
pub struct LoadError {
    /// What is wrong, and where.
    pub problem: Box<Problem>,
}

type Result<T> = std::result::Result<T, LoadError>;

impl Model {
    /// Reads a model file. `file` is its name, for messages.
    ///
    /// # Errors
    /// Text that is not TOML, unknown or missing names, wrong types, key templates that cannot be read: each with its
    /// place in the file and a hint.
    pub fn parse(file: &str, text: &str) -> Result<Loaded> {
        let mut reader = Reader {
            source: Source {
                file: file.to_owned(),
                text: text.to_owned(),
                spans: std::collections::BTreeMap::new(),
            },
        };
        let parsed = DeTable::parse(text).map_err(|error| LoadError {
            problem: Box::new(Problem {
                place: String::new(),
                message: error.message().to_owned(),
                hint: None,
                spot: error.span().map(|span| reader.source.spot_at(span)),
            }),
        })?;
        let root = Node {
            path: String::new(),
            table: parsed.get_ref(),
            span: 0..0,
        };
        let model = reader.model(&root)?;
        Ok(Loaded {
            model,
            source: reader.source,
        })
    }
}

/// One table of the file, with its path.
struct Node<'t> {
    path: String,
    table: &'t DeTable<'t>,
    span: Range<usize>,
}

impl<'t> Node<'t> {
    fn path(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }
    fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.get(key)
    }
}

/// `relation.enrolled.inverse.sk` → `relation enrolled, inverse.sk`.
pub(crate) fn place(path: &str) -> String {
    match path.split_once('.') {
        Some((kind @ ("index" | "entity" | "relation" | "pattern"), rest)) => {
            match rest.split_once('.') {
                Some((name, inner)) => format!("{kind} {name}, {inner}"),
                None => format!("{kind} {rest}"),
            }
        }
        _ => path.to_owned(),
    }
}

struct Reader {
    source: Source,
}

impl Reader {
    fn fail<T>(
        &self,
        path: &str,
        span: Range<usize>,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Result<T> {
        Err(LoadError {
            problem: Box::new(Problem {
                place: place(path),
                message: message.into(),
                hint,
                spot: Some(self.source.spot_at(span)),
            }),
        })
    }

    /// Refuses keys that are not in `known`, and remembers the place of those that are.
    fn only(&mut self, node: &Node<'_>, known: &[&str]) -> Result<()> {
        for (key, value) in node.table {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                let near = known.iter().filter(|k| nearly(k, name)).copied().next();
                let hint = near.map_or_else(
                    || format!("there are {}", known.join(", ")),
                    |near| format!("did you mean {near}?"),
                );
                let message = format!("there is no {name:?} here");
                return self.fail(&node.path, key.span(), message, Some(hint));
            }
            self.source.spans.insert(node.path(name), value.span());
        }
        if !node.path.is_empty() {
            self.source
                .spans
                .entry(node.path.clone())
                .or_insert(node.span.clone());
        }
        Ok(())
    }

    fn wrong<T>(
        &self,
        node: &Node<'_>,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        want: &str,
    ) -> Result<T> {
        let message = format!("{want} belongs here, not {}", value.get_ref().type_str());
        self.fail(&node.path(key), value.span(), message, None)
    }

    fn missing<T>(&self, node: &Node<'_>, key: &str, example: &str) -> Result<T> {
        let message = format!("{key} is missing");
        self.fail(
            &node.path,
            node.span.clone(),
            message,
            Some(example.to_owned()),
        )
    }

    fn opt_text(&self, node: &Node<'_>, key: &str) -> Result<Option<String>> {
        match node.get(key) {
            None => Ok(None),
            Some(value) => match value.get_ref().as_str() {
                Some(text) if !text.is_empty() => Ok(Some(text.to_owned())),
                Some(_) => self.fail(&node.path(key), value.span(), "it is empty", None),
                None => self.wrong(node, key, value, "a text"),
            },
        }
    }

    fn text(&self, node: &Node<'_>, key: &str, example: &str) -> Result<String> {
        match self.opt_text(node, key)? {
            Some(text) => Ok(text),
            None => self.missing(node, key, example),
        }
    }

    fn flag(&self, node: &Node<'_>, key: &str) -> Result<Option<bool>> {
        match node.get(key) {
            None => Ok(None),
            Some(value) => match value.get_ref().as_bool() {
                Some(flag) => Ok(Some(flag)),
                None => self.wrong(node, key, value, "true or false"),
            },
        }
    }

    fn number(&self, node: &Node<'_>, key: &str) -> Result<Option<u64>> {
        let Some(value) = node.get(key) else {
            return Ok(None);
        };
        let number = value.get_ref().as_integer();
        match number.and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok()) {
            Some(number) => Ok(Some(number)),
            None => self.wrong(node, key, value, "a whole number, not negative,"),
        }
    }

    fn small(&self, node: &Node<'_>, key: &str) -> Result<Option<u32>> {
        match self.number(node, key)? {
            None => Ok(None),
            Some(number) => match u32::try_from(number) {
                Ok(number) => Ok(Some(number)),
                Err(_) => {
                    let span = node.get(key).map_or(node.span.clone(), Spanned::span);
                    self.fail(&node.path(key), span, "it is too large", None)
                }
            },
        }
    }

    fn word<T: Copy>(&self, node: &Node<'_>, key: &str, words: &[(&str, T)]) -> Result<Option<T>> {
        let Some(text) = self.opt_text(node, key)? else {
            return Ok(None);
        };
        if let Some((_, word)) = words.iter().find(|(w, _)| *w == text) {
            return Ok(Some(*word));
        }
        let all: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
        let span = node.get(key).map_or(node.span.clone(), Spanned::span);
        let message = format!("{text:?} is not one of {}", all.join(", "));
        self.fail(&node.path(key), span, message, None)
    }

    fn child<'t>(&self, node: &Node<'t>, key: &str) -> Result<Option<Node<'t>>> {
        let Some(value) = node.get(key) else {
            return Ok(None);
        };
        match value.get_ref().as_table() {
            Some(table) => Ok(Some(Node {
                path: node.path(key),
                table,
                span: value.span(),
            })),
            None => self.wrong(node, key, value, "a table { … }"),
        }
    }

    /// The tables of an array, each under the path of its name.
    fn children<'t>(&mut self, node: &Node<'t>, key: &str) -> Result<Vec<Node<'t>>> {
        let Some(value) = node.get(key) else {
            return Ok(Vec::new());
        };
        let Some(array) = value.get_ref().as_array() else {
            return self.wrong(node, key, value, "a list of tables");
        };
        let mut nodes: Vec<Node<'t>> = Vec::with_capacity(array.len());
        for entry in array {
            let Some(table) = entry.get_ref().as_table() else {
                return self.wrong(node, key, entry, "a table { … }");
            };
            let mut child = Node {
                path: node.path(key),
                table,
                span: entry.span(),
            };
            let name = self.text(&child, "name", "name = \"…\"")?;
            let span = child.get("name").map_or(child.span.clone(), Spanned::span);
            if name.contains('.') {
                return self.fail(&child.path, span, "a name has no dot", None);
            }
            child.path = node.path(&format!("{key}.{name}"));
            if nodes.iter().any(|other| other.path == child.path) {
                let message = format!("there are two of the name {name:?}");
                return self.fail(&child.path, span, message, None);
            }
            self.source.spans.insert(child.path.clone(), span);
            nodes.push(child);
        }
        Ok(nodes)
    }

    fn template(&self, node: &Node<'_>, key: &str, example: &str) -> Result<Template> {
        let text = self.text(node, key, example)?;
        Template::parse(&text).or_else(|error| {
            let span = node.get(key).map_or(node.span.clone(), Spanned::span);
            // The text begins behind its quote; an escape in it would shift the rest, and keys have none.
            let inner = span.start + 1 + error.start..span.start + 1 + error.end;
            let span = if inner.is_empty() || inner.end > span.end {
                span
            } else {
                inner
            };
            self.fail(&node.path(key), span, error.message, None)
        })
    }

    fn model(&mut self, root: &Node<'_>) -> Result<Model> {
        self.only(
            root,
            &[
                "name",
                "table",
                "keys",
                "upsert_entities",
                "referential",
                "index",
                "entity",
                "relation",
                "pattern",
            ],
        )?;
        let name = self.text(root, "name", "name = \"follow\"")?;
        let keys = match self.child(root, "keys")? {
            Some(node) => self.key_names(&node)?,
            None => KeyNames {
                pk: "PK".into(),
                sk: "SK".into(),
            },
        };
        let indexes = self.each(root, "index", Self::index)?;
        let first_index = indexes.first().map(|i: &Index| i.name.clone());
        let entities = self.each(root, "entity", |r, n| r.entity(n, first_index.as_deref()))?;
        let model = Model {
            table: self
                .opt_text(root, "table")?
                .unwrap_or_else(|| name.clone()),
            keys,
            upsert_entities: self.flag(root, "upsert_entities")?.unwrap_or(false),
            referential: self.flag(root, "referential")?.unwrap_or(false),
            relations: Vec::new(),
            patterns: Vec::new(),
            name,
            indexes,
            entities,
        };
        let relations = self.each(root, "relation", |r, n| r.relation(n, &model))?;
        let patterns = self.each(root, "pattern", Self::pattern)?;
        Ok(Model {
            relations,
            patterns,
            ..model
        })
    }

    fn each<T>(
        &mut self,
        node: &Node<'_>,
        key: &str,
        mut read: impl FnMut(&mut Self, &Node<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let nodes = self.children(node, key)?;
        nodes.iter().map(|n| read(self, n)).collect()
    }

    fn key_names(&mut self, node: &Node<'_>) -> Result<KeyNames> {
        self.only(node, &["pk", "sk"])?;
        Ok(KeyNames {
            pk: self.text(node, "pk", "pk = \"PK\"")?,
            sk: self.text(node, "sk", "sk = \"SK\"")?,
        })
    }

    fn index(&mut self, node: &Node<'_>) -> Result<Index> {
        self.only(node, &["name", "pk", "sk", "projection", "local"])?;
        Ok(Index {
            name: self.text(node, "name", "name = \"GSI1\"")?,
            keys: KeyNames {
                pk: self.text(node, "pk", "pk = \"GSI1PK\"")?,
                sk: self.text(node, "sk", "sk = \"GSI1SK\"")?,
            },
            projection: self.projection(node)?,
            local: self.flag(node, "local")?.unwrap_or(false),
        })
    }

    fn projection(&self, node: &Node<'_>) -> Result<Projection> {
        let Some(value) = node.get("projection") else {
            return Ok(Projection::All);
        };
        let want = "\"ALL\", \"KEYS_ONLY\" or a list of attribute names";
        match value.get_ref() {
            DeValue::String(word) if word == "ALL" => Ok(Projection::All),
            DeValue::String(word) if word == "KEYS_ONLY" => Ok(Projection::KeysOnly),
            DeValue::Array(names) => {
                let mut include = Vec::with_capacity(names.len());
                for name in names {
                    match name.get_ref().as_str() {
                        Some(name) => include.push(name.to_owned()),
                        None => return self.wrong(node, "projection", name, "an attribute name"),
                    }
                }
                Ok(Projection::Include(include))
            }
            DeValue::String(word) => {
                let message = format!("{word:?} is not a projection");
                let hint = Some(format!("{want} belongs here"));
                self.fail(&node.path("projection"), value.span(), message, hint)
            }
            _ => self.wrong(node, "projection", value, want),
        }
    }

    fn key_templates(&self, node: &Node<'_>) -> Result<KeyTemplates> {
        Ok(KeyTemplates {
            pk: self.template(node, "pk", "pk = \"ACTOR#{src}\"")?,
            sk: self.template(node, "sk", "sk = \"TARGET#{dst}\"")?,
        })
    }

    fn index_keys(&mut self, node: &Node<'_>, first: Option<&str>) -> Result<IndexKeys> {
        self.only(node, &["index", "pk", "sk"])?;
        let index = match (self.opt_text(node, "index")?, first) {
            (Some(index), _) => index,
            (None, Some(first)) => first.to_owned(),
            (None, None) => return self.missing(node, "index", "declare an [[index]] and name it"),
        };
        Ok(IndexKeys {
            index,
            keys: self.key_templates(node)?,
        })
    }

    fn attributes(&mut self, node: &Node<'_>) -> Result<Vec<Attribute>> {
        self.each(node, "attributes", |reader, node| {
            reader.only(node, &["name", "type", "default", "value"])?;
            let kinds = AttributeType::ALL.map(|t| (t.as_str(), t));
            let kind = reader
                .word(node, "type", &kinds)?
                .unwrap_or(AttributeType::String);
            let now = reader.word(node, "default", &[("now", ())])?;
            if now.is_some() && kind != AttributeType::Time {
                let span = node.get("default").map_or(node.span.clone(), Spanned::span);
                let hint = Some("type = \"time\"".to_owned());
                return reader.fail(&node.path("default"), span, "now is a time", hint);
            }
            let fixed = reader.opt_text(node, "value")?.map(Preset::Value);
            Ok(Attribute {
                name: reader.text(node, "name", "name = \"createdAt\"")?,
                kind,
                preset: fixed.or(now.map(|()| Preset::Now)),
            })
        })
    }

    fn entity(&mut self, node: &Node<'_>, first_index: Option<&str>) -> Result<Entity> {
        self.only(node, &["name", "key", "indexed", "attributes"])?;
        let Some(key) = self.child(node, "key")? else {
            return self.missing(
                node,
                "key",
                "key = { pk = \"ACTOR#{id}\", sk = \"PROFILE\" }",
            );
        };
        self.only(&key, &["pk", "sk"])?;
        let indexed = match self.child(node, "indexed")? {
            Some(child) => Some(self.index_keys(&child, first_index)?),
            None => None,
        };
        Ok(Entity {
            name: self.text(node, "name", "name = \"actor\"")?,
            key: self.key_templates(&key)?,
            indexed,
            attributes: self.attributes(node)?,
        })
    }

    fn relation(&mut self, node: &Node<'_>, model: &Model) -> Result<Relation> {
        self.only(
            node,
            &[
                "name",
                "from",
                "to",
                "out",
                "in",
                "undirected",
                "key",
                "inverse",
                "forward",
                "shard",
                "order",
                "counters",
                "peak",
                "attributes",
            ],
        )?;
        let Some(key_node) = self.child(node, "key")? else {
            return self.missing(
                node,
                "key",
                "key = { pk = \"ACTOR#{src}\", sk = \"TARGET#{dst}\" }",
            );
        };
        self.only(&key_node, &["pk", "sk"])?;
        let key = self.key_templates(&key_node)?;
        let orders = [("id", Order::Id), ("time", Order::Time)];
        let first = model.indexes.first().map(|i| i.name.as_str());
        let forward = match self.child(node, "forward")? {
            Some(child) => Some(self.index_keys(&child, None)?),
            None => None,
        };
        Ok(Relation {
            name: self.text(node, "name", "name = \"follows\"")?,
            from: self.text(node, "from", "from = \"actor\"")?,
            to: self.text(node, "to", "to = \"actor\"")?,
            out_label: self.text(node, "out", "out = \"follows\"")?,
            in_label: self.text(node, "in", "in = \"is followed by\"")?,
            undirected: self.flag(node, "undirected")?.unwrap_or(false),
            inverse: self.inverse(node, &key, model, first)?,
            forward,
            shard: self.shard(node)?,
            order: self.word(node, "order", &orders)?.unwrap_or_default(),
            counters: self.counters(node)?,
            peak: self.small(node, "peak")?.unwrap_or(0),
            attributes: self.attributes(node)?,
            key,
        })
    }

    /// The inverse keys; without any, a plain inverted index of the table serves.
    fn inverse(
        &mut self,
        node: &Node<'_>,
        key: &KeyTemplates,
        model: &Model,
        first: Option<&str>,
    ) -> Result<IndexKeys> {
        if let Some(child) = self.child(node, "inverse")? {
            return self.index_keys(&child, first);
        }
        match model.indexes.iter().find(|i| model.is_plain_inverted(i)) {
            Some(index) => Ok(IndexKeys {
                index: index.name.clone(),
                keys: KeyTemplates {
                    pk: key.sk.clone(),
                    sk: key.pk.clone(),
                },
            }),
            None => self.missing(
                node,
                "inverse",
                "inverse = { pk = \"TARGET#{dst}\", sk = \"ACTOR#{src}\" }, or an index whose keys are the table's, swapped",
            ),
        }
    }

    fn shard(&mut self, node: &Node<'_>) -> Result<Option<ShardRule>> {
        let Some(child) = self.child(node, "shard")? else {
            return Ok(None);
        };
        self.only(&child, &["pk", "max"])?;
        Ok(Some(ShardRule {
            pk: self.template(&child, "pk", "pk = \"TARGET#{dst}#{k}\"")?,
            max: self.small(&child, "max")?.unwrap_or(super::MAX_SHARDS),
        }))
    }

    fn counters(&mut self, node: &Node<'_>) -> Result<Counters> {
        let Some(child) = self.child(node, "counters")? else {
            return Ok(Counters::default());
        };
        self.only(&child, &["out", "in", "both"])?;
        let both = self.opt_text(&child, "both")?;
        Ok(Counters {
            out: self.opt_text(&child, "out")?.or_else(|| both.clone()),
            inward: self.opt_text(&child, "in")?.or(both),
        })
    }

    fn pattern(&mut self, node: &Node<'_>) -> Result<Pattern> {
        self.only(
            node,
            &["name", "read", "of", "by", "items", "bytes", "consistency"],
        )?;
        let of = self.text(node, "of", "of = \"follows\"")?;
        let makers: [(&str, fn(String) -> Access); 9] = [
            ("entity", Access::Entity),
            ("show", Access::Show),
            ("out", Access::Out),
            ("in", Access::In),
            ("edge", Access::Edge),
            ("count", Access::Count),
            ("set", Access::Set),
            ("link", Access::Link),
            ("unlink", Access::Unlink),
        ];
        let by = self.opt_text(node, "by")?;
        let access = if let Some(by) = by {
            self.word(node, "read", &[("find", ())])?;
            Access::Find { entity: of, by }
        } else {
            match self.word(node, "read", &makers)? {
                Some(make) => make(of),
                None => return self.missing(node, "read", "read = \"out\""),
            }
        };
        let strong = [("strong", true), ("eventual", false)];
        Ok(Pattern {
            name: self.text(node, "name", "name = \"who follows an actor\"")?,
            access,
            items: self.number(node, "items")?.unwrap_or(1),
            bytes: self.number(node, "bytes")?.unwrap_or(DEFAULT_ITEM_BYTES),
            strong: self.word(node, "consistency", &strong)?,
        })
    }
}

/// Whether a key was probably meant: one edit away, the same letters, or one inside the other.
fn nearly(known: &str, given: &str) -> bool {
    let given = given.to_ascii_lowercase();
    let (short, long) = if known.len() < given.len() {
        (known, given.as_str())
    } else {
        (given.as_str(), known)
    };
    if long.contains(short) && short.len() > 2 {
        return true;
    }
    let letters = |text: &str| {
        let mut letters: Vec<u8> = text.bytes().collect();
        letters.sort_unstable();
        letters
    };
    if letters(short) == letters(long) {
        return true;
    }
    let same_start = long
        .bytes()
        .zip(short.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let same_end = long
        .bytes()
        .rev()
        .zip(short.bytes().rev())
        .take_while(|(a, b)| a == b)
        .count();
    long.len() - short.len() <= 1 && same_start + same_end + 1 >= long.len()
}
