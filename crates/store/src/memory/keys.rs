//! The sorted keys of one node, searched mostly without looking at them.
//!
//! Keys are scattered over the heap, so a binary search among them waits for memory at each step. The bytes
//! that all keys of a node share are kept once, and of each key the eight bytes after these, side by side:
//! a search looks at those, and at a whole key only where they are equal.

use bytes::Bytes;
use std::sync::Arc;

/// Shared bytes are kept up to here; enough for table, hash and a usual partition key.
const MOST_SHARED: usize = 40;

/// Keys in order, each once.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    /// Shared between copies of a node until one of them changes its keys: most changes replace a value or a
    /// child only.
    whole: Arc<Vec<Bytes>>,
    /// Of each key the eight bytes after the shared ones, as a number; absent bytes are zero. These rise with
    /// the keys, though not strictly.
    heads: Vec<u64>,
    shared: [u8; MOST_SHARED],
    shared_len: usize,
}

impl Default for Keys {
    fn default() -> Self {
        Self {
            whole: Arc::default(),
            heads: Vec::new(),
            shared: [0; MOST_SHARED],
            shared_len: 0,
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
        if let (Some(first), Some(last)) = (self.whole.first(), self.whole.last()) {
            self.shared_len = common(first, last);
            self.shared[..self.shared_len].copy_from_slice(&first[..self.shared_len]);
        }
        let from = self.shared_len;
        self.heads.clear();
        self.heads
            .extend(self.whole.iter().map(|key| head(key, from)));
    }

    fn shared(&self) -> &[u8] {
        &self.shared[..self.shared_len]
    }

    /// Where a key is, or where it would be.
    pub(super) fn find(&self, key: &[u8]) -> Result<usize, usize> {
        let shared = self.shared();
        if !key.starts_with(shared) {
            return Err(if key < shared { 0 } else { self.len() });
        }
        let wanted = head(key, shared.len());
        let low = self.heads.partition_point(|head| *head < wanted);
        let same = self.heads[low..].partition_point(|head| *head == wanted);
        match self.whole[low..low + same].binary_search_by(|k| k[..].cmp(key)) {
            Ok(at) => Ok(low + at),
            Err(at) => Err(low + at),
        }
    }

    pub(super) fn insert(&mut self, at: usize, key: Bytes) {
        let fits = !self.whole.is_empty() && key.starts_with(self.shared());
        if fits {
            self.heads.insert(at, head(&key, self.shared_len));
        }
        Arc::make_mut(&mut self.whole).insert(at, key);
        if !fits {
            self.share();
        }
    }

    pub(super) fn remove(&mut self, at: usize) -> Bytes {
        self.heads.remove(at);
        Arc::make_mut(&mut self.whole).remove(at)
    }

    pub(super) fn pop(&mut self) -> Option<Bytes> {
        self.heads.pop();
        Arc::make_mut(&mut self.whole).pop()
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
            for step in 0..60 {
                let key = key();
                let found = keys.find(&key);
                assert_eq!(found, plain.binary_search(&key), "{key:?} in {plain:?}");
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
