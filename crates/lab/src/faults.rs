//! What goes wrong, and how often it did.

use std::time::Duration;

/// How often something happens: times in a thousand.
pub type Chance = u16;

/// Units that one partition key takes, in a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyLimits {
    /// Write units.
    pub write: u64,
    /// Read units.
    pub read: u64,
    /// Seconds of unused capacity that a key may have saved.
    pub burst: u64,
}

impl Default for KeyLimits {
    /// What one partition gives, without savings. Source: Developer Guide, "Best practices for designing and using
    /// partition keys effectively": 3,000 read and 1,000 write units a second.
    fn default() -> Self {
        Self {
            write: 1_000,
            read: 3_000,
            burst: 1,
        }
    }
}

/// What goes wrong. The default is nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    /// A transaction, or a write of one item, is turned away because another transaction is in the way.
    pub conflicts: Chance,
    /// A write is turned away by throttling, whatever its keys took before. It names its first key.
    pub throttling: Chance,
    /// Requests that a key has no units left for are throttled.
    pub key_limits: Option<KeyLimits>,
    /// A request does not arrive; the caller learns only that no answer came.
    pub lost_requests: Chance,
    /// A request is done and its answer lost; the caller learns only that no answer came.
    pub lost_answers: Chance,
    /// A transaction's token is forgotten, as after ten minutes.
    pub forgotten_tokens: Chance,
    /// Longest time from a write to the moment at which indexes and eventually consistent reads see it; drawn for
    /// each write. A key's changes come in order.
    pub index_lag: Duration,
    /// Longest time during which a transaction that is not yet answered is seen item by item by Query, Scan and
    /// `BatchGetItem`, however consistent (they are read-committed); `GetItem` and transactions see all of it.
    pub item_by_item: Duration,
    /// A batch is done in part, the rest comes back unprocessed.
    pub unprocessed: Chance,
    /// A page of Query or Scan ends after a few items, with a `LastEvaluatedKey`, also where nothing follows.
    pub short_pages: Chance,
    /// A page comes back empty with the `LastEvaluatedKey` that it started from. First pages cannot.
    pub empty_pages: Chance,
    /// `GetRecords` begins with records that came before, as after a restart from an older place.
    pub replayed_records: Chance,
    /// Longest time of a request on its way, and of its answer on its way back, each drawn anew: what mixes the steps
    /// of several clients.
    pub latency: Duration,
}

impl Faults {
    /// All at once, each often enough to be met in a hundred requests, none so often that nothing gets done.
    #[must_use]
    pub fn stormy() -> Self {
        Self {
            conflicts: 60,
            throttling: 20,
            key_limits: None,
            lost_requests: 25,
            lost_answers: 25,
            forgotten_tokens: 0,
            index_lag: Duration::from_millis(400),
            item_by_item: Duration::from_millis(8),
            unprocessed: 100,
            short_pages: 200,
            empty_pages: 80,
            replayed_records: 60,
            latency: Duration::from_millis(5),
        }
    }
}

macro_rules! tally {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// How often each fault happened.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct Tally { $($(#[$doc])* pub $name: u64,)* }

        impl Tally {
            /// Names and numbers, in the order of [`Faults`].
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name),)*].into_iter()
            }
        }
    };
}

tally! {
    /// Requests that arrived.
    requests,
    /// Turned away by another transaction.
    conflicts,
    /// Turned away by throttling.
    throttled,
    /// Requests that did not arrive.
    lost_requests,
    /// Answers that did not arrive.
    lost_answers,
    /// Tokens taken off a transaction.
    forgotten_tokens,
    /// Reads that a lagging copy answered while some change had not reached it.
    stale_reads,
    /// Queries answered while a transaction was seen in part.
    partial_reads,
    /// Batches done in part.
    unprocessed,
    /// Pages cut short.
    short_pages,
    /// Pages without items that were not the last.
    empty_pages,
    /// Records that came again.
    replayed_records,
}
