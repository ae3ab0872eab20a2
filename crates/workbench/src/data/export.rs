//! A table into a file, page by page. CSV takes two passes: the first finds the columns.

use super::Shared;
use super::columns::Keys;
use super::job::{Job, Step};
use super::print;
use super::records::Format;
use bothways_core::Item;
use bothways_protocol::types::ScanInput;
use bothways_protocol::{Context, DynamoDbExt};
use parking_lot::Mutex;

/// Columns of a CSV file; what an item has beyond them refuses the export.
const COLUMNS: usize = 1000;

pub(super) struct Export {
    pub(super) format: Format,
    pub(super) place: Mutex<Place>,
}

/// How far it is.
pub(super) struct Place {
    /// The columns of a CSV file: the keys first, then what was met.
    columns: Vec<String>,
    /// Whether the columns are still being found.
    looking: bool,
    after: Option<Item>,
}

impl Export {
    pub(super) fn new(format: Format, keys: &Keys) -> Self {
        let columns = keys.names().into_iter().map(str::to_owned).collect();
        Self {
            format,
            place: Mutex::new(Place {
                columns,
                looking: format == Format::Csv,
                after: None,
            }),
        }
    }

    /// The next page.
    pub(super) async fn step(&self, job: &Job, shared: &Shared) -> Result<Step, String> {
        let (after, looking) = {
            let place = self.place.lock();
            (place.after.clone(), place.looking)
        };
        let input = ScanInput {
            table_name: Some(job.table.clone()),
            exclusive_start_key: after.clone().map(Into::into),
            ..ScanInput::default()
        };
        let page = shared.db.scan(&Context::default(), input).await;
        let page = page.map_err(|e| e.message.into_owned())?;
        let items = page.items.unwrap_or_default();
        let mut out = Vec::new();
        {
            let mut place = self.place.lock();
            if looking {
                for (name, _) in items.iter().flat_map(|item: &Item| item.iter()) {
                    if !place.columns.iter().any(|own| own == name) {
                        place.columns.push(name.to_owned());
                    }
                }
                if place.columns.len() > COLUMNS {
                    return Err(format!(
                        "over {COLUMNS} different attributes: take JSON lines, which need no columns"
                    ));
                }
            } else {
                if after.is_none() && self.format == Format::Csv {
                    print::header(&mut out, &place.columns);
                }
                for item in &items {
                    print::record(&mut out, self.format, &place.columns, item);
                }
            }
        }
        if !out.is_empty() {
            let appended = shared.spool.append(&job.id, &out);
            appended.map_err(|e| e.to_string())?;
        }
        let count = u64::try_from(items.len()).unwrap_or(0);
        let bytes = u64::try_from(out.len()).unwrap_or(0);
        job.note(|progress| {
            progress.rows += count;
            if !looking {
                progress.written += count;
            }
            progress.done += bytes;
            progress.size = progress.done;
        });
        let mut place = self.place.lock();
        place.after = page.last_evaluated_key;
        if place.after.is_some() {
            return Ok(Step::More);
        }
        Ok(if std::mem::take(&mut place.looking) {
            Step::More
        } else {
            Step::End
        })
    }
}
