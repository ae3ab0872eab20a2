//! One connection: TCP, TLS where the address says so, and an HTTP/1.1 handshake over it.

use crate::endpoint::Endpoint;
use crate::tls::Tls;
use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// What sends requests over a connection, one after another.
pub(crate) type Sender = SendRequest<Full<Bytes>>;

/// Connects to an endpoint. Bounded by the caller.
pub(crate) async fn connect(endpoint: &Endpoint, tls: &Tls) -> io::Result<Sender> {
    let stream = TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await?;
    stream.set_nodelay(true)?;
    if endpoint.secure {
        speak(tls.wrap(&endpoint.host, stream).await?).await
    } else {
        speak(stream).await
    }
}

async fn speak(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> io::Result<Sender> {
    let (sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(io::Error::other)?;
    tokio::spawn(async move {
        // What breaks a connection is told to the request that was on it.
        let _ = connection.await;
    });
    Ok(sender)
}
