//! Operators, by climbing their precedences.

use super::{Malformed, Parser, Result, expr, malformed};
use crate::partiql::ast::{Expr, ExprKind};
use crate::partiql::keywords;
use crate::partiql::lex::{Kind, Token};

/// What stands between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Is,
    In(bool),
    Between(bool),
    Like(bool),
    Symbol(&'static str),
}

const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const EQUALITY: u8 = 4;
const COMPARISON: u8 = 5;
const ADDITION: u8 = 6;
const PRODUCT: u8 = 7;

impl Operator {
    fn precedence(self) -> u8 {
        match self {
            Self::Or => OR,
            Self::And => AND,
            Self::Is | Self::In(_) | Self::Symbol("=" | "<>") => EQUALITY,
            Self::Between(_) | Self::Like(_) | Self::Symbol("<" | "<=" | ">" | ">=") => COMPARISON,
            Self::Symbol("+" | "-" | "||") => ADDITION,
            Self::Symbol(_) => PRODUCT,
        }
    }
}

impl<'a> Parser<'a> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Expr<'a>> {
        self.climb(0)
    }

    /// An expression of operators that bind closer than `above`.
    fn climb(&mut self, above: u8) -> Result<Expr<'a>> {
        self.deeper()?;
        let mut left = self.unary()?;
        while let Some((operator, tokens)) = self.operator() {
            if operator.precedence() <= above {
                break;
            }
            self.at += tokens;
            left = self.infix(left, operator)?;
        }
        self.level -= 1;
        Ok(left)
    }

    /// The operator that follows, and how many tokens it takes.
    fn operator(&self) -> Option<(Operator, usize)> {
        let token = self.token();
        match token.kind {
            Kind::Symbol(
                symbol
                @ ("=" | "<>" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%" | "||"),
            ) => Some((Operator::Symbol(symbol), 1)),
            Kind::Word => {
                let negated = self.is_word("not");
                let further = usize::from(negated);
                let of_two = [
                    ("in", Operator::In(negated)),
                    ("between", Operator::Between(negated)),
                    ("like", Operator::Like(negated)),
                ];
                let found = of_two
                    .iter()
                    .find(|(word, _)| self.is_word_at(further, word));
                if let Some((_, operator)) = found {
                    return Some((*operator, further + 1));
                }
                let plain = [
                    ("and", Operator::And),
                    ("or", Operator::Or),
                    ("is", Operator::Is),
                ];
                let found = plain.iter().find(|(word, _)| self.is_word(word));
                found.map(|(_, operator)| (*operator, 1))
            }
            _ => None,
        }
    }

    fn infix(&mut self, left: Expr<'a>, operator: Operator) -> Result<Expr<'a>> {
        if operator == Operator::Is {
            return self.is_type(left);
        }
        if self.token().kind == Kind::End {
            return malformed(Malformed::RightOperand);
        }
        if let Operator::Between(negated) = operator {
            let low = self.climb(COMPARISON)?;
            if !self.word("and") {
                return malformed(Malformed::Token("AND"));
            }
            let high = self.climb(COMPARISON)?;
            let (span, deepest) = (left.span, left.depth.max(low.depth).max(high.depth));
            let parts = Box::new([left, low, high]);
            return expr(ExprKind::Between(parts, negated), span, deepest);
        }
        let right = self.climb(operator.precedence())?;
        let (span, deepest) = (left.span, left.depth.max(right.depth));
        let kind = match operator {
            // A chain is one list, so that its length costs no depth.
            Operator::And => match left {
                Expr {
                    kind: ExprKind::And(mut nodes),
                    depth,
                    ..
                } => {
                    let depth = depth.max(right.depth + 1);
                    nodes.push(right);
                    return expr(ExprKind::And(nodes), span, depth - 1);
                }
                left => ExprKind::And(vec![left, right]),
            },
            Operator::Or => match left {
                Expr {
                    kind: ExprKind::Or(mut nodes),
                    depth,
                    ..
                } => {
                    let depth = depth.max(right.depth + 1);
                    nodes.push(right);
                    return expr(ExprKind::Or(nodes), span, depth - 1);
                }
                left => ExprKind::Or(vec![left, right]),
            },
            Operator::In(negated) => ExprKind::In(Box::new([left, right]), negated),
            Operator::Like(_) => ExprKind::Infix("LIKE", Box::new([left, right])),
            Operator::Symbol(symbol) => ExprKind::Infix(symbol, Box::new([left, right])),
            Operator::Is | Operator::Between(_) => return malformed(Malformed::Operator),
        };
        expr(kind, span, deepest)
    }

    /// `IS [NOT] type`, its IS taken.
    fn is_type(&mut self, left: Expr<'a>) -> Result<Expr<'a>> {
        let negated = self.word("not");
        let token = self.token();
        let name = self.slice(token);
        if token.kind != Kind::Word {
            return malformed(Malformed::TypeName);
        }
        if !(self.words(&["double", "precision"]) || self.words(&["character", "varying"])) {
            if !keywords::is_type(name) {
                return malformed(Malformed::TypeName);
            }
            self.at += 1;
        }
        let (span, deepest) = (left.span, left.depth);
        expr(ExprKind::Is(Box::new(left), name, negated), span, deepest)
    }

    /// An operand with the signs and NOTs before it.
    fn unary(&mut self) -> Result<Expr<'a>> {
        let token = self.token();
        if self.word("not") {
            let node = self.climb(NOT)?;
            let deepest = node.depth;
            return expr(ExprKind::Not(Box::new(node)), token.span, deepest);
        }
        let Kind::Symbol(sign @ ("-" | "+")) = token.kind else {
            return self.path();
        };
        self.at += 1;
        self.deeper()?;
        let operand = self.unary()?;
        self.level -= 1;
        // A sign on a number is part of the number.
        if let ExprKind::Number(text, negative) = operand.kind {
            return Ok(Expr {
                kind: ExprKind::Number(text, negative != (sign == "-")),
                ..operand
            });
        }
        let deepest = operand.depth;
        expr(ExprKind::Sign(sign), token.span, deepest)
    }

    /// Whether a word stands between operands, so that it cannot begin one.
    pub(super) fn is_operator(&self, token: Token) -> bool {
        match token.kind {
            Kind::Word => keywords::is_operator(self.slice(token)),
            Kind::Symbol(symbol) => matches!(
                symbol,
                "=" | "<>" | "<" | "<=" | ">" | ">=" | "/" | "%" | "||" | "@" | "^"
            ),
            _ => false,
        }
    }
}
