//! TransactWriteItems and TransactGetItems.

use crate::capacity::{Meters, ReadMode, Side};
use crate::catalog::Table;
use crate::digest::digest;
use crate::engine::Inner;
use crate::error::Fault;
use crate::insights::Heat;
use crate::pending::Pending;
use crate::token::Token;
use crate::write::{
    Action, Applied, Manner, Outcome, Refusal, Write, check_key, check_put, check_update, count,
};
use bothways_core::{Item, limits};
use bothways_protocol::types::{
    ItemResponse, ReturnValuesOnConditionCheckFailure, TransactGetItemsInput,
    TransactGetItemsOutput, TransactWriteItemsInput, TransactWriteItemsOutput,
};
use bothways_protocol::validate;
use bothways_protocol::{CancellationReason, Context, Error, ErrorKind, Message, Response};
use bothways_store::Ticket;
use bytes::Bytes;
use std::collections::HashSet;
use std::sync::Arc;

impl Inner {
    /// Reads every item in one snapshot.
    pub(crate) fn transact_get_items(
        &self,
        cx: &Context,
        input: &TransactGetItemsInput,
    ) -> Result<Pending, Fault> {
        let plan = validate::transact_get_items(input)?;
        let mut located = Vec::with_capacity(plan.len());
        let mut faults = Faults::default();
        for get in &plan {
            let table = self.table(cx, Some(get.table_name))?;
            let key = faults.note(check_key(&table, get.key))?;
            located.push((table, key.unwrap_or_default()));
        }
        faults.cancel(plan.len())?;
        check_distinct(located.iter().map(|(_, key)| key))?;
        let snapshot = self.store.snapshot()?;
        let mut meters = Meters::new(Side::Read);
        let mut responses = Vec::with_capacity(plan.len());
        let mut bytes = 0;
        for (get, (table, key)) in plan.iter().zip(&located) {
            let item = snapshot.get(key)?.map(Item::from_bytes).transpose()?;
            let size = item.as_ref().map_or(0, Item::size);
            let units = ReadMode::Transactional.units(size);
            table.count_read(get.key, Heat::reading(units));
            bytes += size;
            if bytes > limits::TRANSACTION_BYTES {
                return Err(Message::TransactionTooLarge.into());
            }
            meters.of(table).charge_table(units);
            responses.push(ItemResponse {
                item: match &get.projection {
                    // Where it finds nothing there is no Item, other than with GetItem. Source:
                    // `paritysuite/dynamodb-conformance`, tier2/transactions/transactGet.
                    Some(projection) => item
                        .map(|item| projection.apply(&item))
                        .filter(|item| !item.is_empty()),
                    None => item,
                },
            });
        }
        let output = TransactGetItemsOutput {
            consumed_capacity: meters.report(input.return_consumed_capacity),
            responses: Some(responses),
        };
        Ok(Pending::ready(Response::TransactGetItems(Box::new(output))))
    }

    pub(crate) fn transact_write_items(
        &self,
        cx: &Context,
        input: &TransactWriteItemsInput,
    ) -> Result<Pending, Fault> {
        let plan = validate::transact_write_items(input)?;
        let mut writes = Vec::with_capacity(plan.len());
        let mut returns = Vec::with_capacity(plan.len());
        let mut faults = Faults::default();
        let count = plan.len();
        for action in plan {
            let table = self.table(cx, Some(action.table_name))?;
            returns.push(action.on_failure);
            writes.extend(faults.note(write_of(table, action))?);
        }
        faults.first().cancel(count)?;
        check_distinct(writes.iter().map(|write| &write.key))?;
        check_size(&writes)?;
        let actions = input.transact_items.as_deref().unwrap_or_default();
        let token = input.client_request_token.as_deref();
        let token = token.map(|text| Token::new(&self.namespace(cx), text, digest(actions)));
        let (done, ticket) = self.transact(&writes, token.as_ref())?;
        let answer = match done {
            Transacted::Done(meters) => Ok(Response::TransactWriteItems(Box::new(
                TransactWriteItemsOutput {
                    consumed_capacity: meters.report(input.return_consumed_capacity),
                    item_collection_metrics: self
                        .collections_of(&writes, input.return_item_collection_metrics),
                },
            ))),
            Transacted::TooLarge => Err(Message::TransactionTooLarge.into()),
            Transacted::Refused(refusals) => Err(cancelled(reasons(refusals, &returns))),
        };
        Ok(Pending::after(ticket, answer))
    }

