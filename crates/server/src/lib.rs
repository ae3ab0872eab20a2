//! Serves any [`DynamoDb`](bothways_protocol::DynamoDb) over HTTP, as AWS's endpoint does.
//!
//! At heart [`Service::handle`]: a request to an answer, without a socket. [`Server`] is the shell around it:
//! listening, limits, timeouts, shutdown. `POST /` is DynamoDB's and DynamoDB Streams'; `/healthz` says that the
//! server is up; everything else is a small front page or what [`Pages`] shows.
//!
//! Invariants: every body, head, wait and count of connections is bounded ([`limits`]). An answer leaves in one
//! write. Knows neither the engine nor what the pages are; signatures are read, not verified. Web pages of other
//! origins are turned away before anything is done for them.

mod auth;
mod background;
mod body;
mod compress;
mod config;
mod guard;
mod id;
mod listen;
mod pages;
mod reply;
mod service;

pub use background::Running;
pub use body::{Body, Stream, StreamError};
pub use config::Config;
pub use hyper::http;
pub use listen::{ServeError, Server, Stopped, interrupted};
pub use pages::Pages;
pub use service::{Service, Trouble};

/// What the server holds every client to.
pub mod limits {
    pub use crate::config::{
        BODIES_MEMORY, BODY_BYTES, COMPRESS_ABOVE_BYTES, CONNECTIONS, DRAIN_BYTES, HEAD_BYTES,
        HEAD_PART_BYTES, HEADERS, SMALL_BODY_BYTES,
    };
}
