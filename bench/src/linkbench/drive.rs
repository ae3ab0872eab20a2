//! Clients in a closed loop: each sends its next request when the last is answered.

use super::figures::{ByOp, Figures};
use super::mix::{Mix, Op, Request, Requests};
use super::shape::Shape;
use super::{Failure, Outcome};
use bothways_protocol::BoxFuture;
use std::time::{Duration, Instant};

/// Failures after which a client gives up (LinkBench).
const MOST_FAILURES: u64 = 100;

/// What was answered to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reply {
    /// Rows answered; of a write, 1 where something was there or was made.
    pub rows: u64,
    /// Time of a list's oldest link, milliseconds since 1970.
    pub oldest: Option<u64>,
    /// Read units, in halves.
    pub read: u64,
    /// Write units of table and indexes, in halves.
    pub write: u64,
    /// Of these, the indexes'.
    pub index_write: u64,
    /// Requests sent again.
    pub retries: u64,
    /// Of these, because of another transaction.
    pub conflicts: u64,
}

/// One client's connection.
pub trait Session: Send {
    /// Sends a request and waits for the whole answer.
    fn run<'a>(&'a mut self, request: &'a Request) -> BoxFuture<'a, Outcome<Reply>>;
}

/// Processor time so far, of all who take part.
pub type Processor = Box<dyn Fn() -> Duration + Send + Sync>;

/// A connection for each client.
pub type Sessions = Vec<Box<dyn Session>>;

/// What clients do, and for how long.
#[derive(Debug, Clone)]
pub struct Clients {
    /// The data set.
    pub shape: Shape,
    /// What is asked.
    pub mix: Mix,
    /// Seed of the requests.
    pub seed: u64,
    /// Which round it is: no two rounds over the same data may have the same number.
    pub round: u64,
    /// How long.
    pub time: Duration,
}

/// What a round gave.
#[derive(Debug, Clone, Default)]
pub struct Round {
    /// By operation.
    pub by_op: ByOp,
    /// From the first request to the last answer.
    pub took: Duration,
    /// Processor time of clients and system meanwhile.
    pub processor: Duration,
    /// What went wrong first.
    pub failure: Option<String>,
}

/// One round: every session has a client. The sessions are given back to be used again.
///
/// # Errors
/// A client that panicked.
pub async fn run(
    clients: &Clients,
    sessions: Sessions,
    processor: &Processor,
) -> Outcome<(Round, Sessions)> {
    let (started, used) = (Instant::now(), processor());
    let until = started + clients.time;
    let count = sessions.len() as u64;
    let tasks: Vec<_> = sessions
        .into_iter()
        .zip(0..)
        .map(|(session, at)| {
            let client = clients.round * count + at;
            let requests = Requests::new(clients.shape, clients.mix.clone(), clients.seed, client);
            tokio::spawn(one(session, requests, until))
        })
        .collect();
    let mut round = Round::default();
    let mut sessions = Sessions::new();
    for task in tasks {
        let (session, by_op, failure) = task.await?;
        sessions.push(session);
        round.failure = round.failure.or(failure.map(|f| f.to_string()));
        for (op, figures) in by_op {
            round.by_op.entry(op).or_default().absorb(&figures);
        }
    }
    round.took = started.elapsed();
    round.processor = processor().saturating_sub(used);
    Ok((round, sessions))
}

async fn one(
    mut session: Box<dyn Session>,
    mut requests: Requests,
    until: Instant,
) -> (Box<dyn Session>, ByOp, Option<Failure>) {
    let mut by_op = ByOp::new();
    let (mut failure, mut failures) = (None, 0);
    while failures < MOST_FAILURES && Instant::now() < until {
        let (op, request) = requests.next_request();
        let sent = Instant::now();
        let answer = session.run(&request).await;
        let took = sent.elapsed();
        let figures = by_op.entry(op).or_default();
        match answer {
            Ok(reply) => note(figures, op, took, &reply, &request, &mut requests),
            Err(error) => {
                figures.failed += 1;
                failures += 1;
                failure.get_or_insert(error);
            }
        }
    }
    (session, by_op, failure)
}

fn note(
    figures: &mut Figures,
    op: Op,
    took: Duration,
    reply: &Reply,
    request: &Request,
    requests: &mut Requests,
) {
    figures.times.add(took);
    figures.rows += reply.rows;
    figures.read += reply.read;
    figures.write += reply.write;
    figures.index_write += reply.index_write;
    figures.retries += reply.retries;
    figures.conflicts += reply.conflicts;
    if op == Op::GetLinksList {
        figures.sizes[Figures::size_class(reply.rows)] += 1;
    }
    if let (Request::GetLinksList { limit, .. }, Some(oldest)) = (request, reply.oldest)
        && reply.rows >= u64::from(*limit)
    {
        requests.longer(request, oldest);
    }
}
