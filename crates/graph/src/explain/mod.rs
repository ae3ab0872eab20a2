//! What an operation would send and cost, without sending it.
//!
//! The operation runs, over a place that is only imagined: it keeps every request and answers it as a table would in which
//! what is asked for is there, writes succeed, lists are as long as the model's patterns say, and no target is spread over
//! shards. So an explanation holds all requests of an operation, also those that rest on answers, and is made by the same code
//! that would send them. Waiting takes no time in it.

mod answer;
mod clock;
mod cost;

use crate::env::Environment;
use crate::error::Result;
use crate::graph::Graph;
use crate::model::Model;
use answer::Imagined;
use bothways_protocol::types::Units;
use bothways_protocol::{
    BoxFuture, Context, DynamoDb, Error, ErrorKind, Operation, Request, Response,
};
use clock::Idle;
use std::sync::{Arc, Mutex, PoisonError};

/// Requests that are kept; an operation that sends more ends there, and the explanation says that it is cut.
pub const MOST_EXPLAINED: usize = 2_000;

/// What every explanation rests on, in words.
pub const EXPLAINED_AS_IF: &str = "as if what is asked for is there, lists are as long as the model's patterns say \
     (100 edges at most), no target has shards, and a table that is scanned is empty";

/// Requests of one kind: the same operation on the same place, with the same expressions.
#[derive(Debug, Clone)]
pub struct ExplainedKind {
    /// The first of them, as it would be sent.
    pub request: Request,
    /// How many there are.
    pub times: u64,
    /// Read units of all of them.
    pub read: Units,
    /// Write units of all of them, indexes included.
    pub write: Units,
}

/// What an operation would send.
#[derive(Debug, Clone, Default)]
pub struct Explained {
    /// By kind, in the order in which the first of each would be sent.
    pub kinds: Vec<ExplainedKind>,
    /// The operation would send more: it was cut off at [`MOST_EXPLAINED`] requests.
    pub cut: bool,
}

impl Explained {
    /// All requests.
    #[must_use]
    pub fn times(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.times).sum()
    }
    /// Read units of all requests.
    #[must_use]
    pub fn read(&self) -> Units {
        self.kinds.iter().map(|kind| kind.read).sum()
    }
    /// Write units of all requests.
    #[must_use]
    pub fn write(&self) -> Units {
        self.kinds.iter().map(|kind| kind.write).sum()
    }
}

/// Keeps the requests of a graph and sends none.
#[derive(Clone)]
pub struct Explainer {
    db: Arc<Imagination>,
    env: Arc<Idle>,
}

impl Explainer {
    /// Over the table that the model describes.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let kept = Kept {
            imagined: Imagined::new(model),
            explained: Explained::default(),
            times: 0,
        };
        Self {
            db: Arc::new(Imagination(Mutex::new(kept))),
            env: Arc::new(Idle::new()),
        }
    }

    /// The graph to run operations of: nothing that it does leaves the process.
    ///
    /// # Errors
    /// As [`Graph::new`].
    pub fn graph(&self, model: Model) -> Result<Graph> {
        let env: Arc<dyn Environment> = Arc::clone(&self.env) as Arc<dyn Environment>;
        Graph::with_environment(self.place(), model, env)
    }

    /// The place by itself, for what is sent beside the graph.
    #[must_use]
    pub fn place(&self) -> Arc<dyn DynamoDb> {
        Arc::clone(&self.db) as Arc<dyn DynamoDb>
    }

    /// What was asked so far; it begins anew.
    #[must_use]
    pub fn take(&self) -> Explained {
        let mut kept = self.db.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.times = 0;
        std::mem::take(&mut kept.explained)
    }
}

impl std::fmt::Debug for Explainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Explainer").finish_non_exhaustive()
    }
}

struct Kept {
    imagined: Imagined,
    explained: Explained,
    times: usize,
}

struct Imagination(Mutex<Kept>);

impl DynamoDb for Imagination {
    fn call<'a>(
        &'a self,
        _: &'a Context,
        request: Request,
    ) -> BoxFuture<'a, std::result::Result<Response, Error>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = kept.answer(request);
        Box::pin(std::future::ready(answer))
    }
}

impl Kept {
    fn answer(&mut self, request: Request) -> std::result::Result<Response, Error> {
        if self.times >= MOST_EXPLAINED {
            self.explained.cut = true;
            let words = "nothing was sent, and what is explained ends here";
            return Err(Error::new(ErrorKind::Other("Explained".to_owned()), words));
        }
        self.times += 1;
        let answer = self.imagined.answer(&request);
        let (read, write) = cost::of(&self.imagined.model, &request, answer.as_ref().ok());
        let same = |kind: &&mut ExplainedKind| same_kind(&kind.request, &request);
        match self.explained.kinds.iter_mut().find(same) {
            Some(kind) => {
                kind.times += 1;
                kind.read += read;
                kind.write += write;
            }
            None => self.explained.kinds.push(ExplainedKind {
                request,
                times: 1,
                read,
                write,
            }),
        }
        answer
    }
}

/// Whether two requests differ in their keys and values only.
fn same_kind(a: &Request, b: &Request) -> bool {
    match (a, b) {
        (Request::Query(a), Request::Query(b)) => {
            a.index_name == b.index_name
                && a.key_condition_expression == b.key_condition_expression
                && a.consistent_read == b.consistent_read
        }
        (Request::UpdateItem(a), Request::UpdateItem(b)) => {
            a.update_expression == b.update_expression
                && a.condition_expression == b.condition_expression
                && a.expression_attribute_names == b.expression_attribute_names
        }
        (Request::GetItem(a), Request::GetItem(b)) => a.consistent_read == b.consistent_read,
        (Request::TransactWriteItems(a), Request::TransactWriteItems(b)) => {
            let shape = |input: &bothways_protocol::types::TransactWriteItemsInput| {
                let actions = input.transact_items.iter().flatten();
                let shapes = actions.map(|action| {
                    let update = action.update.as_ref();
                    (
                        action.put.is_some(),
                        action.delete.is_some(),
                        action.condition_check.is_some(),
                        update.and_then(|u| u.update_expression.clone()),
                    )
                });
                shapes.collect::<Vec<_>>()
            };
            shape(a) == shape(b)
        }
        _ => a.operation() == b.operation() && !is_of_tables(a.operation()),
    }
}

/// What is about a table as a whole is shown each time.
fn is_of_tables(operation: Option<Operation>) -> bool {
    matches!(
        operation,
        None | Some(
            Operation::CreateTable
                | Operation::UpdateTable
                | Operation::PutItem
                | Operation::DeleteItem
        )
    )
}
