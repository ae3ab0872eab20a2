//! `--explain`: the requests that a command would send and what they would cost, and nothing sent.

use crate::args::Global;
use crate::failure::Failure;
use crate::print::{Screen, Tint, thousands};
use bothways_graph::{EXPLAINED_AS_IF, Explained, ExplainedKind, units_text};
use bothways_protocol::types::Units;
use bothways_protocol::{Operation, Request};
use serde_json::{Value as Json, json};

/// For commands that stream: their first request alone would say little of them.
pub(crate) fn refuse(global: &Global, command: &str) -> Result<(), Failure> {
    if global.explain {
        let words = format!("{command} sends no request that --explain could show alone");
        return Err(Failure::usage(words));
    }
    Ok(())
}

/// Requests whose cost is not known before they are answered.
pub(crate) fn print(screen: &Screen, requests: &[Request]) -> Result<(), Failure> {
    for request in requests {
        let (operation, body) = (name(request), body(request));
        if screen.json() {
            screen.document(&json!({"operation": operation, "request": body}))?;
        } else {
            screen.line(&screen.paint().paint(Tint::Strong, operation))?;
            screen.line(&compact(&body, 0))?;
        }
    }
    screen.receipt("nothing was sent");
    Ok(())
}

fn name(request: &Request) -> &'static str {
    request
        .operation()
        .map_or("another operation", Operation::name)
}

fn body(request: &Request) -> Json {
    let mut body = Vec::new();
    request.encode(&mut body);
    serde_json::from_slice(&body).unwrap_or(Json::Null)
}

/// Prints all that an operation would send: each request as JSON, ready for any SDK, of requests that differ in their keys
/// only the first; what each kind would cost, and all of them.
pub(crate) fn print_all(screen: &Screen, explained: &Explained) -> Result<(), Failure> {
    if screen.json() {
        screen.document(&bothways_workbench::explained_json(explained))?;
    } else {
        for kind in &explained.kinds {
            let words = format!("{}{}", place_of(kind), costs(kind.read, kind.write));
            let operation = screen.paint().paint(Tint::Strong, name(&kind.request));
            screen.line(&format!("{operation}{words}"))?;
            screen.line(&compact(&body(&kind.request), 0))?;
            if kind.times > 1 {
                let more = thousands(kind.times - 1);
                screen.line(&format!("and {more} more of its kind"))?;
            }
        }
    }
    let times = explained.times();
    let requests = if times == 1 { "request" } else { "requests" };
    let cut = if explained.cut { " and more" } else { "" };
    let cost = costs(explained.read(), explained.write());
    screen.receipt(&format!(
        "nothing was sent: {} {requests}{cut}{cost}",
        thousands(times)
    ));
    screen.receipt(EXPLAINED_AS_IF);
    Ok(())
}

/// ` · 2.5 RCU · 4 WCU`.
fn costs(read: Units, write: Units) -> String {
    let part = |units: Units, name| match units.0 {
        0 => String::new(),
        _ => format!(" · {} {name}", units_text(units)),
    };
    part(read, "RCU") + &part(write, "WCU")
}

/// ` on GSI1`, where an index is read.
fn place_of(kind: &ExplainedKind) -> String {
    match &kind.request {
        Request::Query(input) => {
            let index = input.index_name.as_deref();
            index.map_or_else(String::new, |index| format!(" on {index}"))
        }
        _ => String::new(),
    }
}

/// Widest line of a printed request, in bytes.
const LINE: usize = 96;

/// JSON text: what fits on a line stands on one, what does not is opened up, two spaces a level.
fn compact(json: &Json, indent: usize) -> String {
    let flat = json.to_string();
    if indent + flat.len() <= LINE {
        return flat;
    }
    let inner = indent + 2;
    let (open, parts, close): (_, Vec<String>, _) = match json {
        Json::Object(members) => {
            let member = |(name, value)| {
                format!(
                    "{}: {}",
                    Json::String(String::clone(name)),
                    compact(value, inner)
                )
            };
            ('{', members.iter().map(member).collect(), '}')
        }
        Json::Array(values) => {
            let values = values.iter().map(|value| compact(value, inner));
            ('[', values.collect(), ']')
        }
        _ => return flat,
    };
    let pad = " ".repeat(inner);
    let parts = parts.join(&format!(",\n{pad}"));
    format!("{open}\n{pad}{parts}\n{}{close}", " ".repeat(indent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_request_is_the_request() {
        let long = "x".repeat(LINE);
        let json = json!({"a": {"S": long}, "b": [{"N": "1"}, {"L": [long, 2]}], "c": {"d": []}});
        let text = compact(&json, 0);
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), json);
        assert!(text.contains("\n  \"c\": {\"d\":[]}\n"), "{text}");
    }
}
