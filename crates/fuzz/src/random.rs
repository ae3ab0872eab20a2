//! A small generator, so that a finding comes back from its seed.

/// Xorshift.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Any seed will do; zero is made another.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `limit`; 0 where that is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = limit.max(1) as u64;
        // What is left is below a usize again.
        usize::try_from(self.next() % limit).unwrap_or(0)
    }

    /// One in `n`.
    pub(crate) fn chance(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[3]
    }

    /// One of several; none of none.
    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        from.get(self.below(from.len()))
    }

    /// A part of something this long, not longer than `most`: begin and end.
    pub(crate) fn part(&mut self, length: usize, most: usize) -> (usize, usize) {
        let begin = self.below(length + 1);
        let end = begin + self.below((length - begin).min(most) + 1);
        (begin, end)
    }
}
