//! Rows of a range of the tree, forward or in reverse, read as they are asked for.

use super::tree::{Inner, Node, Tree, find};
use crate::Row;
use bytes::Bytes;
use std::ops::Bound;

/// A place in the tree. Holds the path to a leaf and the rows still to come from it.
pub(super) struct Cursor<'a> {
    /// Inner nodes from the root down, and the child taken in each.
    path: Vec<(&'a Inner, usize)>,
    rows: &'a [(Bytes, Bytes)],
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
            rows: &[],
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
                Node::Leaf(rows) => {
                    self.rows = self.cut(rows, start);
                    return;
                }
            }
        }
    }

    /// The rows of a leaf on our side of where the range starts.
    fn cut(&self, rows: &'a [(Bytes, Bytes)], start: Bound<&[u8]>) -> &'a [(Bytes, Bytes)] {
        let at = match start {
            Bound::Unbounded => return rows,
            // The key itself belongs to the range: forward it comes first, in reverse last.
            Bound::Included(key) => {
                find(rows, key).map_or_else(|at| at, |at| at + usize::from(self.reverse))
            }
            Bound::Excluded(key) => {
                find(rows, key).map_or_else(|at| at, |at| at + usize::from(!self.reverse))
            }
        };
        if self.reverse {
            &rows[..at]
        } else {
            &rows[at..]
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
            if let Node::Leaf(rows) = node {
                self.rows = rows;
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
            let row = if self.reverse {
                self.rows.split_last()
            } else {
                self.rows.split_first()
            };
            if let Some(((key, value), rest)) = row {
                self.rows = rest;
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
