//! Operands: literals, paths, calls, parentheses.

use super::{Malformed, Parser, Result, expr, malformed};
use crate::expr::Span;
use crate::partiql::ast::{Expr, ExprKind, Step};
use crate::partiql::keywords;
use crate::partiql::lex::{Kind, unquoted};

fn deepest(list: &[Expr<'_>]) -> usize {
    list.iter().map(|element| element.depth).max().unwrap_or(0)
}

impl<'a> Parser<'a> {
    /// An operand with the steps after it.
    pub(super) fn path(&mut self) -> Result<Expr<'a>> {
        let term = self.term()?;
        let (span, depth) = (term.span, term.depth);
        let mut steps = Vec::new();
        let mut deep = depth - 1;
        self.steps(&mut steps, &mut deep)?;
        if steps.is_empty() {
            return Ok(term);
        }
        match term.kind {
            ExprKind::Path(head, _) => expr(ExprKind::Path(head, steps), span, deep),
            _ => expr(ExprKind::Indexed, span, deep.max(depth)),
        }
    }

    /// A path that begins with a name: what is written, or where to.
    pub(super) fn simple_path(&mut self) -> Result<Expr<'a>> {
        let Some((head, span)) = self.identifier() else {
            return malformed(Malformed::SimplePath);
        };
        let mut steps = Vec::new();
        let mut deep = 0;
        self.steps(&mut steps, &mut deep)?;
        expr(ExprKind::Path(head, steps), span, deep)
    }

    fn steps(&mut self, steps: &mut Vec<Step<'a>>, deep: &mut usize) -> Result<()> {
        loop {
            if self.symbol(".") {
                if self.symbol("*") {
                    steps.push(Step::Unpivot);
                    continue;
                }
                let Some((name, _)) = self.identifier() else {
                    return malformed(Malformed::PathDot);
                };
                steps.push(Step::Name(name));
            } else if self.symbol("[") {
                if self.symbol("*") {
                    steps.push(Step::Wildcard);
                } else {
                    let index = self.expression()?;
                    *deep = (*deep).max(index.depth);
                    steps.push(Step::Index(index));
                }
                self.expect("]", "RIGHT_BRACKET")?;
            } else {
                return Ok(());
            }
        }
    }

    fn term(&mut self) -> Result<Expr<'a>> {
        let token = self.token();
        let span = token.span;
        match token.kind {
            Kind::Text => {
                self.at += 1;
                expr(ExprKind::Text(unquoted(self.slice(token))), span, 0)
            }
            Kind::Number => {
                self.at += 1;
                expr(ExprKind::Number(self.slice(token), false), span, 0)
            }
            Kind::Parameter(index) => {
                self.at += 1;
                expr(ExprKind::Parameter(index), span, 0)
            }
            Kind::Quoted => self.simple_name(),
            Kind::Word => self.word_term(),
            Kind::Symbol("(") => self.parenthesised(),
            Kind::Symbol("[") => {
                self.at += 1;
                let list = self.list("]", "RIGHT_BRACKET")?;
                let deepest = deepest(&list);
                expr(ExprKind::List(list), span, deepest)
            }
            Kind::Symbol("<<") => {
                self.at += 1;
                let list = self.list(">>", "RIGHT_DOUBLE_ANGLE_BRACKET")?;
                let deepest = deepest(&list);
                expr(ExprKind::Bag(list), span, deepest)
            }
            Kind::Symbol("{") => self.structure(),
            _ if self.is_operator(token) => malformed(Malformed::Operator),
            _ => malformed(Malformed::Term),
        }
    }

    fn simple_name(&mut self) -> Result<Expr<'a>> {
        match self.identifier() {
            Some((name, span)) => expr(ExprKind::Path(name, Vec::new()), span, 0),
            None => malformed(Malformed::Term),
        }
    }

    /// A keyword that is a value or begins something, a function, or a name.
    fn word_term(&mut self) -> Result<Expr<'a>> {
        let token = self.token();
        let (word, span) = (self.slice(token), token.span);
        let called = matches!(self.peek(1).kind, Kind::Symbol("("));
        if called && (!keywords::is_keyword(word) || keywords::is_function(word)) {
            self.at += 2;
            return self.call(word, span);
        }
        let literal = match word.to_ascii_lowercase().as_str() {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "null" => ExprKind::Null,
            "missing" => ExprKind::Missing,
            "select" => {
                self.at += 1;
                let select = self.select()?;
                return expr(ExprKind::Select(Box::new(select)), span, 0);
            }
            // Where FROM begins a term, a data manipulation begins.
            "from" => {
                self.update_from_first()?;
                return malformed(Malformed::Keyword);
            }
            _ if self.is_operator(token) => return malformed(Malformed::Operator),
            _ if keywords::is_keyword(word) => return malformed(Malformed::Keyword),
            _ => return self.simple_name(),
        };
        self.at += 1;
        expr(literal, span, 0)
    }

    /// A call, its opening parenthesis taken.
    fn call(&mut self, name: &'a str, span: Span) -> Result<Expr<'a>> {
        // COUNT(*): a call of nothing, which is refused later.
        let list = if self.is_symbol("*") {
            self.at += 1;
            self.expect(")", "RIGHT_PAREN")?;
            Vec::new()
        } else {
            self.list(")", "RIGHT_PAREN")?
        };
        let deepest = deepest(&list);
        expr(ExprKind::Call(name, list), span, deepest)
    }

    /// One expression in parentheses is itself; several are a list.
    fn parenthesised(&mut self) -> Result<Expr<'a>> {
        let span = self.advance().span;
        let first = self.expression()?;
        if self.symbol(")") {
            return Ok(first);
        }
        if !self.is_symbol(",") {
            return malformed(Malformed::Token("RIGHT_PAREN"));
        }
        let mut list = vec![first];
        while self.symbol(",") {
            list.push(self.expression()?);
        }
        self.expect(")", "RIGHT_PAREN")?;
        let deepest = deepest(&list);
        expr(ExprKind::List(list), span, deepest)
    }

    /// Expressions up to a closing symbol.
    fn list(&mut self, end: &str, name: &'static str) -> Result<Vec<Expr<'a>>> {
        let mut list = Vec::new();
        if self.symbol(end) {
            return Ok(list);
        }
        loop {
            list.push(self.expression()?);
            if !self.symbol(",") {
                self.expect(end, name)?;
                return Ok(list);
            }
        }
    }

    fn structure(&mut self) -> Result<Expr<'a>> {
        let span = self.advance().span;
        let mut members = Vec::new();
        let mut deepest = 0;
        if !self.symbol("}") {
            loop {
                let key = self.expression()?;
                self.expect(":", "COLON")?;
                let value = self.expression()?;
                deepest = deepest.max(key.depth).max(value.depth);
                members.push((key, value));
                if !self.symbol(",") {
                    self.expect("}", "RIGHT_CURLY")?;
                    break;
                }
            }
        }
        expr(ExprKind::Struct(members), span, deepest)
    }
}
