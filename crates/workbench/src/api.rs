//! The API's addresses.

use crate::answer::{Refusal, Result, json};
use crate::shapes::Place;
use crate::{
    Connection, ConnectionKind, Shown, Workbench, audit, build, data, document, edges, guides,
    heat, live, models, patterns, raw, shards,
};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use std::sync::Arc;

/// The API's description.
pub(crate) const OPENAPI: &str = include_str!("../openapi.json");

/// Most members of a query string; more is a mistake.
const QUERY_MEMBERS: usize = 16;

/// Addresses of what a place offers beside DynamoDB.
const BESIDE: [&str; 3] = ["live", "heat", "data"];

pub(crate) async fn answer(
    bench: &Workbench,
    path: &str,
    request: &Request<Bytes>,
) -> Response<Bytes> {
    let segments: Option<Vec<String>> = path
        .split('/')
        .skip(1)
        .map(|segment| decode(segment, false))
        .collect();
    let Some(segments) = segments else {
        return json::<()>(Err(Refusal::bad_request("the address is not UTF-8")));
    };
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let writes = matches!(*request.method(), Method::POST | Method::PATCH);
    match (request.method(), segments.as_slice()) {
        (&Method::GET, ["openapi.json"]) => {
            let mut response = Response::new(Bytes::from_static(OPENAPI.as_bytes()));
            response
                .headers_mut()
                .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
        (&Method::GET, ["connections"]) => {
            json(Ok(bench.connections.iter().map(place).collect::<Vec<_>>()))
        }
        (method, ["guides", rest @ ..]) => match Query::of(request) {
            Ok(query) => {
                let answer = guides::answer(bench, method, rest, &query).await;
                answer.unwrap_or_else(|| nothing(path))
            }
            Err(refusal) => json::<()>(Err(refusal)),
        },
        (&Method::POST, ["c", c, "request"]) => match connection(bench, c) {
            Ok(connection) => json(raw::send(connection, request.body()).await),
            Err(refusal) => json::<()>(Err(refusal)),
        },
        (&Method::POST, ["c", c, "build"]) => match connection(bench, c) {
            Ok(connection) => json(build::build(bench, connection, request.body()).await),
            Err(refusal) => json::<()>(Err(refusal)),
        },
        (_, ["c", c, rest @ ..]) if rest.first().is_some_and(|first| BESIDE.contains(first)) => {
            match connection(bench, c) {
                Ok(connection) => beside(bench, connection, rest, request).await,
                Err(refusal) => json::<()>(Err(refusal)),
            }
        }
        (&Method::GET, ["c", c, "models"]) => match connection(bench, c) {
            Ok(connection) => json(models::list(bench, connection).await),
            Err(refusal) => json::<()>(Err(refusal)),
        },
        (&Method::POST, ["c", c, "check"]) => match connection(bench, c) {
            Ok(_) => json(document::check(request.body())),
            Err(refusal) => json::<()>(Err(refusal)),
        },
        (&Method::POST, ["c", c, "infer"]) => match connection(bench, c) {
            Ok(connection) => json(document::infer(connection, request.body()).await),
            Err(refusal) => json::<()>(Err(refusal)),
        },
        (&Method::PUT, ["c", c, "models", m]) => match connection(bench, c) {
            Ok(_) => json(document::keep(bench, m, request.body())),
            Err(refusal) => json::<()>(Err(refusal)),
        },
        (_, ["c", c, "models", m, rest @ ..]) => match place_of(bench, c, m) {
            Ok((connection, _)) if writes && connection.read_only => {
                json::<()>(Err(Refusal::read_only()))
            }
            Ok((connection, shown)) => model(connection, &shown, rest, request).await,
            Err(refusal) => json::<()>(Err(refusal)),
        },
        _ => nothing(path),
    }
}

/// Addresses below one model.
async fn model(
    connection: &Connection,
    shown: &Shown,
    rest: &[&str],
    request: &Request<Bytes>,
) -> Response<Bytes> {
    let query = match Query::of(request) {
        Ok(query) => query,
        Err(refusal) => return json::<()>(Err(refusal)),
    };
    let body = request.body();
    match (request.method(), rest) {
        (&Method::GET, []) => json(Ok(models::shape(shown))),
        (&Method::GET, ["check"]) => json(Ok(models::check(&shown.model))),
        (&Method::POST, ["apply"]) => json(document::apply(connection, shown).await),
        (&Method::GET, ["doctor"]) => json(audit::doctor(connection, shown, &query).await),
        (&Method::GET, ["patterns", name]) => {
            json(patterns::run(connection, shown, name, &query).await)
        }
        (&Method::POST, ["verify"]) => json(audit::verify(connection, shown, body).await),
        (&Method::GET, ["entities", entity]) => {
            json(edges::entity(connection, shown, entity, &query).await)
        }
        (&Method::GET, ["relations", r, "edge"]) => {
            json(edges::edge(connection, shown, r, &query).await)
        }
        (&Method::GET, ["relations", r, side @ ("out" | "in")]) => {
            json(edges::list(connection, shown, r, side, &query).await)
        }
        (&Method::GET, ["relations", r, "shards"]) => {
            json(shards::show(connection, shown, r, &query).await)
        }
        (&Method::POST, ["relations", r, "shards"]) => {
            json(shards::resize(connection, shown, r, body).await)
        }
        (&Method::PATCH, ["relations", r, "edge"]) => {
            json(edges::set(connection, shown, r, body).await)
        }
        (&Method::POST, ["relations", r, "link"]) => {
            json(edges::link(connection, shown, r, body).await)
        }
        (&Method::POST, ["relations", r, "unlink"]) => {
            json(edges::unlink(connection, shown, r, body).await)
        }
        _ => nothing(request.uri().path()),
    }
}

/// Addresses of what a place offers beside DynamoDB.
async fn beside(
    bench: &Workbench,
    connection: &Connection,
    rest: &[&str],
    request: &Request<Bytes>,
) -> Response<Bytes> {
    let query = match Query::of(request) {
        Ok(query) => query,
        Err(refusal) => return json::<()>(Err(refusal)),
    };
    match (request.method(), rest) {
        (_, ["data", rest @ ..]) => {
            match data::api::answer(connection, rest, &query, request).await {
                Some(response) => response,
                None => nothing(request.uri().path()),
            }
        }
        (&Method::GET, ["heat"]) => json(heat::of_table(bench, connection, &query).await),
        (&Method::POST, ["heat"]) => json(heat::switch(connection, request.body()).await),
        (&Method::GET, ["live"]) => json(live::api::after(connection, &query)),
        (&Method::GET, ["live", number]) => json(live::api::one(bench, connection, number).await),
        _ => nothing(request.uri().path()),
    }
}

fn nothing(path: &str) -> Response<Bytes> {
    json::<()>(Err(Refusal::new(
        StatusCode::NOT_FOUND,
        "NotFound",
        format!("nothing is at {path} with this method"),
    )
    .hint("the API is described at /api/v1/openapi.json")))
}

fn connection<'b>(bench: &'b Workbench, name: &str) -> Result<&'b Connection> {
    bench
        .connection(name)
        .ok_or_else(|| Refusal::not_found("connection", name))
}

