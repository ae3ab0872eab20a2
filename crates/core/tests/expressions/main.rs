//! The expression language, by tables of cases: what is refused, what is true, what an update makes of an
//! item. Each table names where its answers come from; most were measured on AWS by others.

#![allow(
    clippy::unwrap_used,
    reason = "a helper's unwrap is an assertion like a test's"
)]

mod conditions;
mod faults;
mod hostile;
mod key_conditions;
mod legacy;
mod printing;
mod projections;
mod support;
mod syntax;
mod update_faults;
mod updates;
