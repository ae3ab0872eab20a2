//! What a table is: read at the source, made or compared at the destination.

use crate::error::{CopyError, Result, Side, at};
use bothways_core::Item;
use bothways_protocol::types::{
    BillingMode, CreateTableInput, DescribeTableInput, DescribeTimeToLiveInput,
    GlobalSecondaryIndex, KeyRole, KeySchemaElement, ListTagsOfResourceInput, LocalSecondaryIndex,
    Projection, ProjectionType, ProvisionedThroughput, ProvisionedThroughputDescription,
    ScalarAttributeType, TableDescription, TableStatus, Tag, TimeToLiveSpecification,
    TimeToLiveStatus, UpdateTimeToLiveInput,
};
use bothways_protocol::{Context, DynamoDb, DynamoDbExt, ErrorKind};
use std::time::Duration;

/// Between two looks at a table that is being made.
const LOOK: Duration = Duration::from_millis(250);
/// Longest wait for a table that is being made. A choice: AWS takes seconds, minutes with many indexes.
const MAKING: Duration = Duration::from_mins(10);

/// A table as it is to be copied.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) description: TableDescription,
    /// The attribute of its time to live, where that is on.
    pub(crate) expiry: Option<String>,
    pub(crate) tags: Vec<Tag>,
}

impl Table {
    /// Reads it; `None` where it is not there.
    pub(crate) async fn read(
        db: &dyn DynamoDb,
        cx: &Context,
        name: &str,
        side: Side,
    ) -> Result<Option<Self>> {
        let Some(description) = describe(db, cx, name, side).await? else {
            return Ok(None);
        };
        let input = DescribeTimeToLiveInput {
            table_name: Some(name.to_owned()),
        };
        let ttl = db.describe_time_to_live(cx, input).await;
        let ttl = optional(ttl.map_err(at(side)))?.and_then(|out| out.time_to_live_description);
        let expiry = ttl
            .filter(|ttl| {
                let on = [TimeToLiveStatus::Enabled, TimeToLiveStatus::Enabling];
                ttl.time_to_live_status
                    .as_ref()
                    .is_some_and(|s| on.contains(s))
            })
            .and_then(|ttl| ttl.attribute_name);
        let tags = tags(db, cx, description.table_arn.as_deref(), side).await?;
        Ok(Some(Self {
            name: name.to_owned(),
            description,
            expiry,
            tags,
        }))
    }

    /// What tells this table from any other, one that was made anew under its name included.
    pub(crate) fn identity(&self) -> String {
        let d = &self.description;
        format!(
            "{} {} {}",
            d.table_arn.as_deref().unwrap_or(&self.name),
            d.table_id.as_deref().unwrap_or_default(),
            d.creation_date_time.unwrap_or_default()
        )
    }

    /// Its key attributes with their types, the partition key first.
    pub(crate) fn keys(&self) -> Vec<(String, ScalarAttributeType)> {
        let mut schema: Vec<&KeySchemaElement> =
            self.description.key_schema.iter().flatten().collect();
        schema.sort_by_key(|key| key.key_type != Some(KeyRole::Hash));
        let kind = |name: &str| {
            let mut definitions = self.description.attribute_definitions.iter().flatten();
            definitions
                .find(|d| d.attribute_name.as_deref() == Some(name))
                .and_then(|d| d.attribute_type)
                .unwrap_or(ScalarAttributeType::S)
        };
        let names = schema.iter().filter_map(|key| key.attribute_name.clone());
        names.map(|name| (name.clone(), kind(&name))).collect()
    }

    /// The key of an item.
    pub(crate) fn key_of(&self, item: &Item) -> Item {
        let keys = self.keys();
        let names: Vec<&str> = keys.iter().map(|(name, _)| name.as_str()).collect();
        item.only(&names)
    }

