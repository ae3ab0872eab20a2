//! Random numbers from a seed, and the distributions that are drawn from them.

/// A seeded generator (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
#[derive(Debug, Clone)]
pub struct Random(u64);

/// One step of mixing: every bit of the input moves every bit of the output.
#[must_use]
pub const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

impl Random {
    /// The generator of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// Uniform in `[0, below)`; 0 where `below` is 0.
    pub fn below(&mut self, below: u64) -> u64 {
        let wide = u128::from(self.bits()) * u128::from(below);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        // 53 bits are what a double holds.
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Log-normal: `median * e^(sigma * z)` with z of the standard normal distribution (Box and Muller).
    pub fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        let z = radius * (std::f64::consts::TAU * self.unit()).cos();
        median * (sigma * z).exp()
    }

    /// How many trials of probability `p` there are up to the first that succeeds, at most `most`.
    pub fn geometric(&mut self, p: f64, most: u64) -> u64 {
        let mut trials = 1;
        while trials < most && self.unit() >= p {
            trials += 1;
        }
        trials
    }
}

/// Ranks 0 to n - 1 with P(rank k) proportional to (k + 1)^-s, by rejection and inversion (Hörmann and Derflinger, ACM
/// TOMACS 6, 1996). No table, so a million ranks cost nothing.
#[derive(Debug, Clone, Copy)]
pub struct Zipf {
    n: f64,
    s: f64,
    from: f64,
    to: f64,
}

impl Zipf {
    /// `n` ranks with exponent `s`, which is neither 0 nor 1.
    #[must_use]
    pub fn new(n: u64, s: f64) -> Self {
        let mut zipf = Self {
            n: n as f64,
            s,
            from: 0.0,
            to: 0.0,
        };
        zipf.from = zipf.integral(1.5) - 1.0;
        zipf.to = zipf.integral(zipf.n + 0.5);
        zipf
    }

    /// The integral of x^-s.
    fn integral(&self, x: f64) -> f64 {
        x.powf(1.0 - self.s) / (1.0 - self.s)
    }

    fn inverse(&self, y: f64) -> f64 {
        (y * (1.0 - self.s)).powf(1.0 / (1.0 - self.s))
    }

    /// A rank.
    pub fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let u = self.to + random.unit() * (self.from - self.to);
            let k = self.inverse(u).round().clamp(1.0, self.n);
            if u >= self.integral(k + 0.5) - k.powf(-self.s) {
                return k as u64 - 1;
            }
        }
    }
}

/// Rounds of a [`Permutation`].
const ROUNDS: u64 = 4;

/// A fixed pseudo-random order of the numbers below n: a Feistel network over the next power of four, walked until it
/// lands below n. Both ways cost the same, so neither needs a table.
#[derive(Debug, Clone, Copy)]
pub struct Permutation {
    n: u64,
    half: u32,
    seed: u64,
}

impl Permutation {
    /// The order of `n` numbers that this seed gives.
    #[must_use]
    pub fn new(n: u64, seed: u64) -> Self {
        let bits = u64::BITS - n.saturating_sub(1).leading_zeros();
        Self {
            n,
            half: bits.div_ceil(2).max(1),
            seed,
        }
    }

    fn round(&self, round: u64, half: u64) -> u64 {
        mix(half ^ self.seed ^ mix(round + 1)) & self.mask()
    }

    const fn mask(&self) -> u64 {
        (1 << self.half) - 1
    }

    /// Where `rank` stands. Below `n` for what is below `n`.
    #[must_use]
    pub fn at(&self, rank: u64) -> u64 {
        let mut value = rank;
        loop {
            let (mut left, mut right) = (value >> self.half, value & self.mask());
            for round in 0..ROUNDS {
                (left, right) = (right, left ^ self.round(round, right));
            }
            value = left << self.half | right;
            if value < self.n {
                return value;
            }
        }
    }

    /// What stands at a place: the inverse of [`Permutation::at`].
    #[must_use]
    pub fn rank(&self, place: u64) -> u64 {
        let mut value = place;
        loop {
            let (mut left, mut right) = (value >> self.half, value & self.mask());
            for round in (0..ROUNDS).rev() {
                (left, right) = (right ^ self.round(round, left), left);
            }
            value = left << self.half | right;
            if value < self.n {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_seed_gives_the_same_numbers_again() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            [random.bits(), random.below(10), random.geometric(0.5, 9)]
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn a_permutation_is_one_and_has_an_inverse() {
        for n in [1, 2, 3, 100, 1000, 4097] {
            let order = Permutation::new(n, 42);
            let places: HashSet<u64> = (0..n).map(|rank| order.at(rank)).collect();
            assert_eq!(places.len() as u64, n);
            assert!(places.iter().all(|place| *place < n));
            assert!((0..n).all(|rank| order.rank(order.at(rank)) == rank), "{n}");
        }
        let order = Permutation::new(1000, 42);
        assert!((0..1000).filter(|rank| order.at(*rank) == *rank).count() < 20);
    }

    #[test]
    fn ranks_come_as_often_as_zipf_says() {
        for s in [0.606, 0.8] {
            let (n, draws) = (100, 200_000_u32);
            let zipf = Zipf::new(n, s);
            let mut random = Random::new(1);
            let mut seen = vec![0_u32; 100];
            for _ in 0..draws {
                seen[usize::try_from(zipf.draw(&mut random)).unwrap()] += 1;
            }
            let all: f64 = (1..=100).map(|k| f64::from(k).powf(-s)).sum();
            for k in [1_usize, 2, 5, 20, 100] {
                let expected = f64::from(draws) * (k as f64).powf(-s) / all;
                let off = (f64::from(seen[k - 1]) - expected).abs() / expected;
                assert!(off < 0.1, "s {s}, rank {k}: {} for {expected}", seen[k - 1]);
            }
        }
    }

    #[test]
    fn sizes_have_their_median_and_trials_their_mean() {
        let mut random = Random::new(3);
        let mut sizes: Vec<f64> = (0..20_001).map(|_| random.log_normal(128.0, 1.0)).collect();
        sizes.sort_by(f64::total_cmp);
        assert!((sizes[10_000] - 128.0).abs() < 5.0, "{}", sizes[10_000]);
        let trials: u64 = (0..20_000).map(|_| random.geometric(0.382, 127)).sum();
        let mean = trials as f64 / 20_000.0;
        assert!((mean - 1.0 / 0.382).abs() < 0.05, "{mean}");
    }
}
