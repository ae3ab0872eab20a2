//! Deciding a condition on an item, in place.

use super::ast::{Comparator, Function, FunctionName, Node, Operand, Path, ValueLeaf};
use super::error::Fault;
use super::paths;
use crate::limits::EXPRESSION_DEPTH;
use crate::{Item, Number, ValueRef};
use std::cmp::Ordering;

/// A condition or filter, checked and ready to evaluate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition<'a> {
    node: Node<'a>,
}

impl<'a> Condition<'a> {
    pub(super) fn checked(node: Node<'a>) -> Self {
        Self { node }
    }

    /// A condition from a tree built by code. A placeholder left in it stands for nothing.
    ///
    /// # Errors
    /// [`Fault::TooDeep`].
    pub fn from_tree(node: Node<'a>) -> Result<Self, Fault> {
        if node.is_within(EXPRESSION_DEPTH) {
            Ok(Self { node })
        } else {
            Err(Fault::TooDeep)
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Node<'a> {
        &self.node
    }

    /// Decides the condition; `None` is the absent item. Never fails: operands of types that an operator
    /// cannot compare, and missing attributes, make it false (and so `<>` true), as on AWS.
    ///
    /// Time is linear in the expression and in the parts of the item that it looks at.
    pub fn matches(&self, item: Option<&Item>) -> bool {
        decide(&self.node, item)
    }

    /// Calls `each` for every document path in the condition: to find conditions on key attributes.
    pub fn for_each_path<'t>(&'t self, each: &mut dyn FnMut(&'t Path<'a>)) {
        node_paths(&self.node, each);
    }
}

pub(crate) fn node_paths<'t, 'a>(node: &'t Node<'a>, each: &mut dyn FnMut(&'t Path<'a>)) {
    match node {
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().for_each(|n| node_paths(n, each)),
        Node::Not(node) => node_paths(node, each),
        Node::Compare { left, right, .. } => {
            operand_paths(left, each);
            operand_paths(right, each);
        }
        Node::Between { operand, low, high } => {
            for o in [operand, low, high] {
                operand_paths(o, each);
            }
        }
        Node::In { operand, list } => {
            operand_paths(operand, each);
            for o in list {
                operand_paths(o, each);
            }
        }
        Node::Function(function) => function.args.iter().for_each(|o| operand_paths(o, each)),
    }
}

pub(super) fn operand_paths<'t, 'a>(operand: &'t Operand<'a>, each: &mut dyn FnMut(&'t Path<'a>)) {
    match operand {
        Operand::Path(path) => each(path),
        Operand::Value(_) => {}
        Operand::Function(function) => function.args.iter().for_each(|o| operand_paths(o, each)),
        Operand::Arithmetic(sum) => {
            operand_paths(&sum.left, each);
            operand_paths(&sum.right, each);
        }
        Operand::Condition(node) => node_paths(node, each),
    }
}

fn decide(node: &Node<'_>, item: Option<&Item>) -> bool {
    match node {
        Node::And(nodes) => nodes.iter().all(|n| decide(n, item)),
        Node::Or(nodes) => nodes.iter().any(|n| decide(n, item)),
        Node::Not(node) => !decide(node, item),
        Node::Compare { op, left, right } => compare(*op, value(left, item), value(right, item)),
        Node::Between { operand, low, high } => {
            let operand = value(operand, item);
            compare(Comparator::Ge, operand, value(low, item))
                && compare(Comparator::Le, operand, value(high, item))
        }
        Node::In { operand, list } => {
            let operand = value(operand, item);
            list.iter()
                .any(|o| compare(Comparator::Eq, operand, value(o, item)))
        }
        Node::Function(function) => call(function, item),
    }
}

/// What an operand stands for; `None` where it stands for nothing.
fn value<'v>(operand: &'v Operand<'_>, item: Option<&'v Item>) -> Option<ValueRef<'v>> {
    match operand {
        Operand::Path(path) => paths::find(item?, path),
        Operand::Value(ValueLeaf::Literal(value)) => Some(value.as_ref().as_ref()),
        Operand::Function(Function {
            name: FunctionName::Size,
            args,
            ..
        }) => {
            let length = value(args.first()?, item)?.measure()?;
            Some(ValueRef::N(Number::from(u64::try_from(length).ok()?)))
        }
        Operand::Condition(node) => Some(ValueRef::Bool(decide(node, item))),
        Operand::Value(ValueLeaf::Placeholder(..))
        | Operand::Function(_)
        | Operand::Arithmetic(_) => None,
    }
}

/// A missing operand equals nothing, and so is unequal to everything. Source: the widely used
/// `id <> :id` as "is not there yet"; dynalite.
fn compare(op: Comparator, left: Option<ValueRef<'_>>, right: Option<ValueRef<'_>>) -> bool {
    let (Some(left), Some(right)) = (left, right) else {
        return op == Comparator::Ne;
    };
    match op {
        Comparator::Eq => left == right,
        Comparator::Ne => left != right,
        _ => left.compare(right).is_some_and(|order| match op {
            Comparator::Lt => order == Ordering::Less,
            Comparator::Le => order != Ordering::Greater,
            Comparator::Gt => order == Ordering::Greater,
            _ => order != Ordering::Less,
        }),
    }
}

fn call(function: &Function<'_>, item: Option<&Item>) -> bool {
    let arg = |at: usize| {
        function
            .args
            .get(at)
            .and_then(|operand| value(operand, item))
    };
    match function.name {
        FunctionName::AttributeExists => arg(0).is_some(),
        FunctionName::AttributeNotExists => arg(0).is_none(),
        FunctionName::AttributeType => match (arg(0), arg(1)) {
            (Some(value), Some(ValueRef::S(name))) => value.type_name() == name,
            _ => false,
        },
        FunctionName::BeginsWith => match (arg(0), arg(1)) {
            (Some(value), Some(prefix)) => value.begins_with(prefix),
            _ => false,
        },
        FunctionName::Contains => match (arg(0), arg(1)) {
            (Some(value), Some(part)) => value.contains(part),
            _ => false,
        },
        FunctionName::Size
        | FunctionName::IfNotExists
        | FunctionName::ListAppend
        | FunctionName::Unknown(_) => false,
    }
}
