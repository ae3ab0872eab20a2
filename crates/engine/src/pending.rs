//! An answer that waits for a commit.

use crate::error::Fault;
use bothways_protocol::{Error, Response};
use bothways_store::Ticket;

/// An answer, good once a commit is durable.
#[derive(Debug)]
pub(crate) struct Pending {
    answer: Result<Response, Error>,
    ticket: Option<Ticket>,
}

impl Pending {
    /// An answer that waits for nothing.
    pub(crate) fn ready(response: Response) -> Self {
        Self {
            answer: Ok(response),
            ticket: None,
        }
    }

    /// An answer that waits. A refusal waits too, where it rests on a commit that could still fail.
    pub(crate) fn after(ticket: Ticket, answer: Result<Response, Fault>) -> Self {
        Self {
            answer: answer.map_err(Error::from),
            ticket: Some(ticket),
        }
    }

    pub(crate) async fn settle(self) -> Result<Response, Error> {
        if let Some(ticket) = self.ticket {
            ticket.await.map_err(Fault::Store)?;
        }
        self.answer
    }
}
