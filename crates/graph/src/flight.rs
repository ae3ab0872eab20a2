//! Several futures at once on one task, without a runtime.

use bothways_protocol::BoxFuture;
use std::future::poll_fn;
use std::task::Poll;

/// Futures in flight, each with a tag.
pub struct Flight<'f, K, T> {
    slots: Vec<(K, BoxFuture<'f, T>)>,
}

impl<K, T> Default for Flight<'_, K, T> {
    fn default() -> Self {
        Self { slots: Vec::new() }
    }
}

impl<'f, K: Send, T> Flight<'f, K, T> {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self { slots: Vec::new() }
    }

    /// How many are in flight.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Adds one. It runs only while [`Flight::land`] is waited for.
    pub fn launch(&mut self, tag: K, future: BoxFuture<'f, T>) {
        self.slots.push((tag, future));
    }

    /// Waits for any to end; `None` when nothing is in flight. Each wake-up polls all: they are few.
    pub async fn land(&mut self) -> Option<(K, T)> {
        if self.slots.is_empty() {
            return None;
        }
        let (at, value) = poll_fn(|cx| {
            for (at, (_, future)) in self.slots.iter_mut().enumerate() {
                if let Poll::Ready(value) = future.as_mut().poll(cx) {
                    return Poll::Ready((at, value));
                }
            }
            Poll::Pending
        })
        .await;
        let (tag, _) = self.slots.swap_remove(at);
        Some((tag, value))
    }
}
