//! The opaque item: encoded bytes that are looked up, sized, projected and printed in place.

mod build;
mod check;
mod edit;
pub(crate) mod encode;
pub(crate) mod read;
mod varint;

use crate::value::MapIter;
use crate::{Value, ValueRef, json};
use bytes::Bytes;

pub use build::ItemBuilder;

/// First byte of an item. Part of the stored format.
const FORMAT: u8 = 1;

/// One item: attribute names and values in a format that this crate owns (`docs/format.md`).
///
/// Cheap to clone (shared bytes). Attributes are stored in ascending order of their names and every value has
/// one encoding, so equal items have equal bytes.
///
/// ```
/// use bothways_core::{Item, Number, Value, ValueRef};
///
/// let item = Item::from_attributes([("pk", Value::from("user#1")), ("age", Value::from(36))]);
/// assert_eq!(item.get("age"), Some(ValueRef::N(Number::from(36))));
/// assert_eq!(item.size(), 2 + 6 + 3 + 2);
///
/// let older = item.with(&[("age", Some(ValueRef::N(Number::from(37))))]);
/// let mut json = Vec::new();
/// older.write_json(&mut json);
/// assert_eq!(json, br#"{"age":{"N":"37"},"pk":{"S":"user#1"}}"#);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
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

impl Default for Item {
    fn default() -> Self {
        ItemBuilder::new().build()
    }
}

impl Item {
    /// An item of owned attributes. Of two with one name the last stays.
    #[must_use]
    pub fn from_attributes<N: AsRef<str>>(
        attributes: impl IntoIterator<Item = (N, Value)>,
    ) -> Self {
        let mut builder = ItemBuilder::new();
        for (name, value) in attributes {
            builder.set(name.as_ref(), value.as_ref());
        }
        builder.build()
    }

    /// Takes stored bytes back, after one pass that checks every length, type, name and order: what it
    /// accepts can be read in full, and nothing later meets damage.
    ///
    /// # Errors
    /// [`ItemError::Damaged`] for anything that this crate would not have written.
    pub fn from_bytes(bytes: Bytes) -> Result<Self, ItemError> {
        let (&format, mut rest) = bytes.split_first().ok_or(ItemError::Damaged("no bytes"))?;
        if format != FORMAT {
            return Err(ItemError::Damaged("unknown format"));
        }
        let (size, count) = varint::take_canonical(&mut rest)
            .and_then(|size| Some((size, varint::take_canonical(&mut rest)?)))
            .ok_or(ItemError::Damaged("bad header"))?;
        match check::attributes(rest, count) {
            None => Err(ItemError::Damaged("bad attributes")),
            Some(actual) if actual != size => Err(ItemError::Damaged("wrong size")),
            Some(_) => Ok(Self { bytes }),
        }
    }

    /// Puts header and members together.
    fn assemble(members: &[u8], count: usize, size: usize) -> Self {
        Self {
            bytes: encode::assemble(FORMAT, size, count, &std::iter::once(members)),
        }
    }

    /// The bytes to store.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Size, count and the bytes of the members.
    fn parts(&self) -> (usize, usize, &[u8]) {
        let mut rest = self.bytes.get(1..).unwrap_or_default();
        let size = varint::take_varint(&mut rest).unwrap_or(0);
        let count = varint::take_varint(&mut rest).unwrap_or(0);
        (size, count, rest)
    }

    /// Looks an attribute up by name. Attributes before it are stepped over, not read.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<ValueRef<'_>> {
        read::find(self.parts().2, name)
    }

    /// Every attribute in ascending order of names (by UTF-8 bytes).
    #[must_use]
    pub fn iter(&self) -> MapIter<'_> {
        MapIter::encoded(self.parts().2)
    }

    /// Number of attributes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts().1
    }

    /// Whether it has no attributes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Size as DynamoDB counts it, in bytes (names + values; without the 100 bytes of storage overhead).
    /// Read from the header.
    #[must_use]
    pub fn size(&self) -> usize {
        self.parts().0
    }

    /// A copy with these attributes set (`Some`) or removed (`None`). Of two changes to one name the last
    /// counts. What is not changed is copied as it is, not read.
    #[must_use]
    pub fn with(&self, changes: &[(&str, Option<ValueRef<'_>>)]) -> Self {
        edit::with(self, changes)
    }

    /// A copy holding only these top-level attributes.
    #[must_use]
    pub fn only(&self, names: &[&str]) -> Self {
        edit::only(self, names)
    }

    /// Goes once through the attributes: shows those of `names` (in ascending order, by UTF-8 bytes), each with its
    /// place in `names`, and returns a copy that holds the others.
    ///
    /// ```
    /// use bothways_core::{Item, Value, ValueRef};
    ///
    /// let item = Item::from_attributes([("pk", "user#1"), ("name", "Ada"), ("at", "3")].map(|(n, v)| (n, Value::from(v))));
    /// let mut pk = None;
    /// let rest = item.split(&["at", "pk"], |place, value| {
    ///     if place == 1 {
    ///         pk = Some(value);
    ///     }
    /// });
    /// assert_eq!(pk, Some(ValueRef::S("user#1")));
    /// assert_eq!(rest, Item::from_attributes([("name", Value::from("Ada"))]));
    /// ```
    #[must_use]
    pub fn split<'a>(&'a self, names: &[&str], found: impl FnMut(usize, ValueRef<'a>)) -> Self {
        edit::split(self, names, found)
    }

    /// Appends DynamoDB JSON (`{"pk":{"S":"a"},…}`).
    pub fn write_json(&self, out: &mut Vec<u8>) {
        json::write_encoded(self.parts().2, out);
    }
}

impl<'a> IntoIterator for &'a Item {
    type Item = (&'a str, ValueRef<'a>);
    type IntoIter = MapIter<'a>;
    fn into_iter(self) -> MapIter<'a> {
        self.iter()
    }
}

impl<N: AsRef<str>> FromIterator<(N, Value)> for Item {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(attributes: I) -> Self {
        Self::from_attributes(attributes)
    }
}

impl std::fmt::Debug for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
