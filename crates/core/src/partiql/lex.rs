//! A statement's text to tokens, all of them before the first is parsed: what cannot be read at all is
//! reported ahead of every other fault, as on AWS.

use super::error::{Fault, Malformed};
use crate::expr::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or keyword without quotes.
    Word,
    /// `"identifier"`, its quotes within the span.
    Quoted,
    /// `'text'`, its quotes within the span.
    Text,
    /// An unsigned number.
    Number,
    /// `?`, counted from 0.
    Parameter(usize),
    /// An operator or a bracket; `!=` is `<>`.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// A token: its kind and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// Longer ones before those that begin them.
const SYMBOLS: [&str; 27] = [
    "<<", ">>", "<>", "!=", "<=", ">=", "||", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";",
    "=", "<", ">", "+", "-", "*", "/", "%", "@", "^",
];

/// Cuts a statement into tokens, the last of them [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut lexer = Lexer {
        text,
        at: 0,
        parameters: 0,
    };
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    loop {
        let token = lexer
            .next()
            .ok_or(Fault::Malformed(Malformed::Unreadable))?;
        tokens.push(token);
        if token.kind == Kind::End {
            return Ok(tokens);
        }
    }
}

/// What a quoted token holds: two quotes within stand for one.
pub(super) fn unquoted(token: &str) -> std::borrow::Cow<'_, str> {
    let quote = token.get(..1).unwrap_or_default();
    let inner = token
        .len()
        .checked_sub(1)
        .and_then(|end| token.get(1..end))
        .unwrap_or_default();
    let doubled = quote.repeat(2);
    if inner.contains(&doubled) {
        inner.replace(&doubled, quote).into()
    } else {
        inner.into()
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    parameters: usize,
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$')
}

fn is_word(byte: u8) -> bool {
    is_word_start(byte) || byte.is_ascii_digit()
}

impl Lexer<'_> {
    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next token; `None` where the text cannot be read.
    fn next(&mut self) -> Option<Token> {
        self.skip()?;
        let start = self.at;
        let (kind, length) = match self.rest() {
            [] => (Kind::End, 0),
            [quote @ (b'"' | b'\''), rest @ ..] => {
                let kind = if *quote == b'"' {
                    Kind::Quoted
                } else {
                    Kind::Text
                };
                (kind, 1 + quoted(rest, *quote)?)
            }
            [b'?', ..] => {
                self.parameters += 1;
                (Kind::Parameter(self.parameters - 1), 1)
            }
            rest @ ([b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..]) => (Kind::Number, number(rest)?),
            rest @ [first, ..] if is_word_start(*first) => (Kind::Word, run(rest, is_word)),
            rest => {
                let symbol = SYMBOLS.iter().find(|s| rest.starts_with(s.as_bytes()))?;
                let length = symbol.len();
                match *symbol {
                    "!=" => (Kind::Symbol("<>"), length),
                    symbol => (Kind::Symbol(symbol), length),
                }
            }
        };
        self.at += length;
        Some(Token {
            kind,
            span: Span {
                start: u32::try_from(start).ok()?,
                end: u32::try_from(self.at).ok()?,
            },
        })
    }

    /// Skips white space and comments; `None` for a comment that does not end.
    fn skip(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            self.at += match rest {
                [b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c, ..] => 1,
                [b'-', b'-', ..] => run(rest, |byte| !matches!(byte, b'\r' | b'\n')),
                [b'/', b'*', inner @ ..] => 4 + inner.windows(2).position(|pair| pair == b"*/")?,
                _ => return Some(()),
            };
        }
    }
}

fn run(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| wanted(**byte)).count()
}

/// Bytes up to and with the closing quote.
fn quoted(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(quote, bytes.get(at..)?)? + 1;
        if bytes.get(at) != Some(&quote) {
            return Some(at);
        }
        at += 1;
    }
}

/// Length of an unsigned number. Its exponent, and its scale (digits after the point less the exponent), must
/// fit 32 bits. Source: measured, `paritysuite/dynamodb-conformance`, error-messages/partiqlGrammar.
fn number(bytes: &[u8]) -> Option<usize> {
    let digit = |byte: u8| byte.is_ascii_digit();
    let mut at = run(bytes, digit);
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        fraction = run(&bytes[at + 1..], digit);
        at += 1 + fraction;
    }
    let mut exponent: i64 = 0;
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        let negative = bytes.get(at) == Some(&b'-');
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        let digits = run(&bytes[at..], digit);
        let written = std::str::from_utf8(&bytes[at..at + digits]).ok()?;
        exponent = written.parse().ok()?;
        exponent = if negative { -exponent } else { exponent };
        at += digits;
    }
    i32::try_from(exponent).ok()?;
    i32::try_from(i64::try_from(fraction).ok()? - exponent).ok()?;
    match bytes.get(at) {
        Some(next) if is_word_start(*next) => None,
        _ => Some(at),
    }
}
