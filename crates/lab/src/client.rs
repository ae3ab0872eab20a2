//! A process that may die at any of its requests.

use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use std::future::{Future, pending};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;

/// One process's way to a database. It passes requests on, counts them, and can be made to die at one of them: the
/// request is never sent, or is sent and its answer never heard. Nothing of a dead process goes on.
pub struct Client {
    inner: Arc<dyn DynamoDb>,
    sent: AtomicU64,
    dies_at: AtomicU64,
    unheard: AtomicBool,
    dead: AtomicBool,
}

impl Client {
    /// A process that lives.
    #[must_use]
    pub fn of(inner: Arc<dyn DynamoDb>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            sent: AtomicU64::new(0),
            dies_at: AtomicU64::new(u64::MAX),
            unheard: AtomicBool::new(false),
            dead: AtomicBool::new(false),
        })
    }

    /// A process that dies at its request of this number, counted from 0: before it is sent, or, `unheard`, when it
    /// is done and before the answer is heard.
    #[must_use]
    pub fn dying_at(inner: Arc<dyn DynamoDb>, request: u64, unheard: bool) -> Arc<Self> {
        let client = Self::of(inner);
        client.dies_at.store(request, Ordering::Relaxed);
        client.unheard.store(unheard, Ordering::Relaxed);
        client
    }

    /// Requests sent so far.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Whether it has died.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Acquire)
    }

    /// What the process does; `None` where it died on the way.
    pub async fn life<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        std::future::poll_fn(|cx| match work.as_mut().poll(cx) {
            _ if self.is_dead() => Poll::Ready(None),
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => Poll::Pending,
        })
        .await
    }
}

impl DynamoDb for Client {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let number = self.sent.fetch_add(1, Ordering::Relaxed);
            let dies = number >= self.dies_at.load(Ordering::Relaxed);
            if dies && !self.unheard.load(Ordering::Relaxed) {
                self.dead.store(true, Ordering::Release);
                return pending().await;
            }
            let answer = self.inner.call(cx, request).await;
            if dies {
                self.dead.store(true, Ordering::Release);
                return pending().await;
            }
            answer
        })
    }
}
