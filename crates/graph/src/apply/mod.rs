//! The model's table: made when it is not there, compared when it is.

mod expiry;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::model::{Index, KeyNames, Model, Projection};
use crate::receipt::{Done, Receipt};
use bothways_protocol as protocol;
use bothways_protocol::types::{
    AttributeDefinition, BillingMode, CreateGlobalSecondaryIndexAction, CreateTableInput,
    DescribeTableInput, GlobalSecondaryIndex, GlobalSecondaryIndexUpdate, IndexStatus, KeyRole,
    KeySchemaElement, Projection as WireProjection, ProjectionType, ProvisionedThroughput,
    ScalarAttributeType, TableDescription, TableStatus, UpdateTableInput,
};
use bothways_protocol::{Context, DynamoDbExt, ErrorKind, Operation};
use std::time::Duration;

/// How long a table may take to become active.
const PATIENCE: Duration = Duration::from_mins(2);
/// First pause between looks at it; doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What applying a model did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applied {
    /// The table was made.
    Created,
    /// The table is there and fits.
    Unchanged,
    /// The table is there and does not fit; nothing was changed.
    Differs(Vec<Difference>),
}

/// One way in which a table is not what the model says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// `key`, `index GSI1 key`, `index GSI1 projection`.
    pub what: String,
    /// What the model says.
    pub model: String,
    /// What the table has.
    pub table: String,
}

impl Graph {
    /// Makes the model's table unless it is there; waits until it can be used. A table that is there is compared and
    /// left alone; indexes beyond the model's do not matter.
    ///
    /// # Errors
    /// What the database refuses; a table that does not become active within two minutes or the deadline.
    pub async fn apply(&self, cx: &Context) -> Result<Done<Applied>> {
        let mut described = Receipt::new(Operation::DescribeTable, &self.model.table);
        if let Some(table) = self.describe(cx, &mut described).await? {
            let differences = differences(&self.model, &table);
            if !differences.is_empty() {
                return Ok(Done::new(Applied::Differs(differences), vec![described]));
            }
            self.until_active(cx, &mut described).await?;
            let mut receipts = vec![described];
            let applied = match self.let_expire(cx, &mut receipts).await? {
                None => Applied::Unchanged,
                Some(difference) => Applied::Differs(vec![difference]),
            };
            return Ok(Done::new(applied, receipts));
        }
        let mut created = Receipt::new(Operation::CreateTable, &self.model.table);
        let started = self.env.monotonic();
        self.db.create_table(cx, create_table(&self.model)).await?;
        created.requests = 1;
        created.elapsed = self.env.monotonic().saturating_duration_since(started);
        self.until_active(cx, &mut described).await?;
        let mut receipts = vec![created, described];
        self.let_expire(cx, &mut receipts).await?;
        Ok(Done::new(Applied::Created, receipts))
    }

