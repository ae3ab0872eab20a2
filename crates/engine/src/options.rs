//! What an engine is given from outside: time, randomness, names and limits.

use bothways_core::limits;
use bothways_store::Buckets;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where the engine gets the time.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    fn now_millis(&self) -> u64;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_millis(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
    }
}

/// Where the engine gets random numbers. They name tables (`TableId`); nothing secret hangs on them.
pub trait Random: Send + Sync {
    /// The next number.
    fn next(&self) -> u64;
}

/// Numbers from the standard library's per-process random hash keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn next(&self) -> u64 {
        use std::hash::{BuildHasher, Hasher, RandomState};
        RandomState::new().build_hasher().finish()
    }
}

/// How an engine is opened.
#[derive(Clone)]
pub struct Options {
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Account id in ARNs, twelve digits.
    pub account: String,
    /// Region in ARNs where a request names none.
    pub region: String,
    /// Keeps the tables of every access key and region apart.
    pub isolate: bool,
    /// How long a write waits for other writers of the same items before it is refused.
    pub lock_wait: Duration,
    /// Largest item collection of a table with a local index, bytes.
    pub collection_bytes: u64,
    /// What tables are exported to and imported from; without it both are refused.
    pub buckets: Option<Arc<dyn Buckets>>,
    /// Items that one step of building an index looks at, and whose writers wait for it meanwhile.
    pub backfill_items: usize,
    /// Runs a thread that builds indexes, and reclaims dropped tables, expired items and tokens, and old stream
    /// records.
    /// Without it the owner calls [`crate::Engine::sweep`] itself.
    pub background: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            account: "000000000000".into(),
            region: "us-east-1".into(),
            isolate: false,
            lock_wait: Duration::from_secs(10),
            collection_bytes: limits::ITEM_COLLECTION_BYTES,
            buckets: None,
            backfill_items: 256,
            background: true,
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("account", &self.account)
            .field("region", &self.region)
            .field("isolate", &self.isolate)
            .field("lock_wait", &self.lock_wait)
            .field("background", &self.background)
            .finish_non_exhaustive()
    }
}
