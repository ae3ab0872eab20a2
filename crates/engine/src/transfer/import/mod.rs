//! ImportTable, DescribeImport, ListImports.

mod frames;
mod input;
mod ion;
mod record;
mod run;

pub(crate) use run::Imports;

use super::names::{PAGE, TransferName, id, of_token, token};
use crate::catalog::{self, Birth, Companions, plan_table};
use crate::engine::Inner;
use crate::error::Fault;
use crate::pending::Pending;
use crate::restore::{Job, Work};
use bothways_protocol::types::{
    CreateTableInput, DescribeImportInput, DescribeImportOutput, ImportTableInput,
    ImportTableOutput, InputFormat, ListImportsInput, ListImportsOutput, TableCreationParameters,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Request, Response};
use record::ImportRecord;
use std::sync::Arc;

/// Most imports under way at once. Source: Developer Guide, "Quotas" (50 concurrent import jobs).
const AT_ONCE: usize = 50;

impl Inner {
    /// The table is there with the answer, CREATING until all its items are in.
    pub(crate) fn import_table(
        &self,
        cx: &Context,
        input: &ImportTableInput,
    ) -> Result<Pending, Fault> {
        validate::import_table(input)?;
        if self.options.buckets.is_none() {
            return Err(Message::BucketsNone.into());
        }
        check_format(input)?;
        let given = input.table_creation_parameters.clone().unwrap_or_default();
        let create = as_create(&given);
        validate::create_table(&create)?;
        let mut turn = self.catalog.change();
        let name = given.table_name.as_deref().unwrap_or_default();
        let namespace = self.namespace(cx).into_owned();
        let taken = self.catalog.find_any(&namespace, name).is_some();
        if let Some(known) = self.import_of_token(&namespace, input.client_token.as_deref())? {
            if known.table != name {
                return Err(Message::ImportTokenConflict.into());
            }
            if !taken || known.ended.is_none() {
                return Ok(answered(&known));
            }
        }
        if taken {
            return Err(Message::TableExists { name: name.into() }.into());
        }
        let tables = self.catalog.all_tables();
        let importing = tables.iter().filter(|t| t.record.importing.is_some());
        if importing.count() >= AT_ONCE {
            return Err(Message::BackupsAtOnce {
                limit: AT_ONCE,
                what: "import",
            }
            .into());
        }
        let now = self.options.clock.now_millis();
        let id = id(now, self.options.random.next());
        let birth = Birth {
            namespace: namespace.clone(),
            arn: self.table_arn(cx, name),
            uuid: self.uuid(),
            created: now,
            first_id: turn.next_id(),
        };
        let (mut table, next_id) = plan_table(&create, birth)?;
        table.record.importing = Some(id.clone());
        let record = ImportRecord {
            arn: format!("{}/import/{id}", table.record.arn),
            id,
            namespace,
            table: name.to_owned(),
            table_arn: table.record.arn.clone(),
            uuid: table.record.uuid.clone(),
            account: self.options.account.clone(),
            request: request_text(input),
            started: now,
            ended: None,
            failure: None,
            bytes: 0,
            processed: 0,
            imported: 0,
            errors: 0,
            unread: None,
        };
        let work = Work::Import {
            import: record.key_text(),
            object: 0,
            records: 0,
            taken: None,
            within: None,
        };
        let job = Job::new(table.id(), work);
        let mut companions = Companions::default();
        companions.ids_taken(next_id);
        companions.rows.push((record.key(), Some(record.row()?)));
        companions.rows.push((job.key(), Some(job.row()?)));
        companions.wake = true;
        let (key, value) = catalog::row(&table)?;
        let ticket = self.commit_change(&mut turn, companions, Some(&table), |_, batch| {
            batch.put(key.clone(), value.clone());
        })?;
        turn.publish(Arc::new(table));
        let output = ImportTableOutput {
            import_table_description: Some(record.description()),
        };
        let answer = Response::ImportTable(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    pub(crate) fn describe_import(
        &self,
        cx: &Context,
        input: &DescribeImportInput,
    ) -> Result<Pending, Fault> {
        validate::describe_import(input)?;
        let arn = input.import_arn.as_deref().unwrap_or_default();
        let name = TransferName::of(arn, "import").ok_or(Message::ImportArnInvalid)?;
        if name.account != self.options.account {
            return Err(Message::ForeignAccount.into());
        }
        let row = self.store.get(&record::key(&self.namespace(cx), name.id))?;
        let found = row.map(|row| ImportRecord::read(&row)).transpose()?;
        let found = found.filter(|import| import.table == name.table);
        let found = found.ok_or_else(|| Message::ImportMissing { arn: arn.into() })?;
        let output = DescribeImportOutput {
            import_table_description: Some(found.description()),
        };
        Ok(Pending::ready(Response::DescribeImport(Box::new(output))))
    }

    /// The newest first; those of tables that are gone too.
    pub(crate) fn list_imports(
        &self,
        cx: &Context,
        input: &ListImportsInput,
    ) -> Result<Pending, Fault> {
        validate::list_imports(input)?;
        let start = input.next_token.as_deref().map(of_token).transpose()?;
        let limit = input.page_size.and_then(|n| usize::try_from(n).ok());
        let limit = limit.unwrap_or(PAGE).clamp(1, PAGE);
        let mut found = Vec::new();
        let snapshot = self.store.snapshot()?;
        for import in record::list(&*snapshot, &self.namespace(cx), start.as_deref()) {
            let import = import?;
            let arn = input.table_arn.as_deref();
            if arn.is_none_or(|arn| validate::table_name(arn) == import.table) {
                found.push(import);
            }
            if found.len() > limit {
                break;
            }
        }
        let more = found.len() > limit;
        found.truncate(limit);
        let output = ListImportsOutput {
            next_token: found.last().filter(|_| more).map(|last| token(&last.id)),
            import_summary_list: Some(found.iter().map(ImportRecord::summary).collect()),
        };
        Ok(Pending::ready(Response::ListImports(Box::new(output))))
    }

    /// The import that a token began.
    fn import_of_token(
        &self,
        namespace: &str,
        token: Option<&str>,
    ) -> Result<Option<ImportRecord>, Fault> {
        let Some(token) = token else {
            return Ok(None);
        };
        let snapshot = self.store.snapshot()?;
        for import in record::list(&*snapshot, namespace, None) {
            let import = import?;
            if import.input().client_token.as_deref() == Some(token) {
                return Ok(Some(import));
            }
        }
        Ok(None)
    }
}

fn answered(import: &ImportRecord) -> Pending {
    let output = ImportTableOutput {
        import_table_description: Some(import.description()),
    };
    Pending::ready(Response::ImportTable(Box::new(output)))
}

fn check_format(input: &ImportTableInput) -> Result<(), Message> {
    let options = input.input_format_options.as_ref();
    let csv = options.is_some_and(|options| options.csv.is_some());
    match input.input_format {
        Some(format @ (InputFormat::DynamodbJson | InputFormat::Ion)) if csv => {
            Err(Message::ImportOptions {
                format: format.as_str(),
            })
        }
        _ => Ok(()),
    }
}

/// The table as CreateTable would make it.
fn as_create(given: &TableCreationParameters) -> CreateTableInput {
    CreateTableInput {
        table_name: given.table_name.clone(),
        attribute_definitions: given.attribute_definitions.clone(),
        key_schema: given.key_schema.clone(),
        billing_mode: given.billing_mode,
        provisioned_throughput: given.provisioned_throughput.clone(),
        on_demand_throughput: given.on_demand_throughput.clone(),
        sse_specification: given.sse_specification.clone(),
        global_secondary_indexes: given.global_secondary_indexes.clone(),
        ..CreateTableInput::default()
    }
}

/// The request, to be kept.
fn request_text(input: &ImportTableInput) -> String {
    let mut json = Vec::new();
    Request::ImportTable(Box::new(input.clone())).encode(&mut json);
    String::from_utf8_lossy(&json).into_owned()
}
