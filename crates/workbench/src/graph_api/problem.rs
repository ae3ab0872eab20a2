//! Refusals as problem details: a type to test for, a status, and words.

use bothways_graph as graph;
use bothways_protocol::{Error, ErrorKind};
use http::{HeaderValue, StatusCode};
use serde_json::{Value as Json, json};

/// What kinds of refusals there are; each is a `type` of its own, `urn:bothways:problem:…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// The request makes no sense as it is.
    BadRequest,
    /// Nothing is at the address.
    NotFound,
    /// No such model.
    NoModel,
    /// No such relation.
    NoRelation,
    /// No such entity type.
    NoEntity,
    /// No such edge.
    NoEdge,
    /// No such item.
    NoItem,
    /// No such job.
    NoJob,
    /// The table of the model is not there.
    NoTable,
    /// An end has to exist, and does not.
    MissingEntity,
    /// An end is being deleted.
    Closed,
    /// It has edges.
    HasEdges,
    /// The state of things does not allow it.
    Conflict,
    /// It is of another version.
    Version,
    /// The database is only read here.
    ReadOnly,
    /// Others changed the same things too often; nothing was done.
    Contended,
    /// As much is done at once here as may be; nothing was done.
    Busy,
    /// The database is short of throughput; nothing was done.
    Throttled,
    /// Whether it was done is not known: send it again with the same key.
    UnknownFate,
    /// The database cannot be reached; nothing was done.
    Unreachable,
    /// The database refused.
    Refused,
}

impl Code {
    const fn row(self) -> (&'static str, u16, &'static str) {
        match self {
            Self::BadRequest => ("bad-request", 400, "The request makes no sense"),
            Self::NotFound => ("not-found", 404, "Nothing is there"),
            Self::NoModel => ("no-model", 404, "There is no such model"),
            Self::NoRelation => ("no-relation", 404, "There is no such relation"),
            Self::NoEntity => ("no-entity", 404, "There is no such entity type"),
            Self::NoEdge => ("no-edge", 404, "There is no such edge"),
            Self::NoItem => ("no-item", 404, "There is no such entity"),
            Self::NoJob => ("no-job", 404, "There is no such job"),
            Self::NoTable => ("no-table", 409, "The model's table is not there"),
            Self::MissingEntity => ("missing-entity", 409, "An end of the edge does not exist"),
            Self::Closed => ("closed", 409, "The entity is being deleted"),
            Self::HasEdges => ("has-edges", 409, "The entity has edges"),
            Self::Conflict => ("conflict", 409, "The state of things does not allow it"),
            Self::Version => ("version", 412, "It is of another version"),
            Self::ReadOnly => ("read-only", 403, "The database is only read here"),
            Self::Contended => ("contended", 409, "Others changed it too often"),
            Self::Busy => ("busy", 429, "As much is done at once as may be"),
            Self::Throttled => ("throttled", 429, "The database is short of throughput"),
            Self::UnknownFate => ("unknown-fate", 503, "Whether it was done is not known"),
            Self::Unreachable => ("unreachable", 503, "The database cannot be reached"),
            Self::Refused => ("refused", 502, "The database refused"),
        }
    }
}

/// A refusal.
#[derive(Debug)]
pub(crate) struct Problem {
    code: Code,
    detail: String,
    hint: Option<String>,
    op_id: Option<String>,
}

impl Problem {
    /// What is wrong, in words.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            hint: None,
            op_id: None,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.code.row().1).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// When it may be sent again, where that helps.
    pub(crate) fn retry_after(&self) -> Option<HeaderValue> {
        let waits = [
            Code::Busy,
            Code::Throttled,
            Code::Contended,
            Code::UnknownFate,
            Code::Unreachable,
        ];
        waits
            .contains(&self.code)
            .then(|| HeaderValue::from_static("1"))
    }

    pub(crate) fn json(&self) -> Json {
        let (name, status, title) = self.code.row();
        let mut json = json!({
            "type": format!("urn:bothways:problem:{name}"),
            "title": title,
            "status": status,
            "detail": self.detail,
            "hint": self.hint,
            "operation_id": self.op_id,
        });
        if let Json::Object(members) = &mut json {
            members.retain(|_, value| !value.is_null());
        }
        json
    }

    pub(crate) fn text(&self) -> String {
        self.json().to_string()
    }
}

impl From<graph::Error> for Problem {
    fn from(error: graph::Error) -> Self {
        let hint = error.hint();
        let detail = error.to_string();
        let (code, op_id) = match error {
            graph::Error::Database(error) => return of_database(&error),
            graph::Error::NoRelation { .. } => (Code::NoRelation, None),
            graph::Error::NoEntity { .. } => (Code::NoEntity, None),
            graph::Error::MissingEntity { .. } => (Code::MissingEntity, None),
            graph::Error::Closed { .. } => (Code::Closed, None),
            graph::Error::Unknown { op_id, .. } => (Code::UnknownFate, Some(op_id)),
            graph::Error::Contended { op_id, .. } => (Code::Contended, Some(op_id)),
            graph::Error::JobLost { .. }
            | graph::Error::Foreign { .. }
            | graph::Error::File(graph::import::FileError::Taken { .. }) => (Code::Conflict, None),
            _ => (Code::BadRequest, None),
        };
        Self {
            code,
            detail,
            hint,
            op_id,
        }
    }
}

fn of_database(error: &Error) -> Problem {
    let (code, hint) = match error.kind {
        ErrorKind::ResourceNotFound => {
            (Code::NoTable, Some("make it: POST /graph/v1/{model}/apply"))
        }
        ErrorKind::Throttling | ErrorKind::ProvisionedThroughputExceeded => (Code::Throttled, None),
        ErrorKind::NoAnswer => (Code::UnknownFate, None),
        ErrorKind::Unreachable => (Code::Unreachable, None),
        ErrorKind::ReadOnly | ErrorKind::AccessDenied => (Code::ReadOnly, None),
        ErrorKind::Validation => (Code::BadRequest, None),
        _ => (Code::Refused, None),
    };
    let problem = Problem::new(code, format!("{}: {}", error.kind.name(), error.message));
    match hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}
