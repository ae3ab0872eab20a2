//! What is stored of a stream, its shards, and their names.
//!
//! A stream has generations of shards, one open at a time; a generation divides the hash space of the
//! partition keys into equal ranges, one a shard. The next one begins after four hours, or earlier with
//! twice the shards when much is written; each of its shards has the one before it of the same hashes as its
//! parent. So the records of an item are in one shard or in its children, in order.

use crate::catalog::record::KeyRecord;
use bothways_protocol::types::{SequenceNumberRange, Shard};
use bothways_store::Seq;
use bytes::{BufMut, Bytes};
use serde::{Deserialize, Serialize};

/// Most ranges of a generation, as a power of two.
pub(crate) const MOST_BITS: u8 = 6;

/// A stream as stored under (namespace, table's name, label).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StreamRecord {
    pub(crate) id: u32,
    pub(crate) namespace: String,
    pub(crate) table: String,
    pub(crate) label: String,
    pub(crate) arn: String,
    /// AWS's word for what its records carry.
    pub(crate) view: String,
    /// Milliseconds since 1970.
    pub(crate) created: u64,
    pub(crate) key: KeyRecord,
    /// Oldest first; all but the last one have an end.
    pub(crate) generations: Vec<Generation>,
}

/// The shards between two times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Generation {
    pub(crate) number: u32,
    /// Milliseconds since 1970; no two of a stream are the same.
    pub(crate) started: u64,
    /// It has two to this power shards.
    pub(crate) bits: u8,
    /// The commit that opened it: its records are in later ones.
    pub(crate) first: Seq,
    /// When and with which powers the generation before began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<(u64, u8)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<End>,
}

/// The end of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    /// The commit that ended it: its records are in earlier ones.
    pub(crate) seq: Seq,
}

/// A place in a shard: the record with this number, or the next one there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) seq: Seq,
    /// The record's place in its commit.
    pub(crate) position: u32,
}

/// Digits of a commit's number and of a place in it.
const SEQ_DIGITS: usize = 20;
const POSITION_DIGITS: usize = 10;

impl Place {
    pub(crate) const START: Self = Self {
        seq: 0,
        position: 0,
    };

    pub(crate) fn next(self) -> Self {
        Self {
            seq: self.seq,
            position: self.position.saturating_add(1),
        }
    }

    /// Its sequence number: always as many digits, so that their order as text and as numbers is the same,
    /// and never a zero first, which readers that take it for a number would drop.
    pub(crate) fn text(self) -> String {
        format!("1{:020}{:010}", self.seq, self.position)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('1')?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        if !plain || digits.len() != SEQ_DIGITS + POSITION_DIGITS {
            return None;
        }
        let (seq, position) = digits.split_at(SEQ_DIGITS);
        Some(Self {
            seq: seq.parse().ok()?,
            position: position.parse().ok()?,
        })
    }
}

/// One shard of a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShardRef<'a> {
    pub(crate) stream: u32,
    pub(crate) generation: &'a Generation,
    pub(crate) range: u16,
}

impl StreamRecord {
    /// Its shards in the order of their names; parents first.
    pub(crate) fn shards(&self) -> impl Iterator<Item = ShardRef<'_>> {
        self.generations.iter().flatten_shards(self.id)
    }

    pub(crate) fn shard(&self, generation: u32, range: u16) -> Option<ShardRef<'_>> {
        self.shards()
            .find(|shard| shard.generation.number == generation && shard.range == range)
    }

    pub(crate) fn shard_named(&self, name: &str) -> Option<ShardRef<'_>> {
        self.shards().find(|shard| shard.name() == name)
    }

    pub(crate) fn open(&self) -> Option<&Generation> {
        self.generations.last().filter(|g| g.end.is_none())
    }

    /// Ends the open generation.
    pub(crate) fn close(&mut self, at: u64, seq: Seq) {
        if let Some(last) = self.generations.last_mut() {
            last.end.get_or_insert(End { at, seq });
        }
    }

    /// Ends the open generation and begins another one.
    pub(crate) fn roll(&mut self, now: u64, bits: u8, seq: Seq) {
        self.close(now, seq);
        let last = self.generations.last();
        let next = Generation {
            number: last.map_or(0, |g| g.number.wrapping_add(1)),
            started: last.map_or(now, |g| now.max(g.started + 1)),
            bits,
            first: seq,
            parent: last.map(|g| (g.started, g.bits)),
            end: None,
        };
        self.generations.push(next);
    }
}

