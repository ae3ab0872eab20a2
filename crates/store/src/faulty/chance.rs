//! Numbers from a seed (splitmix64): the same everywhere and always.

#[derive(Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % limit.max(1)
    }

    /// True so many times of a thousand.
    pub(super) fn of_thousand(&mut self, times: u32) -> bool {
        times > 0 && self.below(1_000) < u64::from(times)
    }
}
