//! A server on threads of its own, for callers without an async runtime.

use crate::listen::{ServeError, Server};
use crate::service::Service;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc;
use std::thread::JoinHandle;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

/// A server answering in the background. Stops when dropped, after the answers under way.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Starts a server, answering by the time this returns.
    ///
    /// # Errors
    /// As [`Server::bind`], and [`ServeError::Runtime`].
    pub fn start(
        address: impl ToSocketAddrs + std::fmt::Debug,
        service: Service,
    ) -> Result<Self, ServeError> {
        let named = format!("{address:?}");
        let addresses: Vec<SocketAddr> = address
            .to_socket_addrs()
            .map_err(|source| ServeError::Bind {
                address: named,
                source,
            })?
            .collect();
        let (stop, stopped) = oneshot::channel();
        let (report, started) = mpsc::channel();
        // Everything async happens on the new thread, so that this may be called from inside a runtime.
        let thread = std::thread::Builder::new()
            .name("bothways-server".to_owned())
            .spawn(move || {
                let bound = bind(&addresses, service);
                match bound {
                    Err(error) => drop(report.send(Err(error))),
                    Ok((runtime, server)) => {
                        drop(report.send(Ok(server.address())));
                        runtime.block_on(server.run(async {
                            let _ = stopped.await;
                        }));
                    }
                }
            })
            .map_err(ServeError::Runtime)?;
        let address = started
            .recv()
            .unwrap_or_else(|ended| Err(ServeError::Runtime(std::io::Error::other(ended))))?;
        Ok(Self {
            address,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address as an endpoint URL, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn bind(addresses: &[SocketAddr], service: Service) -> Result<(Runtime, Server), ServeError> {
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(ServeError::Runtime)?;
    let server = runtime.block_on(Server::bind(addresses, service))?;
    Ok((runtime, server))
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
