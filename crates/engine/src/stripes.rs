//! Locks of items: a fixed number of stripes, always taken in order, never held over an await.

use crate::error::Fault;
use bothways_protocol::Message;
use parking_lot::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Two items share a stripe once in this many; a write of 100 items takes at most 100 of them.
const STRIPES: usize = 4096;

pub(crate) struct Stripes {
    locks: Box<[Mutex<()>]>,
    wait: Duration,
}

/// The stripes of one write, free again when dropped.
pub(crate) type Held<'a> = smallvec::SmallVec<[MutexGuard<'a, ()>; 4]>;

impl Stripes {
    pub(crate) fn new(wait: Duration) -> Self {
        Self {
            locks: (0..STRIPES).map(|_| Mutex::new(())).collect(),
            wait,
        }
    }

    /// Locks the stripes of these row keys, each once and in ascending order, so that two writes
    /// can never wait for each other.
    pub(crate) fn lock<'k>(&self, keys: impl Iterator<Item = &'k [u8]>) -> Result<Held<'_>, Fault> {
        let mut wanted: smallvec::SmallVec<[usize; 4]> = keys.map(stripe_of).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut deadline = None;
        let mut held = Held::with_capacity(wanted.len());
        for stripe in wanted {
            let lock = &self.locks[stripe];
            let guard = lock.try_lock().or_else(|| {
                let until = *deadline.get_or_insert_with(|| Instant::now() + self.wait);
                lock.try_lock_until(until)
            });
            held.push(guard.ok_or(Message::TransactionConflict)?);
        }
        Ok(held)
    }
}

impl Stripes {
    /// Locks every item: what is held was done before, and what comes after sees what was done meanwhile.
    pub(crate) fn lock_all(&self) -> Option<Vec<MutexGuard<'_, ()>>> {
        let until = Instant::now() + self.wait;
        self.locks
            .iter()
            .map(|lock| lock.try_lock_until(until))
            .collect()
    }
}

fn stripe_of(key: &[u8]) -> usize {
    // The low bits decide; every stripe index fits.
    usize::try_from(crate::layout::stable_hash(key) % STRIPES as u64).unwrap_or(0)
}
