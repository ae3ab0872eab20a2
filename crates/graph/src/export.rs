//! Export: every edge of a relation as CSV, TSV or JSON lines.

use crate::edge::Edge;
use crate::error::Result;
use crate::graph::Graph;
use crate::import::FileError;
use crate::model::Relation;
use crate::read;
use crate::receipt::{Consistency, Receipt};
use bothways_core::{ValueRef, json};
use bothways_protocol::types::{ReturnConsumedCapacity, ScanInput};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::collections::BTreeSet;
use std::io::Write;

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// With a header; quoted where needed.
    Csv,
    /// With a header. Fields that hold a tab or a line end, and sources that begin with `#`, are an error:
    /// there is no way to write them.
    Tsv,
    /// One object a line, attributes as DynamoDB JSON.
    JsonLines,
}

/// What an export read and wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportReport {
    /// Edges written.
    pub edges: u64,
    /// Attributes that edges have and the columns do not: the model does not declare them. None in JSON lines.
    pub left_out: BTreeSet<String>,
    /// The caller ended it before the last page.
    pub stopped: bool,
    /// The `Scan`, with its pages and units.
    pub receipt: Receipt,
}

impl Graph {
    /// Writes every edge of a relation, in no order. The one place where a `Scan` of the whole table is right: all of it is
    /// wanted, and no key is known beforehand. The receipt carries its price, half a read unit for every 4 KB of the table
    /// (eventually consistent: edges linked or unlinked meanwhile may or may not be in it).
    ///
    /// `progress` is told the edges written after each page, and ends the export by answering `false`.
    ///
    /// # Errors
    /// What the database refuses; an output that cannot be written.
    pub async fn export(
        &self,
        cx: &Context,
        relation: &str,
        format: ExportFormat,
        out: &mut (dyn Write + Send),
        progress: &mut (dyn FnMut(u64) -> bool + Send),
    ) -> Result<ExportReport> {
        let relation = self.relation(relation)?;
        let mut writer = Writer::new(relation, format);
        let mut receipt = Receipt::new(Operation::Scan, &self.model.table);
        receipt.consistency = Some(Consistency::Eventual);
        let mut report = ExportReport {
            edges: 0,
            left_out: BTreeSet::new(),
            stopped: false,
            receipt: receipt.clone(),
        };
        let io = |error: std::io::Error| FileError::Io {
            file: "the output".into(),
            kind: error.kind(),
            message: error.to_string(),
        };
        out.write_all(&writer.header()).map_err(io)?;
        let mut from = None;
        loop {
            let input = ScanInput {
                table_name: Some(self.model.table.clone()),
                exclusive_start_key: from,
                return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
                ..ScanInput::default()
            };
            let started = self.env.monotonic();
            let output = self.db.scan(cx, input).await?;
            receipt.elapsed += self.env.monotonic().saturating_duration_since(started);
            receipt.requests += 1;
            receipt.consumed(output.consumed_capacity.as_ref());
            let items = output.items.unwrap_or_default();
            receipt.scanned += items.len() as u64;
            for item in &items {
                if let Some(edge) = read::edge(&self.model, relation, item) {
                    let row = writer.row(&edge, &mut report.left_out)?;
                    out.write_all(&row).map_err(io)?;
                    report.edges += 1;
                }
            }
            receipt.count = report.edges;
            from = output.last_evaluated_key.map(Into::into);
            let goes_on = progress(report.edges);
            if from.is_none() || !goes_on {
                report.stopped = from.is_some();
                out.flush().map_err(io)?;
                report.receipt = receipt;
                return Ok(report);
            }
        }
    }
}

/// Edges to lines.
struct Writer<'m> {
    columns: Vec<&'m str>,
    format: ExportFormat,
}

impl<'m> Writer<'m> {
    fn new(relation: &'m Relation, format: ExportFormat) -> Self {
        Self {
            columns: relation
                .attributes
                .iter()
                .map(|a| a.name.as_str())
                .collect(),
            format,
        }
    }

    fn header(&self) -> Vec<u8> {
        let separator = match self.format {
            ExportFormat::Csv => ",",
            ExportFormat::Tsv => "\t",
            ExportFormat::JsonLines => return Vec::new(),
        };
        let mut names = vec!["source", "target"];
        names.extend(&self.columns);
        (names.join(separator) + "\n").into_bytes()
    }

    fn row(&mut self, edge: &Edge, left_out: &mut BTreeSet<String>) -> Result<Vec<u8>> {
        let mut line = Vec::new();
        if self.format == ExportFormat::JsonLines {
            line.extend_from_slice(b"{\"source\":");
            json::write_string(&edge.source, &mut line);
            line.extend_from_slice(b",\"target\":");
            json::write_string(&edge.target, &mut line);
            line.extend_from_slice(b",\"attributes\":");
            edge.attributes.write_json(&mut line);
            line.extend_from_slice(b"}\n");
            return Ok(line);
        }
        self.field(&mut line, &edge.source)?;
        self.field(&mut line, &edge.target)?;
        for name in &self.columns {
            let text = edge.attributes.get(name).map_or_else(String::new, text_of);
            self.field(&mut line, &text)?;
        }
        line.pop();
        line.push(b'\n');
        for (name, _) in &edge.attributes {
            if !self.columns.contains(&name) && !left_out.contains(name) {
                left_out.insert(name.to_owned());
            }
        }
        Ok(line)
    }

    /// A field and its separator.
    fn field(&self, line: &mut Vec<u8>, text: &str) -> Result<()> {
        if self.format == ExportFormat::Tsv {
            let comment = line.is_empty() && text.starts_with('#');
            if comment || text.contains(['\t', '\n', '\r']) {
                return Err(FileError::Unwritable {
                    text: text.to_owned(),
                }
                .into());
            }
            line.extend_from_slice(text.as_bytes());
            line.push(b'\t');
            return Ok(());
        }
        let plain = !text.contains([',', '"', '\n', '\r']) && text.trim() == text;
        // A first field that begins with the comment mark would be read as a comment.
        if plain && !text.starts_with('#') {
            line.extend_from_slice(text.as_bytes());
        } else {
            line.push(b'"');
            line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
            line.push(b'"');
        }
        line.push(b',');
        Ok(())
    }
}

/// A value as a field: texts and numbers as they are, the rest as DynamoDB JSON.
fn text_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::S(text) => text.to_owned(),
        ValueRef::N(number) => number.to_string(),
        ValueRef::Bool(flag) => flag.to_string(),
        other => {
            let mut json = Vec::new();
            json::write_value(other, &mut json);
            String::from_utf8_lossy(&json).into_owned()
        }
    }
}
