//! A statement's text, and what its question marks stand for.

use crate::languages::Refusal;
use bothways_core::expr::{FunctionName, Node, Operand, Path, Segment, ValueLeaf};
use bothways_core::{Item, Value};
use bothways_protocol::types::Given;

/// A statement under construction: its text and what its question marks stand for.
#[derive(Default)]
pub(super) struct Statement {
    pub(super) text: String,
    pub(super) parameters: Vec<Value>,
}

impl Statement {
    pub(super) fn parts(self) -> (Option<String>, Option<Vec<Given<Value>>>) {
        let parameters: Vec<_> = self.parameters.into_iter().map(Given::from).collect();
        (
            Some(self.text),
            (!parameters.is_empty()).then_some(parameters),
        )
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn value(&mut self, value: Value) {
        self.push("?");
        self.parameters.push(value);
    }

    pub(super) fn wheres(
        &mut self,
        key: Option<&Item>,
        conditions: &[&Node<'_>],
    ) -> Result<(), Refusal> {
        let mut word = " WHERE ";
        for (name, value) in key.into_iter().flat_map(Item::iter) {
            self.push(&format!("{word}{} = ", quoted(name)));
            self.value(value.to_value());
            word = " AND ";
        }
        for node in conditions {
            self.push(word);
            self.grouped(node, matches!(node, Node::Or(_)))?;
            word = " AND ";
        }
        Ok(())
    }

    fn node(&mut self, node: &Node<'_>) -> Result<(), Refusal> {
        match node {
            Node::And(all) => self.joined(all, " AND "),
            Node::Or(all) => self.joined(all, " OR "),
            Node::Not(inner) => {
                self.push("NOT ");
                self.grouped(inner, true)
            }
            Node::Compare { op, left, right } => {
                self.operand(left)?;
                self.push(&format!(" {} ", op.symbol()));
                self.operand(right)
            }
            Node::Between { operand, low, high } => {
                self.operand(operand)?;
                self.push(" BETWEEN ");
                self.operand(low)?;
                self.push(" AND ");
                self.operand(high)
            }
            Node::In { operand, list } => {
                self.operand(operand)?;
                self.push(" IN [");
                self.list(list)?;
                self.push("]");
                Ok(())
            }
            Node::Function(call) => match (call.name, call.args.as_slice()) {
                (FunctionName::AttributeExists, [path]) => {
                    self.operand(path)?;
                    self.push(" IS NOT MISSING");
                    Ok(())
                }
                (FunctionName::AttributeNotExists, [path]) => {
                    self.operand(path)?;
                    self.push(" IS MISSING");
                    Ok(())
                }
                _ => self.call(call.name, &call.args),
            },
        }
    }

    fn joined(&mut self, all: &[Node<'_>], with: &str) -> Result<(), Refusal> {
        for (at, node) in all.iter().enumerate() {
            self.push(if at > 0 { with } else { "" });
            self.grouped(node, matches!(node, Node::Or(_) | Node::And(_)))?;
        }
        Ok(())
    }

    fn grouped(&mut self, node: &Node<'_>, group: bool) -> Result<(), Refusal> {
        self.push(if group { "(" } else { "" });
        self.node(node)?;
        self.push(if group { ")" } else { "" });
        Ok(())
    }

    pub(super) fn operand(&mut self, operand: &Operand<'_>) -> Result<(), Refusal> {
        match operand {
            Operand::Path(path) => {
                let text = path_text(path)?;
                self.push(&text);
                Ok(())
            }
            Operand::Value(ValueLeaf::Literal(value)) => {
                self.value(value.clone().into_owned());
                Ok(())
            }
            Operand::Value(ValueLeaf::Placeholder(text, _)) => {
                Err(Refusal::new(format!("{text} has no value")))
            }
            Operand::Function(call) if call.name == FunctionName::IfNotExists => {
                Err(Refusal::new("PartiQL has no if_not_exists"))
            }
            Operand::Function(call) => self.call(call.name, &call.args),
            Operand::Arithmetic(sum) => {
                self.operand(&sum.left)?;
                self.push(&format!(" {} ", sum.op.symbol()));
                self.operand(&sum.right)
            }
            Operand::Condition(node) => self.grouped(node, true),
        }
    }

    fn call(&mut self, function: FunctionName<'_>, args: &[Operand<'_>]) -> Result<(), Refusal> {
        self.push(&format!("{}(", function.text()));
        self.list(args)?;
        self.push(")");
        Ok(())
    }

    fn list(&mut self, all: &[Operand<'_>]) -> Result<(), Refusal> {
        for (at, operand) in all.iter().enumerate() {
            self.push(if at > 0 { ", " } else { "" });
            self.operand(operand)?;
        }
        Ok(())
    }
}

pub(super) fn path_text(path: &Path<'_>) -> Result<String, Refusal> {
    let mut out = String::new();
    for segment in path.segments() {
        match segment {
            Segment::Name(name) => {
                out.push_str(if out.is_empty() { "" } else { "." });
                out.push_str(&quoted(name));
            }
            Segment::Index(index) => out.push_str(&format!("[{index}]")),
            Segment::Placeholder(text) => return Err(Refusal::new(format!("{text} has no name"))),
        }
    }
    Ok(out)
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
