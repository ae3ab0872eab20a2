//! Conditions, filters and key conditions.

use super::survey::{Place, Survey};
use super::{Leaf, each_function, each_leaf, literal_type, operand_count, operand_type};
use crate::expr::ast::{Comparator, Function, FunctionName, Node, Operand};
use crate::expr::bind::Binder;
use crate::expr::error::Fault;
use crate::limits::IN_OPERANDS;
use crate::value::ValueType;
use std::cmp::Ordering;

/// Checks a parsed condition and resolves its placeholders in place.
pub(in crate::expr) fn condition<'a>(
    node: &mut Node<'a>,
    binder: &mut Binder<'a>,
) -> Result<(), Fault> {
    let mut survey = Survey::default();
    look_over(node, &mut survey);
    let functions = survey.wrong_function.or(survey.misused_function);
    if let Some(fault) = functions.or(survey.reserved_word) {
        return Err(fault);
    }
    bind(node, binder)
}

fn look_over(node: &Node<'_>, survey: &mut Survey) {
    match node {
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().for_each(|n| look_over(n, survey)),
        Node::Not(node) => look_over(node, survey),
        Node::Compare { left, right, .. } => {
            survey.operand(left, Place::Operand);
            survey.operand(right, Place::Operand);
        }
        Node::Between { operand, low, high } => {
            for o in [operand, low, high] {
                survey.operand(o, Place::Operand);
            }
        }
        Node::In { operand, list } => {
            survey.operand(operand, Place::Operand);
            for o in list {
                survey.operand(o, Place::Operand);
            }
        }
        Node::Function(function) => survey.function(function, Place::Condition),
    }
}

/// Resolves and checks one comparison or call after the other.
fn bind<'a>(node: &mut Node<'a>, binder: &mut Binder<'a>) -> Result<(), Fault> {
    match node {
        Node::And(nodes) | Node::Or(nodes) => {
            for node in nodes {
                bind(node, binder)?;
            }
            Ok(())
        }
        Node::Not(node) => bind(node, binder),
        leaf => bind_leaf(leaf, binder),
    }
}

/// Resolves and checks one comparison or call. (Apart from [`bind`] so that its frame is not repeated on
/// the way down.)
fn bind_leaf<'a>(node: &mut Node<'a>, binder: &mut Binder<'a>) -> Result<(), Fault> {
    let mut resolve = |leaf: Leaf<'_, 'a>| match leaf {
        Leaf::Path(path) => binder.resolve_path(path),
        Leaf::Value(value) => binder.resolve_value(value),
    };
    match node {
        Node::And(_) | Node::Or(_) | Node::Not(_) => {}
        Node::Compare { left, right, .. } => {
            each_leaf(left, &mut resolve)?;
            each_leaf(right, &mut resolve)?;
        }
        Node::Between { operand, low, high } => {
            each_leaf(operand, &mut resolve)?;
            each_leaf(low, &mut resolve)?;
            each_leaf(high, &mut resolve)?;
        }
        Node::In { operand, list } => {
            each_leaf(operand, &mut resolve)?;
            for operand in list {
                each_leaf(operand, &mut resolve)?;
            }
        }
        Node::Function(function) => {
            for operand in &mut function.args {
                each_leaf(operand, &mut resolve)?;
            }
        }
    }
    leaf(node)
}

fn leaf(node: &Node<'_>) -> Result<(), Fault> {
    counts(node)?;
    distinct(node)?;
    types(node)
}

/// Checks a condition built by code, all of whose values are there: numbers of operands, distinct operands,
/// operand types.
pub(crate) fn built_condition(node: &Node<'_>) -> Result<(), Fault> {
    let operands: Vec<&Operand<'_>> = match node {
        Node::And(nodes) | Node::Or(nodes) => return nodes.iter().try_for_each(built_condition),
        Node::Not(node) => return built_condition(node),
        Node::Compare { left, right, .. } => vec![left, right],
        Node::Between { operand, low, high } => vec![operand, low, high],
        Node::In { operand, list } => std::iter::once(operand).chain(list).collect(),
        Node::Function(function) => function.args.iter().collect(),
    };
    for operand in operands {
        if let Operand::Condition(node) = operand {
            built_condition(node)?;
        }
    }
    leaf(node)
}

/// Calls `each` for every function of a comparison or call, inner ones first.
fn functions<'t, 'a>(
    node: &'t Node<'a>,
    each: &mut impl FnMut(&'t Function<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    match node {
        Node::And(_) | Node::Or(_) | Node::Not(_) => Ok(()),
        Node::Compare { left, right, .. } => {
            each_function(left, each)?;
            each_function(right, each)
        }
        Node::Between { operand, low, high } => [operand, low, high]
            .into_iter()
            .try_for_each(|o| each_function(o, each)),
        Node::In { operand, list } => {
            each_function(operand, each)?;
            list.iter().try_for_each(|o| each_function(o, each))
        }
        Node::Function(function) => {
            function
                .args
                .iter()
                .try_for_each(|o| each_function(o, each))?;
            each(function)
        }
    }
}

