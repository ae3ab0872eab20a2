//! Who says they are asking: the credential scope of a version 4 signature, taken apart and not verified.
//!
//! A local database has no secret keys to verify with. What AWS refuses for its *form* is refused here too, in
//! AWS's words and order (source: AWS's answers as recorded in dynalite's `test/connection.js`).

use bothways_protocol::Message;
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, DATE, HeaderName};

/// Who asks and for which region, as the credential scope says it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope<'a> {
    pub(crate) access_key: &'a str,
    pub(crate) region: &'a str,
}

const AMZ_DATE: HeaderName = HeaderName::from_static("x-amz-date");
/// What every version of the scheme starts with.
const SCHEME: &str = "AWS4-";
/// `key/date/region/service/aws4_request`.
const SCOPE_PARTS: usize = 5;
/// What a signature in the query string is made of, in AWS's order.
const QUERY_PARTS: [&str; 5] = [
    "X-Amz-Algorithm",
    "X-Amz-Credential",
    "X-Amz-Signature",
    "X-Amz-SignedHeaders",
    "X-Amz-Date",
];

/// Reads the signature's form from the header or the query string.
pub(crate) fn scope<'a>(headers: &'a HeaderMap, query: &'a str) -> Result<Scope<'a>, Message> {
    let header = headers.get(AUTHORIZATION);
    let in_query = !query.is_empty()
        && query
            .split('&')
            .any(|pair| pair.split('=').next() == Some("X-Amz-Algorithm"));
    match (header, in_query) {
        (Some(_), true) => Err(Message::TwoAuthentications),
        (None, true) => from_query(query),
        (None, false) => Err(Message::MissingAuthentication),
        (Some(value), false) => {
            let value = str::from_utf8(value.as_bytes().trim_ascii()).unwrap_or_default();
            if !value.starts_with(SCHEME) {
                return Err(Message::MissingAuthentication);
            }
            let dated = headers.contains_key(AMZ_DATE) || headers.contains_key(DATE);
            from_header(value, dated)
        }
    }
}

/// On every request's way, so it looks at bytes and at each of them once.
fn from_header(value: &str, dated: bool) -> Result<Scope<'_>, Message> {
    let (mut credential, mut signature, mut signed) = (None, None, None);
    let mut from = 0;
    for end in memchr::memchr2_iter(b',', b' ', value.as_bytes()).chain([value.len()]) {
        let part = &value[from..end];
        from = end + 1;
        if let Some(value) = part.strip_prefix("Credential=") {
            credential = Some(value);
        } else if let Some(value) = part.strip_prefix("Signature=") {
            signature = Some(value);
        } else if let Some(value) = part.strip_prefix("SignedHeaders=") {
            signed = Some(value);
        }
    }
    let absent = |part: Option<&str>| part.is_none_or(str::is_empty);
    let lacks = [
        (absent(credential), Message::HeaderLacksCredential),
        (absent(signature), Message::HeaderLacksSignature),
        (absent(signed), Message::HeaderLacksSignedHeaders),
        (!dated, Message::HeaderLacksDate),
    ];
    match credential {
        Some(credential) if lacks.iter().all(|(lacking, _)| !lacking) => {
            take_apart(credential, between_slashes(credential))
        }
        _ => {
            let header = value.to_owned();
            Err(incomplete(lacks, &Message::HeaderEchoed { header }))
        }
    }
}

/// The parts of a credential, without empty ones at its end.
fn between_slashes(credential: &str) -> impl Iterator<Item = &str> {
    let mut kept = credential;
    while let Some(shorter) = kept.strip_suffix('/') {
        kept = shorter;
    }
    let mut from = 0;
    let slashes = memchr::memchr_iter(b'/', kept.as_bytes());
    slashes.chain([kept.len()]).map(move |end| {
        let part = &kept[from..end];
        from = end + 1;
        part
    })
}

fn from_query(query: &str) -> Result<Scope<'_>, Message> {
    let get = |name: &str| {
        query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(n, v)| *n == name && !v.is_empty())
            .map(|(_, v)| v)
    };
    let lacks = QUERY_PARTS.map(|name| (get(name).is_none(), Message::QueryLacks { name }));
    match get("X-Amz-Credential") {
        Some(credential) if lacks.iter().all(|(lacking, _)| !lacking) => {
            if credential.contains("%2F") {
                take_apart(credential, credential.split("%2F"))
            } else {
                take_apart(credential, credential.split('/'))
            }
        }
        _ => Err(incomplete(lacks, &Message::QueryReexamine)),
    }
}

