//! A decorator that remembers the requests that pass through it, so that people can see what was really sent.

use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Operation, Request, Response};
use parking_lot::Mutex;
use std::sync::Arc;

/// One request as it was sent, and its answer.
pub(crate) struct Sent {
    /// The operation; none for one that has no types.
    pub(crate) operation: Option<Operation>,
    /// The input in DynamoDB JSON.
    pub(crate) input: Vec<u8>,
    /// What came back.
    pub(crate) answer: Result<Response, Error>,
}

/// Most requests remembered for one answer of the API; later ones pass unremembered.
const REMEMBERED: usize = 64;

/// Passes requests on and remembers them.
pub(crate) struct Recorder {
    inner: Arc<dyn DynamoDb>,
    sent: Mutex<Vec<Sent>>,
}

impl Recorder {
    pub(crate) fn new(inner: Arc<dyn DynamoDb>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            sent: Mutex::new(Vec::new()),
        })
    }

    /// What was sent since the last call.
    pub(crate) fn take(&self) -> Vec<Sent> {
        std::mem::take(&mut self.sent.lock())
    }
}

impl DynamoDb for Recorder {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let operation = request.operation();
            let mut input = Vec::new();
            request.encode(&mut input);
            let answer = self.inner.call(cx, request).await;
            let mut sent = self.sent.lock();
            if sent.len() < REMEMBERED {
                sent.push(Sent {
                    operation,
                    input,
                    answer: answer.clone(),
                });
            }
            drop(sent);
            answer
        })
    }
}
