//! The graph's tests on another server: `BOTHWAYS_PEER` names it, and each engine that a test asks for is a namespace
//! of its own there.

use bothways_client::{Client, Config};
use bothways_protocol::{BoxFuture, Context, DynamoDb, Error, Request, Response};
use serde_json::Value as Json;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The other server, where there is one.
pub fn peer() -> Option<Arc<dyn DynamoDb>> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let url = std::env::var("BOTHWAYS_PEER").ok()?;
    let mut config = Config::new(url.parse().expect("BOTHWAYS_PEER is a URL"));
    config.answer = Duration::from_secs(20);
    let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let prefix = format!("t{process}x{number}-");
    let client = Client::new(config).expect("threads");
    Some(Arc::new(Namespace { client, prefix }))
}

/// Tables under names that begin with a prefix, which nobody above sees. Tokens have it too: they are the account's, and
/// graphs of the same seed draw the same ones.
struct Namespace {
    client: Client,
    prefix: String,
}

impl Namespace {
    /// A request's token as one of this namespace, of 36 characters at most.
    fn token(&self, token: &str) -> String {
        let mut hash = DefaultHasher::new();
        (&self.prefix, token).hash(&mut hash);
        format!("{:016x}", hash.finish())
    }

    /// Renames every table in a document, by what `name` makes of a name.
    fn rename(json: &mut Json, name: &dyn Fn(&str) -> String) {
        match json {
            Json::Object(members) => {
                for (key, value) in members.iter_mut() {
                    match (key.as_str(), value) {
                        ("TableName" | "ResourceArn", Json::String(text)) => *text = name(text),
                        (
                            "RequestItems" | "Responses" | "UnprocessedItems" | "UnprocessedKeys",
                            Json::Object(tables),
                        ) => {
                            let renamed = std::mem::take(tables).into_iter();
                            *tables = renamed
                                .map(|(table, value)| (name(&table), value))
                                .collect();
                        }
                        (_, value) => Self::rename(value, name),
                    }
                }
            }
            Json::Array(members) => members
                .iter_mut()
                .for_each(|member| Self::rename(member, name)),
            _ => {}
        }
    }
}

impl DynamoDb for Namespace {
    fn call<'a>(
        &'a self,
        cx: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let operation = request.operation().expect("the graph sends typed requests");
            let mut bytes = Vec::new();
            request.encode(&mut bytes);
            let mut json: Json = serde_json::from_slice(&bytes).expect("a request is JSON");
            Self::rename(&mut json, &|name| format!("{}{name}", self.prefix));
            if let Some(Json::String(token)) = json.get_mut("ClientRequestToken") {
                *token = self.token(token);
            }
            let request = Request::decode(operation, json.to_string().as_bytes())?;
            let response = self.client.call(cx, request).await?;
            let mut bytes = Vec::new();
            response.encode(&mut bytes);
            let mut json: Json = serde_json::from_slice(&bytes).expect("an answer is JSON");
            Self::rename(&mut json, &|name| name.replace(&self.prefix, ""));
            Response::decode(operation, json.to_string().as_bytes())
        })
    }
}
