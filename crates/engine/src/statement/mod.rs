//! PartiQL: ExecuteStatement, BatchExecuteStatement, ExecuteTransaction.
//!
//! A statement becomes what the other operations work with: [`plan`] finds the ranges that a WHERE clause selects,
//! [`select`] reads them by the pages of Query and Scan; [`write`] makes one action of an INSERT, UPDATE or DELETE, which
//! takes the path of every other write. Nothing is read or written beside those.

mod batch;
mod plan;
mod select;
mod token;
mod transaction;
mod write;

use crate::capacity::{Meter, Side};
use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use crate::pending::Pending;
use crate::read::Source;
use crate::write::Applied;
use bothways_core::Value;
use bothways_core::partiql::{Parsed, Statement};
use bothways_protocol::types::{ExecuteStatementInput, ExecuteStatementOutput};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use std::sync::Arc;

impl Inner {
    pub(crate) fn execute_statement(
        &self,
        cx: &Context,
        input: &ExecuteStatementInput,
    ) -> Result<Pending, Fault> {
        validate::execute_statement(input)?;
        let parameters = validate::parameters(input.parameters.as_ref())?;
        let text = input.statement.as_deref().unwrap_or_default();
        let parsed = Parsed::read(text)?;
        let (table, statement) = self.statement_table(cx, &parsed, &parameters)?;
        match statement {
            Statement::Exists(_) => Err(Message::StatementExists.into()),
            Statement::Select(select) => {
                let source = source(&table, &parsed)?;
                let digest = token::digest(text, &parameters, table.id());
                let answer = self.select(&source, &select, input, digest)?;
                Ok(Pending::ready(answer))
            }
            statement => self.write_statement(table, statement, input),
        }
    }

    /// The table that a statement names, and the statement with its parameters. What is wrong with the statement comes
    /// before a table that there is not, and after what PartiQL cannot read of one that there is. Source:
    /// `paritysuite/dynamodb-conformance`, validation-ordering/partiql and error-messages/partiqlMultiAttributeIndex.
    fn statement_table<'p>(
        &self,
        cx: &Context,
        parsed: &'p Parsed<'_>,
        parameters: &[&'p Value],
    ) -> Result<(Arc<Table>, Statement<'p>), Fault> {
        let bound = parsed.bind(parameters);
        let table = match self.table(cx, Some(validate::table_name(parsed.table()))) {
            Ok(table) => table,
            Err(missing) => return Err(bound.err().map_or(missing, Fault::from)),
        };
        source(&table, parsed)?;
        Ok((table, bound?))
    }

    fn write_statement(
        &self,
        table: Arc<Table>,
        statement: Statement<'_>,
        input: &ExecuteStatementInput,
    ) -> Result<Pending, Fault> {
        let (given, plan) = write::prepare(table, statement)?;
        let (write, insert, returning) = plan.with(&given);
        let (applied, ticket) = self.apply(std::slice::from_ref(&write))?;
        let answer = match applied {
            Applied::Done(outcomes) => {
                let mut meter = Meter::new(Side::Plain);
                let outcome = outcomes.into_iter().next().ok_or(Fault::Dangling)?;
                outcome.charge(&mut meter, 1);
                let item = write::returned(outcome, &write.action, returning);
                Ok(Response::ExecuteStatement(Box::new(
                    ExecuteStatementOutput {
                        items: Some(item.into_iter().collect()),
                        consumed_capacity: meter
                            .report(&write.table, input.return_consumed_capacity),
                        ..ExecuteStatementOutput::default()
                    },
                )))
            }
            Applied::Refused(refusals) => Err(write::refused(
                refusals,
                insert,
                input.return_values_on_condition_check_failure,
            )),
        };
        Ok(Pending::after(ticket, answer))
    }
}

/// The table or index that a statement reads.
fn source<'t>(table: &'t Table, parsed: &Parsed<'_>) -> Result<Source<'t>, Fault> {
    let mut vectors = table.indexes.iter().filter(|own| own.vector.is_some());
    if vectors.any(|own| parsed.index() == Some(&*own.name)) {
        return Err(Message::VectorScan.into());
    }
    let source = Source::find(table, parsed.index());
    let source = source.map_err(|_| Message::StatementIndexNotFound)?;
    let key = source.schema();
    if key.hash.len() > 1 || key.range.len() > 1 {
        return Err(Message::StatementMultiKey.into());
    }
    Ok(source)
}
