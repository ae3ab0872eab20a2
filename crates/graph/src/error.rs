//! What an operation of the graph can fail with.

use crate::cursor::CursorError;
use crate::model::{AttributeError, Problem};
use bothways_protocol as protocol;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What an operation of the graph can fail with. Answers that are no failures (`Unchanged`, `NotFound`) are values.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model does not pass its check.
    #[error("model {model} cannot be used: {}", problems.first().map_or_else(String::new, ToString::to_string))]
    Model {
        /// Its name.
        model: String,
        /// What is wrong, at least one.
        problems: Vec<Problem>,
    },
    /// No such relation.
    #[error("model {model} has no relation {name:?}")]
    NoRelation {
        /// Model.
        model: String,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// No such entity.
    #[error("model {model} has no entity {name:?}")]
    NoEntity {
        /// Model.
        model: String,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// An id that no key can hold.
    #[error(transparent)]
    Id(#[from] IdError),
    /// An attribute that cannot be set.
    #[error("{name} cannot be set: {why}")]
    Attribute {
        /// Attribute.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// A text that is not of an attribute's type.
    #[error(transparent)]
    Value(#[from] AttributeError),
    /// The model asks for both ends of an edge, and one is not there.
    #[error("there is no {entity} {id:?}, and the model wants both ends of an edge to exist")]
    MissingEntity {
        /// Its entity.
        entity: String,
        /// Its id.
        id: String,
    },
    /// The node is being deleted: nothing links to it any more.
    #[error("{entity} {id:?} is closed: it is being deleted")]
    Closed {
        /// Its entity.
        entity: String,
        /// Its id.
        id: String,
    },
    /// An edge from a node to itself, in a relation that takes none.
    #[error("{id:?} cannot be linked to itself: {relation} has loops = \"reject\"")]
    Loop {
        /// Relation.
        relation: String,
        /// The id at both ends.
        id: String,
    },
    /// An option that does not fit the operation or the relation.
    #[error("{option} {why}")]
    Option {
        /// `operation id`, `position`, `version`.
        option: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A cursor that does not belong to the list, or is damaged.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// A list by an index was asked to be strongly consistent.
    #[error(
        "{relation} {direction} is read from {index}, and an index is never strongly consistent"
    )]
    NeverStrong {
        /// Relation.
        relation: String,
        /// `out` or `in`.
        direction: &'static str,
        /// Index.
        index: String,
    },
    /// A list was asked for in an order, or by a range, that its keys do not have.
    #[error("{relation} {direction} has no list by {order}")]
    NoOrder {
        /// Relation.
        relation: String,
        /// `out` or `in`.
        direction: &'static str,
        /// `id` or `time`.
        order: &'static str,
    },
    /// More edges to skip than a list skips.
    #[error(
        "{skip} edges to skip; the most is {most}, because what is skipped is read and paid for"
    )]
    Offset {
        /// Asked for.
        skip: u32,
        /// Allowed.
        most: u32,
    },
    /// Shards that a target cannot have, or not now.
    #[error("shards of {relation}: {why}")]
    Shards {
        /// Relation.
        relation: String,
        /// Why not.
        why: String,
    },
    /// A way of counting that a target cannot have, or not now.
    #[error("{why}")]
    Counting {
        /// Why not.
        why: String,
    },
    /// A table whose key no model can have.
    #[error(
        "no model can be inferred from {table}: its key is not a partition key and a sort key, both text"
    )]
    NotInferable {
        /// Table.
        table: String,
    },
    /// The write's fate is not known, and the time was up or more attempts cannot help: look for the operation id on
    /// the edge, or send it again.
    #[error("whether operation {op_id} was done is not known; the last answer was: {}", last.message)]
    Unknown {
        /// Operation id, stored on the edge.
        op_id: String,
        /// The last answer that came.
        last: Box<protocol::Error>,
    },
    /// The time was up and the write was surely not done: every attempt was turned away.
    #[error("gave up after {attempts} attempts: {last}")]
    Contended {
        /// Operation id.
        op_id: String,
        /// How often it was sent.
        attempts: u64,
        /// The last answer.
        last: Box<protocol::Error>,
    },
    /// The database refused.
    #[error("{0}")]
    Database(#[source] Box<protocol::Error>),
    /// A job is not this worker's any more: it was paused, called off, or taken over.
    #[error("job {job} is not this worker's any more")]
    JobLost {
        /// Its id.
        job: String,
    },
    /// An item of the table is not what the model says.
    #[error("{key}: {what}")]
    Foreign {
        /// The item's key in words.
        key: String,
        /// What is wrong with it.
        what: String,
    },
    /// A file that cannot be read or written, or whose header does not fit.
    #[error(transparent)]
    File(#[from] crate::import::FileError),
}

impl From<protocol::Error> for Error {
    fn from(error: protocol::Error) -> Self {
        Self::Database(Box::new(error))
    }
}

impl Error {
    /// What to do about it, where there is something.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Model { problems, .. } => problems.first()?.hint.clone(),
            Self::NoRelation { known, .. } | Self::NoEntity { known, .. } => {
                Some(match known.as_slice() {
                    [one] => format!("it has one: {one}."),
                    _ => format!("it has {}.", known.join(", ")),
                })
            }
            Self::MissingEntity { entity, .. } => Some(format!("put the {entity} first")),
            Self::Cursor(_) => {
                Some("take the cursor from the page before, with the same list".into())
            }
            Self::Unknown { .. } => Some("run it again: an edge is never made twice".into()),
            _ => None,
        }
    }
}

/// Why an id cannot be part of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Nothing.
    #[error("{what} is empty")]
    Empty {
        /// `source`, `target` or the entity.
        what: String,
    },
    /// The key would be too long.
    #[error(
        "{what} is too long: its key {attribute} would have {bytes} bytes, and {limit} are allowed"
    )]
    TooLong {
        /// `source`, `target` or the entity.
        what: String,
        /// Key attribute.
        attribute: String,
        /// Bytes of the key.
        bytes: usize,
        /// Allowed.
        limit: usize,
    },
}
