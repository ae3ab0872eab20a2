//! The keys that are used most, found in fixed memory: Space-Saving.
//!
//! As many counters as there is room for. A key that has none takes the smallest counter over, and what that
//! counted becomes its error. So a counter never says too little, and too much by its error at most; the errors of a
//! shard's counters are at most its uses divided by the number of counters, and a key used more often than that is
//! among them. Source: Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data
//! Streams", 2005.

use super::Heat;
use bothways_core::Item;
use parking_lot::Mutex;

/// Parts that are counted apart, each under a lock of its own. A key is always in the same one.
const SHARDS: usize = 8;
/// Counters of a part. A key is at most 3 KB long, so a sketch has at most 4 MB, and usually far less.
const COUNTERS: usize = 64;

/// Counts keys.
#[derive(Debug, Default)]
pub(super) struct Sketch {
    shards: [Mutex<Shard>; SHARDS],
}

#[derive(Debug, Default)]
struct Shard {
    uses: u64,
    counters: Vec<Counter>,
}

/// What is known of a key.
#[derive(Debug, Clone)]
pub(super) struct Counter {
    hash: u64,
    bytes: Box<[u8]>,
    /// The key's attributes.
    pub(super) key: Item,
    pub(super) uses: u64,
    pub(super) error: u64,
    pub(super) heat: Heat,
}

impl Sketch {
    /// Counts one use of a key; `key` makes its attributes where it gets a counter.
    pub(super) fn count(&self, hash: u64, bytes: &[u8], heat: Heat, key: impl FnOnce() -> Item) {
        let shard = usize::try_from(hash >> 32).unwrap_or(0) % SHARDS;
        self.shards[shard].lock().count(hash, bytes, heat, key);
    }

    /// Uses of all keys, and the counters, the busiest first.
    pub(super) fn busiest(&self) -> (u64, Vec<Counter>) {
        let (mut uses, mut all) = (0, Vec::new());
        for shard in &self.shards {
            let shard = shard.lock();
            uses += shard.uses;
            all.extend(shard.counters.iter().cloned());
        }
        all.sort_by(|one, other| {
            let by_uses = other.uses.cmp(&one.uses);
            by_uses.then_with(|| one.bytes.cmp(&other.bytes))
        });
        (uses, all)
    }
}

impl Shard {
    fn count(&mut self, hash: u64, bytes: &[u8], heat: Heat, key: impl FnOnce() -> Item) {
        self.uses += 1;
        let mut counters = self.counters.iter_mut();
        if let Some(own) = counters.find(|own| own.hash == hash && *own.bytes == *bytes) {
            own.uses += 1;
            own.heat += heat;
            return;
        }
        let mut new = Counter {
            hash,
            bytes: bytes.into(),
            key: key(),
            uses: 1,
            error: 0,
            heat,
        };
        if self.counters.len() < COUNTERS {
            self.counters.push(new);
        } else if let Some(least) = self.counters.iter_mut().min_by_key(|own| own.uses) {
            new.uses += least.uses;
            new.error = least.uses;
            *least = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::stable_hash;
    use std::collections::BTreeMap;

    fn count(sketch: &Sketch, real: &mut BTreeMap<u64, u64>, key: u64) {
        *real.entry(key).or_default() += 1;
        let bytes = key.to_be_bytes();
        sketch.count(stable_hash(&bytes), &bytes, Heat::default(), Item::default);
    }

    #[test]
    fn no_counter_is_off_by_more_than_it_says_and_busy_keys_have_one() {
        let (sketch, mut real) = (Sketch::default(), BTreeMap::new());
        let mut state = 1_u64;
        for _ in 0..200_000_u32 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let random = state >> 33;
            // A third of all uses go to ten keys, the rest to a hundred thousand.
            let key = if random.is_multiple_of(3) {
                (random / 3) % 10
            } else {
                10 + (random / 3) % 100_000
            };
            count(&sketch, &mut real, key);
        }
        let (uses, busiest) = sketch.busiest();
        assert_eq!(uses, 200_000);
        assert_eq!(busiest.len(), SHARDS * COUNTERS);
        for counter in &busiest {
            let key = u64::from_be_bytes(counter.bytes[..].try_into().expect("eight bytes"));
            let real = real[&key];
            assert!((counter.uses - counter.error..=counter.uses).contains(&real));
        }
        let mut first: Vec<u64> = busiest[..10]
            .iter()
            .map(|counter| u64::from_be_bytes(counter.bytes[..].try_into().expect("eight bytes")))
            .collect();
        first.sort_unstable();
        assert_eq!(first, (0..10).collect::<Vec<_>>());
        for shard in &sketch.shards {
            let shard = shard.lock();
            let bound = shard.uses / COUNTERS as u64;
            assert!(shard.counters.iter().all(|own| own.error <= bound));
        }
    }
}
