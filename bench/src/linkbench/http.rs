//! This project over HTTP: the graph API that `bothways serve` answers, one kept connection for each client.

use super::drive::{Reply, Session, Sessions};
use super::mix::Request;
use super::model::{NODE, model, relation};
use super::{Outcome, now_millis};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bothways_protocol::{BoxFuture, DynamoDb};
use bothways_server::http::{Request as HttpRequest, Response as HttpResponse};
use bothways_server::{Body, Config, Pages, Running, Service};
use bothways_workbench::{Beside, Connection, ConnectionKind, Shown, Workbench};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::json;
use std::fmt::Write as _;
use std::sync::Arc;
use tokio::net::TcpStream;

/// Most links of one page (the API's).
const PAGE: u64 = 1000;

/// A server in threads of its own, on a free port of this machine.
pub struct Http {
    server: Running,
}

struct Served(Workbench);

impl Pages for Served {
    fn answer(&self, request: HttpRequest<Bytes>) -> BoxFuture<'_, Option<HttpResponse<Body>>> {
        Box::pin(async move { Some(self.0.answer(request).await?.map(Body::Whole)) })
    }
}

impl Http {
    /// Serves a database.
    ///
    /// # Errors
    /// No port, no threads.
    pub fn start(db: Arc<dyn DynamoDb>) -> Outcome<Self> {
        let connection = Connection {
            name: "local".to_owned(),
            kind: ConnectionKind::Embedded,
            detail: String::new(),
            region: String::new(),
            read_only: false,
            durable: true,
            db: Arc::clone(&db),
            beside: Beside::default(),
        };
        let shown = Shown {
            model: model()?,
            firsts: Vec::new(),
        };
        let pages = Served(Workbench::new(vec![connection], vec![shown]));
        let service = Service::new(db, Config::default()).with_pages(Arc::new(pages));
        let server = Running::start(("127.0.0.1", 0), service)?;
        Ok(Self { server })
    }

    /// A session for each client.
    ///
    /// # Errors
    /// What the system says.
    pub async fn sessions(&self, clients: usize) -> Outcome<Sessions> {
        let mut sessions = Sessions::new();
        let host = self.server.address().to_string();
        for _ in 0..clients {
            let stream = TcpStream::connect(&host).await?;
            stream.set_nodelay(true)?;
            let (sender, connection) = handshake(TokioIo::new(stream)).await?;
            tokio::spawn(connection);
            sessions.push(Box::new(Remote {
                sender,
                host: host.clone(),
            }));
        }
        Ok(sessions)
    }
}

/// A client of the API.
struct Remote {
    sender: SendRequest<Full<Bytes>>,
    host: String,
}

/// What is read of an answer: all that a program would.
#[derive(Deserialize, Default)]
struct Answer {
    #[serde(default)]
    result: String,
    #[serde(default)]
    edges: Vec<Option<Edge>>,
    item: Option<Item>,
    #[serde(rename = "in")]
    inward: Option<i64>,
    next: Option<String>,
    #[serde(default)]
    units: Units,
}

#[derive(Deserialize)]
struct Edge {
    source: String,
    position: Option<u64>,
    attributes: Attributes,
}

#[derive(Deserialize)]
struct Item {
    attributes: Attributes,
}

#[derive(Deserialize, Default)]
struct Attributes {
    data: Option<Binary>,
}

#[derive(Deserialize)]
struct Binary {
    #[serde(rename = "$B")]
    base64: String,
}

#[derive(Deserialize, Default)]
struct Units {
    #[serde(default)]
    read: String,
    #[serde(default)]
    write: String,
}

/// Units as text, in halves.
fn halves(text: &str) -> u64 {
    (text.parse::<f64>().unwrap_or(0.0) * 2.0) as u64
}

impl Answer {
    fn reply(&self, rows: u64) -> Reply {
        Reply {
            rows,
            read: halves(&self.units.read),
            write: halves(&self.units.write),
            ..Reply::default()
        }
    }

    /// Reads every payload, as a program would.
    fn payload(&self) -> Outcome<usize> {
        let edges = self.edges.iter().flatten().map(|e| &e.attributes);
        let all = edges.chain(self.item.iter().map(|i| &i.attributes));
        let mut bytes = 0;
        for binary in all.filter_map(|a| a.data.as_ref()) {
            bytes += STANDARD.decode(&binary.base64)?.len();
        }
        Ok(bytes)
    }
}

fn data(data: &[u8], time: Option<u64>) -> Bytes {
    let mut attributes = json!({"data": {"$B": STANDARD.encode(data)}});
    if let Some(time) = time {
        attributes["time"] = json!(time);
    }
    json!({"attributes": attributes}).to_string().into()
}

