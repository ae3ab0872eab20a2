//! Attribute values: an owned tree for building and a borrowed view for reading in place.

use crate::Number;
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// An attribute value, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// An attribute value seen in place: in an item's bytes or in a [`Value`].
/// (The sets, list and map carry cursor types of their own; this is the seam, the core owns the rest.)
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
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
}

impl ValueRef<'_> {
    /// Copies the value out into an owned tree.
    pub fn to_value(self) -> Value {
        todo!()
    }
    /// DynamoDB's type descriptor: `S`, `N`, `B`, `BOOL`, `NULL`, `SS`, `NS`, `BS`, `L`, `M`.
    pub fn type_name(self) -> &'static str {
        todo!()
    }
}
impl Value {
    /// A view of this value.
    pub fn as_ref(&self) -> ValueRef<'_> {
        todo!()
    }
}
