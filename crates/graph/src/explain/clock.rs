//! Time that passes only by waiting.

use crate::env::{Environment, SystemEnvironment};
use bothways_protocol::BoxFuture;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Waits without waiting.
pub(super) struct Idle {
    began: Instant,
    at: u64,
    micros: AtomicU64,
}

impl Idle {
    pub(super) fn new() -> Self {
        Self {
            began: Instant::now(),
            at: SystemEnvironment.epoch_millis(),
            micros: AtomicU64::new(0),
        }
    }
    fn waited(&self) -> Duration {
        Duration::from_micros(self.micros.load(Ordering::Relaxed))
    }
}

impl Environment for Idle {
    fn epoch_millis(&self) -> u64 {
        let waited = u64::try_from(self.waited().as_millis()).unwrap_or(u64::MAX);
        self.at.saturating_add(waited)
    }
    fn monotonic(&self) -> Instant {
        self.began + self.waited()
    }
    fn random(&self) -> u64 {
        SystemEnvironment.random()
    }
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        Box::pin(std::future::ready(()))
    }
}
