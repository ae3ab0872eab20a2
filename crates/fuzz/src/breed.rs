//! The loop: breed an input, try it, keep it if it did something new.

use crate::escape::escape;
use crate::mutate::mutate;
use crate::random::Random;
use crate::target::Target;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Inputs kept to breed from; beyond these a new one takes the place of an old one.
const POOL: usize = 4096;
/// Outcomes remembered; when there are more, all are forgotten.
const SEEN: usize = 1 << 20;
/// An input may take this many times what the corpus takes for a byte …
const TIMES: f64 = 100.0;
/// … and this besides, which covers a thread that had to wait.
const GRACE: Duration = Duration::from_millis(40);
/// A slow input is tried so often, and the quickest counts: the machine may have been busy.
const TRIES: usize = 5;
/// Attempts at making a finding shorter.
const TRIMS: usize = 4000;

/// What a run did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Inputs tried.
    pub inputs: u64,
    /// Outcomes that had not been seen before, or not lately.
    pub shapes: u64,
    /// The longest that an input took.
    pub slowest: Duration,
}

/// An input that broke a law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The input, made as short as it would go.
    pub input: Vec<u8>,
    /// What it did.
    pub why: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  input: {}", self.why, escape(&self.input))
    }
}

thread_local! {
    /// The words of this thread's last panic, with its place.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Tries the corpus, then inputs bred from it until the time is up. `before` sees every input before it is tried: an
/// overflowing stack leaves nothing else behind.
///
/// # Errors
/// The first [`Finding`].
pub fn breed(
    target: &Target,
    seed: u64,
    time: Duration,
    before: &mut dyn FnMut(&[u8]),
) -> Result<Tally, Finding> {
    std::panic::set_hook(Box::new(|panic| {
        LAST_PANIC.with_borrow_mut(|last| *last = panic.to_string());
    }));
    let ends = Instant::now() + time;
    let mut random = Random::new(seed);
    let mut run = Run::new(target);
    let mut pool = target.corpus();
    let corpus = pool.len();
    for input in &pool {
        before(input);
        run.learn(input)?;
    }
    while Instant::now() < ends {
        let mut input = random.pick(&pool).cloned().unwrap_or_default();
        let other = random.pick(&pool).map_or(&[][..], Vec::as_slice);
        let (words, longest) = (target.dictionary, target.longest);
        mutate(&mut random, &mut input, other, words, longest);
        before(&input);
        if run.attempt(&input)? {
            if pool.len() < POOL {
                pool.push(input);
            } else {
                let place = corpus + random.below(POOL - corpus);
                if let Some(old) = pool.get_mut(place) {
                    *old = input;
                }
            }
        }
    }
    Ok(run.tally)
}

struct Run<'t> {
    target: &'t Target,
    tally: Tally,
    seen: HashSet<u64>,
    /// What the corpus took, and for how many bytes.
    took: (Duration, usize),
}

impl<'t> Run<'t> {
    fn new(target: &'t Target) -> Self {
        Self {
            target,
            tally: Tally {
                inputs: 0,
                shapes: 0,
                slowest: Duration::ZERO,
            },
            seen: HashSet::new(),
            took: (Duration::ZERO, 0),
        }
    }

    /// Tries an input; whether it did something new.
    fn attempt(&mut self, input: &[u8]) -> Result<bool, Finding> {
        let (shape, mut took) = self.once(input)?;
        let bound = self.bound(input.len());
        for _ in 1..TRIES {
            if took <= bound {
                break;
            }
            took = took.min(self.once(input)?.1);
        }
        if took > bound {
            return Err(Finding {
                input: input.to_vec(),
                why: format!("{} bytes took {took:?}, over {bound:?}", input.len()),
            });
        }
        self.tally.slowest = self.tally.slowest.max(took);
        if self.seen.len() >= SEEN {
            self.seen.clear();
        }
        let new = self.seen.insert(shape);
        self.tally.shapes += u64::from(new);
        Ok(new)
    }

    /// Tries an input of the corpus, whose time is the measure of the others.
    fn learn(&mut self, input: &[u8]) -> Result<(), Finding> {
        let (shape, mut took) = self.once(input)?;
        for _ in 1..TRIES {
            took = took.min(self.once(input)?.1);
        }
        self.seen.insert(shape);
        self.took.0 += took;
        self.took.1 += input.len();
        Ok(())
    }

    fn bound(&self, bytes: usize) -> Duration {
        let (took, of) = self.took;
        #[allow(clippy::cast_precision_loss, reason = "bytes, far below 2^52")]
        let share = bytes as f64 / of.max(1) as f64;
        GRACE + took.mul_f64(share * TIMES)
    }

    fn once(&mut self, input: &[u8]) -> Result<(u64, Duration), Finding> {
        self.tally.inputs += 1;
        let begun = Instant::now();
        match hold(self.target, input) {
            Ok(shape) => Ok((shape, begun.elapsed())),
            Err(_) => Err(self.shortest(input)),
        }
    }

    /// The finding with all taken away that it does not need.
    fn shortest(&self, input: &[u8]) -> Finding {
        let mut input = input.to_vec();
        let mut why = hold(self.target, &input).err().unwrap_or_default();
        let mut random = Random::new(1);
        for attempt in 0..TRIMS {
            let most = (input.len() * (TRIMS - attempt) / TRIMS).max(2);
            let (begin, end) = random.part(input.len(), most);
            if begin == end {
                continue;
            }
            let mut shorter = input.clone();
            shorter.drain(begin..end);
            if let Err(same) = hold(self.target, &shorter) {
                (input, why) = (shorter, same);
            }
        }
        Finding { input, why }
    }
}

/// Tries an input: its shape, or what it panicked with.
fn hold(target: &Target, input: &[u8]) -> Result<u64, String> {
    catch_unwind(AssertUnwindSafe(|| (target.check)(input)))
        .map_err(|_| LAST_PANIC.with_borrow(String::clone))
}
