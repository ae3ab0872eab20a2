//! SELECT: ranges of rows, read one after the other.

use super::plan::Plan;
use super::token::{Digest, Place};
use crate::capacity::{Meter, ReadMode, Side};
use crate::engine::Inner;
use crate::error::Fault;
use crate::read::{Reading, Source};
use bothways_core::Item;
use bothways_core::partiql::Select;
use bothways_protocol::types::{ExecuteStatementInput, ExecuteStatementOutput};
use bothways_protocol::{Message, Response};

impl Inner {
    pub(super) fn select(
        &self,
        source: &Source<'_>,
        select: &Select<'_>,
        input: &ExecuteStatementInput,
        digest: Digest,
    ) -> Result<Response, Fault> {
        let global = source.index.is_some_and(|index| !index.local);
        if global && input.consistent_read == Some(true) {
            return Err(Message::StatementConsistentGsi.into());
        }
        let plan = Plan::of(source, select)?;
        let place = match &input.next_token {
            None => Place::default(),
            Some(token) => Place::read(token, digest)?,
        };
        let limit = input.limit.and_then(|limit| usize::try_from(limit).ok());
        let mode = ReadMode::of(input.consistent_read);
        let found = self.read_all(source, select, plan, place, limit, mode)?;
        let items = found
            .items
            .into_iter()
            .map(|item| select.columns.apply(item));
        Ok(Response::ExecuteStatement(Box::new(
            ExecuteStatementOutput {
                items: Some(items.collect()),
                next_token: found.next.map(|place| place.write(digest)),
                consumed_capacity: found
                    .meter
                    .report(source.table, input.return_consumed_capacity),
                last_evaluated_key: found.last,
            },
        )))
    }

    /// Reads the ranges from a place on, until the limit, 1 MB or the end.
    fn read_all(
        &self,
        source: &Source<'_>,
        select: &Select<'_>,
        plan: Plan<'_>,
        place: Place,
        limit: Option<usize>,
        mode: ReadMode,
    ) -> Result<Found, Fault> {
        let fetch = source.index.is_some_and(|index| {
            index.local
                && select
                    .columns
                    .attributes()
                    .any(|name| !index.projects(name))
        });
        let snapshot = self.store.snapshot()?;
        let mut found = Found::default();
        let (mut scanned, mut bytes) = (0, 0);
        let mut after = place.after;
        let count = plan.reads.len();
        if place.range > 0 && place.range >= count {
            return Err(Message::StatementTokenInvalid.into());
        }
        for (position, read) in plan.reads.into_iter().enumerate().skip(place.range) {
            let mut range = read.range;
            if let Some(key) = after.take() {
                if !range.contains(&key) {
                    return Err(Message::StatementTokenInvalid.into());
                }
                range = range.after(key, plan.reverse);
            }
            let page = Reading {
                table: source.table,
                index: source.index,
                range,
                reverse: plan.reverse,
                limit: limit.map(|limit| limit.saturating_sub(scanned)),
                filter: read.filter.as_ref(),
                projection: None,
                count: false,
                fetch,
                mode,
                spent: bytes,
            }
            .page(&*snapshot)?;
            scanned += page.scanned;
            bytes = page.bytes;
            found.meter.add(&page.meter);
            found.items.extend(page.items);
            if let Some(last) = page.last {
                let scan = source.start(&last, true)?;
                found.next = Some(Place {
                    range: position,
                    after: Some(scan.key),
                });
                found.last = Some(last);
                return Ok(found);
            }
        }
        Ok(found)
    }
}

/// What a SELECT has read.
struct Found {
    items: Vec<Item>,
    meter: Meter,
    next: Option<Place>,
    last: Option<Item>,
}

impl Default for Found {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            meter: Meter::new(Side::Plain),
            next: None,
            last: None,
        }
    }
}
