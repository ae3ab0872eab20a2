//! The client: a request encoded once, signed and sent until it is answered or may not be sent again.

use crate::config::{Config, Credentials, Identity};
use crate::drain::{self, Batch};
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

/// What an answer is called that is no JSON of DynamoDB.
const NOT_DYNAMODB: &str = "NotDynamoDB";
/// What a service calls credentials that have expired. Source: DynamoDB's and STS's common errors.
const EXPIRED: &[&str] = &["ExpiredTokenException", "ExpiredToken", "RequestExpired"];

/// A DynamoDB endpoint as a [`DynamoDb`].
///
/// Works on any executor: its connections live on the Tokio runtime in which it was made, or else on a thread of
/// its own. Cheap to share behind an `Arc`.
///
/// Errors are the endpoint's own, decoded, and four of the client's: [`ErrorKind::MissingAuthenticationToken`] when
/// there are no credentials to sign with, [`ErrorKind::Unreachable`] when nothing was
/// sent, [`ErrorKind::NoAnswer`] when something was and its fate is unknown, and
/// `NotDynamoDB` for a read that is answered by something else; for a write that is [`ErrorKind::NoAnswer`] too.
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
                .spawn(async move { inner.run(&cx, request).await });
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
    /// A request and, where it is a batch, what of it was left unprocessed, until nothing is or time is up.
    async fn run(&self, cx: &Context, request: Request) -> Result<Response, Error> {
        let deadline = cx
            .deadline
            .unwrap_or_else(|| Instant::now() + self.config.total);
        let mut batch = Batch::of(&request).filter(|_| self.config.drain);
        let mut response = self.answered(cx, &request, deadline).await?;
        for attempt in 1..self.config.attempts {
            let Some(left) = batch.as_mut().and_then(|batch| batch.left(&response)) else {
                break;
            };
            let pause = retry::pause(attempt + 1);
            if Instant::now() + pause >= deadline {
                break;
            }
            tokio::time::sleep(pause).await;
            // What fails now was left unprocessed before, and the answer says so.
            match self.answered(cx, &left, deadline).await {
                Ok(more) => drain::merge(&mut response, more),
                Err(_) => break,
            }
        }
        Ok(response)
    }

    async fn answered(
        &self,
        cx: &Context,
        request: &Request,
        deadline: Instant,
    ) -> Result<Response, Error> {
        let prepared = self.prepare(cx, request, deadline);
        let repeatable = retry::is_repeatable(request);
        let mut renewed = false;
        let mut unknown = None;
        for attempt in 1.. {
            let error = match self.once(&prepared).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            // Refused for who asks, so nothing was done: once more with keys asked for anew.
            if !renewed && self.renew(&error).await {
                renewed = true;
                continue;
            }
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

    fn prepare(&self, cx: &Context, request: &Request, deadline: Instant) -> Prepared {
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
            deadline,
        }
    }

    fn not_dynamodb(&self, how: &str) -> String {
        let endpoint = &self.config.endpoint;
        format!("{endpoint} does not answer as DynamoDB does ({how})")
    }

    async fn credentials(&self, left: Duration) -> Result<Credentials, Error> {
        let chain = match &self.config.identity {
            Identity::Fixed(credentials) => return Ok(credentials.clone()),
            Identity::Chain(chain) => chain,
        };
        let found = tokio::time::timeout(left, chain.credentials()).await;
        let none = |words: String| Error::new(ErrorKind::MissingAuthenticationToken, words);
        found
            .map_err(|_| none("the AWS credentials did not come in time".to_owned()))?
            .map_err(|e| none(e.to_string()))
    }

    /// Forgets credentials of the chain that the service calls expired; whether there are other ones now.
    async fn renew(&self, error: &Error) -> bool {
        let Identity::Chain(chain) = &self.config.identity else {
            return false;
        };
        let expired =
            matches!(&error.kind, ErrorKind::Other(name) if EXPIRED.contains(&name.as_str()));
        if !expired {
            return false;
        }
        let Ok(old) = chain.credentials().await else {
            return false;
        };
        chain.forget(&old);
        chain.credentials().await.is_ok_and(|new| new != old)
    }

    async fn once(&self, prepared: &Prepared) -> Result<Response, Error> {
        let left = prepared.deadline.saturating_duration_since(Instant::now());
        if left == Duration::ZERO {
            return Err(Error::new(
                ErrorKind::Unreachable,
                "the deadline has passed",
            ));
        }
        let credentials = self.credentials(left).await?;
        let request = sign::request(
            &self.config.endpoint,
            &credentials,
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
            let mut error = Error::decode(answer.status, &answer.body);
            if error.message.is_empty() && !answer.body.trim_ascii_start().starts_with(b"{") {
                error.message = self
                    .not_dynamodb(&format!("HTTP status {}", answer.status))
                    .into();
            }
            return Err(error);
        }
        match prepared.operation {
            Some(operation) => Response::decode(operation, &answer.body).map_err(|error| {
                // A read may fail for good; whether a write was carried out is not known.
                let kind = if operation.only_reads() {
                    ErrorKind::Other(NOT_DYNAMODB.to_owned())
                } else {
                    ErrorKind::NoAnswer
                };
                Error::new(kind, self.not_dynamodb(&error.message))
            }),
            None => Ok(Response::Other(answer.body)),
        }
    }
}
