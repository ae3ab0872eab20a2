//! What the engine can fail with, and how that is answered.

use bothways_core::ItemError;
use bothways_core::expr::{KeyConditionError, UpdateError};
use bothways_protocol::{Error, ErrorKind, Message};
use bothways_store as store;

/// Why an engine could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A row of the catalogue cannot be read.
    #[error("the catalogue has a damaged row")]
    Catalogue(#[source] serde_json::Error),
    /// A table's record is inconsistent.
    #[error("the catalogue's record of table {0} contradicts itself")]
    Contradiction(String),
    /// A row's value is not an item.
    #[error("a table has a damaged row")]
    Item(#[from] ItemError),
    /// The database was written by another version.
    #[error("the database has format {found}; this version reads format {known}")]
    Format {
        /// What the database says.
        found: u32,
        /// What this version reads.
        known: u32,
    },
    /// The background thread could not be started.
    #[error("cannot start the background thread")]
    Thread(#[source] std::io::Error),
}

/// What a request fails with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The store failed, or refuses writes.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A stored row is not an item.
    #[error("a table has a damaged row")]
    Item(#[from] ItemError),
    /// A stored stream record cannot be read.
    #[error("a stream has a damaged record")]
    StreamRecord,
    /// An entry of a log of changes cannot be read.
    #[error("a log of changes has a damaged entry")]
    ChangeLog,
    /// A row that says when an item expires cannot be read.
    #[error("a table has a damaged expiry row")]
    ExpiryRow,
    /// An index row whose item is not there.
    #[error("an index row has no item")]
    Dangling,
    /// A table's record cannot be written.
    #[error("a table's record cannot be written")]
    Record(#[source] serde_json::Error),
    /// Every table and index id has been given.
    #[error("table ids are exhausted")]
    IdsExhausted,
    /// The answer is AWS's.
    #[error(transparent)]
    Answer(Box<Error>),
    /// A key, or a change of one, that does not fit the table: in a transaction a fault of the action alone.
    #[error(transparent)]
    Misfit(Box<Error>),
}

impl Fault {
    pub(crate) fn misfit(message: Message) -> Self {
        Self::Misfit(Box::new(message.into()))
    }
}

impl From<Message> for Fault {
    fn from(message: Message) -> Self {
        Self::Answer(Box::new(message.into()))
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Answer(Box::new(error))
    }
}

impl From<bothways_core::partiql::Fault> for Fault {
    fn from(fault: bothways_core::partiql::Fault) -> Self {
        Message::from(fault).into()
    }
}

impl From<bothways_core::partiql::KeyFault> for Fault {
    fn from(fault: bothways_core::partiql::KeyFault) -> Self {
        Message::from(fault).into()
    }
}

impl From<KeyConditionError> for Fault {
    fn from(error: KeyConditionError) -> Self {
        Message::from(error).into()
    }
}

impl From<UpdateError> for Fault {
    fn from(error: UpdateError) -> Self {
        Message::from(error).into()
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Answer(error) | Fault::Misfit(error) => *error,
            Fault::Store(error) => of_store(&error),
            other => Self::new(ErrorKind::InternalServerError, other.to_string()),
        }
    }
}

/// The store's own words may name files: they are for its owner, who is told by its report.
fn of_store(error: &store::Error) -> Error {
    let message = match error {
        store::Error::Poisoned(_) => Message::DatabaseReadOnly,
        store::Error::Stalled(_) => Message::DatabaseStalled,
        store::Error::Closed => Message::DatabaseClosed,
        store::Error::Io { .. } => Message::DatabaseUnreadable,
        store::Error::Corrupt { .. } => Message::DatabaseDamaged,
        other => return Error::new(ErrorKind::InternalServerError, other.to_string()),
    };
    message.into()
}