/// What is lacking, one sentence each, and a last one.
fn incomplete<const N: usize>(lacks: [(bool, Message); N], last: &Message) -> Message {
    let mut missing = String::new();
    for (lacking, message) in lacks {
        if lacking {
            missing += &message.text();
            missing.push(' ');
        }
    }
    missing += &last.text();
    Message::IncompleteAuthorization { missing }
}

fn take_apart<'a>(
    credential: &'a str,
    mut parts: impl Iterator<Item = &'a str>,
) -> Result<Scope<'a>, Message> {
    let access_key = parts.next().unwrap_or_default();
    let (_date, region) = (parts.next(), parts.next());
    match region {
        Some(region) if parts.count() == SCOPE_PARTS - 3 => Ok(Scope { access_key, region }),
        _ => {
            let credential = credential.to_owned();
            Err(Message::CredentialParts { credential })
        }
    }
}

/// The value of a header as text; nothing where it is absent or not text.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    str::from_utf8(headers.get(name)?.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn check(
        lines: &[(&'static str, &'static str)],
        query: &str,
    ) -> Result<(String, String), (String, String)> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        scope(&headers, query)
            .map(|s| (s.access_key.to_owned(), s.region.to_owned()))
            .map_err(|e| (e.kind().name().to_owned(), e.text()))
    }

    fn error(exception: &str, message: &str) -> Result<(String, String), (String, String)> {
        Err((exception.to_owned(), message.to_owned()))
    }

    #[test]
    fn the_scope_names_key_and_region() {
        let date = ("x-amz-date", "20260101T000000Z");
        let who = |key: &str, region: &str| Ok((key.to_owned(), region.to_owned()));
        for value in [
            "AWS4-HMAC-SHA256 Credential=AKID/20260101/localhost/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
            "AWS4-HMAC-SHA256 Credential=AKID/20260101/localhost/dynamodb/aws4_request,SignedHeaders=host,Signature=0",
            "AWS4-HMAC-SHA256 Signature=0 SignedHeaders=host Credential=AKID/20260101/localhost/dynamodb/aws4_request/",
        ] {
            assert_eq!(
                check(&[date, ("authorization", value)], ""),
                who("AKID", "localhost"),
                "{value}"
            );
        }
        let presigned = "X-Amz-Algorithm=a&X-Amz-Credential=K%2F1%2Feu-west-2%2Fdynamodb%2Faws4_request&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d";
        assert_eq!(check(&[], presigned), who("K", "eu-west-2"));
    }

    #[test]
    fn a_wrong_form_gets_aws_words() {
        let missing = error(
            "MissingAuthenticationTokenException",
            "Request is missing Authentication Token",
        );
        assert_eq!(check(&[], ""), missing);
        assert_eq!(check(&[("authorization", "AWS4")], ""), missing);
        assert_eq!(check(&[("authorization", "X")], "X-Amz-Algorith"), missing);
        assert_eq!(
            check(
                &[],
                "X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d"
            ),
            missing
        );
        assert_eq!(
            check(&[("authorization", "X")], "X-Amz-Algorithm"),
            error(
                "InvalidSignatureException",
                "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
            )
        );
        let incomplete = |message: &str| error("IncompleteSignatureException", message);
        assert_eq!(
            check(&[("authorization", "AWS4-")], ""),
            incomplete(
                "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-"
            )
        );
        for value in [
            "AWS4- Signature=b Credential=a",
            "AWS4- Signature=b,Credential=a",
            "AWS4- Signature=b, Credential=a",
        ] {
            assert_eq!(
                check(&[("date", "a"), ("authorization", value)], ""),
                incomplete(&format!(
                    "Authorization header requires 'SignedHeaders' parameter. Authorization={value}"
                ))
            );
        }
        assert_eq!(
            check(
                &[
                    ("date", "a"),
                    (
                        "authorization",
                        "AWS4- Signature=b,SignedHeaders=c,Credential=a/b/c/d"
                    )
                ],
                ""
            ),
            incomplete(
                "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'a/b/c/d'"
            )
        );
        assert_eq!(
            check(
                &[],
                "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d"
            ),
            incomplete(
                "AWS query-string parameters must include 'X-Amz-SignedHeaders'. Re-examine the query-string parameters."
            )
        );
    }
}
