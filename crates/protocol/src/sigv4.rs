//! Signature version 4 as pure functions: a request and a time in, a header or a query string out.
//!
//! Source: IAM User Guide, "Create a signed AWS API request"; the examples in the tests are AWS's own.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The one algorithm, which starts every signature.
const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// What ends every credential scope.
const TERMINATION: &str = "aws4_request";

/// Who signs.
#[derive(Clone, Copy)]
pub struct Credentials<'a> {
    /// The access key id.
    pub access_key: &'a str,
    /// The secret access key.
    pub secret_key: &'a str,
    /// The session token of temporary credentials; to be sent as `X-Amz-Security-Token` too.
    pub session_token: Option<&'a str>,
}

/// The secret key stays out of logs.
impl std::fmt::Debug for Credentials<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials")
            .field("access_key", &self.access_key)
            .finish_non_exhaustive()
    }
}

/// What is signed.
#[derive(Debug, Clone, Copy)]
pub struct ToSign<'a> {
    /// `POST`, …
    pub method: &'a str,
    /// The path, percent-encoded as it is sent; `/` where there is none.
    pub path: &'a str,
    /// The query string as it is sent, without `?`.
    pub query: &'a str,
    /// The headers to sign, `host` and `x-amz-date` among them. Order and case of names do not matter.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body.
    pub body: &'a [u8],
}

/// A signer: who, for which region and service, and when.
#[derive(Debug, Clone, Copy)]
pub struct Signer<'a> {
    /// Who signs.
    pub credentials: Credentials<'a>,
    /// The region, `eu-west-2`.
    pub region: &'a str,
    /// The service, `dynamodb`.
    pub service: &'a str,
    /// When, as [`amz_date`] writes it: `20150830T123600Z`.
    pub time: &'a str,
}

impl Signer<'_> {
    /// The value of the `Authorization` header.
    #[must_use]
    pub fn authorization(&self, request: &ToSign<'_>) -> String {
        let canonical = Canonical::new(request, request.query, &hex(&Sha256::digest(request.body)));
        format!(
            "{ALGORITHM} Credential={}/{}, SignedHeaders={}, Signature={}",
            self.credentials.access_key,
            self.scope(),
            canonical.signed_headers,
            self.signature(&canonical.text),
        )
    }

    /// The query string that carries the signature instead of a header; valid for `expires` seconds.
    #[must_use]
    pub fn signed_query(&self, request: &ToSign<'_>, expires: u32) -> String {
        let names = Canonical::new(request, "", "").signed_headers;
        let credential = format!("{}/{}", self.credentials.access_key, self.scope());
        let mut query = String::from(request.query);
        let mut add = |name: &str, value: &str| {
            if !query.is_empty() {
                query.push('&');
            }
            let _ = write!(query, "{name}={}", percent_encoded(value));
        };
        add("X-Amz-Algorithm", ALGORITHM);
        add("X-Amz-Credential", &credential);
        add("X-Amz-Date", self.time);
        add("X-Amz-Expires", &expires.to_string());
        if let Some(token) = self.credentials.session_token {
            add("X-Amz-Security-Token", token);
        }
        add("X-Amz-SignedHeaders", &names);
        let canonical = Canonical::new(request, &query, &hex(&Sha256::digest(request.body)));
        let signature = self.signature(&canonical.text);
        let _ = write!(query, "&X-Amz-Signature={signature}");
        query
    }

    fn date(&self) -> &str {
        self.time.split('T').next().unwrap_or(self.time)
    }

    fn scope(&self) -> String {
        format!(
            "{}/{}/{}/{TERMINATION}",
            self.date(),
            self.region,
            self.service
        )
    }

    fn signature(&self, canonical: &str) -> String {
        let digest = hex(&Sha256::digest(canonical));
        let text = format!("{ALGORITHM}\n{}\n{}\n{digest}", self.time, self.scope());
        let secret = format!("AWS4{}", self.credentials.secret_key);
        let parts = [self.date(), self.region, self.service, TERMINATION, &text];
        let key = parts
            .iter()
            .fold(secret.into_bytes(), |key, part| mac(&key, part.as_bytes()));
        hex(&key)
    }
}

/// A request in the one form that both sides derive.
struct Canonical {
    text: String,
    signed_headers: String,
}

impl Canonical {
    fn new(request: &ToSign<'_>, query: &str, body_hash: &str) -> Self {
        let mut headers: Vec<(String, String)> = request
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), one_space(value)))
            .collect();
        headers.sort();
        let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        let signed_headers = names.join(";");
        let mut pairs: Vec<(&str, &str)> = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .collect();
        pairs.sort_unstable();
        let pairs: Vec<String> = pairs.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let mut text = format!(
            "{}\n{}\n{}\n",
            request.method,
            request.path,
            pairs.join("&")
        );
        for (name, value) in &headers {
            let _ = writeln!(text, "{name}:{value}");
        }
        let _ = write!(text, "\n{signed_headers}\n{body_hash}");
        Self {
            text,
            signed_headers,
        }
    }
}

