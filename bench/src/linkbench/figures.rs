//! Times and costs, gathered by operation.

use super::mix::Op;
use std::collections::BTreeMap;
use std::time::Duration;

/// Steps between a power of two and the next: times are off by 1 in 64 at most.
const STEPS: usize = 64;

/// How long something took, each time.
#[derive(Debug, Clone, Default)]
pub struct Times {
    /// How many by step.
    buckets: Vec<u64>,
    count: u64,
    sum: Duration,
    longest: Duration,
}

/// Where a number of nanoseconds is counted.
fn bucket(nanos: u64) -> usize {
    let power = (u64::BITS - nanos.leading_zeros()).saturating_sub(STEPS.ilog2() + 1);
    let step = usize::try_from(nanos >> power).unwrap_or(0);
    power as usize * STEPS + step
}

/// The middle of a bucket, in nanoseconds.
fn middle(bucket: usize) -> u64 {
    let power = (bucket / STEPS).saturating_sub(1);
    let step = (bucket - power * STEPS) as u64;
    (step << power) + ((1 << power) >> 1)
}

impl Times {
    /// Counts one.
    pub fn add(&mut self, time: Duration) {
        let at = bucket(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        if self.buckets.len() <= at {
            self.buckets.resize(at + 1, 0);
        }
        self.buckets[at] += 1;
        self.count += 1;
        self.sum += time;
        self.longest = self.longest.max(time);
    }

    /// Adds others.
    pub fn absorb(&mut self, other: &Self) {
        if self.buckets.len() < other.buckets.len() {
            self.buckets.resize(other.buckets.len(), 0);
        }
        for (sum, more) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum += more;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.longest = self.longest.max(other.longest);
    }

    /// How many.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The time that this share of them does not exceed, in milliseconds; 0 where there are none.
    #[must_use]
    pub fn at(&self, share: f64) -> f64 {
        let wanted = (self.count as f64 * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (at, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return middle(at) as f64 / 1e6;
            }
        }
        0.0
    }

    /// The longest, in milliseconds.
    #[must_use]
    pub fn max(&self) -> f64 {
        self.longest.as_secs_f64() * 1e3
    }
}

/// What was counted of one operation.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Times of those that were answered.
    pub times: Times,
    /// How many failed; they are in no other figure.
    pub failed: u64,
    /// Rows answered.
    pub rows: u64,
    /// Read units, in halves.
    pub read: u64,
    /// Write units of table and indexes, in halves.
    pub write: u64,
    /// Of these, the indexes'.
    pub index_write: u64,
    /// Requests sent again.
    pub retries: u64,
    /// Of these, because of another transaction.
    pub conflicts: u64,
    /// Answers by rows: none, 1, 2 to 10, 11 to 100, 101 to 1,000, more.
    pub sizes: [u64; 6],
}

impl Figures {
    /// Adds others.
    pub fn absorb(&mut self, other: &Self) {
        self.times.absorb(&other.times);
        self.failed += other.failed;
        self.rows += other.rows;
        self.read += other.read;
        self.write += other.write;
        self.index_write += other.index_write;
        self.retries += other.retries;
        self.conflicts += other.conflicts;
        for (sum, more) in self.sizes.iter_mut().zip(other.sizes) {
            *sum += more;
        }
    }

    /// Where an answer of so many rows is counted.
    #[must_use]
    pub fn size_class(rows: u64) -> usize {
        match rows {
            0 => 0,
            1 => 1,
            2..=10 => 2,
            11..=100 => 3,
            101..=1000 => 4,
            _ => 5,
        }
    }
}

/// Figures by operation.
pub type ByOp = BTreeMap<Op, Figures>;

/// The one in the middle; of an even number the mean of both.
#[must_use]
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    match numbers.len() {
        0 => 0.0,
        count if count % 2 == 1 => numbers[half],
        _ => f64::midpoint(numbers[half - 1], numbers[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_near_what_it_counts() {
        for nanos in [
            0,
            1,
            63,
            64,
            100,
            127,
            128,
            129,
            5_000,
            1_234_567,
            9_876_543_210,
        ] {
            let found = middle(bucket(nanos));
            let off = found.abs_diff(nanos) as f64;
            assert!(off <= nanos as f64 / 64.0, "{nanos}: {found}");
        }
        assert!((0..100_000_u64).all(|n| bucket(n) <= bucket(n + 1)));
    }

    #[test]
    fn shares_are_those_of_all_that_was_added() {
        let (mut times, mut more) = (Times::default(), Times::default());
        for micros in 1..=1000 {
            let times = if micros % 2 == 0 {
                &mut times
            } else {
                &mut more
            };
            times.add(Duration::from_micros(micros));
        }
        times.absorb(&more);
        assert_eq!(times.count(), 1000);
        for (share, expected) in [(0.5, 0.5), (0.95, 0.95), (0.99, 0.99)] {
            assert!((times.at(share) - expected).abs() < 0.02);
        }
        assert!((times.max() - 1.0).abs() < 1e-9);
        assert!(Times::default().at(0.5).abs() < 1e-9);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
        assert!(median(Vec::new()).abs() < 1e-9);
    }
}
