//! SET and REMOVE to an update.

use super::{Binder, Result};
use crate::expr::{
    self, Arithmetic, ArithmeticOp, FunctionName, Operand, Path, Update, UpdateAction, ValueLeaf,
};
use crate::partiql::ast::{Change, Expr, ExprKind};
use crate::partiql::error::Fault;
use crate::value::ValueType;
use std::borrow::Cow;

impl<'p> Binder<'p, '_> {
    pub(super) fn update(&self, written: &'p [Change<'_>]) -> Result<Update<'p>> {
        let actions = written.iter().map(|change| match change {
            Change::Remove(path) => Ok(UpdateAction::Remove(self.path(path)?)),
            Change::Set(path, value) => self.set(self.path(path)?, value),
        });
        let actions = actions.collect::<Result<Vec<_>>>()?;
        expr::check_built_actions(&actions)?;
        Ok(Update::from_actions(actions)?)
    }

    fn set(&self, path: Path<'p>, value: &'p Expr<'_>) -> Result<UpdateAction<'p>> {
        let ExprKind::Call(name, args) = &value.kind else {
            return Ok(UpdateAction::Set(path, self.assigned(value)?));
        };
        let adds = name.eq_ignore_ascii_case("set_add");
        if !adds && !name.eq_ignore_ascii_case("set_delete") {
            return Ok(UpdateAction::Set(path, self.assigned(value)?));
        }
        let leaf = self.members(&path, name, args, value)?;
        Ok(if adds {
            UpdateAction::Add(path, leaf)
        } else {
            UpdateAction::Delete(path, leaf)
        })
    }

    /// The members that `set_add` or `set_delete` adds or takes away. AWS points at the first argument where the
    /// second is wrong: measured, `paritysuite/dynamodb-conformance`, error-messages/partiqlFunctions.
    fn members(
        &self,
        path: &Path<'p>,
        name: &str,
        args: &'p [Expr<'_>],
        call: &Expr<'_>,
    ) -> Result<ValueLeaf<'p>> {
        let function = name.to_ascii_uppercase();
        let [first, second] = args else {
            return Err(Fault::SetCount {
                function,
                at: self.at(call.span),
            });
        };
        let same = matches!(first.kind, ExprKind::Path(..)) && self.path(first)? == *path;
        if !same {
            return Err(Fault::SetFirst {
                function,
                at: self.at(call.span),
            });
        }
        let value = match &second.kind {
            ExprKind::Bag(_) => Cow::Owned(self.literal(second)?),
            ExprKind::Parameter(index) => Cow::Borrowed(self.parameter(*index)?),
            _ => Cow::Owned(crate::Value::Null),
        };
        match value.as_ref().as_ref().kind() {
            ValueType::Ss | ValueType::Ns | ValueType::Bs => Ok(ValueLeaf::Literal(value)),
            _ => Err(Fault::SetSecond {
                function,
                at: self.at(first.span),
            }),
        }
    }

    /// What a path is set to.
    fn assigned(&self, written: &'p Expr<'_>) -> Result<Operand<'p>> {
        Ok(match &written.kind {
            ExprKind::Parameter(index) => Operand::value(self.parameter(*index)?),
            ExprKind::Path(..) | ExprKind::Indexed => Operand::Path(self.path(written)?),
            ExprKind::Infix(operator @ ("+" | "-"), sides) => {
                let [left, right] = &**sides;
                Operand::Arithmetic(Box::new(Arithmetic {
                    op: if *operator == "+" {
                        ArithmeticOp::Add
                    } else {
                        ArithmeticOp::Subtract
                    },
                    left: self.assigned(left)?,
                    right: self.assigned(right)?,
                }))
            }
            ExprKind::Call(name, args) if name.eq_ignore_ascii_case("list_append") => {
                let args = args.iter().map(|arg| self.assigned(arg));
                Operand::call(FunctionName::ListAppend, args.collect::<Result<_>>()?)
            }
            ExprKind::Call(name, _) => {
                return Err(Fault::Function {
                    name: name.to_lowercase(),
                    at: self.at(written.span),
                });
            }
            ExprKind::Is(..) => return Err(Fault::IsInUpdate),
            ExprKind::Infix(operator, _) | ExprKind::Sign(operator) => {
                return Err(Fault::UpdateOperator {
                    operator: (*operator).to_owned(),
                });
            }
            kind @ (ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Not(_)
            | ExprKind::Between(..)
            | ExprKind::In(..)) => {
                return Err(Fault::UpdateOperator {
                    operator: kind.name().to_uppercase(),
                });
            }
            _ => Operand::owned(self.literal(written)?),
        })
    }
}
