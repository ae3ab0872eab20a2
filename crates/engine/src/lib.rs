//! Bothways engine.
