//! CreateTable, DescribeTable, ListTables, DeleteTable.

use crate::backup::backup_of_deleted;
use crate::catalog::{self, Birth, Companions, Table, describe, plan_table, status};
use crate::engine::Inner;
use crate::error::Fault;
use crate::expiry;
use crate::layout::Meta;
use crate::pending::Pending;
use crate::recovery;
use crate::settings::changeable;
use bothways_protocol::types::{
    CreateTableInput, CreateTableOutput, DeleteTableInput, DeleteTableOutput, DescribeTableInput,
    DescribeTableOutput, ListTablesInput, ListTablesOutput, TableDescription, TableStatus,
};
use bothways_protocol::{Context, Message, Response};
use bytes::BufMut;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Most names in one answer of ListTables, and how many there are by default. Source: API Reference.
const LIST_TABLES_LIMIT: usize = 100;

impl Inner {
    /// The table can be used as soon as the answer is there, though the answer says CREATING as on AWS.
    pub(crate) fn create_table(
        &self,
        cx: &Context,
        input: &CreateTableInput,
    ) -> Result<Pending, Fault> {
        bothways_protocol::validate::create_table(input)?;
        let namespace = self.namespace(cx).into_owned();
        let name = input.table_name.as_deref().unwrap_or_default();
        let mut change = self.catalog.change();
        if let Some(table) = self.catalog.find_any(&namespace, name) {
            let name = name.to_owned();
            return Err(if table.is_coming() {
                Message::TableBeingUsed { name }.into()
            } else {
                Message::TableExists { name }.into()
            });
        }
        let created = self.options.clock.now_millis();
        let birth = Birth {
            namespace,
            arn: self.table_arn(cx, name),
            uuid: self.uuid(),
            created,
            first_id: change.next_id(),
        };
        let (mut table, next_id) = plan_table(input, birth)?;
        let mut companions = Companions::default();
        companions.ids_taken(next_id);
        let wanted = input.stream_specification.as_ref();
        if let Some(view) = wanted.and_then(|s| s.stream_view_type) {
            self.begin_stream(&change, &mut companions, &mut table, view)?;
        }
        let (key, value) = catalog::row(&table)?;
        let ticket = self.commit_change(&mut change, companions, Some(&table), |_, batch| {
            batch.put(key.clone(), value.clone());
        })?;
        let mut description = describe(&table, TableStatus::Creating, created);
        if input.warm_throughput.is_none() {
            // Source: ack-api-quirks, services/dynamodb DDB-TABLE-033.
            description.warm_throughput = None;
        }
        change.publish(Arc::new(table));
        let output = CreateTableOutput {
            table_description: Some(description),
        };
        Ok(Pending::after(
            ticket,
            Ok(Response::CreateTable(Box::new(output))),
        ))
    }

    pub(crate) fn describe_table(
        &self,
        cx: &Context,
        input: &DescribeTableInput,
    ) -> Result<Pending, Fault> {
        bothways_protocol::validate::describe_table(input)?;
        let table = self.any_table(cx, input.table_name.as_deref())?;
        let now = self.options.clock.now_millis();
        let output = DescribeTableOutput {
            table: Some(describe(&table, status(&table), now)),
        };
        Ok(Pending::ready(Response::DescribeTable(Box::new(output))))
    }

    pub(crate) fn list_tables(
        &self,
        cx: &Context,
        input: &ListTablesInput,
    ) -> Result<Pending, Fault> {
        bothways_protocol::validate::list_tables(input)?;
        let limit = input.limit.and_then(|n| usize::try_from(n).ok());
        let limit = limit
            .unwrap_or(LIST_TABLES_LIMIT)
            .clamp(1, LIST_TABLES_LIMIT);
        let start = input.exclusive_start_table_name.as_deref();
        let (names, more) = self.catalog.names(&self.namespace(cx), start, limit);
        let output = ListTablesOutput {
            last_evaluated_table_name: if more { names.last().cloned() } else { None },
            table_names: Some(names),
        };
        Ok(Pending::ready(Response::ListTables(Box::new(output))))
    }

