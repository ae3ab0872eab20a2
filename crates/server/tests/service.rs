//! The service without a socket: which check speaks first, and in whose words.
//! Source of the order: AWS's answers as recorded in dynalite's `test/connection.js`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use bothways_server::http::{Method, StatusCode, header};
use bothways_server::{Body, Config, Service, http};
use std::sync::{Arc, Mutex};

/// Notes who asked.
#[derive(Default)]
struct Noting(Mutex<Vec<Context>>);

impl DynamoDb for Noting {
    fn call<'a>(&'a self, cx: &'a Context, _: Request) -> BoxFuture<'a, Result<Response, Error>> {
        self.0.lock().unwrap().push(cx.clone());
        Box::pin(async { Ok(Response::Other("{}".into())) })
    }
}

const SIGNED: &str = "AWS4-HMAC-SHA256 Credential=AKID/20260101/localhost/dynamodb/aws4_request, SignedHeaders=host, Signature=0";
const JSON: &str = "application/x-amz-json-1.0";

struct Ask<'a> {
    target: &'a str,
    authorization: &'a str,
    content_type: &'a str,
    body: &'a str,
}

const GOOD: Ask<'static> = Ask {
    target: "DynamoDB_20120810.ListTables",
    authorization: SIGNED,
    content_type: JSON,
    body: "{}",
};

fn parts(ask: &Ask<'_>) -> http::request::Parts {
    let mut request = http::Request::builder()
        .method(Method::POST)
        .uri("/")
        .header(header::HOST, "localhost")
        .header("x-amz-date", "20260101T000000Z");
    for (name, value) in [
        ("x-amz-target", ask.target),
        ("authorization", ask.authorization),
        ("content-type", ask.content_type),
    ] {
        if !value.is_empty() {
            request = request.header(name, value);
        }
    }
    request.body(()).unwrap().into_parts().0
}

async fn answer(service: &Service, ask: &Ask<'_>) -> (StatusCode, String, String) {
    let response = service.handle(parts(ask), ask.body.to_owned().into()).await;
    let content_type = response.headers().get(header::CONTENT_TYPE);
    let content_type = content_type.map_or("", |v| v.to_str().unwrap()).to_owned();
    let Body::Whole(body) = response.body() else {
        panic!("a stream")
    };
    let body = String::from_utf8(body.to_vec()).unwrap();
    (response.status(), content_type, body)
}

const LIST: &str = "DynamoDB_20120810.ListTables";
const LISP: &str = "DynamoDB_20120810.ListTable";
const STREAMS: &str = "DynamoDBStreams_20120810.ListTables";
const NOT_JSON: &str = "#SerializationException";
const UNKNOWN: &str = "#UnknownOperationException";
const MISSING: &str = "Request is missing Authentication Token";
const NOT_FOUND: &str = "<UnknownOperationException/>\n";

/// Target, authorization, content type, body; status and a part of the answer.
#[rustfmt::skip]
const ORDER: &[(&str, &str, &str, &str, u16, &str)] = &[
    (LIST, SIGNED, JSON, "{}", 200, "{}"),
    ("", "", JSON, "hi", 400, NOT_JSON),
    (LIST, "", JSON, "{", 400, NOT_JSON),
    (LIST, SIGNED, JSON, "{", 400, NOT_JSON),
    (LIST, SIGNED, JSON, "", 400, NOT_JSON),
    (LIST, SIGNED, JSON, r#"{"Limit":"x"}"#, 400, NOT_JSON),
    ("", SIGNED, JSON, "{}", 400, UNKNOWN),
    ("whatever", SIGNED, JSON, "{}", 400, UNKNOWN),
    (STREAMS, SIGNED, JSON, "{}", 400, UNKNOWN),
    (LISP, "", JSON, "", 400, UNKNOWN),
    (LIST, "AWS4-", JSON, "{}", 400, "#IncompleteSignatureException"),
    (LIST, "", JSON, "{}", 400, MISSING),
    (LIST, "", "", "", 400, MISSING),
    (LIST, SIGNED, "application/json; charset=utf-8", r#"{"Limit":0}"#, 200, "{}"),
    (LIST, SIGNED, "text/plain", "{}", 404, NOT_FOUND),
    (LIST, SIGNED, "application/jsonasdf", "{}", 404, NOT_FOUND),
    (LIST, SIGNED, "", "{}", 404, NOT_FOUND),
];

#[tokio::test]
async fn checks_speak_in_aws_order() {
    let service = Service::new(Arc::new(Noting::default()), Config::default());
    for &(target, authorization, content_type, body, status, part) in ORDER {
        let ask = Ask {
            target,
            authorization,
            content_type,
            body,
        };
        let (got, _, answer) = answer(&service, &ask).await;
        let what = (target, authorization, content_type, body);
        assert_eq!(got, status, "{what:?} {answer}");
        assert!(answer.contains(part), "{what:?} {answer}");
    }
}

#[tokio::test]
async fn the_answer_comes_as_the_type_asked_with() {
    let service = Service::new(Arc::new(Noting::default()), Config::default());
    for (asked, answered) in [
        (JSON, JSON),
        ("Application/X-Amz-Json-1.0", JSON),
        ("application/x-amz-json-1.1", "application/x-amz-json-1.1"),
        ("application/json;blah", "application/json"),
    ] {
        for body in ["{}", "{"] {
            let ask = Ask {
                content_type: asked,
                body,
                ..GOOD
            };
            assert_eq!(answer(&service, &ask).await.1, answered, "{asked}");
        }
    }
}

#[tokio::test]
async fn the_backend_learns_who_asks_and_until_when() {
    let noting = Arc::new(Noting::default());
    let service = Service::new(noting.clone(), Config::default());
    answer(&service, &GOOD).await;
    let seen = noting.0.lock().unwrap();
    assert_eq!(
        (seen[0].access_key.as_str(), seen[0].region.as_str()),
        ("AKID", "localhost")
    );
    assert_eq!(seen[0].request_id.len(), 52);
    assert!(seen[0].deadline.is_some());
}

#[tokio::test]
async fn a_signature_can_be_made_optional() {
    let mut config = Config::default();
    config.unsigned = true;
    let service = Service::new(Arc::new(Noting::default()), config);
    let unsigned = Ask {
        authorization: "",
        ..GOOD
    };
    assert_eq!(answer(&service, &unsigned).await.0, 200);
    let malformed = Ask {
        authorization: "AWS4-",
        ..GOOD
    };
    assert_eq!(answer(&service, &malformed).await.0, 400);
}

#[tokio::test]
async fn a_health_check_says_what_is_wrong_with_the_database() {
    for (trouble, wanted) in [
        (None, "healthy: localhost "),
        (Some("read-only"), "healthy: localhost \nread-only\n"),
    ] {
        let service = Service::new(Arc::new(Noting::default()), Config::default())
            .with_trouble(Box::new(move || trouble.map(str::to_owned)));
        let request = http::Request::get("/healthz").header(header::HOST, "localhost");
        let parts = request.body(()).unwrap().into_parts().0;
        let response = service.handle(parts, "".into()).await;
        let Body::Whole(body) = response.body() else {
            panic!("a stream")
        };
        assert_eq!(&body[..], wanted.as_bytes());
    }
}
