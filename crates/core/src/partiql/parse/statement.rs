//! Statements and their clauses.

use super::{Malformed, Parser, Result, malformed};
use crate::partiql::Returning;
use crate::partiql::ast::{Change, Expr, ExprKind, Select, Step, Syntax, Target};
use crate::partiql::error::{At, Fault};
use crate::partiql::lex::{Kind, tokens};
use std::borrow::Cow;

/// Parses a statement; also says how many parameters it has.
pub(in crate::partiql) fn statement(text: &str) -> Result<(Syntax<'_>, usize)> {
    let tokens = tokens(text)?;
    let parameters = tokens
        .iter()
        .filter(|token| matches!(token.kind, Kind::Parameter(_)))
        .count();
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        level: 0,
        alias: false,
    };
    let syntax = parser.statement()?;
    Ok((syntax, parameters))
}

/// Clauses of SELECT that DynamoDB does not have.
const UNSUPPORTED: [&str; 5] = ["GROUP", "HAVING", "LIMIT", "OFFSET", "LET"];

impl<'a> Parser<'a> {
    fn statement(&mut self) -> Result<Syntax<'a>> {
        let syntax = if self.word("select") {
            let select = self.select()?;
            self.finish()?;
            Syntax::Select(select)
        } else if self.words(&["insert", "into"]) {
            self.insert()?
        } else if self.word("update") {
            let target = self.written()?;
            let changes = self.changes()?;
            let condition = self.condition()?;
            self.update(target, changes, condition)?
        } else if self.word("delete") {
            self.delete()?
        } else if self.is_word("from") {
            self.update_from_first()?
        } else {
            self.other()?
        };
        if self.alias {
            return Err(Fault::Alias);
        }
        Ok(syntax)
    }

    fn finish(&mut self) -> Result<()> {
        self.symbol(";");
        if self.token().kind == Kind::End {
            return Ok(());
        }
        malformed(Malformed::Leftover)
    }

    /// EXISTS, or an expression, which is no statement.
    fn other(&mut self) -> Result<Syntax<'a>> {
        let found = self.expression()?;
        self.finish()?;
        match found.kind {
            ExprKind::Call(name, mut args)
                if name.eq_ignore_ascii_case("exists") && args.len() == 1 =>
            {
                match args.pop().map(|arg| arg.kind) {
                    Some(ExprKind::Select(select)) => Ok(Syntax::Exists(*select)),
                    _ => Err(Fault::Operation {
                        name: "exists".to_owned(),
                    }),
                }
            }
            kind => Err(Fault::Operation { name: kind.name() }),
        }
    }

    /// A SELECT, its keyword taken.
    pub(super) fn select(&mut self) -> Result<Select<'a>> {
        self.deeper()?;
        if self.is_word("distinct") {
            return Err(self.unsupported("DISTINCT"));
        }
        if self.is_word("value") {
            return Err(Fault::SelectValue);
        }
        let columns = if self.symbol("*") {
            None
        } else {
            Some(self.columns()?)
        };
        if !self.word("from") {
            return malformed(Malformed::Token("FROM"));
        }
        let source = self.path()?;
        self.alias();
        if self.is_symbol(",") || self.is_word("join") || self.is_word("cross") {
            return Err(Fault::ManySources);
        }
        let condition = self.condition()?;
        let order = if self.words(&["order", "by"]) {
            self.order()?
        } else {
            Vec::new()
        };
        if let Some(clause) = UNSUPPORTED.iter().find(|clause| self.is_word(clause)) {
            return Err(self.unsupported(clause));
        }
        self.level -= 1;
        Ok(Select {
            columns,
            target: target(source)?,
            condition,
            order,
        })
    }

    fn unsupported(&self, clause: &str) -> Fault {
        Fault::Clause {
            clause: clause.to_owned(),
            at: At::of(self.text, self.token().span),
        }
    }

    fn columns(&mut self) -> Result<Vec<Expr<'a>>> {
        let mut columns = Vec::new();
        loop {
            columns.push(self.expression()?);
            self.alias();
            if !self.symbol(",") {
                return Ok(columns);
            }
        }
    }

    fn order(&mut self) -> Result<Vec<(Expr<'a>, bool)>> {
        let mut order = Vec::new();
        loop {
            let by = self.expression()?;
            let descending = self.word("desc");
            if !descending {
                self.word("asc");
            }
            order.push((by, descending));
            if !self.symbol(",") {
                return Ok(order);
            }
        }
    }

    /// Takes an alias, with or without AS.
    fn alias(&mut self) {
        let named = self.word("as") || self.word("at") || self.word("by");
        if self.identifier().is_some() || named {
            self.alias = true;
        }
    }

    fn condition(&mut self) -> Result<Option<Expr<'a>>> {
        if !self.word("where") {
            return Ok(None);
        }
        self.expression().map(Some)
    }

    /// An INSERT, its two keywords taken.
    fn insert(&mut self) -> Result<Syntax<'a>> {
        let path = self.simple_path()?;
        if !self.word("value") {
            self.word("values");
            // INSERT INTO table items: several at once, which DynamoDB does not take.
            self.expression()?;
            self.finish()?;
            return Err(Fault::InsertMany);
        }
        let item = self.expression()?;
        if self.is_word("returning") {
            self.returning()?;
            self.finish()?;
            return Err(Fault::ReturningInsert);
        }
        self.finish()?;
        let target = target(path)?;
        if target.index.is_some() {
            return Err(Fault::InsertIndex);
        }
        Ok(Syntax::Insert { target, item })
    }

    /// What an UPDATE or DELETE writes.
    fn written(&mut self) -> Result<Expr<'a>> {
        let path = self.simple_path()?;
        self.alias();
        Ok(path)
    }

    fn changes(&mut self) -> Result<Vec<Change<'a>>> {
        let mut changes = Vec::new();
        loop {
            if self.word("set") {
                loop {
                    let path = self.simple_path()?;
                    self.expect("=", "EQ")?;
                    changes.push(Change::Set(path, self.expression()?));
                    if !self.symbol(",") {
                        break;
                    }
                }
            } else if self.word("remove") {
                changes.push(Change::Remove(self.simple_path()?));
            } else if changes.is_empty() {
                return malformed(Malformed::DataManipulation);
            } else {
                return Ok(changes);
            }
        }
    }

    /// What follows the changes and the condition of an UPDATE.
    fn update(
        &mut self,
        path: Expr<'a>,
        changes: Vec<Change<'a>>,
        condition: Option<Expr<'a>>,
    ) -> Result<Syntax<'a>> {
        let returning = self.returning()?;
        self.finish()?;
        Ok(Syntax::Update {
            target: base_table(path)?,
            changes,
            condition,
            returning,
        })
    }

    /// `FROM table WHERE … SET …`: an UPDATE, its condition first.
    pub(super) fn update_from_first(&mut self) -> Result<Syntax<'a>> {
        self.deeper()?;
        self.at += 1;
        let path = self.path()?;
        self.alias();
        let condition = self.condition()?;
        let changes = self.changes()?;
        self.level -= 1;
        self.update(path, changes, condition)
    }

    fn delete(&mut self) -> Result<Syntax<'a>> {
        if !self.word("from") {
            return malformed(Malformed::Token("FROM"));
        }
        let path = self.written()?;
        let condition = self.condition()?;
        let returning = self.returning()?;
        self.finish()?;
        if let Some(clause) = returning.filter(|clause| *clause != Returning::AllOld) {
            return Err(Fault::ReturningDelete {
                clause: clause.text(),
            });
        }
        Ok(Syntax::Delete {
            target: base_table(path)?,
            condition,
            returning,
        })
    }

    fn returning(&mut self) -> Result<Option<Returning>> {
        if !self.word("returning") {
            return Ok(None);
        }
        let all = self.word("all");
        if !all && !self.word("modified") {
            return malformed(Malformed::Token("RETURNING_ELEM"));
        }
        let old = self.word("old");
        if !old && !self.word("new") {
            return malformed(Malformed::Token("RETURNING_ELEM"));
        }
        if !self.symbol("*") {
            return Err(Fault::ReturningStar);
        }
        if self.is_symbol(",") {
            return Err(Fault::ReturningMany);
        }
        Ok(Some(match (all, old) {
            (true, true) => Returning::AllOld,
            (true, false) => Returning::AllNew,
            (false, true) => Returning::ModifiedOld,
            (false, false) => Returning::ModifiedNew,
        }))
    }
}

/// The table, and perhaps index, that a path names.
fn target(path: Expr<'_>) -> Result<Target<'_>> {
    let ExprKind::Path(table, steps) = path.kind else {
        return Err(Fault::Source);
    };
    if steps.len() > 1 {
        return Err(Fault::SourceParts);
    }
    let index = match steps.into_iter().next() {
        None => None,
        Some(
            Step::Name(name)
            | Step::Index(Expr {
                kind: ExprKind::Text(name),
                ..
            }),
        ) => Some(name),
        Some(_) => return Err(Fault::Source),
    };
    let empty = |name: &Cow<'_, str>| name.is_empty();
    if empty(&table) || index.as_ref().is_some_and(empty) {
        return Err(Fault::SourceEmpty);
    }
    Ok(Target { table, index })
}

/// A table that is written: indexes are not.
fn base_table(path: Expr<'_>) -> Result<Target<'_>> {
    let target = target(path)?;
    if target.index.is_some() {
        return Err(Fault::WriteIndex);
    }
    Ok(target)
}
