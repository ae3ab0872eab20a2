//! What an outcome looks like from afar.

/// How much of a text counts.
const LOOKED_AT: usize = 160;

/// A number for the look of a text: small letters and digits blurred, runs of the like as one.
pub(crate) fn shape(text: &str) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut last = 0;
    for byte in text.bytes().take(LOOKED_AT) {
        let class = match byte {
            b'a'..=b'z' | 128.. => b'a',
            b'0'..=b'9' => b'0',
            b' ' | b'\t' | b'\n' => b' ',
            other => other,
        };
        if class != last {
            hash = (hash ^ u64::from(class)).wrapping_mul(0x0100_0000_01B3);
        }
        last = class;
    }
    hash
}

/// One number of two.
pub(crate) fn both(one: u64, other: u64) -> u64 {
    one.rotate_left(17) ^ other.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
