//! The latest requests, in bounded memory.

use super::words::about;
use bothways_protocol::types::Units;
use bothways_protocol::{Error, Operation, Request, Response};
use std::collections::VecDeque;
use std::sync::Arc;

/// Most requests that are kept.
const MOST: usize = 1000;
/// Most bytes of requests and answers that are kept.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// A request or an answer above this is kept without its body. Bytes.
const BODY_MAX: usize = 64 * 1024;
/// Most requests in one answer of the API.
pub(crate) const PAGE: usize = 200;

/// A request of the application, and how it was answered.
pub(crate) struct Kept {
    /// Ascending from 1.
    pub(crate) number: u64,
    /// When it came, milliseconds since 1970.
    pub(crate) at_millis: u64,
    pub(crate) operation: Option<Operation>,
    pub(crate) tables: Vec<String>,
    pub(crate) index: Option<String>,
    pub(crate) key: Option<String>,
    /// Whether it only reads.
    pub(crate) reads: bool,
    pub(crate) read: Units,
    pub(crate) write: Units,
    pub(crate) micros: u64,
    /// The input in DynamoDB JSON; none where it is too long.
    pub(crate) input: Option<Vec<u8>>,
    pub(crate) input_bytes: usize,
    /// The output in DynamoDB JSON; none for an error, and where it is too long.
    pub(crate) output: Option<Vec<u8>>,
    pub(crate) output_bytes: usize,
    pub(crate) error: Option<Error>,
    /// Items that came back, and items looked at.
    pub(crate) counts: Option<(u64, u64)>,
}

impl Kept {
    /// A request before its answer.
    pub(super) fn of(request: &Request) -> Self {
        let words = about(request);
        let mut input = Vec::new();
        request.encode(&mut input);
        let input_bytes = input.len();
        Self {
            number: 0,
            at_millis: 0,
            operation: request.operation(),
            tables: words.tables,
            index: words.index,
            key: words.key,
            reads: words.reads,
            read: Units(0),
            write: Units(0),
            micros: 0,
            input: (input_bytes <= BODY_MAX).then_some(input),
            input_bytes,
            output: None,
            output_bytes: 0,
            error: None,
            counts: None,
        }
    }

    /// Takes the answer in.
    pub(super) fn answered(&mut self, answer: &Result<Response, Error>) {
        match answer {
            Ok(response) => {
                let mut output = Vec::new();
                response.encode(&mut output);
                self.output_bytes = output.len();
                self.output = (self.output_bytes <= BODY_MAX).then_some(output);
                let of = |n: Option<i64>| n.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
                self.counts = match response {
                    Response::Query(page) => Some((of(page.count), of(page.scanned_count))),
                    Response::Scan(page) => Some((of(page.count), of(page.scanned_count))),
                    Response::GetItem(output) => Some((u64::from(output.item.is_some()), 1)),
                    _ => None,
                };
            }
            Err(error) => self.error = Some(error.clone()),
        }
    }

    fn bytes(&self) -> usize {
        let of = |body: &Option<Vec<u8>>| body.as_ref().map_or(0, Vec::len);
        of(&self.input) + of(&self.output)
    }
}

/// A page of what was kept.
pub(crate) struct Page {
    pub(crate) requests: Vec<Arc<Kept>>,
    /// The number of the latest request that was kept.
    pub(crate) last: u64,
    /// Requests between the one asked after and the first of the page that are no longer kept.
    pub(crate) missed: u64,
}

#[derive(Default)]
pub(super) struct Ring {
    last: u64,
    bytes: usize,
    held: VecDeque<Arc<Kept>>,
}

impl Ring {
    pub(super) fn push(&mut self, mut kept: Kept) {
        self.last += 1;
        kept.number = self.last;
        self.bytes += kept.bytes();
        self.held.push_back(Arc::new(kept));
        while self.held.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.held.pop_front() else {
                break;
            };
            self.bytes -= oldest.bytes();
        }
    }

    /// The latest of those after `number`, the oldest first.
    pub(super) fn after(&self, number: u64) -> Page {
        // A number from before this server started is as good as none.
        let number = if number > self.last { 0 } else { number };
        let new = self.held.iter().filter(|kept| kept.number > number);
        let count = new.clone().count();
        let requests: Vec<Arc<Kept>> = new.skip(count.saturating_sub(PAGE)).cloned().collect();
        let first = requests.first().map_or(self.last + 1, |kept| kept.number);
        Page {
            requests,
            last: self.last,
            missed: first - number - 1,
        }
    }

    pub(super) fn one(&self, number: u64) -> Option<Arc<Kept>> {
        let found = self.held.iter().find(|kept| kept.number == number);
        found.cloned()
    }
}
