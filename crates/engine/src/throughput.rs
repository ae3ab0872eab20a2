//! Throughput that is described: provisioned with its history, warm, and ceilings on demand. Nothing is held to it.
//! Source: ack-api-quirks, services/dynamodb DDB-TABLE-056 to -061, -178, -179 (measured in October 2026).

use crate::catalog::record::{Billing, History, IndexRecord, TableRecord};
use crate::catalog::units;
use crate::error::Fault;
use bothways_protocol::Message;
use bothways_protocol::types::{
    BillingMode, GlobalSecondaryIndexUpdate, OnDemandThroughput, UpdateTableInput, WarmThroughput,
};
use bothways_protocol::validate::throughput::{INITIAL_ON_DEMAND, ceilings, of};

/// A day, in milliseconds: decreases are counted by days of UTC.
const DAY: u64 = 24 * 60 * 60 * 1_000;
/// What clears a ceiling. Source: API Reference, `OnDemandThroughput`.
const NONE: i64 = -1;

/// What is warm where nothing was asked for: what a table on demand begins with, or what is provisioned.
fn floor(on_demand: bool, provisioned: (i64, i64)) -> (i64, i64) {
    if on_demand {
        INITIAL_ON_DEMAND
    } else {
        provisioned
    }
}

/// The larger of each.
fn larger(one: (i64, i64), other: (i64, i64)) -> (i64, i64) {
    (one.0.max(other.0), one.1.max(other.1))
}

fn provisioned(billing: &Billing) -> (i64, i64) {
    match *billing {
        Billing::Provisioned(reads, writes) => (reads, writes),
        Billing::OnDemand(_) => (0, 0),
    }
}

impl TableRecord {
    pub(crate) fn is_on_demand(&self) -> bool {
        matches!(self.billing, Billing::OnDemand(_))
    }

    /// What the table is ready for, a second: never less than before.
    pub(crate) fn warm(&self) -> (i64, i64) {
        let floor = floor(self.is_on_demand(), provisioned(&self.billing));
        self.warm.map_or(floor, |warm| larger(warm, floor))
    }

    /// The same of an index.
    pub(crate) fn index_warm(&self, index: &IndexRecord) -> (i64, i64) {
        let floor = floor(self.is_on_demand(), index.throughput.unwrap_or_default());
        index.warm.map_or(floor, |warm| larger(warm, floor))
    }
}

impl History {
    /// Notes a change of provisioned units.
    pub(crate) fn note(&mut self, was: (i64, i64), is: (i64, i64), now: u64) {
        if is.0 > was.0 || is.1 > was.1 {
            self.increased = Some(now);
        }
        if is.0 < was.0 || is.1 < was.1 {
            self.decreases = self.decreases_today(now) + 1;
            self.decreased = Some(now);
        }
    }

    /// Decreases since midnight.
    pub(crate) fn decreases_today(&self, now: u64) -> i64 {
        let today = self.decreased.is_some_and(|at| at / DAY == now / DAY);
        if today { self.decreases } else { 0 }
    }
}

/// A ceiling asked for, with members not named as they were; none where both are cleared.
pub(crate) fn ceiling(was: Option<(i64, i64)>, given: &OnDemandThroughput) -> Option<(i64, i64)> {
    let (reads, writes) = was.unwrap_or((NONE, NONE));
    let next = (
        given.max_read_request_units.unwrap_or(reads),
        given.max_write_request_units.unwrap_or(writes),
    );
    (next != (NONE, NONE)).then_some(next)
}

/// A ceiling as described: members that are cleared are left out.
pub(crate) fn ceiling_described(ceiling: (i64, i64)) -> OnDemandThroughput {
    let member = |units: i64| (units != NONE).then_some(units);
    OnDemandThroughput {
        max_read_request_units: member(ceiling.0),
        max_write_request_units: member(ceiling.1),
    }
}

/// Warm throughput asked for at birth: members not named are what the table begins with.
pub(crate) fn warm_at_birth(
    given: Option<&WarmThroughput>,
    on_demand: bool,
    provisioned: (i64, i64),
) -> (i64, i64) {
    let (reads, writes) = floor(on_demand, provisioned);
    (
        given.and_then(|g| g.read_units_per_second).unwrap_or(reads),
        given
            .and_then(|g| g.write_units_per_second)
            .unwrap_or(writes),
    )
}

