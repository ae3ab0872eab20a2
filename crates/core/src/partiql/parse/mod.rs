//! Tokens to a statement as written.
//!
//! A hand-written parser that climbs precedences. Every token is looked at a bounded number of times; levels of
//! expressions are counted, so that neither parsing nor anything that walks the tree later runs deeper than
//! [`LEVELS`]. Which fault is reported for which token follows PartiQL's reference parser, which DynamoDB uses.

mod expression;
mod statement;
mod value;

pub(super) use statement::statement;

use super::ast::{Expr, ExprKind};
use super::error::{Fault, Malformed};
use super::keywords;
use super::lex::{Kind, Token, unquoted};
use crate::expr::Span;
use std::borrow::Cow;

/// Most levels of an expression. Not a limit of DynamoDB, which allows [`NESTING_LEVELS`] in a value: deeper ones
/// hold parentheses, NOTs or sums only.
///
/// [`NESTING_LEVELS`]: crate::limits::NESTING_LEVELS
const LEVELS: usize = 40;

type Result<T> = std::result::Result<T, Fault>;

fn malformed<T>(what: Malformed) -> Result<T> {
    Err(Fault::Malformed(what))
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// Calls inside each other: see [`Parser::deeper`].
    level: usize,
    /// An alias was given: reported once the rest has been read.
    alias: bool,
}

impl<'a> Parser<'a> {
    fn token(&self) -> Token {
        self.peek(0)
    }

    /// The token so many further on; `End` beyond the last.
    fn peek(&self, further: usize) -> Token {
        let token = self.tokens.get(self.at + further).or(self.tokens.last());
        token.copied().unwrap_or(Token {
            kind: Kind::End,
            span: Span::default(),
        })
    }

    fn advance(&mut self) -> Token {
        let token = self.token();
        self.at += 1;
        token
    }

    /// Called where an expression, a sign, a SELECT or a data manipulation begins, any of which may hold another;
    /// who comes out of it counts down again.
    fn deeper(&mut self) -> Result<()> {
        self.level += 1;
        if self.level > LEVELS {
            return malformed(Malformed::Unreadable);
        }
        Ok(())
    }

    fn slice(&self, token: Token) -> &'a str {
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        self.text.get(start..end).unwrap_or_default()
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.token().kind, Kind::Symbol(own) if own == symbol)
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str, name: &'static str) -> Result<()> {
        if self.symbol(symbol) {
            return Ok(());
        }
        malformed(Malformed::Token(name))
    }

    fn is_word_at(&self, further: usize, word: &str) -> bool {
        let token = self.peek(further);
        token.kind == Kind::Word && self.slice(token).eq_ignore_ascii_case(word)
    }

    fn is_word(&self, word: &str) -> bool {
        self.is_word_at(0, word)
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    /// Takes these words, if they all follow.
    fn words(&mut self, words: &[&str]) -> bool {
        let found = words
            .iter()
            .enumerate()
            .all(|(further, word)| self.is_word_at(further, word));
        self.at += if found { words.len() } else { 0 };
        found
    }

    /// The identifier that the token is: unquoted ones are no keywords.
    fn is_identifier(&self) -> bool {
        let token = self.token();
        match token.kind {
            Kind::Quoted => true,
            Kind::Word => !keywords::is_keyword(self.slice(token)),
            _ => false,
        }
    }

    fn identifier(&mut self) -> Option<(Cow<'a, str>, Span)> {
        if !self.is_identifier() {
            return None;
        }
        let token = self.advance();
        let text = self.slice(token);
        let name = match token.kind {
            Kind::Quoted => unquoted(text),
            _ => text.into(),
        };
        Some((name, token.span))
    }
}

/// An expression one level above its parts.
fn expr(kind: ExprKind<'_>, span: Span, deepest: usize) -> Result<Expr<'_>> {
    let depth = deepest + 1;
    if depth > LEVELS {
        return malformed(Malformed::Unreadable);
    }
    Ok(Expr { kind, span, depth })
}
