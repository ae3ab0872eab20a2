//! Sending writes until their fate is known: which answers settle a write, which are worth another attempt.

use crate::env::Environment;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::receipt::Receipt;
use bothways_protocol as protocol;
use bothways_protocol::types::TransactWriteItemsInput;
use bothways_protocol::{BoxFuture, CancellationReason, Context, DynamoDbExt, ErrorKind};
use std::time::{Duration, Instant};

/// How long an operation without a deadline is tried.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest that one token is used. After ten minutes DynamoDB forgets it (API Reference, `TransactWriteItems`,
/// `ClientRequestToken`), and sending it again could undo what somebody else did meanwhile.
const TOKEN_LIFE: Duration = Duration::from_mins(9);
/// First pause after a conflict; it doubles with each attempt, and the actual pause is drawn from 0 to it.
const CONFLICT_PAUSE: Duration = Duration::from_millis(4);
/// The same after throttling: capacity comes back by the second.
const THROTTLE_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What an error answer to a write means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A condition did not hold: the write is decided, whatever else is said.
    Settled,
    /// Sending it again cannot help.
    Failed,
    /// Surely not done; another transaction was in the way.
    Conflict,
    /// Surely not done; too much at once.
    Throttled,
    /// The same token is being worked on.
    InProgress,
    /// Perhaps done: no answer came, or a server's own fault.
    Ambiguous,
    /// Perhaps done, and nobody will say: sending it again cannot help.
    Lost,
}

/// Classifies an error answer.
pub(crate) fn classify(error: &protocol::Error) -> Verdict {
    match &error.kind {
        ErrorKind::TransactionCanceled => cancelled(&error.reasons),
        ErrorKind::ConditionalCheckFailed => Verdict::Settled,
        ErrorKind::TransactionConflict => Verdict::Conflict,
        ErrorKind::TransactionInProgress => Verdict::InProgress,
        ErrorKind::ProvisionedThroughputExceeded | ErrorKind::Throttling => Verdict::Throttled,
        ErrorKind::InternalServerError | ErrorKind::ServiceUnavailable | ErrorKind::NoAnswer => {
            Verdict::Ambiguous
        }
        ErrorKind::ReadOnly => Verdict::Lost,
        ErrorKind::Other(name) if name == "RequestLimitExceeded" => Verdict::Throttled,
        _ => Verdict::Failed,
    }
}

/// A failed condition settles whatever the other reasons say; then one fault that no repetition mends fails all.
fn cancelled(reasons: &[CancellationReason]) -> Verdict {
    let has = |code: &str| reasons.iter().any(|r| r.code == code);
    if has("ConditionalCheckFailed") {
        return Verdict::Settled;
    }
    let throttled = |r: &CancellationReason| {
        matches!(
            r.code.as_str(),
            "ThrottlingError" | "ProvisionedThroughputExceeded"
        )
    };
    let passing = |r: &CancellationReason| {
        throttled(r) || matches!(r.code.as_str(), "None" | "TransactionConflict")
    };
    if !reasons.iter().all(passing) {
        Verdict::Failed
    } else if reasons.iter().any(throttled) {
        Verdict::Throttled
    } else if has("TransactionConflict") {
        Verdict::Conflict
    } else {
        Verdict::Failed
    }
}

/// A transaction whose fate is known.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Done.
    Committed,
    /// Refused: at least one reason is a failed condition. One reason per action.
    Refused(Vec<CancellationReason>),
}

/// Attempts at one write: pauses with full jitter until the time is up.
pub(crate) struct Attempts<'g> {
    env: &'g dyn Environment,
    until: Instant,
    sent: u64,
    ambiguous: bool,
    throttled: bool,
}

impl<'g> Attempts<'g> {
    pub(crate) fn new(env: &'g dyn Environment, cx: &Context) -> Self {
        let now = env.monotonic();
        let until = cx.deadline.unwrap_or(now + PATIENCE);
        Self {
            env,
            until: until.min(now + TOKEN_LIFE),
            sent: 0,
            ambiguous: false,
            throttled: false,
        }
    }

