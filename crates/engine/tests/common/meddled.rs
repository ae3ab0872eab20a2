//! What happens between a write's making and its commit.

use bothways_store::{
    Batch, GroupHook, Latest, MemoryStore, Result, Seq, Sizes, Snapshot, Store, Ticket,
};
use parking_lot::Mutex;
use std::ops::Bound;

/// A store in memory that lets something happen just before a commit.
#[derive(Default)]
pub struct Meddled {
    inner: MemoryStore,
    before: Mutex<Option<Meddling>>,
}

/// How many commits pass, and what happens before the next one.
type Meddling = (usize, Box<dyn FnOnce() + Send>);

impl Meddled {
    /// Lets something happen once, after so many commits and before the next one.
    pub fn meddle(&self, passing: usize, what: impl FnOnce() + Send + 'static) {
        *self.before.lock() = Some((passing, Box::new(what)));
    }

    /// Forgets what did not happen; true where it did.
    pub fn settle(&self) -> bool {
        self.before.lock().take().is_none()
    }
}

impl Store for Meddled {
    fn submit(&self, fill: &mut dyn FnMut(Seq, &mut Batch)) -> Result<Ticket> {
        let due = {
            let mut before = self.before.lock();
            match &mut *before {
                Some((passing @ 1.., _)) => {
                    *passing -= 1;
                    None
                }
                now => now.take(),
            }
        };
        if let Some((_, meddle)) = due {
            meddle();
        }
        self.inner.submit(fill)
    }
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        self.inner.snapshot()
    }
    fn latest(&self, key: &[u8]) -> Result<Latest> {
        self.inner.latest(key)
    }
    fn settled(&self, seq: Seq) -> Ticket {
        self.inner.settled(seq)
    }
    fn on_group(&self, summary: GroupHook) {
        self.inner.on_group(summary);
    }
    fn compact(&self, from: Bound<&[u8]>, to: Bound<&[u8]>) -> Result<()> {
        self.inner.compact(from, to)
    }
    fn sizes(&self) -> Sizes {
        self.inner.sizes()
    }
    fn close(&self) -> Result<()> {
        self.inner.close()
    }
}
