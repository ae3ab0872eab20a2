//! The query parameters of each address: others are refused by name.

use super::Result;
use super::problem::{Code, Problem};
use crate::api::Query;
use http::Method;

/// The parameter that every address below a model takes: say what would be sent, and send nothing.
const EXPLAIN: &str = "explain";

/// What an address takes beside it.
fn known(method: &Method, rest: &[&str]) -> &'static [&'static str] {
    match (method.as_str(), rest) {
        ("DELETE", ["entities", ..]) => &["cascade"],
        ("POST", ["edges", _, "import"]) => &["separator", "header", "source", "target"],
        ("POST" | "PUT" | "PATCH" | "DELETE", ["edges", _, _, _]) => &["position"],
        ("GET", ["nodes", _, _, "in" | "out"]) => &[
            "limit",
            "after",
            "reverse",
            "prefix",
            "since",
            "until",
            "skip",
            "hydrate",
            "consistency",
        ],
        ("GET", ["jobs"]) => &["limit", "after"],
        ("POST", ["jobs", _, "run"]) => &["take_over"],
        _ => &[],
    }
}

/// Refuses parameters that the address does not take, and those that are given twice.
pub(super) fn check(method: &Method, rest: &[&str], query: &Query) -> Result<()> {
    let known = known(method, rest);
    let mut seen: Vec<&str> = Vec::new();
    for name in query.names() {
        if name != EXPLAIN && !known.contains(&name) {
            let detail = format!("there is no query parameter {name:?} here");
            let mut takes = known.to_vec();
            takes.push(EXPLAIN);
            let hint = format!("this address takes {}", takes.join(", "));
            return Err(Problem::new(Code::BadRequest, detail).hint(hint));
        }
        if seen.contains(&name) {
            let detail = format!("{name} is given more than once");
            return Err(Problem::new(Code::BadRequest, detail));
        }
        seen.push(name);
    }
    Ok(())
}

/// An option that is given or not; given without a value it is.
pub(super) fn yes(query: &Query, name: &str) -> Result<bool> {
    match query.get(name) {
        None | Some("false" | "0") => Ok(false),
        Some("true" | "1" | "") => Ok(true),
        Some(other) => Err(Problem::new(
            Code::BadRequest,
            format!("{name} is {other:?}; it is true or false"),
        )),
    }
}
