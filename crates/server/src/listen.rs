//! Sockets: a thin shell around the service.

use crate::body::{self, Body, ReadError};
use crate::config::HEAD_BYTES;
use crate::reply;
use crate::service::{Service, within};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// How often a connection's progress is looked at. Parts of the idle time.
const LOOKS_PER_IDLE: u32 = 5;
/// An idle time below this is taken as this: there has to be time to send a head at all.
const SHORTEST_IDLE: Duration = Duration::from_millis(50);
/// How long to wait after the system refused another connection (most likely for want of descriptors).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The answer to one connection too many.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be had.
    #[error("cannot listen on {address}")]
    Bind {
        /// What was asked for.
        address: String,
        /// The system's words.
        #[source]
        source: std::io::Error,
    },
    /// No thread or event queue for the server.
    #[error("cannot start the server's threads")]
    Runtime(#[source] std::io::Error),
}

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// Connections that were cut off because their answers did not come within the drain time.
    pub cut_off: usize,
}

/// A bound listener that has not begun to answer.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    service: Arc<Service>,
}

impl Server {
    /// Takes an address, such as `("127.0.0.1", 8000)`; port 0 takes a free one.
    ///
    /// # Errors
    /// [`ServeError::Bind`] when the address is in use, not this machine's, or not allowed.
    pub async fn bind(
        address: impl ToSocketAddrs + std::fmt::Debug,
        service: Service,
    ) -> Result<Self, ServeError> {
        let named = format!("{address:?}");
        let bind = async {
            let listener = TcpListener::bind(address).await?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = bind.await.map_err(|source| ServeError::Bind {
            address: named,
            source,
        })?;
        let service = Arc::new(service);
        Ok(Self {
            listener,
            address,
            service,
        })
    }

    /// The address in use, with the port that was taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is ready, then finishes the answers under way, for as long as the configured drain
    /// time. New connections are refused from then on.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Stopped {
        let config = self.service.config();
        let (drain, most) = (config.drain, config.connections);
        let places = Arc::new(Semaphore::new(most));
        let (stopping, stopped) = watch::channel(false);
        let shell = Arc::new(Shell {
            service: self.service,
            bodies: body::budget(),
            places: Arc::clone(&places),
            most,
        });
        let mut stop = pin!(stop);
        loop {
            tokio::select! {
                biased;
                () = stop.as_mut() => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => match Arc::clone(&places).try_acquire_owned() {
                        Ok(place) => {
                            let shell = Arc::clone(&shell);
                            tokio::spawn(shell.connection(stream, stopped.clone(), place));
                        }
                        Err(_) => turn_away(&stream),
                    },
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
            }
        }
        drop(self.listener);
        stopping.send_replace(true);
        let all = u32::try_from(most).unwrap_or(u32::MAX);
        let quiet = tokio::time::timeout(drain, places.acquire_many(all))
            .await
            .is_ok();
        let cut_off = if quiet {
            0
        } else {
            most - places.available_permits()
        };
        Stopped { cut_off }
    }
}

/// Best effort: a new socket's buffer has room for the few bytes.
fn turn_away(stream: &TcpStream) {
    let _ = stream.try_write(FULL);
}

/// What all connections share.
#[derive(Debug)]
struct Shell {
    service: Arc<Service>,
    bodies: Arc<Semaphore>,
    /// One for each connection that is open, of so many.
    places: Arc<Semaphore>,
    most: usize,
}

/// How far one connection has come: even while it waits for a request, odd while it answers one.
#[derive(Debug, Clone, Default)]
struct Pulse(Arc<AtomicU64>);

/// An answer under way, the streaming of its body included.
#[derive(Debug)]
struct Busy(Pulse);

impl Pulse {
    fn busy(&self) -> Busy {
        self.0.fetch_add(1, Ordering::Relaxed);
        Busy(self.clone())
    }
    fn beat(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Shell {
    /// One connection from its first byte to its last.
    async fn connection(
        self: Arc<Self>,
        stream: TcpStream,
        mut stopped: watch::Receiver<bool>,
        place: OwnedSemaphorePermit,
    ) {
        // An answer is one write: waiting for more to send would only delay it.
        let _ = stream.set_nodelay(true);
        let pulse = Pulse::default();
        let service = service_fn(|request| {
            let busy = pulse.busy();
            let shell = &self;
            async move {
                let response = shell.answer(request).await;
                Ok::<_, Infallible>(response.map(|body| body.keeping(busy)))
            }
        });
        let mut connection = pin!(
            http1::Builder::new()
                .max_header_size(HEAD_BYTES)
                .header_read_timeout(None)
                .serve_connection(TokioIo::new(stream), service)
        );
        let idle = self.service.config().idle.max(SHORTEST_IDLE);
        let mut look = tokio::time::interval(idle / LOOKS_PER_IDLE);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut last, mut still) = (0, 0);
        let mut open = true;
        loop {
            tokio::select! {
                biased;
                // Errors here are the client's: it broke off or did not speak HTTP, and hyper has answered that.
                _ = connection.as_mut() => break,
                _ = stopped.changed(), if open => {
                    open = false;
                    connection.as_mut().graceful_shutdown();
                }
                _ = look.tick() => {
                    let beat = pulse.beat();
                    let waiting = beat % 2 == 0;
                    still = if waiting && beat == last { still + 1 } else { 0 };
                    last = beat;
                    if still > LOOKS_PER_IDLE {
                        break;
                    }
                }
            }
        }
        drop(place);
    }

    /// Lets the other requests that have come be answered before this one's answer is written, so that what is written
    /// together is sent together. On one machine waking the client costs as much as a small answer does: a client that gets several
    /// at once is woken once.
    async fn gather(&self) {
        if self.most - self.places.available_permits() > 1 {
            tokio::task::yield_now().await;
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let (parts, incoming) = request.into_parts();
        let limit = self.service.config().body;
        match within(limit, body::read(&parts, incoming, &self.bodies)).await {
            Some(Ok(read)) => {
                let response = self.service.handle(parts, read.bytes).await;
                drop(read.share);
                self.gather().await;
                response
            }
            Some(Err(ReadError::TooLarge)) => reply::closing(StatusCode::PAYLOAD_TOO_LARGE),
            Some(Err(ReadError::Broken(_))) => reply::closing(StatusCode::BAD_REQUEST),
            None => reply::closing(StatusCode::REQUEST_TIMEOUT),
        }
    }
}

/// Ready when the process is asked to stop: Ctrl-C, or on Unix also SIGTERM.
///
/// # Errors
/// When the system does not let signals be caught.
pub async fn interrupted() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            result = tokio::signal::ctrl_c() => result,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