    /// After an error answer that may pass: waits for the next attempt, or says what is known when the time is up.
    pub(crate) async fn again(
        &mut self,
        verdict: Verdict,
        error: protocol::Error,
        op_id: &str,
        receipt: &mut Receipt,
    ) -> Result<()> {
        self.ambiguous |= matches!(verdict, Verdict::Ambiguous | Verdict::InProgress);
        self.throttled |= verdict == Verdict::Throttled && by_key(&error);
        let Some(pause) = self.pause(verdict) else {
            let (op_id, last) = (op_id.to_owned(), Box::new(error));
            return Err(if self.ambiguous {
                Error::Unknown { op_id, last }
            } else {
                Error::Contended {
                    op_id,
                    attempts: self.sent,
                    last,
                }
            });
        };
        self.rest(verdict, pause, receipt).await;
        Ok(())
    }

    /// The same for a read, which has no fate: when the time is up, the answer itself is the error.
    pub(crate) async fn read_again(
        &mut self,
        verdict: Verdict,
        error: protocol::Error,
        receipt: &mut Receipt,
    ) -> Result<()> {
        let Some(pause) = self.pause(verdict) else {
            return Err(error.into());
        };
        self.rest(verdict, pause, receipt).await;
        Ok(())
    }

    /// Sends nothing later than this.
    pub(crate) fn end_by(&mut self, until: Instant) {
        self.until = self.until.min(until);
    }

    /// Whether some attempt was throttled because of a key, not of the table or the account.
    pub(crate) const fn throttled_key(&self) -> bool {
        self.throttled
    }

    /// Whether some attempt may have been done although its answer does not say so.
    pub(crate) const fn ambiguous(&self) -> bool {
        self.ambiguous
    }

    /// How long to wait before the next attempt; `None` when the time is up.
    fn pause(&mut self, verdict: Verdict) -> Option<Duration> {
        self.sent += 1;
        let first = match verdict {
            Verdict::Throttled => THROTTLE_PAUSE,
            _ => CONFLICT_PAUSE,
        };
        let doublings = u32::try_from(self.sent - 1).unwrap_or(u32::MAX).min(16);
        let longest = first.saturating_mul(1 << doublings).min(LONGEST_PAUSE);
        let micros = u64::try_from(longest.as_micros()).unwrap_or(u64::MAX);
        let pause = Duration::from_micros(self.env.random() % (micros + 1));
        (self.env.monotonic() + pause < self.until).then_some(pause)
    }

    async fn rest(&self, verdict: Verdict, pause: Duration, receipt: &mut Receipt) {
        receipt.retries += 1;
        receipt.conflicts += u64::from(verdict == Verdict::Conflict);
        self.env.sleep(pause).await;
    }
}

/// Whether a throttled request had a key that took too much. A transaction's reasons do not say what was throttled, so
/// it is taken for a key: tables on demand have no other limit in ordinary use.
fn by_key(error: &protocol::Error) -> bool {
    match &error.throttling {
        Some(throttling) => throttling
            .reasons
            .iter()
            .any(|r| r.reason.ends_with("KeyRangeThroughputExceeded")),
        None => error.kind == ErrorKind::TransactionCanceled,
    }
}

