//! Who may work on a job: the lease, and the fence under which a worker saves.

use super::keep::Change;
use super::{Job, JobState, LEASE};
use crate::error::Result;
use crate::graph::Graph;
use crate::receipt::Receipt;
use bothways_core::Value;
use bothways_protocol::Context;
use std::collections::BTreeMap;

fn lease_millis() -> u64 {
    u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX)
}

impl Graph {
    /// Takes a job up: the lease, and the next fence number. `None` where it is not open or, unless it is taken over, somebody
    /// else has it.
    pub(super) async fn take_job(
        &self,
        cx: &Context,
        id: &str,
        worker: &str,
        take_over: bool,
    ) -> Result<(Option<Job>, Receipt)> {
        let now = self.env.epoch_millis();
        let change = Change {
            update: "SET #lease = :me, leaseUntil = :until, updatedAt = :now ADD fence :one".into(),
            // One's own lease is taken again: an answer may have been lost.
            condition: if take_over {
                "#state = :open"
            } else {
                "#state = :open AND (attribute_not_exists(#lease) OR #lease = :me OR leaseUntil < :now)"
            }
            .into(),
            values: BTreeMap::new(),
        };
        let change = change
            .with(":me", worker)
            .with(":open", JobState::Open.as_str())
            .with_number(":now", now)
            .with_number(":until", now + lease_millis())
            .with_number(":one", 1);
        self.change_job(cx, id, change).await
    }

    /// Saves how far a job is, under its fence, and keeps the lease. `None` where the job is not the worker's any more.
    pub(super) async fn save_job(
        &self,
        cx: &Context,
        job: &Job,
        end: Option<JobState>,
    ) -> Result<(Option<Job>, Receipt)> {
        let now = self.env.epoch_millis();
        let mut update =
            "SET #state = :state, phase = :phase, place = :place, progress = :progress, \
                          cancellable = :cancellable, updatedAt = :now"
                .to_owned();
        update.push_str(match end {
            Some(_) => " REMOVE #lease, leaseUntil",
            None => ", leaseUntil = :until",
        });
        let change = Change {
            update,
            // The state that this very save sets counts as open: an answer may have been lost.
            condition: "fence = :fence AND #state IN (:open, :state)".into(),
            values: BTreeMap::new(),
        };
        let mut change = change
            .with(":open", JobState::Open.as_str())
            .with(":state", end.unwrap_or(JobState::Open).as_str())
            .with(":phase", job.phase.as_str())
            .with(":place", job.place.value())
            .with(":progress", job.progress_fields().value())
            .with(":cancellable", Value::Bool(job.cancellable))
            .with_number(":now", now)
            .with_number(":fence", job.fence);
        if end.is_none() {
            change = change.with_number(":until", now + lease_millis());
        }
        if let Some(why) = job
            .failure
            .as_deref()
            .filter(|_| end == Some(JobState::Failed))
        {
            change.update = change
                .update
                .replacen(" REMOVE", ", failure = :why REMOVE", 1);
            change = change.with(":why", why);
        }
        self.change_job(cx, &job.id, change).await
    }

    /// Gives the lease back; the job stays as it is.
    pub(super) async fn leave_job(&self, cx: &Context, job: &Job) -> Result<Receipt> {
        let change = Change {
            update: "SET updatedAt = :now REMOVE #lease, leaseUntil".into(),
            condition: "fence = :fence".into(),
            values: BTreeMap::new(),
        };
        let change = change
            .with_number(":now", self.env.epoch_millis())
            .with_number(":fence", job.fence);
        Ok(self.change_job(cx, &job.id, change).await?.1)
    }
}
