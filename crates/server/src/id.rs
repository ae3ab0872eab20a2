//! Request ids as AWS writes them: 52 upper-case letters and digits.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

/// Length of a request id in characters (source: AWS's answers, `^[0-9A-Z]{52}$`).
pub(crate) const LENGTH: usize = 52;

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
const BITS_PER_CHARACTER: u32 = 5;
const CHARACTERS_PER_WORD: usize = 12;

thread_local! {
    /// Seeded by the standard library's own random hash keys: ids only have to differ.
    static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one("request id"));
}

/// A fresh id.
pub(crate) fn next() -> [u8; LENGTH] {
    let mut id = [0; LENGTH];
    for characters in id.chunks_mut(CHARACTERS_PER_WORD) {
        let mut word = random();
        for character in characters {
            *character = ALPHABET[(word & 31) as usize];
            word >>= BITS_PER_CHARACTER;
        }
    }
    id
}

/// An id as text.
pub(crate) fn text(id: [u8; LENGTH]) -> String {
    // Letters and digits are text as they are; looking at them once is cheaper than pushing each.
    String::from_utf8(id.to_vec()).unwrap_or_default()
}

/// One step of the generator `SplitMix64`.
fn random() -> u64 {
    STATE.with(|state| {
        let next = state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        state.set(next);
        let mixed = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_aws_shape_and_differ() {
        let ids: std::collections::HashSet<_> = (0..10_000).map(|_| next()).collect();
        assert_eq!(ids.len(), 10_000);
        for id in ids {
            assert!(
                id.iter()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
            );
        }
    }
}
