//! A file's records, cut out of windows of bytes.

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

/// The records that are whole in a window, and the bytes that they and their line ends take. Where `last`, what is left is
/// a record too. In CSV a line end between quotes is part of a value.
pub(super) fn cut(window: &[u8], format: Format, last: bool) -> (Vec<&[u8]>, usize) {
    let (mut records, mut from, mut quoted) = (Vec::new(), 0, false);
    for (at, byte) in window.iter().enumerate() {
        match byte {
            b'"' if format == Format::Csv => quoted = !quoted,
            b'\n' if !quoted => {
                records.push(trimmed(&window[from..at]));
                from = at + 1;
            }
            _ => {}
        }
    }
    if last && from < window.len() {
        records.push(trimmed(&window[from..]));
        from = window.len();
    }
    (records, from)
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