impl Remote {
    async fn send(
        &mut self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Outcome<(StatusCode, Answer)> {
        let request = hyper::Request::builder()
            .method(method)
            .uri(format!("/graph/v1/linkbench/{path}"))
            .header("host", &self.host)
            .header("content-type", "application/json")
            .body(Full::new(body))?;
        let response = self.sender.send_request(request).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        if status == StatusCode::NOT_FOUND {
            return Ok((status, Answer::default()));
        }
        if !status.is_success() {
            return Err(format!("{status}: {}", String::from_utf8_lossy(&body)).into());
        }
        let answer: Answer = serde_json::from_slice(&body)?;
        std::hint::black_box(answer.payload()?);
        Ok((status, answer))
    }

    async fn list(
        &mut self,
        id1: u64,
        kind: u64,
        before: Option<u64>,
        limit: u32,
    ) -> Outcome<Reply> {
        let relation = relation(kind);
        let mut all = Reply::default();
        let mut after: Option<String> = None;
        loop {
            let left = u64::from(limit) - all.rows;
            let page = left.min(PAGE);
            let mut path = format!("nodes/{relation}/{id1}/in?limit={page}&reverse=true");
            if let Some(before) = before {
                let _ = write!(path, "&until={}", before.saturating_sub(1));
            }
            if let Some(after) = after {
                let _ = write!(path, "&after={after}");
            }
            let (_, answer) = self.send(Method::GET, &path, Bytes::new()).await?;
            let reply = answer.reply(answer.edges.len() as u64);
            all.rows += reply.rows;
            all.read += reply.read;
            let last = answer.edges.last().and_then(Option::as_ref);
            all.oldest = last.and_then(|e| e.position).or(all.oldest);
            after = answer.next;
            if after.is_none() || all.rows >= u64::from(limit) {
                return Ok(all);
            }
        }
    }

    async fn answer(&mut self, request: &Request) -> Outcome<Reply> {
        let empty = Bytes::new;
        match request {
            Request::PutLink {
                id1,
                kind,
                id2,
                data: payload,
            } => {
                let (relation, now) = (relation(*kind), now_millis());
                let path = format!("edges/{relation}/{id2}/{id1}?position={now}");
                let body = data(payload, None);
                let (_, answer) = self.send(Method::PUT, &path, body).await?;
                Ok(answer.reply(u64::from(answer.result != "created")))
            }
            Request::DeleteLink { id1, kind, id2 } => {
                let path = format!("edges/{}/{id2}/{id1}", relation(*kind));
                let (_, answer) = self.send(Method::DELETE, &path, empty()).await?;
                Ok(answer.reply(u64::from(answer.result == "removed")))
            }
            Request::CountLink { id1, kind } => {
                let path = format!("nodes/{}/{id1}/counts", relation(*kind));
                let (_, answer) = self.send(Method::GET, &path, empty()).await?;
                Ok(answer.reply(u64::from(answer.inward.is_some())))
            }
            Request::MultigetLink { id1, kind, id2s } => {
                let target = id1.to_string();
                let pairs: Vec<_> = id2s
                    .iter()
                    .map(|id2| json!({"source": id2.to_string(), "target": target}))
                    .collect();
                let path = format!("edges/{}/get", relation(*kind));
                let body = json!({"edges": pairs}).to_string().into();
                let (_, answer) = self.send(Method::POST, &path, body).await?;
                let found = answer.edges.iter().flatten();
                let found = found.filter(|e| !e.source.is_empty()).count();
                Ok(answer.reply(found as u64))
            }
            Request::GetLinksList {
                id1,
                kind,
                before,
                limit,
            } => self.list(*id1, *kind, *before, *limit).await,
            Request::GetNode(id) => {
                let path = format!("entities/{NODE}/{id}");
                let (_, answer) = self.send(Method::GET, &path, empty()).await?;
                Ok(answer.reply(u64::from(answer.item.is_some())))
            }
            Request::PutNode {
                id, data: payload, ..
            } => {
                let path = format!("entities/{NODE}/{id}");
                let body = data(payload, Some(now_millis() / 1000));
                let (_, answer) = self.send(Method::PUT, &path, body).await?;
                Ok(answer.reply(1))
            }
            Request::DeleteNode(id) => {
                let path = format!("entities/{NODE}/{id}");
                let (_, answer) = self.send(Method::DELETE, &path, empty()).await?;
                Ok(answer.reply(u64::from(answer.result == "removed")))
            }
        }
    }
}

impl Session for Remote {
    fn run<'a>(&'a mut self, request: &'a Request) -> BoxFuture<'a, Outcome<Reply>> {
        Box::pin(self.answer(request))
    }
}
