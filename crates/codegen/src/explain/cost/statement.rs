//! PartiQL: a list read, items read by their keys, writes.

use super::read::{self, List};
use super::write::{Old, Written};
use super::{Estimate, Sizes};
use crate::Schema;
use bothways_core::Value;
use bothways_core::expr::Node;
use bothways_core::partiql::{Parsed, Statement};
use bothways_protocol::Request;
use bothways_protocol::types::Given;

/// One statement of a request.
struct One<'a> {
    text: Option<&'a str>,
    parameters: Option<&'a Vec<Given<Value>>>,
    /// Halves of units for a block read.
    halves: u64,
    /// Units for each KB written.
    times: u64,
}

pub(super) fn of(
    request: &Request,
    schema: Option<&Schema>,
    sizes: Option<&Sizes>,
) -> Option<Estimate> {
    match request {
        Request::ExecuteStatement(input) => {
            let one = One {
                text: input.statement.as_deref(),
                parameters: input.parameters.as_ref(),
                halves: read::halves(input.consistent_read),
                times: 1,
            };
            alone(&one, read::limit(input.limit), schema, sizes)
        }
        Request::BatchExecuteStatement(input) => {
            let all = input.statements.as_deref()?;
            let ones = all.iter().map(|each| One {
                text: each.statement.as_deref(),
                parameters: each.parameters.as_ref(),
                halves: read::halves(each.consistent_read),
                times: 1,
            });
            by_keys(ones, all.len(), schema, sizes)
        }
        Request::ExecuteTransaction(input) => {
            let all = input.transact_statements.as_deref()?;
            let ones = all.iter().map(|each| One {
                text: each.statement.as_deref(),
                parameters: each.parameters.as_ref(),
                halves: read::TRANSACTIONAL,
                times: 2,
            });
            by_keys(ones, all.len(), schema, sizes)
        }
        _ => None,
    }
}

impl One<'_> {
    fn priced(
        &self,
        priced: impl FnOnce(&Parsed<'_>, Statement<'_>) -> Option<Estimate>,
    ) -> Option<Estimate> {
        let parsed = Parsed::read(self.text?).ok()?;
        let given = self.parameters.into_iter().flatten();
        let parameters: Vec<&Value> = given.map(|given| &given.value).collect();
        let bound = parsed.bind(&parameters).ok()?;
        priced(&parsed, bound)
    }

    fn written(
        &self,
        parsed: &Parsed<'_>,
        statement: &Statement<'_>,
        schema: Option<&Schema>,
        old: Old,
    ) -> Option<Estimate> {
        let table = Written::of(parsed.table(), schema, self.times);
        match statement {
            Statement::Insert(item) => table.fresh(item),
            Statement::Update { update, .. } => table.update(None, Some(update), old),
            Statement::Delete { .. } => table.delete(old),
            Statement::Exists(_) => table.check(old),
            Statement::Select(_) => None,
        }
    }
}

fn alone(
    one: &One<'_>,
    limit: Option<u64>,
    schema: Option<&Schema>,
    sizes: Option<&Sizes>,
) -> Option<Estimate> {
    one.priced(|parsed, statement| match &statement {
        Statement::Select(select) if parsed.index().is_none() => {
            let list = List {
                halves: one.halves,
                limit,
                beyond: false,
                everything: select.condition.is_none(),
            };
            let mut estimate = list.estimate(sizes?);
            // Each partition that the clause names is rounded by itself: only the caller knows how many items are where.
            if select.condition.as_ref().is_some_and(is_several) {
                estimate.read.most = None;
            }
            Some(estimate)
        }
        Statement::Select(_) => None,
        written => one.written(parsed, written, schema, Old::of(sizes, 0, 1)?),
    })
}

/// Each of them names the key of its item.
fn by_keys<'a>(
    ones: impl Iterator<Item = One<'a>>,
    all: usize,
    schema: Option<&Schema>,
    sizes: Option<&Sizes>,
) -> Option<Estimate> {
    Estimate::of_all(ones.enumerate().map(|(at, one)| {
        one.priced(|parsed, statement| match &statement {
            Statement::Select(_) => {
                let own = sizes?.at(at, all)?;
                Some(Estimate::read(read::gets(&[one.halves], &own)?, &own))
            }
            written => one.written(parsed, written, schema, Old::of(sizes, at, all)?),
        })
    }))
}

/// Whether a clause can name several partitions or keys.
fn is_several(node: &Node<'_>) -> bool {
    match node {
        Node::Or(_) | Node::In { .. } => true,
        Node::And(all) => all.iter().any(is_several),
        _ => false,
    }
}
