//! Bytes of row keys (frozen in `docs/format.md`).
//!
//! ```text
//! u32 table or index id | u64 stable hash of the partition key | partition key | sort key | base key (index rows)
//! ```
//!
//! Integers are big-endian. Partition and sort keys are the order-preserving, self-delimiting bytes of
//! [`bothways_core::key`], attribute after attribute, so no key is a prefix of another one. An index row ends
//! with its item's partition and sort key in the base table, which keeps tied index keys apart and in a
//! stable order. Id 0 is the catalogue's (see [`Meta`]).

use bothways_core::{Item, KeyPart, KeySchema, ValueRef, key, limits};
use bytes::{BufMut, Bytes};
use siphasher::sip::SipHasher13;
use std::ops::Bound;

/// Id of the catalogue's own rows; tables and indexes start at 1.
pub(crate) const META_ID: u32 = 0;
/// Bytes before the partition key: id and hash.
pub(crate) const PREFIX: usize = 4 + 8;

/// The fixed SipHash-1-3 key of the stable hash: the ASCII bytes of "bothways" and "hashkeys", big-endian.
/// It is part of the format: it places every row.
const HASH_KEY: (u64, u64) = (0x626f_7468_7761_7973, 0x6861_7368_6b65_7973);

/// The hash that places a partition key.
pub(crate) fn stable_hash(partition: &[u8]) -> u64 {
    SipHasher13::new_with_keys(HASH_KEY.0, HASH_KEY.1).hash(partition)
}

/// Rows of the catalogue: `u32 0 | kind | …`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Meta {
    /// Format version of the database: `version`.
    Format = b'f',
    /// Next free table or index id: `next`.
    NextId = b'n',
    /// A table: namespace and name, each terminated.
    Table = b't',
    /// Totals of a table and its indexes: table id.
    Totals = b's',
    /// Ids whose rows wait to be reclaimed: table id.
    Dropped = b'd',
    /// An index that is being made or dropped: index id.
    IndexJob = b'i',
    /// A transaction's token: the token.
    Token = b'k',
    /// The same by time: milliseconds, token.
    TokenTime = b'l',
    /// Where reading of [`Meta::TokenTime`] starts.
    TokenMark = b'm',
    /// A stream: namespace, table's name, label, each terminated.
    Stream = b'r',
    /// Where reading of a shard starts: stream id, generation, range.
    ShardMark = b'w',
    /// Where reading of expiring items starts: expiry id.
    ExpiryMark = b'x',
    /// How far expiring items of an older table were found: expiry id.
    ExpiryFill = b'y',
    /// A backup: namespace and the last part of its ARN, each terminated.
    Backup = b'b',
    /// A table whose items are being put in: its id.
    Job = b'j',
    /// An export: namespace and the last part of its ARN, each terminated.
    Export = b'e',
    /// An import: the same.
    Import = b'u',
    /// Where reading of a log of changes starts: log id.
    LogMark = b'p',
}

impl Meta {
    /// Start of a row key of this kind.
    pub(crate) fn key(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(48);
        out.put_u32(META_ID);
        out.put_u8(self as u8);
        out
    }
    /// A row key of this kind, named by a number.
    pub(crate) fn key_of(self, number: u32) -> Vec<u8> {
        let mut out = self.key();
        out.put_u32(number);
        out
    }
}

/// Appends the bytes of these key attributes; `None` where one is absent or not a scalar.
fn push_parts(out: &mut Vec<u8>, parts: &[KeyPart], item: &Item) -> Option<()> {
    for part in parts {
        if !key::push_scalar(out, item.get(&part.name)?) {
            return None;
        }
    }
    Some(())
}

/// Starts a row key at its partition: id, hash, partition key.
fn push_partition(out: &mut Vec<u8>, id: u32, parts: &[KeyPart], item: &Item) -> Option<()> {
    out.put_u32(id);
    out.put_u64(0);
    push_parts(out, parts, item)?;
    let hash = stable_hash(&out[PREFIX..]);
    out[4..PREFIX].copy_from_slice(&hash.to_be_bytes());
    Some(())
}

/// Id, hash and partition key of the values in `item`.
pub(crate) fn partition_key(id: u32, schema: &KeySchema, item: &Item) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(64);
    push_partition(&mut out, id, &schema.hash, item)?;
    Some(out)
}

/// Row key of an item in its base table.
pub(crate) fn base_key(id: u32, schema: &KeySchema, item: &Item) -> Option<Bytes> {
    let mut out = partition_key(id, schema, item)?;
    push_parts(&mut out, &schema.range, item)?;
    Some(exact(&out))
}

/// A key to be kept: stores in memory keep it as it is.
fn exact(key: &[u8]) -> Bytes {
    bothways_core::held(key)
}

/// Row key of an item in an index; `None` where the item lacks one of the index's key attributes (sparse), or has
/// one that no key can be: an index made later finds such items, and leaves them out.
pub(crate) fn index_key(
    id: u32,
    schema: &KeySchema,
    item: &Item,
    base_row_key: &[u8],
) -> Option<Bytes> {
    let fits = |parts: &[KeyPart], longest: usize| {
        parts.iter().all(|part| {
            let fits = |value| part.scalar.matches(value) && fits_key(value, longest);
            item.get(&part.name).is_some_and(fits)
        })
    };
    if !fits(&schema.hash, limits::PARTITION_KEY_BYTES)
        || !fits(&schema.range, limits::SORT_KEY_BYTES)
    {
        return None;
    }
    let mut out = partition_key(id, schema, item)?;
    push_parts(&mut out, &schema.range, item)?;
    out.extend_from_slice(&base_row_key[PREFIX..]);
    Some(exact(&out))
}

