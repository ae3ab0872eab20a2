//! The client: a request encoded once, signed and sent until it is answered or may not be sent again.

use crate::config::Config;
use crate::retry;
use crate::sign;
use crate::threads::Threads;
use crate::transport::{NoAnswer, Pool};
use bothways_protocol::{
    BoxFuture, Context, DynamoDb, Error, ErrorKind, Operation, Request, Response,
};
use bytes::Bytes;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Tries while nothing can be reached. A choice: a server that is just starting is met, and one that is not
/// there is reported within a second.
const CONNECT_ATTEMPTS: u32 = 3;

/// A DynamoDB endpoint as a [`DynamoDb`].
///
/// Works on any executor: its connections live on the Tokio runtime in which it was made, or else on a thread of
/// its own. Cheap to share behind an `Arc`.
///
/// Errors are the endpoint's own, decoded, and three of the client's: [`ErrorKind::Unreachable`] when nothing was
/// sent, [`ErrorKind::NoAnswer`] when something was and its fate is unknown, and
/// [`ErrorKind::InternalServerError`] for an answer that is not the operation's.
pub struct Client {
    inner: Arc<Inner>,
    threads: Threads,
}

struct Inner {
    config: Config,
    pool: Pool,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("config", &self.inner.config)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client; it connects when it is first used.
    ///
    /// # Errors
    /// When the system gives no thread or event queue, outside a Tokio runtime.
    pub fn new(config: Config) -> std::io::Result<Self> {
        let pool = Pool::new(&config);
        let inner = Arc::new(Inner { config, pool });
        let threads = Threads::find()?;
        Ok(Self { inner, threads })
    }
}

impl DynamoDb for Client {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let inner = Arc::clone(&self.inner);
            let cx = cx.clone();
            let job = self
                .threads
                .handle()
                .spawn(async move { inner.run(&cx, &request).await });
            job.await
                .unwrap_or_else(|ended| Err(Error::new(ErrorKind::NoAnswer, ended.to_string())))
        })
    }
}

/// One request, ready to be signed and sent any number of times.
struct Prepared {
    operation: Option<Operation>,
    target: String,
    body: Bytes,
    region: String,
    deadline: Instant,
}

impl Inner {
    async fn run(&self, cx: &Context, request: &Request) -> Result<Response, Error> {
        let prepared = self.prepare(cx, request);
        let repeatable = retry::is_repeatable(request);
        let mut unknown = None;
        for attempt in 1.. {
            let error = match self.once(&prepared).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let attempts = match error.kind {
                ErrorKind::Unreachable => self.config.attempts.min(CONNECT_ATTEMPTS),
                _ => self.config.attempts,
            };
            let pause = retry::pause(attempt + 1);
            let in_time = Instant::now() + pause < prepared.deadline;
            if attempt >= attempts || !in_time || !retry::may_retry(&error, repeatable) {
                // An earlier try may have been carried out, whatever the last one says of itself.
                return Err(match error.kind {
                    ErrorKind::Unreachable => unknown.unwrap_or(error),
                    _ => error,
                });
            }
            if error.kind == ErrorKind::NoAnswer {
                unknown = Some(error);
            }
            tokio::time::sleep(pause).await;
        }
        Err(Error::new(
            ErrorKind::NoAnswer,
            "every number of tries was used up",
        ))
    }

    fn prepare(&self, cx: &Context, request: &Request) -> Prepared {
        let mut body = Vec::with_capacity(512);
        request.encode(&mut body);
        let target = match request {
            Request::Other { target, .. } => target.clone(),
            typed => typed.operation().map(Operation::target).unwrap_or_default(),
        };
        let region = if cx.region.is_empty() {
            self.config.region.clone()
        } else {
            cx.region.clone()
        };
        Prepared {
            operation: request.operation(),
            target,
            body: body.into(),
            region,
            deadline: cx
                .deadline
                .unwrap_or_else(|| Instant::now() + self.config.total),
        }
    }

    async fn once(&self, prepared: &Prepared) -> Result<Response, Error> {
        let left = prepared.deadline.saturating_duration_since(Instant::now());
        if left == Duration::ZERO {
            return Err(Error::new(
                ErrorKind::Unreachable,
                "the deadline has passed",
            ));
        }
        let request = sign::request(
            &self.config,
            &prepared.region,
            &prepared.target,
            &prepared.body,
        )?;
        let answer = self.pool.exchange(request, left).await.map_err(|none| {
            let kind = match none {
                NoAnswer::Unsent { .. } => ErrorKind::Unreachable,
                NoAnswer::Unknown { .. } => ErrorKind::NoAnswer,
            };
            Error::new(kind, none.to_string())
        })?;
        if answer.status != 200 {
            return Err(Error::decode(answer.status, &answer.body));
        }
        match prepared.operation {
            Some(operation) => Response::decode(operation, &answer.body),
            None => Ok(Response::Other(answer.body)),
        }
    }
}
