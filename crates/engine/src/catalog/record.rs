//! What is stored of a table. Written as JSON: few rows, read by people, and fields are only ever added.

use bothways_core::{KeyPart, KeySchema, ScalarType};
use bothways_protocol::types::{
    KeyRole, KeySchemaElement, Projection, ProjectionType, ScalarAttributeType,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A table as stored under its (namespace, name).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableRecord {
    pub(crate) id: u32,
    pub(crate) uuid: String,
    pub(crate) arn: String,
    /// Milliseconds since 1970.
    pub(crate) created: u64,
    /// Name and type (`S`, `N`, `B`) in the order they were given.
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) key: KeyRecord,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) indexes: Vec<IndexRecord>,
    pub(crate) billing: Billing,
    #[serde(default)]
    pub(crate) deletion_protection: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) table_class: Option<String>,
    /// When the class was last changed, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) table_class_changed: Option<u64>,
    /// Most read and write units a second on demand; -1 for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) on_demand: Option<(i64, i64)>,
    /// When it was last switched to on demand, where it is provisioned now, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) was_on_demand: Option<u64>,
    /// Reads and writes a second that it is ready for; what it begins with where a version wrote it that kept none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) warm: Option<(i64, i64)>,
    /// How its provisioned units changed.
    #[serde(default, skip_serializing_if = "History::is_empty")]
    pub(crate) history: History,
    /// ARN of the key that the table is described as encrypted with; nothing is encrypted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) encrypted_with: Option<String>,
    /// The attribute that says when an item expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ttl: Option<String>,
    /// Id of the rows that name its items by expiry. A table whose TTL was set by a version that deleted
    /// nothing has none yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ttl_id: Option<u32>,
    /// When TTL was last switched, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ttl_changed: Option<u64>,
    /// Its newest stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stream: Option<LatestStream>,
    /// Its log of changes, while point-in-time recovery is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) recovery: Option<RecoveryRecord>,
    /// Where its items come from, until all are there. Nobody but the background uses it until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) restoring: Option<RestoringRecord>,
    /// The import that puts its items in, until all are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) importing: Option<String>,
    /// Tags by key.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tags: BTreeMap<String, String>,
    /// Policies: the table's own under the empty name, those of streams under their labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) policies: BTreeMap<String, PolicyRecord>,
    /// Contributor Insights: the table's own under the empty name, those of indexes under theirs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) insights: BTreeMap<String, InsightsRecord>,
}

/// Contributor Insights that was ever switched on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InsightsRecord {
    pub(crate) on: bool,
    /// Whether only what is throttled counts.
    #[serde(default)]
    pub(crate) throttled: bool,
    /// When it was last switched, milliseconds since 1970.
    pub(crate) changed: u64,
}

/// Point-in-time recovery that is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecoveryRecord {
    /// Id of its log's rows.
    pub(crate) log: u32,
    /// Since when, milliseconds since 1970.
    pub(crate) since: u64,
    /// Days that one can go back.
    pub(crate) days: u32,
}

/// A table that is being restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RestoringRecord {
    /// ARN of the backup; none for a restore to a point in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) backup: Option<String>,
    /// ARN of the table that it was or is.
    pub(crate) source: String,
    /// Id of the table that it is a former state of; none for a restore from a backup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source_id: Option<u32>,
    /// The time restored to, milliseconds since 1970.
    pub(crate) at: u64,
}

/// A policy and its revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PolicyRecord {
    /// The policy as it is given back.
    pub(crate) document: String,
    /// When it was changed, milliseconds since 1970; rising.
    pub(crate) revision: u64,
}

/// How provisioned units changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct History {
    /// When they were last raised, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) increased: Option<u64>,
    /// When they were last lowered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) decreased: Option<u64>,
    /// How often they were lowered on that day.
    #[serde(default)]
    pub(crate) decreases: i64,
}

impl History {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A table's newest stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LatestStream {
    /// Its part of the ARN: when it was switched on.
    pub(crate) label: String,
    /// What its records carry; `None` since it was switched off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) view: Option<String>,
}

/// Names of key attributes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyRecord {
    pub(crate) hash: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) range: Vec<String>,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexRecord {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) local: bool,
    pub(crate) key: KeyRecord,
    pub(crate) projection: ProjectionRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) throughput: Option<(i64, i64)>,
    /// As those of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) on_demand: Option<(i64, i64)>,
    /// As that of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) warm: Option<(i64, i64)>,
    /// As that of the table.
    #[serde(default, skip_serializing_if = "History::is_empty")]
    pub(crate) history: History,
    /// What is being done to it; `None` for one that is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) phase: Option<Phase>,
    /// What makes it a vector index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) vector: Option<VectorRecord>,
}

