//! Statements to trees, keys and faults, as tables of cases. What AWS answered to whole statements is in the engine's
//! `tests/answers/partiql.jsonl`.

#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod access;
mod hostile;
mod trees;
