//! Bodies: a response's, and reading a request's within its limits.

use crate::config::{BODIES_MEMORY, BODY_BYTES, DRAIN_BYTES, SMALL_BODY_BYTES};
use bytes::{Bytes, BytesMut};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_ENCODING, EXPECT};
use hyper::http::request::Parts;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What a stream can fail with: the connection is then cut off.
pub type StreamError = Box<dyn std::error::Error + Send + Sync>;
/// A response body that is produced piece by piece.
pub type Stream = Pin<Box<dyn HttpBody<Data = Bytes, Error = StreamError> + Send>>;

/// A response body: all there, or a stream.
#[non_exhaustive]
pub enum Body {
    /// All there; written with the head in one go.
    Whole(Bytes),
    /// Produced piece by piece, for as long as the client listens.
    Stream(Stream),
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole(bytes) => f.debug_tuple("Whole").field(bytes).finish(),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}

impl<T: Into<Bytes>> From<T> for Body {
    fn from(bytes: T) -> Self {
        Self::Whole(bytes.into())
    }
}

impl Body {
    /// Holds on to something until a stream has ended. A whole body needs no holding: it is as good as sent.
    pub(crate) fn keeping<K: Send + Unpin + 'static>(self, kept: K) -> Self {
        match self {
            Self::Whole(bytes) => Self::Whole(bytes),
            Self::Stream(stream) => Self::Stream(Box::pin(Keeping {
                stream,
                _kept: kept,
            })),
        }
    }
}

struct Keeping<K> {
    stream: Stream,
    _kept: K,
}

impl<K: Unpin> HttpBody for Keeping<K> {
    type Data = Bytes;
    type Error = StreamError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, StreamError>>> {
        self.get_mut().stream.as_mut().poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.stream.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.stream.size_hint()
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = StreamError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, StreamError>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Stream(stream) => stream.as_mut().poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Stream(stream) => stream.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream(stream) => stream.size_hint(),
        }
    }
}

/// Why a request body was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// Over [`BODY_BYTES`]. What could be was drained, so that the answer arrives.
    #[error("the body is larger than {BODY_BYTES} bytes")]
    TooLarge,
    /// The connection broke.
    #[error("the body broke off")]
    Broken(#[source] hyper::Error),
}

/// A body that was read, with its share of the memory for bodies.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) bytes: Bytes,
    pub(crate) share: Option<OwnedSemaphorePermit>,
}

/// The memory for bodies, in units of [`SMALL_BODY_BYTES`].
pub(crate) fn budget() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(BODIES_MEMORY / SMALL_BODY_BYTES))
}

/// Reads a request body. One that arrived together with its head, as most do, is not copied.
pub(crate) async fn read(
    parts: &Parts,
    mut body: Incoming,
    budget: &Arc<Semaphore>,
) -> Result<Read, ReadError> {
    let hint = body.size_hint();
    let declared = hint.upper().unwrap_or(u64::MAX);
    if declared != u64::MAX && declared > BODY_BYTES as u64 {
        if !parts.headers.contains_key(EXPECT) {
            drain(&mut body, 0).await;
        }
        return Err(ReadError::TooLarge);
    }
    let expected = usize::try_from(declared).unwrap_or(BODY_BYTES);
    let packed = parts.headers.contains_key(CONTENT_ENCODING);
    let share = if expected > SMALL_BODY_BYTES || packed {
        let most = if packed { BODY_BYTES } else { expected };
        take_share(budget, most.min(BODY_BYTES)).await
    } else {
        None
    };
    let Some(first) = next(&mut body).await? else {
        let bytes = Bytes::new();
        return Ok(Read { bytes, share });
    };
    if body.is_end_stream() {
        let bytes = first;
        return Ok(Read { bytes, share });
    }
    // A declared length is not believed at once: memory is taken as the bytes come.
    let mut all = BytesMut::with_capacity(expected.min(first.len().max(SMALL_BODY_BYTES) * 4));
    all.extend_from_slice(&first);
    while let Some(piece) = next(&mut body).await? {
        if all.len() + piece.len() > BODY_BYTES {
            let read = all.len() + piece.len();
            drop(all);
            drain(&mut body, read).await;
            return Err(ReadError::TooLarge);
        }
        all.extend_from_slice(&piece);
    }
    let bytes = all.freeze();
    Ok(Read { bytes, share })
}

/// Waits for a part of the memory for bodies. Whole bodies are reserved at once, so two halves never wait for each other.
async fn take_share(budget: &Arc<Semaphore>, bytes: usize) -> Option<OwnedSemaphorePermit> {
    let units = u32::try_from(bytes.div_ceil(SMALL_BODY_BYTES)).unwrap_or(u32::MAX);
    Arc::clone(budget).acquire_many_owned(units).await.ok()
}

/// The next piece of data; trailers are of no interest.
async fn next(body: &mut Incoming) -> Result<Option<Bytes>, ReadError> {
    loop {
        match poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await {
            None => return Ok(None),
            Some(Err(error)) => return Err(ReadError::Broken(error)),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

/// Reads on without keeping anything, up to [`DRAIN_BYTES`].
async fn drain(body: &mut Incoming, mut read: usize) {
    while read < DRAIN_BYTES {
        match next(body).await {
            Ok(Some(piece)) => read += piece.len(),
            Ok(None) | Err(_) => return,
        }
    }
}
