//! Views of maps.

use super::{Value, ValueRef};
use crate::item::read;
use std::collections::{BTreeMap, btree_map};

/// A map, in an item's bytes or in a tree. Members in ascending order of the bytes of their names.
#[derive(Clone, Copy)]
pub struct MapRef<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Encoded(&'a [u8]),
    Owned(&'a BTreeMap<String, Value>),
}

impl<'a> MapRef<'a> {
    pub(crate) const fn encoded(body: &'a [u8]) -> Self {
        Self(Source::Encoded(body))
    }

    pub(crate) const fn owned(map: &'a BTreeMap<String, Value>) -> Self {
        Self(Source::Owned(map))
    }

    /// The map's bytes (count and members), where it is read from an item.
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
            Source::Owned(map) => map.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// A member by name. In an item's bytes the ones before it are stepped over, not read.
    #[must_use]
    pub fn get(self, name: &str) -> Option<ValueRef<'a>> {
        match self.0 {
            Source::Encoded(body) => read::find(read::elements(body), name),
            Source::Owned(map) => map.get(name).map(Value::as_ref),
        }
    }

    /// The members in ascending order of their names.
    #[must_use]
    pub fn iter(self) -> MapIter<'a> {
        MapIter(match self.0 {
            Source::Encoded(body) => Members::Encoded(read::elements(body)),
            Source::Owned(map) => Members::Owned(map.iter()),
        })
    }
}

impl<'a> IntoIterator for MapRef<'a> {
    type Item = (&'a str, ValueRef<'a>);
    type IntoIter = MapIter<'a>;
    fn into_iter(self) -> MapIter<'a> {
        self.iter()
    }
}

impl PartialEq for MapRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.body(), other.body()) {
            // One map has one encoding.
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => self.len() == other.len() && self.iter().eq(other.iter()),
        }
    }
}

impl Eq for MapRef<'_> {}

impl std::fmt::Debug for MapRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Members of a map in ascending order of their names.
#[derive(Debug, Clone)]
pub struct MapIter<'a>(Members<'a>);

#[derive(Debug, Clone)]
enum Members<'a> {
    Encoded(&'a [u8]),
    Owned(btree_map::Iter<'a, String, Value>),
}

impl<'a> MapIter<'a> {
    /// Members from the bytes after a map's count.
    pub(crate) const fn encoded(rest: &'a [u8]) -> Self {
        Self(Members::Encoded(rest))
    }
}

impl<'a> Iterator for MapIter<'a> {
    type Item = (&'a str, ValueRef<'a>);
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Members::Encoded(rest) => Some((read::text(rest)?, read::value(rest)?)),
            Members::Owned(members) => members
                .next()
                .map(|(name, value)| (name.as_str(), value.as_ref())),
        }
    }
}
