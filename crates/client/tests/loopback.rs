//! The client against the server and against misbehaving endpoints, all on loopback.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bothways_client::{Client, Config};
use bothways_protocol::types::{
    GetItemInput, GetItemOutput, ListTablesInput, ListTablesOutput, PutItemInput, PutItemOutput,
    TransactWriteItemsInput,
};
use bothways_protocol::{
    BoxFuture, Context, DynamoDb, DynamoDbExt, Error, ErrorKind, Request, Response,
};
use bothways_server::{Running, Service};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Answers from a list, then with the operation's empty output; counts the calls.
#[derive(Default)]
struct Scripted {
    errors: Mutex<Vec<ErrorKind>>,
    calls: AtomicUsize,
    seen: Mutex<Option<Context>>,
}

impl DynamoDb for Scripted {
    fn call<'a>(&'a self, cx: &'a Context, r: Request) -> BoxFuture<'a, Result<Response, Error>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        *self.seen.lock().unwrap() = Some(cx.clone());
        let error = self.errors.lock().unwrap().pop();
        let answer = match (error, r) {
            (Some(kind), _) => Err(Error::new(kind, "as told")),
            (None, Request::GetItem(_)) => Ok(Response::GetItem(Box::default())),
            (None, Request::PutItem(_)) => Ok(Response::PutItem(Box::default())),
            (None, Request::ListTables(input)) => {
                Ok(Response::ListTables(Box::new(ListTablesOutput {
                    table_names: input.exclusive_start_table_name.map(|name| vec![name]),
                    ..ListTablesOutput::default()
                })))
            }
            (None, other) => panic!("not asked for: {other:?}"),
        };
        Box::pin(async { answer })
    }
}

fn scripted(errors: &[ErrorKind]) -> (Running, Arc<Scripted>, Client) {
    let backend = Arc::new(Scripted::default());
    *backend.errors.lock().unwrap() = errors.to_vec();
    let service = Service::new(backend.clone(), bothways_server::Config::default());
    let server = Running::start("127.0.0.1:0", service).unwrap();
    let client = client(&server.url(), |_| {});
    (server, backend, client)
}

fn client(url: &str, change: impl FnOnce(&mut Config)) -> Client {
    let mut config = Config::new(url.parse().unwrap());
    change(&mut config);
    Client::new(config).unwrap()
}

async fn get(client: &Client) -> Result<GetItemOutput, Error> {
    client
        .get_item(&Context::default(), GetItemInput::default())
        .await
}

async fn put(client: &Client) -> Result<PutItemOutput, Error> {
    client
        .put_item(&Context::default(), PutItemInput::default())
        .await
}

#[tokio::test]
async fn a_typed_request_goes_there_and_its_answer_comes_back() {
    let (_server, backend, client) = scripted(&[]);
    let cx = Context {
        region: "eu-west-2".to_owned(),
        ..Context::default()
    };
    let input = ListTablesInput {
        exclusive_start_table_name: Some("here".to_owned()),
        ..ListTablesInput::default()
    };
    let output = client.list_tables(&cx, input).await.unwrap();
    assert_eq!(output.table_names, Some(vec!["here".to_owned()]));
    let seen = backend.seen.lock().unwrap().clone().unwrap();
    assert_eq!(
        (seen.region.as_str(), seen.access_key.as_str()),
        ("eu-west-2", "local")
    );
}

