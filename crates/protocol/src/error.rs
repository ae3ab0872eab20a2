//! Errors as DynamoDB answers them.

use crate::wire::{self, Wire};
use crate::{Message, Response};
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
    /// An INSERT of a key that is there already.
    DuplicateItem,
    /// No such table (or index).
    ResourceNotFound,
    /// The table exists already or is changing.
    ResourceInUse,
    /// No such table, for backups and what belongs to them.
    TableNotFound,
    /// A restored table's name is taken.
    TableAlreadyExists,
    /// A restored table's name is being restored to.
    TableInUse,
    /// No such backup.
    BackupNotFound,
    /// The backup is being restored from.
    BackupInUse,
    /// Point-in-time recovery cannot be switched now.
    ContinuousBackupsUnavailable,
    /// Point-in-time recovery is off.
    PointInTimeRecoveryUnavailable,
    /// A time that cannot be restored to.
    InvalidRestoreTime,
    /// No such export.
    ExportNotFound,
    /// The same token with another export.
    ExportConflict,
    /// A time that cannot be exported.
    InvalidExportTime,
    /// No such import.
    ImportNotFound,
    /// The same token with another import.
    ImportConflict,
    /// No such policy, or another revision of it.
    PolicyNotFound,
    /// An item collection over 10 GB.
    ItemCollectionSizeLimitExceeded,
    /// Throughput of a table or index exceeded.
    ProvisionedThroughputExceeded,
    /// Account-level limits.
    LimitExceeded,
    /// A shard iterator is older than 15 minutes.
    ExpiredIterator,
    /// A stream's record is not kept any more.
    TrimmedDataAccess,
    /// Throttled by the control plane or on-demand limits.
    Throttling,
    /// Ours.
    InternalServerError,
    /// Not ready, or too busy to take it.
    ServiceUnavailable,
    /// A write failed, on a full disk for instance, and until the database is opened anew it only reads. The write
    /// that failed may still be there then; sending it again now cannot help. AWS has no such thing: on the wire it is
    /// [`Self::InternalServerError`], which every operation of the API model has, and which SDKs try again.
    ReadOnly,
    /// No answer came (client backends): the fate of a write is unknown.
    NoAnswer,
    /// The backend could not be reached (client backends): nothing was sent.
    Unreachable,
    /// The request carries no credentials.
    MissingAuthenticationToken,
    /// The request's credentials are incomplete.
    IncompleteSignature,
    /// The request's signature is wrong.
    InvalidSignature,
    /// Nobody has these credentials.
    UnrecognizedClient,
    /// The caller may not do this.
    AccessDenied,
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

/// Why a request was throttled, and what was (API Reference, `ThrottlingReason`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThrottlingReason {
    /// Resource, operation and limit in one word: `IndexWriteKeyRangeThroughputExceeded`.
    pub reason: String,
    /// ARN of the table or index.
    pub resource: String,
}

/// The reasons of a throttled request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Throttling {
    /// At least one.
    pub reasons: Vec<ThrottlingReason>,
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
    /// Why the request was throttled, where the answer says it.
    pub throttling: Option<Box<Throttling>>,
}

