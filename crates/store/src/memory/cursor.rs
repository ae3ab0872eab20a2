//! Rows of a range of the tree, forward or in reverse, read as they are asked for.

use super::tree::{Inner, Leaf, Node, Tree};
use crate::{Result, Row};
use bytes::Bytes;
use std::ops::{Bound, Range};

/// A place in the tree. Holds the path to a leaf and the rows still to come from it.
pub(super) struct Cursor<'a> {
    /// Inner nodes from the root down, and the child taken in each.
    path: Vec<(&'a Inner, usize)>,
    leaf: Option<&'a Leaf>,
    rows: Range<usize>,
    /// Where the range ends in the direction of travel.
    end: Bound<Bytes>,
    reverse: bool,
    /// The range ends within this leaf.
    last: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(tree: &'a Tree, from: Bound<&[u8]>, to: Bound<&[u8]>, reverse: bool) -> Self {
        let (start, end) = if reverse { (to, from) } else { (from, to) };
        let end = end.map(Bytes::copy_from_slice);
        let mut cursor = Self {
            path: Vec::new(),
            leaf: None,
            rows: 0..0,
            end,
            reverse,
            last: false,
        };
        cursor.seek(tree.root(), start);
        cursor
    }

    fn seek(&mut self, mut node: &'a Node, start: Bound<&[u8]>) {
        loop {
            match node {
                Node::Inner(inner) => {
                    let at = match start {
                        Bound::Included(key) | Bound::Excluded(key) => inner.child_of(key),
                        Bound::Unbounded => self.first(inner),
                    };
                    self.path.push((inner, at));
                    node = &inner.children[at];
                }
                Node::Leaf(leaf) => {
                    self.enter(leaf);
                    self.cut(leaf, start);
                    return;
                }
            }
        }
    }

    /// Takes the rows of a leaf up to where the range ends. The end is looked for once a leaf, so that no row's key has
    /// to be looked at.
    fn enter(&mut self, leaf: &'a Leaf) {
        self.leaf = Some(leaf);
        self.rows = 0..leaf.keys.len();
        let end = match &self.end {
            Bound::Unbounded => return,
            Bound::Included(key) => place(leaf, key, !self.reverse),
            Bound::Excluded(key) => place(leaf, key, self.reverse),
        };
        if self.reverse {
            self.last = end > 0;
            self.rows.start = end;
        } else {
            self.last = end < self.rows.end;
            self.rows.end = end;
        }
    }

    /// Leaves only the rows of a leaf on our side of where the range starts.
    fn cut(&mut self, leaf: &Leaf, start: Bound<&[u8]>) {
        let at = match start {
            Bound::Unbounded => return,
            Bound::Included(key) => place(leaf, key, self.reverse),
            Bound::Excluded(key) => place(leaf, key, !self.reverse),
        };
        if self.reverse {
            self.rows.end = self.rows.end.min(at);
        } else {
            self.rows.start = self.rows.start.max(at);
        }
    }

    fn first(&self, inner: &Inner) -> usize {
        if self.reverse {
            inner.children.len() - 1
        } else {
            0
        }
    }

    /// Moves to the next leaf; false when there is none.
    fn next_leaf(&mut self) -> bool {
        while let Some((inner, at)) = self.path.pop() {
            let next = if self.reverse {
                at.checked_sub(1)
            } else {
                Some(at + 1)
            };
            let Some(next) = next.filter(|&next| next < inner.children.len()) else {
                continue;
            };
            self.path.push((inner, next));
            let mut node = &*inner.children[next];
            while let Node::Inner(inner) = node {
                let at = self.first(inner);
                self.path.push((inner, at));
                node = &inner.children[at];
            }
            if let Node::Leaf(leaf) = node {
                self.enter(leaf);
            }
            return true;
        }
        false
    }

    /// The next row's leaf and place in it.
    fn step(&mut self) -> Option<(&'a Leaf, usize)> {
        loop {
            let at = if self.reverse {
                self.rows.next_back()
            } else {
                self.rows.next()
            };
            if let Some(row) = self.leaf.zip(at) {
                return Some(row);
            }
            if self.last || !self.next_leaf() {
                self.leaf = None;
                return None;
            }
        }
    }

    /// The values alone.
    pub(super) fn values(mut self) -> impl Iterator<Item = Result<Bytes>> + use<'a> {
        std::iter::from_fn(move || {
            let (leaf, at) = self.step()?;
            leaf.values.get(at).cloned().map(Ok)
        })
    }
}

/// Where a key is in a leaf or would be; behind it where `after` says so and it is there.
fn place(leaf: &Leaf, key: &[u8], after: bool) -> usize {
    let found = leaf.keys.find(key);
    found.map_or_else(|at| at, |at| at + usize::from(after))
}

impl Iterator for Cursor<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let (leaf, at) = self.step()?;
        Some(Ok((
            leaf.keys.get(at)?.clone(),
            leaf.values.get(at)?.clone(),
        )))
    }
}
