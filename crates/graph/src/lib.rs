//! Bothways graph.
