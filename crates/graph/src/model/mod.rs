//! The model: which entities and relations a table holds, and how their keys are built.
//!
//! A model is a TOML file or a value built here; both give the same thing: [`Model::parse`] reads a file,
//! [`Model::to_toml`] writes one that reads back equal.

mod attribute;
mod load;
mod locate;
mod parts;
mod shipped;
mod write;

pub use attribute::{Attribute, AttributeError, AttributeType, Preset};
pub(crate) use load::place;
pub use load::{LoadError, Loaded};
pub use locate::{Problem, Source, Spot};
pub use shipped::{Shipped, shipped, shipped_models};

use crate::keys::{Slot, Template};
use bothways_core::limits::TABLE_NAME_CHARS;

/// Most shards of one target: a list reads every one of them.
pub const MAX_SHARDS: u32 = 256;

/// Whether a table or an index can have this name.
#[must_use]
pub fn names_a_table(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    TABLE_NAME_CHARS.contains(&name.len()) && name.chars().all(legal)
}

/// A table's or an index's generic key attribute names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyNames {
    /// Partition key attribute.
    pub pk: String,
    /// Sort key attribute.
    pub sk: String,
}

/// What an index copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    /// Every attribute.
    All,
    /// Keys only.
    KeysOnly,
    /// Keys and these.
    Include(Vec<String>),
}

/// A secondary index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Name.
    pub name: String,
    /// Its key attributes.
    pub keys: KeyNames,
    /// What it copies.
    pub projection: Projection,
    /// A local index (same partition key as the table). It cannot invert a relation: [`Model::check`] says so.
    pub local: bool,
}

/// A pair of key templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTemplates {
    /// Of the partition key.
    pub pk: Template,
    /// Of the sort key.
    pub sk: Template,
}

/// Keys in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexKeys {
    /// The index's name.
    pub index: String,
    /// The templates.
    pub keys: KeyTemplates,
}

/// A kind of entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Name.
    pub name: String,
    /// Keys of its item, from `{id}`.
    pub key: KeyTemplates,
    /// Keys that put it into an index beside its edges (so that a course leads its roster).
    pub indexed: Option<IndexKeys>,
    /// Declared attributes, in the order of display. Others are allowed.
    pub attributes: Vec<Attribute>,
}

/// Order of an inverse list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// By the bytes of the peer's escaped id.
    #[default]
    Id,
    /// By position (milliseconds of linking), then id.
    Time,
}

/// How the index key of a hot target is spread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardRule {
    /// The partition key of shard `{k}`; shard 0 of a target never sharded is the plain key.
    pub pk: Template,
    /// The most shards that one target may have.
    pub max: u32,
}

/// Names of the counters on the entities' own items. Each has a companion that counts its changes:
/// [`companion`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counters {
    /// On the source: how many edges go out.
    pub out: Option<String>,
    /// On the target: how many come in. The same name as `out` where a relation is undirected.
    pub inward: Option<String>,
}

/// A counter's companion: `followers` → `followersOps`. It rises by one with every transaction that changes the counter,
/// so that a count taken meanwhile can be told from one that was not disturbed.
#[must_use]
pub fn companion(counter: &str) -> String {
    format!("{counter}Ops")
}

/// What an edge from a node to itself is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loops {
    /// Refused.
    Reject,
    /// An edge like others; an undirected relation counts it once.
    #[default]
    Once,
    /// Counted at both its ends, which are one: an undirected relation counts it twice, as a degree in graph theory.
    Twice,
}

/// What removing an edge leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Removal {
    /// Nothing. A late retry of an older link makes the edge again.
    #[default]
    Hard,
    /// A tombstone with the removal's position, under a key of its own, for some time: nothing older makes the edge again
    /// while it stands.
    Soft {
        /// Seconds for which it is kept; then the table's time to live removes it.
        keep: u64,
    },
}

impl Removal {
    /// Seconds for which a tombstone is kept where the model does not say: a week, longer than anything retries.
    pub const KEEP: u64 = 7 * 24 * 60 * 60;
}

/// A relation: its edges are items written once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// Name.
    pub name: String,
    /// Entity at the source.
    pub from: String,
    /// Entity at the target.
    pub to: String,
    /// Read from the source: "follows".
    pub out_label: String,
    /// Read from the target: "is followed by".
    pub in_label: String,
    /// No direction: one item for both, the smaller id its source.
    pub undirected: bool,
    /// Keys of the edge, from `{src}` and `{dst}`.
    pub key: KeyTemplates,
    /// Keys in the index that lists edges by target. On a plain inverted index (`HASH = SK`, `RANGE = PK`) these are
    /// the edge's own keys, swapped, and cost no attributes.
    pub inverse: IndexKeys,
    /// Keys in an index that lists edges by source in time order, where the relation has one.
    pub forward: Option<IndexKeys>,
    /// Shards of a hot target.
    pub shard: Option<ShardRule>,
    /// Order of the inverse list.
    pub order: Order,
    /// Counters.
    pub counters: Counters,
    /// Edges from a node to itself.
    pub loops: Loops,
    /// What removing leaves.
    pub removal: Removal,
    /// Links and unlinks a second that the busiest target must take; 0 where nothing is known.
    pub peak: u32,
    /// Declared attributes, in the order of display. Others are allowed.
    pub attributes: Vec<Attribute>,
}

