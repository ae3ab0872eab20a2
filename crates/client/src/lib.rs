//! Bothways client.
