//! The right-hand side of SET, read from the old item.

use crate::expr::ast::{ArithmeticOp, Function, FunctionName, Operand, ValueLeaf};
use crate::expr::error::UpdateError;
use crate::expr::paths;
use crate::limits::{DOCUMENT_OVERHEAD_BYTES, ITEM_BYTES};
use crate::{Item, Value, ValueRef};
use std::borrow::Cow;

/// What an operand gives: something of the item or the expression, or something new.
pub(super) enum Given<'v> {
    Seen(ValueRef<'v>),
    Made(Cow<'v, Value>),
}

impl Given<'_> {
    pub(super) fn view(&self) -> ValueRef<'_> {
        match self {
            Self::Seen(value) => *value,
            Self::Made(value) => value.as_ref().as_ref(),
        }
    }
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Seen(value) => value.to_value(),
            Self::Made(value) => value.into_owned(),
        }
    }
}

pub(super) fn evaluate<'v>(
    operand: &'v Operand<'_>,
    item: &'v Item,
) -> Result<Given<'v>, UpdateError> {
    match operand {
        Operand::Path(path) => paths::find(item, path)
            .map(Given::Seen)
            .ok_or(UpdateError::MissingAttribute),
        Operand::Value(ValueLeaf::Literal(value)) => Ok(Given::Made(Cow::Borrowed(value))),
        Operand::Value(ValueLeaf::Placeholder(..)) => Err(UpdateError::MissingAttribute),
        Operand::Condition(_) => Err(UpdateError::OperandType),
        Operand::Function(function) => call(function, item),
        Operand::Arithmetic(sum) => {
            let number = |side| {
                evaluate(side, item)?
                    .view()
                    .as_number()
                    .ok_or(UpdateError::OperandType)
            };
            let (left, right) = (number(&sum.left)?, number(&sum.right)?);
            let result = match sum.op {
                ArithmeticOp::Add => left.checked_add(right),
                ArithmeticOp::Subtract => left.checked_sub(right),
            };
            Ok(Given::Made(Cow::Owned(Value::N(result?))))
        }
    }
}

fn call<'v>(function: &'v Function<'_>, item: &'v Item) -> Result<Given<'v>, UpdateError> {
    match (function.name, function.args.as_slice()) {
        (FunctionName::IfNotExists, [Operand::Path(path), otherwise]) => {
            match paths::find(item, path) {
                Some(value) => Ok(Given::Seen(value)),
                None => evaluate(otherwise, item),
            }
        }
        (FunctionName::ListAppend, [first, second]) => {
            let (first, second) = (evaluate(first, item)?, evaluate(second, item)?);
            let (ValueRef::L(head), ValueRef::L(tail)) = (first.view(), second.view()) else {
                return Err(UpdateError::OperandType);
            };
            // Found out before the copy: a short text can ask for many long lists.
            if first.view().size() + second.view().size() > ITEM_BYTES + DOCUMENT_OVERHEAD_BYTES {
                return Err(UpdateError::TooLarge);
            }
            let joined = head
                .iter()
                .chain(tail.iter())
                .map(ValueRef::to_value)
                .collect();
            Ok(Given::Made(Cow::Owned(Value::L(joined))))
        }
        _ => Err(UpdateError::OperandType),
    }
}
