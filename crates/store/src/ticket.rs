//! The promise that a commit becomes durable, awaited by tasks and threads alike.

use crate::{Error, Result};
use parking_lot::{Condvar, Mutex};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Waker};

const WAITING: u8 = 0;
const DONE: u8 = 1;
const FAILED: u8 = 2;

/// What all commits of one group wait for.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// Read first, so that a settled gate costs no lock.
    state: AtomicU8,
    inner: Mutex<Waiters>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiters {
    error: Option<Error>,
    /// One slot for each ticket that was polled.
    wakers: Vec<Option<Waker>>,
}

impl Gate {
    /// Opens the gate for good; later calls change nothing.
    pub(crate) fn settle(&self, outcome: Result<()>) {
        let wakers = {
            let mut inner = self.inner.lock();
            if self.state.load(Ordering::Acquire) != WAITING {
                return;
            }
            let state = if outcome.is_ok() { DONE } else { FAILED };
            inner.error = outcome.err();
            self.state.store(state, Ordering::Release);
            std::mem::take(&mut inner.wakers)
        };
        self.changed.notify_all();
        for waker in wakers.into_iter().flatten() {
            waker.wake();
        }
    }

    fn outcome(&self) -> Option<Result<()>> {
        match self.state.load(Ordering::Acquire) {
            WAITING => None,
            DONE => Some(Ok(())),
            _ => Some(self.inner.lock().error.clone().map_or(Ok(()), Err)),
        }
    }
}

/// The promise that a commit is, or becomes, durable and visible: await it, or block on it with
/// [`Ticket::wait`]. Dropping it changes nothing about the commit.
#[must_use = "a commit is durable only when its ticket is ready"]
pub struct Ticket(Kind);

/// Brings about what a ticket waits for, in a store where nothing happens by itself.
pub(crate) trait Drive: Send + Sync {
    /// Somebody waits for the gate. Must settle it after a bounded number of calls.
    fn drive(&self, gate: &Arc<Gate>);
}

enum Kind {
    Ready(Option<Error>),
    Driven {
        gate: Arc<Gate>,
        driver: Arc<dyn Drive>,
    },
    Waiting {
        gate: Arc<Gate>,
        slot: Option<usize>,
    },
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ticket")
            .field("settled", &self.is_settled())
            .finish()
    }
}

impl Ticket {
    /// A ticket already settled.
    pub fn ready() -> Self {
        Self(Kind::Ready(None))
    }

    /// A ticket already failed.
    pub fn failed(error: Error) -> Self {
        Self(Kind::Ready(Some(error)))
    }

    pub(crate) fn of(gate: Arc<Gate>) -> Self {
        Self(Kind::Waiting { gate, slot: None })
    }

    pub(crate) fn driven(gate: Arc<Gate>, driver: Arc<dyn Drive>) -> Self {
        Self(Kind::Driven { gate, driver })
    }

    /// Whether [`Ticket::wait`] would return at once.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        match &self.0 {
            Kind::Ready(_) => true,
            Kind::Waiting { gate, .. } | Kind::Driven { gate, .. } => {
                gate.state.load(Ordering::Acquire) != WAITING
            }
        }
    }

    /// Blocks until the commit is durable and visible.
    ///
    /// # Errors
    ///
    /// What made the commit fail: it may or may not be there after the store is opened anew.
    pub fn wait(self) -> Result<()> {
        match &self.0 {
            Kind::Ready(error) => error.clone().map_or(Ok(()), Err),
            Kind::Driven { gate, driver } => loop {
                if let Some(outcome) = gate.outcome() {
                    return outcome;
                }
                driver.drive(gate);
            },
            Kind::Waiting { gate, .. } => {
                if let Some(outcome) = gate.outcome() {
                    return outcome;
                }
                let mut inner = gate.inner.lock();
                while gate.state.load(Ordering::Acquire) == WAITING {
                    gate.changed.wait(&mut inner);
                }
                inner.error.clone().map_or(Ok(()), Err)
            }
        }
    }
}

impl Future for Ticket {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        match &mut self.0 {
            Kind::Ready(error) => Poll::Ready(error.clone().map_or(Ok(()), Err)),
            Kind::Driven { gate, driver } => {
                driver.drive(gate);
                gate.outcome().map_or_else(
                    || {
                        cx.waker().wake_by_ref();
                        Poll::Pending
                    },
                    Poll::Ready,
                )
            }
            Kind::Waiting { gate, slot } => {
                if let Some(outcome) = gate.outcome() {
                    return Poll::Ready(outcome);
                }
                let mut inner = gate.inner.lock();
                // Settled between the look above and the lock: nobody would wake us any more.
                if gate.state.load(Ordering::Acquire) != WAITING {
                    return Poll::Ready(inner.error.clone().map_or(Ok(()), Err));
                }
                let slot = *slot.get_or_insert_with(|| {
                    inner.wakers.push(None);
                    inner.wakers.len() - 1
                });
                match &mut inner.wakers[slot] {
                    Some(waker) => waker.clone_from(cx.waker()),
                    empty => *empty = Some(cx.waker().clone()),
                }
                Poll::Pending
            }
        }
    }
}

impl Drop for Ticket {
    /// A dropped future leaves no waker behind.
    fn drop(&mut self) {
        if let Kind::Waiting {
            gate,
            slot: Some(slot),
        } = &self.0
            && let Some(waker) = gate.inner.lock().wakers.get_mut(*slot)
        {
            *waker = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::task::Wake;

    struct Count(AtomicUsize);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_polled_ticket_is_woken_once_and_a_dropped_one_never() {
        let gate = Arc::<Gate>::default();
        let (mut kept, mut dropped) = (Ticket::of(gate.clone()), Ticket::of(gate.clone()));
        let counts = [
            Arc::new(Count(AtomicUsize::new(0))),
            Arc::new(Count(AtomicUsize::new(0))),
        ];
        let wakers = counts.clone().map(Waker::from);
        for _ in 0..2 {
            assert!(
                Pin::new(&mut kept)
                    .poll(&mut Context::from_waker(&wakers[0]))
                    .is_pending()
            );
        }
        assert!(
            Pin::new(&mut dropped)
                .poll(&mut Context::from_waker(&wakers[1]))
                .is_pending()
        );
        drop(dropped);
        gate.settle(Ok(()));
        assert_eq!(counts.map(|c| c.0.load(Ordering::SeqCst)), [1, 0]);
        let poll = Pin::new(&mut kept).poll(&mut Context::from_waker(&wakers[0]));
        assert!(matches!(poll, Poll::Ready(Ok(()))));
    }

    #[test]
    fn every_waiter_gets_the_error_of_its_group() {
        let gate = Arc::<Gate>::default();
        let waiters: Vec<_> = (0..4)
            .map(|_| {
                let ticket = Ticket::of(gate.clone());
                std::thread::spawn(move || ticket.wait())
            })
            .collect();
        gate.settle(Err(Error::Closed));
        gate.settle(Ok(()));
        for waiter in waiters {
            assert!(matches!(waiter.join().unwrap(), Err(Error::Closed)));
        }
    }
}
