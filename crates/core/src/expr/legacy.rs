//! The legacy conditional parameters (`Expected`, `KeyConditions`, `QueryFilter`, `ScanFilter`) as trees.
//!
//! | `ComparisonOperator` | tree |
//! |---|---|
//! | `EQ`, `NE`, `LE`, `LT`, `GE`, `GT` | `a = v`, `a <> v`, `a <= v` … |
//! | `NOT_NULL`, `NULL` | `attribute_exists(a)`, `attribute_not_exists(a)` |
//! | `CONTAINS` | `contains(a, v)` |
//! | `NOT_CONTAINS` | `attribute_exists(a) AND NOT contains(a, v)` |
//! | `BEGINS_WITH` | `begins_with(a, v)` |
//! | `IN` | `a IN (v, …)` |
//! | `BETWEEN` | `a BETWEEN v AND w` |
//!
//! `Expected` with `Exists: false` is `NULL`; with `Value` alone it is `EQ`. An attribute's name is taken
//! as it is, dots and brackets included. `ConditionalOperator` joins with [`all_of`] or [`any_of`].
//! `AttributeUpdates` needs no mapping of its own: `PUT` is [`UpdateAction::Set`](super::UpdateAction::Set),
//! `DELETE` without a value `Remove`, with one `Delete`, `ADD` is `Add`, and `ADD` of a list is
//! `SET a = list_append(if_not_exists(a, []), v)`.

use super::ast::{Comparator, FunctionName, Node, Operand};
use crate::Value;
use std::ops::RangeInclusive;

/// A `ComparisonOperator`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LegacyOperator {
    /// `EQ`
    Eq,
    /// `NE`
    Ne,
    /// `LE`
    Le,
    /// `LT`
    Lt,
    /// `GE`
    Ge,
    /// `GT`
    Gt,
    /// `NOT_NULL`: the attribute is there (even if its value is null).
    NotNull,
    /// `NULL`: the attribute is not there.
    Null,
    /// `CONTAINS`
    Contains,
    /// `NOT_CONTAINS`
    NotContains,
    /// `BEGINS_WITH`
    BeginsWith,
    /// `IN`
    In,
    /// `BETWEEN`
    Between,
}

impl LegacyOperator {
    /// Every operator with its name on the wire.
    pub const ALL: [(Self, &'static str); 13] = [
        (Self::Eq, "EQ"),
        (Self::Ne, "NE"),
        (Self::Le, "LE"),
        (Self::Lt, "LT"),
        (Self::Ge, "GE"),
        (Self::Gt, "GT"),
        (Self::NotNull, "NOT_NULL"),
        (Self::Null, "NULL"),
        (Self::Contains, "CONTAINS"),
        (Self::NotContains, "NOT_CONTAINS"),
        (Self::BeginsWith, "BEGINS_WITH"),
        (Self::In, "IN"),
        (Self::Between, "BETWEEN"),
    ];

    /// The operator of this name. Names are upper case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(operator, _)| *operator)
    }

    /// Its name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == self)
            .map_or("", |(_, name)| name)
    }

    /// How many values it takes. Source: API Reference, `Condition`.
    #[must_use]
    pub fn operands(self) -> RangeInclusive<usize> {
        match self {
            Self::NotNull | Self::Null => 0..=0,
            Self::Between => 2..=2,
            Self::In => 1..=usize::MAX,
            _ => 1..=1,
        }
    }
}

/// One legacy condition as a tree; `None` if the operator does not take so many values.
pub fn legacy_condition<'a>(
    attribute: &'a str,
    operator: LegacyOperator,
    values: &[&'a Value],
) -> Option<Node<'a>> {
    let path = || Operand::attribute(attribute);
    let comparison = |op| Node::compare(op, path(), Operand::value(values[0]));
    let call = |name| Node::call(name, vec![path(), Operand::value(values[0])]);
    let test = |name| Node::call(name, vec![path()]);
    if !operator.operands().contains(&values.len()) {
        return None;
    }
    Some(match operator {
        LegacyOperator::Eq => comparison(Comparator::Eq),
        LegacyOperator::Ne => comparison(Comparator::Ne),
        LegacyOperator::Le => comparison(Comparator::Le),
        LegacyOperator::Lt => comparison(Comparator::Lt),
        LegacyOperator::Ge => comparison(Comparator::Ge),
        LegacyOperator::Gt => comparison(Comparator::Gt),
        LegacyOperator::NotNull => test(FunctionName::AttributeExists),
        LegacyOperator::Null => test(FunctionName::AttributeNotExists),
        LegacyOperator::Contains => call(FunctionName::Contains),
        LegacyOperator::NotContains => Node::And(vec![
            test(FunctionName::AttributeExists),
            call(FunctionName::Contains).negated(),
        ]),
        LegacyOperator::BeginsWith => call(FunctionName::BeginsWith),
        LegacyOperator::In => Node::In {
            operand: path(),
            list: values.iter().copied().map(Operand::value).collect(),
        },
        LegacyOperator::Between => Node::Between {
            operand: path(),
            low: Operand::value(values[0]),
            high: Operand::value(values[1]),
        },
    })
}

/// All of the conditions; `None` for none.
pub fn all_of(nodes: Vec<Node<'_>>) -> Option<Node<'_>> {
    join(nodes, Node::And)
}

/// One of the conditions; `None` for none.
pub fn any_of(nodes: Vec<Node<'_>>) -> Option<Node<'_>> {
    join(nodes, Node::Or)
}

fn join<'a>(mut nodes: Vec<Node<'a>>, by: fn(Vec<Node<'a>>) -> Node<'a>) -> Option<Node<'a>> {
    match nodes.len() {
        0 => None,
        1 => nodes.pop(),
        _ => Some(by(nodes)),
    }
}
