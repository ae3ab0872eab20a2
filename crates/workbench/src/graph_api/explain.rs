//! What an operation would send, as JSON.

use bothways_graph::{EXPLAINED_AS_IF, Explained, units_text};
use bothways_protocol::Operation;
use serde_json::{Value as Json, json};

/// All that an operation would send: each kind of request once, how often, and what it would cost.
#[must_use]
pub fn explained_json(explained: &Explained) -> Json {
    let kinds = explained.kinds.iter().map(|kind| {
        let mut body = Vec::new();
        kind.request.encode(&mut body);
        json!({
            "operation": kind.request.operation().map(Operation::name),
            "request": serde_json::from_slice::<Json>(&body).unwrap_or(Json::Null),
            "times": kind.times,
            "read_units": units_text(kind.read),
            "write_units": units_text(kind.write),
        })
    });
    json!({
        "requests": kinds.collect::<Vec<_>>(),
        "times": explained.times(),
        "cut": explained.cut,
        "read_units": units_text(explained.read()),
        "write_units": units_text(explained.write()),
        "as_if": EXPLAINED_AS_IF,
    })
}
