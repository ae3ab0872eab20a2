//! Literals.

use super::{Binder, Result};
use crate::limits::NESTING_LEVELS;
use crate::partiql::ast::{Expr, ExprKind};
use crate::partiql::error::Fault;
use crate::{Number, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A step from a value's root, for messages: `root.a[0]`.
enum Under<'e> {
    Key(&'e str),
    Index(usize),
}

fn under(steps: &[Under<'_>]) -> String {
    let mut out = String::from("root");
    for step in steps {
        // Writing into a String cannot fail.
        let _ = match step {
            Under::Key(key) => write!(out, ".{key}"),
            Under::Index(index) => write!(out, "[{index}]"),
        };
    }
    out
}

/// The name of a map's member or an attribute.
pub(super) fn key<'e>(written: &'e Expr<'_>, under: &str) -> Result<&'e str> {
    match &written.kind {
        ExprKind::Text(name) if name.is_empty() => Err(Fault::EmptyName),
        ExprKind::Text(name) => Ok(name),
        kind => Err(Fault::KeyNoString {
            actual: kind.name(),
            under: under.to_owned(),
        }),
    }
}

pub(super) fn twice(key: &str, under: &str) -> Fault {
    Fault::DuplicateKey {
        key: key.to_owned(),
        under: under.to_owned(),
    }
}

fn written(text: &str, negative: bool) -> String {
    format!("{}{text}", if negative { "-" } else { "" })
}

impl Binder<'_, '_> {
    /// The value of a literal that holds no parameter.
    pub(super) fn literal(&self, expr: &Expr<'_>) -> Result<Value> {
        self.value(expr, &mut Vec::new())
    }

    fn value<'e>(&self, expr: &'e Expr<'_>, steps: &mut Vec<Under<'e>>) -> Result<Value> {
        if steps.len() >= NESTING_LEVELS {
            return Err(Fault::Nesting {
                under: under(steps),
            });
        }
        Ok(match &expr.kind {
            ExprKind::Text(text) => Value::S(text.clone().into_owned()),
            ExprKind::Number(text, negative) => Value::N(number(text, *negative, steps)?),
            ExprKind::Bool(flag) => Value::Bool(*flag),
            ExprKind::Null => Value::Null,
            ExprKind::Missing => return Err(Fault::Missing),
            ExprKind::List(elements) => {
                let mut list = Vec::with_capacity(elements.len());
                for (index, element) in elements.iter().enumerate() {
                    steps.push(Under::Index(index));
                    list.push(self.value(element, steps)?);
                    steps.pop();
                }
                Value::L(list)
            }
            ExprKind::Struct(members) => {
                let mut map = BTreeMap::new();
                for (name, member) in members {
                    let name = key(name, &under(steps))?;
                    if map.contains_key(name) {
                        return Err(twice(name, &under(steps)));
                    }
                    steps.push(Under::Key(name));
                    map.insert(name.to_owned(), self.value(member, steps)?);
                    steps.pop();
                }
                Value::M(map)
            }
            ExprKind::Bag(members) => set(members, steps)?,
            kind => {
                return Err(Fault::DataType {
                    name: kind.name(),
                    under: under(steps),
                    at: self.at(expr.span),
                });
            }
        })
    }
}

fn number(text: &str, negative: bool, steps: &[Under<'_>]) -> Result<Number> {
    let parsed = Number::parse(&written(text, negative));
    parsed.map_err(|error| Fault::Number {
        error,
        under: under(steps),
    })
}

/// A set of strings or numbers; binary ones come as parameters only.
fn set(members: &[Expr<'_>], steps: &[Under<'_>]) -> Result<Value> {
    match members.first().map(|member| &member.kind) {
        None => Err(Fault::EmptyBag),
        Some(ExprKind::Text(_)) => {
            let texts = members.iter().map(|member| match &member.kind {
                ExprKind::Text(text) => Ok(text.clone().into_owned()),
                _ => Err(Fault::MixedBag),
            });
            let texts = texts.collect::<Result<Vec<String>>>()?;
            let set: BTreeSet<String> = texts.iter().cloned().collect();
            if set.len() < texts.len() {
                return Err(Fault::DuplicateStrings { members: texts });
            }
            Ok(Value::Ss(set))
        }
        Some(ExprKind::Number(..)) => {
            let mut set = BTreeSet::new();
            for member in members {
                let ExprKind::Number(text, negative) = &member.kind else {
                    return Err(Fault::MixedBag);
                };
                set.insert(number(text, *negative, steps)?);
            }
            if set.len() == members.len() {
                return Ok(Value::Ns(set));
            }
            let as_written = members.iter().filter_map(|member| match &member.kind {
                ExprKind::Number(text, negative) => Some(written(text, *negative)),
                _ => None,
            });
            Err(Fault::DuplicateNumbers {
                members: as_written.collect(),
                under: under(steps),
            })
        }
        Some(_) => Err(Fault::MixedBag),
    }
}
