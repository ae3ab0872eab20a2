//! Requests spread over the processor's cores: a long job that sends many at once polls them from one task, and
//! an embedded database does its work where it is polled.

use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, ErrorKind, Request, Response};
use std::sync::Arc;

/// Answers each request in a task of its own.
pub(crate) struct Spread(pub(crate) Arc<dyn DynamoDb>);

impl DynamoDb for Spread {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let (db, cx) = (Arc::clone(&self.0), cx.clone());
        let task = tokio::spawn(async move { db.call(&cx, request).await });
        Box::pin(async move {
            let lost = |e: tokio::task::JoinError| {
                Error::new(ErrorKind::InternalServerError, e.to_string())
            };
            task.await.unwrap_or_else(|e| Err(lost(e)))
        })
    }
}
