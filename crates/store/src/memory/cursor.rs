//! Rows of a range of the tree, forward or in reverse, read as they are asked for.

use super::tree::{Inner, Leaf, Node, Tree};
use crate::Row;
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
    done: bool,
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
            done: false,
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

    fn enter(&mut self, leaf: &'a Leaf) {
        self.leaf = Some(leaf);
        self.rows = 0..leaf.keys.len();
    }

    /// Leaves only the rows of a leaf on our side of where the range starts.
    fn cut(&mut self, leaf: &Leaf, start: Bound<&[u8]>) {
        let (key, included) = match start {
            Bound::Unbounded => return,
            Bound::Included(key) => (key, true),
            Bound::Excluded(key) => (key, false),
        };
        // The key itself comes first going forward and last in reverse, when it belongs to the range.
        let after = included == self.reverse;
        let at = leaf
            .keys
            .find(key)
            .map_or_else(|at| at, |at| at + usize::from(after));
        self.rows = if self.reverse {
            0..at
        } else {
            at..leaf.keys.len()
        };
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

    fn within(&self, key: &Bytes) -> bool {
        match (&self.end, self.reverse) {
            (Bound::Unbounded, _) => true,
            (Bound::Included(end), false) => key <= end,
            (Bound::Excluded(end), false) => key < end,
            (Bound::Included(end), true) => key >= end,
            (Bound::Excluded(end), true) => key > end,
        }
    }
}

impl Iterator for Cursor<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        while !self.done {
            let at = if self.reverse {
                self.rows.next_back()
            } else {
                self.rows.next()
            };
            let row = at
                .zip(self.leaf)
                .and_then(|(at, leaf)| Some((leaf.keys.get(at)?, leaf.values.get(at)?)));
            if let Some((key, value)) = row {
                if self.within(key) {
                    return Some(Ok((key.clone(), value.clone())));
                }
                self.done = true;
            } else if !self.next_leaf() {
                self.done = true;
            }
        }
        None
    }
}
