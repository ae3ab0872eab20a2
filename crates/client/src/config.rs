//! Where a client sends its requests, as whom, and how patiently.

use std::str::FromStr;
use std::time::Duration;

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

/// Why an endpoint is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// No scheme, or none that is spoken.
    #[error("{0:?} is not an http:// URL")]
    Scheme(String),
    /// TLS.
    #[error("{0:?}: https endpoints are not supported yet")]
    Tls(String),
    /// No host, or no port where one must be.
    #[error("{0:?} names no host and port")]
    Host(String),
    /// A path, a query or a user: DynamoDB's address has none.
    #[error("{0:?} has more than a host and a port")]
    Extra(String),
}

/// The address of a DynamoDB endpoint: `http://host:port`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Host as in the URL, without the brackets of an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// `Host` header: host and, where it is not 80, port.
    pub(crate) authority: String,
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "http://{}", self.authority)
    }
}

const HTTP_PORT: u16 = 80;

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(url: &str) -> Result<Self, EndpointError> {
        let rest = match url.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some((scheme, _)) if scheme.eq_ignore_ascii_case("https") => {
                return Err(EndpointError::Tls(url.to_owned()));
            }
            _ => return Err(EndpointError::Scheme(url.to_owned())),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#', '@']) {
            return Err(EndpointError::Extra(url.to_owned()));
        }
        let no_host = || EndpointError::Host(url.to_owned());
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => {
                (host, port.parse().map_err(|_| no_host())?)
            }
            _ => (rest, HTTP_PORT),
        };
        let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
        let plain = bare.is_none() && !host.is_empty() && !host.contains([':', '[', ']', ' ']);
        let in_brackets = bare.is_some_and(|h| h.parse::<std::net::Ipv6Addr>().is_ok());
        if !plain && !in_brackets {
            return Err(no_host());
        }
        let authority = if port == HTTP_PORT {
            host.to_owned()
        } else {
            format!("{host}:{port}")
        };
        let host = bare.unwrap_or(host).to_owned();
        Ok(Self {
            host,
            port,
            authority,
        })
    }
}

/// Keys that sign requests. Any will do for a local server.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Access key id.
    pub access_key: String,
    /// Secret access key.
    pub secret_key: String,
    /// Session token of temporary credentials.
    pub session_token: Option<String>,
}

impl Credentials {
    /// Long-lived keys.
    pub fn new(access_key: impl Into<String>, secret_key: impl Into<String>) -> Self {
        Self {
            access_key: access_key.into(),
            secret_key: secret_key.into(),
            session_token: None,
        }
    }
}

impl std::fmt::Debug for Credentials {
    /// Without the secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials")
            .field("access_key", &self.access_key)
            .finish_non_exhaustive()
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
    pub credentials: Credentials,
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
}

impl Config {
    /// An endpoint with defaults that suit a local server: region `us-east-1`, keys `local`.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            region: "us-east-1".to_owned(),
            credentials: Credentials::new("local", "local"),
            connect: Duration::from_secs(3),
            answer: Duration::from_secs(30),
            total: Duration::from_mins(1),
            attempts: ATTEMPTS,
            connections: CONNECTIONS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_a_scheme_a_host_and_a_port() {
        for (url, host, port, authority) in [
            ("http://127.0.0.1:8000", "127.0.0.1", 8000, "127.0.0.1:8000"),
            (
                "http://localhost:8000/",
                "localhost",
                8000,
                "localhost:8000",
            ),
            ("HTTP://db.test", "db.test", 80, "db.test"),
            ("http://[::1]:8000", "::1", 8000, "[::1]:8000"),
            ("http://[::1]", "::1", 80, "[::1]"),
        ] {
            let endpoint: Endpoint = url.parse().unwrap();
            assert_eq!(
                (endpoint.host.as_str(), endpoint.port),
                (host, port),
                "{url}"
            );
            assert_eq!(endpoint.authority, authority, "{url}");
        }
        for url in [
            "",
            "localhost:8000",
            "ftp://h",
            "https://h",
            "http://",
            "http://:80",
            "http://h:x",
            "http://h:70000",
            "http://h/p",
            "http://h?q",
            "http://u@h",
            "http://::1",
            "http://[x]",
        ] {
            assert!(url.parse::<Endpoint>().is_err(), "{url}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let shown = format!("{:?}", Credentials::new("AKID", "very secret"));
        assert!(shown.contains("AKID") && !shown.contains("secret key") && !shown.contains("very"));
    }
}
