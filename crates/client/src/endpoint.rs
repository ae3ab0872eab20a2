//! The address of an endpoint, and where AWS has its own.

use std::str::FromStr;

/// Why an endpoint is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// No scheme, or none that is spoken.
    #[error("{0:?} is not an http:// or https:// URL")]
    Scheme(String),
    /// No host, or no port where one must be.
    #[error("{0:?} names no host and port")]
    Host(String),
    /// Not a region.
    #[error("{0:?} is no region of AWS")]
    Region(String),
    /// A path, a query or a user: DynamoDB's address has none.
    #[error("{0:?} has more than a host and a port")]
    Extra(String),
}

/// The address of a DynamoDB endpoint: `http://host:port` or `https://host:port`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Host as in the URL, without the brackets of an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Whether it speaks TLS.
    pub(crate) secure: bool,
    /// `Host` header: host and, where it is not the scheme's own, port.
    pub(crate) authority: String,
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority)
    }
}

const HTTP_PORT: u16 = 80;
const HTTPS_PORT: u16 = 443;

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(url: &str) -> Result<Self, EndpointError> {
        let (secure, rest) = match url.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (false, rest),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (true, rest),
            _ => return Err(EndpointError::Scheme(url.to_owned())),
        };
        let usual = if secure { HTTPS_PORT } else { HTTP_PORT };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#', '@']) {
            return Err(EndpointError::Extra(url.to_owned()));
        }
        let no_host = || EndpointError::Host(url.to_owned());
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => {
                (host, port.parse().map_err(|_| no_host())?)
            }
            _ => (rest, usual),
        };
        let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
        let plain = bare.is_none() && !host.is_empty() && !host.contains([':', '[', ']', ' ']);
        let in_brackets = bare.is_some_and(|h| h.parse::<std::net::Ipv6Addr>().is_ok());
        if !plain && !in_brackets {
            return Err(no_host());
        }
        let authority = if port == usual {
            host.to_owned()
        } else {
            format!("{host}:{port}")
        };
        let host = bare.unwrap_or(host).to_owned();
        Ok(Self {
            host,
            port,
            secure,
            authority,
        })
    }
}

/// Partitions of AWS by how their regions begin, and the domain of their services. Source: AWS's partition
/// metadata (`partitions.json` of the SDKs); the first that fits.
const PARTITIONS: &[(&str, &str)] = &[
    ("cn-", "amazonaws.com.cn"),
    ("us-isob-", "sc2s.sgov.gov"),
    ("us-isof-", "csp.hci.ic.gov"),
    ("us-iso-", "c2s.ic.gov"),
    ("eu-isoe-", "cloud.adc-e.uk"),
    ("eusc-", "amazonaws.eu"),
    ("", "amazonaws.com"),
];

impl Endpoint {
    /// Where AWS has a service in a region: `dynamodb` in `eu-west-2`.
    ///
    /// # Errors
    /// When the region cannot be part of a host name.
    pub fn aws(service: &str, region: &str) -> Result<Self, EndpointError> {
        let named = !region.is_empty()
            && region
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if !named {
            return Err(EndpointError::Region(region.to_owned()));
        }
        let domain = PARTITIONS
            .iter()
            .find(|(start, _)| region.starts_with(start))
            .map_or("amazonaws.com", |(_, domain)| domain);
        format!("https://{service}.{region}.{domain}").parse()
    }

    /// Whether the host is AWS's, where made-up keys are of no use.
    #[must_use]
    pub fn is_aws(&self) -> bool {
        PARTITIONS.iter().any(|(_, domain)| {
            self.host
                .strip_suffix(domain)
                .is_some_and(|rest| rest.ends_with('.'))
        })
    }

    /// The region that an address of AWS names: `dynamodb.eu-west-2.amazonaws.com`.
    #[must_use]
    pub fn aws_region(&self) -> Option<&str> {
        let rest = PARTITIONS
            .iter()
            .find_map(|(_, domain)| self.host.strip_suffix(domain)?.strip_suffix('.'))?;
        rest.rsplit_once('.').map(|(_, region)| region)
    }

    /// Whether it speaks TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// The host without a port, as the URL has it.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
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
            ("https://db.test", "db.test", 443, "db.test"),
            ("https://db.test:80", "db.test", 80, "db.test:80"),
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
            "https://",
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
    fn regions_have_an_address_and_addresses_a_region() {
        for (region, url) in [
            ("eu-west-2", "https://dynamodb.eu-west-2.amazonaws.com"),
            ("cn-north-1", "https://dynamodb.cn-north-1.amazonaws.com.cn"),
            (
                "us-gov-west-1",
                "https://dynamodb.us-gov-west-1.amazonaws.com",
            ),
            ("us-iso-east-1", "https://dynamodb.us-iso-east-1.c2s.ic.gov"),
        ] {
            let endpoint = Endpoint::aws("dynamodb", region).unwrap();
            assert_eq!(endpoint.to_string(), url);
            assert!(endpoint.is_aws() && endpoint.is_secure(), "{url}");
            assert_eq!(endpoint.aws_region(), Some(region), "{url}");
        }
        for region in ["", "a.b", "evil.test/", "a b"] {
            assert!(Endpoint::aws("dynamodb", region).is_err(), "{region:?}");
        }
        for url in [
            "https://amazonaws.com.evil.test",
            "https://xamazonaws.com",
            "http://localhost:1",
        ] {
            assert!(!url.parse::<Endpoint>().unwrap().is_aws(), "{url}");
        }
    }
}
