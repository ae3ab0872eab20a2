//! Any DynamoDB endpoint as a [`DynamoDb`](bothways_protocol::DynamoDb), over HTTP/1.1 with connections kept open.
//!
//! Invariants: a write whose answer did not come is never sent again and never reported as failed
//! ([`ErrorKind::NoAnswer`](bothways_protocol::ErrorKind::NoAnswer)): its fate is unknown. What is tried again is
//! what was not sent, what was throttled, and what reads. Every wait ends at the caller's deadline. Operations
//! without types pass through untouched. Over `https` the server's certificate is checked. Knows no engine and no server.

mod aws;
mod client;
mod config;
mod connect;
mod drain;
mod endpoint;
mod retry;
mod sign;
mod threads;
mod tls;
mod transport;

pub use aws::{Chain, CredentialsError, Surroundings};
pub use client::Client;
pub use config::{Config, Credentials, Identity};
pub use endpoint::{Endpoint, EndpointError};

/// What the client holds itself and its endpoint to.
pub mod limits {
    pub use crate::aws::{REFRESH_BEFORE, SOURCE_WAIT};
    pub use crate::config::{ANSWER_BYTES, ATTEMPTS, CONNECTIONS, FIRST_PAUSE, LONGEST_PAUSE};
}