#[tokio::test]
async fn an_error_answer_comes_back_as_it_was() {
    for kind in [
        ErrorKind::ConditionalCheckFailed,
        ErrorKind::Validation,
        ErrorKind::ResourceNotFound,
        ErrorKind::Other("SomethingElseException".to_owned()),
    ] {
        let (_server, backend, client) = scripted(std::slice::from_ref(&kind));
        assert_eq!(put(&client).await, Err(Error::new(kind, "as told")));
        assert_eq!(backend.calls.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn throttling_is_waited_out() {
    let (_server, backend, client) = scripted(&[
        ErrorKind::Throttling,
        ErrorKind::ProvisionedThroughputExceeded,
    ]);
    assert!(put(&client).await.is_ok());
    assert_eq!(backend.calls.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn an_error_of_the_server_is_retried_for_reads_only() {
    let (_server, backend, client) = scripted(&[ErrorKind::InternalServerError]);
    assert!(get(&client).await.is_ok());
    assert_eq!(backend.calls.load(Ordering::SeqCst), 2);
    let (_server, backend, client) = scripted(&[ErrorKind::InternalServerError]);
    assert_eq!(
        put(&client).await.unwrap_err().kind,
        ErrorKind::InternalServerError
    );
    assert_eq!(backend.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn tries_are_counted() {
    let server = endpoint(|_, stream| reply(stream, 400, r#"{"__type":"x#ThrottlingException"}"#));
    let client = client(&server.url, |c| c.attempts = 3);
    assert_eq!(put(&client).await.unwrap_err().kind, ErrorKind::Throttling);
    assert_eq!(server.requests(), 3);
}

#[tokio::test]
async fn who_is_not_there_is_reported_soon_and_as_not_reached() {
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let begun = Instant::now();
    let error = put(&client(&format!("http://{free}"), |_| {}))
        .await
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unreachable);
    assert!(
        error
            .message
            .starts_with(&format!("cannot reach http://{free}: ")),
        "{error}"
    );
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_sent_once_and_its_fate_is_unknown() {
    let server = endpoint(|_, _| {});
    assert_eq!(
        put(&client(&server.url, |_| {})).await.unwrap_err().kind,
        ErrorKind::NoAnswer
    );
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn a_read_or_a_write_with_a_token_is_asked_for_again() {
    let server = endpoint(|count, stream| {
        if count == 2 {
            reply(stream, 200, "{}");
        }
    });
    assert!(get(&client(&server.url, |_| {})).await.is_ok());
    assert_eq!(server.requests(), 2);

    let server = endpoint(|count, stream| {
        if count == 2 {
            reply(stream, 200, "{}");
        }
    });
    let input = TransactWriteItemsInput {
        client_request_token: Some("token".to_owned()),
        ..TransactWriteItemsInput::default()
    };
    let client = client(&server.url, |_| {});
    assert!(
        client
            .transact_write_items(&Context::default(), input)
            .await
            .is_ok()
    );
    assert_eq!(server.requests(), 2);
}

#[tokio::test]
async fn a_kept_connection_that_was_closed_costs_nothing() {
    let server = endpoint(|_, stream| reply(stream, 200, "{}"));
    let client = client(&server.url, |_| {});
    for n in 1..=3 {
        assert!(put(&client).await.is_ok(), "{n}");
        // The endpoint closes after each answer; the client has to notice.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(server.requests(), 3);
}

#[tokio::test]
async fn the_deadline_ends_every_wait() {
    let server = endpoint(|_, _| std::thread::sleep(Duration::from_secs(2)));
    let client = client(&server.url, |_| {});
    let begun = Instant::now();
    let deadline = Some(begun + Duration::from_millis(200));
    let cx = Context {
        deadline,
        ..Context::default()
    };
    let error = client
        .get_item(&cx, GetItemInput::default())
        .await
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoAnswer);
    assert!(begun.elapsed() < Duration::from_secs(1));
    let error = client
        .get_item(&cx, GetItemInput::default())
        .await
        .unwrap_err();
    assert_eq!((error.kind, server.requests()), (ErrorKind::Unreachable, 1));
}

#[tokio::test]
async fn a_damaged_answer_is_no_answer() {
    let server = endpoint(|_, stream| {
        let text = "HTTP/1.1 200 OK\r\nx-amz-crc32: 1\r\ncontent-length: 2\r\n\r\n{}";
        stream.write_all(text.as_bytes()).unwrap();
    });
    let error = put(&client(&server.url, |_| {})).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoAnswer);
    assert!(error.message.ends_with("its checksum is wrong"), "{error}");
}

#[tokio::test]
async fn an_operation_without_types_passes_through() {
    let server = endpoint(|_, stream| reply(stream, 200, r#"{"Y":[1]}"#));
    let request = Request::Other {
        target: "Z_1.Operate".to_owned(),
        body: r#"{"X":1}"#.into(),
    };
    let answer = client(&server.url, |_| {})
        .call(&Context::default(), request)
        .await
        .unwrap();
    let Response::Other(body) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(body, r#"{"Y":[1]}"#);
    let seen = server.last();
    assert!(
        seen.contains("x-amz-target: Z_1.Operate\r\n") && seen.ends_with(r#"{"X":1}"#),
        "{seen}"
    );
}

#[test]
fn it_works_without_a_runtime() {
    let (_server, _, client) = scripted(&[]);
    let waker = std::task::Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut cx = std::task::Context::from_waker(&waker);
    let mut answer = std::pin::pin!(get(&client));
    loop {
        match answer.as_mut().poll(&mut cx) {
            std::task::Poll::Ready(answer) => break assert!(answer.is_ok()),
            std::task::Poll::Pending => std::thread::park_timeout(Duration::from_secs(5)),
        }
    }
}

struct Unpark(std::thread::Thread);

impl std::task::Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// An endpoint that reads one request per connection, does as it is told, and closes. It lives as long as the
/// test's process: it only ever blocks in `accept`.
struct Endpoint {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Endpoint {
    fn requests(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
    fn last(&self) -> String {
        self.seen.lock().unwrap().last().unwrap().clone()
    }
}

fn endpoint(act: impl Fn(usize, &mut TcpStream) + Send + 'static) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&seen);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            if let Some(request) = read_request(&mut stream) {
                let count = {
                    let mut list = list.lock().unwrap();
                    list.push(request);
                    list.len()
                };
                act(count, &mut stream);
            }
        }
    });
    Endpoint { url, seen }
}

fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = stream.read(&mut piece).ok().filter(|n| *n > 0)?;
        seen.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&seen).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|l| l.strip_prefix("content-length: "))
            .unwrap();
        if body.len() >= length.parse().unwrap() {
            return Some(text);
        }
    }
}

fn reply(stream: &mut TcpStream, status: u16, body: &str) {
    let length = body.len();
    let text = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).unwrap();
}
