//! The limit of any server on hyper: it reads the request, and answers with bytes that it was given.

use super::answer::Answer;
use super::requests::Op;
use crate::linkbench::Outcome;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

/// An answer as a server gave it, head and body.
struct Given {
    headers: HeaderMap,
    body: Bytes,
}

impl Given {
    fn read(bytes: &[u8]) -> Outcome<Self> {
        let answer = Answer::read(bytes).ok_or("an answer that is not whole")?;
        let head = std::str::from_utf8(&bytes[..answer.body])?;
        let mut headers = HeaderMap::new();
        let pairs = head.lines().skip(1).filter_map(|line| line.split_once(':'));
        for (name, value) in pairs {
            // hyper writes these two itself.
            if !["date", "content-length"].contains(&name.to_ascii_lowercase().as_str()) {
                headers.insert(
                    name.parse::<HeaderName>()?,
                    HeaderValue::from_str(value.trim())?,
                );
            }
        }
        let body = Bytes::copy_from_slice(&bytes[answer.body..answer.end]);
        Ok(Self { headers, body })
    }

    fn response(&self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.body.clone()));
        response.headers_mut().clone_from(&self.headers);
        response
    }
}

/// Answers on a port until it is ended, with the files of a directory that are named after operations.
///
/// # Errors
/// A file that is no answer, a port that cannot be had.
pub fn serve(port: u16, answers: &Path) -> Outcome<()> {
    let mut given = Vec::new();
    for op in Op::ALL {
        given.push((
            op.target(),
            Given::read(&std::fs::read(answers.join(op.target()))?)?,
        ));
    }
    let given = Arc::new(given);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let given = Arc::clone(&given);
            tokio::spawn(async move {
                let service = service_fn(|request| answer(&given, request));
                let connection =
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                drop(connection.await);
            });
        }
    })
}

async fn answer(
    given: &[(&str, Given)],
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let (parts, body) = request.into_parts();
    body.collect().await?;
    let target = parts.headers.get("x-amz-target").map(HeaderValue::as_bytes);
    let name = target.and_then(|target| target.split(|byte| *byte == b'.').nth(1));
    let of_name = given.iter().find(|(own, _)| Some(own.as_bytes()) == name);
    Ok(of_name.map_or_else(Response::default, |(_, given)| given.response()))
}
