//! A table from one place to another, whatever both are: streaming, resumable, paced, and compared at the end.
//!
//! Invariants: nothing is written but whole items, so every step may be done twice. How far a copy is stands in the destination itself, behind items that were answered; it can belong to no other database and
//! never be ahead of it. A copy is called done only after both tables were read again in full and found to hold the
//! same items. A source that is written to meanwhile gives a copy of no single moment: what differs at the end is named, or,
//! asked for, copied again until nothing does, which is when writers let it. Time to live is switched on after that, so that nothing expires in between.

mod checkpoint;
mod copy;
mod digest;
mod error;
mod pace;
mod table;
mod transfer;
mod verify;

pub use copy::{Options, Report, Step, Watch, copy};
pub use digest::Digest;
pub use error::{CopyError, Side};
pub use verify::{Compared, Difference};

/// What a copy holds itself to.
pub mod limits {
    pub use crate::transfer::{BATCH_BYTES, BATCH_ITEMS, PATIENCE, SEGMENTS};
}
