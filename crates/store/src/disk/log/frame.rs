//! One commit group as bytes.

use crate::disk::marker::Salt;
use crate::{Batch, Seq};
use bytes::Bytes;
use crc32fast::Hasher;

/// Bytes before a frame's rows.
pub(super) const HEADER: usize = 40;
/// Frames start at multiples of this, so that a search for one needs not look at every byte.
pub(super) const ALIGN: usize = 8;
/// Stands for a value's length when the key is deleted.
const DELETED: u32 = u32::MAX;

/// Checksums of one segment: those of another segment or database do not match.
#[derive(Debug, Clone)]
pub(super) struct Sums(Hasher);

impl Sums {
    pub(super) fn new(salt: &Salt, segment: u64) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(salt);
        hasher.update(&segment.to_le_bytes());
        Self(hasher)
    }

    pub(super) fn of(&self, bytes: &[u8]) -> u32 {
        let mut hasher = self.0.clone();
        hasher.update(bytes);
        hasher.finalize()
    }
}

/// What a frame says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// Bytes of rows that follow.
    pub(super) len: u32,
    pub(super) group: u64,
    /// Its first commit's number; the others follow.
    pub(super) first: Seq,
    pub(super) commits: u32,
    /// Checksum of the rows.
    pub(super) sum: u32,
}

impl Header {
    pub(super) fn encode(&self, sums: &Sums) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[4..8].copy_from_slice(&self.len.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.group.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.commits.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.sum.to_le_bytes());
        let sum = sums.of(&bytes[4..]);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// `None` when the bytes are not a header that was written to this segment.
    pub(super) fn decode(bytes: &[u8; HEADER], sums: &Sums) -> Option<Self> {
        let mut fields = Reader(bytes);
        let (sum_of_header, len) = (fields.u32()?, fields.u32()?);
        // No group is empty: most bytes that are no header are told without a checksum.
        if len == 0 {
            return None;
        }
        let header = Self {
            len,
            group: fields.u64()?,
            first: fields.u64()?,
            commits: fields.u32()?,
            sum: fields.u32()?,
        };
        (sums.of(&bytes[4..]) == sum_of_header && header.commits > 0).then_some(header)
    }

    /// The last commit of the group.
    pub(super) fn last(&self) -> Seq {
        self.first + u64::from(self.commits) - 1
    }
}

/// Bytes of a whole frame, with what fills it up.
pub(super) fn frame_len(payload: u32) -> u64 {
    (HEADER as u64 + u64::from(payload)).next_multiple_of(ALIGN as u64)
}

/// The open group's frame, growing by one commit after the other.
#[derive(Debug)]
pub(in crate::disk) struct GroupBuffer {
    bytes: Vec<u8>,
    pub(in crate::disk) first: Seq,
    pub(in crate::disk) commits: u32,
}

impl GroupBuffer {
    pub(in crate::disk) fn new() -> Self {
        Self {
            bytes: vec![0; HEADER],
            first: 0,
            commits: 0,
        }
    }

    /// Empties it, keeping its memory up to a limit.
    pub(in crate::disk) fn clear(&mut self, keep: usize) {
        self.bytes.clear();
        self.bytes.shrink_to(keep);
        self.bytes.resize(HEADER, 0);
        self.commits = 0;
    }

    pub(in crate::disk) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds a commit whose limits have been checked.
    pub(in crate::disk) fn push(&mut self, seq: Seq, batch: &Batch) {
        if self.commits == 0 {
            self.first = seq;
        }
        self.commits += 1;
        let rows = u32::try_from(batch.entries.len()).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(&rows.to_le_bytes());
        for (key, value) in &batch.entries {
            let key_len = u16::try_from(key.len()).unwrap_or(u16::MAX);
            let len = |v: &Bytes| u32::try_from(v.len()).unwrap_or(DELETED);
            self.bytes.extend_from_slice(&key_len.to_le_bytes());
            self.bytes
                .extend_from_slice(&value.as_ref().map_or(DELETED, len).to_le_bytes());
            self.bytes.extend_from_slice(key);
            self.bytes
                .extend_from_slice(value.as_deref().unwrap_or_default());
        }
    }

