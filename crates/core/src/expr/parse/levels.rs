//! Conditions and the right-hand sides of SET, by levels.
//!
//! A level is what stands between an opening and its closing: the whole expression, a pair of
//! parentheses, a call's operands, an IN list. A level holds what has been read of it: finished
//! branches of OR and AND, NOTs waiting for their condition, and an operator waiting for its next
//! operand. So `(a)`, `(a) = b` and `(a = b)` need no second try: the parenthesis decides what it
//! was when it closes.

use super::{Keyword, Parser};
use crate::expr::ast::{
    Arithmetic, ArithmeticOp, Comparator, Function, FunctionName, Node, Operand, Span, ValueLeaf,
};
use crate::expr::error::Fault;
use crate::expr::lex::Kind;
use crate::limits::EXPRESSION_CALLS;

/// Parses a whole condition.
pub(super) fn condition<'a>(parser: &mut Parser<'a>) -> Result<Node<'a>, Fault> {
    match Levels::new(parser, Grammar::Condition).run()? {
        Item::Condition(node) => Ok(node),
        Item::Operand(_) | Item::Sum(_) => Err(parser.syntax()),
    }
}

/// Parses the right-hand side of an assignment, up to the token that cannot belong to it.
pub(super) fn set_value<'a>(parser: &mut Parser<'a>) -> Result<Operand<'a>, Fault> {
    match Levels::new(parser, Grammar::SetValue).run()? {
        Item::Operand(operand) | Item::Sum(operand) => Ok(operand),
        Item::Condition(_) => Err(parser.syntax()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grammar {
    Condition,
    SetValue,
}

/// A finished piece. A sum is an operand that no operator takes.
enum Item<'a> {
    Operand(Operand<'a>),
    Condition(Node<'a>),
    Sum(Operand<'a>),
}

/// What opened a level.
enum Opening<'a> {
    Whole,
    Parenthesis,
    Call(Function<'a>),
    In(Operand<'a>, Vec<Operand<'a>>),
}

/// An operator that waits for its next operand.
enum Pending<'a> {
    Compare(Comparator, Operand<'a>),
    BetweenLow(Operand<'a>),
    BetweenHigh(Operand<'a>, Operand<'a>),
    Sum(ArithmeticOp, Operand<'a>),
}

struct Level<'a> {
    opening: Opening<'a>,
    /// Nothing but operands may stand here: no operator, no condition.
    operands_only: bool,
    or: Vec<Node<'a>>,
    and: Vec<Node<'a>>,
    nots: usize,
    pending: Option<Pending<'a>>,
}

impl<'a> Level<'a> {
    fn new(opening: Opening<'a>, operands_only: bool) -> Self {
        Self {
            opening,
            operands_only,
            or: Vec::new(),
            and: Vec::new(),
            nots: 0,
            pending: None,
        }
    }
    /// Whether an item that ends this level would be all of it.
    fn is_bare(&self) -> bool {
        self.or.is_empty() && self.and.is_empty() && self.nots == 0 && self.pending.is_none()
    }
}

/// What to do after an item.
enum Next<'a> {
    /// Read another operand.
    Operand,
    /// The item grew or a level closed; `true` if it now stands in parentheses.
    Item(Item<'a>, bool),
    /// The whole is finished.
    Done(Item<'a>),
}

struct Levels<'p, 'a> {
    parser: &'p mut Parser<'a>,
    grammar: Grammar,
    level: Level<'a>,
    outer: Vec<Level<'a>>,
    /// How many of the open levels are calls.
    calls: usize,
}

impl<'p, 'a> Levels<'p, 'a> {
    fn new(parser: &'p mut Parser<'a>, grammar: Grammar) -> Self {
        Self {
            parser,
            grammar,
            level: Level::new(Opening::Whole, false),
            outer: Vec::new(),
            calls: 0,
        }
    }

    fn run(mut self) -> Result<Item<'a>, Fault> {
        loop {
            let Some(operand) = self.operand()? else {
                continue;
            };
            let mut item = Item::Operand(operand);
            let mut parenthesised = false;
            loop {
                match self.after(item, parenthesised)? {
                    Next::Operand => break,
                    Next::Item(next, closed) => (item, parenthesised) = (next, closed),
                    Next::Done(item) => return Ok(item),
                }
            }
        }
    }

    /// Reads an operand, or opens a level (then there is none yet).
    fn operand(&mut self) -> Result<Option<Operand<'a>>, Fault> {
        let token = self.parser.token;
        let operands_only = self.level.operands_only || self.level.pending.is_some();
        match token.kind {
            Kind::Symbol(b'(') => {
                self.parser.advance();
                self.open(Opening::Parenthesis, operands_only);
                Ok(None)
            }
            Kind::Value => {
                self.parser.advance();
                let leaf = ValueLeaf::Placeholder(self.parser.text(token), token.span);
                Ok(Some(Operand::Value(leaf)))
            }
            Kind::Ident if self.parser.keyword() == Some(Keyword::Not) && !operands_only => {
                self.parser.advance();
                self.parser.count_operator()?;
                self.level.nots += 1;
                Ok(None)
            }
            Kind::Ident
                if self.parser.keyword().is_none()
                    && self.parser.peek().kind == Kind::Symbol(b'(') =>
            {
                self.parser.advance();
                self.parser.advance();
                let name = FunctionName::of(self.parser.text(token));
                self.calls += 1;
                if self.calls > EXPRESSION_CALLS {
                    return Err(too_many_calls(name));
                }
                let call = Function {
                    name,
                    args: Vec::new(),
                    span: token.span,
                };
                self.open(Opening::Call(call), true);
                Ok(None)
            }
            _ => self.parser.path().map(|path| Some(Operand::Path(path))),
        }
    }

    fn open(&mut self, opening: Opening<'a>, operands_only: bool) {
        let level = Level::new(opening, operands_only);
        self.outer.push(std::mem::replace(&mut self.level, level));
    }

    fn after(&mut self, item: Item<'a>, parenthesised: bool) -> Result<Next<'a>, Fault> {
        let kind = self.parser.token.kind;
        match kind {
            Kind::Symbol(b'.' | b'[') => self.extend(item, parenthesised),
            Kind::Symbol(b'=' | b'<' | b'>')
            | Kind::NotEqual
            | Kind::LessEqual
            | Kind::GreaterEqual
                if self.grammar == Grammar::Condition =>
            {
                let left = self.left_operand(item)?;
                self.parser.advance();
                self.level.pending = Some(Pending::Compare(comparator(kind), left));
                Ok(Next::Operand)
            }
            Kind::Symbol(sign @ (b'+' | b'-')) if self.grammar == Grammar::SetValue => {
                let left = self.left_operand(item)?;
                self.parser.advance();
                let op = if sign == b'+' {
                    ArithmeticOp::Add
                } else {
                    ArithmeticOp::Subtract
                };
                self.level.pending = Some(Pending::Sum(op, left));
                Ok(Next::Operand)
            }
            Kind::Symbol(b',') if !matches!(self.level.opening, Opening::Whole) => self.comma(item),
            Kind::Symbol(b')') if !matches!(self.level.opening, Opening::Whole) => {
                self.close(item, parenthesised)
            }
            Kind::Ident if self.grammar == Grammar::Condition => self.word(item),
            _ if matches!(self.level.opening, Opening::Whole) => {
                self.complete(item).map(Next::Done)
            }
            _ => Err(self.parser.syntax()),
        }
    }

    /// `(path).more`, which conditions allow and assignments do not. Source: dynalite's measured tests.
    fn extend(&mut self, item: Item<'a>, parenthesised: bool) -> Result<Next<'a>, Fault> {
        match item {
            Item::Operand(Operand::Path(mut path))
                if parenthesised && self.grammar == Grammar::Condition =>
            {
                self.parser.extend(&mut path)?;
                path.span.end = self.parser.before.map_or(path.span.end, |b| b.end);
                Ok(Next::Item(Item::Operand(Operand::Path(path)), false))
            }
            _ => Err(self.parser.syntax()),
        }
    }

    /// AND, OR, BETWEEN, IN.
    fn word(&mut self, item: Item<'a>) -> Result<Next<'a>, Fault> {
        match self.parser.keyword() {
            Some(Keyword::Between) => {
                let operand = self.left_operand(item)?;
                self.parser.advance();
                self.level.pending = Some(Pending::BetweenLow(operand));
            }
            Some(Keyword::In) => {
                let operand = self.left_operand(item)?;
                self.parser.advance();
                self.parser.expect(Kind::Symbol(b'('))?;
                self.open(Opening::In(operand, Vec::new()), true);
            }
            Some(Keyword::And) if !self.level.operands_only => {
                if let Some(Pending::BetweenLow(_)) = self.level.pending {
                    let low = self.plain_operand(item)?;
                    let Some(Pending::BetweenLow(operand)) = self.level.pending.take() else {
                        return Err(self.parser.syntax());
                    };
                    self.level.pending = Some(Pending::BetweenHigh(operand, low));
                } else {
                    let node = self.condition(item)?;
                    self.parser.count_operator()?;
                    self.level.and.push(node);
                }
                self.parser.advance();
            }
            Some(Keyword::Or) if !self.level.operands_only => {
                let node = self.condition(item)?;
                self.parser.count_operator()?;
                let node = join(&mut self.level.and, node, Node::And);
                self.level.or.push(node);
                self.parser.advance();
            }
            _ => return Err(self.parser.syntax()),
        }
        Ok(Next::Operand)
    }

    /// The item as the left operand of the operator in hand, which is counted.
    fn left_operand(&mut self, item: Item<'a>) -> Result<Operand<'a>, Fault> {
        if self.level.operands_only || self.level.pending.is_some() {
            return Err(self.parser.syntax());
        }
        let operand = self.plain_operand(item)?;
        self.parser.count_operator()?;
        Ok(operand)
    }

    fn plain_operand(&self, item: Item<'a>) -> Result<Operand<'a>, Fault> {
        match item {
            Item::Operand(operand) => Ok(operand),
            Item::Condition(_) | Item::Sum(_) => Err(self.parser.syntax()),
        }
    }

    /// The item with the operator and the NOTs that wait for it, as a condition.
    fn condition(&mut self, item: Item<'a>) -> Result<Node<'a>, Fault> {
        let node = match self.level.pending.take() {
            None => match item {
                Item::Condition(node) => node,
                Item::Operand(Operand::Function(function)) => Node::Function(function),
                Item::Operand(_) | Item::Sum(_) => return Err(self.parser.syntax()),
            },
            Some(Pending::Compare(op, left)) => Node::Compare {
                op,
                left,
                right: self.plain_operand(item)?,
            },
            Some(Pending::BetweenHigh(operand, low)) => Node::Between {
                operand,
                low,
                high: self.plain_operand(item)?,
            },
            Some(Pending::BetweenLow(_) | Pending::Sum(..)) => return Err(self.parser.syntax()),
        };
        let nots = std::mem::take(&mut self.level.nots);
        Ok((0..nots).fold(node, |node, _| node.negated()))
    }

    /// The item as all of its level.
    fn complete(&mut self, item: Item<'a>) -> Result<Item<'a>, Fault> {
        if let Some(Pending::Sum(..)) = self.level.pending {
            let right = self.plain_operand(item)?;
            let Some(Pending::Sum(op, left)) = self.level.pending.take() else {
                return Err(self.parser.syntax());
            };
            return Ok(Item::Sum(Operand::Arithmetic(Box::new(Arithmetic {
                op,
                left,
                right,
            }))));
        }
        let whole = matches!(self.level.opening, Opening::Whole);
        if self.level.is_bare() && !(whole && self.grammar == Grammar::Condition) {
            return Ok(item);
        }
        let node = self.condition(item)?;
        let node = join(&mut self.level.and, node, Node::And);
        Ok(Item::Condition(join(&mut self.level.or, node, Node::Or)))
    }

    fn comma(&mut self, item: Item<'a>) -> Result<Next<'a>, Fault> {
        let operand = self.plain_operand(item)?;
        match &mut self.level.opening {
            Opening::Call(function) => function.args.push(operand),
            Opening::In(_, list) => list.push(operand),
            Opening::Whole | Opening::Parenthesis => return Err(self.parser.syntax()),
        }
        self.parser.advance();
        Ok(Next::Operand)
    }

    fn close(&mut self, item: Item<'a>, parenthesised: bool) -> Result<Next<'a>, Fault> {
        if let Opening::Parenthesis = self.level.opening {
            self.parser.redundant_parentheses |= parenthesised && self.level.is_bare();
            let item = self.complete(item)?;
            self.parser.advance();
            self.reopen_outer()?;
            return Ok(Next::Item(item, true));
        }
        let operand = self.plain_operand(item)?;
        let end = self.parser.advance().span.end;
        let item = match self.reopen_outer()?.opening {
            Opening::Call(mut function) => {
                self.calls -= 1;
                function.args.push(operand);
                function.span = Span {
                    start: function.span.start,
                    end,
                };
                Item::Operand(Operand::Function(function))
            }
            Opening::In(operand_tested, mut list) => {
                list.push(operand);
                // IN is the operator that waited; NOTs before it are still on the outer level.
                Item::Condition(Node::In {
                    operand: operand_tested,
                    list,
                })
            }
            Opening::Whole | Opening::Parenthesis => return Err(self.parser.syntax()),
        };
        Ok(Next::Item(item, false))
    }

    /// Goes back to the level around this one; returns this one.
    fn reopen_outer(&mut self) -> Result<Level<'a>, Fault> {
        let outer = self.outer.pop().ok_or_else(|| self.parser.syntax())?;
        Ok(std::mem::replace(&mut self.level, outer))
    }
}

/// The node after its `earlier` siblings, as one.
fn join<'a>(
    earlier: &mut Vec<Node<'a>>,
    node: Node<'a>,
    all: fn(Vec<Node<'a>>) -> Node<'a>,
) -> Node<'a> {
    if earlier.is_empty() {
        return node;
    }
    let mut nodes = std::mem::take(earlier);
    nodes.push(node);
    all(nodes)
}

/// What is wrong with calls as deep as these: only `size` and `if_not_exists` may hold a call at all, `size`
/// no other `size`, and of `if_not_exists` there is no room for so many.
fn too_many_calls(name: FunctionName<'_>) -> Fault {
    match name {
        FunctionName::Unknown(function) => Fault::UnknownFunction {
            function: function.to_owned(),
        },
        FunctionName::Size => Fault::OperandType {
            operator: "size",
            operand_type: "N",
        },
        _ => Fault::MisusedFunction {
            function: name.text().to_owned(),
        },
    }
}

fn comparator(kind: Kind) -> Comparator {
    match kind {
        Kind::NotEqual => Comparator::Ne,
        Kind::LessEqual => Comparator::Le,
        Kind::GreaterEqual => Comparator::Ge,
        Kind::Symbol(b'<') => Comparator::Lt,
        Kind::Symbol(b'>') => Comparator::Gt,
        _ => Comparator::Eq,
    }
}
