//! One request to one answer. Knows no socket.

use crate::auth::{self, Scope};
use crate::body::Body;
use crate::compress::{Unpack, choose, gunzip, inflate};
use crate::config::{Config, HEAD_PART_BYTES};
use crate::guard;
use crate::id;
use crate::pages::{self, HEALTH_PATH, Pages};
use crate::reply::{self, Frame, Media};
use bothways_protocol::{
    Context, DynamoDb, Error, ErrorKind, Message, Operation, Request as Call, Response as Answer,
    is_json,
};
use bytes::Bytes;
use hyper::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

const TARGET: HeaderName = HeaderName::from_static("x-amz-target");
/// The words for an answer that did not come in time; AWS has none of its own.
const TOO_SLOW: &str =
    "The request was not answered in time. A write may have happened or may yet happen.";

/// Turns HTTP requests into DynamoDB calls and their answers back into HTTP.
pub struct Service {
    db: Arc<dyn DynamoDb>,
    pages: Option<Arc<dyn Pages>>,
    /// What is wrong with the database, if anything.
    trouble: Option<Trouble>,
    config: Config,
}

/// Says what is wrong with a database that still answers, in a line for its health check.
pub type Trouble = Box<dyn Fn() -> Option<String> + Send + Sync>;

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl Service {
    /// A service over any backend.
    #[must_use]
    pub fn new(db: Arc<dyn DynamoDb>, config: Config) -> Self {
        Self {
            db,
            pages: None,
            trouble: None,
            config,
        }
    }

    /// Asks for what is wrong at each health check.
    #[must_use]
    pub fn with_trouble(mut self, trouble: Trouble) -> Self {
        self.trouble = Some(trouble);
        self
    }

    /// Adds what is shown at addresses that are not DynamoDB's.
    #[must_use]
    pub fn with_pages(mut self, pages: Arc<dyn Pages>) -> Self {
        self.pages = Some(pages);
        self
    }

    /// What it was told.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Answers one request whose body has been read. Never fails: what goes wrong is an answer too.
    pub async fn handle(&self, parts: Parts, body: Bytes) -> Response<Body> {
        if let Err(refusal) = guard::check(&parts.method, &parts.headers, &self.config.hosts) {
            let error = Error::new(ErrorKind::AccessDenied, refusal.to_string());
            let mut response = failed(&Frame::new(Media::AmzJson10), &error);
            *response.status_mut() = StatusCode::FORBIDDEN;
            return response;
        }
        if is_oversized(&parts) {
            return reply::closing(StatusCode::BAD_REQUEST);
        }
        let path = parts.uri.path();
        if parts.method == Method::POST && path == "/" {
            return self.operation(&parts, body).await;
        }
        let reading = parts.method == Method::GET || parts.method == Method::HEAD;
        if reading && path == HEALTH_PATH {
            return self.health(&parts.headers);
        }
        let front = reading && path == "/";
        let request = Request::from_parts(parts, body);
        match &self.pages {
            Some(_) if front && !pages::wants_html(&request) => self.health(request.headers()),
            Some(pages) => match pages.answer(request).await {
                Some(mut response) => {
                    reply::harden(response.headers_mut());
                    response
                }
                None => reply::unknown(),
            },
            None if front && pages::wants_html(&request) => pages::front(),
            None if front => self.health(request.headers()),
            None => reply::unknown(),
        }
    }

    fn health(&self, headers: &HeaderMap) -> Response<Body> {
        let trouble = self.trouble.as_ref().and_then(|trouble| trouble());
        pages::health(headers, trouble.as_deref())
    }

    /// `POST /`.
    async fn operation(&self, parts: &Parts, body: Bytes) -> Response<Body> {
        let media = match parts.headers.get(CONTENT_TYPE) {
            Some(value) => Media::of(value.as_bytes()),
            None => None,
        };
        let mut frame = match media {
            Some(media) => Frame::new(media),
            None if body.is_empty() => Frame::new(Media::Json),
            None => return reply::unknown(),
        };
        match self.answer(parts, body, &frame).await {
            Ok(answer) => {
                let mut json = Vec::with_capacity(answer.room());
                if !answer.is_bodiless() {
                    answer.encode(&mut json);
                }
                if let Some(accept) = auth::text(&parts.headers, &ACCEPT_ENCODING) {
                    frame.coding = choose(accept, json.len());
                }
                frame.json(StatusCode::OK, json)
            }
            Err(Failure::Answer(error)) => failed(&frame, &error),
            Err(Failure::TooLarge) => reply::closing(StatusCode::PAYLOAD_TOO_LARGE),
        }
    }

    /// Decodes and calls. The order of checks is AWS's: JSON, operation, signature, types
    /// (source: dynalite's `test/connection.js`).
    async fn answer(&self, parts: &Parts, body: Bytes, frame: &Frame) -> Result<Answer, Failure> {
        let body = unpacked(parts, body)?;
        let operation = Operation::of_target(auth::text(&parts.headers, &TARGET))
            .map_err(|unknown| json_first(&body, unknown))?;
        let scope = match auth::scope(&parts.headers, parts.uri.query().unwrap_or_default()) {
            Err(Message::MissingAuthentication) if self.config.unsigned => Scope::default(),
            scope => scope.map_err(|wrong| json_first(&body, wrong.into()))?,
        };
        let call = Call::decode(operation, &body)?;
        let deadline = Instant::now() + self.config.request;
        let cx = Context {
            access_key: scope.access_key.to_owned(),
            region: scope.region.to_owned(),
            deadline: Some(deadline),
            request_id: id::text(frame.id),
            host: auth::text(&parts.headers, &HOST)
                .unwrap_or_default()
                .to_owned(),
        };
        let answer = self.db.call(&cx, call);
        match within(self.config.request, answer).await {
            Some(answer) => Ok(answer?),
            None => Err(Error::new(ErrorKind::InternalServerError, TOO_SLOW).into()),
        }
    }
}

