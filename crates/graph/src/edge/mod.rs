//! Edges: link, unlink, upsert, get, set, change of relation, many at once.

mod batch;
mod change;
mod create;
mod read;
mod remove;
mod update;
mod upsert;

pub use batch::{BatchAnswer, BatchEdge};

use crate::changes::Changes;
use crate::env::operation_id;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::link;
use crate::model::Relation;
use crate::receipt::Receipt;
use crate::requests::{self, Key};
use bothways_core::{Item, Value};
use bothways_protocol as protocol;
use bothways_protocol::types::TransactWriteItemsInput;
use bothways_protocol::{CancellationReason, Context, ErrorKind, Operation};

/// The longest operation id: it may also serve as a `ClientRequestToken` (API Reference, `TransactWriteItems`).
const OP_ID_CHARS: usize = 36;
/// How often one operation starts again because the edge changed under its hands, before it gives up.
const ROUNDS: u32 = 32;

/// An edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Id of its source (of an undirected edge: the smaller one).
    pub source: String,
    /// Id of its target.
    pub target: String,
    /// Its attributes, without keys and what the layer keeps on it.
    pub attributes: Item,
    /// The operation that made it.
    pub op_id: Option<String>,
    /// The operation that changed it last.
    pub edited_by: Option<String>,
    /// 1 when it is made, one more with every change. `None` where the index that it was read from does not carry it, and
    /// on edges that something else wrote; those count as 1.
    pub version: Option<u64>,
    /// Where it stands among writes that are ordered by position; stored where one was given, and in relations whose
    /// removals leave tombstones.
    pub position: Option<u64>,
    /// The shard of its target's list that it is in. `None` in the list's plain key, and where the index that it was read
    /// from does not carry its key.
    pub shard: Option<u32>,
}

impl Edge {
    /// What orders writes at positions: the position, then the operation.
    fn rank(&self) -> (u64, &str) {
        let op_id = self.edited_by.as_deref().or(self.op_id.as_deref());
        (self.position.unwrap_or(0), op_id.unwrap_or_default())
    }
}

/// How to write an edge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EdgeOptions {
    /// Id of the operation, at most 36 characters; drawn at random where none is given. Whoever repeats an operation under
    /// its own id, at any later time, is told what it did the first time.
    pub op_id: Option<String>,
    /// Only an edge of this version. An edge is made with version 1 and each change adds one.
    pub if_version: Option<u64>,
    /// The write's place among others, in milliseconds since 1970: the greater position wins, whatever the order of
    /// arrival. Nothing given: the moment of writing, and no comparison of edges that are there.
    pub position: Option<u64>,
}

/// What linking did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Linked {
    /// The edge is new.
    Created(Edge),
    /// It was there already and is as it was.
    Unchanged {
        /// The edge that is there.
        existing: Edge,
    },
    /// It was removed at a later position than this one, so it was not made.
    Outdated {
        /// Position of the removal.
        removed_at: u64,
    },
}

/// What an upsert did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upserted {
    /// The edge is new.
    Created(Edge),
    /// It was there and changed.
    Updated {
        /// As it is now.
        edge: Edge,
        /// As it was; `None` where the change was made by an attempt whose answer was lost.
        before: Option<Edge>,
    },
    /// It was there and so already.
    Unchanged {
        /// The edge that is there.
        existing: Edge,
    },
    /// It is there and stays: its position is later, or it has another version.
    Kept {
        /// The edge that is there.
        existing: Edge,
    },
    /// It was removed at a later position than this one, so it was not made.
    Outdated {
        /// Position of the removal.
        removed_at: u64,
    },
    /// A version was asked for and there is no edge.
    NotFound,
}

/// What unlinking did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unlinked {
    /// The edge is gone.
    Removed,
    /// There was none.
    NotFound,
    /// It is there and stays: its position is later, or it has another version.
    Kept {
        /// The edge that is there.
        existing: Edge,
    },
}

/// What setting attributes did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// Some changed: name, before, after. Empty where the change was made by an attempt whose answer was lost.
    Updated(Vec<(String, Option<Value>, Option<Value>)>),
    /// All were so already.
    Unchanged,
    /// There is no such edge.
    NotFound,
    /// It has another version than asked for, so it was left as it is.
    Kept {
        /// The edge that is there.
        existing: Edge,
    },
}

/// What changing an edge's relation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedType {
    /// The edge is in the other relation now.
    Changed(Edge),
    /// There is no such edge in the first relation.
    NotFound,
    /// The other relation has such an edge already; nothing was changed.
    Occupied {
        /// The edge that is there.
        existing: Edge,
    },
    /// It has another version than asked for, so it was left as it is.
    Kept {
        /// The edge that is there.
        existing: Edge,
    },
    /// It was removed from the other relation at a later position, so it was left where it is.
    Outdated {
        /// Position of the removal.
        removed_at: u64,
    },
}

