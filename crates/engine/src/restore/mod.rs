//! Tables restored from a backup or to a point in time.
//!
//! The table's row is written at once, marked as coming: until all its items are there only DescribeTable sees it. The
//! background puts the items in, a bounded chunk at a time, and keeps in the table's job row how far it has come, so that
//! a restart goes on. Each chunk's items, index rows, totals and place are one commit.

mod fill;
mod job;
mod plan;
mod request;

pub(crate) use job::{Job, Work};
pub(crate) use request::{millis, whole_seconds};
