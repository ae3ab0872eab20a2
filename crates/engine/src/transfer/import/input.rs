//! Records out of an object: lines of DynamoDB JSON, Ion, or CSV; as they are, or compressed by gzip or Zstandard.

use super::frames::Frames;
use super::ion;
use bothways_core::json::item_from_slice;
use bothways_core::limits::ATTRIBUTE_NAME_BYTES;
use bothways_core::{Item, KeyPart, Number, Quotes, ScalarType, Value};
use bothways_protocol::types::{ImportTableInput, InputCompressionType, InputFormat};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Longest record, bytes: an item of 400 KB, each byte of it escaped, and spaces.
const RECORD_BYTES: u64 = 16 << 20;

/// What was read.
pub(super) struct Record {
    /// Bytes of it.
    pub(super) bytes: usize,
    /// The item; none where it is not one.
    pub(super) item: Option<Item>,
}

/// Records of one object.
pub(super) enum Records {
    Lines(BufReader<Guarded>),
    Ion(BufReader<Guarded>),
    Table {
        rows: Box<csv::Reader<Quoted>>,
        names: Vec<String>,
        types: Vec<Option<ScalarType>>,
    },
}

/// Reads no further than a record may be long.
pub(super) struct Guarded {
    inner: Box<dyn Read + Send>,
    left: Arc<AtomicU64>,
}

impl Read for Guarded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.load(Relaxed);
        if left == 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a record is too long",
            ));
        }
        let read = self.inner.read(buffer)?;
        self.left.store(left.saturating_sub(read as u64), Relaxed);
        Ok(read)
    }
}

/// CSV as it is read. The reader of rows would take the rest of an object for a field whose quote is never closed.
pub(super) struct Quoted {
    inner: Guarded,
    quotes: Quotes,
}

impl Read for Quoted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer);
        match (&read, self.quotes.open()) {
            (Ok(0) | Err(_), Some(line)) if !buffer.is_empty() => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the quote that is opened in line {line} is never closed"),
            )),
            (Ok(read), _) => {
                self.quotes.add(&buffer[..*read]);
                Ok(*read)
            }
            _ => read,
        }
    }
}

/// An object that is being read.
pub(super) struct Reading {
    records: Records,
    left: Arc<AtomicU64>,
}

#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow, rename = "Item")]
    item: &'l RawValue,
}

impl Reading {
    /// Begins an object; `keys` are the attributes that have a type of their own.
    pub(super) fn new(
        object: Box<dyn Read + Send>,
        input: &ImportTableInput,
        keys: &[KeyPart],
    ) -> io::Result<Self> {
        let inner: Box<dyn Read + Send> = match input.input_compression_type {
            Some(InputCompressionType::Gzip) => Box::new(flate2::read::MultiGzDecoder::new(object)),
            Some(InputCompressionType::Zstd) => Box::new(Frames::new(object)),
            _ => object,
        };
        let left = Arc::new(AtomicU64::new(RECORD_BYTES));
        let guarded = Guarded {
            inner,
            left: Arc::clone(&left),
        };
        let records = match input.input_format {
            Some(InputFormat::Csv) => table(guarded, input, keys)?,
            Some(InputFormat::Ion) => Records::Ion(BufReader::new(guarded)),
            _ => Records::Lines(BufReader::new(guarded)),
        };
        Ok(Self { records, left })
    }

    /// The next record; none at the end.
    ///
    /// An error ends the object: what cannot be read as a record says nothing about what follows it.
    pub(super) fn next(&mut self) -> io::Result<Option<Record>> {
        self.left.store(RECORD_BYTES, Relaxed);
        match &mut self.records {
            Records::Lines(lines) => line(lines),
            Records::Ion(text) => {
                let Some(text) = ion::next_struct(text)? else {
                    return Ok(None);
                };
                let item = ion::item(&text)?;
                Ok(Some(Record {
                    bytes: text.len(),
                    item,
                }))
            }
            Records::Table { rows, names, types } => {
                let mut row = csv::StringRecord::new();
                if !rows.read_record(&mut row).map_err(io::Error::other)? {
                    return Ok(None);
                }
                let bytes = row.as_slice().len() + row.len();
                let item = of_row(&row, names, types);
                Ok(Some(Record { bytes, item }))
            }
        }
    }
}

fn line(lines: &mut BufReader<Guarded>) -> io::Result<Option<Record>> {
    let mut text = Vec::new();
    loop {
        text.clear();
        if lines.read_until(b'\n', &mut text)? == 0 {
            return Ok(None);
        }
        if !text.trim_ascii().is_empty() {
            break;
        }
    }
    let line: Line<'_> = serde_json::from_slice(&text)?;
    let given = item_from_slice(line.item.get().as_bytes())?;
    let item = given.fault.is_none().then_some(given.value);
    Ok(Some(Record {
        bytes: text.len(),
        item,
    }))
}

/// CSV, whose first line names the attributes where the request does not.
fn table(guarded: Guarded, input: &ImportTableInput, keys: &[KeyPart]) -> io::Result<Records> {
    let options = input.input_format_options.as_ref();
    let options = options
        .and_then(|options| options.csv.clone())
        .unwrap_or_default();
    let delimiter = options.delimiter.as_deref().unwrap_or(",");
    let delimiter = delimiter.bytes().next().unwrap_or(b',');
    let quoted = Quoted {
        inner: guarded,
        quotes: Quotes::new(delimiter, 1),
    };
    let mut rows = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(quoted);
    let names = if let Some(names) = options.header_list {
        names
    } else {
        let mut first = csv::StringRecord::new();
        rows.read_record(&mut first).map_err(io::Error::other)?;
        first.iter().map(str::to_owned).collect()
    };
    let of_key = |name: &String| {
        let part = keys.iter().find(|part| part.name == *name);
        part.map(|part| part.scalar)
    };
    let types = names.iter().map(of_key).collect();
    Ok(Records::Table {
        rows: Box::new(rows),
        names,
        types,
    })
}

/// Whether an attribute may have this name; DynamoDB JSON is held to it where it is read.
pub(super) fn is_name(name: &str) -> bool {
    (1..=ATTRIBUTE_NAME_BYTES).contains(&name.len())
}

/// Keys have their types, everything else is text; what is empty is not there.
/// Source: Developer Guide, "DynamoDB data import formats".
fn of_row(row: &csv::StringRecord, names: &[String], types: &[Option<ScalarType>]) -> Option<Item> {
    let mut attributes = Vec::new();
    for ((text, name), scalar) in row.iter().zip(names).zip(types) {
        if text.is_empty() {
            continue;
        }
        if !is_name(name) {
            return None;
        }
        let value = match scalar {
            Some(ScalarType::N) => Value::N(text.trim().parse::<Number>().ok()?),
            Some(ScalarType::B) => {
                use base64::Engine;
                let bytes = base64::engine::general_purpose::STANDARD
                    .decode(text)
                    .ok()?;
                Value::B(bytes.into())
            }
            Some(ScalarType::S) | None => Value::S(text.to_owned()),
        };
        attributes.push((name.as_str(), value));
    }
    Some(Item::from_attributes(attributes))
}
