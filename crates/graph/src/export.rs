//! Export: every edge of a relation as CSV, TSV or JSON lines.

use crate::error::Result;
use crate::graph::Graph;
use crate::receipt::Receipt;
use bothways_protocol::Context;
use std::io::Write;

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// With a header; quoted where needed.
    Csv,
    /// With a header.
    Tsv,
    /// One object a line, attributes as DynamoDB JSON.
    JsonLines,
}

/// What an export read and wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportReport {
    /// Edges written.
    pub edges: u64,
    /// The `Scan`, with its pages and units.
    pub receipt: Receipt,
}

impl Graph {
    /// Writes every edge of a relation. The one place where a `Scan` of the whole table is right: all of it is wanted, and
    /// no key is known beforehand. The receipt carries its price.
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
        let _ = (cx, relation, format, out, progress);
        todo!()
    }
}
