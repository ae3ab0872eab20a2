//! The opaque item: encoded bytes that are looked up, sized, projected and printed in place.

use crate::{Value, ValueRef};
use bytes::Bytes;

/// One item: attribute names and values in a format that this crate owns (`docs/format.md`).
/// Cheap to clone (shared bytes). Attributes are stored sorted by name, so equal items have equal bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    bytes: Bytes,
}

/// What cannot be an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ItemError {
    /// The bytes are not an item of a known format.
    #[error("damaged item: {0}")]
    Damaged(&'static str),
}

/// Builds an item attribute by attribute, in any order, without a tree.
#[derive(Debug, Default)]
pub struct ItemBuilder {}

impl ItemBuilder {
    /// Sets (or replaces) an attribute.
    pub fn set(&mut self, name: &str, value: ValueRef<'_>) -> &mut Self {
        todo!("{name} {value:?}")
    }
    /// The finished item.
    pub fn build(self) -> Item {
        todo!()
    }
}

impl Item {
    /// An item of owned attributes.
    pub fn from_attributes<N: AsRef<str>>(
        attributes: impl IntoIterator<Item = (N, Value)>,
    ) -> Self {
        let _ = attributes.into_iter().count();
        todo!()
    }
    /// Takes stored bytes back; cheap check of the header only.
    pub fn from_bytes(bytes: Bytes) -> Result<Self, ItemError> {
        Ok(Self { bytes })
    }
    /// The bytes to store.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
    /// Looks an attribute up by name.
    pub fn get(&self, name: &str) -> Option<ValueRef<'_>> {
        todo!("{name}")
    }
    /// Every attribute in name order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, ValueRef<'_>)> {
        std::iter::empty()
    }
    /// Size as DynamoDB counts it, in bytes (names + values; without the 100 bytes of storage overhead).
    pub fn size(&self) -> usize {
        todo!()
    }
    /// A copy with these attributes set (`Some`) or removed (`None`).
    pub fn with(&self, changes: &[(&str, Option<ValueRef<'_>>)]) -> Self {
        todo!("{changes:?}")
    }
    /// A copy holding only these top-level attributes.
    pub fn only(&self, names: &[&str]) -> Self {
        todo!("{names:?}")
    }
    /// Appends DynamoDB JSON (`{"pk":{"S":"a"},…}`).
    pub fn write_json(&self, out: &mut Vec<u8>) {
        todo!("{out:?}")
    }
}
