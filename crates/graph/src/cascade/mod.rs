//! Deleting an entity with all its edges, as a job.
//!
//! The way: (1) close the entity and the counters of its shards, in transactions with the job's fence: from then on no link that is counted there can
//! commit, and unlinks still can. (2) Pass over every list of it, out and in, and delete what is there, each edge in one
//! transaction with the counters of both its ends. Index lists lag, and a Query may see a transaction in part, so this goes on until
//! two passes found nothing, with a grace between them, and its counters are at 0. (3) Put a tombstone in its
//! place and hold it as long as an operation may be retried, and without its maps as long as anybody goes by one: a link that was on its way is refused. (4) Remove the
//! tombstone, and the shards' counters; the id may be used again.
//!
//! Peers are never deleted. A relation without a counter on the entity's side has no gate: what is linked there while the
//! passes go on is found by them, what is linked after the last one stays.

mod gates;
mod passes;
mod unlink;

use crate::error::Result;
use crate::graph::Graph;
use crate::jobs::{Budget, Fields, Job, JobKind, Next, Plan, Work};
use crate::model::Entity;
use crate::read;
use crate::receipt::{Done, Receipt};
use crate::requests::{self, CLOSED, Key};
use crate::shard::map_attribute;
use bothways_core::{ItemBuilder, Number, Value, ValueRef};
use bothways_protocol::types::{DeleteItemInput, PutItemInput, ReturnConsumedCapacity};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// How a cascading delete is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CascadeOptions {
    /// Capacity that it may use.
    pub budget: Budget,
    /// Time between the passes that have to find nothing: longer than the index usually lags.
    pub grace: Duration,
    /// How long the tombstone stands: longer than any operation is retried.
    pub hold: Duration,
}