impl Error {
    /// An error of a kind with its words.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            item: None,
            reasons: Vec::new(),
            throttling: None,
        }
    }
    /// A `ValidationException`.
    pub fn validation(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Validation, message)
    }
    /// A `TransactionCanceledException`, its words made of its reasons.
    #[must_use]
    pub fn canceled(reasons: Vec<CancellationReason>) -> Self {
        let codes: Vec<&str> = reasons.iter().map(|reason| reason.code.as_str()).collect();
        let message = Message::TransactionCanceled {
            codes: codes.join(", "),
        };
        Self {
            reasons,
            ..Self::from(message)
        }
    }
    /// The same error with one more reason why it was throttled: the reason's word and the ARN of what was.
    #[must_use]
    pub fn throttled_by(mut self, reason: impl Into<String>, resource: impl Into<String>) -> Self {
        let throttling = self.throttling.get_or_insert_default();
        throttling.reasons.push(ThrottlingReason {
            reason: reason.into(),
            resource: resource.into(),
        });
        self
    }
    /// A backend answered one operation with another's output.
    pub(crate) fn wrong_response(operation: &str, _got: &Response) -> Self {
        Self::new(
            ErrorKind::InternalServerError,
            format!("{operation} was answered by another operation's output"),
        )
    }

    /// The HTTP status that the error is answered with.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self.kind {
            ErrorKind::InternalServerError | ErrorKind::ReadOnly => 500,
            ErrorKind::ServiceUnavailable | ErrorKind::NoAnswer | ErrorKind::Unreachable => 503,
            _ => 400,
        }
    }

    /// Appends the error's body, as AWS writes it.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let words = (!self.message.is_empty()).then(|| self.message.clone().into_owned());
        let capital = self.kind.capital_message();
        let throttling = self.throttling.as_ref();
        let throttling: Option<Vec<_>> =
            throttling.map(|t| t.reasons.iter().map(ThrottledBody::of).collect());
        let small = self.kind == ErrorKind::Throttling;
        let body = ErrorBody {
            type_name: Some(self.kind.type_name()),
            reasons: (!self.reasons.is_empty())
                .then(|| self.reasons.iter().map(ReasonBody::of).collect()),
            capital_message: words.clone().filter(|_| capital),
            message: words.filter(|_| !capital),
            item: self.item.clone(),
            capital_throttling: throttling.clone().filter(|_| !small),
            throttling: throttling.filter(|_| small),
        };
        body.write(out);
    }

    /// Reads an error's body, as a client gets it. A body that is no error's gives the kind that `status` says.
    #[must_use]
    pub fn decode(status: u16, body: &[u8]) -> Self {
        let body = wire::decode::<ErrorBody>(body)
            .map(|decoded| decoded.value)
            .unwrap_or_default();
        let kind = match body.type_name.as_deref() {
            Some(name) => ErrorKind::of_type(name),
            None if status == 503 => ErrorKind::ServiceUnavailable,
            None if status >= 500 => ErrorKind::InternalServerError,
            None => ErrorKind::Other(format!("HTTP status {status}")),
        };
        let reasons = body.reasons.unwrap_or_default();
        let throttling = body.throttling.or(body.capital_throttling);
        Self {
            kind,
            message: body
                .message
                .or(body.capital_message)
                .unwrap_or_default()
                .into(),
            item: body.item,
            reasons: reasons.into_iter().map(ReasonBody::into_reason).collect(),
            throttling: throttling.map(|reasons| {
                let reasons = reasons.into_iter().map(ThrottledBody::into_reason);
                Box::new(Throttling {
                    reasons: reasons.collect(),
                })
            }),
        }
    }
}

shapes! {
    /// An error's body.
    ErrorBody {
        type_name: String = "__type",
        reasons: Vec<ReasonBody> = "CancellationReasons",
        capital_message: String = "Message",
        message: String = "message",
        item: Item = "Item",
        capital_throttling: Vec<ThrottledBody> = "ThrottlingReasons",
        throttling: Vec<ThrottledBody> = "throttlingReasons",
    }
    /// One reason of a throttled request. `ThrottlingException` has their list in small letters (API model).
    ThrottledBody { reason: String = "reason", resource: String = "resource", }
    /// One reason of a cancelled transaction.
    ReasonBody { code: String = "Code", item: Item = "Item", message: String = "Message", }
}

impl ThrottledBody {
    fn of(reason: &ThrottlingReason) -> Self {
        Self {
            reason: Some(reason.reason.clone()),
            resource: Some(reason.resource.clone()),
        }
    }
    fn into_reason(self) -> ThrottlingReason {
        ThrottlingReason {
            reason: self.reason.unwrap_or_default(),
            resource: self.resource.unwrap_or_default(),
        }
    }
}

