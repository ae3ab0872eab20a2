//! Records of a delimited file, with the line that each starts at, its raw text and the bytes read so far.

use super::{FileError, Separator};
use crate::cursor::Fnv;
use bothways_core::Quotes;
use std::io::{BufRead, Read};

/// Longest record: no edge of more could be an item (400 KB).
const RECORD_BYTES: usize = 384 * 1024;

/// Reads records. A quoted field (comma-separated files only) may hold separators, doubled quotes and line ends.
pub(super) struct Lines<'r> {
    file: String,
    reader: Box<dyn BufRead + Send + 'r>,
    comment: Option<char>,
    /// Bytes read.
    pub(super) bytes: u64,
    /// Hash of the bytes read.
    pub(super) hash: Fnv,
    line: u64,
    buffer: Vec<u8>,
    /// Behind a quote that is never closed: nobody knows what the rest is.
    lost: bool,
}

/// One record as it stands in the file.
#[derive(Debug)]
pub(super) struct Record {
    /// Line that it starts at, from 1.
    pub(super) line: u64,
    /// Its text without the line end, or why there is none.
    pub(super) text: Result<String, (String, String)>,
}

impl<'r> Lines<'r> {
    pub(super) fn new(
        file: &str,
        reader: Box<dyn BufRead + Send + 'r>,
        comment: Option<char>,
    ) -> Self {
        Self {
            file: file.to_owned(),
            reader,
            comment,
            bytes: 0,
            hash: Fnv::new(),
            line: 0,
            buffer: Vec::new(),
            lost: false,
        }
    }

    /// The next record that is neither empty nor a comment.
    pub(super) fn next(
        &mut self,
        separator: Option<Separator>,
    ) -> Result<Option<Record>, FileError> {
        loop {
            if self.lost {
                return Ok(None);
            }
            self.buffer.clear();
            let line = self.line + 1;
            let mut whole = self.more()?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            let comment = self.comment.is_some_and(|c| {
                let mut mark = [0; 4];
                self.buffer.starts_with(c.encode_utf8(&mut mark).as_bytes())
            });
            if comment || self.buffer.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let tabs = self.buffer.contains(&b'\t');
            if separator.map_or(!tabs, |given| given == Separator::Comma) {
                let mut quotes = Quotes::new(b',', line).with_blanks();
                let mut read = 0;
                loop {
                    quotes.add(&self.buffer[read..]);
                    let Some(opened) = quotes.open() else { break };
                    read = self.buffer.len();
                    if whole {
                        whole = self.more()?;
                    }
                    if !whole || self.buffer.len() == read {
                        return Ok(Some(self.unclosed(opened)));
                    }
                }
            }
            return Ok(Some(self.record(line, whole)));
        }
    }

    /// Adds the next line to the buffer. False when the record is too long: the rest of the line is passed over.
    fn more(&mut self) -> Result<bool, FileError> {
        let file = &self.file;
        let io = |error: std::io::Error| FileError::Io {
            file: file.clone(),
            kind: error.kind(),
            message: error.to_string(),
        };
        let start = self.buffer.len();
        let room = (RECORD_BYTES + 1).saturating_sub(start) as u64;
        let mut limited = self.reader.by_ref().take(room);
        let read = limited.read_until(b'\n', &mut self.buffer).map_err(io)?;
        self.bytes += read as u64;
        self.hash.add(&self.buffer[start..]);
        self.line += u64::from(read > 0);
        if self.buffer.len() <= RECORD_BYTES || self.buffer.ends_with(b"\n") {
            return Ok(true);
        }
        loop {
            let chunk = self.reader.fill_buf().map_err(io)?;
            let (used, ended) = match chunk.iter().position(|b| *b == b'\n') {
                Some(at) => (at + 1, true),
                None => (chunk.len(), chunk.is_empty()),
            };
            self.hash.add(&chunk[..used]);
            self.bytes += used as u64;
            self.reader.consume(used);
            if ended {
                return Ok(false);
            }
        }
    }

