//! One question over HTTP to where credentials come from: small, bounded in time and size, asked on a connection of
//! its own.

use crate::connect::connect;
use crate::endpoint::Endpoint;
use crate::tls::Tls;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::Request;
use hyper::header::{HOST, USER_AGENT};
use std::time::Duration;

/// Largest answer that is read, bytes. A choice: credentials are one or two thousand.
const ANSWER_BYTES: usize = 256 * 1024;
const AGENT: &str = concat!("bothways/", env!("CARGO_PKG_VERSION"));

/// A question.
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) endpoint: Endpoint,
    /// Path and query.
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Ask {
    /// A GET of a whole URL.
    pub(crate) fn get(url: &str) -> Result<Self, String> {
        let after_scheme = url.find("://").map_or(0, |at| at + 3);
        let path_at = url[after_scheme..]
            .find('/')
            .map_or(url.len(), |at| at + after_scheme);
        let endpoint: Endpoint = url[..path_at]
            .parse()
            .map_err(|_| "its address is no URL".to_owned())?;
        let path = &url[path_at..];
        Ok(Self {
            method: "GET",
            endpoint,
            path: if path.is_empty() { "/" } else { path }.to_owned(),
            headers: Vec::new(),
            body: String::new(),
        })
    }

    /// With a header.
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

/// Asks, within `wait`. An error says what went wrong, never what was said.
pub(crate) async fn fetch(ask: Ask, tls: &Tls, wait: Duration) -> Result<Answer, String> {
    tokio::time::timeout(wait, exchange(ask, tls))
        .await
        .unwrap_or_else(|_| Err(format!("no answer within {} s", wait.as_secs())))
}

async fn exchange(ask: Ask, tls: &Tls) -> Result<Answer, String> {
    let unreached = |e: &dyn std::fmt::Display| format!("cannot reach {}: {e}", ask.endpoint);
    let mut request = Request::builder()
        .method(ask.method)
        .uri(&ask.path)
        .header(HOST, &ask.endpoint.authority)
        .header(USER_AGENT, AGENT);
    for (name, value) in &ask.headers {
        request = request.header(*name, value);
    }
    // The error of a header names the header only.
    let request = request
        .body(Full::new(Bytes::from(ask.body)))
        .map_err(|e| e.to_string())?;
    let mut sender = connect(&ask.endpoint, tls)
        .await
        .map_err(|e| unreached(&e))?;
    let response = sender
        .send_request(request)
        .await
        .map_err(|e| unreached(&e))?;
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), ANSWER_BYTES)
        .collect()
        .await
        .map_err(|e| unreached(&e))?
        .to_bytes();
    Ok(Answer { status, body })
}