impl Default for CascadeOptions {
    fn default() -> Self {
        Self {
            budget: Budget::default(),
            grace: Duration::from_secs(5),
            hold: Duration::from_mins(1),
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Graph {
    /// Makes the job that deletes an entity with all its edges; [`Graph::run_job`] does it. An entity that is being
    /// deleted has its job already, which is the answer then.
    ///
    /// # Errors
    /// Ids that cannot be; what the database refuses.
    pub async fn cascade(
        &self,
        cx: &Context,
        entity: &str,
        id: &str,
        options: &CascadeOptions,
    ) -> Result<Done<Job>> {
        let entity = self.entity(entity)?;
        let key = requests::entity_key(&self.model, entity, id)?;
        let (item, looked) = self.get_item(cx, &key, true).await?;
        let closed = item.as_ref().and_then(|item| read::text(item, CLOSED));
        if let Some(job) = closed {
            let mut found = self.job(cx, job).await?;
            found.receipts.insert(0, looked.clone());
            if let Some(job) = found.value {
                return Ok(Done::new(job, found.receipts));
            }
        }
        let mut spec = Fields::default();
        spec.set("entity", entity.name.as_str());
        spec.set("id", id);
        spec.set_number("grace", millis(options.grace));
        spec.set_number("hold", millis(options.hold));
        let plan = Plan {
            kind: JobKind::Cascade,
            about: format!("{} {id}", entity.name),
            phase: "close",
            cancellable: true,
            budget: options.budget,
            spec,
        };
        let mut made = self.make_job(cx, plan).await?;
        made.receipts.insert(0, looked);
        Ok(made)
    }
}

/// The entity that a job deletes.
pub(crate) struct Node<'g> {
    pub(crate) entity: &'g Entity,
    pub(crate) id: String,
    key: Key,
}

impl<'g> Node<'g> {
    fn of(graph: &'g Graph, job: &Job) -> Result<Self> {
        let entity = graph.entity(job.spec.text("entity").unwrap_or_default())?;
        let id = job.spec.text("id").unwrap_or_default().to_owned();
        let key = requests::entity_key(&graph.model, entity, &id)?;
        Ok(Self { entity, id, key })
    }
}

/// One step.
pub(crate) async fn step(work: &mut Work<'_>) -> Result<Next> {
    let graph = work.graph;
    let node = Node::of(graph, &work.job)?;
    match work.job.phase.as_str() {
        "close" => gates::close(work, &node).await,
        "cancel" => gates::reopen(work, &node).await,
        "edges" => passes::step(work, &node).await,
        "tombstone" => bury(work, &node).await,
        "maps" => unmap(work, &node).await,
        _ => release(work, &node).await,
    }
}

/// Puts the tombstone in the entity's place: its keys, and that it is closed.
async fn bury(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    // A repeated step finds the tombstone, and what was remembered is gone with it: so the map goes along.
    let parts = gates::parts(work, node).await?;
    lay(work, node, &parts).await?;
    work.enter("maps");
    gates::remember(work, &parts);
    Ok(Next::More)
}

/// Takes the maps off the tombstone. From here on it stands as long as anybody goes by a map: whoever uses the id again meets
/// nobody who counts by an old one.
async fn unmap(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    let shards = work.job.place.item("shards");
    let mapped = shards.as_ref().is_some_and(|s| s.iter().next().is_some());
    if mapped {
        lay(work, node, &[]).await?;
    }
    let hold = gates::hold(work, mapped);
    let until = work.graph.env.epoch_millis() + hold;
    work.enter("hold");
    work.job.place.set_number("until", until);
    if let Some(shards) = &shards {
        work.job.place.set_item("shards", shards);
    }
    Ok(Next::After(Duration::from_millis(hold)))
}

/// Writes the tombstone over what this job has closed, with these maps if they are still there: a worker that comes late
/// brings none back.
async fn lay(work: &mut Work<'_>, node: &Node<'_>, parts: &[gates::Mapped<'_>]) -> Result<()> {
    let graph = work.graph;
    let model = &*graph.model;
    let mut item = ItemBuilder::default();
    node.key.set_on(&model.keys, &mut item);
    item.set(CLOSED, ValueRef::S(&work.job.id));
    item.set(
        "deletedAt",
        ValueRef::N(Number::from(graph.env.epoch_millis() / 1000)),
    );
    gates::keep_maps(parts, &mut item);
    let mut names = BTreeMap::from([("#closed".to_owned(), CLOSED.to_owned())]);
    let mut condition = "#closed = :job".to_owned();
    for (i, (relation, _)) in parts.iter().enumerate() {
        names.insert(format!("#map{i}"), map_attribute(relation));
        let _ = write!(condition, " AND attribute_exists(#map{i})");
    }
    let input = PutItemInput {
        table_name: Some(model.table.clone()),
        item: Some(item.build().into()),
        condition_expression: Some(condition),
        expression_attribute_names: Some(names),
        expression_attribute_values: Some(
            BTreeMap::from([(":job".to_owned(), Value::from(work.job.id.as_str()))]).into(),
        ),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..PutItemInput::default()
    };
    let mut receipt = Receipt::new(Operation::PutItem, &model.table);
    let send = || graph.db.put_item(work.cx, input.clone());
    if let Ok(output) = graph
        .decide(work.cx, &work.job.id, &mut receipt, send)
        .await?
    {
        receipt.consumed(output.consumed_capacity.as_ref());
    }
    work.sent(receipt);
    Ok(())
}

/// Removes the tombstone when it has stood long enough.
async fn release(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    let left = work
        .job
        .place
        .count("until")
        .saturating_sub(work.graph.env.epoch_millis());
    if left > 0 {
        return Ok(Next::After(Duration::from_millis(left)));
    }
    gates::remove(work, node).await?;
    let key = node.key.clone();
    delete(work, &key, Some(&["#closed = :job"])).await?;
    Ok(Next::Done)
}

/// Deletes an item; one of an entity only if it is closed by this job and more holds. Where that does not hold, an
/// earlier attempt did it.
async fn delete(work: &mut Work<'_>, key: &Key, conditions: Option<&[&str]>) -> Result<()> {
    let graph = work.graph;
    let mut input = DeleteItemInput {
        table_name: Some(graph.model.table.clone()),
        key: Some(key.item(&graph.model.keys).into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..DeleteItemInput::default()
    };
    if let Some(conditions) = conditions {
        input.condition_expression = Some(conditions.join(" AND "));
        input.expression_attribute_names =
            Some(BTreeMap::from([("#closed".to_owned(), CLOSED.to_owned())]));
        input.expression_attribute_values = Some(gates::job_value(work).into());
    }
    let mut receipt = Receipt::new(Operation::DeleteItem, &graph.model.table);
    let send = || graph.db.delete_item(work.cx, input.clone());
    if let Ok(output) = graph
        .decide(work.cx, &work.job.id, &mut receipt, send)
        .await?
    {
        receipt.consumed(output.consumed_capacity.as_ref());
    }
    work.sent(receipt);
    Ok(())
}