/// The edge that an operation is about.
struct Subject<'g> {
    relation: &'g Relation,
    source: &'g str,
    target: &'g str,
    key: Key,
}

/// One operation: its id, its token, and where it stands among others.
struct Op {
    id: String,
    /// Of the next transaction. Another transaction of the same operation needs another token.
    token: String,
    at: u64,
    /// The caller gave the position, so it is not moved.
    placed: bool,
    rounds: u32,
}

impl Op {
    fn new(graph: &Graph, options: &EdgeOptions) -> Result<Self> {
        let drawn = operation_id(&*graph.env);
        if let Some(id) = &options.op_id
            && !(1..=OP_ID_CHARS).contains(&id.chars().count())
        {
            return Err(Error::Option {
                option: "operation id",
                why: format!("has {} characters: 1 to {OP_ID_CHARS}", id.chars().count()),
            });
        }
        if options
            .position
            .is_some_and(|at| i64::try_from(at).is_err())
        {
            return Err(Error::Option {
                option: "position",
                why: format!("is greater than {}", i64::MAX),
            });
        }
        Ok(Self {
            id: options.op_id.clone().unwrap_or_else(|| drawn.clone()),
            token: drawn,
            at: options.position.unwrap_or_else(|| graph.env.epoch_millis()),
            placed: options.position.is_some(),
            rounds: 0,
        })
    }

    /// The next transaction is another one than the last.
    fn again(&mut self, graph: &Graph) -> Result<()> {
        self.token = operation_id(&*graph.env);
        self.rounds += 1;
        if self.rounds < ROUNDS {
            return Ok(());
        }
        let message = "the edge changed under every attempt";
        let last = protocol::Error::new(ErrorKind::TransactionConflict, message);
        Err(Error::Contended {
            op_id: self.id.clone(),
            attempts: u64::from(self.rounds),
            last: Box::new(last),
        })
    }
}

/// The reason of the action at this place, where its condition did not hold.
fn failed(reasons: &[CancellationReason], at: usize) -> Option<&CancellationReason> {
    reasons
        .get(at)
        .filter(|r| r.code == "ConditionalCheckFailed")
}

/// An attempt may have been done, and what is there now does not tell.
fn unknown(op_id: &str) -> Error {
    let message = "an answer was lost, and the edge has changed since";
    let last = protocol::Error::new(ErrorKind::NoAnswer, message);
    Error::Unknown {
        op_id: op_id.to_owned(),
        last: Box::new(last),
    }
}

/// Refuses an option that an operation has no use for.
fn no_option(given: bool, option: &'static str, why: &str) -> Result<()> {
    if given {
        return Err(Error::Option {
            option,
            why: why.to_owned(),
        });
    }
    Ok(())
}

impl Graph {
    fn subject<'g>(
        &'g self,
        relation: &str,
        source: &'g str,
        target: &'g str,
    ) -> Result<Subject<'g>> {
        let relation = self.relation(relation)?;
        let (source, target) = requests::ends(relation, source, target);
        Ok(Subject {
            relation,
            source,
            target,
            key: requests::edge_key(&self.model, relation, source, target)?,
        })
    }

    fn may_change_edge(&self, relation: &Relation, changes: &Changes) -> Result<()> {
        for (name, value) in changes.iter() {
            link::may_set(&self.model, name, &[])?;
            link::keeps_fixed(&relation.attributes, name, value)?;
        }
        Ok(())
    }

    fn read_back(&self, relation: &Relation, item: &Item) -> Result<Edge> {
        crate::read::edge(&self.model, relation, item).ok_or_else(|| Error::Foreign {
            key: requests::key_words(item, &self.model.keys),
            what: format!("it is no edge of {}", relation.name),
        })
    }

    /// The item that a refusal is about: as it came with it, or read, since not every backend sends it.
    async fn refused_item(
        &self,
        cx: &Context,
        key: &Key,
        sent: Option<Item>,
        receipts: &mut Vec<Receipt>,
    ) -> Result<Option<Item>> {
        if sent.is_some() {
            return Ok(sent);
        }
        let (item, read) = self.get_item(cx, key, true).await?;
        receipts.push(read);
        Ok(item)
    }

    fn writing(&self, input: &TransactWriteItemsInput) -> Receipt {
        let mut receipt = Receipt::new(Operation::TransactWriteItems, &self.model.table);
        receipt.count = input.transact_items.as_ref().map_or(0, Vec::len) as u64;
        receipt.scanned = receipt.count;
        receipt
    }
}
