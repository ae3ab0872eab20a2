//! What may be tried again, and after how long.

use crate::config::{FIRST_PAUSE, LONGEST_PAUSE};
use bothways_protocol::{Error, ErrorKind, Request};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Whether doing a request twice is the same as doing it once.
pub(crate) fn is_repeatable(request: &Request) -> bool {
    match request {
        // The token makes the second of two a replay of the first.
        Request::TransactWriteItems(input) => input.client_request_token.is_some(),
        other => other.only_reads(),
    }
}

/// Whether an error answer may be followed by another try.
///
/// Throttling means that nothing was done. An error of the server's own says nothing about a write's fate, so
/// only what is repeatable is tried again. (Source: Developer Guide, "Error handling", and the SDKs' lists.)
pub(crate) fn may_retry(error: &Error, repeatable: bool) -> bool {
    match &error.kind {
        ErrorKind::ProvisionedThroughputExceeded
        | ErrorKind::Throttling
        | ErrorKind::Unreachable => true,
        ErrorKind::Other(name) => {
            matches!(
                name.as_str(),
                "RequestLimitExceeded" | "ThrottledException" | "SlowDown"
            )
        }
        ErrorKind::TransactionInProgress
        | ErrorKind::InternalServerError
        | ErrorKind::ServiceUnavailable
        | ErrorKind::NoAnswer => repeatable,
        _ => false,
    }
}

/// The pause before try `next` (2 is the first retry): anywhere between nothing and a doubling limit, so that
/// clients that were refused together do not come back together ("full jitter").
pub(crate) fn pause(next: u32) -> Duration {
    let doublings = next.saturating_sub(2).min(16);
    let most = FIRST_PAUSE
        .saturating_mul(1 << doublings)
        .min(LONGEST_PAUSE);
    let random = RandomState::new().hash_one(next);
    let micros = u64::try_from(most.as_micros()).unwrap_or(u64::MAX - 1);
    Duration::from_micros(random % (micros + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bothways_protocol::types::TransactWriteItemsInput;

    #[test]
    fn only_what_is_safe_is_repeated() {
        assert!(is_repeatable(&Request::GetItem(Box::default())));
        assert!(!is_repeatable(&Request::PutItem(Box::default())));
        let mut transaction = TransactWriteItemsInput::default();
        assert!(!is_repeatable(&Request::TransactWriteItems(Box::new(
            transaction.clone()
        ))));
        transaction.client_request_token = Some("token".to_owned());
        assert!(is_repeatable(&Request::TransactWriteItems(Box::new(
            transaction
        ))));
        let other = Request::Other {
            target: "X".to_owned(),
            body: "{}".into(),
        };
        assert!(!is_repeatable(&other));

        let (always, repeatable, never) = ((true, true), (true, false), (false, false));
        for (kind, expected) in [
            (ErrorKind::Throttling, always),
            (ErrorKind::ProvisionedThroughputExceeded, always),
            (ErrorKind::Other("RequestLimitExceeded".to_owned()), always),
            (ErrorKind::Unreachable, always),
            (ErrorKind::InternalServerError, repeatable),
            (ErrorKind::ServiceUnavailable, repeatable),
            (ErrorKind::NoAnswer, repeatable),
            (ErrorKind::Validation, never),
            (ErrorKind::ConditionalCheckFailed, never),
            (ErrorKind::TransactionCanceled, never),
            (ErrorKind::TransactionConflict, never),
        ] {
            let error = Error::new(kind, "");
            assert_eq!(
                (may_retry(&error, true), may_retry(&error, false)),
                expected,
                "{error}"
            );
        }
    }

    #[test]
    fn pauses_grow_to_a_limit_and_are_spread() {
        for next in 2..40 {
            let most = (FIRST_PAUSE * 2_u32.pow((next - 2).min(10))).min(LONGEST_PAUSE);
            assert!((0..50).all(|_| pause(next) <= most), "{next}");
        }
        let different: std::collections::HashSet<_> = (0..50).map(|_| pause(9)).collect();
        assert!(different.len() > 40);
    }
}
