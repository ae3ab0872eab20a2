//! Tokens to trees.
//!
//! Nothing here recurses: open parentheses, calls and lists are levels on a stack of the heap, so the
//! deepest text that fits in an expression costs memory and not the thread's stack. Every token is
//! looked at a bounded number of times, so time is linear in the text.

mod levels;
mod update;

pub(super) use update::update;

use super::ast::{Node, Path, Segment, Span};
use super::error::Fault;
use super::lex::{Kind, Lexer, Token};
use crate::limits::{EXPRESSION_BYTES, EXPRESSION_OPERATORS, LIST_INDEX};

/// Parses a condition, filter or key condition.
pub(super) fn condition(text: &str) -> Result<Node<'_>, Fault> {
    let mut parser = Parser::new(text)?;
    let node = levels::condition(&mut parser)?;
    parser.finish()?;
    Ok(node)
}

/// Parses a projection.
pub(super) fn projection(text: &str) -> Result<Vec<Path<'_>>, Fault> {
    let mut parser = Parser::new(text)?;
    let mut paths = vec![parser.path()?];
    while parser.accept(Kind::Symbol(b',')) {
        paths.push(parser.path()?);
    }
    parser.finish()?;
    Ok(paths)
}

/// Words that are never attribute names. One lexer serves all of DynamoDB's grammars, so each is a
/// keyword in every kind of expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keyword {
    And,
    Or,
    Not,
    In,
    Between,
    Set,
    Remove,
    Add,
    Delete,
}

const KEYWORDS: [(&str, Keyword); 9] = [
    ("and", Keyword::And),
    ("or", Keyword::Or),
    ("not", Keyword::Not),
    ("in", Keyword::In),
    ("between", Keyword::Between),
    ("set", Keyword::Set),
    ("remove", Keyword::Remove),
    ("add", Keyword::Add),
    ("delete", Keyword::Delete),
];

/// A place in a text, with one token in hand.
struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
    before: Option<Span>,
    operators: usize,
    redundant_parentheses: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, Fault> {
        if text.len() > EXPRESSION_BYTES {
            return Err(Fault::TooLong { bytes: text.len() });
        }
        let mut lexer = Lexer::new(text);
        let token = lexer.next();
        if token.kind == Kind::End {
            return Err(Fault::Empty);
        }
        Ok(Self {
            lexer,
            token,
            before: None,
            operators: 0,
            redundant_parentheses: false,
        })
    }

    fn finish(self) -> Result<(), Fault> {
        if self.token.kind != Kind::End {
            return Err(self.syntax());
        }
        if self.redundant_parentheses {
            return Err(Fault::RedundantParentheses);
        }
        Ok(())
    }

    fn advance(&mut self) -> Token {
        let token = self.token;
        self.before = Some(token.span);
        self.token = self.lexer.next();
        token
    }

    fn accept(&mut self, kind: Kind) -> bool {
        let found = self.token.kind == kind;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, kind: Kind) -> Result<Token, Fault> {
        if self.token.kind == kind {
            Ok(self.advance())
        } else {
            Err(self.syntax())
        }
    }

    fn text(&self, token: Token) -> &'a str {
        self.lexer.slice(token.span)
    }

    fn keyword(&self) -> Option<Keyword> {
        if self.token.kind != Kind::Ident {
            return None;
        }
        let text = self.text(self.token);
        KEYWORDS
            .iter()
            .find(|(word, _)| text.eq_ignore_ascii_case(word))
            .map(|(_, keyword)| *keyword)
    }

    /// The token after the one in hand.
    fn peek(&self) -> Token {
        let mut ahead = self.lexer;
        ahead.next()
    }

    /// "This token cannot stand here." AWS shows it between its neighbours, as written.
    fn syntax(&self) -> Fault {
        let after = self.peek();
        let end = if after.kind == Kind::End {
            self.token.span.end
        } else {
            after.span.end
        };
        let (start, end, token) = match (self.token.kind, self.before) {
            (Kind::End, Some(before)) => (before.start, before.end, "<EOF>"),
            (Kind::End, None) => (self.token.span.start, end, "<EOF>"),
            (_, before) => {
                let start = before.map_or(self.token.span.start, |b| b.start);
                (start, end, self.text(self.token))
            }
        };
        Fault::Syntax {
            position: self.token.span.start as usize,
            token: token.to_owned(),
            near: self.lexer.slice(Span { start, end }).to_owned(),
        }
    }

    fn count_operator(&mut self) -> Result<(), Fault> {
        self.operators += 1;
        if self.operators > EXPRESSION_OPERATORS {
            return Err(Fault::TooManyOperators {
                count: self.operators,
            });
        }
        Ok(())
    }

    /// `a.b[3].#c`
    fn path(&mut self) -> Result<Path<'a>, Fault> {
        let start = self.token.span.start;
        let head = self.name()?;
        let mut path = Path {
            head,
            tail: Vec::new(),
            span: Span::default(),
        };
        self.extend(&mut path)?;
        path.span = Span {
            start,
            end: self.before.map_or(start, |b| b.end),
        };
        Ok(path)
    }

    /// The steps that follow a path.
    fn extend(&mut self, path: &mut Path<'a>) -> Result<(), Fault> {
        loop {
            if self.accept(Kind::Symbol(b'.')) {
                path.tail.push(self.name()?);
            } else if self.accept(Kind::Symbol(b'[')) {
                let digits = self.expect(Kind::Digits)?;
                let text = self.text(digits);
                let index = text.parse().ok().filter(|i| *i <= LIST_INDEX);
                self.expect(Kind::Symbol(b']'))?;
                let index = index.ok_or_else(|| Fault::IndexOutOfRange {
                    index: text.to_owned(),
                })?;
                path.tail.push(Segment::Index(index));
            } else {
                return Ok(());
            }
        }
    }

    fn name(&mut self) -> Result<Segment<'a>, Fault> {
        match self.token.kind {
            Kind::Name => {
                let token = self.advance();
                Ok(Segment::Placeholder(self.text(token)))
            }
            Kind::Ident if self.keyword().is_none() => {
                let token = self.advance();
                Ok(Segment::Name(self.text(token).into()))
            }
            _ => Err(self.syntax()),
        }
    }
}