impl Graph {
    /// Sends a write, again where that may help, until it is decided. The inner error is an answer that settles it: a
    /// condition that did not hold.
    pub(crate) async fn decide<'a, T>(
        &'a self,
        cx: &'a Context,
        op_id: &str,
        receipt: &mut Receipt,
        send: impl FnMut() -> BoxFuture<'a, std::result::Result<T, protocol::Error>>,
    ) -> Result<std::result::Result<T, protocol::Error>> {
        let mut attempts = Attempts::new(&*self.env, cx);
        self.decide_in(&mut attempts, op_id, receipt, send).await
    }

    /// The same within attempts that went before, which also know whether one of them may have been done.
    pub(crate) async fn decide_in<'a, T>(
        &'a self,
        attempts: &mut Attempts<'_>,
        op_id: &str,
        receipt: &mut Receipt,
        mut send: impl FnMut() -> BoxFuture<'a, std::result::Result<T, protocol::Error>>,
    ) -> Result<std::result::Result<T, protocol::Error>> {
        loop {
            let started = self.env.monotonic();
            let answer = send().await;
            receipt.requests += 1;
            receipt.elapsed += self.env.monotonic().saturating_duration_since(started);
            let error = match answer {
                Ok(output) => return Ok(Ok(output)),
                Err(error) => error,
            };
            match classify(&error) {
                Verdict::Settled => return Ok(Err(error)),
                Verdict::Failed => return Err(error.into()),
                Verdict::Lost => {
                    return Err(Error::Unknown {
                        op_id: op_id.to_owned(),
                        last: Box::new(error),
                    });
                }
                verdict => attempts.again(verdict, error, op_id, receipt).await?,
            }
        }
    }

    /// Sends a transaction, each time with the same token, until it is decided.
    pub(crate) async fn transact(
        &self,
        cx: &Context,
        input: &TransactWriteItemsInput,
        op_id: &str,
        receipt: &mut Receipt,
    ) -> Result<Outcome> {
        let mut attempts = Attempts::new(&*self.env, cx);
        self.transact_in(&mut attempts, cx, input, op_id, receipt)
            .await
    }

    /// The same within attempts that went before.
    pub(crate) async fn transact_in(
        &self,
        attempts: &mut Attempts<'_>,
        cx: &Context,
        input: &TransactWriteItemsInput,
        op_id: &str,
        receipt: &mut Receipt,
    ) -> Result<Outcome> {
        let send = || self.db.transact_write_items(cx, input.clone());
        match self.decide_in(attempts, op_id, receipt, send).await? {
            Ok(output) => {
                for capacity in output.consumed_capacity.iter().flatten() {
                    receipt.consumed(Some(capacity));
                }
                Ok(Outcome::Committed)
            }
            Err(error) => Ok(Outcome::Refused(error.reasons)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cancelled_by(codes: &[&str]) -> protocol::Error {
        let mut error = protocol::Error::new(ErrorKind::TransactionCanceled, "cancelled");
        error.reasons = codes
            .iter()
            .map(|code| CancellationReason {
                code: (*code).to_owned(),
                ..CancellationReason::default()
            })
            .collect();
        error
    }

    #[test]
    fn reasons_of_a_cancelled_transaction_are_weighed() {
        for (codes, verdict) in [
            (
                &["ConditionalCheckFailed", "TransactionConflict", "None"][..],
                Verdict::Settled,
            ),
            (
                &["None", "ConditionalCheckFailed", "ThrottlingError"],
                Verdict::Settled,
            ),
            (
                &["None", "TransactionConflict", "ValidationError"],
                Verdict::Failed,
            ),
            (
                &["None", "ItemCollectionSizeLimitExceeded"],
                Verdict::Failed,
            ),
            (&["None", "TransactionConflict"], Verdict::Conflict),
            (
                &["ThrottlingError", "TransactionConflict"],
                Verdict::Throttled,
            ),
            (
                &["None", "ProvisionedThroughputExceeded"],
                Verdict::Throttled,
            ),
            (&["None", "None"], Verdict::Failed),
            (&[], Verdict::Failed),
        ] {
            assert_eq!(classify(&cancelled_by(codes)), verdict, "{codes:?}");
        }
    }

    #[test]
    fn other_errors_are_sorted_by_what_is_known() {
        for (kind, verdict) in [
            (ErrorKind::TransactionInProgress, Verdict::InProgress),
            (ErrorKind::NoAnswer, Verdict::Ambiguous),
            (ErrorKind::ServiceUnavailable, Verdict::Ambiguous),
            (ErrorKind::ReadOnly, Verdict::Lost),
            (ErrorKind::InternalServerError, Verdict::Ambiguous),
            (ErrorKind::Throttling, Verdict::Throttled),
            (ErrorKind::Validation, Verdict::Failed),
            (ErrorKind::IdempotentParameterMismatch, Verdict::Failed),
            (ErrorKind::ResourceNotFound, Verdict::Failed),
        ] {
            assert_eq!(
                classify(&protocol::Error::new(kind.clone(), "")),
                verdict,
                "{kind:?}"
            );
        }
    }
}
