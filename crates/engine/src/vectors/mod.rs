//! Vector indexes: rows with vectors of 32-bit floats beside the table's, and exact searches in them.

mod change;
mod condition;
mod score;
mod search;
mod vector;

pub(crate) use change::{added, described, planned};
pub(crate) use vector::check_vectors;
