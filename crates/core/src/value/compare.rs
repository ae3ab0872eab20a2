//! How DynamoDB compares values.

use super::ValueRef;
use std::cmp::Ordering;

impl ValueRef<'_> {
    /// Order of two strings (by UTF-8 bytes), two numbers or two binaries (by unsigned bytes).
    /// Nothing else has an order: `None`, and every `<` or `BETWEEN` on it is false.
    ///
    /// Source: Developer Guide, "Comparison operator and function reference".
    #[must_use]
    pub fn compare(self, other: ValueRef<'_>) -> Option<Ordering> {
        match (self, other) {
            (Self::S(mine), ValueRef::S(theirs)) => Some(mine.as_bytes().cmp(theirs.as_bytes())),
            (Self::N(mine), ValueRef::N(theirs)) => Some(mine.cmp(&theirs)),
            (Self::B(mine), ValueRef::B(theirs)) => Some(mine.cmp(theirs)),
            _ => None,
        }
    }

    /// DynamoDB's `contains`: a part of a string or binary, a member of a set, an element of a list.
    ///
    /// Source: API Reference, `Condition`, `CONTAINS`; Developer Guide, "Comparison operator and function
    /// reference".
    #[must_use]
    pub fn contains(self, part: ValueRef<'_>) -> bool {
        match (self, part) {
            (Self::S(text), ValueRef::S(part)) => text.contains(part),
            (Self::B(bytes), ValueRef::B(part)) => memchr::memmem::find(bytes, part).is_some(),
            (Self::Ss(set), ValueRef::S(member)) => set.contains(member),
            (Self::Ns(set), ValueRef::N(member)) => set.contains(member),
            (Self::Bs(set), ValueRef::B(member)) => set.contains(member),
            (Self::L(list), part) => list.iter().any(|element| element == part),
            _ => false,
        }
    }

    /// DynamoDB's `begins_with`, of two strings or two binaries.
    #[must_use]
    pub fn begins_with(self, prefix: ValueRef<'_>) -> bool {
        match (self, prefix) {
            (Self::S(text), ValueRef::S(prefix)) => text.starts_with(prefix),
            (Self::B(bytes), ValueRef::B(prefix)) => bytes.starts_with(prefix),
            _ => false,
        }
    }
}
