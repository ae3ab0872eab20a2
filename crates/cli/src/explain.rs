//! `--explain`: the request that a command would send, and nothing sent.

use crate::failure::Failure;
use crate::print::{Screen, Tint};
use bothways_protocol::{
    BoxFuture, Context, DynamoDb, Error, ErrorKind, Operation, Request, Response,
};
use serde_json::{Value as Json, json};
use std::sync::{Mutex, PoisonError};

/// Keeps the first request and answers it with an error, so that nothing follows it.
#[derive(Debug, Default)]
pub(crate) struct Explain {
    requests: Mutex<Vec<Request>>,
}

impl Explain {
    /// What was asked.
    pub(crate) fn take(&self) -> Vec<Request> {
        std::mem::take(&mut *self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl DynamoDb for Explain {
    fn call<'a>(
        &'a self,
        _cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request);
        let stop = Error::new(ErrorKind::Other("Explained".to_owned()), "nothing was sent");
        Box::pin(std::future::ready(Err(stop)))
    }
}

/// Prints requests as JSON, ready for any SDK.
pub(crate) fn print(screen: &Screen, requests: &[Request]) -> Result<(), Failure> {
    for request in requests {
        let operation = request
            .operation()
            .map_or("another operation", Operation::name);
        let mut body = Vec::new();
        request.encode(&mut body);
        let body: Json = serde_json::from_slice(&body).unwrap_or(Json::Null);
        if screen.json() {
            screen.document(&json!({"operation": operation, "request": body}))?;
        } else {
            screen.line(&screen.paint().paint(Tint::Strong, operation))?;
            let mut text = String::new();
            compact(&body, 0, &mut text);
            screen.line(&text)?;
        }
    }
    screen.receipt("nothing was sent");
    Ok(())
}

/// Widest line of a printed request, in bytes.
const LINE: usize = 96;

/// Appends JSON: what fits on a line stands on one, what does not is opened up, two spaces a level.
fn compact(json: &Json, indent: usize, out: &mut String) {
    let flat = json.to_string();
    if indent + flat.len() <= LINE {
        return out.push_str(&flat);
    }
    let pad = " ".repeat(indent + 2);
    let end = " ".repeat(indent);
    match json {
        Json::Object(members) => {
            out.push('{');
            for (i, (name, value)) in members.iter().enumerate() {
                let comma = if i > 0 { "," } else { "" };
                let name = Json::String(name.clone());
                out.push_str(&format!("{comma}\n{pad}{name}: "));
                compact(value, indent + 2, out);
            }
            out.push_str(&format!("\n{end}}}"));
        }
        Json::Array(values) => {
            out.push('[');
            for (i, value) in values.iter().enumerate() {
                let comma = if i > 0 { "," } else { "" };
                out.push_str(&format!("{comma}\n{pad}"));
                compact(value, indent + 2, out);
            }
            out.push_str(&format!("\n{end}]"));
        }
        _ => out.push_str(&flat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_request_is_the_request() {
        let long = "x".repeat(LINE);
        let json = json!({"a": {"S": long}, "b": [{"N": "1"}, {"L": [long, 2]}], "c": {"d": []}});
        let mut text = String::new();
        compact(&json, 0, &mut text);
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), json);
        assert!(text.contains("\n  \"c\": {\"d\":[]}\n"), "{text}");
    }
}