    /// Compares the model's table with the model and changes nothing; `None` where it is not there.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn compare(&self, cx: &Context) -> Result<Done<Option<Vec<Difference>>>> {
        let mut described = Receipt::new(Operation::DescribeTable, &self.model.table);
        let table = self.describe(cx, &mut described).await?;
        let found = table.map(|table| differences(&self.model, &table));
        Ok(Done::new(found, vec![described]))
    }

    pub(crate) async fn describe(
        &self,
        cx: &Context,
        receipt: &mut Receipt,
    ) -> Result<Option<TableDescription>> {
        let input = DescribeTableInput {
            table_name: Some(self.model.table.clone()),
        };
        receipt.requests += 1;
        match self.db.describe_table(cx, input).await {
            Ok(output) => Ok(output.table),
            Err(error) if error.kind == ErrorKind::ResourceNotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn until_active(&self, cx: &Context, receipt: &mut Receipt) -> Result<()> {
        let until = cx
            .deadline
            .unwrap_or_else(|| self.env.monotonic() + PATIENCE);
        let mut pause = FIRST_PAUSE;
        loop {
            let table = self.describe(cx, receipt).await?;
            if table.as_ref().is_some_and(active) {
                return Ok(());
            }
            if self.env.monotonic() + pause > until {
                let message = format!("table {} does not become active", self.model.table);
                let error = protocol::Error::new(ErrorKind::ResourceInUse, message);
                return Err(Error::from(error));
            }
            self.env.sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// Whether the table and all its indexes can be used.
pub(crate) fn active(table: &TableDescription) -> bool {
    table.table_status == Some(TableStatus::Active)
        && table
            .global_secondary_indexes
            .iter()
            .flatten()
            .all(|i| i.index_status.is_none_or(|s| s == IndexStatus::Active))
}

fn schema(keys: &KeyNames) -> Vec<KeySchemaElement> {
    [(&keys.pk, KeyRole::Hash), (&keys.sk, KeyRole::Range)]
        .map(|(name, role)| KeySchemaElement {
            attribute_name: Some(name.clone()),
            key_type: Some(role),
        })
        .into()
}

fn projection(index: &Index) -> WireProjection {
    let (kind, include) = match &index.projection {
        Projection::All => (ProjectionType::All, None),
        Projection::KeysOnly => (ProjectionType::KeysOnly, None),
        Projection::Include(names) => (ProjectionType::Include, Some(names.clone())),
    };
    WireProjection {
        projection_type: Some(kind),
        non_key_attributes: include,
    }
}

/// Adds an index to a table that is there: as much throughput as the table has, where it is billed by that.
pub(crate) fn add_index(
    model: &Model,
    index: &Index,
    table: &TableDescription,
) -> UpdateTableInput {
    let known = table.attribute_definitions.iter().flatten();
    let mut definitions: Vec<AttributeDefinition> = known.cloned().collect();
    for name in [&index.keys.pk, &index.keys.sk] {
        if definitions
            .iter()
            .all(|d| d.attribute_name.as_ref() != Some(name))
        {
            definitions.push(AttributeDefinition {
                attribute_name: Some(name.clone()),
                attribute_type: Some(ScalarAttributeType::S),
            });
        }
    }
    let by_request = table
        .billing_mode_summary
        .as_ref()
        .is_some_and(|b| b.billing_mode == Some(BillingMode::PayPerRequest));
    let throughput = table
        .provisioned_throughput
        .as_ref()
        .filter(|_| !by_request);
    let create = CreateGlobalSecondaryIndexAction {
        index_name: Some(index.name.clone()),
        key_schema: Some(schema(&index.keys)),
        projection: Some(projection(index)),
        provisioned_throughput: throughput.map(|t| ProvisionedThroughput {
            read_capacity_units: t.read_capacity_units,
            write_capacity_units: t.write_capacity_units,
        }),
        ..CreateGlobalSecondaryIndexAction::default()
    };
    UpdateTableInput {
        table_name: Some(model.table.clone()),
        attribute_definitions: Some(definitions),
        global_secondary_index_updates: Some(vec![GlobalSecondaryIndexUpdate {
            create: Some(create),
            ..GlobalSecondaryIndexUpdate::default()
        }]),
        ..UpdateTableInput::default()
    }
}

/// The model's table, billed by request.
pub(crate) fn create_table(model: &Model) -> CreateTableInput {
    let definitions = model
        .key_attributes()
        .into_iter()
        .map(|name| AttributeDefinition {
            attribute_name: Some(name.to_owned()),
            attribute_type: Some(ScalarAttributeType::S),
        });
    let indexes = model.indexes.iter().map(|index| GlobalSecondaryIndex {
        index_name: Some(index.name.clone()),
        key_schema: Some(schema(&index.keys)),
        projection: Some(projection(index)),
        ..GlobalSecondaryIndex::default()
    });
    let indexes: Vec<GlobalSecondaryIndex> = indexes.collect();
    CreateTableInput {
        table_name: Some(model.table.clone()),
        attribute_definitions: Some(definitions.collect()),
        key_schema: Some(schema(&model.keys)),
        global_secondary_indexes: (!indexes.is_empty()).then_some(indexes),
        billing_mode: Some(BillingMode::PayPerRequest),
        ..CreateTableInput::default()
    }
}

fn schema_words(schema: Option<&Vec<KeySchemaElement>>) -> String {
    let words: Vec<String> = schema
        .into_iter()
        .flatten()
        .map(|e| {
            let role = e.key_type.map_or("?", KeyRole::as_str);
            format!("{role} {}", e.attribute_name.as_deref().unwrap_or("?"))
        })
        .collect();
    words.join(", ")
}

fn projection_words(projection: Option<&WireProjection>) -> String {
    let Some(projection) = projection else {
        return "none".into();
    };
    let kind = projection
        .projection_type
        .map_or("?", ProjectionType::as_str);
    let mut names = projection.non_key_attributes.clone().unwrap_or_default();
    names.sort();
    if names.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind} {}", names.join(", "))
    }
}

pub(crate) fn differences(model: &Model, table: &TableDescription) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut compare = |what: String, model: String, table: String| {
        if model != table {
            found.push(Difference { what, model, table });
        }
    };
    compare(
        "key".into(),
        schema_words(Some(&schema(&model.keys))),
        schema_words(table.key_schema.as_ref()),
    );
    for definition in table.attribute_definitions.iter().flatten() {
        let name = definition.attribute_name.as_deref().unwrap_or_default();
        if model.key_attributes().contains(&name) {
            let kind = definition
                .attribute_type
                .map_or("?", ScalarAttributeType::as_str);
            compare(format!("type of {name}"), "S".into(), kind.into());
        }
    }
    for index in &model.indexes {
        let there = table
            .global_secondary_indexes
            .iter()
            .flatten()
            .find(|i| i.index_name.as_deref() == Some(&index.name));
        let Some(there) = there else {
            let keys = schema_words(Some(&schema(&index.keys)));
            compare(format!("index {}", index.name), keys, "none".into());
            continue;
        };
        compare(
            format!("index {} key", index.name),
            schema_words(Some(&schema(&index.keys))),
            schema_words(there.key_schema.as_ref()),
        );
        compare(
            format!("index {} projection", index.name),
            projection_words(Some(&projection(index))),
            projection_words(there.projection.as_ref()),
        );
    }
    found
}
