//! Key schemas: which attributes form a table's or an index's key.

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
