//! What a request does, in a sentence; what it would read; what it costs.

mod cost;
mod findings;
mod sizes;
mod words;

use crate::{Draft, Schema};
use bothways_core::{Item, Value};
use bothways_protocol::Operation;
pub use cost::{Estimate, Extent, Given, UnitRange};
pub use sizes::Sizes;

/// A request, explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// One sentence: what is read or written, from where, in which order, how consistent, what it costs.
    pub sentence: String,
    /// How far the request reaches.
    pub reach: Reach,
    /// What whoever sends it should know.
    pub findings: Vec<Finding>,
    /// Units that it will use; none where that hangs on items that nobody described.
    pub estimate: Option<Estimate>,
}

/// How far a request reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Items by their whole keys.
    Keys,
    /// Part of one item collection.
    Collection,
    /// Everything in the table or index.
    Everything,
}

/// Something to know before sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether DynamoDB will refuse the request for it.
    pub fatal: bool,
    /// What it is.
    pub text: String,
}

/// Names for keys, from whoever knows the model behind them.
pub trait Naming {
    /// What the items of a partition are called, and how they are ordered: "bob's followers", "by id".
    fn collection(
        &self,
        index: Option<&str>,
        partition: &Value,
        prefix: Option<&str>,
    ) -> Option<(String, String)>;
    /// What the item of a key is called: "the edge follows from alice to bob".
    fn item(&self, key: &Item) -> Option<String>;
}

/// Names nothing.
struct Nameless;

impl Naming for Nameless {
    fn collection(&self, _: Option<&str>, _: &Value, _: Option<&str>) -> Option<(String, String)> {
        None
    }
    fn item(&self, _: &Item) -> Option<String> {
        None
    }
}

impl Draft {
    /// Explains the request: by itself, or with a table's keys at hand, which tell more.
    ///
    /// ```
    /// use bothways_codegen::{Draft, Reach};
    ///
    /// let draft = Draft::read(r#"{"TableName": "t", "Key": {"id": {"S": "1"}}}"#, None)?;
    /// let explained = draft.explain(None, None, None);
    /// assert_eq!(explained.reach, Reach::Keys);
    /// assert_eq!(explained.sentence, "Reads the item of t with id = 1, eventually consistent; 0.5 RCU for each 4 KB.");
    /// # Ok::<(), bothways_codegen::DraftError>(())
    /// ```
    #[must_use]
    pub fn explain(
        &self,
        schema: Option<&Schema>,
        naming: Option<&dyn Naming>,
        sizes: Option<&Sizes>,
    ) -> Explained {
        let estimate = cost::of(self.request(), schema, sizes);
        let reach = match self.operation() {
            Operation::Query => Reach::Collection,
            Operation::Scan => Reach::Everything,
            _ => Reach::Keys,
        };
        let naming = naming.unwrap_or(&Nameless);
        let sentence = words::sentence(self.request(), schema, naming, estimate);
        let mut findings = findings::of(self.request(), schema);
        for finding in &mut findings {
            finding.text = printable(&finding.text);
        }
        Explained {
            sentence: printable(&sentence),
            reach,
            findings,
            estimate,
        }
    }
}

/// Text that moves no cursor, whatever the names and values in it are: control characters as Rust escapes them.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}