impl ReasonBody {
    fn of(reason: &CancellationReason) -> Self {
        Self {
            code: Some(reason.code.clone()),
            item: reason.item.clone(),
            message: reason.message.clone(),
        }
    }
    fn into_reason(self) -> CancellationReason {
        CancellationReason {
            code: self.code.unwrap_or_default(),
            message: self.message,
            item: self.item,
        }
    }
}

/// Where an exception's type comes from, as `__type` spells it.
const DYNAMODB: &str = "com.amazonaws.dynamodb.v20120810#";
/// The service framework.
const SERVICE: &str = "com.amazon.coral.service#";
/// Its validation.
const VALIDATE: &str = "com.amazon.coral.validate#";
/// Its throttling.
const AVAILABILITY: &str = "com.amazon.coral.availability#";

macro_rules! kinds {
    ($($kind:ident: $space:ident $name:literal;)*) => {
        impl ErrorKind {
            /// The exception's name, as SDKs know it.
            #[must_use]
            pub fn name(&self) -> &str {
                match self { $(Self::$kind => $name,)* Self::ReadOnly => Self::InternalServerError.name(), Self::NoAnswer => "NoAnswer", Self::Unreachable => "Unreachable", Self::Other(name) => name }
            }
            /// The `__type` of the exception's body.
            #[must_use]
            pub fn type_name(&self) -> String {
                let space = match self {
                    $(Self::$kind => $space,)*
                    Self::ReadOnly | Self::NoAnswer | Self::Unreachable | Self::Other(_) => DYNAMODB,
                };
                format!("{space}{}", self.name())
            }
            /// The kind of a `__type`, whatever stands before its `#`.
            #[must_use]
            pub fn of_type(type_name: &str) -> Self {
                let name = type_name.rsplit_once('#').map_or(type_name, |(_, name)| name);
                // Some front ends add where the exception is documented: `Name:http://…`.
                match name.split(':').next().unwrap_or(name) {
                    $($name => Self::$kind,)*
                    other => Self::Other(other.to_owned()),
                }
            }
        }
    };
}

kinds! {
    Validation: VALIDATE "ValidationException";
    Serialization: SERVICE "SerializationException";
    UnknownOperation: SERVICE "UnknownOperationException";
    MissingAuthenticationToken: SERVICE "MissingAuthenticationTokenException";
    IncompleteSignature: SERVICE "IncompleteSignatureException";
    InvalidSignature: SERVICE "InvalidSignatureException";
    UnrecognizedClient: SERVICE "UnrecognizedClientException";
    AccessDenied: SERVICE "AccessDeniedException";
    Throttling: AVAILABILITY "ThrottlingException";
    ServiceUnavailable: AVAILABILITY "ServiceUnavailableException";
    ConditionalCheckFailed: DYNAMODB "ConditionalCheckFailedException";
    TransactionCanceled: DYNAMODB "TransactionCanceledException";
    TransactionConflict: DYNAMODB "TransactionConflictException";
    TransactionInProgress: DYNAMODB "TransactionInProgressException";
    IdempotentParameterMismatch: DYNAMODB "IdempotentParameterMismatchException";
    DuplicateItem: DYNAMODB "DuplicateItemException";
    ResourceNotFound: DYNAMODB "ResourceNotFoundException";
    ResourceInUse: DYNAMODB "ResourceInUseException";
    TableNotFound: DYNAMODB "TableNotFoundException";
    TableAlreadyExists: DYNAMODB "TableAlreadyExistsException";
    TableInUse: DYNAMODB "TableInUseException";
    BackupNotFound: DYNAMODB "BackupNotFoundException";
    BackupInUse: DYNAMODB "BackupInUseException";
    ContinuousBackupsUnavailable: DYNAMODB "ContinuousBackupsUnavailableException";
    PointInTimeRecoveryUnavailable: DYNAMODB "PointInTimeRecoveryUnavailableException";
    InvalidRestoreTime: DYNAMODB "InvalidRestoreTimeException";
    ExportNotFound: DYNAMODB "ExportNotFoundException";
    ExportConflict: DYNAMODB "ExportConflictException";
    InvalidExportTime: DYNAMODB "InvalidExportTimeException";
    ImportNotFound: DYNAMODB "ImportNotFoundException";
    ImportConflict: DYNAMODB "ImportConflictException";
    PolicyNotFound: DYNAMODB "PolicyNotFoundException";
    ItemCollectionSizeLimitExceeded: DYNAMODB "ItemCollectionSizeLimitExceededException";
    ProvisionedThroughputExceeded: DYNAMODB "ProvisionedThroughputExceededException";
    LimitExceeded: DYNAMODB "LimitExceededException";
    ExpiredIterator: DYNAMODB "ExpiredIteratorException";
    TrimmedDataAccess: DYNAMODB "TrimmedDataAccessException";
    InternalServerError: DYNAMODB "InternalServerError";
}

