//! Lengths and counts: seven bits a byte, lowest first, the high bit on all but the last.

/// Appends a length or count.
pub(super) fn push_varint(out: &mut Vec<u8>, value: usize) {
    let (bytes, width) = bytes(value);
    out.extend_from_slice(&bytes[..width]);
}

/// The bytes of a length or count, and how many they are.
pub(super) fn bytes(value: usize) -> ([u8; 5], usize) {
    let width = varint_width(value);
    let mut out = [0; 5];
    for (index, byte) in out.iter_mut().enumerate().take(width) {
        let more = if index + 1 < width { 0x80 } else { 0 };
        *byte = (value >> (7 * index)).to_le_bytes()[0] & 0x7F | more;
    }
    (out, width)
}

/// Bytes that a length or count takes.
pub(super) fn varint_width(value: usize) -> usize {
    match value {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        0x20_0000..0x1000_0000 => 4,
        _ => 5,
    }
}

/// Takes a length or count.
pub(super) fn take_varint(rest: &mut &[u8]) -> Option<usize> {
    let (&first, tail) = rest.split_first()?;
    *rest = tail;
    if first < 0x80 {
        return Some(usize::from(first));
    }
    let mut value = usize::from(first & 0x7F);
    // Five bytes hold 32 GiB, far above any item.
    for shift in [7, 14, 21, 28] {
        let (&byte, tail) = rest.split_first()?;
        *rest = tail;
        value |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Takes a length or count and refuses one that is not in its shortest form.
pub(super) fn take_canonical(rest: &mut &[u8]) -> Option<usize> {
    let before = rest.len();
    let value = take_varint(rest)?;
    (before - rest.len() == varint_width(value)).then_some(value)
}
