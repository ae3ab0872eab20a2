//! The model's table: made when it is not there, compared when it is.

use crate::error::Result;
use crate::graph::Graph;
use crate::receipt::Done;
use bothways_protocol::Context;

/// What applying a model did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applied {
    /// The table was made.
    Created,
    /// The table is there and fits.
    Unchanged,
    /// The table is there and does not fit; nothing was changed.
    Differs(Vec<Difference>),
}

/// One way in which a table is not what the model says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// `key`, `index GSI1`, …
    pub what: String,
    /// What the model says.
    pub model: String,
    /// What the table has.
    pub table: String,
}

impl Graph {
    /// Makes the model's table unless it is there; waits until it can be used.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn apply(&self, cx: &Context) -> Result<Done<Applied>> {
        let _ = cx;
        todo!()
    }
}