impl ErrorKind {
    /// Whether the words stand in `Message`, not `message`. Source: the API model's members of these exceptions;
    /// dynalite's tests against AWS for `SerializationException`.
    const fn capital_message(&self) -> bool {
        matches!(
            self,
            Self::Serialization
                | Self::TransactionCanceled
                | Self::TransactionInProgress
                | Self::IdempotentParameterMismatch
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(error: &Error, body: &str) {
        let mut out = Vec::new();
        error.encode(&mut out);
        assert_eq!(String::from_utf8(out.clone()).expect("JSON is UTF-8"), body);
        assert_eq!(&Error::decode(error.status(), &out), error);
    }

    #[test]
    fn bodies_are_as_aws_writes_them_and_read_back() {
        // Sources: dynalite, test/helpers and test/connection; cases "tab-not-found-messages".
        check(
            &Message::TableNotFound.into(),
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"Requested resource not found"}"#,
        );
        check(
            &Error::new(ErrorKind::Serialization, ""),
            r#"{"__type":"com.amazon.coral.service#SerializationException"}"#,
        );
        check(
            &Error::new(ErrorKind::Serialization, "Unexpected field type"),
            r#"{"__type":"com.amazon.coral.service#SerializationException","Message":"Unexpected field type"}"#,
        );
        check(
            &Error::new(ErrorKind::UnknownOperation, ""),
            r#"{"__type":"com.amazon.coral.service#UnknownOperationException"}"#,
        );
        let throttled = |kind| {
            let error = Error::new(kind, "x");
            error.throttled_by("IndexWriteKeyRangeThroughputExceeded", "arn:i")
        };
        check(
            &throttled(ErrorKind::ProvisionedThroughputExceeded),
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"x","ThrottlingReasons":[{"reason":"IndexWriteKeyRangeThroughputExceeded","resource":"arn:i"}]}"#,
        );
        check(
            &throttled(ErrorKind::Throttling),
            r#"{"__type":"com.amazon.coral.availability#ThrottlingException","message":"x","throttlingReasons":[{"reason":"IndexWriteKeyRangeThroughputExceeded","resource":"arn:i"}]}"#,
        );
        let failed = CancellationReason {
            code: "ConditionalCheckFailed".to_owned(),
            message: Some("The conditional request failed".to_owned()),
            item: None,
        };
        let none = CancellationReason {
            code: "None".to_owned(),
            ..CancellationReason::default()
        };
        check(
            &Error::canceled(vec![none, failed]),
            r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed","Message":"The conditional request failed"}],"Message":"Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"}"#,
        );
    }

    #[test]
    fn an_unknown_exception_keeps_its_name() {
        let body = br#"{"__type":"com.amazonaws.dynamodb.v20120810#GlobalTableNotFoundException","message":"x"}"#;
        let error = Error::decode(400, body);
        assert_eq!(
            error.kind,
            ErrorKind::Other("GlobalTableNotFoundException".to_owned())
        );
        assert_eq!(
            Error::decode(500, b"<html>").kind,
            ErrorKind::InternalServerError
        );
    }
}
