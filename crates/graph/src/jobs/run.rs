//! The work on a job: step after step, each saved, within its budget.

use super::work::passing;
use super::{Job, JobKind, JobObserver, JobState, LEASE, Next, Ran, Work};
use crate::env::operation_id;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::receipt::Done;
use bothways_protocol::Context;
use std::time::Duration;

/// How often in a row a step is tried whose database is in the way.
const TRIES: u32 = 12;
/// First pause before another try; it doubles.
const PAUSE: Duration = Duration::from_millis(100);

/// How a run is left.
enum Left {
    Ended(JobState),
    Stopped,
    /// The job is not this worker's any more.
    Lost,
    Failed(Error),
}

impl Graph {
    /// Works on a job until it ends, is paused, or the observer stops it. Any process may take it up again, also one that
    /// finds it left by a dead worker, half a minute after its last step.
    ///
    /// # Errors
    /// What the database refuses for good; the job has failed then, and may be resumed.
    pub async fn run_job(
        &self,
        cx: &Context,
        id: &str,
        observer: &mut dyn JobObserver,
    ) -> Result<Done<Ran>> {
        self.take_and_work(cx, id, false, observer).await
    }

    /// The same for a job whose worker is known to be dead, without waiting for its lease to run out. A worker that lives
    /// after all loses the job, and can save nothing of what it does from then on.
    ///
    /// # Errors
    /// As [`Graph::run_job`].
    pub async fn take_over_job(
        &self,
        cx: &Context,
        id: &str,
        observer: &mut dyn JobObserver,
    ) -> Result<Done<Ran>> {
        self.take_and_work(cx, id, true, observer).await
    }

    async fn take_and_work(
        &self,
        cx: &Context,
        id: &str,
        take_over: bool,
        observer: &mut dyn JobObserver,
    ) -> Result<Done<Ran>> {
        let worker = operation_id(&*self.env);
        let (taken, receipt) = self.take_job(cx, id, &worker, take_over).await?;
        let Some(job) = taken else {
            let mut found = self.job(cx, id).await?.map(|job| match job {
                None => Ran::NotFound,
                Some(job) if job.state == JobState::Open => Ran::Taken(job),
                Some(job) => Ran::NotOpen(job),
            });
            found.receipts.insert(0, receipt);
            return Ok(found);
        };
        let mut work = Work::new(self, cx, job);
        work.sent(receipt);
        let ran = match self.work(&mut work, observer).await {
            Left::Ended(state) => {
                work.job.state = state;
                work.job.lease = None;
                Ran::Ended(work.job)
            }
            Left::Stopped => {
                let receipt = self.leave_job(cx, &work.job).await?;
                work.sent(receipt);
                Ran::Stopped(work.job)
            }
            Left::Lost => match self.job(cx, id).await?.value {
                None => Ran::NotFound,
                Some(job) if job.state == JobState::Open => Ran::Taken(job),
                Some(job) => Ran::NotOpen(job),
            },
            Left::Failed(error) => {
                work.job.failure = Some(error.to_string());
                // The error that ended it counts, not that it could not be written down.
                let _ = self.save_job(cx, &work.job, Some(JobState::Failed)).await;
                return Err(error);
            }
        };
        Ok(Done::new(ran, work.receipts))
    }

    /// Works on a job that only reads without keeping it in the table: it writes nothing at all, and whoever stops it begins
    /// again at its start.
    pub(crate) async fn run_unsaved(
        &self,
        cx: &Context,
        job: Job,
        observer: &mut dyn JobObserver,
    ) -> Result<Done<Ran>> {
        let mut work = Work::new(self, cx, job);
        work.unsaved = true;
        let ran = match self.work(&mut work, observer).await {
            Left::Ended(state) => {
                work.job.state = state;
                Ran::Ended(work.job)
            }
            Left::Stopped => Ran::Stopped(work.job),
            Left::Lost => {
                return Err(Error::JobLost { job: work.job.id });
            }
            Left::Failed(error) => return Err(error),
        };
        Ok(Done::new(ran, work.receipts))
    }

    async fn work(&self, work: &mut Work<'_>, observer: &mut dyn JobObserver) -> Left {
        let mut tries = 0;
        loop {
            let before = work.job.clone();
            let next = match step(work).await {
                Ok(next) => next,
                Err(error) if passing(&error) && tries < TRIES => {
                    tries += 1;
                    work.job = before;
                    let pause = PAUSE * 2_u32.saturating_pow(tries.min(6) - 1);
                    if let Err(left) = self.rest(work, pause, observer).await {
                        return left;
                    }
                    continue;
                }
                Err(Error::JobLost { .. }) => return Left::Lost,
                Err(error) => return Left::Failed(error),
            };
            tries = 0;
            let end = match next {
                Next::Done => Some(JobState::Done),
                Next::Cancelled => Some(JobState::Cancelled),
                Next::More | Next::After(_) => None,
            };
            match self.save(work, end).await {
                Ok(true) => {}
                Ok(false) => return Left::Lost,
                Err(error) => return Left::Failed(error),
            }
            observer.progress(&work.job);
            if let Some(state) = end {
                return Left::Ended(state);
            }
            if observer.stop() {
                return Left::Stopped;
            }
            let grace = match next {
                Next::After(grace) => grace,
                _ => Duration::ZERO,
            };
            let pause = work.due().max(grace);
            if let Err(left) = self.rest(work, pause, observer).await {
                return left;
            }
        }
    }

    /// Waits, keeping the lease.
    async fn rest(
        &self,
        work: &mut Work<'_>,
        mut left: Duration,
        observer: &mut dyn JobObserver,
    ) -> std::result::Result<(), Left> {
        while !left.is_zero() {
            let part = left.min(LEASE / 3);
            self.env.sleep(part).await;
            left -= part;
            if observer.stop() {
                return Err(Left::Stopped);
            }
            if !left.is_zero() {
                match self.save(work, None).await {
                    Ok(true) => {}
                    Ok(false) => return Err(Left::Lost),
                    Err(error) => return Err(Left::Failed(error)),
                }
            }
        }
        Ok(())
    }

    /// Saves a step. Whether the job is still this worker's.
    async fn save(&self, work: &mut Work<'_>, end: Option<JobState>) -> Result<bool> {
        if work.unsaved {
            return Ok(true);
        }
        let mut tries = 0;
        loop {
            match self.save_job(work.cx, &work.job, end).await {
                Ok((saved, receipt)) => {
                    work.sent(receipt);
                    work.saved = (work.job.clone(), self.env.monotonic());
                    return Ok(saved.is_some());
                }
                Err(error) if passing(&error) && tries < TRIES => {
                    tries += 1;
                    self.env.sleep(PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// One step of a job's kind.
async fn step(work: &mut Work<'_>) -> Result<Next> {
    match work.job.kind {
        JobKind::Cascade => crate::cascade::step(work).await,
        JobKind::Verify => crate::verify::step(work).await,
        JobKind::Backfill | JobKind::Lists | JobKind::Twins => crate::migrate::step(work).await,
    }
}
