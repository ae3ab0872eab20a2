//! The sorted keys of one node, searched mostly without looking at them.
//!
//! Keys are scattered over the heap, so a binary search among them waits for memory at each step. The bytes
//! that all keys of a node share are kept once, and of each key the eight bytes after these, side by side:
//! a search looks at those, and at a whole key only where they are equal. Items of one partition are equal there, so
//! of each key there is also a mark of its end: who looks for a key that is there looks at no other one, mostly.

use bytes::Bytes;
use std::sync::Arc;

/// Shared bytes are kept up to here; enough for table, hash and a usual partition key.
const MOST_SHARED: usize = 40;

/// Most keys that a node can have, while it is joined with a neighbour.
const ROOM: usize = super::tree::MAX + super::tree::MIN;

/// Keys in order, each once.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    /// Shared between copies of a node until one of them changes its keys: most changes replace a value or a
    /// child only.
    whole: Arc<Vec<Bytes>>,
    shared: [u8; MOST_SHARED],
    shared_len: usize,
    /// Of each key the eight bytes after the shared ones, as a number; absent bytes are zero. These rise with
    /// the keys, though not strictly. In the node itself, so that a search waits once less for memory.
    heads: Side<u64>,
    /// Of each key a mark of its last bytes.
    marks: Side<u8>,
}

/// Numbers that stand beside the keys.
#[derive(Debug, Clone)]
struct Side<T> {
    of: [T; ROOM],
    len: usize,
}

impl<T: Copy + Default> Side<T> {
    fn all(&self) -> &[T] {
        &self.of[..self.len]
    }

    fn insert(&mut self, at: usize, number: T) {
        self.of.copy_within(at..self.len, at + 1);
        self.of[at] = number;
        self.len += 1;
    }

    fn remove(&mut self, at: usize) {
        self.of.copy_within(at + 1..self.len, at);
        self.len -= 1;
    }

    fn fill(&mut self, numbers: impl Iterator<Item = T>) {
        self.len = 0;
        for (place, number) in self.of.iter_mut().zip(numbers) {
            *place = number;
            self.len += 1;
        }
    }
}

impl<T: Copy + Default> Default for Side<T> {
    fn default() -> Self {
        Self {
            of: [T::default(); ROOM],
            len: 0,
        }
    }
}

impl Default for Keys {
    fn default() -> Self {
        Self {
            whole: Arc::default(),
            shared: [0; MOST_SHARED],
            shared_len: 0,
            heads: Side::default(),
            marks: Side::default(),
        }
    }
}

/// Eight bytes of a key from a place on.
fn head(key: &[u8], from: usize) -> u64 {
    let rest = key.get(from..).unwrap_or_default();
    if let Some(bytes) = rest.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_be_bytes(bytes)
}

/// A mark of a key's last eight bytes: what tells items of one partition apart stands there, mostly.
fn mark(key: &[u8]) -> u8 {
    let tail = key
        .last_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes));
    // The golden ratio's multiplicative hash: the highest bits depend on all others.
    let mixed = tail.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed.to_be_bytes()[0]
}

fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter()
        .zip(b)
        .take(MOST_SHARED)
        .take_while(|(a, b)| a == b)
        .count()
}

impl Keys {
    pub(super) fn from(whole: Vec<Bytes>) -> Self {
        let mut made = Self {
            whole: Arc::new(whole),
            ..Self::default()
        };
        made.share();
        made
    }

