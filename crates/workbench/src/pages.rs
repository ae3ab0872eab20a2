//! The built pages, compressed at build time and embedded in the binary.

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response};

/// Path and content of every built file, sorted by path; `.gz` ones beside the plain ones.
const PAGES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Shown where the pages were not built.
const NOT_BUILT: &str = include_str!("not_built.html");

/// Paths that the application draws itself.
const SCREENS: [&str; 3] = ["/c/", "/guides", "/design"];

pub(crate) fn answer(request: &Request<Bytes>) -> Option<Response<Bytes>> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return None;
    }
    let path = request.uri().path();
    let screen = path == "/" || SCREENS.iter().any(|s| path.starts_with(s));
    if screen && PAGES.is_empty() {
        return Some(page(
            "text/html; charset=utf-8",
            NOT_BUILT.as_bytes(),
            false,
        ));
    }
    let name = if screen { "/index.html" } else { path };
    let plain = find(name)?;
    let zipped = find(&format!("{name}.gz")).filter(|_| accepts_gzip(request));
    let immutable = name.starts_with("/assets/");
    let mut response = page(content_type(name), zipped.unwrap_or(plain), immutable);
    if zipped.is_some() {
        response
            .headers_mut()
            .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Some(response)
}

fn find(name: &str) -> Option<&'static [u8]> {
    let at = PAGES.binary_search_by(|(path, _)| (*path).cmp(name)).ok()?;
    PAGES.get(at).map(|(_, content)| *content)
}

fn accepts_gzip(request: &Request<Bytes>) -> bool {
    let accepted = request.headers().get(ACCEPT_ENCODING);
    accepted
        .and_then(|value| value.to_str().ok())
        .is_some_and(|list| list.split(',').any(|e| e.trim().starts_with("gzip")))
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

/// Hashed files may be kept for ever; the page that names them is asked for each time.
fn page(content_type: &'static str, body: &'static [u8], immutable: bool) -> Response<Bytes> {
    let keep = if immutable {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let mut response = Response::new(Bytes::from_static(body));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    response
}
