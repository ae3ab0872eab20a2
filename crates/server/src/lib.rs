//! Bothways server.
