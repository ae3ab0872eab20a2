//! A statement as written to trees: parameters put in, every expression checked.

mod condition;
mod update;
mod value;

use super::ast::{Expr, ExprKind, Select as Written, Step, Syntax};
use super::error::{At, Fault};
use super::{Column, Columns, Select, Statement};
use crate::expr::{self, Path, Segment, Span};
use crate::limits::{LIST_INDEX, NESTING_LEVELS};
use crate::{Item, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

type Result<T> = std::result::Result<T, Fault>;

/// Knows the text, for positions, and the parameters.
pub(super) struct Binder<'p, 'b> {
    text: &'p str,
    parameters: &'b [&'p Value],
}

impl<'p, 'b> Binder<'p, 'b> {
    pub(super) fn new(text: &'p str, parameters: &'b [&'p Value]) -> Self {
        Self { text, parameters }
    }

    pub(super) fn statement(&self, syntax: &'p Syntax<'_>) -> Result<Statement<'p>> {
        Ok(match syntax {
            Syntax::Select(select) => Statement::Select(self.select(select)?),
            Syntax::Exists(select) => Statement::Exists(self.select(select)?),
            Syntax::Insert { item, .. } => Statement::Insert(self.item(item)?),
            Syntax::Update {
                changes,
                condition,
                returning,
                ..
            } => Statement::Update {
                condition: self.filter(condition.as_ref())?,
                update: self.update(changes)?,
                returning: *returning,
            },
            Syntax::Delete {
                condition,
                returning,
                ..
            } => Statement::Delete {
                condition: self.filter(condition.as_ref())?,
                returning: *returning,
            },
        })
    }

    fn at(&self, span: Span) -> At {
        At::of(self.text, span)
    }

    fn select(&self, written: &'p Written<'_>) -> Result<Select<'p>> {
        let columns = match &written.columns {
            None => Columns::All,
            Some(columns) => self.columns(columns)?,
        };
        let order = written.order.iter().map(|(by, descending)| match &by.kind {
            ExprKind::Path(name, steps) if steps.is_empty() => Ok((name.as_ref(), *descending)),
            kind => Err(Fault::OrderOperand { name: kind.name() }),
        });
        Ok(Select {
            columns,
            condition: self.filter(written.condition.as_ref())?,
            order: order.collect::<Result<_>>()?,
        })
    }

    fn columns(&self, written: &'p [Expr<'_>]) -> Result<Columns<'p>> {
        let mut seen = HashSet::new();
        let mut named = Vec::with_capacity(written.len());
        for expr in written {
            let column = Column::of(self.path(expr)?);
            if !seen.insert(column.name.clone()) {
                return Err(Fault::ColumnTwice { name: column.name });
            }
            named.push(column);
        }
        Ok(Columns::Named(named))
    }

    /// The item of an INSERT. Parameters stand for whole attributes.
    fn item(&self, written: &'p Expr<'_>) -> Result<Item> {
        let ExprKind::Struct(members) = &written.kind else {
            return Err(Fault::InsertForm);
        };
        let mut attributes: BTreeMap<Cow<'p, str>, Value> = BTreeMap::new();
        for (key, value) in members {
            let name = value::key(key, "root")?;
            let value = match &value.kind {
                ExprKind::Parameter(index) => self.parameter(*index)?.clone(),
                _ => self.literal(value)?,
            };
            if attributes.contains_key(name) {
                return Err(value::twice(name, "root"));
            }
            attributes.insert(name.into(), value);
        }
        Ok(Item::from_attributes(attributes))
    }

    fn parameter(&self, index: usize) -> Result<&'p Value> {
        let found = self.parameters.get(index);
        found.copied().ok_or(Fault::ParameterCount)
    }

    fn path(&self, written: &'p Expr<'_>) -> Result<Path<'p>> {
        let ExprKind::Path(head, steps) = &written.kind else {
            return Err(Fault::PathComponent {
                at: self.at(written.span),
            });
        };
        let levels = steps.len() + 1;
        if levels > NESTING_LEVELS {
            return Err(expr::Fault::PathTooDeep { levels }.into());
        }
        if head.is_empty() {
            return Err(Fault::SourceEmpty);
        }
        let mut path = Path::attribute(head.as_ref());
        for step in steps {
            path.tail.push(match step {
                Step::Name(name) if name.is_empty() => return Err(Fault::SourceEmpty),
                Step::Name(name) => Segment::Name(name.as_ref().into()),
                Step::Index(index) => self.index(index)?,
                Step::Wildcard => return Err(Fault::Wildcard),
                Step::Unpivot => return Err(Fault::Unpivot),
            });
        }
        Ok(path)
    }

    /// `[n]`, or `['name']`, which is another way to write `.name`.
    fn index(&self, written: &'p Expr<'_>) -> Result<Segment<'p>> {
        let at = self.at(written.span);
        match &written.kind {
            ExprKind::Text(name) => Ok(Segment::Name(name.as_ref().into())),
            ExprKind::Number(text, negative) => {
                let found = text.parse::<u32>().ok();
                let found = found.filter(|index| *index <= LIST_INDEX);
                let found = found.filter(|index| *index == 0 || !negative);
                found.map(Segment::Index).ok_or_else(|| Fault::IndexRange {
                    index: format!("{}{text}", if *negative { "-" } else { "" }),
                    at,
                })
            }
            _ => Err(Fault::PathComponent { at }),
        }
    }
}
