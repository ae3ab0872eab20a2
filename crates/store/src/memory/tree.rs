//! A B+tree whose nodes are shared with the snapshots that hold them, and changed in place otherwise.

use super::keys::Keys;
use bytes::Bytes;
use std::sync::Arc;

/// Rows of a leaf and children of an inner node, at most. Larger nodes make the copy under a snapshot dearer,
/// smaller ones the descent.
pub(super) const MAX: usize = 32;
/// Below this a node takes from, or joins, a neighbour.
pub(super) const MIN: usize = MAX / 4;
/// What a row costs beside its bytes: two `Bytes`, their share of a half-full node, two allocations.
const ROW_OVERHEAD: usize = 170;

/// Sorted rows. Cloning costs one reference count.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    root: Arc<Node>,
    bytes: u64,
}

#[derive(Debug, Clone)]
pub(super) enum Node {
    Leaf(Leaf),
    Inner(Inner),
}

/// `values[i]` belongs to `keys[i]`.
#[derive(Debug, Clone, Default)]
pub(super) struct Leaf {
    pub(super) keys: Keys,
    pub(super) values: Vec<Bytes>,
}

/// `children[i]` holds keys from `keys[i - 1]` (inclusive) to `keys[i]` (exclusive).
#[derive(Debug, Clone)]
pub(super) struct Inner {
    keys: Keys,
    pub(super) children: Vec<Arc<Node>>,
}

/// A new right neighbour and the smallest key it may hold.
type Split = Option<(Bytes, Arc<Node>)>;

impl Default for Node {
    fn default() -> Self {
        Self::Leaf(Leaf::default())
    }
}

impl Tree {
    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    /// Bytes of the rows and, estimated, of what holds them.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<&Bytes> {
        let mut node = &*self.root;
        loop {
            match node {
                Node::Inner(inner) => node = &inner.children[inner.child_of(key)],
                Node::Leaf(leaf) => {
                    return leaf.keys.exactly(key).and_then(|at| leaf.values.get(at));
                }
            }
        }
    }

    pub(super) fn insert(&mut self, key: Bytes, value: Bytes) {
        let added = key.len() + value.len() + ROW_OVERHEAD;
        let (old, split) = insert(Arc::make_mut(&mut self.root), key, value);
        self.bytes += added as u64;
        self.bytes -= old as u64;
        if let Some((key, right)) = split {
            let left = std::mem::take(&mut self.root);
            let inner = Inner {
                keys: Keys::from(vec![key]),
                children: vec![left, right],
            };
            self.root = Arc::new(Node::Inner(inner));
        }
    }

    pub(super) fn remove(&mut self, key: &[u8]) {
        // A key that is absent must not copy the path to it.
        if self.get(key).is_none() {
            return;
        }
        self.bytes -= remove(Arc::make_mut(&mut self.root), key) as u64;
        while let Node::Inner(inner) = &*self.root {
            if inner.children.len() > 1 {
                break;
            }
            self.root = Arc::clone(&inner.children[0]);
        }
    }
}

impl Node {
    fn len(&self) -> usize {
        match self {
            Node::Leaf(leaf) => leaf.keys.len(),
            Node::Inner(inner) => inner.children.len(),
        }
    }
}

impl Inner {
    pub(super) fn child_of(&self, key: &[u8]) -> usize {
        self.keys.find(key).map_or_else(|at| at, |at| at + 1)
    }

    fn split(&mut self) -> (Bytes, Arc<Node>) {
        let middle = self.children.len() / 2;
        let children = self.children.split_off(middle);
        let keys = self.keys.split_off(middle);
        // The key between the halves moves up.
        let key = self.keys.pop().unwrap_or_default();
        (key, Arc::new(Node::Inner(Inner { keys, children })))
    }
}

impl Leaf {
    /// Splits in the middle, or at the end where rows arrive in order, so that these leave full leaves behind.
    fn split(&mut self, at: usize, key: Bytes, value: Bytes) -> (Bytes, Arc<Node>) {
        let middle = if at == self.keys.len() {
            at
        } else {
            self.keys.len() / 2
        };
        let mut right = self.split_off(middle);
        if at < middle {
            self.keys.insert(at, key);
            self.values.insert(at, value);
        } else {
            right.keys.insert(at - middle, key);
            right.values.insert(at - middle, value);
        }
        right.into_split()
    }

    fn split_off(&mut self, at: usize) -> Self {
        Self {
            keys: self.keys.split_off(at),
            values: self.values.split_off(at),
        }
    }

    fn into_split(self) -> (Bytes, Arc<Node>) {
        (
            self.keys.get(0).cloned().unwrap_or_default(),
            Arc::new(Node::Leaf(self)),
        )
    }
}

/// Inserts below `node`; tells the bytes of the row that was replaced.
fn insert(node: &mut Node, key: Bytes, value: Bytes) -> (usize, Split) {
    match node {
        Node::Leaf(leaf) => {
            if let Some(at) = leaf.keys.exactly(&key) {
                let old = std::mem::replace(&mut leaf.values[at], value);
                return (key.len() + old.len() + ROW_OVERHEAD, None);
            }
            let at = leaf.keys.find(&key).unwrap_or_else(|at| at);
            if leaf.keys.len() < MAX {
                leaf.keys.insert(at, key);
                leaf.values.insert(at, value);
                return (0, None);
            }
            (0, Some(leaf.split(at, key, value)))
        }
        Node::Inner(inner) => {
            let at = inner.child_of(&key);
            let (old, split) = insert(Arc::make_mut(&mut inner.children[at]), key, value);
            let Some((key, right)) = split else {
                return (old, None);
            };
            inner.keys.insert(at, key);
            inner.children.insert(at + 1, right);
            (old, (inner.children.len() > MAX).then(|| inner.split()))
        }
    }
}

/// Removes a key that is below `node`; tells the row's bytes.
fn remove(node: &mut Node, key: &[u8]) -> usize {
    match node {
        Node::Leaf(leaf) => leaf.keys.find(key).map_or(0, |at| {
            let (key, value) = (leaf.keys.remove(at), leaf.values.remove(at));
            key.len() + value.len() + ROW_OVERHEAD
        }),
        Node::Inner(inner) => {
            let at = inner.child_of(key);
            let child = Arc::make_mut(&mut inner.children[at]);
            let bytes = remove(child, key);
            if child.len() < MIN && inner.children.len() > 1 {
                rebalance(inner, at.min(inner.children.len() - 2));
            }
            bytes
        }
    }
}

/// Joins `left` and its right neighbour, and cuts the result in two when it is too large for one.
fn rebalance(inner: &mut Inner, left: usize) {
    let between = inner.keys.remove(left);
    let right = Arc::unwrap_or_clone(inner.children.remove(left + 1));
    let node = Arc::make_mut(&mut inner.children[left]);
    let split = match (node, right) {
        (Node::Leaf(leaf), Node::Leaf(more)) => {
            leaf.keys.append(more.keys);
            leaf.values.extend(more.values);
            let half = leaf.keys.len() / 2;
            (leaf.keys.len() > MAX).then(|| leaf.split_off(half).into_split())
        }
        (Node::Inner(node), Node::Inner(more)) => {
            node.keys.append(Keys::from(vec![between]));
            node.keys.append(more.keys);
            node.children.extend(more.children);
            (node.children.len() > MAX).then(|| node.split())
        }
        // All leaves are on one level, so neighbours are of one kind.
        (_, right) => Some((between, Arc::new(right))),
    };
    if let Some((key, right)) = split {
        inner.keys.insert(left, key);
        inner.children.insert(left + 1, right);
    }
}
