//! What values weigh.

use super::ValueRef;
use crate::limits;

impl ValueRef<'_> {
    /// Size in bytes as DynamoDB counts it, without a name.
    ///
    /// Source: Developer Guide, "DynamoDB item sizes and formats": the UTF-8 bytes of a string, the raw
    /// bytes of a binary, one byte for null and boolean, three and one more per element for a list or
    /// map; a set is the sum of its members. Numbers: [`crate::Number::size`].
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::S(text) => text.len(),
            Self::N(number) => number.size(),
            Self::B(bytes) => bytes.len(),
            Self::Bool(_) | Self::Null => 1,
            Self::Ss(set) => set.iter().map(str::len).sum(),
            Self::Ns(set) => set.iter().map(crate::Number::size).sum(),
            Self::Bs(set) => set.iter().map(<[u8]>::len).sum(),
            Self::L(list) => {
                let elements = list
                    .iter()
                    .map(|element| limits::ELEMENT_OVERHEAD_BYTES + element.size());
                limits::DOCUMENT_OVERHEAD_BYTES + elements.sum::<usize>()
            }
            Self::M(map) => {
                let members = map.iter().map(|(name, value)| {
                    limits::ELEMENT_OVERHEAD_BYTES + name.len() + value.size()
                });
                limits::DOCUMENT_OVERHEAD_BYTES + members.sum::<usize>()
            }
        }
    }

    /// What the expression function `size` yields: UTF-16 code units of a string, bytes of a binary,
    /// members of a set, elements of a list or map. Numbers, booleans and null have none.
    ///
    /// Source: Developer Guide, "Comparison operator and function reference"; the unit of strings is
    /// measured on AWS (`nubo-db/dynoxide` issue 31).
    #[must_use]
    pub fn measure(self) -> Option<usize> {
        match self {
            Self::S(text) => Some(text.chars().map(char::len_utf16).sum()),
            Self::B(bytes) => Some(bytes.len()),
            Self::Ss(set) => Some(set.len()),
            Self::Ns(set) => Some(set.len()),
            Self::Bs(set) => Some(set.len()),
            Self::L(list) => Some(list.len()),
            Self::M(map) => Some(map.len()),
            Self::N(_) | Self::Bool(_) | Self::Null => None,
        }
    }
}
