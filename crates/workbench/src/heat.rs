//! Which keys are hot.

use crate::answer::{Refusal, Result};
use crate::api::Query;
use crate::shapes::{Raw, raw_item};
use crate::{Connection, Workbench};
use bothways_core::{Item, ValueRef};
use bothways_graph::{KeyKind, Model};
use bothways_protocol::types::{
    ContributorInsightsAction, DescribeTableInput, TableDescription, UpdateContributorInsightsInput,
};
use bothways_protocol::{BusyKey, Context, DynamoDbExt, Operator};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Keys of a table or an index in one answer.
const KEYS: usize = 50;

/// The keys of a table and its indexes.
#[derive(Serialize)]
pub(crate) struct Heat {
    /// When it was read, milliseconds since 1970.
    at: u64,
    /// Whether the keys are counted.
    counted: bool,
    places: Vec<HeatPlace>,
}

/// The keys of a table or an index, since they are counted.
#[derive(Serialize)]
struct HeatPlace {
    index: Option<String>,
    uses: u64,
    keys: Vec<HeatKey>,
}

#[derive(Serialize)]
struct HeatKey {
    key: Raw,
    words: String,
    uses: u64,
    error: u64,
    read_milli: u64,
    write_milli: u64,
    name: Option<Named>,
}

/// What a key stands for in a model.
#[derive(Serialize)]
struct Named {
    model: String,
    kind: &'static str,
    relation: Option<String>,
    entity: String,
    id: String,
    shard: Option<u32>,
}

/// The busiest partition keys of a table and of each of its indexes.
pub(crate) async fn of_table(
    bench: &Workbench,
    connection: &Connection,
    query: &Query,
) -> Result<Heat> {
    let operator = operator(connection)?;
    let table = describe(connection, query.need("table")?).await?;
    let arn = table.table_arn.as_deref().unwrap_or_default();
    let shown = bench.shown();
    let models: Vec<&Model> = shown
        .iter()
        .map(|shown| &shown.model)
        .filter(|model| Some(&model.table) == table.table_name.as_ref())
        .collect();
    let mut busy = operator.busy_keys();
    busy.retain(|keys| keys.table_arn == arn);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Ok(Heat {
        at: now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(0)),
        counted: busy.iter().any(|keys| keys.index.is_none()),
        places: busy
            .into_iter()
            .map(|keys| HeatPlace {
                keys: keys
                    .partitions
                    .iter()
                    .take(KEYS)
                    .map(|key| heat_key(key, keys.index.as_deref(), &models))
                    .collect(),
                index: keys.index,
                uses: keys.uses,
            })
            .collect(),
    })
}

fn heat_key(key: &BusyKey, index: Option<&str>, models: &[&Model]) -> HeatKey {
    let text = |item: &Item| match item.iter().next() {
        Some((_, ValueRef::S(text))) if item.len() == 1 => Some(text.to_owned()),
        _ => None,
    };
    let name = text(&key.key).and_then(|text| {
        models.iter().find_map(|model| {
            let name = model.name_of_key(index, &text)?;
            Some(Named {
                model: model.name.clone(),
                kind: match name.kind {
                    KeyKind::Node => "node",
                    KeyKind::In => "in",
                    KeyKind::Counter => "counter",
                },
                relation: name.relation,
                entity: name.entity,
                id: name.id,
                shard: name.shard,
            })
        })
    });
    HeatKey {
        words: crate::live::item_in_words(&key.key),
        key: raw_item(&key.key),
        uses: key.uses,
        error: key.error,
        read_milli: key.read_milli,
        write_milli: key.write_milli,
        name,
    }
}

#[derive(Deserialize)]
struct SwitchBody {
    table: String,
    on: bool,
}

/// What the switch was set to.
#[derive(Serialize)]
pub(crate) struct Switched {
    counted: bool,
}

/// Has the keys of a table and of its global indexes counted, or not any more: Contributor Insights, as DynamoDB
/// calls it.
pub(crate) async fn switch(connection: &Connection, body: &[u8]) -> Result<Switched> {
    operator(connection)?;
    if connection.read_only {
        return Err(Refusal::read_only());
    }
    let body: SwitchBody = serde_json::from_slice(body)
        .map_err(|e| Refusal::bad_request(format!("the body is no switch: {e}")))?;
    let table = describe(connection, &body.table).await?;
    let indexes = table.global_secondary_indexes.unwrap_or_default();
    let names = indexes.into_iter().map(|index| index.index_name);
    for index_name in std::iter::once(None).chain(names) {
        let input = UpdateContributorInsightsInput {
            table_name: Some(body.table.clone()),
            index_name,
            contributor_insights_action: Some(if body.on {
                ContributorInsightsAction::Enable
            } else {
                ContributorInsightsAction::Disable
            }),
            ..UpdateContributorInsightsInput::default()
        };
        let cx = Context::default();
        connection
            .db
            .update_contributor_insights(&cx, input)
            .await?;
    }
    Ok(Switched { counted: body.on })
}

fn operator(connection: &Connection) -> Result<&Arc<dyn Operator>> {
    connection.beside.operator.as_ref().ok_or_else(|| {
        Refusal::not_found("heat of", &connection.name)
            .hint("only a database in this server's own process tells its hot keys")
    })
}

async fn describe(connection: &Connection, table: &str) -> Result<TableDescription> {
    let input = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    let described = connection
        .db
        .describe_table(&Context::default(), input)
        .await?;
    described
        .table
        .ok_or_else(|| Refusal::not_found("table", table))
}