    /// A frame that was read, to be written again.
    pub(super) fn from_frame(header: &Header, payload: &[u8]) -> Self {
        let mut bytes = vec![0; HEADER];
        bytes.extend_from_slice(payload);
        Self {
            bytes,
            first: header.first,
            commits: header.commits,
        }
    }

    /// The bytes to write as a group of a segment.
    pub(super) fn seal(&mut self, group: u64, sums: &Sums) -> &[u8] {
        let payload = &self.bytes[HEADER..];
        let header = Header {
            len: u32::try_from(payload.len()).unwrap_or(u32::MAX),
            group,
            first: self.first,
            commits: self.commits,
            sum: sums.of(payload),
        };
        self.bytes[..HEADER].copy_from_slice(&header.encode(sums));
        self.bytes
            .resize(self.bytes.len().next_multiple_of(ALIGN), 0);
        &self.bytes
    }
}

/// Calls back with each row of a frame, in order; false when the bytes make no sense.
pub(super) fn rows(
    header: &Header,
    payload: &[u8],
    mut row: impl FnMut(Seq, Bytes, Option<Bytes>),
) -> bool {
    let mut bytes = Reader(payload);
    let mut commit = |seq| -> Option<()> {
        for _ in 0..bytes.u32()? {
            let key_len = bytes.u16()?;
            let value_len = bytes.u32()?;
            let key = Bytes::copy_from_slice(bytes.take(usize::from(key_len))?);
            let value = match value_len {
                DELETED => None,
                len => Some(Bytes::copy_from_slice(
                    bytes.take(usize::try_from(len).ok()?)?,
                )),
            };
            row(seq, key, value);
        }
        Some(())
    };
    let whole = (0..u64::from(header.commits)).all(|i| commit(header.first + i).is_some());
    whole && bytes.0.is_empty()
}

/// Takes numbers and bytes off the front of a slice.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of `docs/format.md`, and what keeps it true.
    #[test]
    fn a_frame_has_the_bytes_of_the_format_page() {
        let sums = Sums::new(&[7; 16], 3);
        let mut buffer = GroupBuffer::new();
        let mut batch = Batch::default();
        batch.put("k", "val");
        batch.delete("gone");
        buffer.push(41, &batch);
        buffer.push(42, &Batch::default());
        let bytes = buffer.seal(9, &sums).to_vec();
        let hex = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(String::new(), |s, b| s + &format!("{b:02x}"))
        };
        assert_eq!(
            hex(&bytes[4..28]),
            "1c0000000900000000000000290000000000000002000000"
        );
        let rows_of_first = "02000000".to_owned() + "0100030000006b76616c" + "0400ffffffff676f6e65";
        assert_eq!(hex(&bytes[40..68]), rows_of_first + "00000000");
        assert_eq!(bytes.len(), 72);
        let header = Header::decode(bytes.first_chunk().unwrap(), &sums).unwrap();
        assert_eq!((header.first, header.last(), header.group), (41, 42, 9));
        let mut seen = Vec::new();
        assert!(rows(&header, &bytes[40..68], |seq, key, value| seen
            .push((seq, key, value))));
        assert_eq!(
            seen,
            [
                (41, "k".into(), Some("val".into())),
                (41, "gone".into(), None)
            ]
        );
        let others = [Sums::new(&[8; 16], 3), Sums::new(&[7; 16], 4)];
        assert!(
            others
                .iter()
                .all(|sums| Header::decode(bytes.first_chunk().unwrap(), sums).is_none())
        );
    }

    #[test]
    fn rows_that_make_no_sense_are_refused() {
        let header = Header {
            len: 0,
            group: 1,
            first: 1,
            commits: 1,
            sum: 0,
        };
        let cases: &[&[u8]] = &[
            &[],
            &[1, 0, 0, 0],
            &[0, 0, 0, 0, 9],
            &[1, 0, 0, 0, 5, 0, 1, 0, 0, 0, b'k'],
            &[1, 0, 0, 0, 1, 0, 0xFE, 0xFF, 0xFF, 0xFF, b'k'],
            &[255, 255, 255, 255, 1, 0, 0, 0, 0, 0, b'k'],
        ];
        for bytes in cases {
            assert!(!rows(&header, bytes, |_, _, _| {}), "{bytes:?}");
        }
    }
}
