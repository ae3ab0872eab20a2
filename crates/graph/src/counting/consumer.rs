//! The consumer: shards of the stream, each under a lease, batch by batch.

use super::adds::{Adds, Event};
use super::checkpoint::{Checkpoint, Lease};
use super::is_behind;
use super::stream::{Stream, millis};
use crate::env::operation_id;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::receipt::Receipt;
use crate::requests;
use crate::send::Outcome;
use crate::shard::Counting;
use bothways_protocol as protocol;
use bothways_protocol::types::Record;
use bothways_protocol::{Context, ErrorKind, Operation};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// Counters of one transaction: its hundredth action is the checkpoint.
const COUNTERS: usize = 99;
/// Records of an answer that is full: more are there.
const FULL: usize = 1_000;
/// Attempts at one batch whose targets' maps change meanwhile.
const ROUNDS: u32 = 32;
/// Records that are about no edge, after which the checkpoint moves for their sake alone. The checkpoints themselves are
/// written to the table, so there are always such records.
const SKIPPED: u64 = 10_000;
/// Batches of one shard before the others have their turn.
const BATCHES: u32 = 16;

/// How to consume the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumerOptions {
    /// Who consumes: leases are in this name. Nothing: a name drawn at random.
    pub owner: Option<String>,
    /// How long a lease holds that is not renewed.
    pub lease: Duration,
    /// Pause between passes over a stream that has nothing new.
    pub pause: Duration,
    /// End when everything there is was counted.
    pub once: bool,
}

impl Default for ConsumerOptions {
    fn default() -> Self {
        Self {
            owner: None,
            lease: Duration::from_secs(30),
            pause: Duration::from_secs(1),
            once: false,
        }
    }
}

/// What a consumer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Consumed {
    /// Records read.
    pub records: u64,
    /// Transactions that moved counters.
    pub transactions: u64,
    /// Passes over the stream's shards.
    pub passes: u64,
    /// Targets counted anew because the stream was not read for longer than it keeps records.
    pub recounted: u64,
    /// How far the last record was behind, in milliseconds.
    pub lag: u64,
}

/// What became of a shard in a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Nothing new now.
    Idle,
    /// Records were read, and more may be there.
    Busy,
    /// Read to its end.
    Done,
    /// Somebody else's.
    Elsewhere,
    /// Records are gone that were not counted.
    Gap,
}

/// A consumer at work.
struct Consumer<'g> {
    graph: &'g Graph,
    cx: &'g Context,
    owner: String,
    options: &'g ConsumerOptions,
    held: HashMap<String, Held>,
    consumed: Consumed,
}

/// A shard whose lease this consumer has.
struct Held {
    checkpoint: Checkpoint,
    /// When the lease is renewed: milliseconds since 1970.
    renew: u64,
    iterator: Option<String>,
    /// Records behind the checkpoint that are about no edge.
    skipped: u64,
}

impl Graph {
    /// Counts from the table's stream until `stop` says so, or, `once`, until nothing more is there. Any number of
    /// consumers may work on a table: each shard of the stream is one's at a time. Whoever dies leaves its shards to the
    /// others when its leases end, and nothing is counted twice or left out.
    ///
    /// Where the stream was not read for longer than it keeps records (24 hours), targets are counted anew.
    ///
    /// # Errors
    /// [`Error::Counting`] where the table has no stream for it; what the database refuses.
    pub async fn consume(
        &self,
        cx: &Context,
        options: &ConsumerOptions,
        mut stop: impl FnMut(&Consumed) -> bool,
    ) -> Result<Consumed> {
        let mut consumer = Consumer {
            graph: self,
            cx,
            owner: options
                .owner
                .clone()
                .unwrap_or_else(|| operation_id(&*self.env)),
            options,
            held: HashMap::new(),
            consumed: Consumed::default(),
        };
        loop {
            let busy = consumer.pass().await?;
            consumer.consumed.passes += 1;
            if stop(&consumer.consumed) || (options.once && !busy) {
                return Ok(consumer.consumed);
            }
            if !busy {
                self.env.sleep(options.pause).await;
            }
        }
    }
}

