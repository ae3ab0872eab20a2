//! Views of lists.

use super::{Value, ValueRef};
use crate::item::read;

/// A list, in an item's bytes or in a tree.
#[derive(Clone, Copy)]
pub struct ListRef<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Encoded(&'a [u8]),
    Owned(&'a Vec<Value>),
}

impl<'a> ListRef<'a> {
    pub(crate) const fn encoded(body: &'a [u8]) -> Self {
        Self(Source::Encoded(body))
    }

    pub(crate) const fn owned(list: &'a Vec<Value>) -> Self {
        Self(Source::Owned(list))
    }

    /// The list's bytes (count and elements), where it is read from an item.
    pub(crate) const fn body(self) -> Option<&'a [u8]> {
        match self.0 {
            Source::Encoded(body) => Some(body),
            Source::Owned(_) => None,
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn len(self) -> usize {
        match self.0 {
            Source::Encoded(body) => read::count(body),
            Source::Owned(list) => list.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// An element. In an item's bytes the ones before it are stepped over, not read.
    #[must_use]
    pub fn get(self, index: usize) -> Option<ValueRef<'a>> {
        match self.0 {
            Source::Encoded(body) => {
                let mut rest = read::elements(body);
                for _ in 0..index {
                    read::skip_value(&mut rest)?;
                }
                read::value(&mut rest)
            }
            Source::Owned(list) => list.get(index).map(Value::as_ref),
        }
    }

    /// The elements in order.
    #[must_use]
    pub fn iter(self) -> ListIter<'a> {
        ListIter(match self.0 {
            Source::Encoded(body) => Elements::Encoded(read::elements(body)),
            Source::Owned(list) => Elements::Owned(list.iter()),
        })
    }
}

impl<'a> IntoIterator for ListRef<'a> {
    type Item = ValueRef<'a>;
    type IntoIter = ListIter<'a>;
    fn into_iter(self) -> ListIter<'a> {
        self.iter()
    }
}

impl PartialEq for ListRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.body(), other.body()) {
            // One list has one encoding.
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => self.len() == other.len() && self.iter().eq(other.iter()),
        }
    }
}

impl Eq for ListRef<'_> {}

impl std::fmt::Debug for ListRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Elements of a list in order.
#[derive(Debug, Clone)]
pub struct ListIter<'a>(Elements<'a>);

#[derive(Debug, Clone)]
enum Elements<'a> {
    Encoded(&'a [u8]),
    Owned(std::slice::Iter<'a, Value>),
}

impl<'a> Iterator for ListIter<'a> {
    type Item = ValueRef<'a>;
    fn next(&mut self) -> Option<ValueRef<'a>> {
        match &mut self.0 {
            Elements::Encoded(rest) => read::value(rest),
            Elements::Owned(elements) => elements.next().map(Value::as_ref),
        }
    }
}
