//! Bytes that are kept: small ones in one piece with what counts their owners.
//!
//! A `Bytes` made of a `Vec` gets a second allocation when it is first cloned, and each clone and drop looks there
//! before the bytes are looked at. Rows in memory are cloned for every reader, so theirs are one allocation.

use bytes::Bytes;

/// Bytes in the struct itself, so that they lie where it lies.
struct Block<const N: usize> {
    len: usize,
    bytes: [u8; N],
}

impl<const N: usize> AsRef<[u8]> for Block<N> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl<const N: usize> Block<N> {
    fn filled(len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Bytes {
        let mut block = Self { len, bytes: [0; N] };
        fill(&mut block.bytes[..len]);
        Bytes::from_owner(block)
    }
}

/// `len` bytes, all of which `fill` writes; they are zero before.
pub(crate) fn filled(len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Bytes {
    // Steps of 32: together with the counter and the allocator's own header, which rounds to 16, little is left over.
    match len {
        0 => Bytes::new(),
        1..=40 => Block::<40>::filled(len, fill),
        41..=72 => Block::<72>::filled(len, fill),
        73..=104 => Block::<104>::filled(len, fill),
        105..=136 => Block::<136>::filled(len, fill),
        137..=168 => Block::<168>::filled(len, fill),
        169..=200 => Block::<200>::filled(len, fill),
        201..=232 => Block::<232>::filled(len, fill),
        233..=264 => Block::<264>::filled(len, fill),
        265..=328 => Block::<328>::filled(len, fill),
        329..=392 => Block::<392>::filled(len, fill),
        393..=520 => Block::<520>::filled(len, fill),
        _ => {
            let mut bytes = vec![0; len];
            fill(&mut bytes);
            bytes.into()
        }
    }
}

/// A copy that is cheap to share: for a key or value that is kept for long.
#[must_use]
pub fn held(bytes: &[u8]) -> Bytes {
    filled(bytes.len(), &mut |out| out.copy_from_slice(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_bytes_whatever_their_number() {
        for len in 0..700 {
            let bytes: Vec<u8> = (0..=250).cycle().take(len).collect();
            let held = held(&bytes);
            assert_eq!(held.clone(), bytes);
            assert_eq!(held, bytes);
        }
    }
}
