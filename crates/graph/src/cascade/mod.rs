//! Deleting an entity with all its edges, as a job.
//!
//! The way: (1) close the entity, in one transaction with the job's fence: from then on no link that is counted there can
//! commit, and unlinks still can. (2) Pass over every list of it, out and in, and delete what is there, each edge in one
//! transaction with the counters of both its ends. Index lists lag, and a Query may see a transaction in part, so this goes on until
//! two passes found nothing, with a grace between them, and the entity's counters are at 0. (3) Put a tombstone in its
//! place and hold it as long as an operation may be retried: a link that was on its way is refused. (4) Remove the
//! tombstone; the id may be used again.
//!
//! Peers are never deleted. A relation without a counter on the entity's side has no gate: what is linked there while the
//! passes go on is found by them, what is linked after the last one stays.

mod passes;
mod unlink;

use crate::error::Result;
use crate::graph::Graph;
use crate::jobs::{Budget, Fields, Job, JobKind, Next, Plan, Work, job_key};
use crate::link::key_name;
use crate::model::{Entity, companion};
use crate::receipt::{Done, Receipt};
use crate::requests::{self, CLOSED, Key};
use crate::send::Outcome;
use crate::{env, read};
use bothways_core::{Item, ItemBuilder, Number, Value, ValueRef};
use bothways_protocol::types::{
    ConditionCheck, DeleteItemInput, PutItemInput, ReturnConsumedCapacity, TransactWriteItem,
    Update,
};
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
        "close" => close(work, &node).await,
        "cancel" => reopen(work, &node).await,
        "edges" => passes::step(work, &node).await,
        "tombstone" => bury(work, &node).await,
        _ => release(work, &node).await,
    }
}

/// Closes the entity, if the job is still this worker's: a worker that comes late closes nothing.
async fn close(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    let graph = work.graph;
    let model = &*graph.model;
    let mut names = key_name(model);
    names.insert("#closed".into(), CLOSED.into());
    let ours = TransactWriteItem {
        condition_check: Some(ConditionCheck {
            key: Some(job_key(&work.job.id).item(&model.keys).into()),
            table_name: Some(model.table.clone()),
            condition_expression: Some("fence = :fence AND phase = :phase".into()),
            expression_attribute_values: Some(
                BTreeMap::from([
                    (":fence".to_owned(), Value::N(Number::from(work.job.fence))),
                    (":phase".to_owned(), Value::from("close")),
                ])
                .into(),
            ),
            ..ConditionCheck::default()
        }),
        ..TransactWriteItem::default()
    };
    let close = TransactWriteItem {
        update: Some(Update {
            key: Some(node.key.item(&model.keys).into()),
            table_name: Some(model.table.clone()),
            update_expression: Some("SET #closed = :job".into()),
            expression_attribute_names: Some(BTreeMap::from([("#closed".into(), CLOSED.into())])),
            expression_attribute_values: Some(
                BTreeMap::from([(":job".to_owned(), Value::from(work.job.id.as_str()))]).into(),
            ),
            ..Update::default()
        }),
        ..TransactWriteItem::default()
    };
    let token = env::operation_id(&*graph.env);
    let input = requests::transaction(vec![ours, close], &token);
    let mut receipt = Receipt::new(Operation::TransactWriteItems, &model.table);
    let outcome = graph
        .transact(work.cx, &input, &token, &mut receipt)
        .await?;
    work.sent(receipt);
    if matches!(outcome, Outcome::Refused(_)) {
        // The fence has moved on: saving this step will say so.
        return Ok(Next::More);
    }
    work.job.cancellable = false;
    work.enter("edges");
    Ok(Next::More)
}

