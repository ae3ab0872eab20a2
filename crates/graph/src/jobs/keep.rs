//! Jobs made, read, listed and steered.

use super::item::{all, job_key};
use super::{Budget, Fields, Job, JobKind, JobState, Steered};
use crate::env::operation_id;
use crate::error::Result;
use crate::graph::Graph;
use crate::receipt::{Done, Receipt};
use crate::requests;
use bothways_core::{Item, Number, Value};
use bothways_protocol::types::{
    PutItemInput, ReturnConsumedCapacity, ReturnValue, UpdateItemInput,
};
use bothways_protocol::{Context, DynamoDbExt, Operation};
use std::collections::BTreeMap;

/// Letters of a job's id: short enough to type, and unique in a table.
const ID_LETTERS: usize = 10;

/// A job to be made.
pub(crate) struct Plan {
    pub(crate) kind: JobKind,
    pub(crate) about: String,
    pub(crate) phase: &'static str,
    pub(crate) cancellable: bool,
    pub(crate) budget: Budget,
    pub(crate) spec: Fields,
}

/// A change of a job's item.
pub(super) struct Change {
    pub(super) update: String,
    pub(super) condition: String,
    pub(super) values: BTreeMap<String, Value>,
}

impl Change {
    /// The same with a value for a placeholder.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }
    pub(super) fn with_number(self, name: &str, number: u64) -> Self {
        self.with(name, Value::N(Number::from(number)))
    }
}

/// The words that jobs' attributes may not be called by in an expression.
const NAMES: [(&str, &str); 2] = [("#state", "state"), ("#lease", "lease")];

