//! DynamoDB the naive way: maps of owned attributes, every question answered by looking at everything.

use crate::common::{Attributes, item};
use bothways_core::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// An index as the model sees it.
#[derive(Debug, Clone)]
pub struct Index {
    pub name: &'static str,
    pub hash: Vec<&'static str>,
    pub range: Vec<&'static str>,
    /// `None` copies everything.
    pub include: Option<Vec<&'static str>>,
    pub local: bool,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    pub hash: &'static str,
    pub range: Option<&'static str>,
    pub indexes: Vec<Index>,
    pub items: BTreeMap<String, Attributes>,
    /// Every change since the stream was last looked at: the item before and after.
    pub changes: Vec<(Option<Attributes>, Option<Attributes>)>,
    /// The sequence number of the last record looked at.
    pub last_record: Option<String>,
}

impl Table {
    pub fn key_names(&self) -> Vec<&'static str> {
        std::iter::once(self.hash).chain(self.range).collect()
    }

    /// A text that tells items apart.
    pub fn id(&self, attributes: &Attributes) -> String {
        let parts: Vec<String> = self
            .key_names()
            .iter()
            .map(|name| format!("{:?}", attributes[*name]))
            .collect();
        parts.join("|")
    }

    pub fn get(&self, key: &Attributes) -> Option<&Attributes> {
        self.items.get(&self.id(key))
    }

    /// Sets or removes an item.
    pub fn set(&mut self, key: &Attributes, after: Option<Attributes>) {
        let id = self.id(key);
        let before = match after.clone() {
            Some(item) => self.items.insert(id, item),
            None => self.items.remove(&id),
        };
        if before != after {
            self.changes.push((before, after));
        }
    }

    /// The rows of the table or an index, in reading order within one partition.
    pub fn rows(&self, index: Option<&Index>) -> Vec<Attributes> {
        let key = self.key_names();
        let mut rows: Vec<Attributes> = self.items.values().cloned().collect();
        let Some(index) = index else {
            rows.sort_by(|a, b| by(a, b, &key));
            return rows;
        };
        let own: Vec<&str> = index.hash.iter().chain(&index.range).copied().collect();
        rows.retain(|row| own.iter().all(|name| row.contains_key(*name)));
        let order: Vec<&str> = index
            .range
            .iter()
            .copied()
            .chain(key.iter().copied())
            .collect();
        rows.sort_by(|a, b| by(a, b, &order));
        if let Some(include) = &index.include {
            for row in &mut rows {
                row.retain(|name, _| {
                    own.contains(&name.as_str())
                        || key.contains(&name.as_str())
                        || include.contains(&name.as_str())
                });
            }
        }
        rows
    }

    /// Attributes that name a row.
    pub fn row_key(&self, index: Option<&Index>, row: &Attributes) -> Attributes {
        let mut names = self.key_names();
        names.extend(index.iter().flat_map(|ix| ix.hash.iter().chain(&ix.range)));
        row.iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Row count and bytes.
    pub fn totals(&self, index: Option<&Index>) -> (i64, i64) {
        let rows = self.rows(index);
        let bytes: usize = rows.iter().map(|row| item(row).size()).sum();
        (
            i64::try_from(rows.len()).unwrap(),
            i64::try_from(bytes).unwrap(),
        )
    }
}

fn by(a: &Attributes, b: &Attributes, names: &[&str]) -> Ordering {
    let mut order = Ordering::Equal;
    for name in names {
        order = order.then_with(|| compare(&a[*name], &b[*name]));
    }
    order
}

/// Order of key values of one type.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::S(a), Value::S(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::N(a), Value::N(b)) => a.cmp(b),
        (Value::B(a), Value::B(b)) => a.cmp(b),
        _ => panic!("{a:?} and {b:?} have no order"),
    }
}

/// A condition, in the few forms that the script uses.
#[derive(Debug, Clone)]
pub enum Test {
    Exists(&'static str),
    Absent(&'static str),
    Equals(&'static str, Value),
    Below(&'static str, Value),
}

impl Test {
    pub fn holds(&self, item: Option<&Attributes>) -> bool {
        let value = |name: &str| item.and_then(|item| item.get(name));
        match self {
            Self::Exists(name) => value(name).is_some(),
            Self::Absent(name) => value(name).is_none(),
            Self::Equals(name, want) => value(name) == Some(want),
            Self::Below(name, bound) => match (value(name), bound) {
                (Some(Value::N(n)), Value::N(bound)) => n < bound,
                _ => false,
            },
        }
    }

    /// Its text, and the value it needs as `:test`.
    pub fn text(&self) -> (String, Option<Value>) {
        match self {
            Self::Exists(name) => (format!("attribute_exists({name})"), None),
            Self::Absent(name) => (format!("attribute_not_exists({name})"), None),
            Self::Equals(name, value) => (format!("{name} = :test"), Some(value.clone())),
            Self::Below(name, value) => (format!("{name} < :test"), Some(value.clone())),
        }
    }
}

/// A change, in the few forms that the script uses.
#[derive(Debug, Clone)]
pub enum Change {
    Set(Vec<(&'static str, Value)>),
    Remove(Vec<&'static str>),
    /// Adds to a number, an absent one counting as 0.
    Add(&'static str, i64),
}

impl Change {
    /// The item after it; taking away from nothing leaves nothing.
    pub fn apply(&self, key: &Attributes, before: Option<&Attributes>) -> Option<Attributes> {
        if before.is_none() && matches!(self, Self::Remove(_)) {
            return None;
        }
        let mut item = before.unwrap_or(key).clone();
        match self {
            Self::Set(pairs) => {
                for (name, value) in pairs {
                    item.insert((*name).to_owned(), value.clone());
                }
            }
            Self::Remove(names) => {
                for name in names {
                    item.remove(*name);
                }
            }
            Self::Add(name, by) => {
                let old = match item.get(*name) {
                    Some(Value::N(n)) => n.to_i64().unwrap(),
                    _ => 0,
                };
                item.insert((*name).to_owned(), Value::N((old + by).into()));
            }
        }
        Some(item)
    }

    pub fn touched(&self) -> Vec<&'static str> {
        match self {
            Self::Set(pairs) => pairs.iter().map(|(name, _)| *name).collect(),
            Self::Remove(names) => names.clone(),
            Self::Add(name, _) => vec![name],
        }
    }

    /// Its text, and its values.
    pub fn text(&self) -> (String, Vec<(String, Value)>) {
        match self {
            Self::Set(pairs) => {
                let parts: Vec<String> = pairs.iter().map(|(n, _)| format!("{n} = :{n}")).collect();
                let values = pairs.iter().map(|(n, v)| (format!(":{n}"), v.clone()));
                (format!("SET {}", parts.join(", ")), values.collect())
            }
            Self::Remove(names) => (format!("REMOVE {}", names.join(", ")), Vec::new()),
            Self::Add(name, by) => (
                format!("ADD {name} :by"),
                vec![(":by".to_owned(), Value::N((*by).into()))],
            ),
        }
    }
}

/// One action on one item.
#[derive(Debug, Clone)]
pub enum Act {
    Put(Attributes),
    Update(Change),
    Delete,
    Check,
}

impl Act {
    pub fn after(&self, key: &Attributes, before: Option<&Attributes>) -> Option<Attributes> {
        match self {
            Self::Put(item) => Some(item.clone()),
            Self::Update(change) => change.apply(key, before),
            Self::Delete => None,
            Self::Check => before.cloned(),
        }
    }
}
