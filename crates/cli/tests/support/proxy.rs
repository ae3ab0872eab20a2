//! A way to a server that lets a client be killed at a known moment of its transaction.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// When, in the life of a transaction, nothing is passed on any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The server has not heard of it.
    Before,
    /// The server has all of it, and has not answered.
    UnderWay,
    /// The server has answered, and the client has not heard.
    Done,
}

/// Passes requests on, up to the first transaction of writes: there it stops, at the moment that was asked for.
pub struct Proxy {
    /// Where it listens.
    pub endpoint: String,
    here: std::net::SocketAddr,
    reached: mpsc::Receiver<()>,
    over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Proxy {
    pub fn start(server: &str, moment: Moment) -> Self {
        let there = server.strip_prefix("http://").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let (send, reached) = mpsc::channel();
        let over = Arc::new(AtomicBool::new(false));
        let ending = Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            // Connections end with their client, which is killed before this is dropped.
            std::thread::scope(|scope| {
                while let Ok((client, _)) = listener.accept() {
                    if ending.load(Ordering::Relaxed) {
                        return;
                    }
                    let (there, send) = (there.clone(), send.clone());
                    scope.spawn(move || pass(client, &there, moment, &send));
                }
            });
        });
        Self {
            endpoint: format!("http://{here}"),
            here,
            reached,
            over,
            thread: Some(thread),
        }
    }

    /// Waits for the moment; whether it came.
    pub fn wait(&self, patience: Duration) -> bool {
        self.reached.recv_timeout(patience).is_ok()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Wakes the one that listens.
        let _ = TcpStream::connect(self.here);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// One connection, until either side is gone.
fn pass(client: TcpStream, there: &str, moment: Moment, reached: &mpsc::Sender<()>) {
    let Ok(server) = TcpStream::connect(there) else {
        return;
    };
    let (Ok(mut up), Ok(mut down)) = (server.try_clone(), client.try_clone()) else {
        return;
    };
    let (mut client, mut server) = (BufReader::new(client), BufReader::new(server));
    while let Some(request) = message(&mut client) {
        let head = String::from_utf8_lossy(&request);
        let transaction = head.contains("DynamoDB_20120810.TransactWriteItems");
        let stop = |at: Moment| {
            let stops = transaction && at == moment;
            if stops {
                let _ = reached.send(());
            }
            stops
        };
        if stop(Moment::Before) || up.write_all(&request).is_err() || stop(Moment::UnderWay) {
            break;
        }
        let Some(answer) = message(&mut server) else {
            return;
        };
        if stop(Moment::Done) || down.write_all(&answer).is_err() {
            break;
        }
    }
    // The server's end stays open until the client is gone: what it has of a transaction it may do.
    let _ = client.read_to_end(&mut Vec::new());
}

/// A request or an answer: its head, and as much behind it as the head says. Nothing where the line is cut.
fn message(from: &mut impl BufRead) -> Option<Vec<u8>> {
    let (mut bytes, mut length) = (Vec::new(), 0);
    loop {
        let begin = bytes.len();
        if from.read_until(b'\n', &mut bytes).ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&bytes[begin..]).to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let begin = bytes.len();
    bytes.resize(begin + length, 0);
    from.read_exact(&mut bytes[begin..]).ok()?;
    Some(bytes)
}
