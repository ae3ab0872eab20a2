//! UpdateTimeToLive and DescribeTimeToLive.

use super::{Expiring, forget};
use crate::catalog::{Change, Companions, Expiry, Table};
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::Meta;
use crate::pending::Pending;
use bothways_protocol::types::{
    DescribeTimeToLiveInput, DescribeTimeToLiveOutput, TimeToLiveDescription, TimeToLiveStatus,
    UpdateTimeToLiveInput, UpdateTimeToLiveOutput,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use std::sync::atomic::Ordering::Relaxed;

/// How long after a change of TTL another one is refused, milliseconds. Source: ack-api-quirks,
/// services/dynamodb DDB-TABLE-143, measured: refused after 30 minutes and 11 seconds, taken a minute later
/// (the API Reference says up to an hour).
const CHANGE_MILLIS: u64 = 31 * 60 * 1_000;

impl Inner {
    /// TTL holds with the answer for every item written from then on; older ones follow.
    pub(crate) fn update_time_to_live(
        &self,
        cx: &Context,
        input: &UpdateTimeToLiveInput,
    ) -> Result<Pending, Fault> {
        validate::update_time_to_live(input)?;
        let wanted = input.time_to_live_specification.clone().unwrap_or_default();
        let attribute = wanted.attribute_name.as_deref().unwrap_or_default();
        let name = input.table_name.as_deref();
        let on = wanted.enabled == Some(true);
        let now = self.options.clock.now_millis();
        let (_, ticket) = self.change(
            || self.changeable_table(cx, name),
            |table, companions, change| {
                check_switch(table, on, attribute, now)?;
                table.record.ttl_changed = Some(now);
                if on {
                    table.record.ttl = Some(attribute.to_owned());
                    return index_expiry(table, companions, change);
                }
                table.record.ttl = None;
                companions.expiry = Expiry::Ends;
                if let Some(id) = table.record.ttl_id.take() {
                    forget(companions, id);
                    let ids = id.to_be_bytes().to_vec();
                    companions.rows.push((Meta::Dropped.key_of(id), Some(ids)));
                    companions.wake = true;
                }
                Ok(())
            },
        )?;
        let output = UpdateTimeToLiveOutput {
            time_to_live_specification: Some(wanted),
        };
        let answer = Response::UpdateTimeToLive(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    pub(crate) fn describe_time_to_live(
        &self,
        cx: &Context,
        input: &DescribeTimeToLiveInput,
    ) -> Result<Pending, Fault> {
        validate::describe_time_to_live(input)?;
        let table = self.named_table(cx, input.table_name.as_deref())?;
        let attribute_name = table.record.ttl.clone();
        let features = table.live.features.load();
        // Of an empty table there is nothing to find out first. Source: scylladb/scylladb, `test_ttl.py` (ttl_enable).
        let filling = |own: &Expiring| own.filling.load(Relaxed) && table.totals.items() > 0;
        let status = if attribute_name.is_none() {
            TimeToLiveStatus::Disabled
        } else if features.expiring.as_deref().is_none_or(filling) {
            TimeToLiveStatus::Enabling
        } else {
            TimeToLiveStatus::Enabled
        };
        let output = DescribeTimeToLiveOutput {
            time_to_live_description: Some(TimeToLiveDescription {
                time_to_live_status: Some(status),
                attribute_name,
            }),
        };
        Ok(Pending::ready(Response::DescribeTimeToLive(Box::new(
            output,
        ))))
    }
}

/// Whether TTL may be switched. In AWS's order: the content first, then how long ago it was.
fn check_switch(table: &Table, on: bool, attribute: &str, now: u64) -> Result<(), Message> {
    match (table.record.ttl.as_deref(), on) {
        (None, false) => return Err(Message::TtlAlreadyDisabled),
        (Some(name), true) if name == attribute => return Err(Message::TtlAlreadyEnabled),
        (Some(name), _) if name != attribute => {
            return Err(Message::TtlOtherAttribute {
                name: name.to_owned(),
            });
        }
        _ => {}
    }
    let last = table.record.ttl_changed;
    if last.is_some_and(|last| now.saturating_sub(last) < CHANGE_MILLIS) {
        return Err(Message::TtlTooSoon);
    }
    Ok(())
}

/// Gives a table with TTL its expiry rows: from this commit on for what is written, and the rows of older
/// items in the background.
pub(super) fn index_expiry(
    table: &mut Table,
    companions: &mut Companions,
    change: &Change<'_>,
) -> Result<(), Fault> {
    let id = companions.id(change)?;
    table.record.ttl_id = Some(id);
    let attribute = table.record.ttl.as_deref().unwrap_or_default();
    companions.expiry = Expiry::Begins(Expiring::new(id, attribute, true));
    let fill = Meta::ExpiryFill.key_of(id);
    companions.rows.push((fill, Some(Vec::new())));
    companions.wake = true;
    Ok(())
}
