//! A statement as written, before its parameters and its table are known.

use crate::expr::Span;
use std::borrow::Cow;

/// An expression of any place: which ones may stand where is decided when the statement is bound.
#[derive(Debug)]
pub(super) struct Expr<'a> {
    pub(super) kind: ExprKind<'a>,
    /// The token that AWS points at in its messages: the first one.
    pub(super) span: Span,
    /// Levels of expressions, itself included.
    pub(super) depth: usize,
}

#[derive(Debug)]
pub(super) enum ExprKind<'a> {
    Text(Cow<'a, str>),
    /// An unsigned number as written, and whether minus signs stand before it.
    Number(&'a str, bool),
    Bool(bool),
    Null,
    Missing,
    Parameter(usize),
    Path(Cow<'a, str>, Vec<Step<'a>>),
    /// Steps on something that is no name.
    Indexed,
    Call(&'a str, Vec<Expr<'a>>),
    And(Vec<Expr<'a>>),
    Or(Vec<Expr<'a>>),
    Not(Box<Expr<'a>>),
    /// `-` or `+` before what is no number.
    Sign(&'static str),
    Infix(&'static str, Box<[Expr<'a>; 2]>),
    /// Operand, low, high; negated.
    Between(Box<[Expr<'a>; 3]>, bool),
    /// Operand, list; negated.
    In(Box<[Expr<'a>; 2]>, bool),
    /// Operand, type's name as written; negated.
    Is(Box<Expr<'a>>, &'a str, bool),
    List(Vec<Expr<'a>>),
    Bag(Vec<Expr<'a>>),
    Struct(Vec<(Expr<'a>, Expr<'a>)>),
    Select(Box<Select<'a>>),
}

impl ExprKind<'_> {
    /// What AWS calls such an expression where it refuses it.
    pub(super) fn name(&self) -> String {
        let name = match self {
            Self::Text(_) | Self::Number(..) | Self::Bool(_) | Self::Null => "Lit",
            Self::Missing => "Missing",
            Self::Parameter(_) => "Parameter",
            Self::Path(_, steps) if steps.is_empty() => "Id",
            Self::Path(..) | Self::Indexed => "Path",
            Self::Call(name, _) => return name.to_lowercase(),
            Self::And(_) => "And",
            Self::Or(_) => "Or",
            Self::Not(_) => "Not",
            Self::Sign(sign) => match *sign {
                "-" => "Neg",
                _ => "Pos",
            },
            Self::Infix(operator, _) => match *operator {
                "=" => "Eq",
                "<>" => "Ne",
                "<" => "Lt",
                "<=" => "Lte",
                ">" => "Gt",
                ">=" => "Gte",
                "+" => "Plus",
                "-" => "Minus",
                "*" => "Times",
                "/" => "Divide",
                "%" => "Modulo",
                "LIKE" => "Like",
                _ => "Concat",
            },
            Self::Between(..) => "Between",
            Self::In(..) => "InCollection",
            Self::Is(..) => "IsType",
            Self::List(_) => "List",
            Self::Bag(_) => "Bag",
            Self::Struct(_) => "Struct",
            Self::Select(_) => "Select",
        };
        name.to_owned()
    }
}

/// One step of a path.
#[derive(Debug)]
pub(super) enum Step<'a> {
    Name(Cow<'a, str>),
    Index(Expr<'a>),
    /// `[*]`
    Wildcard,
    /// `.*`
    Unpivot,
}

/// The table, or index, that a statement is about.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) table: Cow<'a, str>,
    pub(super) index: Option<Cow<'a, str>>,
}

#[derive(Debug)]
pub(super) struct Select<'a> {
    /// `None` for `*`.
    pub(super) columns: Option<Vec<Expr<'a>>>,
    pub(super) target: Target<'a>,
    pub(super) condition: Option<Expr<'a>>,
    /// Each with whether it descends.
    pub(super) order: Vec<(Expr<'a>, bool)>,
}

/// `SET path = value` or `REMOVE path`.
#[derive(Debug)]
pub(super) enum Change<'a> {
    Set(Expr<'a>, Expr<'a>),
    Remove(Expr<'a>),
}

#[derive(Debug)]
pub(super) enum Syntax<'a> {
    Select(Select<'a>),
    /// `EXISTS(SELECT …)`
    Exists(Select<'a>),
    Insert {
        target: Target<'a>,
        item: Expr<'a>,
    },
    Update {
        target: Target<'a>,
        changes: Vec<Change<'a>>,
        condition: Option<Expr<'a>>,
        returning: Option<super::Returning>,
    },
    Delete {
        target: Target<'a>,
        condition: Option<Expr<'a>>,
        returning: Option<super::Returning>,
    },
}
