//! ExecuteTransaction: up to 100 statements that read, or that write, all or none.

use super::plan::{Plan, PlanFault};
use super::{source, write};
use crate::capacity::{Meters, ReadMode, Side};
use crate::catalog::Table;
use crate::digest::statements_digest;
use crate::engine::Inner;
use crate::error::Fault;
use crate::insights::Heat;
use crate::pending::Pending;
use crate::token::Token;
use crate::transact::{Faults, Transacted, cancelled, check_distinct, check_size, reasons};
use crate::write::check_key;
use bothways_core::partiql::{Columns, KeyFault, Parsed, Statement, Verb};
use bothways_core::{Item, Value, limits};
use bothways_protocol::types::{
    ExecuteTransactionInput, ExecuteTransactionOutput, ItemResponse, ParameterizedStatement,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, ErrorKind, Message, Response};
use bytes::Bytes;
use std::sync::Arc;

/// A statement with its table, `None` where there is none of that name.
type Named<'s> = (Parsed<'s>, Option<Arc<Table>>);

impl Inner {
    pub(crate) fn execute_transaction(
        &self,
        cx: &Context,
        input: &ExecuteTransactionInput,
    ) -> Result<Pending, Fault> {
        validate::execute_transaction(input)?;
        let given = input.transact_statements.as_deref().unwrap_or_default();
        let parameters = given
            .iter()
            .map(|one| validate::parameters(one.parameters.as_ref()));
        let parameters: Vec<Vec<&Value>> = parameters.collect::<Result<_, _>>()?;
        let mut named: Vec<Named<'_>> = Vec::with_capacity(given.len());
        for (position, one) in given.iter().enumerate() {
            named.push(in_statement(position, self.named(cx, one))?);
        }
        let reads = named
            .iter()
            .filter(|(parsed, _)| parsed.verb() == Verb::Select);
        match reads.count() {
            0 => self.write_transaction(cx, &named, &parameters, input),
            count if count == named.len() => self.read_transaction(&named, &parameters, input),
            _ => Err(Message::StatementTransactionMixed.into()),
        }
    }

