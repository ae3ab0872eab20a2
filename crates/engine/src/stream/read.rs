//! GetShardIterator and GetRecords.

use super::iterator::{self, Position};
use super::list::view;
use super::record::{Place, ShardRef, StreamRecord, place_of};
use crate::catalog::seconds as seconds_of;
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::{Meta, Range};
use crate::pending::Pending;
use crate::write::StoredRecord;
use bothways_protocol::types::{
    GetRecordsInput, GetRecordsOutput, GetShardIteratorInput, GetShardIteratorOutput, Identity,
    OperationType, Record, ShardIteratorType, StreamRecord as Body, StreamViewType,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use bothways_store::Snapshot;
use bytes::BufMut;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::ops::Bound;

/// Most records of one answer. Source: API Reference, GetRecords.
const RECORDS: usize = 1_000;
/// Most bytes of records in one answer, where there is more than one. Source: Developer Guide, "Quotas".
const BYTES: usize = 1 << 20;

impl Inner {
    pub(crate) fn get_shard_iterator(
        &self,
        cx: &Context,
        input: &GetShardIteratorInput,
    ) -> Result<Pending, Fault> {
        validate::get_shard_iterator(input)?;
        let arn = input.stream_arn.as_deref().unwrap_or_default();
        let stream = self.stream_of_arn(cx, arn)?;
        let shard = stream.shard_named(input.shard_id.as_deref().unwrap_or_default());
        let shard = shard.ok_or(Message::ShardNotFound)?;
        let kind = input
            .shard_iterator_type
            .unwrap_or(ShardIteratorType::TrimHorizon);
        let number = input.sequence_number.as_deref();
        let snapshot = self.store.snapshot()?;
        let place = match (kind, number) {
            (ShardIteratorType::TrimHorizon, None) => None,
            (ShardIteratorType::Latest, None) => Some(Place {
                seq: snapshot.seq().saturating_add(1),
                position: 0,
            }),
            (ShardIteratorType::AtSequenceNumber, Some(number)) => Some(place(&shard, number)?),
            (ShardIteratorType::AfterSequenceNumber, Some(number)) => {
                Some(place(&shard, number)?.next())
            }
            (ShardIteratorType::AtTimestamp, None) => {
                let seconds = input.timestamp.ok_or(Message::TimestampMissing)?;
                Some(place_at(&*snapshot, &shard, seconds)?)
            }
            (kind, None) => {
                let kind = kind.as_str();
                return Err(Message::SequenceMissing { kind }.into());
            }
            (kind, Some(_)) => {
                let kind = kind.as_str();
                return Err(Message::SequenceForbidden { kind }.into());
            }
        };
        not_trimmed(&*snapshot, &shard, place)?;
        let position = Position {
            generation: shard.generation.number,
            range: shard.range,
            place,
        };
        let now = self.options.clock.now_millis();
        let output = GetShardIteratorOutput {
            shard_iterator: Some(iterator::write(&stream.arn, &position, now)),
        };
        Ok(Pending::ready(Response::GetShardIterator(Box::new(output))))
    }

    /// Records that are durable, in order. A shard that has ended and been read gives no further iterator.
    pub(crate) fn get_records(
        &self,
        cx: &Context,
        input: &GetRecordsInput,
    ) -> Result<Pending, Fault> {
        validate::get_records(input)?;
        let now = self.options.clock.now_millis();
        let text = input.shard_iterator.as_deref().unwrap_or_default();
        let (arn, position) = iterator::read(text, now)?;
        // Read before the catalogue: a shard that is open there may end with records not in the snapshot.
        let snapshot = self.store.snapshot()?;
        let stream = self.stream_of_arn(cx, arn)?;
        let shard = stream.shard(position.generation, position.range);
        let shard = shard.ok_or(Message::ShardNotFound)?;
        not_trimmed(&*snapshot, &shard, position.place)?;
        let limit = input.limit.and_then(|n| usize::try_from(n).ok());
        let page = page(
            &*snapshot,
            &stream,
            &shard,
            position.place,
            limit.unwrap_or(RECORDS).min(RECORDS),
        )?;
        // The end is known to be the end only where the snapshot has all before it.
        let ended = shard.end().is_some_and(|end| end.seq <= snapshot.seq());
        let next = Position {
            place: page.next.or(position.place),
            ..position
        };
        let output = GetRecordsOutput {
            next_shard_iterator: (page.more || !ended)
                .then(|| iterator::write(&stream.arn, &next, now)),
            records: Some(page.records),
        };
        Ok(Pending::ready(Response::GetRecords(Box::new(output))))
    }
}

/// The place that a sequence number names; it must be one of the shard's.
fn place(shard: &ShardRef<'_>, number: &str) -> Result<Place, Message> {
    let place = Place::parse(number);
    let inside =
        |place: &Place| *place >= shard.start() && shard.end().is_none_or(|end| *place <= end);
    place
        .filter(inside)
        .ok_or_else(|| Message::SequenceInvalid {
            number: number.to_owned(),
        })
}

/// Where the first record from a time on is. Records are in the order of their commits, which is that of their
/// times but for moments, so the search halves the commits between.
fn place_at(snapshot: &dyn Snapshot, shard: &ShardRef<'_>, seconds: f64) -> Result<Place, Fault> {
    let place = |seq| Place { seq, position: 0 };
    let (mut low, mut high) = (shard.start().seq, snapshot.seq().saturating_add(1));
    while low < high {
        let middle = low + (high - low) / 2;
        let range = shard_range(snapshot, shard, Some(place(middle)))?;
        let (from, to) = range.bounds();
        let first = snapshot.range(from, to, false).next().transpose()?;
        let earlier = match first {
            Some((_, value)) => seconds_of(StoredRecord::read(value)?.millis) < seconds,
            None => false,
        };
        if earlier {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    // Not below what was trimmed: the oldest record there is then is the first one of that time.
    let oldest = mark(snapshot, shard)?.map(Place::next);
    Ok(place(low).max(oldest.unwrap_or(Place::START)))
}

/// Key of the row that says how far a shard was trimmed.
pub(super) fn mark_key(shard: &ShardRef<'_>) -> Vec<u8> {
    let mut out = Meta::ShardMark.key();
    out.extend_from_slice(&shard.prefix());
    out
}

/// The last record of a shard that was trimmed.
pub(super) fn mark(snapshot: &dyn Snapshot, shard: &ShardRef<'_>) -> Result<Option<Place>, Fault> {
    let row = snapshot.get(&mark_key(shard))?;
    Ok(row.and_then(|row| place_of(&row)))
}

fn not_trimmed(
    snapshot: &dyn Snapshot,
    shard: &ShardRef<'_>,
    place: Option<Place>,
) -> Result<(), Fault> {
    let Some(place) = place else {
        return Ok(());
    };
    match mark(snapshot, shard)? {
        // The start of a shard may be asked for by its number, whatever was there.
        Some(mark) if mark >= place && place > shard.start() => Err(Message::RecordTrimmed.into()),
        _ => Ok(()),
    }
}

/// Records, and where the next ones are.
struct Page {
    records: Vec<Record>,
    next: Option<Place>,
    more: bool,
}

fn page(
    snapshot: &dyn Snapshot,
    stream: &StreamRecord,
    shard: &ShardRef<'_>,
    place: Option<Place>,
    limit: usize,
) -> Result<Page, Fault> {
    let mut page = Page {
        records: Vec::new(),
        next: None,
        more: false,
    };
    let (view, region) = (view(&stream.view), region(&stream.arn));
    let range = shard_range(snapshot, shard, place)?;
    let (from, to) = range.bounds();
    let mut bytes = 0;
    for row in snapshot.range(from, to, false) {
        let (key, value) = row?;
        let stored = StoredRecord::read(value)?;
        let place = place_of(&key).ok_or(Fault::StreamRecord)?;
        bytes += stored.size();
        if page.records.len() == limit || (bytes > BYTES && !page.records.is_empty()) {
            page.more = true;
            break;
        }
        page.next = Some(place.next());
        page.records
            .push(shown(stored, view, region, stream.id, place));
    }
    Ok(page)
}

/// The records of a shard from a place on; never through what was trimmed.
pub(super) fn shard_range(
    snapshot: &dyn Snapshot,
    shard: &ShardRef<'_>,
    place: Option<Place>,
) -> Result<Range, Fault> {
    let trimmed = mark(snapshot, shard)?.map(Place::next);
    let from = place.max(trimmed).unwrap_or(Place::START);
    let prefix = shard.prefix();
    let mut key = prefix.clone();
    key.put_u64(from.seq);
    key.put_u32(from.position);
    Ok(Range {
        from: Bound::Included(key.into()),
        to: Range::prefix(prefix).to,
    })
}

fn region(arn: &str) -> &str {
    arn.split(':').nth(3).unwrap_or_default()
}

fn shown(
    stored: StoredRecord,
    view: Option<StreamViewType>,
    region: &str,
    stream: u32,
    place: Place,
) -> Record {
    let size = i64::try_from(stored.size()).unwrap_or(i64::MAX);
    Record {
        event_id: Some(event_id(stream, place)),
        event_name: Some(match (&stored.before, &stored.after) {
            (false, _) => OperationType::Insert,
            (true, true) => OperationType::Modify,
            (true, false) => OperationType::Remove,
        }),
        event_version: Some("1.1".to_owned()),
        event_source: Some("aws:dynamodb".to_owned()),
        aws_region: Some(region.to_owned()),
        user_identity: stored.expired.then(|| Identity {
            principal_id: Some("dynamodb.amazonaws.com".to_owned()),
            identity_type: Some("Service".to_owned()),
        }),
        dynamodb: Some(Body {
            approximate_creation_date_time: Some(seconds_of(
                // Rounded down to a second. Source: API Reference, StreamRecord.
                stored.millis / 1_000 * 1_000,
            )),
            keys: Some(stored.keys),
            old_image: stored.old_image,
            new_image: stored.new_image,
            sequence_number: Some(place.text()),
            size_bytes: Some(size),
            stream_view_type: view,
        }),
    }
}

/// A name for the record, the same whenever it is read: 32 hexadecimal digits.
fn event_id(stream: u32, place: Place) -> String {
    let mut hash = Sha256::new();
    hash.update(stream.to_be_bytes());
    hash.update(place.seq.to_be_bytes());
    hash.update(place.position.to_be_bytes());
    let mut out = String::with_capacity(32);
    for byte in hash.finalize().iter().take(16) {
        // Writing into a String cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}
