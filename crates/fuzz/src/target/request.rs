//! The decoder of requests, the checks that need no table, and the decoder of answers. An input is an operation's name, a
//! line feed, and the body.

use crate::shape::{both, shape};
use bothways_protocol::{Error, Operation, Request, Response, validate};

pub(super) fn request(input: &[u8]) -> u64 {
    let end = input.iter().position(|b| *b == b'\n').unwrap_or(0);
    let (name, body) = input.split_at(end);
    let body = body.get(1..).unwrap_or_default();
    let found = Operation::ALL
        .iter()
        .find(|operation| operation.name().as_bytes() == name);
    let operation = *found.unwrap_or(&Operation::PutItem);
    answered(operation, body);
    match Request::decode(operation, body) {
        Ok(request) => both(shape(operation.name()), asked(operation, &request)),
        Err(error) => both(shape(operation.name()), said(&error)),
    }
}

fn asked(operation: Operation, request: &Request) -> u64 {
    let checked = validate::request(request);
    let mut written = Vec::new();
    request.encode(&mut written);
    let again = Request::decode(operation, &written);
    let again = again
        .unwrap_or_else(|error| panic!("its own writing is not read: {error}: {}", utf8(&written)));
    if checked.is_ok() {
        let mut rewritten = Vec::new();
        again.encode(&mut rewritten);
        assert_eq!(utf8(&written), utf8(&rewritten), "written anew");
        assert_eq!(validate::request(&again), Ok(()), "read anew");
    }
    checked.map_or_else(|error| said(&error), |()| shape(&utf8(&written)))
}

/// An answer comes from a server that may be anyone's.
fn answered(operation: Operation, body: &[u8]) {
    if let Ok(response) = Response::decode(operation, body) {
        let mut written = Vec::new();
        response.encode(&mut written);
        assert!(
            Response::decode(operation, &written).is_ok(),
            "its own writing is not read: {}",
            utf8(&written)
        );
    }
    for status in [400, 500] {
        let error = Error::decode(status, body);
        let mut written = Vec::new();
        error.encode(&mut written);
        assert_eq!(
            Error::decode(error.status(), &written).kind,
            error.kind,
            "its own error"
        );
    }
}

fn said(error: &Error) -> u64 {
    let mut body = Vec::new();
    error.encode(&mut body);
    shape(&utf8(&body))
}

/// What is written is always text.
fn utf8(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap_or_else(|error| panic!("not UTF-8: {error}"))
}
