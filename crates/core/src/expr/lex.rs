//! Text to tokens. No token owns anything; an unknown character is a token too, so that the parser
//! alone decides what is an error.

use super::ast::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A letter, then letters, digits, underscores: a name or a keyword.
    Ident,
    /// `#` and at least one name character.
    Name,
    /// `:` and at least one name character.
    Value,
    /// A whole number without leading zeros.
    Digits,
    /// One of `( ) [ ] . , = < > + -`, by its byte.
    Symbol(u8),
    /// `<>`
    NotEqual,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// One character that begins no token.
    Unknown,
    /// The end of the text.
    End,
}

/// A token: its kind and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// Cuts a text into tokens. The text is no longer than `EXPRESSION_BYTES`, so offsets fit in `u32`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The next token; `End` for ever once the text is used up.
    pub(super) fn next(&mut self) -> Token {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        let start = self.at;
        let (kind, length) = match &bytes[start..] {
            [] => (Kind::End, 0),
            [b'<', b'>', ..] => (Kind::NotEqual, 2),
            [b'<', b'=', ..] => (Kind::LessEqual, 2),
            [b'>', b'=', ..] => (Kind::GreaterEqual, 2),
            [
                symbol @ (b'(' | b')' | b'[' | b']' | b'.' | b',' | b'=' | b'<' | b'>' | b'+'
                | b'-'),
                ..,
            ] => (Kind::Symbol(*symbol), 1),
            [b'#', next, ..] if is_name_byte(*next) => (Kind::Name, 1 + self.run(start + 1)),
            [b':', next, ..] if is_name_byte(*next) => (Kind::Value, 1 + self.run(start + 1)),
            [b'0', ..] => (Kind::Digits, 1),
            [first, ..] if first.is_ascii_digit() => {
                let digits = bytes[start..]
                    .iter()
                    .take_while(|b| b.is_ascii_digit())
                    .count();
                (Kind::Digits, digits)
            }
            [first, ..] if first.is_ascii_alphabetic() => (Kind::Ident, self.run(start)),
            _ => (
                Kind::Unknown,
                self.text[start..].chars().next().map_or(0, char::len_utf8),
            ),
        };
        self.at = start + length;
        Token {
            kind,
            span: Span {
                start: offset(start),
                end: offset(self.at),
            },
        }
    }

    /// How many name bytes follow from `start`.
    fn run(&self, start: usize) -> usize {
        self.text.as_bytes()[start..]
            .iter()
            .take_while(|b| is_name_byte(**b))
            .count()
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
