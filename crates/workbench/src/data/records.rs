//! A file's records, cut out of windows of bytes.

use bothways_core::Quotes;

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Comma-separated values, the names of the attributes first (RFC 4180).
    Csv,
    /// A JSON object a line, in plain JSON.
    Lines,
    /// A JSON object a line, in DynamoDB JSON, bare or as an export's `{"Item": …}`.
    Dynamo,
}

impl Format {
    pub(super) fn of_name(name: &str) -> Option<Self> {
        let all = [Self::Csv, Self::Lines, Self::Dynamo];
        all.into_iter().find(|format| format.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Lines => "json",
            Self::Dynamo => "dynamodb",
        }
    }
}

/// What is whole in a window.
pub(super) struct Cut<'w> {
    pub(super) records: Vec<&'w [u8]>,
    /// Bytes that they and their line ends take.
    pub(super) used: usize,
    /// Line of the window, from 1, in which a quote is opened that is not closed in it.
    pub(super) open: Option<u64>,
}

/// The records that are whole in a window. Where `last`, what is left is a record too, unless a quote in it is not closed.
/// In CSV a line end between quotes is part of a value.
pub(super) fn cut(window: &[u8], format: Format, last: bool) -> Cut<'_> {
    let (mut records, mut from) = (Vec::new(), 0);
    let mut quotes = Quotes::new(b',', 1);
    for (at, byte) in window.iter().enumerate() {
        if format == Format::Csv {
            quotes.add(&[*byte]);
        }
        if *byte == b'\n' && quotes.open().is_none() {
            records.push(trimmed(&window[from..at]));
            from = at + 1;
        }
    }
    let open = quotes.open();
    if last && from < window.len() && open.is_none() {
        records.push(trimmed(&window[from..]));
        from = window.len();
    }
    Cut {
        records,
        used: from,
        open,
    }
}

fn trimmed(record: &[u8]) -> &[u8] {
    record.strip_suffix(b"\r").unwrap_or(record)
}

/// The fields of a CSV record.
pub(super) fn fields(record: &str) -> Result<Vec<String>, &'static str> {
    let mut fields = Vec::new();
    let mut rest = record;
    loop {
        let mut field = String::new();
        if let Some(quoted) = rest.strip_prefix('"') {
            rest = quoted;
            loop {
                let end = rest.find('"').ok_or("a quote is not closed")?;
                field.push_str(&rest[..end]);
                rest = &rest[end + 1..];
                match rest.strip_prefix('"') {
                    Some(more) => {
                        field.push('"');
                        rest = more;
                    }
                    None => break,
                }
            }
            if !rest.is_empty() && !rest.starts_with(',') {
                return Err("there is text after a closing quote");
            }
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            field.push_str(&rest[..end]);
            rest = &rest[end..];
        }
        fields.push(field);
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return Ok(fields),
        }
    }
}
