//! A file into a table, window by window.

use super::Shared;
use super::columns::{ColumnType, Keys, Reader, key_text};
use super::job::{Job, Step};
use super::records::{Cut, Format, cut, fields};
use super::writes::{Change, write};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};

/// Bytes of a file that are worked on at once.
const WINDOW: usize = 1024 * 1024;
/// The longest record. An item has at most 400 KB, and JSON can need several bytes for one.
const RECORD: usize = 4 * 1024 * 1024;
/// Columns of a CSV file.
const COLUMNS: usize = 1000;

pub(super) struct Import {
    pub(super) format: Format,
    pub(super) keys: Keys,
    /// What columns stand for; text where nothing is said.
    pub(super) types: BTreeMap<String, ColumnType>,
    /// The columns of a CSV file, once its first record was read.
    pub(super) columns: Mutex<Vec<(String, ColumnType)>>,
}

impl Import {
    /// The next window. Its items are whole, so that a window done twice is as good as done once.
    pub(super) async fn step(&self, job: &Job, shared: &Shared) -> Result<Step, String> {
        let progress = job.progress();
        let arrived = progress.received >= progress.size;
        if progress.done >= progress.size && arrived {
            return Ok(Step::End);
        }
        let mut most = WINDOW;
        loop {
            let window = shared.spool.read(&job.id, progress.done, most);
            let window = window.map_err(|e| e.to_string())?;
            let whole = u64::try_from(window.len()).unwrap_or(u64::MAX);
            let last = arrived && progress.done + whole >= progress.size;
            let Cut {
                records,
                used,
                open,
            } = cut(&window, self.format, last);
            // What is whole before it comes in first.
            if let Some(line) = open.filter(|_| used == 0 && (last || most >= RECORD)) {
                let line = progress.rows + line;
                return Err(format!(
                    "the quote that is opened in line {line} is never closed: nothing from there on was read"
                ));
            }
            if used == 0 && window.len() == most {
                if most >= RECORD {
                    return Err(format!(
                        "the record after line {} is longer than {RECORD} bytes",
                        progress.rows
                    ));
                }
                most = RECORD;
                continue;
            }
            if used == 0 {
                return Ok(Step::Wait);
            }
            let written = self.take(job, shared, &records, progress.rows).await?;
            let (rows, used) = (records.len(), u64::try_from(used).unwrap_or(u64::MAX));
            job.note(|progress| {
                progress.done += used;
                progress.rows += u64::try_from(rows).unwrap_or(0);
                progress.written += written;
            });
            return Ok(Step::More);
        }
    }

    /// Writes what the records say; how many items that were. Of several items of one key the last counts.
    async fn take(
        &self,
        job: &Job,
        shared: &Shared,
        records: &[&[u8]],
        before: u64,
    ) -> Result<u64, String> {
        let mut records = records.iter().zip(before + 1..);
        if self.format == Format::Csv && self.columns.lock().is_empty() {
            let Some((header, _)) = records.next() else {
                return Ok(0);
            };
            *self.columns.lock() = self.header(header)?;
        }
        let columns = self.columns.lock().clone();
        let reader = Reader {
            format: self.format,
            keys: &self.keys,
            columns: &columns,
        };
        let mut items = HashMap::new();
        for (record, line) in records {
            match reader.item(record) {
                Ok(Some(item)) => {
                    items.insert(key_text(&self.keys, &item), (line, Change::Put(item)));
                }
                Ok(None) => {}
                Err(why) => job.reject(line, why),
            }
        }
        let mut changes: Vec<(u64, Change)> = items.into_values().collect();
        changes.sort_by_key(|(line, _)| *line);
        let count = u64::try_from(changes.len()).unwrap_or(0);
        let refused = write(&*shared.db, &job.table, changes).await?;
        let lost = u64::try_from(refused.len()).unwrap_or(0);
        for (line, why) in refused {
            job.reject(line, why);
        }
        Ok(count - lost)
    }

    fn header(&self, record: &[u8]) -> Result<Vec<(String, ColumnType)>, String> {
        let text = std::str::from_utf8(record).map_err(|_| "the file is not UTF-8".to_owned())?;
        let names = fields(text.trim_start_matches('\u{feff}'))?;
        if names.len() > COLUMNS {
            return Err(format!(
                "{} columns, and {COLUMNS} are allowed",
                names.len()
            ));
        }
        let mut columns: Vec<(String, ColumnType)> = Vec::with_capacity(names.len());
        for name in names {
            if name.is_empty() || columns.iter().any(|(own, _)| *own == name) {
                return Err(format!(
                    "the first line names column {name:?} twice, or not"
                ));
            }
            let kind = self.types.get(&name).copied().unwrap_or(ColumnType::S);
            columns.push((name, kind));
        }
        for (key, _) in &self.keys.0 {
            if columns.iter().all(|(name, _)| name != key) {
                return Err(format!(
                    "the first line names no column {key}, which is a key"
                ));
            }
        }
        Ok(columns)
    }
}
