//! Update expressions: clauses of actions.

use super::{Keyword, Parser, levels};
use crate::expr::ast::{Clause, UpdateAction, UpdateTree, ValueLeaf};
use crate::expr::error::Fault;
use crate::expr::lex::Kind;

/// Parses an update.
pub(in crate::expr) fn update(text: &str) -> Result<UpdateTree<'_>, Fault> {
    let mut parser = Parser::new(text)?;
    let mut tree = UpdateTree::default();
    let mut seen = Vec::with_capacity(4);
    while let Some(clause) = clause(&parser) {
        parser.advance();
        if seen.contains(&clause) {
            tree.repeated = tree.repeated.or(Some(clause));
        } else {
            seen.push(clause);
        }
        loop {
            tree.actions.push(action(&mut parser, clause)?);
            if !parser.accept(Kind::Symbol(b',')) {
                break;
            }
        }
    }
    if tree.actions.is_empty() {
        return Err(parser.syntax());
    }
    parser.finish()?;
    Ok(tree)
}

fn clause(parser: &Parser<'_>) -> Option<Clause> {
    Some(match parser.keyword()? {
        Keyword::Set => Clause::Set,
        Keyword::Remove => Clause::Remove,
        Keyword::Add => Clause::Add,
        Keyword::Delete => Clause::Delete,
        _ => return None,
    })
}

fn action<'a>(parser: &mut Parser<'a>, clause: Clause) -> Result<UpdateAction<'a>, Fault> {
    let path = parser.path()?;
    Ok(match clause {
        Clause::Set => {
            parser.expect(Kind::Symbol(b'='))?;
            UpdateAction::Set(path, levels::set_value(parser)?)
        }
        Clause::Remove => UpdateAction::Remove(path),
        Clause::Add => UpdateAction::Add(path, value(parser)?),
        Clause::Delete => UpdateAction::Delete(path, value(parser)?),
    })
}

fn value<'a>(parser: &mut Parser<'a>) -> Result<ValueLeaf<'a>, Fault> {
    let token = parser.expect(Kind::Value)?;
    Ok(ValueLeaf::Placeholder(parser.text(token), token.span))
}
