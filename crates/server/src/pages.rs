//! What the server shows at addresses other than DynamoDB's.

use crate::auth;
use crate::body::Body;
use crate::reply;
use bothways_protocol::BoxFuture;
use bytes::Bytes;
use hyper::header::{ACCEPT, HOST, HeaderValue};
use hyper::{HeaderMap, Request, Response, StatusCode};

/// Answers requests that are not DynamoDB's: pages, their API. The server has already refused other origins and
/// adds the headers that keep pages from being framed; everything else is the implementor's.
pub trait Pages: Send + Sync {
    /// Answers a request, or `None` where there is nothing at its address (the server then answers 404).
    /// Never asked for `POST /`, which is DynamoDB's, nor for `/healthz`.
    fn answer(&self, request: Request<Bytes>) -> BoxFuture<'_, Option<Response<Body>>>;
}

/// Where to ask whether the server is up.
pub(crate) const HEALTH_PATH: &str = "/healthz";

/// How the body of a health check begins; the host that was asked and a space follow, as AWS's endpoint answers
/// `GET /` (source: AWS's answers, dynalite's `test/connection.js`; Scylla's `test_health.py`).
const HEALTHY: &str = "healthy: ";

const FRONT_PAGE: &str = include_str!("front.html");

/// The health text, and on a line of its own what is wrong with the database.
pub(crate) fn health(headers: &HeaderMap, trouble: Option<&str>) -> Response<Body> {
    let host = auth::text(headers, &HOST).unwrap_or("localhost");
    let trouble = trouble.map_or(String::new(), |trouble| format!("\n{trouble}\n"));
    let text = format!("{HEALTHY}{host} {trouble}");
    reply::page(StatusCode::OK, "text/plain; charset=utf-8", text)
}

/// Whether a browser asks.
pub(crate) fn wants_html(request: &Request<Bytes>) -> bool {
    let accept = request.headers().get(ACCEPT).map(HeaderValue::as_bytes);
    accept.is_some_and(|accept| accept.windows(9).any(|w| w == b"text/html"))
}

/// The front page, for browsers; everything else gets the health text, as on AWS.
pub(crate) fn front() -> Response<Body> {
    reply::page(StatusCode::OK, "text/html; charset=utf-8", FRONT_PAGE)
}