fn one_space(value: &str) -> String {
    value.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

fn mac(key: &[u8], data: &[u8]) -> Vec<u8> {
    // A key of any length is a key; the error type is the trait's, not this implementation's.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return Vec::new();
    };
    mac.update(data);
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
}

/// Percent-encodes everything that RFC 3986 does not leave alone.
#[must_use]
pub fn percent_encoded(text: &str) -> String {
    text.bytes()
        .fold(String::with_capacity(text.len()), |mut out, byte| {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                out.push(char::from(byte));
            } else {
                let _ = write!(out, "%{byte:02X}");
            }
            out
        })
}

/// A time as signatures have it, `20150830T123600Z`, from seconds since 1970.
#[must_use]
pub fn amz_date(seconds: u64) -> String {
    const DAY: u64 = 86_400;
    let (days, rest) = (seconds / DAY, seconds % DAY);
    // Days to a date in the Gregorian calendar, counting years from March so that leap days come last.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AWS's published examples all use these.
    const SIGNER: Signer<'static> = Signer {
        credentials: Credentials {
            access_key: "AKIDEXAMPLE",
            secret_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            session_token: None,
        },
        region: "us-east-1",
        service: "service",
        time: "20150830T123600Z",
    };
    const HOST: (&str, &str) = ("Host", "example.amazonaws.com");
    const DATE: (&str, &str) = ("X-Amz-Date", "20150830T123600Z");

    fn check(method: &str, query: &str, headers: &[(&str, &str)], signed: &str, signature: &str) {
        let request = ToSign {
            method,
            path: "/",
            query,
            headers,
            body: b"",
        };
        assert_eq!(
            SIGNER.authorization(&request),
            format!(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
                 SignedHeaders={signed}, Signature={signature}"
            )
        );
    }

    #[test]
    fn aws_test_suite_is_signed_as_published() {
        // Source: the Signature Version 4 test suite, by name.
        let plain = &[HOST, DATE];
        let names = "host;x-amz-date";
        // get-vanilla
        check(
            "GET",
            "",
            plain,
            names,
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        );
        // post-vanilla
        check(
            "POST",
            "",
            plain,
            names,
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        );
        // get-vanilla-query-order-key-case
        let query = "Param2=value2&Param1=value1";
        check(
            "GET",
            query,
            plain,
            names,
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        );
    }

    #[test]
    fn the_documentations_example_is_signed_as_published() {
        // Source: AWS General Reference, "Signature Version 4 signing process", the ListUsers example.
        let signer = Signer {
            service: "iam",
            ..SIGNER
        };
        let request = ToSign {
            method: "GET",
            path: "/",
            query: "Action=ListUsers&Version=2010-05-08",
            headers: &[
                (
                    "content-type",
                    "application/x-www-form-urlencoded;   charset=utf-8",
                ),
                ("host", "iam.amazonaws.com"),
                DATE,
            ],
            body: b"",
        };
        let authorization = signer.authorization(&request);
        let signature = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7";
        assert!(authorization.ends_with(signature), "{authorization}");
        assert!(authorization.contains("SignedHeaders=content-type;host;x-amz-date,"));
    }

    #[test]
    fn a_query_carries_everything_but_the_secret() {
        let credentials = Credentials {
            session_token: Some("to/ken=="),
            ..SIGNER.credentials
        };
        let signer = Signer {
            credentials,
            ..SIGNER
        };
        let request = ToSign {
            method: "POST",
            path: "/",
            query: "a=b",
            headers: &[HOST],
            body: b"{}",
        };
        let query = signer.signed_query(&request, 60);
        let (unsigned, signature) = query.split_once("&X-Amz-Signature=").expect("it is signed");
        assert_eq!(
            unsigned,
            "a=b&X-Amz-Algorithm=AWS4-HMAC-SHA256\
             &X-Amz-Credential=AKIDEXAMPLE%2F20150830%2Fus-east-1%2Fservice%2Faws4_request\
             &X-Amz-Date=20150830T123600Z&X-Amz-Expires=60&X-Amz-Security-Token=to%2Fken%3D%3D\
             &X-Amz-SignedHeaders=host"
        );
        assert_eq!(signature.len(), 64);
        assert!(
            !format!("{signer:?}").contains("wJalr"),
            "the secret is printed"
        );
    }

    #[test]
    fn times_are_written_as_aws_reads_them() {
        for (seconds, text) in [
            (0, "19700101T000000Z"),
            (1_440_938_160, "20150830T123600Z"),
            (951_782_400, "20000229T000000Z"),
            (4_107_542_399, "21000228T235959Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(amz_date(seconds), text);
        }
    }
}
