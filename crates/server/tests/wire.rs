//! The server over real sockets on loopback, in front of a backend that only passes through.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use bothways_server::{Body, Config, Pages, Running, Service, StreamError, http, limits};
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);

/// Answers every request with the same text, after a while.
struct Fixed {
    text: String,
    after: Duration,
}

impl DynamoDb for Fixed {
    fn call<'a>(&'a self, _: &'a Context, _: Request) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            if !self.after.is_zero() {
                tokio::time::sleep(self.after).await;
            }
            Ok(Response::Other(self.text.clone().into()))
        })
    }
}

fn server(text: &str, after: Duration, change: impl FnOnce(&mut Config)) -> Running {
    let mut config = Config::default();
    change(&mut config);
    let db = Fixed {
        text: text.to_owned(),
        after,
    };
    Running::start("127.0.0.1:0", Service::new(Arc::new(db), config)).unwrap()
}

fn plain() -> Running {
    server("{}", Duration::ZERO, |_| {})
}

fn connect(server: &Running) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn post(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST / HTTP/1.1\r\nhost: localhost\r\nx-amz-target: DynamoDB_20120810.ListTables\r\ncontent-type: application/x-amz-json-1.0\r\nx-amz-date: 20260101T000000Z\r\nauthorization: AWS4-HMAC-SHA256 Credential=k/d/r/dynamodb/aws4_request, SignedHeaders=host, Signature=0\r\n{headers}"
    );
    let length = if headers.contains("transfer-encoding") {
        String::new()
    } else {
        format!("content-length: {}\r\n", body.len())
    };
    [head.as_bytes(), length.as_bytes(), b"\r\n", body].concat()
}

#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (n, value) = line.split_once(':')?;
            n.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Reads one answer; `None` when the connection was closed instead.
fn reply(stream: &mut TcpStream) -> Option<Reply> {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        seen.push(byte[0]);
    }
    let head = String::from_utf8(seen).unwrap();
    let status = head[9..12].parse().unwrap();
    let mut reply = Reply {
        status,
        head,
        body: Vec::new(),
    };
    let length: usize = reply.header("content-length").unwrap().parse().unwrap();
    reply.body.resize(length, 0);
    stream.read_exact(&mut reply.body).unwrap();
    Some(reply)
}

fn ask(server: &Running, request: &[u8]) -> Reply {
    let mut stream = connect(server);
    stream.write_all(request).unwrap();
    reply(&mut stream).expect("an answer")
}

#[test]
fn an_answer_carries_what_sdks_check() {
    let server = plain();
    let reply = ask(&server, &post("", b"{}"));
    assert_eq!(
        (reply.status, reply.body.as_slice()),
        (200, b"{}".as_slice())
    );
    assert_eq!(
        reply.header("content-type"),
        Some("application/x-amz-json-1.0")
    );
    let crc = crc32fast::hash(&reply.body).to_string();
    assert_eq!(reply.header("x-amz-crc32"), Some(crc.as_str()));
    assert_eq!(reply.header("x-amzn-requestid").map(str::len), Some(52));
    assert!(!reply.head.to_lowercase().contains("access-control"));
}

#[test]
fn what_is_no_operation_gets_aws_404() {
    let server = plain();
    let wrong_type = String::from_utf8(post("", b"hi"))
        .unwrap()
        .replace("application/x-amz-json-1.0", "text/plain");
    for request in [
        "PUT / HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "DELETE / HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "OPTIONS / HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n",
        &wrong_type,
    ] {
        let reply = ask(&server, request.as_bytes());
        assert_eq!(
            (reply.status, reply.body.as_slice()),
            (404, b"<UnknownOperationException/>\n".as_slice())
        );
        assert_eq!(reply.header("x-amz-crc32"), Some("3552371480"));
    }
}

#[test]
fn health_and_front_page() {
    let server = plain();
    let get = |path: &str, accept: &str| {
        ask(
            &server,
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: {accept}\r\n\r\n")
                .as_bytes(),
        )
    };
    for path in ["/", "/healthz"] {
        let reply = get(path, "*/*");
        assert_eq!(
            (reply.status, reply.body),
            (200, b"healthy: localhost ".to_vec())
        );
    }
    let page = get("/", "text/html,*/*;q=0.8");
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
}

