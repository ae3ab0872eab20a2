//! What the server asks of the protocol: names to operations, bodies to requests, answers to bodies.

use bothways_protocol::{Error, ErrorKind, Request, Response};
use bytes::Bytes;

/// Decodes a body for a target such as `DynamoDB_20120810.GetItem`.
pub(crate) fn decode(target: &str, body: &Bytes) -> Result<Request, Error> {
    if target.starts_with("DynamoDB") {
        return Ok(Request::Other {
            target: target.to_owned(),
            body: body.clone(),
        });
    }
    Err(Error::new(ErrorKind::UnknownOperation, ""))
}

/// Appends an answer's JSON.
pub(crate) fn encode(answer: &Response, out: &mut Vec<u8>) {
    if let Response::Other(body) = answer {
        out.extend_from_slice(body);
    }
}

/// Appends an error's JSON and gives its HTTP status.
pub(crate) fn encode_error(error: &Error, out: &mut Vec<u8>) -> u16 {
    let name = match &error.kind {
        ErrorKind::Other(name) => name.clone(),
        kind => format!("{kind:?}Exception"),
    };
    let text = format!(
        "{{\"__type\":\"com.amazon.coral.service#{name}\",\"message\":{:?}}}",
        error.message
    );
    out.extend_from_slice(text.as_bytes());
    if error.kind == ErrorKind::InternalServerError {
        500
    } else {
        400
    }
}

/// The error of a body that is not JSON.
pub(crate) fn not_json(_body: &[u8]) -> Option<Error> {
    None
}

/// AWS's answer to what it cannot explain.
pub(crate) fn internal() -> Error {
    Error::new(ErrorKind::InternalServerError, "")
}