fn counts(node: &Node<'_>) -> Result<(), Fault> {
    if let Node::In { list, .. } = node
        && list.len() > IN_OPERANDS
    {
        return Err(Fault::TooManyInOperands { count: list.len() });
    }
    functions(node, &mut |function| {
        let wanted = match function.name {
            FunctionName::AttributeType | FunctionName::BeginsWith | FunctionName::Contains => 2,
            _ => 1,
        };
        operand_count(function, wanted)
    })
}

fn distinct(node: &Node<'_>) -> Result<(), Fault> {
    functions(node, &mut |function| match function.args.split_first() {
        Some((first, rest)) => distinct_from(first, rest, name(function)),
        None => Ok(()),
    })?;
    match node {
        Node::Compare { op, left, right } => {
            distinct_from(left, std::slice::from_ref(right), op.symbol())
        }
        Node::Between { operand, low, high } => {
            distinct_from(operand, std::slice::from_ref(low), "BETWEEN")?;
            distinct_from(operand, std::slice::from_ref(high), "BETWEEN")
        }
        Node::In { operand, list } => distinct_from(operand, list, "IN"),
        Node::And(_) | Node::Or(_) | Node::Not(_) | Node::Function(_) => Ok(()),
    }
}

fn distinct_from(
    first: &Operand<'_>,
    rest: &[Operand<'_>],
    operator: &'static str,
) -> Result<(), Fault> {
    match first {
        Operand::Path(path) if rest.contains(first) => Err(Fault::OperandsNotDistinct {
            operator,
            path: path.listed(),
        }),
        _ => Ok(()),
    }
}

fn types(node: &Node<'_>) -> Result<(), Fault> {
    functions(node, &mut function_types)?;
    match node {
        Node::Compare { op, left, right } if !matches!(op, Comparator::Eq | Comparator::Ne) => {
            ordered(left, op.symbol())?;
            ordered(right, op.symbol())
        }
        Node::Between { operand, low, high } => {
            [operand, low, high]
                .into_iter()
                .try_for_each(|o| ordered(o, "BETWEEN"))?;
            bounds(low, high)
        }
        _ => Ok(()),
    }
}

/// Only strings, numbers and binaries have an order.
fn ordered(operand: &Operand<'_>, operator: &'static str) -> Result<(), Fault> {
    match literal_type(operand) {
        None | Some(ValueType::S | ValueType::N | ValueType::B) => Ok(()),
        Some(kind) => Err(operand_type(operator, kind)),
    }
}

fn bounds(low: &Operand<'_>, high: &Operand<'_>) -> Result<(), Fault> {
    let (Some(low), Some(high)) = (low.as_literal(), high.as_literal()) else {
        return Ok(());
    };
    let (lower, upper) = (Box::new(low.clone()), Box::new(high.clone()));
    match low.as_ref().compare(high.as_ref()) {
        None => Err(Fault::BetweenTypes { lower, upper }),
        Some(Ordering::Greater) => Err(Fault::BetweenOrder { lower, upper }),
        Some(Ordering::Less | Ordering::Equal) => Ok(()),
    }
}

fn function_types(function: &Function<'_>) -> Result<(), Fault> {
    let operator = name(function);
    match (function.name, function.args.as_slice()) {
        (FunctionName::AttributeExists | FunctionName::AttributeNotExists, [path]) => match path {
            Operand::Path(_) => Ok(()),
            _ => Err(Fault::PathRequired { function: operator }),
        },
        (FunctionName::BeginsWith, args) => args.iter().try_for_each(|arg| match value_type(arg) {
            None | Some(ValueType::S | ValueType::B) => Ok(()),
            Some(kind) => Err(operand_type(operator, kind)),
        }),
        (FunctionName::AttributeType, [_, kind]) => attribute_type(kind, operator),
        (FunctionName::Size, [arg]) => match value_type(arg) {
            Some(kind @ (ValueType::N | ValueType::Bool | ValueType::Null)) => {
                Err(operand_type(operator, kind))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn attribute_type(operand: &Operand<'_>, operator: &'static str) -> Result<(), Fault> {
    match (
        operand.as_literal().and_then(|v| v.as_ref().as_str()),
        value_type(operand),
    ) {
        (Some(found), _) if ValueType::from_name(found).is_some() => Ok(()),
        (Some(found), _) => Err(Fault::AttributeType {
            found: found.to_owned(),
        }),
        (None, Some(kind)) => Err(operand_type(operator, kind)),
        (None, None) => Err(Fault::OperandType {
            operator,
            operand_type: Fault::ANY_TYPE,
        }),
    }
}

/// The type of an operand where it is known without an item.
fn value_type(operand: &Operand<'_>) -> Option<ValueType> {
    match operand {
        Operand::Function(Function {
            name: FunctionName::Size,
            ..
        }) => Some(ValueType::N),
        _ => literal_type(operand),
    }
}

/// The name of a known function.
fn name(function: &Function<'_>) -> &'static str {
    match function.name {
        FunctionName::AttributeExists => "attribute_exists",
        FunctionName::AttributeNotExists => "attribute_not_exists",
        FunctionName::AttributeType => "attribute_type",
        FunctionName::BeginsWith => "begins_with",
        FunctionName::Contains => "contains",
        FunctionName::Size => "size",
        FunctionName::IfNotExists => "if_not_exists",
        FunctionName::ListAppend => "list_append",
        FunctionName::Unknown(_) => "",
    }
}
