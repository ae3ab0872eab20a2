//! A B+tree whose nodes are shared with the snapshots that hold them, and changed in place otherwise.

use bytes::Bytes;
use std::sync::Arc;

/// Rows of a leaf and children of an inner node, at most. Larger nodes make the copy under a snapshot dearer,
/// smaller ones the descent.
const MAX: usize = 32;
/// Below this a node takes from, or joins, a neighbour.
const MIN: usize = MAX / 4;
/// What a row costs beside its bytes: two `Bytes`, their share of a half-full node, two allocations.
const ROW_OVERHEAD: usize = 160;

/// Sorted rows. Cloning costs one reference count.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    root: Arc<Node>,
    bytes: u64,
}

#[derive(Debug, Clone)]
pub(super) enum Node {
    Leaf(Vec<(Bytes, Bytes)>),
    Inner(Inner),
}

/// `children[i]` holds keys from `keys[i - 1]` (inclusive) to `keys[i]` (exclusive).
#[derive(Debug, Clone)]
pub(super) struct Inner {
    pub(super) keys: Vec<Bytes>,
    pub(super) children: Vec<Arc<Node>>,
}

/// A new right neighbour and the smallest key it may hold.
type Split = Option<(Bytes, Arc<Node>)>;

impl Default for Tree {
    fn default() -> Self {
        Self {
            root: Arc::new(Node::Leaf(Vec::new())),
            bytes: 0,
        }
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
                Node::Leaf(rows) => {
                    return find(rows, key).ok().map(|at| &rows[at].1);
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
            let left = std::mem::replace(&mut self.root, Arc::new(Node::Leaf(Vec::new())));
            let inner = Inner {
                keys: vec![key],
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
            Node::Leaf(rows) => rows.len(),
            Node::Inner(inner) => inner.children.len(),
        }
    }
}

impl Inner {
    pub(super) fn child_of(&self, key: &[u8]) -> usize {
        self.keys.partition_point(|k| &k[..] <= key)
    }
}

pub(super) fn find(rows: &[(Bytes, Bytes)], key: &[u8]) -> Result<usize, usize> {
    rows.binary_search_by(|(k, _)| k[..].cmp(key))
}

/// Inserts below `node`; tells the bytes of the row that was replaced.
fn insert(node: &mut Node, key: Bytes, value: Bytes) -> (usize, Split) {
    match node {
        Node::Leaf(rows) => match find(rows, &key) {
            Ok(at) => {
                let old = std::mem::replace(&mut rows[at].1, value);
                (key.len() + old.len() + ROW_OVERHEAD, None)
            }
            Err(at) => {
                if rows.len() < MAX {
                    rows.insert(at, (key, value));
                    return (0, None);
                }
                (0, Some(split_leaf(rows, at, (key, value))))
            }
        },
        Node::Inner(inner) => {
            let at = inner.child_of(&key);
            let (old, split) = insert(Arc::make_mut(&mut inner.children[at]), key, value);
            let Some((key, right)) = split else {
                return (old, None);
            };
            inner.keys.insert(at, key);
            inner.children.insert(at + 1, right);
            (
                old,
                (inner.children.len() > MAX).then(|| split_inner(inner)),
            )
        }
    }
}

/// Splits in the middle, or at the end where rows arrive in order, so that these leave full leaves behind.
fn split_leaf(
    rows: &mut Vec<(Bytes, Bytes)>,
    at: usize,
    row: (Bytes, Bytes),
) -> (Bytes, Arc<Node>) {
    let middle = if at == rows.len() { at } else { rows.len() / 2 };
    let mut right = Vec::with_capacity(MAX);
    right.extend(rows.drain(middle..));
    if at < middle {
        rows.insert(at, row);
    } else {
        right.insert(at - middle, row);
    }
    (right[0].0.clone(), Arc::new(Node::Leaf(right)))
}

fn split_inner(inner: &mut Inner) -> (Bytes, Arc<Node>) {
    let middle = inner.children.len() / 2;
    let children = inner.children.split_off(middle);
    let keys = inner.keys.split_off(middle);
    // The key between the halves moves up.
    let key = inner.keys.pop().unwrap_or_default();
    (key, Arc::new(Node::Inner(Inner { keys, children })))
}

/// Removes a key that is below `node`; tells the row's bytes.
fn remove(node: &mut Node, key: &[u8]) -> usize {
    match node {
        Node::Leaf(rows) => find(rows, key).map_or(0, |at| {
            let (key, value) = rows.remove(at);
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
        (Node::Leaf(rows), Node::Leaf(more)) => {
            rows.extend(more);
            (rows.len() > MAX).then(|| {
                let right = rows.split_off(rows.len() / 2);
                (right[0].0.clone(), Arc::new(Node::Leaf(right)))
            })
        }
        (Node::Inner(node), Node::Inner(more)) => {
            node.keys.push(between);
            node.keys.extend(more.keys);
            node.children.extend(more.children);
            (node.children.len() > MAX).then(|| split_inner(node))
        }
        // All leaves are on one level, so neighbours are of one kind.
        (_, right) => Some((between, Arc::new(right))),
    };
    if let Some((key, right)) = split {
        inner.keys.insert(left, key);
        inner.children.insert(left + 1, right);
    }
}