impl Graph {
    /// Every job of the model's table, newest first.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn jobs(&self, cx: &Context) -> Result<Done<Vec<Job>>> {
        let (mut jobs, mut receipt, mut start) = (Vec::new(), None::<Receipt>, None);
        loop {
            let (page, read) = self.query(cx, all(&self.model, start)).await?;
            match &mut receipt {
                Some(receipt) => receipt.absorb(&read),
                None => receipt = Some(read),
            }
            let items = page.items.iter().flatten();
            jobs.extend(items.filter_map(|item| Job::read(item, &self.model.keys)));
            start = page.last_evaluated_key;
            if start.is_none() {
                break;
            }
        }
        jobs.sort_by_key(|job| std::cmp::Reverse(job.created_at));
        Ok(Done::new(jobs, receipt.into_iter().collect()))
    }

    /// One job.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn job(&self, cx: &Context, id: &str) -> Result<Done<Option<Job>>> {
        if id.is_empty() {
            return Ok(Done::new(None, Vec::new()));
        }
        let (item, receipt) = self.get_item(cx, &job_key(id), true).await?;
        let job = item.and_then(|item| Job::read(&item, &self.model.keys));
        Ok(Done::new(job, vec![receipt]))
    }

    /// Pauses a job: its worker stops after its step.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn pause_job(&self, cx: &Context, id: &str) -> Result<Done<Steered>> {
        let change = Change {
            update: "SET #state = :to, updatedAt = :now".into(),
            condition: "#state IN (:open, :to)".into(),
            values: BTreeMap::new(),
        };
        let change = change.with(":to", "paused").with(":open", "open");
        self.steer(cx, id, change).await
    }

    /// Opens a job again that was paused or has failed.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn resume_job(&self, cx: &Context, id: &str) -> Result<Done<Steered>> {
        let change = Change {
            update: "SET #state = :to, updatedAt = :now REMOVE failure".into(),
            condition: "#state IN (:to, :paused, :failed)".into(),
            values: BTreeMap::new(),
        };
        let change = change.with(":to", "open").with(":paused", "paused");
        self.steer(cx, id, change.with(":failed", "failed")).await
    }

    /// Calls a job off, which it allows as long as it has changed nothing that stays. Its worker is out at once; the job
    /// stays open until [`Graph::run_job`] has taken back what it had prepared.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn cancel_job(&self, cx: &Context, id: &str) -> Result<Done<Steered>> {
        let change = Change {
            update: "SET #state = :open, phase = :phase, updatedAt = :now ADD fence :one \
                     REMOVE #lease, leaseUntil, failure"
                .into(),
            condition: "cancellable = :yes AND #state IN (:open, :paused, :failed)".into(),
            values: BTreeMap::new(),
        };
        let change = change
            .with(":open", "open")
            .with(":paused", "paused")
            .with(":failed", "failed")
            .with(":phase", "cancel")
            .with(":yes", Value::Bool(true))
            .with_number(":one", 1);
        self.steer(cx, id, change).await
    }

    async fn steer(&self, cx: &Context, id: &str, change: Change) -> Result<Done<Steered>> {
        let change = change.with_number(":now", self.env.epoch_millis());
        let (changed, receipt) = self.change_job(cx, id, change).await?;
        if let Some(job) = changed {
            return Ok(Done::new(Steered::Done(job), vec![receipt]));
        }
        let mut found = self.job(cx, id).await?.map(|job| match job {
            Some(job) => Steered::Refused(job),
            None => Steered::NotFound,
        });
        found.receipts.insert(0, receipt);
        Ok(found)
    }

    /// Changes a job's item if it is there and a condition holds; answers with the job as it is then.
    pub(super) async fn change_job(
        &self,
        cx: &Context,
        id: &str,
        change: Change,
    ) -> Result<(Option<Job>, Receipt)> {
        let model = &*self.model;
        let key = job_key(if id.is_empty() { "-" } else { id });
        let mut names = BTreeMap::from([("#pk".to_owned(), model.keys.pk.clone())]);
        for (name, attribute) in NAMES {
            if change.update.contains(name) || change.condition.contains(name) {
                names.insert(name.to_owned(), attribute.to_owned());
            }
        }
        let input = UpdateItemInput {
            table_name: Some(model.table.clone()),
            key: Some(key.item(&model.keys).into()),
            update_expression: Some(change.update),
            condition_expression: Some(format!("attribute_exists(#pk) AND {}", change.condition)),
            expression_attribute_names: Some(names),
            expression_attribute_values: Some(change.values.into()),
            return_values: Some(ReturnValue::AllNew),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..UpdateItemInput::default()
        };
        let mut receipt = Receipt::new(Operation::UpdateItem, &model.table);
        receipt.key = Some(requests::key_words(&key.item(&model.keys), &model.keys));
        let send = || self.db.update_item(cx, input.clone());
        let Ok(output) = self.decide(cx, id, &mut receipt, send).await? else {
            return Ok((None, receipt));
        };
        receipt.consumed(output.consumed_capacity.as_ref());
        let job = output.attributes.as_ref();
        Ok((job.and_then(|item| Job::read(item, &model.keys)), receipt))
    }

    /// A job that stands nowhere yet.
    pub(crate) fn new_job(&self, plan: Plan) -> Job {
        let now = self.env.epoch_millis();
        let mut id = operation_id(&*self.env);
        id.truncate(ID_LETTERS);
        Job {
            id,
            kind: plan.kind,
            state: JobState::Open,
            phase: plan.phase.to_owned(),
            about: plan.about,
            progress: Vec::new(),
            created_at: now,
            updated_at: now,
            lease: None,
            fence: 0,
            budget: plan.budget,
            cancellable: plan.cancellable,
            failure: None,
            spec: plan.spec,
            place: Fields::default(),
        }
    }

    /// Makes a job: one `PutItem`.
    pub(crate) async fn make_job(&self, cx: &Context, plan: Plan) -> Result<Done<Job>> {
        let job = self.new_job(plan);
        let item: Item = job.write(&self.model.keys);
        let input = PutItemInput {
            table_name: Some(self.model.table.clone()),
            item: Some(item.into()),
            return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
            ..PutItemInput::default()
        };
        let mut receipt = Receipt::new(Operation::PutItem, &self.model.table);
        receipt.note = Some(format!("job {}", job.id));
        let send = || self.db.put_item(cx, input.clone());
        if let Ok(output) = self.decide(cx, &job.id, &mut receipt, send).await? {
            receipt.consumed(output.consumed_capacity.as_ref());
        }
        Ok(Done::new(job, vec![receipt]))
    }
}
