//! Data in and out: imports, exports and resets as jobs of this process.
//!
//! A page that is closed stops none of them; opened again, it finds them. A file goes through a [`Spool`], so that
//! neither it nor an export is ever in memory as a whole. Everything written is whole items, so a window that is
//! imported twice writes the same. The jobs end with the process.

pub(crate) mod api;
mod columns;
mod export;
mod import;
mod job;
mod print;
mod records;
mod reset;
mod writes;

use crate::Spawn;
use crate::answer::{Refusal, Result};
use bothways_protocol::{DynamoDb, Operator};
use http::StatusCode;
use job::{Job, Work};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most jobs that are remembered; an ended one makes room.
const MOST_JOBS: usize = 50;

/// Where the bytes of imports and exports are kept while their jobs are there. Pieces have at most 4 MB.
pub trait Spool: Send + Sync {
    /// Appends to a file, which the first piece makes.
    ///
    /// # Errors
    /// As the file system's; a spool that is full.
    fn append(&self, name: &str, bytes: &[u8]) -> std::io::Result<()>;

    /// Up to `most` bytes from a place.
    ///
    /// # Errors
    /// As the file system's.
    fn read(&self, name: &str, at: u64, most: usize) -> std::io::Result<Vec<u8>>;

    /// Forgets a file.
    fn remove(&self, name: &str);
}

/// The jobs of a place.
#[derive(Clone)]
pub struct Data(Arc<Shared>);

pub(crate) struct Shared {
    db: Arc<dyn DynamoDb>,
    operator: Arc<dyn Operator>,
    spool: Arc<dyn Spool>,
    spawn: Spawn,
    last: AtomicU64,
    jobs: Mutex<Vec<Arc<Job>>>,
}

impl Data {
    /// Jobs over a database in this process.
    #[must_use]
    pub fn new(
        db: Arc<dyn DynamoDb>,
        operator: Arc<dyn Operator>,
        spool: Arc<dyn Spool>,
        spawn: Spawn,
    ) -> Self {
        Self(Arc::new(Shared {
            db,
            operator,
            spool,
            spawn,
            last: AtomicU64::new(0),
            jobs: Mutex::default(),
        }))
    }

    /// The jobs, the newest first.
    fn jobs(&self) -> Vec<Arc<Job>> {
        let mut jobs = self.0.jobs.lock().clone();
        jobs.reverse();
        jobs
    }

    fn job(&self, id: &str) -> Result<Arc<Job>> {
        let jobs = self.0.jobs.lock();
        let found = jobs.iter().find(|job| job.id == id);
        found.cloned().ok_or_else(|| {
            Refusal::not_found("job", id).hint("jobs end with the server that runs them")
        })
    }

    /// Adds a job and lets it run.
    fn add(&self, table: &str, name: &str, size: u64, work: Work) -> Result<Arc<Job>> {
        let id = (self.0.last.fetch_add(1, Ordering::Relaxed) + 1).to_string();
        let job = Arc::new(Job::new(id, table, name, size, work));
        let mut jobs = self.0.jobs.lock();
        if jobs.len() >= MOST_JOBS {
            let ended = jobs.iter().position(|job| job.is_over());
            let Some(ended) = ended else {
                return Err(Refusal::new(
                    StatusCode::CONFLICT,
                    "TooManyJobs",
                    format!("{MOST_JOBS} jobs are not over yet"),
                ));
            };
            let ended = jobs.remove(ended);
            self.0.spool.remove(&ended.id);
        }
        jobs.push(Arc::clone(&job));
        drop(jobs);
        self.run(&job);
        Ok(job)
    }

    /// Runs a job that wants to and does not.
    fn run(&self, job: &Arc<Job>) {
        if job.take_up() {
            let running = Arc::clone(job).run(Arc::clone(&self.0));
            (self.0.spawn)(Box::pin(running));
        }
    }

    /// Forgets a job that is over, with its file.
    fn forget(&self, job: &Job) {
        self.0.jobs.lock().retain(|own| own.id != job.id);
        self.0.spool.remove(&job.id);
    }
}

#[cfg(test)]
mod tests;
