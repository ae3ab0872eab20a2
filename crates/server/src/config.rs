//! What a server can be told, and every limit it keeps.

use std::time::Duration;

/// Largest request body, bytes. AWS answers 413 above 16 MiB
/// (source: API Reference, `BatchWriteItem`, "16 MB"; the exact edge as measured by dynalite's tests).
pub const BODY_BYTES: usize = 16 * 1024 * 1024;
/// How much of a body over the limit is read and thrown away, so that a client that writes before it reads
/// gets the answer and not a reset connection. Bytes. A choice: four times the limit.
pub const DRAIN_BYTES: usize = 4 * BODY_BYTES;
/// Bodies up to this size do not count towards [`BODIES_MEMORY`]. Bytes. A choice: ordinary requests are free.
pub const SMALL_BODY_BYTES: usize = 64 * 1024;
/// Memory for larger request bodies being read or answered, over all connections. Bytes. A choice:
/// sixteen of the largest; further ones wait their turn.
pub const BODIES_MEMORY: usize = 16 * BODY_BYTES;
/// Largest request head (request line and headers) that is read, bytes. A choice: far more than [`HEAD_PART_BYTES`],
/// so that what is over that is answered as AWS answers it.
pub const HEAD_BYTES: usize = 64 * 1024;
/// Longest request line, and most bytes of headers, that are answered with anything but 400.
/// Source: Scylla's `test_manual_requests.py` (`too_large_request_headers`, `_line`), measured on AWS.
pub const HEAD_PART_BYTES: usize = 16 * 1024;
/// Most header lines in one request: what `hyper` holds to by itself. Naming it there as well would take its
/// header table from the heap for every request. SDKs send about a dozen.
pub const HEADERS: usize = 100;
/// Smallest response that is compressed when the client asks for it: larger than 4 KiB, as on AWS
/// (source: measured, Scylla's `test_compressed_response.py`).
pub const COMPRESS_ABOVE_BYTES: usize = 4096;
/// Open connections. A choice: leaves a quarter of the usual 1,024 file descriptors to the store.
pub const CONNECTIONS: usize = 768;

/// What a server can be told. The default serves a development machine.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Names beside `localhost`, `*.localhost` and any IP address that a `Host` header may carry. A page that
    /// rebinds its own name to this machine is refused because its name is not among these. `*` allows any.
    pub hosts: Vec<String>,
    /// Answer requests without an `Authorization` header too. AWS does not; plain `curl` is then enough.
    pub unsigned: bool,
    /// A connection without a complete request head for this long is closed.
    pub idle: Duration,
    /// A request body must be complete within this time from its head.
    pub body: Duration,
    /// An operation must be answered within this time; after it the client gets an `InternalServerError`.
    pub request: Duration,
    /// How long a stopping server waits for the answers under way.
    pub drain: Duration,
    /// Most connections at once; one more is answered 503 and closed.
    pub connections: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            unsigned: false,
            idle: Duration::from_secs(75),
            body: Duration::from_mins(1),
            request: Duration::from_mins(1),
            drain: Duration::from_secs(10),
            connections: CONNECTIONS,
        }
    }
}
