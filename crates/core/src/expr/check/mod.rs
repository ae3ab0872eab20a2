//! What is refused before an item is looked at, in AWS's order (see [`Fault`]).
//!
//! Source of the order: dynalite's tests, which were run against AWS; the conformance suite's
//! `tier3/error-messages`.

mod condition;
mod update;

pub(super) use condition::condition;
pub(super) use update::{projection, update};

use super::ast::{Function, FunctionName, Operand, Path, Segment, ValueLeaf};
use super::error::Fault;
use super::reserved::is_reserved;
use crate::value::ValueType;

/// What one look over a whole expression finds; the first of each kind, in the order written.
#[derive(Default)]
struct Survey {
    unknown_function: Option<String>,
    misused_function: Option<String>,
    reserved_word: Option<String>,
}

impl Survey {
    fn path(&mut self, path: &Path<'_>) {
        if self.reserved_word.is_some() {
            return;
        }
        let names = path.segments().filter_map(|segment| match segment {
            Segment::Name(name) => Some(name),
            Segment::Placeholder(_) | Segment::Index(_) => None,
        });
        self.reserved_word = names
            .map(AsRef::as_ref)
            .find(|n| is_reserved(n))
            .map(str::to_owned);
    }

    /// An operand and what is in it. `known` says which functions this kind of expression has,
    /// `operand` which of those give a value.
    fn operand(&mut self, operand: &Operand<'_>, rules: Rules) {
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Value(_) => {}
            Operand::Function(function) => {
                self.function(function, rules);
                if !(rules.gives_value)(function.name) {
                    self.misuse(function);
                }
            }
            Operand::Arithmetic(sum) => {
                self.operand(&sum.left, rules);
                self.operand(&sum.right, rules);
            }
        }
    }

    fn function(&mut self, function: &Function<'_>, rules: Rules) {
        for arg in &function.args {
            self.operand(arg, rules);
        }
        if !(rules.is_known)(function.name) && self.unknown_function.is_none() {
            self.unknown_function = Some(function.name.text().to_owned());
        }
    }

    fn misuse(&mut self, function: &Function<'_>) {
        if self.misused_function.is_none() {
            self.misused_function = Some(function.name.text().to_owned());
        }
    }

    fn faults(self) -> (Option<Fault>, Option<Fault>, Option<Fault>) {
        (
            self.unknown_function
                .map(|function| Fault::UnknownFunction { function }),
            self.misused_function
                .map(|function| Fault::MisusedFunction { function }),
            self.reserved_word.map(|word| Fault::ReservedWord { word }),
        )
    }
}

/// Which functions a kind of expression has, and which of them give a value.
#[derive(Clone, Copy)]
struct Rules {
    is_known: fn(FunctionName<'_>) -> bool,
    gives_value: fn(FunctionName<'_>) -> bool,
}

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
        Operand::Path(_) | Operand::Value(_) => Ok(()),
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

/// Calls `path` and `value` for every leaf of the operand, in the order written.
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
