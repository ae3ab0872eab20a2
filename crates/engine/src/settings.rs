//! What of a table can change while it lives: UpdateTable, tags; and what is the same for all tables.

use crate::catalog::record::TableRecord;
use crate::catalog::{self, Companions, Table, describe, key_arn, tag};
use crate::engine::Inner;
use crate::error::Fault;
use crate::online::{changes_indexes, update_throughputs};
use crate::pending::Pending;
use crate::throughput;
use bothways_protocol::types::{
    DescribeEndpointsInput, DescribeEndpointsOutput, DescribeLimitsInput, DescribeLimitsOutput,
    Endpoint, ListTagsOfResourceInput, ListTagsOfResourceOutput, TableStatus, Tag,
    TagResourceInput, TagResourceOutput, UntagResourceInput, UntagResourceOutput, UpdateTableInput,
    UpdateTableOutput,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use bothways_store::Ticket;
use std::sync::Arc;

/// Shortest name of a table. Source: Developer Guide, "Naming rules".
const SHORTEST_NAME: usize = 3;
/// Units that an account and a table may provision, by default. Source: Developer Guide, "Quotas".
const ACCOUNT_UNITS: i64 = 80_000;
const TABLE_UNITS: i64 = 40_000;
/// How long an endpoint may be remembered. Source: what AWS answers.
const ENDPOINT_MINUTES: i64 = 1_440;

impl Inner {
    /// The new settings hold with the answer, though the answer says UPDATING as on AWS.
    pub(crate) fn update_table(
        &self,
        cx: &Context,
        input: &UpdateTableInput,
    ) -> Result<Pending, Fault> {
        validate::update_table(input)?;
        if changes_indexes(input) {
            return self.change_indexes(cx, input);
        }
        let name = input.table_name.as_deref();
        let now = self.options.clock.now_millis();
        let (table, ticket) = self.change(
            || self.changeable_table(cx, name),
            |table, companions, turn| {
                updated(&mut table.record, input, now)?;
                match &input.stream_specification {
                    Some(wanted) => self.switch_stream(turn, companions, table, wanted),
                    None => Ok(()),
                }
            },
        )?;
        let output = UpdateTableOutput {
            table_description: Some(describe(&table, TableStatus::Updating, now)),
        };
        let answer = Response::UpdateTable(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    pub(crate) fn tag_resource(
        &self,
        cx: &Context,
        input: &TagResourceInput,
    ) -> Result<Pending, Fault> {
        validate::tag_resource(input)?;
        let arn = input.resource_arn.as_deref().unwrap_or_default();
        let tags = input.tags.as_deref().unwrap_or_default();
        let (_, ticket) = self.change(
            || {
                let name = self.name_of_arn(cx, arn, "TagResource")?;
                if tags.is_empty() {
                    return Err(Message::TagsEmpty.into());
                }
                validate::check_tags(tags)?;
                self.table_of_arn(cx, name, arn)
            },
            |table, _, _| {
                let record = &mut table.record;
                record.tags.extend(tags.iter().filter_map(tag));
                if record.tags.len() > validate::TAGS {
                    return Err(Message::TagsTooMany.into());
                }
                Ok(())
            },
        )?;
        let answer = Response::TagResource(Box::new(TagResourceOutput {}));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    pub(crate) fn untag_resource(
        &self,
        cx: &Context,
        input: &UntagResourceInput,
    ) -> Result<Pending, Fault> {
        validate::untag_resource(input)?;
        let arn = input.resource_arn.as_deref().unwrap_or_default();
        let keys = input.tag_keys.as_deref().unwrap_or_default();
        let (_, ticket) = self.change(
            || {
                let name = self.name_of_arn(cx, arn, "UntagResource")?;
                if keys.is_empty() {
                    return Err(Message::TagKeysEmpty.into());
                }
                self.table(cx, Some(name))
            },
            |table, _, _| {
                table.record.tags.retain(|key, _| !keys.contains(key));
                Ok(())
            },
        )?;
        let answer = Response::UntagResource(Box::new(UntagResourceOutput {}));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    /// All tags in one answer: there are never more than fifty.
    pub(crate) fn list_tags_of_resource(
        &self,
        cx: &Context,
        input: &ListTagsOfResourceInput,
    ) -> Result<Pending, Fault> {
        validate::list_tags_of_resource(input)?;
        let arn = input.resource_arn.as_deref().unwrap_or_default();
        let name = self.name_of_arn(cx, arn, "ListTagsOfResource")?;
        let table = self.table_of_arn(cx, name, arn)?;
        let tags = table.record.tags.iter().map(|(key, value)| Tag {
            key: Some(key.clone()),
            value: Some(value.clone()),
        });
        let output = ListTagsOfResourceOutput {
            tags: Some(tags.collect()),
            next_token: None,
        };
        Ok(Pending::ready(Response::ListTagsOfResource(Box::new(
            output,
        ))))
    }

    /// AWS's defaults. Nothing here is held to them.
    pub(crate) fn describe_limits(input: &DescribeLimitsInput) -> Result<Pending, Fault> {
        validate::describe_limits(input)?;
        let output = DescribeLimitsOutput {
            account_max_read_capacity_units: Some(ACCOUNT_UNITS),
            account_max_write_capacity_units: Some(ACCOUNT_UNITS),
            table_max_read_capacity_units: Some(TABLE_UNITS),
            table_max_write_capacity_units: Some(TABLE_UNITS),
        };
        Ok(Pending::ready(Response::DescribeLimits(Box::new(output))))
    }

    /// The address that was asked: a client that looks for endpoints stays here. AWS's own for callers in this process.
    pub(crate) fn describe_endpoints(
        &self,
        cx: &Context,
        input: &DescribeEndpointsInput,
    ) -> Result<Pending, Fault> {
        validate::describe_endpoints(input)?;
        let address = if cx.host.is_empty() {
            format!("dynamodb.{}.amazonaws.com", self.region(cx))
        } else {
            cx.host.clone()
        };
        let output = DescribeEndpointsOutput {
            endpoints: Some(vec![Endpoint {
                address: Some(address),
                cache_period_in_minutes: Some(ENDPOINT_MINUTES),
            }]),
        };
        Ok(Pending::ready(Response::DescribeEndpoints(Box::new(
            output,
        ))))
    }

    /// Changes a table's settings: finds it, changes a copy of it, stores and shows the new version with what
    /// it brings with it.
    pub(crate) fn change(
        &self,
        find: impl FnOnce() -> Result<Arc<Table>, Fault>,
        change: impl FnOnce(&mut Table, &mut Companions, &catalog::Change<'_>) -> Result<(), Fault>,
    ) -> Result<(Arc<Table>, Ticket), Fault> {
        let mut turn = self.catalog.change();
        let table = find()?;
        let mut companions = Companions::default();
        let mut next = table
            .with_settings(table.record.clone())
            .ok_or(Message::KeyUndefined)?;
        change(&mut next, &mut companions, &turn)?;
        let (key, value) = catalog::row(&next)?;
        let ticket = self.commit_change(&mut turn, companions, Some(&next), |_, batch| {
            batch.put(key.clone(), value.clone());
        })?;
        let next = Arc::new(next);
        turn.publish(Arc::clone(&next));
        Ok((next, ticket))
    }

    /// The table that an ARN of this account names. Source of the answers: dynalite, test/tagResource.
    fn name_of_arn<'a>(
        &self,
        cx: &Context,
        arn: &'a str,
        operation: &'static str,
    ) -> Result<&'a str, Fault> {
        // Source: scylladb/scylladb, `test_tag.py` (tag_resource_incorrect); the sentence is that of policies.
        if !arn.starts_with("arn:") {
            return Err(Message::PolicyArnPrefix { arn: arn.into() }.into());
        }
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let (account, name) = match parts[..] {
            ["arn", _, "dynamodb", _, account, resource] => {
                (account, resource.strip_prefix("table/"))
            }
            _ => ("", None),
        };
        let name = name.filter(|name| name.len() >= SHORTEST_NAME && !name.contains('/'));
        let name = name.ok_or_else(|| Message::ArnInvalid { arn: arn.into() })?;
        // A table made under another account's number keeps its ARN.
        let own = self.catalog.find(&self.namespace(cx), name);
        let own = own.is_some_and(|table| table.record.arn == arn);
        if account != self.options.account && !own {
            return Err(Message::ArnForeign {
                account: self.options.account.clone(),
                user: cx.access_key.clone(),
                operation,
                arn: arn.into(),
            }
            .into());
        }
        Ok(name)
    }

    fn table_of_arn(&self, cx: &Context, name: &str, arn: &str) -> Result<Arc<Table>, Fault> {
        let table = self.catalog.find(&self.namespace(cx), name);
        Ok(table.ok_or_else(|| Message::ArnNotFound { arn: arn.into() })?)
    }
}

/// Refuses a table whose items are still being put in. Source: ack-api-quirks, services/dynamodb DDB-IMPORT-001.
pub(crate) fn changeable(table: Arc<Table>) -> Result<Arc<Table>, Fault> {
    if table.is_coming() {
        let name = table.name.clone();
        return Err(Message::TableBeingCreated { name }.into());
    }
    Ok(table)
}

pub(crate) fn updated(
    record: &mut TableRecord,
    input: &UpdateTableInput,
    now: u64,
) -> Result<(), Fault> {
    let was = record.billing.clone();
    throughput::updated(record, input, now)?;
    if let Some(class) = input.table_class {
        record.table_class = Some(class.as_str().to_owned());
        record.table_class_changed = Some(now);
    }
    if let Some(protection) = input.deletion_protection_enabled {
        record.deletion_protection = protection;
    }
    if let Some(asked) = &input.sse_specification {
        record.encrypted_with = key_arn(asked, &record.arn);
    }
    Ok(update_throughputs(record, &was, input, now)?)
}