    /// What begins with a quote that is not closed before the file ends, or before a record must.
    fn unclosed(&mut self, line: u64) -> Record {
        self.lost = true;
        let first = self
            .buffer
            .split(|b| *b == b'\n')
            .next()
            .unwrap_or_default();
        let shown = String::from_utf8_lossy(&first[..first.len().min(80)]).into_owned();
        let why = format!(
            "the quote that is opened in line {line} is never closed: nothing from here on was read"
        );
        let text = Err((shown, why));
        Record { line, text }
    }

    fn record(&mut self, line: u64, whole: bool) -> Record {
        if line == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.buffer.drain(..3);
        }
        while self
            .buffer
            .last()
            .is_some_and(|b| matches!(b, b'\n' | b'\r'))
        {
            self.buffer.pop();
        }
        let text = if whole {
            String::from_utf8(std::mem::take(&mut self.buffer)).map_err(|error| {
                let shown = String::from_utf8_lossy(error.as_bytes()).into_owned();
                (shown, "the row is not UTF-8".to_owned())
            })
        } else {
            let shown = String::from_utf8_lossy(&self.buffer[..80]).into_owned();
            Err((
                shown + "…",
                "the row is longer than an item may be".to_owned(),
            ))
        };
        Record { line, text }
    }
}

/// The fields of a record. `None` when its quotes do not match.
pub(super) fn fields(text: &str, separator: Separator) -> Option<Vec<String>> {
    if separator == Separator::Tab {
        return Some(text.split('\t').map(str::to_owned).collect());
    }
    if !text.contains('"') {
        return Some(text.split(',').map(|f| f.trim().to_owned()).collect());
    }
    let mut fields = Vec::new();
    let mut rest = text;
    loop {
        let (field, after) = if let Some(quoted) = rest.trim_start().strip_prefix('"') {
            quoted_field(quoted)?
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            (rest[..end].trim().to_owned(), &rest[end..])
        };
        fields.push(field);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None if after.is_empty() => return Some(fields),
            None => return None,
        }
    }
}

/// A quoted field behind its first quote, and what follows its last.
fn quoted_field(text: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"')?;
        field.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(next) => {
                field.push('"');
                rest = next;
            }
            None => return Some((field, rest.trim_start())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(u64, String)> {
        let mut lines = Lines::new("f", Box::new(text.as_bytes()), Some('#'));
        let mut out = Vec::new();
        while let Some(record) = lines.next(Some(Separator::Comma)).unwrap() {
            out.push((record.line, record.text.unwrap_or_else(|(_, why)| why)));
        }
        assert_eq!(lines.bytes, text.len() as u64);
        out
    }

    #[test]
    fn comments_and_empty_lines_are_passed_over_and_lines_are_counted() {
        let got = lines("\u{feff}a,b\r\n# c\n\n \nd,e\n\"x\ny\",z\nlast");
        let want = [(1, "a,b"), (5, "d,e"), (6, "\"x\ny\",z"), (8, "last")];
        assert_eq!(got, want.map(|(n, t)| (n, t.to_owned())));
    }

    #[test]
    fn a_record_longer_than_an_item_is_named_and_passed_over() {
        let text = format!("a,b\n{}\nc,d\n", "x".repeat(2 * RECORD_BYTES));
        let got: Vec<(u64, String)> = lines(&text);
        assert_eq!(
            got[1],
            (2, "the row is longer than an item may be".to_owned())
        );
        assert_eq!(got[2], (3, "c,d".to_owned()));
    }

    #[test]
    fn fields_are_split_and_unquoted() {
        for (text, want) in [
            ("a,b", Some(vec!["a", "b"])),
            ("a, b ,", Some(vec!["a", "b", ""])),
            ("\"a,\"\"x\"\"\",b", Some(vec!["a,\"x\"", "b"])),
            ("\"a\" , \"b\"", Some(vec!["a", "b"])),
            ("\"a\"x,b", None),
            ("\"a", None),
        ] {
            let want = want.map(|w| w.into_iter().map(str::to_owned).collect());
            assert_eq!(fields(text, Separator::Comma), want, "{text}");
        }
        assert_eq!(
            fields("a\"\tb c", Separator::Tab),
            Some(vec!["a\"".to_owned(), "b c".to_owned()])
        );
    }
}
