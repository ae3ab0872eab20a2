//! A closed loop over keep-alive connections from one thread: each connection sends its next request when the answer to
//! its last has come.

use super::answer::Answer;
use crate::linkbench::{Outcome, Times};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Read at once.
const PIECE: usize = 256 << 10;
/// How long to wait for any answer at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a stretch of load showed.
#[derive(Debug, Default)]
pub struct Load {
    /// Answers, and how long each took.
    pub times: Times,
    /// Answers other than 200.
    pub failed: u64,
    /// Connections that had to be made anew.
    pub broken: u64,
    /// How long was measured.
    pub took: Duration,
    /// What the first failure said.
    pub words: Option<String>,
}

struct Connection {
    stream: TcpStream,
    came: Vec<u8>,
    /// Which request is out, and how much of it was written.
    request: usize,
    written: usize,
    sent: Instant,
}

/// Who asks what of whom.
#[derive(Debug)]
pub struct Driver<'a> {
    /// The server.
    pub address: SocketAddr,
    /// The requests, over and over.
    pub requests: &'a [Vec<u8>],
    /// Connections.
    pub connections: usize,
    /// Time before it is measured.
    pub warm: Duration,
    /// Time that is measured.
    pub time: Duration,
}

impl Driver<'_> {
    /// Loads the server, and calls `mark` when measuring begins and when it ends.
    ///
    /// # Errors
    /// A server that cannot be reached, or says nothing for long.
    pub fn run(&self, mut mark: impl FnMut()) -> Outcome<Load> {
        let mut poll = Poll::new()?;
        let mut events = Events::with_capacity(self.connections);
        let mut turn = 0;
        let mut connections = Vec::new();
        for at in 0..self.connections {
            connections.push(self.connect(&poll, at, next(&mut turn, self.requests.len()))?);
        }
        let (mut load, mut piece) = (Load::default(), vec![0; PIECE]);
        let (begun, mut measured) = (Instant::now(), None);
        loop {
            let now = Instant::now();
            match measured {
                None if now - begun >= self.warm => {
                    load = Load::default();
                    mark();
                    measured = Some(now);
                }
                Some(since) if now - since >= self.time => {
                    mark();
                    load.took = now - since;
                    return Ok(load);
                }
                _ => {}
            }
            poll.poll(&mut events, Some(PATIENCE))?;
            if events.is_empty() {
                return Err(format!("{}: no answer for {PATIENCE:?}", self.address).into());
            }
            for event in &events {
                let Token(at) = event.token();
                let alive = match self.advance(&mut connections[at], &mut piece, &mut load) {
                    Ok(Step::Waits) => true,
                    Ok(Step::Done { closes }) => {
                        let request = next(&mut turn, self.requests.len());
                        !closes && self.send(&mut connections[at], request).is_ok()
                    }
                    Err(_) => false,
                };
                if !alive {
                    load.broken += 1;
                    let request = connections[at].request;
                    connections[at] = self.connect(&poll, at, request)?;
                }
            }
        }
    }

    fn connect(&self, poll: &Poll, at: usize, request: usize) -> Outcome<Connection> {
        let stream = std::net::TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        let interest = Interest::READABLE | Interest::WRITABLE;
        poll.registry().register(&mut stream, Token(at), interest)?;
        let mut connection = Connection {
            stream,
            came: Vec::with_capacity(PIECE),
            request,
            written: 0,
            sent: Instant::now(),
        };
        self.send(&mut connection, request)?;
        Ok(connection)
    }

    fn send(&self, connection: &mut Connection, request: usize) -> std::io::Result<()> {
        connection.came.clear();
        connection.request = request;
        connection.written = 0;
        connection.sent = Instant::now();
        self.write(connection)
    }

    /// Writes as much as goes.
    fn write(&self, connection: &mut Connection) -> std::io::Result<()> {
        let request = &self.requests[connection.request];
        while connection.written < request.len() {
            match connection.stream.write(&request[connection.written..]) {
                Ok(written) => connection.written += written,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads what came, until there is no more of it or an answer is whole.
    fn advance(
        &self,
        connection: &mut Connection,
        piece: &mut [u8],
        load: &mut Load,
    ) -> std::io::Result<Step> {
        self.write(connection)?;
        loop {
            let read = match connection.stream.read(piece) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Step::Waits),
                Err(error) => return Err(error),
            };
            connection.came.extend_from_slice(&piece[..read]);
            let Some(answer) = Answer::read(&connection.came) else {
                continue;
            };
            load.times.add(connection.sent.elapsed());
            if answer.status != 200 {
                load.failed += 1;
                load.words.get_or_insert_with(|| {
                    String::from_utf8_lossy(&connection.came[..answer.end]).into_owned()
                });
            }
            return Ok(Step::Done {
                closes: answer.closes,
            });
        }
    }
}

enum Step {
    Waits,
    Done { closes: bool },
}

fn next(turn: &mut usize, of: usize) -> usize {
    *turn = (*turn + 1) % of;
    *turn
}

/// One request and its answer, over a connection of its own.
///
/// # Errors
/// What the system says; an answer that is not whole.
pub fn ask(address: SocketAddr, request: &[u8]) -> Outcome<(Answer, Vec<u8>)> {
    let mut stream = std::net::TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request)?;
    let (mut came, mut piece) = (Vec::new(), vec![0; PIECE]);
    loop {
        let read = stream.read(&mut piece)?;
        came.extend_from_slice(&piece[..read]);
        if let Some(answer) = Answer::read(&came) {
            return Ok((answer, came));
        }
        if read == 0 {
            return Err("the answer broke off".into());
        }
    }
}
