//! The errors of the layers below as failures: what, where, what to do, and how the process ends.

use crate::failure::Failure;
use crate::models;
use crate::target::Target;
use bothways_graph::Error as GraphError;
use bothways_graph::import::FileError;
use bothways_protocol::{Error, ErrorKind};
use bothways_store::Error as StoreError;
use std::io;

/// What a command was about, for its advice.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// The MODEL argument.
    pub(crate) model: String,
    /// Where it went.
    pub(crate) target: Target,
    /// The options that say so, to be repeated in advice.
    pub(crate) place: String,
}

/// An error of the graph layer.
pub(crate) fn of_graph(error: GraphError, subject: &Subject) -> Failure {
    let hint = error.hint();
    let failure = match error {
        GraphError::Database(error) => return of_database(&error, subject),
        GraphError::Model { mut problems, .. } if !problems.is_empty() => {
            return models::of_problem(problems.remove(0));
        }
        GraphError::File(FileError::Io {
            kind: io::ErrorKind::BrokenPipe,
            ..
        }) => return Failure::unheard(),
        GraphError::File(FileError::Taken { .. }) => {
            return Failure::refused(error.to_string())
                .hint("wait for its end; if that one is dead: --take-over");
        }
        GraphError::Unknown { .. } => Failure::unreachable(error.to_string()),
        GraphError::Closed { .. } | GraphError::Contended { .. } => {
            Failure::refused(error.to_string())
        }
        GraphError::MissingEntity { .. } | GraphError::Foreign { .. } | GraphError::File(_) => {
            Failure::no(error.to_string())
        }
        _ => Failure::usage(error.to_string()),
    };
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// An answer of the database that is an error.
pub(crate) fn of_database(error: &Error, subject: &Subject) -> Failure {
    match &error.kind {
        ErrorKind::NoAnswer | ErrorKind::Unreachable => of_silence(error, &subject.target),
        ErrorKind::ResourceNotFound => {
            let Subject { model, place, .. } = subject;
            Failure::refused(format!("the table of model {model} is not there"))
                .hint(format!("make it: bothways model apply {model}{place}"))
        }
        ErrorKind::MissingAuthenticationToken if !error.message.is_empty() => {
            Failure::refused(error.message.to_string())
        }
        ErrorKind::Other(name) if name == "NotDynamoDB" || name.starts_with("HTTP status") => {
            Failure::refused(error.message.to_string())
        }
        kind => Failure::refused(format!("{}: {}", kind.name(), error.message)),
    }
}

/// An answer to a request that somebody wrote: DynamoDB's own words.
pub(crate) fn of_request(error: &Error, subject: &Subject) -> Failure {
    match &error.kind {
        ErrorKind::NoAnswer | ErrorKind::Unreachable => of_silence(error, &subject.target),
        kind => {
            let reasons = error.reasons.iter().enumerate();
            let failure = Failure::refused(format!("{}: {}", kind.name(), error.message));
            reasons.filter(|(_, reason)| reason.code != "None").fold(
                failure,
                |failure, (at, reason)| {
                    let words = reason.message.as_deref().unwrap_or_default();
                    failure.hint(format!("action {}: {} {words}", at + 1, reason.code))
                },
            )
        }
    }
}

/// Nobody answered.
fn of_silence(error: &Error, target: &Target) -> Failure {
    let failure = Failure::unreachable(error.message.to_string());
    match target {
        Target::Endpoint(endpoint) if !endpoint.is_aws() => {
            failure.hint("start one: bothways serve   (or open a directory: --data DIR)")
        }
        _ => failure,
    }
}

/// A store that does not open.
pub(crate) fn of_store(error: &StoreError) -> Failure {
    let failure = Failure::unreachable(error.to_string());
    match error {
        StoreError::InUse {
            address: Some(address),
            ..
        } => failure.hint(format!("talk to it instead: --endpoint {address}")),
        StoreError::InUse { .. } => {
            failure.hint("it serves nobody else; wait for it to end, or stop it")
        }
        StoreError::Corrupt { .. } => {
            failure.hint("nothing was changed; restore the directory from a copy")
        }
        _ => failure,
    }
}
