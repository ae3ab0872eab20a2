//! Time that passes only by waiting, and the running of futures by it.

use bothways_graph::Environment;
use bothways_protocol::BoxFuture;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

/// When every clock starts: milliseconds since 1970.
const EPOCH_MILLIS: u64 = 1_718_900_000_000;
/// How long a run waits for another thread before it is given up: then nothing will ever wake it.
const PATIENCE: Duration = Duration::from_mins(1);

/// Time that passes by waiting alone, with random numbers from a seed. While [`Clock::run`] or [`Clock::run_all`] is at work a
/// wait is a timer, and time jumps to the next timer when nothing else can go on; otherwise a wait moves the time on
/// and is over at once.
///
/// A handle: clones are the same clock.
#[derive(Clone)]
pub struct Clock(Arc<Inner>);

struct Inner {
    started: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    now: Duration,
    random: u64,
    timers: BTreeMap<(Duration, u64), Waker>,
    timer: u64,
    running: usize,
}

/// One step of a splitmix generator.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Clock {
    /// A clock at its start.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Inner {
            started: Instant::now(),
            state: Mutex::new(State {
                random: seed,
                ..State::default()
            }),
        }))
    }

    /// Time since the start.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.0.state.lock().now
    }

    /// Lets time pass.
    pub fn pass(&self, time: Duration) {
        let now = self.0.state.lock().now + time;
        self.advance(now);
    }

    /// A random number below `below` (0 of 0).
    #[must_use]
    pub fn draw(&self, below: u64) -> u64 {
        split_mix(&mut self.0.state.lock().random)
            .checked_rem(below)
            .unwrap_or(0)
    }

    /// A random time up to `longest`.
    #[must_use]
    pub fn draw_time(&self, longest: Duration) -> Duration {
        let micros = u64::try_from(longest.as_micros()).unwrap_or(u64::MAX - 1);
        Duration::from_micros(self.draw(micros + 1))
    }

    /// Runs one future on this thread; its waits pass as fast as it can go.
    ///
    /// # Panics
    /// When it waits for something that does not come within a minute.
    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let (bell, _running) = (Bell::new(), Running::begin(self));
        let waker = Waker::from(Arc::clone(&bell));
        loop {
            bell.rung.store(false, Ordering::Release);
            if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return value;
            }
            self.until_rung(std::slice::from_ref(&bell));
        }
    }

    /// Runs futures side by side on this thread, a random one of those that can go on at each step; answers in their
    /// order.
    ///
    /// # Panics
    /// As [`Clock::run`].
    #[must_use]
    pub fn run_all<'t, T>(&self, futures: Vec<BoxFuture<'t, T>>) -> Vec<T> {
        let _running = Running::begin(self);
        let bells: Vec<Arc<Bell>> = futures.iter().map(|_| Bell::new()).collect();
        let mut open: Vec<(usize, BoxFuture<'t, T>)> = futures.into_iter().enumerate().collect();
        let mut done: Vec<(usize, T)> = Vec::with_capacity(open.len());
        while !open.is_empty() {
            let ready: Vec<usize> = (0..open.len())
                .filter(|at| bells[open[*at].0].rung.load(Ordering::Acquire))
                .collect();
            let count = u64::try_from(ready.len()).unwrap_or(u64::MAX);
            let drawn = usize::try_from(self.draw(count)).unwrap_or(0);
            let Some(at) = ready.get(drawn) else {
                let waiting: Vec<Arc<Bell>> = open.iter().map(|(i, _)| bells[*i].clone()).collect();
                self.until_rung(&waiting);
                continue;
            };
            let (index, future) = &mut open[*at];
            bells[*index].rung.store(false, Ordering::Release);
            let waker = Waker::from(Arc::clone(&bells[*index]));
            if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                let (index, _) = open.swap_remove(*at);
                done.push((index, value));
            }
        }
        done.sort_unstable_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, value)| value).collect()
    }

    /// Waits until a bell has rung: by the next timer, or by another thread.
    fn until_rung(&self, bells: &[Arc<Bell>]) {
        let rung = || bells.iter().any(|b| b.rung.load(Ordering::Acquire));
        let given_up = Instant::now() + PATIENCE;
        while !rung() {
            let next = self.0.state.lock().timers.keys().next().copied();
            if let Some((due, _)) = next {
                self.advance(due);
                continue;
            }
            let left = given_up.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "nothing will wake what waits");
            std::thread::park_timeout(left);
        }
    }

    fn advance(&self, to: Duration) {
        let mut state = self.0.state.lock();
        state.now = state.now.max(to);
        let now = state.now;
        let later = state.timers.split_off(&(now, u64::MAX));
        let due = std::mem::replace(&mut state.timers, later);
        drop(state);
        for waker in due.into_values() {
            waker.wake();
        }
    }
}

impl Environment for Clock {
    fn epoch_millis(&self) -> u64 {
        EPOCH_MILLIS + u64::try_from(self.now().as_millis()).unwrap_or(0)
    }
    fn monotonic(&self) -> Instant {
        self.0.started + self.now()
    }
    fn random(&self) -> u64 {
        split_mix(&mut self.0.state.lock().random)
    }
    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        let due = self.now() + time;
        if self.0.state.lock().running == 0 {
            self.advance(due);
        }
        Box::pin(Sleep {
            clock: self.clone(),
            due,
            timer: None,
        })
    }
}

impl bothways_engine::Clock for Clock {
    fn now_millis(&self) -> u64 {
        self.epoch_millis()
    }
}

/// A wait.
struct Sleep {
    clock: Clock,
    due: Duration,
    timer: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let clock = self.clock.clone();
        let mut state = clock.0.state.lock();
        if state.now >= self.due {
            return Poll::Ready(());
        }
        let timer = self.timer.unwrap_or(state.timer);
        if self.timer.is_none() {
            state.timer += 1;
        }
        state.timers.insert((self.due, timer), cx.waker().clone());
        drop(state);
        self.timer = Some(timer);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            let mut state = self.clock.0.state.lock();
            state.timers.remove(&(self.due, timer));
        }
    }
}

/// While it lives, waits are timers.
struct Running<'c>(&'c Clock);

impl<'c> Running<'c> {
    fn begin(clock: &'c Clock) -> Self {
        clock.0.state.lock().running += 1;
        Self(clock)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.0.state.lock().running -= 1;
    }
}

/// What wakes one future.
struct Bell {
    rung: AtomicBool,
    thread: std::thread::Thread,
}

impl Bell {
    /// A bell that has rung: its future has never been looked at.
    fn new() -> Arc<Self> {
        Arc::new(Self {
            rung: AtomicBool::new(true),
            thread: std::thread::current(),
        })
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
