//! What the server shows at addresses other than DynamoDB's.

use crate::body::Body;
use crate::reply;
use bothways_protocol::BoxFuture;
use bytes::Bytes;
use hyper::header::{ACCEPT, HeaderValue};
use hyper::{Request, Response, StatusCode};

/// Answers requests that are not DynamoDB's: pages, their API. The server has already refused other origins and
/// adds the headers that keep pages from being framed; everything else is the implementor's.
pub trait Pages: Send + Sync {
    /// Answers a request, or `None` where there is nothing at its address (the server then answers 404).
    /// Never asked for `POST /`, which is DynamoDB's, nor for `/healthz`.
    fn answer(&self, request: Request<Bytes>) -> BoxFuture<'_, Option<Response<Body>>>;
}

/// Where to ask whether the server is up.
pub(crate) const HEALTH_PATH: &str = "/healthz";

/// The body of a health check, as AWS's endpoint answers `GET /`, trailing space included
/// (source: AWS's answers, dynalite's `test/connection.js`).
const HEALTHY: &str = "healthy: dynamodb.local ";

const FRONT_PAGE: &str = include_str!("front.html");

pub(crate) fn health() -> Response<Body> {
    reply::page(StatusCode::OK, "text/plain; charset=utf-8", HEALTHY)
}

/// The front page for browsers; the health text, as on AWS, for everything else.
pub(crate) fn front(request: &Request<Bytes>) -> Response<Body> {
    let wants_html = request
        .headers()
        .get(ACCEPT)
        .map(HeaderValue::as_bytes)
        .is_some_and(|accept| accept.windows(9).any(|w| w == b"text/html"));
    if wants_html {
        reply::page(StatusCode::OK, "text/html; charset=utf-8", FRONT_PAGE)
    } else {
        health()
    }
}
