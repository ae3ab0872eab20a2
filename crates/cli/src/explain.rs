//! `--explain`: the request that a command would send, and nothing sent.

use crate::args::Global;
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

/// For commands that stream: their first request alone would say little of them.
pub(crate) fn refuse(global: &Global, command: &str) -> Result<(), Failure> {
    if global.explain {
        let words = format!("{command} sends no request that --explain could show alone");
        return Err(Failure::usage(words));
    }
    Ok(())
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
            screen.line(&compact(&body, 0))?;
        }
    }
    screen.receipt("nothing was sent");
    Ok(())
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
