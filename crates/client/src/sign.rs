//! Requests as DynamoDB takes them: headers and signature.

use crate::config::Credentials;
use crate::endpoint::Endpoint;
use bothways_protocol::sigv4::{self, Signer, ToSign, amz_date};
use bothways_protocol::{Error, ErrorKind};
use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use std::time::{SystemTime, UNIX_EPOCH};

const AGENT: &str = concat!("bothways/", env!("CARGO_PKG_VERSION"));
const MEDIA: &str = "application/x-amz-json-1.0";
const SERVICE: &str = "dynamodb";
const TARGET: &str = "x-amz-target";
const DATE: &str = "x-amz-date";
const TOKEN: &str = "x-amz-security-token";

/// A request signed now and ready to send.
pub(crate) fn request(
    endpoint: &Endpoint,
    credentials: &Credentials,
    region: &str,
    target: &str,
    body: &Bytes,
) -> Result<Request<Full<Bytes>>, Error> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let time = amz_date(now.unwrap_or_default().as_secs());
    let token = credentials.session_token.as_deref();
    let mut headers = vec![
        ("content-type", MEDIA),
        ("host", &endpoint.authority),
        (DATE, &time),
        (TARGET, target),
    ];
    headers.extend(token.map(|token| (TOKEN, token)));
    let signer = Signer {
        credentials: sigv4::Credentials {
            access_key: &credentials.access_key,
            secret_key: &credentials.secret_key,
            session_token: token,
        },
        region,
        service: SERVICE,
        time: &time,
    };
    let authorization = signer.authorization(&ToSign {
        method: "POST",
        path: "/",
        query: "",
        headers: &headers,
        body,
    });
    let mut request = Request::post("/")
        .header(HOST, &endpoint.authority)
        .header(CONTENT_TYPE, MEDIA)
        .header(USER_AGENT, AGENT)
        .header(TARGET, target)
        .header(DATE, &time)
        .header(AUTHORIZATION, authorization);
    if let Some(token) = token {
        request = request.header(TOKEN, token);
    }
    request.body(Full::new(body.clone())).map_err(|wrong| {
        let words = format!("the request cannot be sent: {wrong}");
        Error::new(ErrorKind::Unreachable, words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_carries_and_signs_what_dynamodb_needs() {
        let endpoint = "http://db.test:8000".parse().unwrap();
        let mut credentials = Credentials::new("AKID", "secret");
        credentials.session_token = Some("token".to_owned());
        let body = Bytes::from_static(b"{}");
        let request = request(
            &endpoint,
            &credentials,
            "eu-west-2",
            "DynamoDB_20120810.ListTables",
            &body,
        )
        .unwrap();
        let header = |name: &str| request.headers()[name].to_str().unwrap();
        assert_eq!(header("host"), "db.test:8000");
        assert_eq!(header(TARGET), "DynamoDB_20120810.ListTables");
        assert_eq!(header(TOKEN), "token");
        let authorization = header("authorization");
        let day = &header(DATE)[..8];
        let start =
            format!("AWS4-HMAC-SHA256 Credential=AKID/{day}/eu-west-2/dynamodb/aws4_request, ");
        let signed = "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=";
        let signature = authorization
            .strip_prefix(&format!("{start}{signed}"))
            .unwrap();
        assert_eq!(signature.len(), 64);
    }
}
