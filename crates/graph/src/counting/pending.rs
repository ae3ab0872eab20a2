//! What the stream holds that was not counted yet.

use super::adds::Event;
use super::stream::Stream;
use crate::error::Result;
use crate::graph::Graph;
use crate::requests::{self, Key};
use bothways_protocol::Context;
use std::collections::{HashMap, HashSet};

/// Records of one look: more are too far behind to be compared with.
const RECORDS: usize = 200_000;
/// Answers without records in a row after which a shard that is still written to is at its end. A stream may answer
/// without records and have more all the same (Developer Guide, "Reading and processing a stream").
const EMPTY: u32 = 5;

/// A change of an edge that no counter has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// When it was made, in milliseconds since 1970.
    pub(crate) at: u64,
    pub(crate) by: i64,
    sequence: String,
}

/// Changes behind the consumers' checkpoints, by the entity whose counter they move.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    by_target: HashMap<Key, Vec<Waiting>>,
    /// All there is was read. Otherwise it was too much, or the stream has let go of some of it.
    pub(crate) whole: bool,
}

impl Pending {
    /// What waits for a counter that has seen all that was before `since`.
    pub(crate) fn of(&self, key: &Key, since: u64) -> Vec<Waiting> {
        let waiting = self.by_target.get(key).into_iter().flatten();
        waiting.filter(|w| w.at >= since).cloned().collect()
    }
}

impl Graph {
    /// What waits for the counters of these entities; `None` where the table has no stream.
    pub(crate) async fn pending(
        &self,
        cx: &Context,
        keys: &HashSet<Key>,
    ) -> Result<Option<Pending>> {
        if self.stream_arn(cx).await?.is_none() {
            return Ok(None);
        }
        let stream = self.describe_stream(cx).await?;
        let known = self.checkpoints(cx, &stream.label).await?;
        let mut pending = Pending {
            whole: !super::consumer::has_gap(&stream, &known),
            ..Pending::default()
        };
        let mut left = RECORDS;
        for shard in &stream.shards {
            let Some(id) = shard.shard_id.as_deref() else {
                continue;
            };
            let checkpoint = known.get(id).cloned().unwrap_or_default();
            if !checkpoint.done {
                let behind = checkpoint.sequence.as_deref();
                self.read_on(cx, &stream, (id, behind), keys, &mut left, &mut pending)
                    .await?;
            }
        }
        Ok(Some(pending))
    }

    /// Reads a shard from behind a record to its end.
    async fn read_on(
        &self,
        cx: &Context,
        stream: &Stream,
        (shard, behind): (&str, Option<&str>),
        keys: &HashSet<Key>,
        left: &mut usize,
        pending: &mut Pending,
    ) -> Result<()> {
        let mut iterator = self.iterator(cx, &stream.arn, shard, behind).await?;
        pending.whole &= iterator.is_some();
        let mut empty = 0;
        while let Some(at) = iterator.filter(|_| empty < EMPTY) {
            let Some(output) = self.records(cx, &at).await? else {
                pending.whole = false;
                return Ok(());
            };
            let records = output.records.unwrap_or_default();
            empty = if records.is_empty() { empty + 1 } else { 0 };
            for event in records.iter().filter_map(|r| Event::of(&self.model, r)) {
                let entity = self.entity(&event.relation.to)?;
                let key = requests::entity_key(&self.model, entity, &event.target)?;
                if keys.contains(&key) && event.relation.may_map() {
                    let waiting = Waiting {
                        at: event.at,
                        by: event.by,
                        sequence: event.sequence,
                    };
                    pending.by_target.entry(key).or_default().push(waiting);
                }
            }
            *left = left.saturating_sub(records.len());
            if *left == 0 {
                pending.whole = false;
                return Ok(());
            }
            iterator = output.next_shard_iterator;
        }
        Ok(())
    }
}
