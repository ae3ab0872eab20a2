//! Answers as AWS frames them: content type, request id, checksum of the bytes as sent.

use crate::body::Body;
use crate::compress::{Coding, pack};
use crate::id;
use bytes::Bytes;
use hyper::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, SERVER,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{HeaderMap, Response, StatusCode};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");

/// The body of a 404, newline included (source: AWS's answers, dynalite's `test/connection.js`).
const UNKNOWN: &str = "<UnknownOperationException/>\n";

/// The media type that a request came in, and its answer goes out, as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    /// `application/json`.
    Json,
    /// `application/x-amz-json-1.0`.
    AmzJson10,
    /// `application/x-amz-json-1.1`.
    AmzJson11,
}

impl Media {
    /// Reads a `Content-Type`; parameters such as `charset` do not matter.
    pub(crate) fn of(content_type: &[u8]) -> Option<Self> {
        let essence = content_type.split(|b| *b == b';').next()?.trim_ascii();
        [Self::AmzJson10, Self::Json, Self::AmzJson11]
            .into_iter()
            .find(|media| essence.eq_ignore_ascii_case(media.name().as_bytes()))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::AmzJson10 => "application/x-amz-json-1.0",
            Self::AmzJson11 => "application/x-amz-json-1.1",
        }
    }
}

/// What every answer to one request shares.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) id: [u8; id::LENGTH],
    pub(crate) media: Media,
    pub(crate) coding: Option<Coding>,
}

impl Frame {
    pub(crate) fn new(media: Media) -> Self {
        Self {
            id: id::next(),
            media,
            coding: None,
        }
    }

    /// A JSON answer.
    pub(crate) fn json(&self, status: StatusCode, body: Vec<u8>) -> Response<Body> {
        let mut headers = HeaderMap::with_capacity(6);
        let mut body = Bytes::from(body);
        if let Some(coding) = self.coding
            && let Ok(packed) = pack(coding, &body)
        {
            body = packed.into();
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media.name()));
        stamp(&mut headers, self.id, &body);
        respond(status, headers, body)
    }
}

/// The answer to what is not an operation at all.
pub(crate) fn unknown() -> Response<Body> {
    let mut headers = HeaderMap::with_capacity(3);
    let body = Bytes::from_static(UNKNOWN.as_bytes());
    stamp(&mut headers, id::next(), &body);
    respond(StatusCode::NOT_FOUND, headers, body)
}

/// A plain text or HTML answer of the server's own.
pub(crate) fn page(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> Response<Body> {
    let mut headers = HeaderMap::with_capacity(6);
    let body = body.into();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    stamp(&mut headers, id::next(), &body);
    harden(&mut headers);
    respond(status, headers, body)
}

/// An answer without a body, after which the connection closes.
pub(crate) fn closing(status: StatusCode) -> Response<Body> {
    let mut headers = HeaderMap::with_capacity(3);
    let body = Bytes::new();
    stamp(&mut headers, id::next(), &body);
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    respond(status, headers, body)
}

/// What every page needs so that no other site can frame it or have it taken for something else.
pub(crate) fn harden(headers: &mut HeaderMap) {
    headers
        .entry(X_FRAME_OPTIONS)
        .or_insert(HeaderValue::from_static("DENY"));
    headers
        .entry(X_CONTENT_TYPE_OPTIONS)
        .or_insert(HeaderValue::from_static("nosniff"));
}

fn stamp(headers: &mut HeaderMap, id: [u8; id::LENGTH], body: &Bytes) {
    if let Ok(id) = HeaderValue::from_bytes(&id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(CRC32, HeaderValue::from(crc32fast::hash(body)));
    headers.insert(SERVER, HeaderValue::from_static("bothways"));
}

fn respond(status: StatusCode, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::Whole(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}
