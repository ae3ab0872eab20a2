//! Ceilings on demand and warm throughput, as far as they can be checked without the table; and what UpdateTable takes
//! alone. Source: ack-api-quirks, services/dynamodb DDB-TABLE-038, -039, -059, -178, -442 (measured in October 2026).

use crate::Message;
use crate::types::{
    CreateTableInput, OnDemandThroughput, ProvisionedThroughput, UpdateTableInput, WarmThroughput,
};

/// What a table on demand begins with: reads and writes a second. Source: Developer Guide, "On-demand capacity mode",
/// "Initial throughput".
pub const INITIAL_ON_DEMAND: (i64, i64) = (12_000, 4_000);

/// What clears a ceiling on demand. Source: API Reference, `OnDemandThroughput`.
const CLEAR: i64 = -1;

/// CreateTable's own throughput and that of its indexes.
pub(super) fn create(input: &CreateTableInput, on_demand: bool) -> Result<(), Message> {
    ceilings(input.on_demand_throughput.as_ref(), on_demand, None)?;
    warm(
        input.warm_throughput.as_ref(),
        input.provisioned_throughput.as_ref(),
        None,
    )?;
    for index in input.global_secondary_indexes.iter().flatten() {
        let name = index.index_name.as_deref();
        ceilings(index.on_demand_throughput.as_ref(), on_demand, name)?;
        warm(
            index.warm_throughput.as_ref(),
            index.provisioned_throughput.as_ref(),
            name,
        )?;
    }
    Ok(())
}

/// A ceiling for a table, or for the index named.
///
/// # Errors
/// It is provisioned, or the ceiling is none.
pub fn ceilings(
    given: Option<&OnDemandThroughput>,
    on_demand: bool,
    index: Option<&str>,
) -> Result<(), Message> {
    let Some(given) = given else {
        return Ok(());
    };
    let members = [
        ("MaxReadRequestUnits", given.max_read_request_units),
        ("MaxWriteRequestUnits", given.max_write_request_units),
    ];
    for (name, units) in members {
        let Some(units) = units else { continue };
        let index = index.map(str::to_owned);
        match index {
            None if !on_demand => return Err(Message::CeilingForbidden { name }),
            Some(index) if !on_demand => {
                return Err(Message::CeilingForbiddenIndex { name, index });
            }
            _ if units > 0 || units == CLEAR => {}
            None => return Err(Message::CeilingOutOfRange { name }),
            Some(index) => return Err(Message::CeilingOutOfRangeIndex { name, index }),
        }
    }
    Ok(())
}

/// Warm throughput that a table or the index named is created with: not below what it begins with.
///
/// # Errors
/// It is below.
pub fn warm(
    given: Option<&WarmThroughput>,
    provisioned: Option<&ProvisionedThroughput>,
    index: Option<&str>,
) -> Result<(), Message> {
    let Some(given) = given else {
        return Ok(());
    };
    let floors = match provisioned {
        None => (Some(INITIAL_ON_DEMAND.0), Some(INITIAL_ON_DEMAND.1)),
        Some(units) => (units.read_capacity_units, units.write_capacity_units),
    };
    let members = [
        (
            "ReadUnitsPerSecond",
            given.read_units_per_second,
            floors.0,
            "ReadCapacityUnits",
        ),
        (
            "WriteUnitsPerSecond",
            given.write_units_per_second,
            floors.1,
            "WriteCapacityUnits",
        ),
    ];
    for (name, wanted, floor, units) in members {
        if wanted.is_some_and(|wanted| Some(wanted) < floor) {
            let of = of(index);
            return Err(if provisioned.is_none() {
                Message::WarmBelowInitial { name, of }
            } else {
                Message::WarmBelowProvisioned { name, of, units }
            });
        }
    }
    Ok(())
}

/// How AWS names a table or an index in these messages.
#[must_use]
pub fn of(index: Option<&str>) -> String {
    index.map_or_else(|| "table".to_owned(), |name| format!("index {name}"))
}

/// UpdateTable: what must be the only change.
pub(super) fn alone(input: &UpdateTableInput) -> Result<(), Message> {
    let billing = input.billing_mode.is_some();
    let others = [
        billing || input.provisioned_throughput.is_some(),
        input.global_secondary_index_updates.is_some(),
        input.stream_specification.is_some(),
        input.sse_specification.is_some(),
        input.table_class.is_some(),
        input.deletion_protection_enabled.is_some(),
        input.warm_throughput.is_some(),
    ];
    let changes = others.into_iter().filter(|given| *given).count();
    let ceiling = input.on_demand_throughput.is_some();
    if changes + usize::from(ceiling) < 2 {
        return Ok(());
    }
    let only = [
        (
            input.sse_specification.is_some(),
            Message::OnlyOperation {
                what: "Server-Side Encryption",
            },
        ),
        (
            input.table_class.is_some(),
            Message::OnlyOperation { what: "TableClass" },
        ),
        (
            input.deletion_protection_enabled.is_some(),
            Message::OnlyOperation {
                what: "DeletionProtection",
            },
        ),
        (input.warm_throughput.is_some(), Message::WarmAlone),
        (ceiling && !(billing && changes == 1), Message::CeilingAlone),
    ];
    match only.into_iter().find(|(given, _)| *given) {
        Some((_, fault)) => Err(fault),
        None => Ok(()),
    }
}