    fn named<'s>(&self, cx: &Context, one: &'s ParameterizedStatement) -> Result<Named<'s>, Fault> {
        let parsed = Parsed::read(one.statement.as_deref().unwrap_or_default())?;
        let table = match self.table(cx, Some(validate::table_name(parsed.table()))) {
            Ok(table) => Some(table),
            Err(Fault::Answer(error)) if error.kind == ErrorKind::ResourceNotFound => None,
            Err(fault) => return Err(fault),
        };
        if table.is_some() {
            if parsed.index().is_some() {
                return Err(Message::StatementTransactionIndex.into());
            }
            if parsed.returning().is_some() {
                return Err(Message::StatementReturningTransaction.into());
            }
        }
        Ok((parsed, table))
    }

    /// Reads every item in one snapshot.
    fn read_transaction(
        &self,
        named: &[Named<'_>],
        parameters: &[Vec<&Value>],
        input: &ExecuteTransactionInput,
    ) -> Result<Pending, Fault> {
        let mut faults = Faults::default();
        let mut located = Vec::with_capacity(named.len());
        for (position, ((parsed, table), parameters)) in named.iter().zip(parameters).enumerate() {
            let one = match table {
                None => Err(Fault::misfit(Message::TableNotFound)),
                Some(table) => locate(parsed, table, parameters),
            };
            located.extend(in_statement(position, faults.note(one))?);
        }
        faults.cancel(named.len())?;
        check_distinct(located.iter().map(|(_, key, _)| key))?;
        let snapshot = self.store.snapshot()?;
        let mut meters = Meters::new(Side::Read);
        let mut responses = Vec::with_capacity(located.len());
        let mut bytes = 0;
        for (table, key, columns) in located {
            let item = snapshot.get(&key)?.map(Item::from_bytes).transpose()?;
            let size = item.as_ref().map_or(0, Item::size);
            let units = ReadMode::Transactional.units(size);
            if let Some(item) = &item {
                table.count_read(item, Heat::reading(units));
            }
            bytes += size;
            if bytes > limits::TRANSACTION_BYTES {
                return Err(Message::TransactionTooLarge.into());
            }
            meters
                .of(table)
                .charge_table(ReadMode::Transactional.units(size));
            responses.push(ItemResponse {
                item: item.map(|item| columns.apply(item)),
            });
        }
        let output = ExecuteTransactionOutput {
            responses: Some(responses),
            consumed_capacity: meters.report(input.return_consumed_capacity),
        };
        let answer = Response::ExecuteTransaction(Box::new(output));
        Ok(Pending::ready(answer))
    }

    fn write_transaction(
        &self,
        cx: &Context,
        named: &[Named<'_>],
        parameters: &[Vec<&Value>],
        input: &ExecuteTransactionInput,
    ) -> Result<Pending, Fault> {
        let mut faults = Faults::default();
        let (mut givens, mut plans) = (Vec::new(), Vec::new());
        for (position, ((parsed, table), parameters)) in named.iter().zip(parameters).enumerate() {
            let one = match table {
                None => Err(Fault::misfit(Message::TableNotFound)),
                Some(table) => parsed
                    .bind(parameters)
                    .map_err(Fault::from)
                    .and_then(|statement| {
                        write::prepare_in_transaction(Arc::clone(table), statement)
                    }),
            };
            if let Some((given, plan)) = in_statement(position, faults.note(one))? {
                givens.push(given);
                plans.push(plan);
            }
        }
        faults.cancel(named.len())?;
        let (mut writes, mut inserts) = (Vec::new(), Vec::new());
        for (plan, given) in plans.into_iter().zip(&givens) {
            let (write, insert, _) = plan.with(given);
            writes.push(write);
            inserts.push(insert);
        }
        check_distinct(writes.iter().map(|write| &write.key))?;
        check_size(&writes)?;
        let given = input.transact_statements.as_deref().unwrap_or_default();
        let token = input.client_request_token.as_deref();
        let token =
            token.map(|text| Token::new(&self.namespace(cx), text, statements_digest(given)));
        let (done, ticket) = self.transact(&writes, token.as_ref())?;
        let answer = match done {
            Transacted::Done(meters) => Ok(Response::ExecuteTransaction(Box::new(
                ExecuteTransactionOutput {
                    responses: Some(Vec::new()),
                    consumed_capacity: meters.report(input.return_consumed_capacity),
                },
            ))),
            Transacted::TooLarge => Err(Message::TransactionTooLarge.into()),
            Transacted::Refused(refusals) => {
                let returns: Vec<_> = given
                    .iter()
                    .map(|one| one.return_values_on_condition_check_failure)
                    .collect();
                let mut reasons = reasons(refusals, &returns);
                for (reason, _) in reasons
                    .iter_mut()
                    .zip(&inserts)
                    .filter(|(reason, insert)| **insert && reason.code == "ConditionalCheckFailed")
                {
                    reason.code = "DuplicateItem".into();
                    reason.message = Some(Message::DuplicateItem.text());
                }
                Err(cancelled(reasons))
            }
        };
        Ok(Pending::after(ticket, answer))
    }
}

/// A fault of a statement as AWS words it for a transaction. Those that cancel it stay as they are.
fn in_statement<T>(position: usize, result: Result<T, Fault>) -> Result<T, Fault> {
    result.map_err(|fault| match fault {
        Fault::Answer(error) => Message::StatementOf {
            position,
            fault: error.message.into_owned(),
        }
        .into(),
        other => other,
    })
}

/// The key of a read and what is made of its item.
fn locate<'t, 'p>(
    parsed: &'p Parsed<'_>,
    table: &'t Arc<Table>,
    parameters: &[&'p Value],
) -> Result<(&'t Arc<Table>, Bytes, Columns<'p>), Fault> {
    let Statement::Select(select) = parsed.bind(parameters)? else {
        return Err(Message::StatementTransactionMixed.into());
    };
    let key = match Plan::of(&source(table, parsed)?, &select) {
        Ok(plan) => plan.point.ok_or(Message::StatementTransactionKey)?,
        Err(PlanFault::Key(KeyFault::Type { .. })) => {
            return Err(Fault::misfit(Message::KeyMismatch));
        }
        Err(fault) => return Err(fault.into()),
    };
    Ok((table, check_key(table, &key)?, select.columns))
}
