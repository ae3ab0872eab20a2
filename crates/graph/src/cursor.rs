//! Cursors: where a list goes on. Opaque text of bounded size, tied to its list.
//!
//! A cursor names the last edge by its place in the order (position, peer), not a page of one partition: it stays good
//! when the last edge is gone, and whatever partitions the list is read from.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// This version of the format.
const VERSION: u8 = 1;
/// The longest text that can be a cursor: two keys of the greatest size, in base64, with room to spare.
const LONGEST: usize = 8192;

/// Why a cursor is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// Not a cursor, or damaged.
    #[error("this is not a cursor, or it was cut or changed")]
    Damaged,
    /// From a later version.
    #[error("this cursor has version {0}, and this program knows version {VERSION}")]
    Version(u8),
    /// From another list.
    #[error("this cursor belongs to another list")]
    OtherList,
}

/// Where a page ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// At an edge.
    Edge {
        /// Its position; 0 in lists by id.
        position: u64,
        /// The other end.
        peer: String,
    },
    /// At an item that is none of the relation's edges: its sort key in the list, and its key in the table.
    Raw {
        sort: String,
        pk: String,
        sk: String,
    },
}

/// What makes a list this one and no other.
pub(crate) fn fingerprint(parts: &[&str]) -> u64 {
    let mut hash = Fnv::new();
    for part in parts {
        hash.add(&(part.len() as u64).to_be_bytes());
        hash.add(part.as_bytes());
    }
    hash.0
}

/// FNV-1a, 64 bits: fixed for good, for it stands in cursors that people keep.
pub(crate) struct Fnv(u64);
impl Fnv {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
    pub(crate) fn value(&self) -> u64 {
        self.0
    }
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut hash = Fnv::new();
    hash.add(bytes);
    let folded = (hash.0 >> 32) ^ (hash.0 & 0xffff_ffff);
    let [.., a, b, c, d] = folded.to_be_bytes();
    [a, b, c, d]
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// Writes a cursor.
pub(crate) fn write(fingerprint: u64, stop: &Stop) -> String {
    let mut out = vec![VERSION];
    out.extend_from_slice(&fingerprint.to_be_bytes());
    match stop {
        Stop::Edge { position, peer } => {
            out.push(0);
            out.extend_from_slice(&position.to_be_bytes());
            push_text(&mut out, peer);
        }
        Stop::Raw { sort, pk, sk } => {
            out.push(1);
            for text in [sort, pk, sk] {
                push_text(&mut out, text);
            }
        }
    }
    let sum = checksum(&out);
    out.extend_from_slice(&sum);
    URL_SAFE_NO_PAD.encode(out)
}

/// Takes bytes from the front.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn number<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }
    fn text(&mut self) -> Option<String> {
        let length = u32::from_be_bytes(self.number()?) as usize;
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(head.to_vec()).ok()
    }
    fn stop(mut self) -> Option<Stop> {
        let stop = match self.number()? {
            [0] => Stop::Edge {
                position: u64::from_be_bytes(self.number()?),
                peer: self.text()?,
            },
            [1] => Stop::Raw {
                sort: self.text()?,
                pk: self.text()?,
                sk: self.text()?,
            },
            _ => return None,
        };
        self.0.is_empty().then_some(stop)
    }
}

/// Reads a cursor of the list with this fingerprint.
pub(crate) fn read(cursor: &str, fingerprint: u64) -> Result<Stop, CursorError> {
    if cursor.len() > LONGEST {
        return Err(CursorError::Damaged);
    }
    let bytes = URL_SAFE_NO_PAD
        .decode(cursor)
        .map_err(|_| CursorError::Damaged)?;
    let (body, sum) = bytes.split_last_chunk::<4>().ok_or(CursorError::Damaged)?;
    if checksum(body) != *sum {
        return Err(CursorError::Damaged);
    }
    let mut bytes = Bytes(body);
    match bytes.number().ok_or(CursorError::Damaged)? {
        [VERSION] => {}
        [other] => return Err(CursorError::Version(other)),
    }
    let own = bytes
        .number()
        .map(u64::from_be_bytes)
        .ok_or(CursorError::Damaged)?;
    if own != fingerprint {
        return Err(CursorError::OtherList);
    }
    bytes.stop().ok_or(CursorError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_only_in_its_own_list() {
        let one = fingerprint(&["follow", "follows", "in", "bob"]);
        let other = fingerprint(&["follow", "follows", "in", "bo", "b"]);
        for place in [
            Stop::Edge {
                position: 7,
                peer: "al#ice".into(),
            },
            Stop::Raw {
                sort: "s".into(),
                pk: "p".into(),
                sk: String::new(),
            },
        ] {
            let cursor = write(one, &place);
            assert_eq!(read(&cursor, one), Ok(place));
            assert_eq!(read(&cursor, other), Err(CursorError::OtherList));
        }
    }

    #[test]
    fn a_damaged_cursor_is_refused() {
        let place = Stop::Edge {
            position: 0,
            peer: "alice".into(),
        };
        let cursor = write(1, &place);
        for i in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[i] = if changed[i] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(read(&changed, 1).is_err() || changed == cursor, "{i}");
            assert!(read(&cursor[..i], 1).is_err(), "{i}");
        }
        assert_eq!(read(&"A".repeat(LONGEST + 1), 1), Err(CursorError::Damaged));
    }

    #[test]
    fn a_later_version_is_named() {
        let mut bytes = vec![9; 20];
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum);
        let cursor = URL_SAFE_NO_PAD.encode(bytes);
        assert_eq!(read(&cursor, 1), Err(CursorError::Version(9)));
    }
}
