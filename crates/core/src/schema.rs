//! Key schemas: which attributes form a table's or an index's key.

use crate::{Item, ValueRef};

/// Type of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
}

impl ScalarType {
    /// DynamoDB's type descriptor.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::N => "N",
            Self::B => "B",
        }
    }

    /// Whether a value is of this type.
    #[must_use]
    pub const fn matches(self, value: ValueRef<'_>) -> bool {
        matches!(
            (self, value),
            (Self::S, ValueRef::S(_)) | (Self::N, ValueRef::N(_)) | (Self::B, ValueRef::B(_))
        )
    }
}

/// Role of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// Partition key.
    Hash,
    /// Sort key.
    Range,
}

/// One attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPart {
    /// Attribute name.
    pub name: String,
    /// Its declared type.
    pub scalar: ScalarType,
}

/// A key: one to four partition attributes, none to four sort attributes (tables: one and at most one).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySchema {
    /// Partition key attributes in order.
    pub hash: Vec<KeyPart>,
    /// Sort key attributes in order.
    pub range: Vec<KeyPart>,
}

/// Why an item has no key under a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A key attribute is not there.
    #[error("the key attribute {name} is missing")]
    Missing {
        /// Its name.
        name: String,
    },
    /// A key attribute has another type than declared.
    #[error("the key attribute {name} is {actual} and should be {}", expected.name())]
    Type {
        /// Its name.
        name: String,
        /// Declared type.
        expected: ScalarType,
        /// Descriptor of the type found.
        actual: &'static str,
    },
}

impl KeySchema {
    /// A key of one partition attribute.
    #[must_use]
    pub fn hash(name: impl Into<String>, scalar: ScalarType) -> Self {
        Self {
            hash: vec![KeyPart {
                name: name.into(),
                scalar,
            }],
            range: Vec::new(),
        }
    }

    /// The same key with one more sort attribute.
    #[must_use]
    pub fn and_range(mut self, name: impl Into<String>, scalar: ScalarType) -> Self {
        self.range.push(KeyPart {
            name: name.into(),
            scalar,
        });
        self
    }

    /// Every key attribute with its role, partition attributes first.
    pub fn parts(&self) -> impl Iterator<Item = (KeyType, &KeyPart)> {
        let hash = self.hash.iter().map(|part| (KeyType::Hash, part));
        hash.chain(self.range.iter().map(|part| (KeyType::Range, part)))
    }

    /// Names of the key attributes, partition attributes first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts().map(|(_, part)| part.name.as_str())
    }

    /// Number of key attributes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hash.len() + self.range.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an attribute is part of the key.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }

    /// Checks that every key attribute is there and has its declared type.
    ///
    /// # Errors
    /// The first attribute that is not.
    pub fn check(&self, item: &Item) -> Result<(), KeyError> {
        for (_, part) in self.parts() {
            let value = item.get(&part.name).ok_or_else(|| KeyError::Missing {
                name: part.name.clone(),
            })?;
            if !part.scalar.matches(value) {
                return Err(KeyError::Type {
                    name: part.name.clone(),
                    expected: part.scalar,
                    actual: value.type_name(),
                });
            }
        }
        Ok(())
    }

    /// The key attributes of an item, and only those.
    ///
    /// # Errors
    /// As for [`KeySchema::check`].
    pub fn key_of(&self, item: &Item) -> Result<Item, KeyError> {
        self.check(item)?;
        let names: Vec<&str> = self.names().collect();
        Ok(item.only(&names))
    }
}