impl IndexRecord {
    /// Whether it is a global secondary index.
    pub(crate) fn is_global(&self) -> bool {
        !self.local && self.vector.is_none()
    }
}

/// What makes an index a vector index. Its key is the search schema's partition key, or nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VectorRecord {
    /// The attribute that holds the vectors. Rows hold them as binary: 32-bit floats, lowest byte first.
    pub(crate) attribute: String,
    /// Numbers of each.
    pub(crate) dimensions: usize,
    /// AWS's word.
    pub(crate) distance: String,
    /// Attributes that searches may name besides the partition key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) filters: Vec<String>,
}

/// What is being done to an index while its table lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    /// It is there, and writes keep it; older items are not in it yet.
    Creating,
    /// Older items are being added.
    Backfilling,
    /// It is not kept any more, and will be gone.
    Deleting,
}

/// What an index copies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProjectionRecord {
    All,
    KeysOnly,
    Include(Vec<String>),
}

/// How a table is billed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Billing {
    /// Read and write units.
    Provisioned(i64, i64),
    /// On demand, since (milliseconds).
    OnDemand(u64),
}

impl TableRecord {
    /// Forgets the attributes that no key has.
    pub(crate) fn forget_unused_attributes(&mut self) {
        let indexes = self.indexes.iter().map(|index| &index.key);
        let keys = std::iter::once(&self.key).chain(indexes);
        let vectors = self
            .indexes
            .iter()
            .filter_map(|index| index.vector.as_ref());
        let used: Vec<&String> = keys
            .flat_map(|key| key.hash.iter().chain(&key.range))
            .chain(vectors.flat_map(|vector| &vector.filters))
            .collect();
        self.attributes.retain(|(name, _)| used.contains(&name));
    }
}

impl KeyRecord {
    /// From AWS's list of names and roles.
    pub(crate) fn from_elements(elements: &[KeySchemaElement]) -> Self {
        let of = |role: KeyRole| {
            elements
                .iter()
                .filter(|e| e.key_type == Some(role))
                .filter_map(|e| e.attribute_name.clone())
                .collect()
        };
        Self {
            hash: of(KeyRole::Hash),
            range: of(KeyRole::Range),
        }
    }

    /// Back to AWS's list.
    pub(crate) fn elements(&self) -> Vec<KeySchemaElement> {
        let element = |name: &String, role| KeySchemaElement {
            attribute_name: Some(name.clone()),
            key_type: Some(role),
        };
        let hash = self.hash.iter().map(|n| element(n, KeyRole::Hash));
        let range = self.range.iter().map(|n| element(n, KeyRole::Range));
        hash.chain(range).collect()
    }

    /// With the types of its attributes; `None` where one is not defined.
    pub(crate) fn schema(&self, attributes: &[(String, String)]) -> Option<KeySchema> {
        let parts = |names: &[String]| {
            names
                .iter()
                .map(|name| {
                    let (_, scalar) = attributes.iter().find(|(n, _)| n == name)?;
                    Some(KeyPart {
                        name: name.clone(),
                        scalar: scalar_type(scalar)?,
                    })
                })
                .collect::<Option<Vec<_>>>()
        };
        Some(KeySchema {
            hash: parts(&self.hash)?,
            range: parts(&self.range)?,
        })
    }
}

fn scalar_type(word: &str) -> Option<ScalarType> {
    match word {
        "S" => Some(ScalarType::S),
        "N" => Some(ScalarType::N),
        "B" => Some(ScalarType::B),
        _ => None,
    }
}

/// The wire's word for a stored type.
pub(crate) fn attribute_type(word: &str) -> Option<ScalarAttributeType> {
    ScalarAttributeType::ALL
        .iter()
        .copied()
        .find(|t| t.as_str() == word)
}

impl ProjectionRecord {
    pub(crate) fn from_wire(projection: &Projection) -> Self {
        match projection.projection_type {
            Some(ProjectionType::KeysOnly) => Self::KeysOnly,
            Some(ProjectionType::Include) => {
                Self::Include(projection.non_key_attributes.clone().unwrap_or_default())
            }
            Some(ProjectionType::All) | None => Self::All,
        }
    }

    pub(crate) fn to_wire(&self) -> Projection {
        let (projection_type, non_key_attributes) = match self {
            Self::All => (ProjectionType::All, None),
            Self::KeysOnly => (ProjectionType::KeysOnly, None),
            Self::Include(names) => (ProjectionType::Include, Some(names.clone())),
        };
        Projection {
            projection_type: Some(projection_type),
            non_key_attributes,
        }
    }
}