    /// Applies every action or none, unless the token says that it has been done.
    pub(crate) fn transact(
        &self,
        writes: &[Write<'_>],
        token: Option<&Token>,
    ) -> Result<(Transacted, Ticket), Fault> {
        let keys = writes.iter().map(|write| &write.key[..]);
        let held = self
            .stripes
            .lock(keys.chain(token.map(|token| &token.key[..])))?;
        let mut rows = Vec::new();
        if let Some(token) = token {
            let now = self.options.clock.now_millis();
            if let Some(known) = self.known(token, now)? {
                let meters = self.repeated(writes)?;
                return Ok((Transacted::Done(meters), self.settled(known.seq)));
            }
            rows.extend(token.rows(now));
        }
        let (applied, ticket) = self.apply_held(&held, writes, &rows)?;
        drop(held);
        if let Some(Applied::Done(outcomes)) = &applied {
            count(writes, outcomes, 2);
        }
        let done = match applied {
            None => Transacted::TooLarge,
            Some(Applied::Done(outcomes)) => Transacted::Done(written(writes, &outcomes)),
            Some(Applied::Refused(refusals)) => Transacted::Refused(refusals),
        };
        Ok((done, ticket))
    }

    /// What a repeated token uses: nothing is written, and the items are charged as read.
    fn repeated(&self, writes: &[Write<'_>]) -> Result<Meters, Fault> {
        let mut meters = Meters::new(Side::Read);
        for write in writes {
            let item = self.store.latest(&write.key)?.value;
            let item = item.map(Item::from_bytes).transpose()?;
            let size = item.as_ref().map_or(0, Item::size);
            meters
                .of(&write.table)
                .charge_table(ReadMode::Transactional.units(size));
        }
        Ok(meters)
    }
}

/// What became of a transaction.
pub(crate) enum Transacted {
    /// It happened, now or when its token was first used; what that used.
    Done(Meters),
    /// It did not; why not, for each action that stands in the way.
    Refused(Vec<Option<Refusal>>),
    /// It did not: its items together would be too large.
    TooLarge,
}

/// What is known of a transaction's size before its items are: the items to put.
pub(crate) fn check_size(writes: &[Write<'_>]) -> Result<(), Fault> {
    let puts = writes
        .iter()
        .filter(|write| matches!(write.action, Action::Put));
    let bytes: usize = puts.map(|write| write.given.size()).sum();
    if bytes > limits::TRANSACTION_BYTES {
        return Err(Message::TransactionTooLarge.into());
    }
    Ok(())
}

fn write_of(table: Arc<Table>, action: validate::TransactAction<'_>) -> Result<Write<'_>, Fault> {
    let key = match &action.action {
        validate::TransactKind::Put => check_put(&table, action.given, Manner::Put)?,
        validate::TransactKind::Update(update) => {
            check_update(&table, Some(update))?;
            check_key(&table, action.given)?
        }
        _ => check_key(&table, action.given)?,
    };
    Ok(Write {
        table,
        key,
        given: action.given,
        action: match action.action {
            validate::TransactKind::Put => Action::Put,
            validate::TransactKind::Update(update) => Action::Update(Some(update)),
            validate::TransactKind::Delete => Action::Delete,
            validate::TransactKind::Check => Action::Check,
        },
        condition: action.condition,
    })
}

fn written(writes: &[Write<'_>], outcomes: &[Outcome]) -> Meters {
    let mut meters = Meters::new(Side::Write);
    for (write, outcome) in writes.iter().zip(outcomes) {
        outcome.charge(meters.of(&write.table), 2);
    }
    meters
}

pub(crate) fn check_distinct<'a>(keys: impl Iterator<Item = &'a Bytes>) -> Result<(), Fault> {
    let mut seen = HashSet::new();
    if { keys }.all(|key| seen.insert(key)) {
        return Ok(());
    }
    Err(Message::TransactionDuplicate.into())
}

/// Faults of single actions, by position: they cancel the transaction.
#[derive(Default)]
pub(crate) struct Faults {
    seen: usize,
    found: Vec<(usize, Error)>,
}

impl Faults {
    /// Takes the next action's result. What AWS finds wrong before it looks at single actions (an empty key)
    /// stays an error of the request.
    pub(crate) fn note<T>(&mut self, result: Result<T, Fault>) -> Result<Option<T>, Fault> {
        let position = self.seen;
        self.seen += 1;
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Fault::Misfit(error)) => {
                self.found.push((position, *error));
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    /// The first alone: TransactWriteItems does not look for those behind it, while statements tell them all.
    /// Source: scylladb/scylladb, `test_transact.py` (`cancellation_reasons_validationerror`), measured on AWS.
    fn first(mut self) -> Self {
        self.found.truncate(1);
        self
    }

    pub(crate) fn cancel(self, count: usize) -> Result<(), Fault> {
        if self.found.is_empty() {
            return Ok(());
        }
        let mut reasons = vec![no_reason(); count];
        for (position, error) in self.found {
            reasons[position] = invalid(error);
        }
        Err(cancelled(reasons))
    }
}

fn no_reason() -> CancellationReason {
    CancellationReason {
        code: "None".into(),
        ..CancellationReason::default()
    }
}

fn invalid(error: Error) -> CancellationReason {
    CancellationReason {
        code: match error.kind {
            ErrorKind::ResourceNotFound => "ResourceNotFound".into(),
            ErrorKind::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded".into(),
            _ => "ValidationError".into(),
        },
        message: Some(error.message.into_owned()),
        item: None,
    }
}

pub(crate) fn reasons(
    refusals: Vec<Option<Refusal>>,
    returns: &[Option<ReturnValuesOnConditionCheckFailure>],
) -> Vec<CancellationReason> {
    let reason = |(refusal, wanted): (Option<Refusal>, &Option<_>)| match refusal {
        None => no_reason(),
        Some(Refusal::Invalid(fault)) => invalid(fault.into()),
        Some(Refusal::Condition(item)) => CancellationReason {
            code: "ConditionalCheckFailed".into(),
            message: Some(Message::ConditionFailed.text()),
            item: item.filter(|_| *wanted == Some(ReturnValuesOnConditionCheckFailure::AllOld)),
        },
    };
    refusals.into_iter().zip(returns).map(reason).collect()
}

pub(crate) fn cancelled(reasons: Vec<CancellationReason>) -> Fault {
    let codes: Vec<&str> = reasons.iter().map(|reason| reason.code.as_str()).collect();
    let mut error = Error::from(Message::TransactionCanceled {
        codes: codes.join(", "),
    });
    error.reasons = reasons;
    error.into()
}
