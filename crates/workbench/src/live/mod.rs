//! What an application sends to this server, as it happens.
//!
//! [`Live`] is a decorator of the seam for the requests that come over the wire. While nobody looks, it costs one
//! look at a clock a request. While somebody looks, the latest requests and answers are kept, in bounded memory;
//! who sent them, and with which credentials, is not.

pub(crate) mod api;
mod cost;
mod keep;
mod words;

pub(crate) use keep::{Kept, Page};
pub(crate) use words::item_in_words;

use bothways_protocol::types::Units;
use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use keep::Ring;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long requests are kept after somebody last asked for them.
const WATCHED: Duration = Duration::from_secs(30);

/// The latest requests of an application. Cloning shares it.
#[derive(Clone, Default)]
pub struct Live(Arc<Shared>);

struct Shared {
    begun: Instant,
    /// Milliseconds after `begun` until which somebody is looking.
    until: AtomicU64,
    ring: Mutex<Ring>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            until: AtomicU64::new(0),
            ring: Mutex::default(),
        }
    }
}

impl Live {
    /// The backend, seen through: what passes is kept while somebody looks.
    #[must_use]
    pub fn over(&self, inner: Arc<dyn DynamoDb>) -> Arc<dyn DynamoDb> {
        let live = self.clone();
        Arc::new(Watched { inner, live })
    }

    /// Keeps what passes from now on, for half a minute.
    pub fn watch(&self) {
        let until = self.millis() + u64::try_from(WATCHED.as_millis()).unwrap_or(0);
        self.0.until.fetch_max(until, Ordering::Relaxed);
    }

    /// What came after the request of this number, the oldest first; from now on somebody is looking.
    pub(crate) fn after(&self, number: u64) -> Page {
        self.watch();
        self.0.ring.lock().after(number)
    }

    /// One request, as long as it is kept.
    pub(crate) fn one(&self, number: u64) -> Option<Arc<Kept>> {
        self.0.ring.lock().one(number)
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.0.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn is_watched(&self) -> bool {
        self.millis() < self.0.until.load(Ordering::Relaxed)
    }
}

struct Watched {
    inner: Arc<dyn DynamoDb>,
    live: Live,
}

impl DynamoDb for Watched {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        if self.live.is_watched() {
            Box::pin(self.kept(cx, request))
        } else {
            self.inner.call(cx, request)
        }
    }
}

impl Watched {
    /// Has the capacity counted where the caller does not ask for it, and takes it out of the answer again.
    async fn kept(&self, cx: &Context, mut request: Request) -> Result<Response, Error> {
        let mut kept = Kept {
            at_millis: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0)),
            ..Kept::of(&request)
        };
        if let (true, Some(table)) = (kept.key.is_none(), kept.tables.first()) {
            kept.key = words::key_of_put(&*self.inner, cx, table, &request).await;
        }
        let asked = cost::ask(&mut request);
        let begun = Instant::now();
        let mut answer = self.inner.call(cx, request).await;
        kept.micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        if let Ok(response) = &mut answer {
            let units: Units = cost::of(response, &mut kept.tables, !asked);
            if kept.reads {
                kept.read = units;
            } else {
                kept.write = units;
            }
        }
        kept.answered(&answer);
        self.live.0.ring.lock().push(kept);
        answer
    }
}

#[cfg(test)]
mod tests;
