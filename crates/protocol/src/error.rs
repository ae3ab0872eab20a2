//! Errors as DynamoDB answers them.

use crate::Response;
use bothways_core::Item;
use std::borrow::Cow;

/// DynamoDB's exception types (and the generic ones of AWS JSON services).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input is wrong.
    Validation,
    /// The body is not the JSON that the operation takes.
    Serialization,
    /// No such operation.
    UnknownOperation,
    /// A condition did not hold.
    ConditionalCheckFailed,
    /// A transaction was cancelled; see the reasons.
    TransactionCanceled,
    /// A plain write met a transaction.
    TransactionConflict,
    /// The same token is being worked on.
    TransactionInProgress,
    /// The same token with other parameters.
    IdempotentParameterMismatch,
    /// No such table (or index).
    ResourceNotFound,
    /// The table exists already or is changing.
    ResourceInUse,
    /// An item collection over 10 GB.
    ItemCollectionSizeLimitExceeded,
    /// Throughput of a table or index exceeded.
    ProvisionedThroughputExceeded,
    /// Account-level limits.
    LimitExceeded,
    /// Throttled by the control plane or on-demand limits.
    Throttling,
    /// Ours.
    InternalServerError,
    /// Not ready (starting, read-only after a failed sync).
    ServiceUnavailable,
    /// No answer came (client backends): the fate of a write is unknown.
    NoAnswer,
    /// Any other exception, by its name.
    Other(String),
}

/// Why one action of a transaction did not happen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CancellationReason {
    /// `None`, `ConditionalCheckFailed`, `TransactionConflict`, `ValidationError`, …
    pub code: String,
    /// AWS's words; absent for `None`.
    pub message: Option<String>,
    /// The item in the way, where the action asked for it.
    pub item: Option<Item>,
}

/// An error answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind:?}: {message}")]
pub struct Error {
    /// Its exception type.
    pub kind: ErrorKind,
    /// Its words, from the message table (or from the server that sent it).
    pub message: Cow<'static, str>,
    /// The item in the way (`ReturnValuesOnConditionCheckFailure`).
    pub item: Option<Item>,
    /// One reason per action of a cancelled transaction, in order.
    pub reasons: Vec<CancellationReason>,
}

impl Error {
    /// An error of a kind with its words.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            item: None,
            reasons: Vec::new(),
        }
    }
    /// A `ValidationException`.
    pub fn validation(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Validation, message)
    }
    /// A backend answered one operation with another's output.
    pub(crate) fn wrong_response(operation: &str, _got: &Response) -> Self {
        Self::new(
            ErrorKind::InternalServerError,
            format!("{operation} was answered by another operation's output"),
        )
    }
}
