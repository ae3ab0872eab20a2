//! What an operation sent and what it cost: every result carries its receipts.

use bothways_protocol::Operation;
use bothways_protocol::types::{ConsumedCapacity, Units};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// How fresh a read is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Consistency {
    /// Sees every write that was answered before it (base table only).
    #[default]
    Strong,
    /// May lag behind writes: every read of a global index.
    Eventual,
    /// Part of a transaction.
    Transactional,
}

impl Consistency {
    /// `strong`, `eventual` or `transactional`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Eventual => "eventual",
            Self::Transactional => "transactional",
        }
    }
}

/// Requests of one kind that an operation sent, with what the database answered about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The operation.
    pub operation: Operation,
    /// Table.
    pub table: String,
    /// Index, where one was read.
    pub index: Option<String>,
    /// The key condition in words: `GSI1PK = TARGET#bob`.
    pub key: Option<String>,
    /// The range of a list in words: `begins_with(GSI1SK, ACTOR#)`.
    pub range: Option<String>,
    /// Freshness of a read; `None` for writes.
    pub consistency: Option<Consistency>,
    /// Requests answered.
    pub requests: u64,
    /// Items returned.
    pub count: u64,
    /// Items read before filters.
    pub scanned: u64,
    /// Read units of table and indexes, in halves.
    pub read: Units,
    /// Write units of table and indexes, in halves.
    pub write: Units,
    /// Write units by index, in halves (part of `write`).
    pub index_write: BTreeMap<String, Units>,
    /// Times that a request was sent again.
    pub retries: u64,
    /// Of these, how often because of a conflict with another transaction.
    pub conflicts: u64,
    /// Time from first sending to last answer.
    pub elapsed: Duration,
    /// What the reader should know: `settled by attribute_not_exists(PK) · counters unmoved`.
    pub note: Option<String>,
}

impl Receipt {
    /// An empty receipt of an operation on a table.
    #[must_use]
    pub fn new(operation: Operation, table: &str) -> Self {
        Self {
            operation,
            table: table.to_owned(),
            index: None,
            key: None,
            range: None,
            consistency: None,
            requests: 0,
            count: 0,
            scanned: 0,
            read: Units::default(),
            write: Units::default(),
            index_write: BTreeMap::new(),
            retries: 0,
            conflicts: 0,
            elapsed: Duration::ZERO,
            note: None,
        }
    }

    /// Whether it is a read.
    #[must_use]
    pub const fn is_read(&self) -> bool {
        matches!(
            self.operation,
            Operation::GetItem
                | Operation::Query
                | Operation::Scan
                | Operation::BatchGetItem
                | Operation::TransactGetItems
                | Operation::DescribeTable
        )
    }

    /// Adds what one answer consumed.
    pub(crate) fn consumed(&mut self, capacity: Option<&ConsumedCapacity>) {
        let Some(capacity) = capacity else { return };
        let total = capacity.capacity_units.unwrap_or_default();
        if self.is_read() {
            self.read += total;
            return;
        }
        // A transaction reports both kinds; a plain write only the total.
        self.read += capacity.read_capacity_units.unwrap_or_default();
        self.write += capacity.write_capacity_units.unwrap_or(total);
        for (name, units) in capacity.global_secondary_indexes.iter().flatten() {
            let units = units.write_capacity_units.or(units.capacity_units);
            *self.index_write.entry(name.clone()).or_default() += units.unwrap_or_default();
        }
    }

    /// Adds another page or a repetition of the same request.
    pub fn absorb(&mut self, other: &Self) {
        self.requests += other.requests;
        self.count += other.count;
        self.scanned += other.scanned;
        self.read += other.read;
        self.write += other.write;
        self.retries += other.retries;
        self.conflicts += other.conflicts;
        self.elapsed += other.elapsed;
        for (name, units) in &other.index_write {
            *self.index_write.entry(name.clone()).or_default() += *units;
        }
        if other.note.is_some() {
            self.note.clone_from(&other.note);
        }
    }
}

/// Capacity units as people read them: `0.5`, `1`, `12`.
#[must_use]
pub fn units_text(units: Units) -> String {
    if units.0.is_multiple_of(2) {
        (units.0 / 2).to_string()
    } else {
        format!("{}.5", units.0 / 2)
    }
}

/// Digits with a comma every three before the point: `5,008.5`.
fn grouped(number: &str) -> String {
    let whole = number.find('.').unwrap_or(number.len());
    let mut out = String::with_capacity(number.len() + whole / 3);
    for (at, digit) in number.char_indices() {
        if at > 0 && at < whole && (whole - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

impl fmt::Display for Receipt {
    /// `1 Query on GSI1 · GSI1PK = TARGET#bob · eventual · 2 of 2 read · 0.5 RCU · 0.4 ms`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requests = grouped(&self.requests.to_string());
        write!(f, "{requests} {}", self.operation.name())?;
        if self.is_read() {
            write!(f, " on {}", self.index.as_ref().unwrap_or(&self.table))?;
        }
        if let Some(key) = &self.key {
            write!(f, " · {key}")?;
        }
        if let Some(consistency) = self.consistency {
            write!(f, " · {}", consistency.as_str())?;
        }
        if matches!(self.operation, Operation::Query | Operation::Scan) {
            let [count, scanned] = [self.count, self.scanned].map(|n| grouped(&n.to_string()));
            write!(f, " · {count} of {scanned} read")?;
        }
        if let Some(note) = &self.note {
            write!(f, " · {note}")?;
        }
        if self.read.0 > 0 {
            write!(f, " · {} RCU", grouped(&units_text(self.read)))?;
        }
        if self.write.0 > 0 {
            write!(f, " · {} WCU", grouped(&units_text(self.write)))?;
        }
        if self.retries > 0 {
            write!(
                f,
                " · {} retries, {} by conflict",
                self.retries, self.conflicts
            )?;
        }
        // Requests that overlap have no time of their own.
        if self.elapsed.is_zero() {
            return Ok(());
        }
        let micros = self.elapsed.as_micros();
        write!(f, " · {}.{} ms", micros / 1000, micros % 1000 / 100)
    }
}

/// A result with the requests that it took, in the order of sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done<T> {
    /// The result.
    pub value: T,
    /// What was sent.
    pub receipts: Vec<Receipt>,
}

impl<T> Done<T> {
    pub(crate) fn new(value: T, receipts: Vec<Receipt>) -> Self {
        Self { value, receipts }
    }
    /// The same receipts with another value.
    #[must_use]
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Done<U> {
        Done {
            value: f(self.value),
            receipts: self.receipts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_before_the_point_are_grouped() {
        for (number, text) in [
            ("0", "0"),
            ("999.5", "999.5"),
            ("5008", "5,008"),
            ("1234567.5", "1,234,567.5"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
