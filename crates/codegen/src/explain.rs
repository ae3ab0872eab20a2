//! What a request does, in a sentence; what it would read; what it costs.

mod findings;
mod words;

use crate::{Draft, Schema};
use bothways_core::limits::{PAGE_BYTES, READ_UNIT_BYTES, WRITE_UNIT_BYTES};
use bothways_core::{Item, Value};
use bothways_protocol::types::Units;
use bothways_protocol::validate::{self, BatchWrite};
use bothways_protocol::{Operation, Request};

/// A request, explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// One sentence: what is read or written, from where, in which order, how consistent, what it costs.
    pub sentence: String,
    /// How far the request reaches.
    pub reach: Reach,
    /// What whoever sends it should know.
    pub findings: Vec<Finding>,
    /// Units that it will use, in halves; none where that hangs on items that nobody described.
    pub units: Option<Units>,
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

/// The items that a request will find, as far as somebody knows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// How many the request reads.
    pub items: u64,
    /// Bytes of one, on average.
    pub bytes: u64,
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
        sizes: Option<Sizes>,
    ) -> Explained {
        let units = units(self.request(), schema, sizes);
        let reach = match self.operation() {
            Operation::Query => Reach::Collection,
            Operation::Scan => Reach::Everything,
            _ => Reach::Keys,
        };
        let naming = naming.unwrap_or(&Nameless);
        let sentence = words::sentence(self.request(), schema, naming, units);
        let mut findings = findings::of(self.request(), schema);
        for finding in &mut findings {
            finding.text = printable(&finding.text);
        }
        Explained {
            sentence: printable(&sentence),
            reach,
            findings,
            units,
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

fn units(request: &Request, schema: Option<&Schema>, sizes: Option<Sizes>) -> Option<Units> {
    match request {
        Request::GetItem(input) => Some(Units(
            halves(input.consistent_read) * blocks(sizes?.bytes, READ_UNIT_BYTES),
        )),
        Request::Query(input) => Some(pages(input.consistent_read, sizes?)),
        Request::Scan(input) => Some(pages(input.consistent_read, sizes?)),
        Request::PutItem(input) => {
            let item = &input.item.as_ref()?.value;
            // A table without indexes is charged the larger of old and new item; an index, where it has the item.
            let old = sizes.map_or(0, |sizes| sizes.bytes);
            let bytes = u64::try_from(item.size()).ok()?.max(old);
            Some(Units::whole(blocks(bytes, WRITE_UNIT_BYTES)) + indexes(item, schema?))
        }
        Request::BatchGetItem(input) => {
            let plan = validate::batch_get_item(input).ok()?;
            let each = blocks(sizes?.bytes, READ_UNIT_BYTES);
            let of = |get: &validate::BatchGet<'_>| {
                halves(get.given.consistent_read)
                    * each
                    * u64::try_from(get.keys.len()).unwrap_or(u64::MAX)
            };
            Some(Units(plan.iter().map(of).sum()))
        }
        Request::BatchWriteItem(input) => {
            let plan = validate::batch_write_item(input).ok()?;
            let one = |write: &BatchWrite<'_>| match write {
                BatchWrite::Put(item) => {
                    let bytes = u64::try_from(item.size()).unwrap_or(u64::MAX);
                    Some(Units::whole(blocks(bytes, WRITE_UNIT_BYTES)) + indexes(item, schema?))
                }
                BatchWrite::Delete(_) => None,
            };
            plan.iter().flat_map(|table| &table.writes).map(one).sum()
        }
        Request::TransactGetItems(input) => {
            let items = u64::try_from(input.transact_items.as_ref()?.len()).ok()?;
            Some(Units(4 * items * blocks(sizes?.bytes, READ_UNIT_BYTES)))
        }
        _ => None,
    }
}

fn halves(consistent: Option<bool>) -> u64 {
    if consistent == Some(true) { 2 } else { 1 }
}

fn blocks(bytes: u64, unit: usize) -> u64 {
    bytes.div_ceil(unit as u64).max(1)
}

/// Units of a list: each page of up to 1 MB is rounded up by itself.
fn pages(consistent: Option<bool>, sizes: Sizes) -> Units {
    let page = PAGE_BYTES as u64;
    let bytes = sizes.items.saturating_mul(sizes.bytes);
    let full = bytes / page;
    let rest = bytes % page;
    let rest = if rest > 0 || full == 0 {
        blocks(rest, READ_UNIT_BYTES)
    } else {
        0
    };
    Units(halves(consistent) * (full * blocks(page, READ_UNIT_BYTES) + rest))
}

/// Units of the index rows that a new item brings.
fn indexes(item: &Item, schema: &Schema) -> Units {
    let rows = schema
        .indexes
        .iter()
        .filter(|index| index.keys.names().all(|name| item.get(name).is_some()));
    rows.map(|index| {
        let size = match &index.projected {
            None => item.size(),
            Some(others) => {
                let mut names: Vec<&str> = schema.keys.names().chain(index.keys.names()).collect();
                names.extend(others.iter().map(String::as_str));
                item.only(&names).size()
            }
        };
        Units::whole(blocks(size as u64, WRITE_UNIT_BYTES))
    })
    .sum()
}
