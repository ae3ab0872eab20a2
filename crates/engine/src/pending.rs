//! An answer that waits for a commit.

use crate::error::Fault;
use bothways_protocol::{Error, Response};
use bothways_store::Ticket;
use smallvec::SmallVec;

/// An answer, good once a commit is durable.
#[derive(Debug)]
pub(crate) struct Pending {
    answer: Result<Response, Error>,
    tickets: SmallVec<[Ticket; 1]>,
}

impl Pending {
    /// An answer that waits for nothing.
    pub(crate) fn ready(response: Response) -> Self {
        Self {
            answer: Ok(response),
            tickets: SmallVec::new(),
        }
    }

    /// An answer that waits. A refusal waits too, where it rests on a commit that could still fail.
    pub(crate) fn after(ticket: Ticket, answer: Result<Response, Fault>) -> Self {
        Self::after_all([ticket], answer)
    }

    /// An answer that waits for several commits.
    pub(crate) fn after_all(
        tickets: impl IntoIterator<Item = Ticket>,
        answer: Result<Response, Fault>,
    ) -> Self {
        Self {
            answer: answer.map_err(Error::from),
            tickets: tickets.into_iter().collect(),
        }
    }

    pub(crate) async fn settle(self) -> Result<Response, Error> {
        for ticket in self.tickets {
            ticket.await.map_err(Fault::Store)?;
        }
        self.answer
    }
}