/// Warm throughput asked for: never less than there is.
fn warmer(
    was: (i64, i64),
    given: &WarmThroughput,
    index: Option<&str>,
) -> Result<(i64, i64), Message> {
    let next = (
        given.read_units_per_second.unwrap_or(was.0),
        given.write_units_per_second.unwrap_or(was.1),
    );
    let lower = if next.0 < was.0 {
        Some("ReadUnitsPerSecond")
    } else if next.1 < was.1 {
        Some("WriteUnitsPerSecond")
    } else {
        None
    };
    match lower {
        Some(name) => Err(Message::WarmDecreased {
            name,
            of: of(index),
        }),
        None => Ok(next),
    }
}

/// What an UpdateTable makes of the table's own throughput.
pub(crate) fn updated(
    record: &mut TableRecord,
    input: &UpdateTableInput,
    now: u64,
) -> Result<(), Fault> {
    let was = record.billing.clone();
    let warm = record.warm();
    record.billing = billed(&was, input, now)?;
    match (&was, &record.billing) {
        (&Billing::Provisioned(reads, writes), &Billing::Provisioned(r, w)) => {
            record.history.note((reads, writes), (r, w), now);
        }
        (&Billing::OnDemand(since), Billing::Provisioned(..)) => {
            record.was_on_demand = Some(since);
            record.on_demand = None;
        }
        _ => {}
    }
    record.warm = Some(larger(warm, record.warm()));
    if let Some(given) = &input.on_demand_throughput {
        ceilings(Some(given), record.is_on_demand(), None)?;
        record.on_demand = ceiling(record.on_demand, given);
    }
    if let Some(given) = &input.warm_throughput {
        record.warm = Some(warmer(record.warm(), given, None)?);
    }
    Ok(())
}

/// What an UpdateTable makes of an index's ceiling and warm throughput.
pub(crate) fn index_updated(
    record: &mut TableRecord,
    update: &GlobalSecondaryIndexUpdate,
) -> Result<(), Message> {
    let Some(update) = &update.update else {
        return Ok(());
    };
    let name = update.index_name.as_deref().unwrap_or_default();
    let Some(position) = record.indexes.iter().position(|index| index.name == name) else {
        return Ok(());
    };
    let (on_demand, warm) = (
        record.is_on_demand(),
        record.index_warm(&record.indexes[position]),
    );
    let index = &mut record.indexes[position];
    if let Some(given) = &update.on_demand_throughput {
        ceilings(Some(given), on_demand, Some(name))?;
        index.on_demand = ceiling(index.on_demand, given);
    }
    if let Some(given) = &update.warm_throughput {
        if given.read_units_per_second.is_none() && given.write_units_per_second.is_none() {
            return Err(Message::WarmEmptyIndex { index: name.into() });
        }
        index.warm = Some(warmer(warm, given, Some(name))?);
    }
    Ok(())
}

/// How the table is billed from now on. Source: dynalite, actions/updateTable.
fn billed(is: &Billing, input: &UpdateTableInput, now: u64) -> Result<Billing, Message> {
    let wanted = input.provisioned_throughput.as_ref().map(units);
    match (is, input.billing_mode, wanted) {
        (Billing::OnDemand(_), Some(BillingMode::Provisioned), None) => {
            Err(Message::ThroughputRequired)
        }
        (Billing::OnDemand(_), None, Some(_)) => Err(Message::ThroughputForbidden),
        (Billing::Provisioned(..), Some(BillingMode::PayPerRequest), _) => {
            Ok(Billing::OnDemand(now))
        }
        (&Billing::Provisioned(reads, writes), _, Some(wanted)) if wanted == (reads, writes) => {
            Err(Message::ThroughputUnchanged { reads, writes })
        }
        (_, _, Some((reads, writes))) => Ok(Billing::Provisioned(reads, writes)),
        (is, _, None) => Ok(is.clone()),
    }
}
