//! LinkBench (Armstrong and others, SIGMOD 2013) and TAO's mix, against this project and PostgreSQL: the requests from a
//! seed, the systems that answer them, and what is reported.
//!
//! What LinkBench's own driver gets wrong is not copied: both types of an id together have exactly its links, sizes of a
//! multi-get have the mean of their distribution, choosing an id is outside of the time, failures count for nothing.

mod drive;
mod embedded;
mod figures;
mod http;
mod mix;
mod model;
mod pg_server;
mod postgres;
mod random;
mod report;
mod shape;

pub use drive::{Clients, Processor, Reply, Round, Session, Sessions, run};
pub use embedded::Embedded;
pub use figures::{Figures, Times, median};
pub use http::Http;
pub use mix::{LIST_LIMIT, Mix, Op, Request, Requests};
pub use model::{RELATIONS, model};
pub use pg_server::{PgServer, binaries as pg_binaries};
pub use postgres::Postgres;
pub use random::{Random, Zipf};
pub use report::Report;
pub use shape::{LOAD_SPAN_MILLIS, Link, Shape, TYPES};

/// Whatever goes wrong.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
/// Or a failure.
pub type Outcome<T> = Result<T, Failure>;

/// Milliseconds since 1970.
#[must_use]
pub fn now_millis() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(0))
}