/// Scylla's `test_manual_requests.py`, measured on AWS.
#[test]
fn a_request_line_or_headers_over_16_kilobytes_are_a_bad_request() {
    let server = plain();
    let half = "x".repeat(limits::HEAD_PART_BYTES / 2);
    let short = post(&format!("one: {half}\r\n"), b"{}");
    assert_eq!(ask(&server, &short).status, 200);
    let long = post(&format!("one: {half}\r\ntwo: {half}\r\n"), b"{}");
    assert_eq!(ask(&server, &long).status, 400);
    let line = format!("POST /{half}{half} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!(ask(&server, line.as_bytes()).status, 400);
}

#[test]
fn other_origins_and_other_names_are_refused() {
    let server = plain();
    let refused = |request: &[u8]| {
        let reply = ask(&server, request);
        assert_eq!(reply.status, 403, "{}", reply.head);
        assert!(String::from_utf8_lossy(&reply.body).contains("AccessDeniedException"));
        assert!(!reply.head.to_lowercase().contains("access-control"));
    };
    refused(&post("origin: http://evil.example\r\n", b"{}"));
    refused(&post("origin: null\r\n", b"{}"));
    refused(b"OPTIONS / HTTP/1.1\r\nhost: localhost\r\norigin: http://evil.example\r\naccess-control-request-method: POST\r\n\r\n");
    refused(b"GET / HTTP/1.1\r\nhost: rebound.example\r\n\r\n");
    assert_eq!(
        ask(&server, &post("origin: http://localhost\r\n", b"{}")).status,
        200
    );
}

#[test]
fn a_body_at_the_limit_is_taken_and_one_over_it_is_answered_413() {
    let server = plain();
    let mut most = vec![b' '; limits::BODY_BYTES];
    most[..2].copy_from_slice(b"{}");
    assert_eq!(ask(&server, &post("", &most)).status, 200);
    let over = vec![b' '; limits::BODY_BYTES + 1];
    let reply = ask(&server, &post("", &over));
    assert_eq!((reply.status, reply.body.len()), (413, 0));
    assert_eq!(reply.header("connection"), Some("close"));
    assert_eq!(
        ask(&server, &post("", b"{}")).status,
        200,
        "the server is still up"
    );
}

#[test]
fn a_chunked_body_is_taken_and_limited_like_any_other() {
    let server = plain();
    let chunk = |data: &[u8]| [format!("{:x}\r\n", data.len()).as_bytes(), data, b"\r\n"].concat();
    let chunked = "transfer-encoding: chunked\r\n";
    let small = [chunk(b"{"), chunk(b"   }"), chunk(b"")].concat();
    assert_eq!(ask(&server, &post(chunked, &small)).status, 200);
    let large = [
        chunk(&vec![b' '; limits::BODY_BYTES]),
        chunk(b" "),
        chunk(b""),
    ]
    .concat();
    assert_eq!(ask(&server, &post(chunked, &large)).status, 413);
}

#[test]
fn who_waits_for_leave_to_send_too_much_is_told_at_once() {
    let server = plain();
    let mut stream = connect(&server);
    let request = post("expect: 100-continue\r\n", b"");
    let request = String::from_utf8(request)
        .unwrap()
        .replace("content-length: 0", "content-length: 17000000");
    stream.write_all(request.as_bytes()).unwrap();
    assert_eq!(reply(&mut stream).unwrap().status, 413);
}

#[test]
fn connections_are_kept_and_closed_as_asked() {
    let server = plain();
    let mut stream = connect(&server);
    for _ in 0..3 {
        stream.write_all(&post("", b"{}")).unwrap();
        assert_eq!(reply(&mut stream).unwrap().status, 200);
    }
    stream
        .write_all(&post("connection: close\r\n", b"{}"))
        .unwrap();
    assert_eq!(
        reply(&mut stream).unwrap().header("connection"),
        Some("close")
    );
    assert!(reply(&mut stream).is_none());
}

#[test]
fn a_silent_or_dribbling_connection_is_closed() {
    let server = server("{}", Duration::ZERO, |c| {
        c.idle = Duration::from_millis(200);
    });
    let mut silent = connect(&server);
    let mut half = connect(&server);
    half.write_all(b"POST / HTTP/1.1\r\nhost: lo").unwrap();
    assert!(reply(&mut silent).is_none());
    assert!(reply(&mut half).is_none());
}

/// One piece, a long while later.
struct Slow(Option<Pin<Box<tokio::time::Sleep>>>);

impl HttpBody for Slow {
    type Data = Bytes;
    type Error = StreamError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, StreamError>>> {
        let Some(sleep) = &mut self.0 else {
            return Poll::Ready(None);
        };
        std::task::ready!(sleep.as_mut().poll(cx));
        self.0 = None;
        Poll::Ready(Some(Ok(Frame::data("late".into()))))
    }
}

struct Streaming;

impl Pages for Streaming {
    fn answer(&self, _: http::Request<Bytes>) -> BoxFuture<'_, Option<http::Response<Body>>> {
        Box::pin(async {
            let sleep = tokio::time::sleep(Duration::from_millis(500));
            let body = Body::Stream(Box::pin(Slow(Some(Box::pin(sleep)))));
            Some(http::Response::new(body))
        })
    }
}

