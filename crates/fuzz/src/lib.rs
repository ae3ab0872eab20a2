//! Fuzzing on stable Rust: inputs bred from a corpus, and targets that panic where a law is broken.
//!
//! ```text
//! corpus ──▶ pool ──▶ mutate ──▶ target ──▶ shape of what came out ──▶ new? into the pool
//! ```
//!
//! There is no coverage to go by without nightly or `unsafe`. What stands for it is the *shape* of an outcome: which
//! error, or the printed result with its letters and digits blurred. An input with a shape not seen before is kept and
//! bred from, so the pool climbs from text that is refused at once to text that is carried out in full.
//!
//! A finding is a broken law (a panic), or an input that takes far longer for its length than the corpus does. The same
//! seed gives the same inputs. A finding's line goes into the corpus once it is mended.

mod breed;
mod escape;
mod harvest;
mod mutate;
mod random;
mod shape;
mod target;

pub use breed::{Finding, Tally, breed};
pub use escape::{escape, unescape};
pub use target::{ALL, Target};