/// Which list of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Edges that leave a source.
    Out,
    /// Edges that reach a target.
    In,
}

impl Direction {
    /// `out` or `in`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Out => "out",
            Self::In => "in",
        }
    }
}

/// How an access pattern reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// An entity's item.
    Entity(String),
    /// An entity and its edges.
    Show(String),
    /// Entities by an attribute that may or may not be an index's key.
    Find {
        /// The entity.
        entity: String,
        /// The attribute.
        by: String,
    },
    /// Edges of a source.
    Out(String),
    /// Edges of a target.
    In(String),
    /// One edge, or whether it exists.
    Edge(String),
    /// An entity's counters.
    Count(String),
    /// Change of an edge's attributes.
    Set(String),
    /// Linking.
    Link(String),
    /// Unlinking.
    Unlink(String),
}

impl Access {
    /// `entity`, `show`, `find`, `out`, `in`, `edge`, `count`, `set`, `link` or `unlink`.
    #[must_use]
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Entity(_) => "entity",
            Self::Show(_) => "show",
            Self::Find { .. } => "find",
            Self::Out(_) => "out",
            Self::In(_) => "in",
            Self::Edge(_) => "edge",
            Self::Count(_) => "count",
            Self::Set(_) => "set",
            Self::Link(_) => "link",
            Self::Unlink(_) => "unlink",
        }
    }
    /// The relation or entity that it is about.
    #[must_use]
    pub fn of(&self) -> &str {
        match self {
            Self::Entity(of)
            | Self::Show(of)
            | Self::Find { entity: of, .. }
            | Self::Out(of)
            | Self::In(of)
            | Self::Edge(of)
            | Self::Count(of)
            | Self::Set(of)
            | Self::Link(of)
            | Self::Unlink(of) => of,
        }
    }
}

/// An access pattern with its stated size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Name, in the users' words.
    pub name: String,
    /// What it does.
    pub access: Access,
    /// Edges that it reads (lists); 1 otherwise.
    pub items: u64,
    /// Bytes of one item.
    pub bytes: u64,
    /// Wants to see every write answered before; a list by an index cannot.
    pub strong: Option<bool>,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Name.
    pub name: String,
    /// Table.
    pub table: String,
    /// The table's key attributes.
    pub keys: KeyNames,
    /// Linking to an entity that is not there puts it.
    pub upsert_entities: bool,
    /// Linking to an entity that is not there is refused.
    pub referential: bool,
    /// Indexes.
    pub indexes: Vec<Index>,
    /// Entities.
    pub entities: Vec<Entity>,
    /// Relations.
    pub relations: Vec<Relation>,
    /// Access patterns.
    pub patterns: Vec<Pattern>,
    /// The table's attribute for time to live, in epoch seconds, where something expires.
    pub ttl: Option<String>,
}

impl Model {
    /// An entity by name.
    #[must_use]
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|e| e.name == name)
    }
    /// A relation by name.
    #[must_use]
    pub fn relation(&self, name: &str) -> Option<&Relation> {
        self.relations.iter().find(|r| r.name == name)
    }
    /// An index by name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|i| i.name == name)
    }
    /// Whether an index is the table's key turned round: no attributes of its own, so no shards.
    #[must_use]
    pub fn is_plain_inverted(&self, index: &Index) -> bool {
        index.keys.pk == self.keys.sk && index.keys.sk == self.keys.pk
    }
    /// Every key attribute of the table and its indexes.
    #[must_use]
    pub fn key_attributes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let indexes = self.indexes.iter().map(|i| &i.keys);
        for keys in std::iter::once(&self.keys).chain(indexes) {
            for name in [keys.pk.as_str(), keys.sk.as_str()] {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
    /// Counters on the items of an entity, each once, in the order of the relations.
    #[must_use]
    pub fn counters_of(&self, entity: &str) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for relation in &self.relations {
            let out = (relation.from == entity).then_some(&relation.counters.out);
            let inward = (relation.to == entity).then_some(&relation.counters.inward);
            for name in [out, inward].into_iter().flatten().flatten() {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        names
    }
}

impl Relation {
    /// A declared attribute by name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }
    /// What a list in this direction reads as: "follows", "is followed by".
    #[must_use]
    pub fn label(&self, direction: Direction) -> &str {
        match direction {
            Direction::Out => &self.out_label,
            Direction::In => &self.in_label,
        }
    }
    /// Whether an edge's index keys hold a position.
    #[must_use]
    pub fn has_position(&self) -> bool {
        let forward = self.forward.iter().map(|f| &f.keys.sk);
        std::iter::once(&self.inverse.keys.sk)
            .chain(forward)
            .any(|t| t.has(Slot::Position))
    }
}
