//! The parts of a model file: what each table may hold, and its value.

use super::load::{Node, Reader, Result};
use super::{
    Access, Attribute, AttributeType, Counters, Entity, Index, IndexKeys, KeyNames, KeyTemplates,
    Loops, Model, Order, Pattern, Preset, Projection, Relation, Removal, ShardRule,
};
use toml::Spanned;
use toml::de::DeValue;

/// Bytes of an item where a pattern states none.
const DEFAULT_ITEM_BYTES: u64 = 200;

/// The table's attribute for time to live where something expires and the model names none.
const DEFAULT_TTL: &str = "expiresAt";
/// The words for loops.
pub(super) const LOOPS: [(&str, Loops); 3] = [
    ("reject", Loops::Reject),
    ("once", Loops::Once),
    ("twice", Loops::Twice),
];

/// Makes an access of a name.
type Maker = fn(String) -> Access;

impl Reader {
    pub(super) fn model(&mut self, root: &Node<'_>) -> Result<Model> {
        self.only(
            root,
            &[
                "name",
                "table",
                "keys",
                "upsert_entities",
                "referential",
                "ttl",
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
            ttl: self.opt_text(root, "ttl")?,
            relations: Vec::new(),
            patterns: Vec::new(),
            name,
            indexes,
            entities,
        };
        let relations = self.each(root, "relation", |r, n| r.relation(n, &model))?;
        let patterns = self.each(root, "pattern", Self::pattern)?;
        let expires = relations.iter().any(|r| r.removal != Removal::Hard);
        let ttl = model
            .ttl
            .or_else(|| expires.then(|| DEFAULT_TTL.to_owned()));
        Ok(Model {
            relations,
            patterns,
            ttl,
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
                "loops",
                "removal",
                "keep",
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
            loops: self.word(node, "loops", &LOOPS)?.unwrap_or_default(),
            removal: self.removal(node)?,
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

    fn removal(&self, node: &Node<'_>) -> Result<Removal> {
        let keep = self.number(node, "keep")?;
        let soft = self.word(node, "removal", &[("hard", false), ("soft", true)])?;
        match (soft, keep) {
            (Some(true), keep) => Ok(Removal::Soft {
                keep: keep.unwrap_or(Removal::KEEP),
            }),
            (_, None) => Ok(Removal::Hard),
            (_, Some(_)) => {
                let span = node.get("keep").map_or(node.span.clone(), Spanned::span);
                let message = "nothing is kept of what is removed";
                let hint = Some("removal = \"soft\"".to_owned());
                self.fail(&node.path("keep"), span, message, hint)
            }
        }
    }

    fn pattern(&mut self, node: &Node<'_>) -> Result<Pattern> {
        self.only(
            node,
            &["name", "read", "of", "by", "items", "bytes", "consistency"],
        )?;
        let of = self.text(node, "of", "of = \"follows\"")?;
        let makers: [(&str, Maker); 9] = [
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