/// Takes the closing back.
async fn reopen(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    let graph = work.graph;
    let model = &*graph.model;
    let (item, receipt) = graph.get_item(work.cx, &node.key, true).await?;
    work.sent(receipt);
    let ours = |item: &Item| read::text(item, CLOSED) == Some(&work.job.id);
    let Some(item) = item.filter(ours) else {
        return Ok(Next::Cancelled);
    };
    let mut names = BTreeMap::from([("#closed".to_owned(), CLOSED.to_owned())]);
    let mut condition = "#closed = :job".to_owned();
    let values: BTreeMap<String, Value> =
        BTreeMap::from([(":job".to_owned(), Value::from(work.job.id.as_str()))]);
    let own = [&model.keys.pk, &model.keys.sk];
    let made_by_closing = item
        .iter()
        .all(|(name, _)| name == CLOSED || own.iter().any(|k| *k == name));
    let mut receipt;
    if made_by_closing {
        for (i, counter) in model.counters_of(&node.entity.name).into_iter().enumerate() {
            names.insert(format!("#o{i}"), companion(counter));
            let _ = write!(condition, " AND attribute_not_exists(#o{i})");
        }
        receipt = delete(work, node, condition, names, values).await?;
    } else {
        let input = bothways_protocol::types::UpdateItemInput {
            table_name: Some(model.table.clone()),
            key: Some(node.key.item(&model.keys).into()),
            update_expression: Some("REMOVE #closed".into()),
            condition_expression: Some(condition),
            expression_attribute_names: Some(names),
            expression_attribute_values: Some(values.into()),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..Default::default()
        };
        receipt = Receipt::new(Operation::UpdateItem, &model.table);
        let send = || graph.db.update_item(work.cx, input.clone());
        if let Ok(output) = graph
            .decide(work.cx, &work.job.id, &mut receipt, send)
            .await?
        {
            receipt.consumed(output.consumed_capacity.as_ref());
        }
    }
    work.sent(receipt);
    // Looks again: only an entity that is open lets the job end.
    Ok(Next::More)
}

/// Puts the tombstone in the entity's place: its keys, and that it is closed.
async fn bury(work: &mut Work<'_>, node: &Node<'_>) -> Result<Next> {
    let graph = work.graph;
    let model = &*graph.model;
    let mut item = ItemBuilder::default();
    node.key.set_on(&model.keys, &mut item);
    item.set(CLOSED, ValueRef::S(&work.job.id));
    item.set(
        "deletedAt",
        ValueRef::N(Number::from(graph.env.epoch_millis() / 1000)),
    );
    let input = PutItemInput {
        table_name: Some(model.table.clone()),
        item: Some(item.build().into()),
        condition_expression: Some("#closed = :job".into()),
        expression_attribute_names: Some(BTreeMap::from([("#closed".into(), CLOSED.into())])),
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
    let hold = work.job.spec.count("hold");
    work.enter("hold");
    work.job
        .place
        .set_number("until", graph.env.epoch_millis() + hold);
    Ok(Next::After(Duration::from_millis(hold)))
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
    let names = BTreeMap::from([("#closed".to_owned(), CLOSED.to_owned())]);
    let values = BTreeMap::from([(":job".to_owned(), Value::from(work.job.id.as_str()))]);
    let receipt = delete(work, node, "#closed = :job".into(), names, values).await?;
    work.sent(receipt);
    Ok(Next::Done)
}

/// Deletes the entity's item if a condition holds. Where it does not, an earlier attempt did it.
async fn delete(
    work: &Work<'_>,
    node: &Node<'_>,
    condition: String,
    names: BTreeMap<String, String>,
    values: BTreeMap<String, Value>,
) -> Result<Receipt> {
    let graph = work.graph;
    let input = DeleteItemInput {
        table_name: Some(graph.model.table.clone()),
        key: Some(node.key.item(&graph.model.keys).into()),
        condition_expression: Some(condition),
        expression_attribute_names: Some(names),
        expression_attribute_values: Some(values.into()),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..DeleteItemInput::default()
    };
    let mut receipt = Receipt::new(Operation::DeleteItem, &graph.model.table);
    let send = || graph.db.delete_item(work.cx, input.clone());
    if let Ok(output) = graph
        .decide(work.cx, &work.job.id, &mut receipt, send)
        .await?
    {
        receipt.consumed(output.consumed_capacity.as_ref());
    }
    Ok(receipt)
}
