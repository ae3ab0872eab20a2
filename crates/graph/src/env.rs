//! The outside that operations need: time, random numbers, waiting. Passed in, so that a test replays from a seed.

use bothways_protocol::BoxFuture;
use std::collections::hash_map::RandomState;
use std::future::poll_fn;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time, random numbers and waiting.
pub trait Environment: Send + Sync {
    /// Milliseconds since 1970, UTC.
    fn epoch_millis(&self) -> u64;
    /// A clock that never goes back.
    fn monotonic(&self) -> Instant;
    /// 64 random bits.
    fn random(&self) -> u64;
    /// Ready after `time`.
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()>;
}

/// The machine's own clock and random numbers. Its waiting needs no async runtime: each wait is a short-lived
/// thread, so a host with a runtime does better to pass an environment of its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEnvironment;

#[derive(Default)]
struct Alarm {
    rung: bool,
    waker: Option<Waker>,
}

impl Environment for SystemEnvironment {
    fn epoch_millis(&self) -> u64 {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn monotonic(&self) -> Instant {
        Instant::now()
    }

    fn random(&self) -> u64 {
        // Each RandomState draws fresh keys; its hash of nothing is a pseudo-random function of them.
        RandomState::new().build_hasher().finish()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let alarm = Arc::new(Mutex::new(Alarm::default()));
            let bell = Arc::clone(&alarm);
            let started = std::thread::Builder::new().spawn(move || {
                std::thread::sleep(time);
                let mut bell = bell.lock().unwrap_or_else(PoisonError::into_inner);
                bell.rung = true;
                if let Some(waker) = bell.waker.take() {
                    waker.wake();
                }
            });
            if started.is_err() {
                // No thread to be had: block instead of spinning.
                std::thread::sleep(time);
                return;
            }
            poll_fn(|cx| {
                let mut alarm = alarm.lock().unwrap_or_else(PoisonError::into_inner);
                if alarm.rung {
                    return Poll::Ready(());
                }
                alarm.waker = Some(cx.waker().clone());
                Poll::Pending
            })
            .await;
        })
    }
}

/// An operation id: 128 random bits in 26 letters, also used as a `ClientRequestToken` (at most 36 characters).
pub(crate) fn operation_id(env: &dyn Environment) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut bits = (u128::from(env.random()) << 64) | u128::from(env.random());
    let mut id = String::with_capacity(26);
    for _ in 0..26 {
        id.push(char::from(LETTERS[(bits & 31) as usize]));
        bits >>= 5;
    }
    id
}
