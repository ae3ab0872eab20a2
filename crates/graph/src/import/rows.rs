//! Rows of the file as edges to make, a window at a time.

use super::columns::Columns;
use super::lines::{Lines, Record, fields};
use super::{ImportObserver, ImportOptions, Reject, Separator};
use crate::changes::Changes;
use crate::error::Result;
use crate::model::{Model, Relation};
use crate::{link, requests};
use bothways_core::Value;

/// Raw bytes of a window, whatever its rows: bounds the memory of an import.
const WINDOW_BYTES: usize = 32 * 1024 * 1024;

/// An edge to make.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) attributes: Changes,
    pub(super) line: u64,
    pub(super) text: String,
}

impl Row {
    pub(super) fn reject(&self, reason: String) -> Reject {
        Reject {
            line: self.line,
            reason,
            row: self.text.clone(),
        }
    }
}

/// Reads rows and decides about each.
pub(super) struct Rows<'r, 'm> {
    model: &'m Model,
    relation: &'m Relation,
    file: String,
    lines: Lines<'r>,
    separator: Option<Separator>,
    columns: Option<Columns>,
    /// Rows read, good or bad.
    pub(super) count: u64,
    /// Rows rejected.
    pub(super) rejected: u64,
}

impl<'r, 'm> Rows<'r, 'm> {
    pub(super) fn new(
        model: &'m Model,
        relation: &'m Relation,
        file: &str,
        lines: Lines<'r>,
        options: &ImportOptions,
    ) -> Self {
        Self {
            model,
            relation,
            file: file.to_owned(),
            lines,
            separator: options.separator,
            columns: None,
            count: 0,
            rejected: 0,
        }
    }

    /// Bytes read, and their hash.
    pub(super) fn read_so_far(&self) -> (u64, u64) {
        (self.lines.bytes, self.lines.hash.value())
    }

    /// Reads past the first rows, which an earlier run finished. Those at fault go to the observer again.
    pub(super) fn skip(
        &mut self,
        options: &ImportOptions,
        first: u64,
        observer: &mut dyn ImportObserver,
    ) -> Result<()> {
        while self.count < first {
            let most = (first - self.count).min(options.window_rows());
            if self.window(options, most, observer)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// The next rows that are good, up to `most`; `None` at the end of the file. Bad ones go to the observer.
    pub(super) fn window(
        &mut self,
        options: &ImportOptions,
        most: u64,
        observer: &mut dyn ImportObserver,
    ) -> Result<Option<Vec<Row>>> {
        let (mut rows, mut bytes, start) = (Vec::new(), 0, self.count);
        while self.count - start < most && bytes < WINDOW_BYTES {
            let Some(record) = self.lines.next(self.separator)? else {
                return Ok((self.count > start).then_some(rows));
            };
            let line = record.line;
            match self.row(record, options)? {
                None => {}
                Some(Ok(row)) => {
                    bytes += row.text.len() + row.source.len() + row.target.len();
                    rows.push(row);
                }
                Some(Err((row, reason))) => {
                    self.rejected += 1;
                    observer.rejected(&Reject { line, reason, row });
                }
            }
        }
        Ok(Some(rows))
    }

    /// One record as a row: `None` for the header, an inner error for a row at fault.
    fn row(
        &mut self,
        record: Record,
        options: &ImportOptions,
    ) -> Result<Option<std::result::Result<Row, (String, String)>>> {
        let text = match record.text {
            Ok(text) => text,
            Err((shown, why)) => {
                self.count += 1;
                return Ok(Some(Err((shown, why))));
            }
        };
        let separator = *self.separator.get_or_insert(if text.contains('\t') {
            Separator::Tab
        } else {
            Separator::Comma
        });
        let Some(fields) = fields(&text, separator) else {
            self.count += 1;
            return Ok(Some(Err((text, "its quotes do not match".into()))));
        };
        if self.columns.is_none() {
            let columns = Columns::of(&self.file, &fields, self.relation, options)?;
            for (_, name, _) in &columns.attributes {
                link::may_set(self.model, name, &[])?;
            }
            if self.columns.insert(columns).header {
                return Ok(None);
            }
        }
        let Some(columns) = &self.columns else {
            return Ok(None);
        };
        self.count += 1;
        Ok(Some(
            edge(self.model, self.relation, columns, fields)
                .map(|row| Row {
                    line: record.line,
                    text: text.clone(),
                    ..row
                })
                .map_err(|reason| (text, reason)),
        ))
    }
}

/// The fields as an edge, or what is wrong with them.
fn edge(
    model: &Model,
    relation: &Relation,
    columns: &Columns,
    mut fields: Vec<String>,
) -> std::result::Result<Row, String> {
    if fields.len() > columns.width {
        return Err(format!(
            "{} columns, and there should be {}",
            fields.len(),
            columns.width
        ));
    }
    let mut attributes = Changes::new();
    for (at, name, declared) in &columns.attributes {
        let Some(field) = fields.get(*at).filter(|f| !f.is_empty()) else {
            continue;
        };
        let value = match declared {
            Some(attribute) => attribute.parse(field).map_err(|e| e.to_string())?,
            None => Value::S(field.clone()),
        };
        attributes.push(name.clone(), Some(value));
    }
    let mut end = |at: usize, what: &str| match fields.get_mut(at) {
        Some(field) => Ok(std::mem::take(field)),
        None => Err(format!("{what} is missing")),
    };
    let (source, target) = (
        end(columns.source, "source")?,
        end(columns.target, "target")?,
    );
    let swapped = {
        let (first, _) = requests::ends(relation, &source, &target);
        first != source
    };
    let (source, target) = if swapped {
        (target, source)
    } else {
        (source, target)
    };
    requests::edge_key(model, relation, &source, &target)
        .and_then(|_| requests::may_loop(relation, &source, &target))
        .map_err(|e| e.to_string())?;
    Ok(Row {
        source,
        target,
        attributes,
        line: 0,
        text: String::new(),
    })
}
