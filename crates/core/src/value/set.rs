//! Views of sets.

use crate::Number;
use crate::item::read;
use bytes::Bytes;
use std::collections::{BTreeSet, btree_set};

/// One kind of set: its view, its iterator, how a member is read from bytes and borrowed from a tree.
macro_rules! set_view {
    ($view:ident, $iter:ident, $kind:literal, $owned:ty, $member:ty, $read:path, $borrow:expr) => {
        #[doc = concat!("A ", $kind, " set, in an item's bytes or in a tree. Members in ascending order, each once.")]
        #[derive(Clone, Copy)]
        pub struct $view<'a>(Source<'a, $owned>);

        impl<'a> $view<'a> {
            pub(crate) const fn encoded(body: &'a [u8]) -> Self {
                Self(Source::Encoded(body))
            }

            pub(crate) const fn owned(set: &'a BTreeSet<$owned>) -> Self {
                Self(Source::Owned(set))
            }

            /// The set's bytes (count and members), where it is read from an item.
            pub(crate) const fn body(self) -> Option<&'a [u8]> {
                match self.0 {
                    Source::Encoded(body) => Some(body),
                    Source::Owned(_) => None,
                }
            }

            /// Number of members.
            #[must_use]
            pub fn len(self) -> usize {
                match self.0 {
                    Source::Encoded(body) => read::count(body),
                    Source::Owned(set) => set.len(),
                }
            }

            /// Whether there are none. (DynamoDB knows no empty sets.)
            #[must_use]
            pub fn is_empty(self) -> bool {
                self.len() == 0
            }

            /// The members in ascending order.
            #[must_use]
            pub fn iter(self) -> $iter<'a> {
                $iter(match self.0 {
                    Source::Encoded(body) => Members::Encoded(read::elements(body)),
                    Source::Owned(set) => Members::Owned(set.iter()),
                })
            }
        }

        impl<'a> IntoIterator for $view<'a> {
            type Item = $member;
            type IntoIter = $iter<'a>;
            fn into_iter(self) -> $iter<'a> {
                self.iter()
            }
        }

        impl PartialEq for $view<'_> {
            fn eq(&self, other: &Self) -> bool {
                match (self.body(), other.body()) {
                    // One set has one encoding.
                    (Some(mine), Some(theirs)) => mine == theirs,
                    _ => self.len() == other.len() && self.iter().eq(other.iter()),
                }
            }
        }

        impl Eq for $view<'_> {}

        impl std::fmt::Debug for $view<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_set().entries(self.iter()).finish()
            }
        }

        #[doc = concat!("Members of a ", $kind, " set in ascending order.")]
        #[derive(Debug, Clone)]
        pub struct $iter<'a>(Members<'a, $owned>);

        impl<'a> Iterator for $iter<'a> {
            type Item = $member;
            fn next(&mut self) -> Option<$member> {
                match &mut self.0 {
                    Members::Encoded(rest) => $read(rest),
                    Members::Owned(members) => members.next().map($borrow),
                }
            }
        }
    };
}

#[derive(Debug)]
enum Source<'a, T> {
    Encoded(&'a [u8]),
    Owned(&'a BTreeSet<T>),
}

impl<T> Clone for Source<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Source<'_, T> {}

#[derive(Debug, Clone)]
enum Members<'a, T> {
    Encoded(&'a [u8]),
    Owned(btree_set::Iter<'a, T>),
}

set_view!(
    StringSet,
    StringSetIter,
    "string",
    String,
    &'a str,
    read::text,
    String::as_str
);
set_view!(
    NumberSet,
    NumberSetIter,
    "number",
    Number,
    Number,
    read::number,
    |member| *member
);
set_view!(
    BinarySet,
    BinarySetIter,
    "binary",
    Bytes,
    &'a [u8],
    read::bytes,
    AsRef::as_ref
);

impl StringSet<'_> {
    /// Whether it has this member.
    #[must_use]
    pub fn contains(self, member: &str) -> bool {
        match self.0 {
            Source::Encoded(_) => self.iter().any(|own| own == member),
            Source::Owned(set) => set.contains(member),
        }
    }
}

impl NumberSet<'_> {
    /// Whether it has this member.
    #[must_use]
    pub fn contains(self, member: Number) -> bool {
        match self.0 {
            Source::Encoded(_) => self.iter().any(|own| own == member),
            Source::Owned(set) => set.contains(&member),
        }
    }
}

impl BinarySet<'_> {
    /// Whether it has this member.
    #[must_use]
    pub fn contains(self, member: &[u8]) -> bool {
        match self.0 {
            Source::Encoded(_) => self.iter().any(|own| own == member),
            Source::Owned(set) => set.contains(member),
        }
    }
}