    /// The table is gone with the answer; its rows are reclaimed in the background. Its stream ends, and can be
    /// read for as long as its records are kept.
    pub(crate) fn delete_table(
        &self,
        cx: &Context,
        input: &DeleteTableInput,
    ) -> Result<Pending, Fault> {
        bothways_protocol::validate::delete_table(input)?;
        let mut change = self.catalog.change();
        let table = changeable(self.any_table(cx, input.table_name.as_deref())?)?;
        let name = || table.name.clone();
        if self.is_restored_from(table.id()) {
            return Err(Message::TableBeingRestored { name: name() }.into());
        }
        if self.copies.is_copied(table.id()) {
            return Err(Message::TableBeingBackedUp { name: name() }.into());
        }
        if table.record.deletion_protection {
            return Err(Message::TableProtected {
                arn: table.record.arn.clone(),
            }
            .into());
        }
        if table.indexes.iter().any(|index| index.phase.is_some()) {
            return Err(Message::IndexesChanging.into());
        }
        let description = describe(
            &table,
            TableStatus::Deleting,
            self.options.clock.now_millis(),
        );
        let mut ids = Vec::new();
        let mut companions = Companions::default();
        // With recovery on the table's own rows become the service's backup of it.
        let kept = table.record.recovery.as_ref().map(|recovery| {
            ids.put_u32(recovery.log);
            recovery::forget(&mut companions, recovery.log);
            table.id()
        });
        let dropped = table.all_totals().filter(|(id, _)| Some(*id) != kept);
        dropped.for_each(|(id, _)| ids.put_u32(id));
        if kept.is_some() {
            let backup = backup_of_deleted(&table, self.options.clock.now_millis());
            companions.rows.push((backup.key(), Some(backup.row()?)));
        }
        self.end_stream(&mut companions, &table);
        if let Some(id) = table.record.ttl_id {
            ids.put_u32(id);
            expiry::forget(&mut companions, id);
        }
        let mut dropped_at = 0;
        let ticket = self.commit_change(&mut change, companions, Some(&table), |seq, batch| {
            batch.delete(catalog::row_key(&table));
            batch.delete(Meta::Totals.key_of(table.id()));
            batch.put(Meta::Dropped.key_of(table.id()), ids.clone());
            // From here on, in commit order, nobody writes to it.
            table.live.dropped.store(true, Relaxed);
            dropped_at = seq;
        })?;
        change.withdraw(&table);
        self.sweep.wake(dropped_at);
        // Source: scylladb/scylladb, `test_table.py` (delete_table_description, _with_si), measured on AWS.
        let description = TableDescription {
            attribute_definitions: None,
            key_schema: None,
            creation_date_time: None,
            local_secondary_indexes: None,
            global_secondary_indexes: None,
            vector_indexes: None,
            ..description
        };
        let output = DeleteTableOutput {
            table_description: Some(description),
        };
        Ok(Pending::after(
            ticket,
            Ok(Response::DeleteTable(Box::new(output))),
        ))
    }

    /// The caller's table, also one whose items are still being put in, or the control plane's error, which names it.
    fn any_table(&self, cx: &Context, name: Option<&str>) -> Result<Arc<Table>, Fault> {
        let name = bothways_protocol::validate::table_name(name.unwrap_or_default());
        let table = self.catalog.find_any(&self.namespace(cx), name);
        Ok(table.ok_or_else(|| Message::NamedTableNotFound {
            name: name.to_owned(),
        })?)
    }

    /// The caller's table, also one that is being imported, or the control plane's error, which names it.
    pub(crate) fn named_table(
        &self,
        cx: &Context,
        name: Option<&str>,
    ) -> Result<Arc<Table>, Fault> {
        let name = bothways_protocol::validate::table_name(name.unwrap_or_default());
        let table = self.catalog.find_shown(&self.namespace(cx), name);
        Ok(table.ok_or_else(|| Message::NamedTableNotFound {
            name: name.to_owned(),
        })?)
    }

    /// The caller's table, to be changed.
    pub(crate) fn changeable_table(
        &self,
        cx: &Context,
        name: Option<&str>,
    ) -> Result<Arc<Table>, Fault> {
        changeable(self.named_table(cx, name)?)
    }

    pub(crate) fn table_arn(&self, cx: &Context, name: &str) -> String {
        let (region, account) = (self.region(cx), &self.options.account);
        format!("arn:aws:dynamodb:{region}:{account}:table/{name}")
    }

    /// A random UUID (version 4).
    pub(crate) fn uuid(&self) -> String {
        let bits =
            (u128::from(self.options.random.next()) << 64) | u128::from(self.options.random.next());
        let bits = (bits & !(0xf << 76) & !(0b11 << 62)) | (0x4 << 76) | (0b10 << 62);
        let hex = format!("{bits:032x}");
        let parts = [
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..],
        ];
        parts.join("-")
    }
}
