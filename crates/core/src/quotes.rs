//! Quotes of comma-separated values (RFC 4180), told as bytes come: whether a line end is one of a record or of a
//! field, and where a quote was opened that is never closed.

/// What the last byte was part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A field has not begun.
    Start,
    /// A field without quotes, in which a quote is a letter as others.
    Plain,
    /// Between quotes.
    Quoted,
    /// Behind a quote between quotes: it ends the field, unless another follows.
    Closed,
}

/// Follows the quotes of a text.
#[derive(Debug, Clone)]
pub struct Quotes {
    separator: u8,
    /// Whether blanks may stand before a field's quote.
    blanks: bool,
    place: Place,
    line: u64,
    opened: u64,
}

impl Quotes {
    /// Begins at a record's start, in line `line`.
    #[must_use]
    pub fn new(separator: u8, line: u64) -> Self {
        Self {
            separator,
            blanks: false,
            place: Place::Start,
            line,
            opened: line,
        }
    }

    /// Passes over blanks before a field's quote.
    #[must_use]
    pub fn with_blanks(mut self) -> Self {
        self.blanks = true;
        self
    }

    /// Follows some more bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.place = match (self.place, byte) {
                (Place::Quoted, b'"') => Place::Closed,
                (Place::Quoted, _) | (Place::Closed, b'"') => Place::Quoted,
                (Place::Start, b'"') => {
                    self.opened = self.line;
                    Place::Quoted
                }
                (_, b'\n' | b'\r') => Place::Start,
                (_, byte) if *byte == self.separator => Place::Start,
                (Place::Start, b' ' | b'\t') if self.blanks => Place::Start,
                _ => Place::Plain,
            };
            self.line += u64::from(*byte == b'\n');
        }
    }

    /// The line in which the quote was opened that is not closed yet; `None` outside of quotes.
    #[must_use]
    pub fn open(&self) -> Option<u64> {
        (self.place == Place::Quoted).then_some(self.opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_opens_at_a_fields_start_alone_and_two_are_one_letter() {
        for (text, blanks, open) in [
            ("a,b\n", false, None),
            ("a,\"b\nc\",d\n", false, None),
            ("a\n\"b\nc", false, Some(2)),
            ("\"a\"\"", false, Some(1)),
            ("\"a\"\"\"\n\n,\"", false, Some(3)),
            ("5\" pipe\n", false, None),
            (" \"a", false, None),
            (" \"a", true, Some(1)),
            ("\"a\"b\"\n", false, None),
        ] {
            let mut quotes = Quotes::new(b',', 1);
            if blanks {
                quotes = quotes.with_blanks();
            }
            // Byte by byte, as it may come.
            text.as_bytes().chunks(1).for_each(|byte| quotes.add(byte));
            assert_eq!(quotes.open(), open, "{text:?}");
        }
    }
}