#[test]
fn a_stream_may_be_silent_for_longer_than_a_connection_may_be_idle() {
    let mut config = Config::default();
    config.idle = Duration::from_millis(100);
    let db = Fixed {
        text: String::new(),
        after: Duration::ZERO,
    };
    let service = Service::new(Arc::new(db), config).with_pages(Arc::new(Streaming));
    let server = Running::start("127.0.0.1:0", service).unwrap();
    let mut stream = connect(&server);
    stream
        .write_all(b"GET /live HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .unwrap();
    let mut all = String::new();
    stream.read_to_string(&mut all).unwrap();
    assert!(all.contains("late") && all.ends_with("0\r\n\r\n"), "{all}");
}

#[test]
fn an_unfinished_body_is_not_waited_for_forever() {
    let server = server("{}", Duration::ZERO, |c| {
        c.body = Duration::from_millis(100);
    });
    let mut stream = connect(&server);
    let request = String::from_utf8(post("", b"{"))
        .unwrap()
        .replace("content-length: 1", "content-length: 2");
    stream.write_all(request.as_bytes()).unwrap();
    assert_eq!(reply(&mut stream).unwrap().status, 408);
}

#[test]
fn an_answer_that_does_not_come_is_an_error_of_the_server() {
    let server = server("{}", PATIENCE, |c| c.request = Duration::from_millis(50));
    let reply = ask(&server, &post("", b"{}"));
    assert_eq!(reply.status, 500);
    assert!(String::from_utf8_lossy(&reply.body).contains("InternalServerError"));
}

#[test]
fn heads_are_limited() {
    let server = plain();
    let many = "x-many: y\r\n".repeat(limits::HEADERS);
    let long = format!("x-long: {}\r\n", "y".repeat(limits::HEAD_BYTES));
    for headers in [many, long] {
        let reply = ask(&server, &post(&headers, b"{}"));
        assert_eq!(reply.status, 431, "{}", reply.head);
    }
}

#[test]
fn one_connection_too_many_is_told_so() {
    let server = server("{}", Duration::ZERO, |c| c.connections = 1);
    let mut first = connect(&server);
    first.write_all(&post("", b"{}")).unwrap();
    assert_eq!(reply(&mut first).unwrap().status, 200);
    let mut second = connect(&server);
    assert_eq!(reply(&mut second).unwrap().status, 503);
}

#[test]
fn stopping_finishes_the_answer_under_way() {
    let server = server("{}", Duration::from_millis(300), |_| {});
    let mut busy = connect(&server);
    let mut idle = connect(&server);
    busy.write_all(&post("", b"{}")).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let address = server.address();
    let stop = std::thread::spawn(move || drop(server));
    assert_eq!(reply(&mut busy).unwrap().status, 200);
    assert!(reply(&mut idle).is_none());
    stop.join().unwrap();
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn stopping_does_not_wait_longer_than_the_drain() {
    let server = server("{}", PATIENCE, |c| c.drain = Duration::from_millis(100));
    let mut busy = connect(&server);
    busy.write_all(&post("", b"{}")).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    drop(server);
    assert!(reply(&mut busy).is_none());
}

#[test]
fn gzip_both_ways() {
    let text = format!("{{\"x\":\"{}\"}}", "y".repeat(limits::COMPRESS_ABOVE_BYTES));
    let server = server(&text, Duration::ZERO, |_| {});
    assert_eq!(ask(&server, &post("", b"{}")).body, text.as_bytes());
    let packed = ask(&server, &post("accept-encoding: gzip\r\n", b"{}"));
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let crc = crc32fast::hash(&packed.body).to_string();
    assert_eq!(packed.header("x-amz-crc32"), Some(crc.as_str()));
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(packed.body.as_slice())
        .read_to_string(&mut unpacked)
        .unwrap();
    assert_eq!(unpacked, text);
    for coding in ["gzip", "br"] {
        let reply = ask(
            &server,
            &post(&format!("content-encoding: {coding}\r\n"), b"{}"),
        );
        assert_eq!(reply.status, 500, "not {coding}");
    }
}

#[test]
fn what_is_not_http_does_no_harm() {
    let server = plain();
    for noise in [
        b"\0\x16\x03\x01\x02".as_slice(),
        b"GET\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n",
    ] {
        let mut stream = connect(&server);
        stream.write_all(noise).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let _ = reply(&mut stream);
    }
    assert_eq!(ask(&server, &post("", b"{}")).status, 200);
}
