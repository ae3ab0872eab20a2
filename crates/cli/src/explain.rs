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
            screen.line(&serde_json::to_string_pretty(&body).unwrap_or_default())?;
        }
    }
    screen.receipt("nothing was sent");
    Ok(())
}
