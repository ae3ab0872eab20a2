//! HTTP endpoints on loopback that answer as a test says, over TLS where it asks for it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A request as it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// An endpoint; it ends with the test's runtime.
pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Endpoint {
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Answers one request a connection.
pub(crate) async fn endpoint(
    answer: impl Fn(&Seen) -> (u16, String) + Send + Sync + 'static,
) -> Endpoint {
    start(answer, None).await
}

/// The same behind the test authority's certificate for `localhost` and `127.0.0.1`.
pub(crate) async fn secure(
    answer: impl Fn(&Seen) -> (u16, String) + Send + Sync + 'static,
) -> Endpoint {
    let chain = CertificateDer::pem_file_iter(data("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(data("server.key")).unwrap();
    let provider = Arc::new(rustls_graviola::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain.map(Result::unwrap).collect(), key)
        .unwrap();
    start(answer, Some(TlsAcceptor::from(Arc::new(config)))).await
}

async fn start(
    answer: impl Fn(&Seen) -> (u16, String) + Send + Sync + 'static,
    tls: Option<TlsAcceptor>,
) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (list, answer) = (Arc::clone(&seen), Arc::new(answer));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (list, answer, tls) = (Arc::clone(&list), Arc::clone(&answer), tls.clone());
            tokio::spawn(async move {
                match tls {
                    None => talk(stream, &list, &*answer).await,
                    Some(tls) => {
                        if let Ok(stream) = tls.accept(stream).await {
                            talk(stream, &list, &*answer).await;
                        }
                    }
                }
            });
        }
    });
    Endpoint { address, seen }
}

async fn talk(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    list: &Mutex<Vec<Seen>>,
    answer: &(dyn Fn(&Seen) -> (u16, String) + Send + Sync),
) {
    let mut bytes = Vec::new();
    let request = loop {
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(n) => bytes.extend_from_slice(&piece[..n]),
        }
        if let Some(request) = whole(&bytes) {
            break request;
        }
    };
    list.lock().unwrap().push(request.clone());
    let (status, body) = answer(&request);
    let text = format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn whole(bytes: &[u8]) -> Option<Seen> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .get("content-length")
        .map_or(0, |n| n.parse().unwrap());
    (body.len() >= length).then(|| Seen {
        method: first.next().unwrap_or_default().to_owned(),
        path: first.next().unwrap_or_default().to_owned(),
        headers,
        body: body.to_owned(),
    })
}
