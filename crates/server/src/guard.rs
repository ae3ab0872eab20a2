//! Who may drive this server from a browser: nobody but its own pages.
//!
//! SDKs and `curl` send no `Origin`; browsers send one with every request that can change something. So a
//! request with an `Origin` is refused unless that origin is the server itself, as named by `Host`. That leaves
//! the page that first resolves its own name to itself and then to 127.0.0.1 (DNS rebinding): it *is* its own
//! origin, but its `Host` is its name, and names other than `localhost` are refused unless they were allowed.
//! An IP address cannot be rebound, so any address is fine. No answer carries a CORS header.

use hyper::header::{HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::{HeaderMap, Method};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Why a request was turned away before anything of it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// `Host` names a machine that this server is not.
    #[error(
        "The Host header names neither localhost, an IP address nor an allowed host. Start the server with this name allowed to use it."
    )]
    Host,
    /// `Origin` is another site's.
    #[error("Web pages of other origins cannot use this server.")]
    Origin,
}

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// Checks `Host` and `Origin`. `allowed` holds the extra host names, lower-case or not; `*` is any.
pub(crate) fn check(
    method: &Method,
    headers: &HeaderMap,
    allowed: &[String],
) -> Result<(), Refusal> {
    let host = headers.get(HOST).map(HeaderValue::as_bytes);
    if let Some(host) = host
        && !is_own_host(host, allowed)
    {
        return Err(Refusal::Host);
    }
    if let Some(origin) = headers.get(ORIGIN) {
        let own = origin
            .as_bytes()
            .strip_prefix(b"http://")
            .zip(host)
            .is_some_and(|(origin, host)| origin.eq_ignore_ascii_case(host));
        if !own {
            return Err(Refusal::Origin);
        }
    }
    // A page may link here, but neither load from here (images, scripts and frames carry no Origin) nor send a form.
    let links = *method == Method::GET || *method == Method::HEAD;
    if headers
        .get(FETCH_SITE)
        .is_some_and(|v| v == "cross-site" || v == "same-site")
        && !(links && headers.get(FETCH_MODE).is_some_and(|v| v == "navigate"))
    {
        return Err(Refusal::Origin);
    }
    Ok(())
}

/// Whether a `Host` value (with or without a port) is one this server answers to.
fn is_own_host(host: &[u8], allowed: &[String]) -> bool {
    let Ok(host) = std::str::from_utf8(host) else {
        return false;
    };
    let name = without_port(host);
    if let Some(v6) = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')) {
        return v6.parse::<Ipv6Addr>().is_ok();
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok()
        || name
            .len()
            .checked_sub(".localhost".len())
            .and_then(|at| name.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(".localhost"))
        || allowed
            .iter()
            .any(|a| a == "*" || a.eq_ignore_ascii_case(name))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[(&'static str, &'static str)]) -> Result<(), Refusal> {
        sent(&Method::GET, lines)
    }

    fn sent(method: &Method, lines: &[(&'static str, &'static str)]) -> Result<(), Refusal> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        super::check(method, &headers, &["db.test".to_owned()])
    }

    #[test]
    fn hosts() {
        for own in [
            "localhost",
            "localhost:8000",
            "LOCALHOST:8000",
            "localhost.:8000",
            "bothways.localhost:1",
            "127.0.0.1:8000",
            "127.0.0.1",
            "192.168.1.7:80",
            "[::1]:8000",
            "[::1]",
            "db.test:8000",
            "DB.test",
        ] {
            assert_eq!(check(&[("host", own)]), Ok(()), "{own}");
        }
        for other in [
            "evil.example:8000",
            "localhost.evil.example",
            "evillocalhost",
            "",
            "[evil]",
            "[::1].evil",
            "127.0.0.1.evil.example",
            "db.test.evil",
        ] {
            assert_eq!(check(&[("host", other)]), Err(Refusal::Host), "{other}");
        }
        assert_eq!(check(&[]), Ok(()), "HTTP/1.0 clients may leave it out");
    }

    #[test]
    fn origins() {
        let host = ("host", "127.0.0.1:8000");
        assert_eq!(check(&[host, ("origin", "http://127.0.0.1:8000")]), Ok(()));
        for other in [
            "null",
            "http://127.0.0.1:8001",
            "http://127.0.0.1",
            "https://127.0.0.1:8000",
            "http://localhost:8000",
            "http://evil.example",
            "http://127.0.0.1:8000.evil.example",
            "",
        ] {
            assert_eq!(
                check(&[host, ("origin", other)]),
                Err(Refusal::Origin),
                "{other}"
            );
        }
        assert_eq!(
            check(&[("origin", "http://127.0.0.1:8000")]),
            Err(Refusal::Origin)
        );
    }

    #[test]
    fn loads_by_other_sites_are_refused_and_links_are_not() {
        let host = ("host", "localhost:8000");
        let cross = ("sec-fetch-site", "cross-site");
        assert_eq!(
            check(&[host, cross, ("sec-fetch-mode", "navigate")]),
            Ok(())
        );
        assert_eq!(
            sent(
                &Method::POST,
                &[host, cross, ("sec-fetch-mode", "navigate")]
            ),
            Err(Refusal::Origin),
            "a form"
        );
        assert_eq!(
            check(&[host, cross, ("sec-fetch-mode", "no-cors")]),
            Err(Refusal::Origin)
        );
        assert_eq!(check(&[host, cross]), Err(Refusal::Origin));
        assert_eq!(
            check(&[host, ("sec-fetch-site", "same-site")]),
            Err(Refusal::Origin)
        );
        assert_eq!(check(&[host, ("sec-fetch-site", "same-origin")]), Ok(()));
        assert_eq!(check(&[host, ("sec-fetch-site", "none")]), Ok(()));
    }
}
