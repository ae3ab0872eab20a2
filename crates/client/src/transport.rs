//! Connections to one endpoint, kept and used again; what is sent and what comes back, as bytes.

use crate::config::{ANSWER_BYTES, Config};
use crate::connect::{Sender, connect};
use crate::endpoint::Endpoint;
use crate::tls::Tls;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::HeaderName;
use hyper::{Request, Response};
use parking_lot::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// An idle connection is not used again after this long: the other side may be closing it just then, and a
/// request lost that way has an unknown fate. A choice: well under the 60 s and more that servers wait.
const IDLE: Duration = Duration::from_secs(20);
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");

/// An answer's status and body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoAnswer {
    /// Nothing was sent.
    #[error("cannot reach {endpoint}: {reason}")]
    Unsent { endpoint: String, reason: String },
    /// Something was sent, and whether it was carried out is not known.
    #[error("no answer from {endpoint}: {reason}")]
    Unknown { endpoint: String, reason: String },
}

struct Idle {
    sender: Sender,
    since: Instant,
}

/// The connections to one endpoint.
pub(crate) struct Pool {
    endpoint: Endpoint,
    connect: Duration,
    answer: Duration,
    tls: Tls,
    idle: Mutex<Vec<Idle>>,
    places: Semaphore,
}

impl Pool {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            endpoint: config.endpoint.clone(),
            connect: config.connect,
            answer: config.answer,
            tls: Tls::new(config.ca_bundle.clone()),
            idle: Mutex::new(Vec::new()),
            places: Semaphore::new(config.connections.max(1)),
        }
    }

    /// Sends a request and reads the whole answer, within `left`.
    pub(crate) async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
        left: Duration,
    ) -> Result<Answer, NoAnswer> {
        let begun = Instant::now();
        let place = tokio::time::timeout(left, self.places.acquire()).await;
        let Ok(Ok(_place)) = place else {
            return Err(self.unsent("no connection became free in time"));
        };
        let mut request = request;
        loop {
            let left = left.saturating_sub(begun.elapsed());
            let (mut sender, used) = match self.take_idle().await {
                Some(sender) => (sender, true),
                None => (self.open(left).await?, false),
            };
            let answer = self.answer.min(left);
            let sent = tokio::time::timeout(answer, sender.try_send_request(request)).await;
            match sent {
                Err(_) => return Err(self.unknown("it took too long")),
                Ok(Ok(response)) => {
                    let left = answer.min(left.saturating_sub(begun.elapsed()));
                    let answer = self.read(response, left).await?;
                    let since = Instant::now();
                    self.idle.lock().push(Idle { sender, since });
                    return Ok(answer);
                }
                Ok(Err(mut error)) => match error.take_message() {
                    // A kept connection that had been closed meanwhile: the request is untouched.
                    Some(unsent) if used => request = unsent,
                    Some(_) => return Err(self.unsent(error.error())),
                    None => return Err(self.unknown(error.error())),
                },
            }
        }
    }

    async fn take_idle(&self) -> Option<Sender> {
        loop {
            let idle = self.idle.lock().pop()?;
            let mut sender = idle.sender;
            if idle.since.elapsed() < IDLE && sender.ready().await.is_ok() {
                return Some(sender);
            }
        }
    }

    async fn open(&self, left: Duration) -> Result<Sender, NoAnswer> {
        let connect = connect(&self.endpoint, &self.tls);
        let opened = tokio::time::timeout(self.connect.min(left), connect).await;
        match opened {
            Err(_) => Err(self.unsent("it took too long to connect")),
            Ok(Err(error)) => Err(self.unsent(&error)),
            Ok(Ok(sender)) => Ok(sender),
        }
    }

    async fn read(&self, response: Response<Incoming>, left: Duration) -> Result<Answer, NoAnswer> {
        let (parts, body) = response.into_parts();
        let whole = Limited::new(body, ANSWER_BYTES).collect();
        let body = match tokio::time::timeout(left, whole).await {
            Err(_) => return Err(self.unknown("it took too long")),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                return Err(self.unknown(&format!("it is larger than {ANSWER_BYTES} bytes")));
            }
            Ok(Err(error)) => return Err(self.unknown(&error)),
            Ok(Ok(body)) => body.to_bytes(),
        };
        let promised = parts
            .headers
            .get(CRC32)
            .and_then(|v| v.to_str().ok()?.parse().ok());
        if promised.is_some_and(|crc: u32| crc != crc32fast::hash(&body)) {
            return Err(self.unknown("its checksum is wrong"));
        }
        let status = parts.status.as_u16();
        Ok(Answer { status, body })
    }

    fn unsent(&self, reason: &(impl ToString + ?Sized)) -> NoAnswer {
        NoAnswer::Unsent {
            endpoint: self.endpoint.to_string(),
            reason: reason.to_string(),
        }
    }

    fn unknown(&self, reason: &(impl ToString + ?Sized)) -> NoAnswer {
        NoAnswer::Unknown {
            endpoint: self.endpoint.to_string(),
            reason: reason.to_string(),
        }
    }
}