/// Generations as their shards.
trait FlattenShards<'a> {
    fn flatten_shards(self, stream: u32) -> impl Iterator<Item = ShardRef<'a>>;
}

impl<'a, I: Iterator<Item = &'a Generation>> FlattenShards<'a> for I {
    fn flatten_shards(self, stream: u32) -> impl Iterator<Item = ShardRef<'a>> {
        self.flat_map(move |generation| {
            (0..1_u16 << generation.bits.min(MOST_BITS)).map(move |range| ShardRef {
                stream,
                generation,
                range,
            })
        })
    }
}

impl ShardRef<'_> {
    /// Its id: begins with the time, as AWS's do, so that the order of the names is that of the shards.
    pub(crate) fn name(&self) -> String {
        name(self.generation.started, self.range)
    }

    /// The id of the shard that it continues.
    pub(crate) fn parent(&self) -> Option<String> {
        let (started, bits) = self.generation.parent?;
        let narrower = self.generation.bits.saturating_sub(bits);
        Some(name(started, self.range >> narrower))
    }

    /// Where its records begin.
    pub(crate) fn start(&self) -> Place {
        Place {
            seq: self.generation.first,
            position: 1,
        }
    }

    /// Behind its last record, where it has ended.
    pub(crate) fn end(&self) -> Option<Place> {
        let seq = self.generation.end?.seq;
        Some(Place { seq, position: 0 })
    }

    /// The beginning of its records' keys.
    pub(crate) fn prefix(&self) -> Vec<u8> {
        prefix(self.stream, self.generation.number, self.range)
    }

    pub(crate) fn describe(&self) -> Shard {
        Shard {
            shard_id: Some(self.name()),
            sequence_number_range: Some(SequenceNumberRange {
                starting_sequence_number: Some(self.start().text()),
                ending_sequence_number: self.end().map(Place::text),
            }),
            parent_shard_id: self.parent(),
        }
    }
}

fn name(started: u64, range: u16) -> String {
    format!("shardId-{started:020}-{range:08x}")
}

fn prefix(stream: u32, generation: u32, range: u16) -> Vec<u8> {
    let mut out = Vec::with_capacity(KEY_BYTES);
    out.put_u32(stream);
    out.put_u32(generation);
    out.put_u16(range);
    out
}

/// Bytes of a record's key.
pub(crate) const KEY_BYTES: usize = 4 + 4 + 2 + 8 + 4;

/// Key of a record.
pub(crate) fn record_key(stream: u32, generation: u32, range: u16, place: Place) -> Bytes {
    let mut out = prefix(stream, generation, range);
    out.put_u64(place.seq);
    out.put_u32(place.position);
    out.into_boxed_slice().into()
}

/// The place at the end of a record's key.
pub(crate) fn place_of(key: &[u8]) -> Option<Place> {
    let mut rest = key.last_chunk::<12>().map(|tail| &tail[..])?;
    Some(Place {
        seq: bytes::Buf::get_u64(&mut rest),
        position: bytes::Buf::get_u32(&mut rest),
    })
}

/// The range of a generation that a partition's hash falls in.
pub(crate) fn range_of(hash: u64, bits: u8) -> u16 {
    let bits = u32::from(bits.min(MOST_BITS));
    // At most six bits are left.
    u16::try_from(hash.checked_shr(64 - bits).unwrap_or(0)).unwrap_or(0)
}