/// Whether the request line or the headers are longer than AWS takes. What browsers ask for is not held to it: they
/// send along the cookies of every other server of this machine.
fn is_oversized(parts: &Parts) -> bool {
    if parts.method != Method::POST {
        return false;
    }
    let line = parts.uri.path_and_query().map_or(0, |at| at.as_str().len());
    let header = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len();
    let headers = || parts.headers.iter().map(header).sum::<usize>();
    line > HEAD_PART_BYTES || (parts.uri.path() == "/" && headers() > HEAD_PART_BYTES)
}

/// Why an operation has no output.
enum Failure {
    Answer(Error),
    TooLarge,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Answer(error)
    }
}

/// The body as plain JSON text. AWS answers 500 to a coding that it does not know and to a damaged one.
fn unpacked(parts: &Parts, body: Bytes) -> Result<Bytes, Failure> {
    let Some(coding) = parts.headers.get(CONTENT_ENCODING) else {
        return Ok(body);
    };
    let unpack = if coding.as_bytes().eq_ignore_ascii_case(b"gzip") {
        Some(gunzip as fn(&[u8]) -> Result<Bytes, Unpack>)
    } else if coding.as_bytes().eq_ignore_ascii_case(b"deflate") {
        Some(inflate as fn(&[u8]) -> Result<Bytes, Unpack>)
    } else {
        None
    };
    if let Some(unpack) = unpack {
        return unpack(&body).map_err(|error| match error {
            Unpack::TooLarge => Failure::TooLarge,
            Unpack::Damaged => internal().into(),
        });
    }
    if coding.is_empty() || coding.as_bytes().eq_ignore_ascii_case(b"identity") {
        return Ok(body);
    }
    Err(internal().into())
}

/// AWS's answer where it explains nothing.
fn internal() -> Error {
    Error::new(ErrorKind::InternalServerError, "")
}

/// A body that is not JSON is reported before anything else is.
fn json_first(body: &[u8], error: Error) -> Failure {
    if body.is_empty() || is_json(body) {
        error.into()
    } else {
        Error::new(ErrorKind::Serialization, "").into()
    }
}

fn failed(frame: &Frame, error: &Error) -> Response<Body> {
    let mut json = Vec::with_capacity(256);
    error.encode(&mut json);
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    frame.json(status, json)
}

/// Waits for a future, but not longer. One that is ready at once costs no timer.
pub(crate) async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let first = poll_fn(|cx| Poll::Ready(Pin::new(&mut future).poll(cx))).await;
    match first {
        Poll::Ready(output) => Some(output),
        Poll::Pending => tokio::time::timeout(limit, future).await.ok(),
    }
}
