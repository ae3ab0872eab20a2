//! WHERE clauses to conditions.

use super::{Binder, Result};
use crate::Value;
use crate::expr::{self, Comparator, FunctionName, Node, Operand};
use crate::partiql::ast::{Expr, ExprKind};
use crate::partiql::error::Fault;

/// Functions of conditions, with whether they are true or false themselves.
fn function(name: &str) -> Option<(FunctionName<'static>, bool)> {
    Some(match name.to_ascii_lowercase().as_str() {
        "attribute_exists" => (FunctionName::AttributeExists, true),
        "attribute_not_exists" => (FunctionName::AttributeNotExists, true),
        "attribute_type" => (FunctionName::AttributeType, true),
        "begins_with" => (FunctionName::BeginsWith, true),
        "contains" => (FunctionName::Contains, true),
        "size" => (FunctionName::Size, false),
        _ => return None,
    })
}

fn comparator(operator: &str) -> Option<Comparator> {
    Some(match operator {
        "=" => Comparator::Eq,
        "<>" => Comparator::Ne,
        "<" => Comparator::Lt,
        "<=" => Comparator::Le,
        ">" => Comparator::Gt,
        ">=" => Comparator::Ge,
        _ => return None,
    })
}

fn negated_if(negated: bool, node: Node<'_>) -> Node<'_> {
    if negated { node.negated() } else { node }
}

impl<'p> Binder<'p, '_> {
    /// A WHERE clause, checked like any condition.
    pub(super) fn filter(&self, written: Option<&'p Expr<'_>>) -> Result<Option<Node<'p>>> {
        let Some(written) = written else {
            return Ok(None);
        };
        let node = self.condition(written, Fault::NoCondition)?;
        expr::check_built_condition(&node)?;
        Ok(Some(node))
    }

    /// A condition; `otherwise` is what is wrong where there is none.
    fn condition(&self, written: &'p Expr<'_>, otherwise: Fault) -> Result<Node<'p>> {
        Ok(match &written.kind {
            ExprKind::And(parts) => Node::And(self.parts(parts, |node, into| match node {
                Node::And(inner) => into.extend(inner),
                node => into.push(node),
            })?),
            ExprKind::Or(parts) => Node::Or(self.parts(parts, |node, into| match node {
                Node::Or(inner) => into.extend(inner),
                node => into.push(node),
            })?),
            ExprKind::Not(part) => self.condition(part, Fault::NotOperand)?.negated(),
            ExprKind::Infix(operator, sides) => {
                let Some(op) = comparator(operator) else {
                    return Err(Fault::ConditionOperator {
                        operator: (*operator).to_owned(),
                    });
                };
                let [left, right] = &**sides;
                Node::compare(op, self.operand(left)?, self.operand(right)?)
            }
            ExprKind::Between(parts, negated) => {
                let [operand, low, high] = &**parts;
                let node = Node::Between {
                    operand: self.operand(operand)?,
                    low: self.operand(low)?,
                    high: self.operand(high)?,
                };
                negated_if(*negated, node)
            }
            ExprKind::In(parts, negated) => {
                let [operand, list] = &**parts;
                let (ExprKind::List(list) | ExprKind::Bag(list)) = &list.kind else {
                    return Err(Fault::InOperand);
                };
                if list.is_empty() {
                    return Err(Fault::InOperand);
                }
                let node = Node::In {
                    operand: self.operand(operand)?,
                    list: list
                        .iter()
                        .map(|element| self.operand(element))
                        .collect::<Result<_>>()?,
                };
                negated_if(*negated, node)
            }
            ExprKind::Is(operand, name, negated) => {
                negated_if(*negated, self.is_type(operand, name)?)
            }
            ExprKind::Call(name, args) => {
                let (name, is_condition) = self.function(name, written)?;
                if !is_condition {
                    return Err(otherwise);
                }
                Node::call(name, self.args(args)?)
            }
            ExprKind::Sign(sign) => {
                return Err(Fault::ConditionOperator {
                    operator: (*sign).to_owned(),
                });
            }
            _ => return Err(otherwise),
        })
    }

    fn parts(
        &self,
        written: &'p [Expr<'_>],
        add: impl Fn(Node<'p>, &mut Vec<Node<'p>>),
    ) -> Result<Vec<Node<'p>>> {
        let mut nodes = Vec::with_capacity(written.len());
        for part in written {
            add(self.condition(part, Fault::LogicOperand)?, &mut nodes);
        }
        Ok(nodes)
    }

    fn function(&self, name: &str, call: &Expr<'_>) -> Result<(FunctionName<'static>, bool)> {
        function(name).ok_or_else(|| Fault::Function {
            name: name.to_lowercase(),
            at: self.at(call.span),
        })
    }

    fn args(&self, written: &'p [Expr<'_>]) -> Result<Vec<Operand<'p>>> {
        written.iter().map(|arg| self.operand(arg)).collect()
    }

    fn operand(&self, written: &'p Expr<'_>) -> Result<Operand<'p>> {
        Ok(match &written.kind {
            ExprKind::Parameter(index) => Operand::value(self.parameter(*index)?),
            ExprKind::Path(..) | ExprKind::Indexed => Operand::Path(self.path(written)?),
            ExprKind::Call(name, args) => match self.function(name, written)? {
                (name, false) => Operand::call(name, self.args(args)?),
                _ => self.truth(written)?,
            },
            ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Not(_)
            | ExprKind::Infix(..)
            | ExprKind::Sign(..)
            | ExprKind::Between(..)
            | ExprKind::In(..)
            | ExprKind::Is(..) => self.truth(written)?,
            _ => Operand::owned(self.literal(written)?),
        })
    }

    /// A condition as an operand: true or false.
    fn truth(&self, written: &'p Expr<'_>) -> Result<Operand<'p>> {
        let node = self.condition(written, Fault::NoCondition)?;
        Ok(Operand::Condition(Box::new(node)))
    }

    /// `operand IS name`. That `IS NULL` is false of what is missing, and the names that are known, are measured
    /// (`paritysuite/dynamodb-conformance`, partiql/whereFunctions).
    fn is_type(&self, operand: &'p Expr<'_>, name: &str) -> Result<Node<'p>> {
        let operand = match &operand.kind {
            ExprKind::Path(..) => Operand::Path(self.path(operand)?),
            _ => return Err(Fault::IsOperand),
        };
        let name = name.to_ascii_uppercase();
        let of_type = match name.as_str() {
            "MISSING" => return Ok(Node::call(FunctionName::AttributeNotExists, vec![operand])),
            "NULL" => "NULL",
            "BOOL" | "BOOLEAN" => "BOOL",
            "BLOB" => "B",
            "STRING" => "S",
            "NUMERIC" => "N",
            "STRUCT" | "TUPLE" => "M",
            "LIST" => "L",
            _ => return Err(Fault::IsType { name }),
        };
        let of_type = Operand::owned(Value::from(of_type));
        Ok(Node::call(
            FunctionName::AttributeType,
            vec![operand, of_type],
        ))
    }
}
