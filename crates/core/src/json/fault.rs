//! What JSON allows and DynamoDB does not.

use crate::{NumberError, ValueType};
use bytes::Bytes;
use std::fmt;

/// Something decoded from a request that may hold attribute values which JSON allows and DynamoDB does not.
/// DynamoDB reports those after other checks, so the fault travels with the value until its turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Given<T> {
    /// The value; unspecified content where `fault` is set.
    pub value: T,
    /// The fault that DynamoDB would report, if there is one.
    pub fault: Option<Box<Fault>>,
}

impl<T> Given<T> {
    /// Whether a value is nested over [`crate::limits::OLDER_NESTING_LEVELS`].
    #[must_use]
    pub fn is_far_too_deep(&self) -> bool {
        let kind = self.fault.as_ref().map(|fault| &fault.kind);
        matches!(kind, Some(FaultKind::TooDeep { far: true }))
    }
}

impl<T> From<T> for Given<T> {
    fn from(value: T) -> Self {
        Self { value, fault: None }
    }
}

/// One fault and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The top-level attribute (or `:placeholder`) that holds it.
    pub attribute: String,
}

/// What is wrong with a value. `Display` says it plainly; DynamoDB's words for each are the protocol's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// A value of no type: `{}`.
    Empty,
    /// A value of several types: `{"S":"a","N":"1"}`.
    Ambiguous,
    /// `{"NULL":false}`.
    NullNotTrue,
    /// A set of this type without members.
    EmptySet(ValueType),
    /// A set of this type with a JSON `null` among its members.
    NullMember(ValueType),
    /// A string set with a member twice. The members as sent.
    DuplicateStrings(Vec<String>),
    /// A number set with a member twice.
    DuplicateNumbers,
    /// A binary set with a member twice. The members as sent.
    DuplicateBinaries(Vec<Bytes>),
    /// A text that is not a number of DynamoDB's.
    Number {
        /// The text as sent.
        text: String,
        /// What is wrong with it.
        error: NumberError,
    },
    /// Lists and maps nested over [`crate::limits::NESTING_LEVELS`].
    TooDeep {
        /// Whether even over [`crate::limits::OLDER_NESTING_LEVELS`].
        far: bool,
    },
    /// An attribute, or (nested) a map's member, without a name.
    EmptyName {
        /// Whether it is within a map.
        nested: bool,
    },
    /// A name longer than [`crate::limits::ATTRIBUTE_NAME_BYTES`].
    LongName,
}

impl FaultKind {
    /// Which of several faults DynamoDB reports: the lowest. Source for the last ones: measured,
    /// `paritysuite/dynamodb-conformance`, validation-ordering/deepRequests.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::TooDeep { far: true } => 1,
            Self::TooDeep { far: false } => 2,
            Self::EmptyName { nested: true } => 3,
            _ => 0,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "attribute {:?}: {}", self.attribute, self.kind)
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a value without a type"),
            Self::Ambiguous => f.write_str("a value of more than one type"),
            Self::NullNotTrue => f.write_str("NULL that is not true"),
            Self::EmptySet(kind) => write!(f, "an empty {}", kind.name()),
            Self::NullMember(kind) => write!(f, "null in an {}", kind.name()),
            Self::DuplicateStrings(_) => f.write_str("an SS with a member twice"),
            Self::DuplicateNumbers => f.write_str("an NS with a member twice"),
            Self::DuplicateBinaries(_) => f.write_str("a BS with a member twice"),
            Self::Number { text, error } => write!(f, "the number {text:?}: {error}"),
            Self::TooDeep { .. } => {
                write!(f, "nested over {} levels", crate::limits::NESTING_LEVELS)
            }
            Self::EmptyName { .. } => f.write_str("an empty name"),
            Self::LongName => write!(
                f,
                "a name over {} bytes",
                crate::limits::ATTRIBUTE_NAME_BYTES
            ),
        }
    }
}