impl Consumer<'_> {
    /// A turn for every shard; whether any had records.
    async fn pass(&mut self) -> Result<bool> {
        let stream = self.graph.describe_stream(self.cx).await?;
        let known = self.graph.checkpoints(self.cx, &stream.label).await?;
        if has_gap(&stream, &known) {
            self.recount(&stream).await?;
        }
        let mut done: HashMap<&str, bool> = HashMap::new();
        let mut busy = false;
        for shard in &stream.shards {
            let Some(id) = shard.shard_id.as_deref() else {
                continue;
            };
            let parent = shard.parent_shard_id.as_deref();
            let waits = parent.is_some_and(|p| done.get(p) == Some(&false));
            let turn = match known.get(id) {
                Some(checkpoint) if checkpoint.done => Turn::Done,
                _ if waits => Turn::Elsewhere,
                _ => self.turn(&stream, id).await?,
            };
            if turn == Turn::Gap {
                self.recount(&stream).await?;
            }
            busy |= matches!(turn, Turn::Busy | Turn::Gap);
            done.insert(id, turn == Turn::Done);
        }
        Ok(busy)
    }

    /// Counts every target anew that is counted from the stream, and lets shards that are gone be done.
    async fn recount(&mut self, stream: &Stream) -> Result<()> {
        for (relation, id) in self.graph.async_targets(self.cx).await? {
            self.graph
                .switch_counting(self.cx, &relation, &id, Counting::Async)
                .await?;
            self.consumed.recounted += 1;
        }
        let known = self.graph.checkpoints(self.cx, &stream.label).await?;
        for (id, checkpoint) in known {
            let listed = stream
                .shards
                .iter()
                .any(|s| s.shard_id.as_deref() == Some(&id));
            let lease = self.lease(stream, &id);
            if !listed && !checkpoint.done && self.graph.lease(self.cx, &lease).await?.is_some() {
                self.graph.leave(self.cx, &lease, true).await?;
            }
        }
        Ok(())
    }

    fn lease(&self, stream: &Stream, shard: &str) -> Lease {
        Lease {
            label: stream.label.clone(),
            shard: shard.to_owned(),
            owner: self.owner.clone(),
            time: self.options.lease,
        }
    }

    /// The shard's state, under a lease that holds for a while; `None` where another consumer has it.
    async fn hold(&mut self, lease: &Lease) -> Result<Option<Held>> {
        let now = self.graph.env.epoch_millis();
        let mut held = self.held.remove(&lease.shard);
        if held.as_ref().is_none_or(|held| held.renew <= now) {
            let Some(checkpoint) = self.graph.lease(self.cx, lease).await? else {
                return Ok(None);
            };
            let half = u64::try_from(lease.time.as_millis() / 2).unwrap_or(u64::MAX);
            let same = held.filter(|held| held.checkpoint == checkpoint);
            held = Some(Held {
                checkpoint,
                renew: now.saturating_add(half),
                iterator: same.as_ref().and_then(|held| held.iterator.clone()),
                skipped: same.map_or(0, |held| held.skipped),
            });
        }
        Ok(held)
    }

    /// Some batches of one shard.
    async fn turn(&mut self, stream: &Stream, shard: &str) -> Result<Turn> {
        let lease = self.lease(stream, shard);
        let Some(mut held) = self.hold(&lease).await? else {
            return Ok(Turn::Elsewhere);
        };
        if held.checkpoint.done {
            return Ok(Turn::Done);
        }
        let mut busy = false;
        for _ in 0..BATCHES {
            let iterator = if let Some(iterator) = held.iterator.take() {
                iterator
            } else {
                let behind = held.checkpoint.sequence.as_deref();
                let (graph, cx) = (self.graph, self.cx);
                if let Some(iterator) = graph.iterator(cx, &stream.arn, shard, behind).await? {
                    iterator
                } else {
                    graph.rewind(cx, &lease).await?;
                    return Ok(Turn::Gap);
                }
            };
            let Some(output) = self.graph.records(self.cx, &iterator).await? else {
                // The iterator is too old: the next turn begins behind the checkpoint.
                return Ok(Turn::Busy);
            };
            let records = output.records.unwrap_or_default();
            let Some(events) = self.count(&lease, &mut held, &records).await? else {
                // The next turn finds out where it stands, or that it is somebody else's.
                return Ok(Turn::Busy);
            };
            busy |= events > 0 || records.len() >= FULL;
            let Some(next) = output.next_shard_iterator else {
                self.graph.leave(self.cx, &lease, true).await?;
                return Ok(Turn::Done);
            };
            held.iterator = Some(next);
            if records.is_empty() {
                break;
            }
        }
        self.held.insert(shard.to_owned(), held);
        Ok(if busy { Turn::Busy } else { Turn::Idle })
    }

    /// Counts records behind the checkpoint, in transactions that move it. Answers how many were about edges; `None` where
    /// the checkpoint is another.
    async fn count(
        &mut self,
        lease: &Lease,
        held: &mut Held,
        records: &[Record],
    ) -> Result<Option<usize>> {
        let model = &*self.graph.model;
        let sequence = |r: &Record| r.dynamodb.as_ref().and_then(|d| d.sequence_number.clone());
        let counted = held.checkpoint.sequence.clone();
        let is_new = |s: &String| counted.as_ref().is_none_or(|c| is_behind(s, c));
        let new: Vec<&Record> = records
            .iter()
            .filter(|r| sequence(r).as_ref().is_some_and(is_new))
            .collect();
        self.consumed.records += new.len() as u64;
        let Some(last) = new.last() else {
            return Ok(Some(0));
        };
        let end = sequence(last).unwrap_or_default();
        let events: Vec<Event<'_>> = new.iter().filter_map(|r| Event::of(model, r)).collect();
        if events.is_empty() && held.skipped + (new.len() as u64) < SKIPPED {
            held.skipped += new.len() as u64;
            return Ok(Some(0));
        }
        let created = |r: &Record| r.dynamodb.as_ref()?.approximate_creation_date_time;
        let now = self.graph.env.epoch_millis();
        self.consumed.lag = now.saturating_sub(millis(created(last)));
        let mut left = &events[..];
        for _ in 0..ROUNDS {
            let (taken, adds) = self.group(left).await?;
            let whole = taken == left.len();
            let to = if whole {
                end.clone()
            } else {
                left[taken - 1].sequence.clone()
            };
            match self.advance(lease, &held.checkpoint, &to, adds).await? {
                Advanced::Yes => {
                    held.checkpoint.sequence = Some(to);
                    held.skipped = 0;
                    left = &left[taken..];
                    if whole {
                        return Ok(Some(events.len()));
                    }
                }
                Advanced::Lost => return Ok(None),
                Advanced::OtherMap => {}
            }
        }
        let message = "the maps of a batch's targets changed under every attempt";
        Err(protocol::Error::new(ErrorKind::TransactionConflict, message).into())
    }

    /// As many events as one transaction counts, and what they add.
    async fn group(&self, events: &[Event<'_>]) -> Result<(usize, Adds)> {
        let graph = self.graph;
        let ends = graph.ends_of(self.cx, events).await?;
        let mut adds = Adds::default();
        for (at, event) in events.iter().enumerate() {
            // One event moves two counters at most.
            if at > 0 && adds.len() + 2 > COUNTERS {
                return Ok((at, adds));
            }
            graph.tally(event, &ends, &mut adds)?;
        }
        Ok((events.len(), adds))
    }

    async fn advance(
        &mut self,
        lease: &Lease,
        from: &Checkpoint,
        to: &str,
        adds: Adds,
    ) -> Result<Advanced> {
        let graph = self.graph;
        let now = graph.env.epoch_millis();
        let moves = adds.len() > 0;
        let mut actions = vec![lease.advance(&graph.model, from, to, now)];
        actions.extend(adds.actions(&graph.model, now));
        let token = operation_id(&*graph.env);
        let input = requests::transaction(actions, &token);
        let mut receipt = Receipt::new(Operation::TransactWriteItems, &graph.model.table);
        match graph.transact(self.cx, &input, &token, &mut receipt).await {
            Ok(Outcome::Committed) => {
                self.consumed.transactions += u64::from(moves);
                Ok(Advanced::Yes)
            }
            Ok(Outcome::Refused(reasons)) => {
                let of_checkpoint = reasons
                    .first()
                    .filter(|r| r.code == "ConditionalCheckFailed");
                if of_checkpoint.is_none() {
                    return Ok(Advanced::OtherMap);
                }
                // Perhaps it is this very transaction, and its answer was lost.
                let there = graph.lease(self.cx, lease).await?;
                let own = there.is_some_and(|c| c.sequence.as_deref() == Some(to));
                Ok(if own { Advanced::Yes } else { Advanced::Lost })
            }
            // Its fate is not known: the checkpoint tells.
            Err(Error::Unknown { .. } | Error::Contended { .. }) => Ok(Advanced::Lost),
            Err(error) => Err(error),
        }
    }
}

/// Whether a shard went out of the stream before it was counted to its end.
pub(super) fn has_gap(stream: &Stream, known: &BTreeMap<String, Checkpoint>) -> bool {
    let listed = |id: &str| {
        let shards = stream.shards.iter();
        shards
            .filter_map(|s| s.shard_id.as_deref())
            .any(|s| s == id)
    };
    known
        .iter()
        .any(|(id, checkpoint)| !checkpoint.done && !listed(id))
}

/// What became of a transaction.
enum Advanced {
    Yes,
    /// The checkpoint is another: begin where it says.
    Lost,
    /// A target's map is another: look again.
    OtherMap,
}