/// Whether a value is neither empty nor too long for a key.
fn fits_key(value: ValueRef<'_>, longest: usize) -> bool {
    match value {
        ValueRef::S(text) => (1..=longest).contains(&text.len()),
        ValueRef::B(bytes) => (1..=longest).contains(&bytes.len()),
        _ => true,
    }
}

/// A range of row keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) from: Bound<Bytes>,
    pub(crate) to: Bound<Bytes>,
}

impl Range {
    /// Every key that starts with `prefix`.
    pub(crate) fn prefix(prefix: impl Into<Bytes>) -> Self {
        let prefix = prefix.into();
        let to = after_prefix(&prefix);
        Self {
            from: Bound::Included(prefix),
            to,
        }
    }

    /// Every row of a table or index.
    pub(crate) fn all(id: u32) -> Self {
        Self::prefix(Bytes::copy_from_slice(&id.to_be_bytes()))
    }

    /// The rows of one of `total` equal parts of the hash space.
    pub(crate) fn segment(id: u32, segment: u32, total: u32) -> Self {
        let edge = |n: u32| -> Bound<Bytes> {
            if n >= total {
                return Self::all(id).to;
            }
            let hash = (u128::from(n) << 64) / u128::from(total);
            let mut out = Vec::with_capacity(PREFIX);
            out.put_u32(id);
            // Below total, the quotient is below 2^64.
            out.put_u64(u64::try_from(hash).unwrap_or(u64::MAX));
            Bound::Included(out.into())
        };
        let to = match edge(segment + 1) {
            Bound::Included(key) => Bound::Excluded(key),
            other => other,
        };
        Self {
            from: edge(segment),
            to,
        }
    }

    /// The part of the range after `key` in reading order.
    #[must_use]
    pub(crate) fn after(mut self, key: Bytes, reverse: bool) -> Self {
        if reverse {
            self.to = Bound::Excluded(key);
        } else {
            self.from = Bound::Excluded(key);
        }
        self
    }

    /// The keys that lie in both.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            from: later(self.from, other.from),
            to: earlier(self.to, other.to),
        }
    }

    /// One range that covers both.
    #[must_use]
    pub(crate) fn cover(self, other: Self) -> Self {
        let swap = |bound: Bound<Bytes>| match bound {
            Bound::Included(key) => Bound::Excluded(key),
            Bound::Excluded(key) => Bound::Included(key),
            Bound::Unbounded => Bound::Unbounded,
        };
        let unbounded =
            |one: &Bound<Bytes>, two: &Bound<Bytes>| [one, two].contains(&&Bound::Unbounded);
        // The start of what both cover is the earlier start, which is the end of what lies before both.
        let from = if unbounded(&self.from, &other.from) {
            Bound::Unbounded
        } else {
            swap(earlier(swap(self.from), swap(other.from)))
        };
        let to = if unbounded(&self.to, &other.to) {
            Bound::Unbounded
        } else {
            swap(later(swap(self.to), swap(other.to)))
        };
        Self { from, to }
    }

    /// Whether no key can lie in it.
    pub(crate) fn is_empty(&self) -> bool {
        match (&self.from, &self.to) {
            (Bound::Included(from), Bound::Included(to)) => from > to,
            (
                Bound::Included(from) | Bound::Excluded(from),
                Bound::Excluded(to) | Bound::Included(to),
            ) => from >= to,
            _ => false,
        }
    }

    /// Whether the key lies in the range.
    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        let above = match &self.from {
            Bound::Included(from) => key >= &from[..],
            Bound::Excluded(from) => key > &from[..],
            Bound::Unbounded => true,
        };
        above
            && match &self.to {
                Bound::Included(to) => key <= &to[..],
                Bound::Excluded(to) => key < &to[..],
                Bound::Unbounded => true,
            }
    }

    /// The bounds as the store takes them.
    pub(crate) fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (as_slice(&self.from), as_slice(&self.to))
    }
}

/// The start that leaves fewer keys.
fn later(one: Bound<Bytes>, two: Bound<Bytes>) -> Bound<Bytes> {
    let rank = |bound: &Bound<Bytes>| match bound {
        Bound::Unbounded => None,
        Bound::Included(key) => Some((key.clone(), false)),
        Bound::Excluded(key) => Some((key.clone(), true)),
    };
    if rank(&one) >= rank(&two) { one } else { two }
}

/// The end that leaves fewer keys.
fn earlier(one: Bound<Bytes>, two: Bound<Bytes>) -> Bound<Bytes> {
    let rank = |bound: &Bound<Bytes>| match bound {
        Bound::Unbounded => (true, Bytes::new(), false),
        Bound::Included(key) => (false, key.clone(), true),
        Bound::Excluded(key) => (false, key.clone(), false),
    };
    if rank(&one) <= rank(&two) { one } else { two }
}

fn as_slice(bound: &Bound<Bytes>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(key) => Bound::Included(key),
        Bound::Excluded(key) => Bound::Excluded(key),
        Bound::Unbounded => Bound::Unbounded,
    }
}

/// The end of the keys that start with `prefix`: its bytes as a number, plus one.
pub(crate) fn after_prefix(prefix: &[u8]) -> Bound<Bytes> {
    let mut out = prefix.to_vec();
    while let Some(last) = out.pop() {
        if let Some(next) = last.checked_add(1) {
            out.push(next);
            return Bound::Excluded(out.into());
        }
    }
    Bound::Unbounded
}
