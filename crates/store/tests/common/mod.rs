//! What the tests of this crate share: stores to open, a model, a small seeded generator.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

use bothways_store::{Batch, DiskStore, FaultyStore, MemoryStore, Options, Plan, Snapshot, Store};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// A way to open stores.
#[derive(Clone, Copy)]
pub enum Stores {
    Memory,
    Disk,
    /// With memtables so small that every few commits make a table.
    SmallDisk,
    /// Over the memory store, with tickets that take their time.
    Faulty,
}

/// An open store and what must outlive it.
pub struct Opened {
    pub store: Arc<dyn Store>,
    pub dir: Option<tempfile::TempDir>,
}

impl Stores {
    pub fn all() -> Vec<Self> {
        vec![Self::Memory, Self::Disk, Self::SmallDisk, Self::Faulty]
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::SmallDisk => "small disk",
            Self::Faulty => "faulty",
        }
    }

    pub fn open(self) -> Opened {
        if let Self::Memory = self {
            return Opened {
                store: Arc::new(MemoryStore::new()),
                dir: None,
            };
        }
        if let Self::Faulty = self {
            let plan = Plan {
                seed: 3,
                most_delay: 3,
                ..Plan::default()
            };
            let store = FaultyStore::new(Arc::new(MemoryStore::new()), plan).unwrap();
            return Opened {
                store: Arc::new(store),
                dir: None,
            };
        }
        let dir = self::dir();
        let store = Arc::new(DiskStore::open(dir.path(), self.options()).unwrap());
        Opened {
            store,
            dir: Some(dir),
        }
    }

    pub fn options(self) -> Options {
        match self {
            Self::SmallDisk => Options {
                memtable_bytes: 16 << 10,
                ..Options::default()
            },
            _ => Options::default(),
        }
    }
}

/// A directory for one test, in memory where the system has such a place: syncs are waited for, not timed.
pub fn dir() -> tempfile::TempDir {
    let shared = std::path::Path::new("/dev/shm");
    let within = if shared.is_dir() {
        shared.to_owned()
    } else {
        std::env::temp_dir()
    };
    tempfile::tempdir_in(within).unwrap()
}

/// For tests that neither kill nor time: nothing is synced but what lsm-tree syncs, and files are small.
pub fn unsynced() -> Options {
    let sync = |_: &std::path::Path, _: &std::fs::File| Ok(());
    Options {
        sync: Some(Arc::new(sync)),
        segment_bytes: 64 << 10,
        ..Options::default()
    }
}

/// Commits and waits.
pub fn commit(store: &Arc<dyn Store>, entries: &[(&str, Option<&str>)]) {
    let fill = &mut |_, batch: &mut Batch| {
        for (key, value) in entries {
            let value = value.map(|v| Bytes::copy_from_slice(v.as_bytes()));
            batch
                .entries
                .push((Bytes::copy_from_slice(key.as_bytes()), value));
        }
    };
    store.submit(fill).unwrap().wait().unwrap();
}

/// A range as a list.
pub fn rows(
    snapshot: &dyn Snapshot,
    from: Bound<&[u8]>,
    to: Bound<&[u8]>,
    reverse: bool,
) -> Vec<(Bytes, Bytes)> {
    snapshot
        .range(from, to, reverse)
        .map(Result::unwrap)
        .collect()
}

/// Applies a batch to a model.
pub fn apply(model: &mut BTreeMap<Vec<u8>, Vec<u8>>, batch: &Batch) {
    for (key, value) in &batch.entries {
        match value {
            Some(value) => model.insert(key.to_vec(), value.to_vec()),
            None => model.remove(&key[..]),
        };
    }
}

/// How often long tests repeat: 1, or what `BOTHWAYS_TEST_TIMES` says.
pub fn times() -> u64 {
    std::env::var("BOTHWAYS_TEST_TIMES")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(1)
}

/// A small generator (splitmix64): the same numbers from the same seed, everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// One of about 3,000 short keys, some of them prefixes of others.
    pub fn key(&mut self) -> Vec<u8> {
        let mut key = vec![b'a' + u8::try_from(self.below(3)).unwrap()];
        for _ in 0..self.below(4) {
            key.push([0, 1, b'k', 254, 255][usize::try_from(self.below(5)).unwrap()]);
        }
        key
    }
}