fn place_of<'b>(
    bench: &'b Workbench,
    connection_name: &str,
    model_name: &str,
) -> Result<(&'b Connection, Arc<Shown>)> {
    let connection = connection(bench, connection_name)?;
    let shown = bench
        .model(model_name)
        .ok_or_else(|| Refusal::not_found("model", model_name))?;
    Ok((connection, shown))
}

fn place(connection: &Connection) -> Place {
    Place {
        name: connection.name.clone(),
        kind: match connection.kind {
            ConnectionKind::Embedded => "embedded",
            ConnectionKind::Endpoint => "endpoint",
        },
        detail: connection.detail.clone(),
        read_only: connection.read_only,
        durable: connection.durable,
        region: connection.region.clone(),
        offers: connection.beside.offers(),
    }
}

/// A query string, decoded.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn of(request: &Request<Bytes>) -> Result<Self> {
        let text = request.uri().query().unwrap_or_default();
        let mut members = Vec::new();
        for member in text.split('&').filter(|m| !m.is_empty()) {
            let (name, value) = member.split_once('=').unwrap_or((member, ""));
            let (Some(name), Some(value)) = (decode(name, true), decode(value, true)) else {
                return Err(Refusal::bad_request("the query string is not UTF-8"));
            };
            members.push((name, value));
        }
        if members.len() > QUERY_MEMBERS {
            return Err(Refusal::bad_request(format!(
                "the query string has {} members, and {QUERY_MEMBERS} are allowed",
                members.len()
            )));
        }
        Ok(Self(members))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The names in it, in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn need(&self, name: &str) -> Result<&str> {
        self.get(name)
            .ok_or_else(|| Refusal::bad_request(format!("the query string lacks {name}")))
    }
}

/// Undoes percent encoding; `None` where the bytes are not UTF-8. A `%` that starts no pair of hex digits stays.
pub(crate) fn decode(text: &str, plus_is_space: bool) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [first, rest @ ..] = bytes {
        bytes = rest;
        match (first, rest) {
            (b'%', [high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => {
                    out.push(high * 16 + low);
                    bytes = after;
                }
                _ => out.push(b'%'),
            },
            (b'+', _) if plus_is_space => out.push(b' '),
            (byte, _) => out.push(*byte),
        }
    }
    String::from_utf8(out).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|d| u8::try_from(d).ok())
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn addresses_and_query_strings_are_decoded() {
        for (text, plus, want) in [
            ("a%23b", false, Some("a#b")),
            ("a+b", false, Some("a+b")),
            ("a+b", true, Some("a b")),
            ("%E6%97%A5", true, Some("日")),
            ("100%", true, Some("100%")),
            ("%zz", true, Some("%zz")),
            ("%ff", true, None),
        ] {
            assert_eq!(decode(text, plus).as_deref(), want, "{text}");
        }
    }
}
