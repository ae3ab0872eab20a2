//! Where a client sends its requests, as whom, and how patiently.

use crate::aws::Chain;
use crate::endpoint::Endpoint;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Connections kept open at once, and so requests under way at once; further ones wait. A choice: AWS's SDKs
/// keep 10 to 50.
pub const CONNECTIONS: usize = 64;
/// Tries of one request, the first included. Source: AWS's SDKs try DynamoDB up to ten times.
pub const ATTEMPTS: u32 = 10;
/// Longest first pause before a retry; doubled for each further one. Source: AWS's SDKs, 50 ms for DynamoDB.
pub const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Longest pause before any retry. Source: AWS's SDKs, 20 s in general; a choice of 5 s here.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Largest answer that is read, bytes. A choice: 16 MB of items can be several times that as JSON text.
pub const ANSWER_BYTES: usize = 128 * 1024 * 1024;

/// Keys that sign requests. Any will do for a local server.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Access key id.
    pub access_key: String,
    /// Secret access key.
    pub secret_key: String,
    /// Session token of temporary credentials.
    pub session_token: Option<String>,
    /// When temporary credentials end, where that is known.
    pub expires: Option<SystemTime>,
}

impl Credentials {
    /// Long-lived keys.
    pub fn new(access_key: impl Into<String>, secret_key: impl Into<String>) -> Self {
        Self {
            access_key: access_key.into(),
            secret_key: secret_key.into(),
            session_token: None,
            expires: None,
        }
    }
}

impl std::fmt::Debug for Credentials {
    /// Without the secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials")
            .field("access_key", &self.access_key)
            .field("expires", &self.expires)
            .finish_non_exhaustive()
    }
}

/// Where the keys come from.
#[derive(Debug, Clone)]
pub enum Identity {
    /// These, always.
    Fixed(Credentials),
    /// AWS's usual places, asked when needed and again before they expire.
    Chain(Arc<Chain>),
}

impl From<Credentials> for Identity {
    fn from(credentials: Credentials) -> Self {
        Self::Fixed(credentials)
    }
}

/// Where a client sends its requests, as whom, and how patiently.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Where to.
    pub endpoint: Endpoint,
    /// Region that signatures name, where the caller's context names none.
    pub region: String,
    /// As whom.
    pub identity: Identity,
    /// How long one try may take to connect.
    pub connect: Duration,
    /// How long one try may take to be answered once sent.
    pub answer: Duration,
    /// How long a request may take with all its tries, where the caller's context has no deadline.
    pub total: Duration,
    /// Tries of one request, the first included; at least one.
    pub attempts: u32,
    /// Requests under way at once.
    pub connections: usize,
    /// Whether what a batch leaves unprocessed is sent again, within the same bounds.
    pub drain: bool,
    /// A file of certificates (PEM) to trust instead of the system's.
    pub ca_bundle: Option<PathBuf>,
}

impl Config {
    /// An endpoint with defaults that suit a local server: region `us-east-1`, keys `local`.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            region: "us-east-1".to_owned(),
            identity: Credentials::new("local", "local").into(),
            connect: Duration::from_secs(3),
            answer: Duration::from_secs(30),
            total: Duration::from_mins(1),
            attempts: ATTEMPTS,
            connections: CONNECTIONS,
            drain: true,
            ca_bundle: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let shown = format!("{:?}", Credentials::new("AKID", "very secret"));
        assert!(shown.contains("AKID") && !shown.contains("secret key") && !shown.contains("very"));
    }
}
