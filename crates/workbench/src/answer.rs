//! Answers of the API: JSON, and problems with DynamoDB's words first and ours after.

use crate::shapes::{Problem, Reason, raw_item};
use bothways_graph as graph;
use bothways_protocol as protocol;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use serde::Serialize;

/// A refusal on its way to a response.
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) problem: Box<Problem>,
}

pub(crate) type Result<T> = std::result::Result<T, Refusal>;

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self {
            status,
            problem: Box::new(Problem {
                code: code.to_owned(),
                message: message.into(),
                hint: None,
                item: None,
                reasons: Vec::new(),
                span: None,
            }),
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.problem.hint = Some(hint.into());
        self
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BadRequest", message)
    }

    pub(crate) fn not_found(what: &str, name: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "NotFound",
            format!("there is no {what} {name:?} here"),
        )
    }

    pub(crate) fn read_only() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "ReadOnly",
            "this connection only reads",
        )
    }
}

impl From<protocol::Error> for Refusal {
    fn from(error: protocol::Error) -> Self {
        let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
        let code = error.kind.type_name();
        let code = code.rsplit('#').next().unwrap_or(&code).to_owned();
        Self {
            status,
            problem: Box::new(Problem {
                code,
                message: error.message.into_owned(),
                hint: None,
                item: error.item.as_ref().map(raw_item),
                reasons: error.reasons.iter().map(Reason::of).collect(),
                span: None,
            }),
        }
    }
}

impl From<graph::Error> for Refusal {
    fn from(error: graph::Error) -> Self {
        let hint = error.hint();
        let message = error.to_string();
        let mut refusal = match error {
            graph::Error::Database(inner) => Self::from(*inner),
            graph::Error::NoRelation { .. } | graph::Error::NoEntity { .. } => {
                Self::new(StatusCode::NOT_FOUND, "NotFound", message)
            }
            graph::Error::Unknown { .. } => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "Unknown", message)
            }
            graph::Error::Contended { .. } => Self::new(StatusCode::CONFLICT, "Contended", message),
            _ => Self::bad_request(message),
        };
        refusal.problem.hint = hint;
        refusal
    }
}

/// 200 with a value, or the refusal.
pub(crate) fn json<T: Serialize>(result: Result<T>) -> Response<Bytes> {
    match result {
        Ok(value) => body(StatusCode::OK, &value),
        Err(refusal) => body(refusal.status, &refusal.problem),
    }
}

fn body<T: Serialize>(status: StatusCode, value: &T) -> Response<Bytes> {
    let text = serde_json::to_vec(value).unwrap_or_default();
    let mut response = Response::new(Bytes::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
