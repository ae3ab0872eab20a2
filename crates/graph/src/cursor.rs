//! Cursors: where a list goes on. Opaque text whose size does not depend on how many shards the list is read from, tied
//! to its list and signed.
//!
//! A cursor names an edge by its place in the total order (position, peer), not a page of one partition: it stays good
//! when that edge is gone, when shards are added or drained meanwhile, and over restarts.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// This version of the format. Version 1 was not signed and is not taken any more.
const VERSION: u8 = 2;
/// The longest text that can be a cursor: two keys of the greatest size, in base64, with room to spare.
const LONGEST: usize = 8192;
/// Bytes of the signature: HMAC-SHA256, cut to 128 bits (RFC 2104, section 5, allows half of the hash).
const TAG: usize = 16;
/// What stands for no stop: 0 and 1 begin an edge's and a key's.
const NOWHERE: u8 = 2;

/// Why a cursor is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// Not a cursor, damaged, or signed with another key.
    #[error("this is not a cursor, or it was cut or changed")]
    Damaged,
    /// From another version.
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
    /// At an item that is none of the relation's edges: its sort key in the list.
    Raw { sort: String },
}

/// What a cursor says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Where the page that was left ended; `None` for one without edges, beyond which nothing was: the list's end, or,
    /// where it was read backwards, its start.
    pub(crate) stop: Option<Stop>,
    /// Go on before it instead of behind it.
    pub(crate) back: bool,
}

/// The key that a graph signs its cursors with.
#[derive(Clone)]
pub(crate) struct Signer([u8; 32]);

impl Signer {
    /// A key from any secret.
    pub(crate) fn of(secret: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"bothways cursor 2");
        hash.update(secret);
        Self(hash.finalize().into())
    }

    fn mac(&self, bytes: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(bytes);
        Some(mac)
    }

    /// Writes a cursor.
    pub(crate) fn write(&self, fingerprint: u64, mark: &Mark) -> String {
        let mut out = vec![VERSION, u8::from(mark.back)];
        out.extend_from_slice(&fingerprint.to_be_bytes());
        match &mark.stop {
            Some(Stop::Edge { position, peer }) => {
                out.push(0);
                out.extend_from_slice(&position.to_be_bytes());
                push_text(&mut out, peer);
            }
            Some(Stop::Raw { sort }) => {
                out.push(1);
                push_text(&mut out, sort);
            }
            None => out.push(NOWHERE),
        }
        if let Some(mac) = self.mac(&out) {
            let tag = mac.finalize().into_bytes();
            out.extend_from_slice(&tag[..TAG]);
        }
        URL_SAFE_NO_PAD.encode(out)
    }

    /// Reads a cursor of the list with this fingerprint.
    pub(crate) fn read(&self, cursor: &str, fingerprint: u64) -> Result<Mark, CursorError> {
        if cursor.len() > LONGEST {
            return Err(CursorError::Damaged);
        }
        let bytes = URL_SAFE_NO_PAD
            .decode(cursor)
            .map_err(|_| CursorError::Damaged)?;
        match bytes.first() {
            Some(&VERSION) => {}
            // Version 1 had a checksum of its own; a first byte of anything else is no cursor.
            Some(&version) if version < 16 && bytes.len() > TAG => {
                return Err(CursorError::Version(version));
            }
            _ => return Err(CursorError::Damaged),
        }
        let (body, tag) = bytes
            .split_last_chunk::<TAG>()
            .ok_or(CursorError::Damaged)?;
        let mac = self.mac(body).ok_or(CursorError::Damaged)?;
        mac.verify_truncated_left(tag)
            .map_err(|_| CursorError::Damaged)?;
        let mut bytes = Bytes(&body[1..]);
        let back = match bytes.number() {
            Some([0]) => false,
            Some([1]) => true,
            _ => return Err(CursorError::Damaged),
        };
        let own = bytes.number().ok_or(CursorError::Damaged)?;
        if u64::from_be_bytes(own) != fingerprint {
            return Err(CursorError::OtherList);
        }
        let stop = match bytes.0 {
            [NOWHERE] => None,
            _ => Some(bytes.stop().ok_or(CursorError::Damaged)?),
        };
        if stop.is_some() && !bytes.0.is_empty() {
            return Err(CursorError::Damaged);
        }
        Ok(Mark { stop, back })
    }
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

/// FNV-1a, 64 bits: fixed for good, for it stands in cursors that people keep and chooses the shards of edges.
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

fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(text.as_bytes());
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
    fn stop(&mut self) -> Option<Stop> {
        match self.number()? {
            [0] => Some(Stop::Edge {
                position: u64::from_be_bytes(self.number()?),
                peer: self.text()?,
            }),
            [1] => Some(Stop::Raw { sort: self.text()? }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(peer: &str) -> Mark {
        Mark {
            stop: Some(Stop::Edge {
                position: 7,
                peer: peer.into(),
            }),
            back: false,
        }
    }

    #[test]
    fn a_cursor_reads_back_for_its_own_list() {
        let one = fingerprint(&["follow", "follows", "in", "bob"]);
        let other = fingerprint(&["follow", "follows", "in", "bo", "b"]);
        let signer = Signer::of(b"k");
        let back = |stop| Mark { stop, back: true };
        let raw = back(Some(Stop::Raw { sort: "s".into() }));
        for mark in [at("al#ice"), raw, back(None)] {
            let cursor = signer.write(one, &mark);
            assert_eq!(signer.read(&cursor, one), Ok(mark));
            assert_eq!(signer.read(&cursor, other), Err(CursorError::OtherList));
        }
    }

    #[test]
    fn a_damaged_or_foreign_cursor_is_refused() {
        let signer = Signer::of(b"k");
        let cursor = signer.write(1, &at("alice"));
        for i in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[i] = if changed[i] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(
                signer.read(&changed, 1).is_err() || changed == cursor,
                "{i}"
            );
            assert!(signer.read(&cursor[..i], 1).is_err(), "{i}");
        }
        let other = Signer::of(b"another");
        assert_eq!(other.read(&cursor, 1), Err(CursorError::Damaged));
        let long = "A".repeat(LONGEST + 1);
        assert_eq!(signer.read(&long, 1), Err(CursorError::Damaged));
    }

    #[test]
    fn another_version_is_named() {
        for version in [1, 9] {
            let cursor = URL_SAFE_NO_PAD.encode([version; 40]);
            assert_eq!(
                Signer::of(b"k").read(&cursor, 1),
                Err(CursorError::Version(version))
            );
        }
    }
}
