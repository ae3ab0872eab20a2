//! Requests as DynamoDB takes them: headers and signature.

use crate::config::Config;
use bothways_protocol::{Error, ErrorKind};
use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::header::{CONTENT_TYPE, HOST, USER_AGENT};

const AGENT: &str = concat!("bothways/", env!("CARGO_PKG_VERSION"));

/// A request ready to send.
pub(crate) fn request(
    config: &Config,
    region: &str,
    target: &str,
    body: &Bytes,
) -> Result<Request<Full<Bytes>>, Error> {
    let key = &config.credentials.access_key;
    Request::post("/")
        .header(HOST, &config.endpoint.authority)
        .header(CONTENT_TYPE, "application/x-amz-json-1.0")
        .header(USER_AGENT, AGENT)
        .header("x-amz-target", target)
        .header("x-amz-date", "20260101T000000Z")
        .header("authorization", format!("AWS4-HMAC-SHA256 Credential={key}/20260101/{region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0"))
        .body(Full::new(body.clone()))
        .map_err(|wrong| Error::new(ErrorKind::Unreachable, format!("the request cannot be sent: {wrong}")))
}