    /// Makes it at the destination, without its time to live.
    pub(crate) async fn make(&self, db: &dyn DynamoDb, cx: &Context) -> Result<()> {
        let made = db.create_table(cx, self.creation()).await;
        made.map_err(at(Side::Destination))?;
        let begun = std::time::Instant::now();
        loop {
            let there = describe(db, cx, &self.name, Side::Destination).await?;
            if there.is_some_and(|t| t.table_status == Some(TableStatus::Active)) {
                return Ok(());
            }
            if begun.elapsed() > MAKING {
                return Err(CopyError::Stalled(
                    "its table does not become active".to_owned(),
                ));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    fn creation(&self) -> CreateTableInput {
        let d = &self.description;
        let on_demand = d.billing_mode_summary.as_ref().and_then(|b| b.billing_mode)
            == Some(BillingMode::PayPerRequest);
        let units = |described: &Option<ProvisionedThroughputDescription>| {
            let described = described.as_ref().filter(|_| !on_demand)?;
            Some(ProvisionedThroughput {
                read_capacity_units: described.read_capacity_units,
                write_capacity_units: described.write_capacity_units,
            })
        };
        let globals =
            d.global_secondary_indexes
                .iter()
                .flatten()
                .map(|index| GlobalSecondaryIndex {
                    index_name: index.index_name.clone(),
                    key_schema: index.key_schema.clone(),
                    projection: index.projection.clone(),
                    provisioned_throughput: units(&index.provisioned_throughput),
                    on_demand_throughput: index.on_demand_throughput.clone(),
                    ..GlobalSecondaryIndex::default()
                });
        let locals = d
            .local_secondary_indexes
            .iter()
            .flatten()
            .map(|index| LocalSecondaryIndex {
                index_name: index.index_name.clone(),
                key_schema: index.key_schema.clone(),
                projection: index.projection.clone(),
            });
        let (globals, locals): (Vec<_>, Vec<_>) = (globals.collect(), locals.collect());
        CreateTableInput {
            attribute_definitions: d.attribute_definitions.clone(),
            table_name: Some(self.name.clone()),
            billing_mode: Some(if on_demand {
                BillingMode::PayPerRequest
            } else {
                BillingMode::Provisioned
            }),
            provisioned_throughput: units(&d.provisioned_throughput),
            key_schema: d.key_schema.clone(),
            global_secondary_indexes: Some(globals).filter(|all| !all.is_empty()),
            local_secondary_indexes: Some(locals).filter(|all| !all.is_empty()),
            stream_specification: d.stream_specification.clone(),
            tags: Some(self.tags.clone()).filter(|tags| !tags.is_empty()),
            deletion_protection_enabled: d.deletion_protection_enabled.filter(|&on| on),
            table_class: d
                .table_class_summary
                .as_ref()
                .and_then(|class| class.table_class),
            on_demand_throughput: d.on_demand_throughput.clone(),
            ..CreateTableInput::default()
        }
    }

    /// The first thing in which another table is not this one's like.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        if self.keys() != other.keys() {
            return Some("keys".to_owned());
        }
        let (mine, others) = (self.indexes(), other.indexes());
        let differs = |name: &&String| mine.get(*name) != others.get(*name);
        let names = mine.keys().chain(others.keys());
        names
            .into_iter()
            .find(differs)
            .map(|name| format!("index {name}"))
    }

    /// Each index's keys and projection, as text to compare.
    fn indexes(&self) -> std::collections::BTreeMap<String, String> {
        let d = &self.description;
        let globals = d.global_secondary_indexes.iter().flatten();
        let globals = globals.map(|i| (&i.index_name, &i.key_schema, &i.projection));
        let locals = d.local_secondary_indexes.iter().flatten();
        let locals = locals.map(|i| (&i.index_name, &i.key_schema, &i.projection));
        globals
            .chain(locals)
            .map(|(name, keys, projection)| {
                let name = name.clone().unwrap_or_default();
                (
                    name,
                    format!(
                        "{:?} {:?}",
                        key_names(keys.as_deref()),
                        projected(projection.as_ref())
                    ),
                )
            })
            .collect()
    }

    /// Switches time to live on at the destination, as it is at the source.
    pub(crate) async fn expire(&self, db: &dyn DynamoDb, cx: &Context) -> Result<()> {
        let Some(attribute) = &self.expiry else {
            return Ok(());
        };
        let there = Self::read(db, cx, &self.name, Side::Destination).await?;
        if there.is_some_and(|there| there.expiry.is_some()) {
            return Ok(());
        }
        let input = UpdateTimeToLiveInput {
            table_name: Some(self.name.clone()),
            time_to_live_specification: Some(TimeToLiveSpecification {
                enabled: Some(true),
                attribute_name: Some(attribute.clone()),
            }),
        };
        let set = db.update_time_to_live(cx, input).await;
        set.map(drop).map_err(at(Side::Destination))
    }
}

fn key_names(keys: Option<&[KeySchemaElement]>) -> Vec<(Option<&str>, bool)> {
    let keys = keys.unwrap_or_default().iter();
    keys.map(|key| {
        (
            key.attribute_name.as_deref(),
            key.key_type == Some(KeyRole::Hash),
        )
    })
    .collect()
}

/// A projection with its attributes in order: they are a set.
fn projected(projection: Option<&Projection>) -> (Option<&ProjectionType>, Vec<&String>) {
    let names = projection.and_then(|p| p.non_key_attributes.as_ref());
    let mut names: Vec<&String> = names.into_iter().flatten().collect();
    names.sort_unstable();
    (projection.and_then(|p| p.projection_type.as_ref()), names)
}

async fn describe(
    db: &dyn DynamoDb,
    cx: &Context,
    name: &str,
    side: Side,
) -> Result<Option<TableDescription>> {
    let input = DescribeTableInput {
        table_name: Some(name.to_owned()),
    };
    match db.describe_table(cx, input).await {
        Ok(output) => Ok(output.table),
        Err(error) if error.kind == ErrorKind::ResourceNotFound => Ok(None),
        Err(error) => Err(at(side)(error)),
    }
}

async fn tags(db: &dyn DynamoDb, cx: &Context, arn: Option<&str>, side: Side) -> Result<Vec<Tag>> {
    let (mut all, mut next) = (Vec::new(), None);
    loop {
        let input = ListTagsOfResourceInput {
            resource_arn: arn.map(str::to_owned),
            next_token: next.take(),
        };
        let page = db.list_tags_of_resource(cx, input).await;
        let Some(page) = optional(page.map_err(at(side)))? else {
            return Ok(all);
        };
        // What AWS itself has put on a table cannot be set.
        let own = |tag: &Tag| !tag.key.as_deref().unwrap_or_default().starts_with("aws:");
        all.extend(page.tags.into_iter().flatten().filter(own));
        next = page.next_token;
        if next.is_none() {
            return Ok(all);
        }
    }
}

/// What a place does not offer is not there to be copied.
fn optional<T>(answer: Result<T>) -> Result<Option<T>> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(CopyError::Database { error, .. })
            if matches!(
                error.kind,
                ErrorKind::UnknownOperation | ErrorKind::AccessDenied
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