    pub(super) fn len(&self) -> usize {
        self.whole.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Bytes> {
        self.whole.get(at)
    }

    /// Works out anew what is shared. The keys are sorted, so the first and last tell.
    fn share(&mut self) {
        debug_assert!(
            self.whole.len() <= ROOM,
            "a node is cut before it has more keys"
        );
        if let (Some(first), Some(last)) = (self.whole.first(), self.whole.last()) {
            self.shared_len = common(first, last);
            self.shared[..self.shared_len].copy_from_slice(&first[..self.shared_len]);
        }
        let from = self.shared_len;
        self.heads
            .fill(self.whole.iter().map(|key| head(key, from)));
        self.marks.fill(self.whole.iter().map(|key| mark(key)));
    }

    fn shared(&self) -> &[u8] {
        &self.shared[..self.shared_len]
    }

    /// The keys that start as this one does.
    fn alike(&self, key: &[u8]) -> std::ops::Range<usize> {
        let wanted = head(key, self.shared_len);
        let heads = self.heads.all();
        let low = heads.partition_point(|head| *head < wanted);
        let same = heads[low..].partition_point(|head| *head == wanted);
        low..low + same
    }

    /// Where a key is, if it is there.
    pub(super) fn exactly(&self, key: &[u8]) -> Option<usize> {
        if !key.starts_with(self.shared()) {
            return None;
        }
        let mark = mark(key);
        let marks = self.marks.all();
        self.alike(key)
            .find(|&at| marks[at] == mark && self.whole[at] == key)
    }

    /// Where a key is, or where it would be.
    pub(super) fn find(&self, key: &[u8]) -> Result<usize, usize> {
        let shared = self.shared();
        if !key.starts_with(shared) {
            return Err(if key < shared { 0 } else { self.len() });
        }
        let alike = self.alike(key);
        match self.whole[alike.clone()].binary_search_by(|k| k[..].cmp(key)) {
            Ok(at) => Ok(alike.start + at),
            Err(at) => Err(alike.start + at),
        }
    }

    pub(super) fn insert(&mut self, at: usize, key: Bytes) {
        let fits = !self.whole.is_empty() && key.starts_with(self.shared());
        if fits {
            self.heads.insert(at, head(&key, self.shared_len));
            self.marks.insert(at, mark(&key));
        }
        Arc::make_mut(&mut self.whole).insert(at, key);
        if !fits {
            self.share();
        }
    }

    pub(super) fn remove(&mut self, at: usize) -> Bytes {
        self.heads.remove(at);
        self.marks.remove(at);
        Arc::make_mut(&mut self.whole).remove(at)
    }

    pub(super) fn pop(&mut self) -> Option<Bytes> {
        let key = Arc::make_mut(&mut self.whole).pop()?;
        self.heads.len = self.whole.len();
        self.marks.len = self.whole.len();
        Some(key)
    }

    /// Takes the keys from a place on away.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let right = Self::from(Arc::make_mut(&mut self.whole).split_off(at));
        self.share();
        right
    }

    /// Adds keys that come after all of these.
    pub(super) fn append(&mut self, more: Self) {
        Arc::make_mut(&mut self.whole).extend(Arc::unwrap_or_clone(more.whole));
        self.share();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_agrees_with_one_of_the_whole_keys() {
        let mut state = 1_u64;
        let mut below = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % n
        };
        for _ in 0..300 {
            let start = vec![7; usize::try_from(below(50)).unwrap()];
            let mut key = || {
                let mut key = start.clone();
                key.extend((0..below(12)).map(|_| [0, 1, 255][usize::try_from(below(3)).unwrap()]));
                if below(20) == 0 {
                    key[..key.len() / 2].to_vec()
                } else {
                    key
                }
            };
            let (mut keys, mut plain) = (Keys::default(), Vec::<Vec<u8>>::new());
            for step in 0..super::ROOM {
                let key = key();
                let found = keys.find(&key);
                assert_eq!(found, plain.binary_search(&key), "{key:?} in {plain:?}");
                assert_eq!(found.ok(), keys.exactly(&key), "{key:?} in {plain:?}");
                match found {
                    Err(at) => {
                        keys.insert(at, key.clone().into());
                        plain.insert(at, key);
                    }
                    Ok(at) if step % 3 == 0 => {
                        keys.remove(at);
                        plain.remove(at);
                    }
                    Ok(_) => {}
                }
                if step % 17 == 16 {
                    let right = keys.split_off(keys.len() / 2);
                    keys.append(right);
                }
            }
        }
    }
}
