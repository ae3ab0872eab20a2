//! What an update's statement weighs.
//!
//! Before AWS looks at the item, an `UpdateExpression` must fit the item limit by itself: each clause counts what
//! it writes and reads plus a fixed cost. The key and the attributes that the statement leaves alone do not count.
//! Source: `paritysuite/dynamodb-conformance`, limits/itemSizeBySurface, bisected in eu-west-2, August to October
//! 2026. Ten regions have no such limit; AWS documents none of it.

use crate::expr::ast::{
    Arithmetic, ArithmeticOp, Function, FunctionName, Operand, Path, Segment, UpdateAction,
    ValueLeaf,
};

/// An update, whatever it does. Bytes, as everything here.
const BASE: usize = 3;
/// A SET or an ADD.
const WRITING: usize = 19;
/// A REMOVE or a DELETE.
const REMOVING: usize = 1;
/// A step of a clause's path below its attribute, besides the step itself.
const TARGET_STEP: usize = 4;
/// A path that is read.
const PATH: usize = 1;
/// A step of a path that is read, the attribute included, besides the step itself.
const PATH_STEP: usize = 14;
const SUM: usize = 34;
const DIFFERENCE: usize = 37;
const IF_NOT_EXISTS: usize = 39;
const LIST_APPEND: usize = 37;

pub(super) fn charge(actions: &[UpdateAction<'_>]) -> usize {
    BASE + actions.iter().map(action).sum::<usize>()
}

fn action(action: &UpdateAction<'_>) -> usize {
    match action {
        UpdateAction::Set(path, value) => WRITING + target(path) + operand(value),
        UpdateAction::Add(path, value) => WRITING + target(path) + leaf(value),
        UpdateAction::Remove(path) | UpdateAction::Delete(path, _) => REMOVING + target(path),
    }
}

fn target(path: &Path<'_>) -> usize {
    let steps = path.tail.iter().map(|step| TARGET_STEP + segment(step));
    segment(&path.head) + steps.sum::<usize>()
}

fn operand(given: &Operand<'_>) -> usize {
    match given {
        Operand::Path(path) => {
            let steps = path.segments().map(|step| PATH_STEP + segment(step));
            PATH + steps.sum::<usize>()
        }
        Operand::Value(value) => leaf(value),
        Operand::Function(function) => call(function),
        Operand::Arithmetic(arithmetic) => {
            let Arithmetic { op, left, right } = &**arithmetic;
            let cost = match op {
                ArithmeticOp::Add => SUM,
                ArithmeticOp::Subtract => DIFFERENCE,
            };
            cost + operand(left) + operand(right)
        }
        // No update holds one.
        Operand::Condition(_) => 0,
    }
}

fn call(function: &Function<'_>) -> usize {
    let cost = match function.name {
        FunctionName::ListAppend => LIST_APPEND,
        // The only other function of updates.
        _ => IF_NOT_EXISTS,
    };
    cost + function.args.iter().map(operand).sum::<usize>()
}

fn leaf(value: &ValueLeaf<'_>) -> usize {
    match value {
        ValueLeaf::Literal(value) => value.as_ref().as_ref().size(),
        ValueLeaf::Placeholder(..) => 0,
    }
}

fn segment(step: &Segment<'_>) -> usize {
    match step {
        Segment::Name(name) => name.len(),
        Segment::Placeholder(text) => text.len(),
        Segment::Index(index) => index.to_string().len(),
    }
}
