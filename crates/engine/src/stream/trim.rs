//! Streams in the background: records older than 24 hours go, shards end and continue in new ones.

use super::read::{mark_key, shard_range};
use super::record::{MOST_BITS, Place, ShardRef, StreamRecord, place_of};
use crate::catalog::{Companions, Switch, Table};
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::Meta;
use crate::write::StoredRecord;
use bothways_core::limits::STREAM_MILLIS;
use bytes::{BufMut, Bytes};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// How long a shard is open, milliseconds. Ours to choose: AWS only says that shards are ephemeral (Developer
/// Guide, "Change data capture for DynamoDB Streams").
const SHARD_MILLIS: u64 = 4 * 60 * 60 * 1_000;
/// Records a second at which a shard is split: what AWS writes to one partition. Source: Developer Guide,
/// "Best practices for designing and using partition keys".
const SPLIT_RATE: u64 = 1_000;

impl Inner {
    /// One bounded step for all streams; true while there is more to do.
    pub(crate) fn stream_step(&self, limit: usize) -> Result<bool, Fault> {
        let now = self.options.clock.now_millis();
        for stream in self.catalog.all_streams() {
            if self.trim_stream(&stream, now, limit)? || self.roll_stream(&stream, now)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Trims one chunk of one shard, or forgets generations that have nothing left.
    fn trim_stream(&self, stream: &StreamRecord, now: u64, limit: usize) -> Result<bool, Fault> {
        let Some(horizon) = now.checked_sub(STREAM_MILLIS) else {
            return Ok(false);
        };
        let mut kept = None;
        for shard in stream.shards() {
            if shard.generation.started > horizon {
                break;
            }
            match self.trim_shard(&shard, horizon, limit)? {
                Trim::Some => return Ok(true),
                Trim::Kept => kept = kept.or(Some(shard.generation.number)),
                Trim::Empty => {}
            }
        }
        let gone = stream.generations.iter().take_while(|generation| {
            let over = generation.end.is_some_and(|end| end.at <= horizon);
            over && kept != Some(generation.number)
        });
        let gone = gone.count();
        if gone == 0 {
            return Ok(false);
        }
        self.forget_shards(stream, gone)?;
        Ok(true)
    }

    fn trim_shard(&self, shard: &ShardRef<'_>, horizon: u64, limit: usize) -> Result<Trim, Fault> {
        let snapshot = self.store.snapshot()?;
        let range = shard_range(&*snapshot, shard, None)?;
        let (from, to) = range.bounds();
        let mut old: Vec<Bytes> = Vec::new();
        let mut kept = false;
        for row in snapshot.range(from, to, false).take(limit) {
            let (key, value) = row?;
            if StoredRecord::read(value)?.millis > horizon {
                kept = true;
                break;
            }
            old.push(key);
        }
        drop(snapshot);
        let Some(last) = old.last().and_then(|key| place_of(key)) else {
            return Ok(if kept { Trim::Kept } else { Trim::Empty });
        };
        let mark = mark_value(last);
        let ticket = self.store.submit(&mut |_, batch| {
            for key in &old {
                batch.delete(key.clone());
            }
            batch.put(mark_key(shard), mark.clone());
        })?;
        ticket.wait()?;
        Ok(Trim::Some)
    }

    /// Forgets a stream's first generations; the whole stream with the last one.
    fn forget_shards(&self, stream: &StreamRecord, generations: usize) -> Result<(), Fault> {
        let mut change = self.catalog.change();
        // As it is now: a table's change may have ended it meanwhile.
        let Some(stream) = self.newest(stream) else {
            return Ok(());
        };
        let mut companions = Companions::default();
        let shards = stream.shards();
        let gone = &stream.generations[..generations];
        for shard in shards.filter(|shard| gone.contains(shard.generation)) {
            companions.rows.push((mark_key(&shard), None));
        }
        if generations == stream.generations.len() {
            let id = stream.id.to_be_bytes().to_vec();
            let dropped = Meta::Dropped.key_of(stream.id);
            companions.rows.push((dropped, Some(id)));
        }
        companions.switch(StreamRecord::clone(&stream), Switch::Forget { generations });
        let ticket = self.commit_change(&mut change, companions, None, |_, _| {})?;
        drop(change);
        Ok(ticket.wait()?)
    }

    /// Ends the shards of a stream and begins their children, where it is time or much is written.
    fn roll_stream(&self, stream: &StreamRecord, now: u64) -> Result<bool, Fault> {
        if self.due_shards(stream, now).is_none() {
            return Ok(false);
        }
        let mut change = self.catalog.change();
        // Looked at again: a table's change may have ended it meanwhile.
        let due = self.due_shards(stream, now);
        let (Some(stream), Some((table, bits))) = (self.newest(stream), due) else {
            return Ok(false);
        };
        let mut companions = Companions::default();
        companions.switch(StreamRecord::clone(&stream), Switch::Roll { now, bits });
        let ticket = self.commit_change(&mut change, companions, Some(&table), |_, _| {})?;
        drop(change);
        ticket.wait()?;
        Ok(true)
    }

    /// The table of an open stream whose shards should end, and the power of two of the next ones.
    fn due_shards(&self, stream: &StreamRecord, now: u64) -> Option<(Arc<Table>, u8)> {
        let table = self.catalog.find(&stream.namespace, &stream.table)?;
        let features = table.live.features.load_full();
        let open = features
            .stream
            .as_ref()
            .filter(|open| open.id == stream.id)?;
        let age = now.saturating_sub(open.started);
        let most = ((age / 1_000).max(1) * SPLIT_RATE) << open.bits;
        let busy = open.bits < MOST_BITS && open.written.load(Relaxed) > most;
        (busy || age >= SHARD_MILLIS).then(|| (table, open.bits + u8::from(busy)))
    }

    /// The stream as the catalogue has it.
    fn newest(&self, stream: &StreamRecord) -> Option<Arc<StreamRecord>> {
        let (namespace, table) = (&stream.namespace, &stream.table);
        self.catalog.stream(namespace, table, &stream.label)
    }
}

/// What trimming found in a shard.
enum Trim {
    /// Old records, now gone.
    Some,
    /// Only younger ones.
    Kept,
    /// None.
    Empty,
}

fn mark_value(place: Place) -> Vec<u8> {
    let mut out = Vec::with_capacity(12);
    out.put_u64(place.seq);
    out.put_u32(place.position);
    out
}
