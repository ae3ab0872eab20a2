//! Capacity spent no faster than was asked for.

use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// Units a second, shared by all who spend.
pub(crate) struct Pace {
    /// Seconds that one unit takes; none where nobody asked for a limit.
    seconds: Option<f64>,
    free: Mutex<Instant>,
}

impl Pace {
    pub(crate) fn new(units_a_second: Option<u32>) -> Self {
        Self {
            seconds: units_a_second.map(|units| 1.0 / f64::from(units.max(1))),
            free: Mutex::new(Instant::now()),
        }
    }

    /// Books units that were spent; waits until they are paid for.
    pub(crate) async fn spend(&self, units: f64) {
        let Some(seconds) = self.seconds else {
            return;
        };
        let until = {
            let mut free = self.free.lock();
            let time = Duration::from_secs_f64((seconds * units).clamp(0.0, 3600.0));
            *free = (*free).max(Instant::now()) + time;
            *free
        };
        tokio::time::sleep_until(until.into()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_spent_takes_its_time_and_no_limit_takes_none() {
        let begun = Instant::now();
        Pace::new(None).spend(1e9).await;
        assert!(begun.elapsed() < Duration::from_millis(50));
        let pace = Pace::new(Some(1000));
        for _ in 0..4 {
            pace.spend(25.0).await;
        }
        let took = begun.elapsed();
        assert!(
            took >= Duration::from_millis(100) && took < Duration::from_secs(2),
            "{took:?}"
        );
    }
}
