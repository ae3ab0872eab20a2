//! What is refused before an item is looked at, in AWS's order (see [`Fault`]).
//!
//! Source of the order: dynalite's tests, which were run against AWS; the conformance suite's
//! `tier3/error-messages`.

mod condition;
mod survey;
mod update;

pub(crate) use condition::built_condition;
pub(super) use condition::condition;
pub(crate) use update::built_actions;
pub(super) use update::{projection, update};

use super::ast::{Function, Operand, Path, ValueLeaf};
use super::error::Fault;
use crate::value::ValueType;

/// The type of a value that stands in the expression itself.
fn literal_type(operand: &Operand<'_>) -> Option<ValueType> {
    operand.as_literal().map(|value| value.as_ref().kind())
}

/// Calls `each` for every function in the operand, inner ones first.
fn each_function<'t, 'a>(
    operand: &'t Operand<'a>,
    each: &mut impl FnMut(&'t Function<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    match operand {
        // A condition as a value has its own checks.
        Operand::Path(_) | Operand::Value(_) | Operand::Condition(_) => Ok(()),
        Operand::Function(function) => {
            for arg in &function.args {
                each_function(arg, each)?;
            }
            each(function)
        }
        Operand::Arithmetic(sum) => {
            each_function(&sum.left, each)?;
            each_function(&sum.right, each)
        }
    }
}

/// Calls `each` for every leaf of the operand, in the order written.
fn each_leaf<'a>(
    operand: &mut Operand<'a>,
    each: &mut impl FnMut(Leaf<'_, 'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    match operand {
        Operand::Path(path) => each(Leaf::Path(path)),
        Operand::Value(value) => each(Leaf::Value(value)),
        Operand::Function(function) => function
            .args
            .iter_mut()
            .try_for_each(|arg| each_leaf(arg, each)),
        Operand::Arithmetic(sum) => {
            each_leaf(&mut sum.left, each)?;
            each_leaf(&mut sum.right, each)
        }
        // Text makes none, and what code builds holds no placeholders.
        Operand::Condition(_) => Ok(()),
    }
}

enum Leaf<'t, 'a> {
    Path(&'t mut Path<'a>),
    Value(&'t mut ValueLeaf<'a>),
}

fn operand_type(operator: &'static str, kind: ValueType) -> Fault {
    Fault::OperandType {
        operator,
        operand_type: kind.name(),
    }
}

fn operand_count(function: &Function<'_>, wanted: usize) -> Result<(), Fault> {
    let count = function.args.len();
    if count == wanted {
        return Ok(());
    }
    Err(Fault::OperandCount {
        operator: function.name.text().to_owned(),
        count,
    })
}
