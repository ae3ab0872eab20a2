//! Attribute values: an owned tree for building, and a borrowed view for reading in place.

mod compare;
mod list;
mod map;
mod set;
mod size;

use crate::Number;
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};

pub use list::{ListIter, ListRef};
pub use map::{MapIter, MapRef};
pub use set::{BinarySet, BinarySetIter, NumberSet, NumberSetIter, StringSet, StringSetIter};

/// An attribute value, owned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Value {
    /// String.
    S(String),
    /// Number.
    N(Number),
    /// Binary.
    B(Bytes),
    /// Boolean.
    Bool(bool),
    /// Null.
    #[default]
    Null,
    /// String set.
    Ss(BTreeSet<String>),
    /// Number set.
    Ns(BTreeSet<Number>),
    /// Binary set.
    Bs(BTreeSet<Bytes>),
    /// List.
    L(Vec<Value>),
    /// Map.
    M(BTreeMap<String, Value>),
}

/// An attribute value seen in place: in an item's bytes or in a [`Value`]. `Copy`, 24 bytes.
///
/// Sets, lists and maps are views with the same methods for both sources. Equality is DynamoDB's: types
/// are equal, numbers compare as numbers, sets and maps without order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueRef<'a> {
    /// String.
    S(&'a str),
    /// Number.
    N(Number),
    /// Binary.
    B(&'a [u8]),
    /// Boolean.
    Bool(bool),
    /// Null.
    Null,
    /// String set.
    Ss(StringSet<'a>),
    /// Number set.
    Ns(NumberSet<'a>),
    /// Binary set.
    Bs(BinarySet<'a>),
    /// List.
    L(ListRef<'a>),
    /// Map.
    M(MapRef<'a>),
}

/// DynamoDB's ten types of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
    /// Boolean.
    Bool,
    /// Null.
    Null,
    /// String set.
    Ss,
    /// Number set.
    Ns,
    /// Binary set.
    Bs,
    /// List.
    L,
    /// Map.
    M,
}

impl ValueType {
    /// Every type.
    pub const ALL: [Self; 10] = [
        Self::S,
        Self::N,
        Self::B,
        Self::Bool,
        Self::Null,
        Self::Ss,
        Self::Ns,
        Self::Bs,
        Self::L,
        Self::M,
    ];

    /// The descriptor on the wire: `S`, `N`, `B`, `BOOL`, `NULL`, `SS`, `NS`, `BS`, `L`, `M`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::N => "N",
            Self::B => "B",
            Self::Bool => "BOOL",
            Self::Null => "NULL",
            Self::Ss => "SS",
            Self::Ns => "NS",
            Self::Bs => "BS",
            Self::L => "L",
            Self::M => "M",
        }
    }

    /// The type of a descriptor.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "S" => Self::S,
            "N" => Self::N,
            "B" => Self::B,
            "BOOL" => Self::Bool,
            "NULL" => Self::Null,
            "SS" => Self::Ss,
            "NS" => Self::Ns,
            "BS" => Self::Bs,
            "L" => Self::L,
            "M" => Self::M,
            _ => return None,
        })
    }
}

impl<'a> ValueRef<'a> {
    /// Copies the value out into an owned tree.
    #[must_use]
    pub fn to_value(self) -> Value {
        match self {
            Self::S(text) => Value::S(text.to_owned()),
            Self::N(number) => Value::N(number),
            Self::B(bytes) => Value::B(Bytes::copy_from_slice(bytes)),
            Self::Bool(flag) => Value::Bool(flag),
            Self::Null => Value::Null,
            Self::Ss(set) => Value::Ss(set.iter().map(str::to_owned).collect()),
            Self::Ns(set) => Value::Ns(set.iter().collect()),
            Self::Bs(set) => Value::Bs(set.iter().map(Bytes::copy_from_slice).collect()),
            Self::L(list) => Value::L(list.iter().map(ValueRef::to_value).collect()),
            Self::M(map) => Value::M(
                map.iter()
                    .map(|(name, value)| (name.to_owned(), value.to_value()))
                    .collect(),
            ),
        }
    }

    /// Its type.
    #[must_use]
    pub const fn kind(self) -> ValueType {
        match self {
            Self::S(_) => ValueType::S,
            Self::N(_) => ValueType::N,
            Self::B(_) => ValueType::B,
            Self::Bool(_) => ValueType::Bool,
            Self::Null => ValueType::Null,
            Self::Ss(_) => ValueType::Ss,
            Self::Ns(_) => ValueType::Ns,
            Self::Bs(_) => ValueType::Bs,
            Self::L(_) => ValueType::L,
            Self::M(_) => ValueType::M,
        }
    }

    /// DynamoDB's type descriptor: `S`, `N`, `B`, `BOOL`, `NULL`, `SS`, `NS`, `BS`, `L`, `M`.
    #[must_use]
    pub const fn type_name(self) -> &'static str {
        self.kind().name()
    }

    /// The text of a string.
    #[must_use]
    pub const fn as_str(self) -> Option<&'a str> {
        match self {
            Self::S(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a number.
    #[must_use]
    pub const fn as_number(self) -> Option<Number> {
        match self {
            Self::N(number) => Some(number),
            _ => None,
        }
    }

    /// A member of a map by name.
    #[must_use]
    pub fn member(self, name: &str) -> Option<ValueRef<'a>> {
        match self {
            Self::M(map) => map.get(name),
            _ => None,
        }
    }

    /// An element of a list by index.
    #[must_use]
    pub fn element(self, index: usize) -> Option<ValueRef<'a>> {
        match self {
            Self::L(list) => list.get(index),
            _ => None,
        }
    }

    /// Levels of nesting: 1 for a scalar or a set, one more than the deepest element for a list or map.
    #[must_use]
    pub fn depth(self) -> usize {
        1 + match self {
            Self::L(list) => list.iter().map(ValueRef::depth).max().unwrap_or(0),
            Self::M(map) => map
                .iter()
                .map(|(_, value)| value.depth())
                .max()
                .unwrap_or(0),
            _ => 0,
        }
    }
}

impl Value {
    /// A view of this value.
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "it returns a view, not a reference"
    )]
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Self::S(text) => ValueRef::S(text),
            Self::N(number) => ValueRef::N(*number),
            Self::B(bytes) => ValueRef::B(bytes),
            Self::Bool(flag) => ValueRef::Bool(*flag),
            Self::Null => ValueRef::Null,
            Self::Ss(set) => ValueRef::Ss(StringSet::owned(set)),
            Self::Ns(set) => ValueRef::Ns(NumberSet::owned(set)),
            Self::Bs(set) => ValueRef::Bs(BinarySet::owned(set)),
            Self::L(list) => ValueRef::L(ListRef::owned(list)),
            Self::M(map) => ValueRef::M(MapRef::owned(map)),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::S(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::S(text)
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::N(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::N(number.into())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl<'a> From<&'a Value> for ValueRef<'a> {
    fn from(value: &'a Value) -> Self {
        value.as_ref()
    }
}
