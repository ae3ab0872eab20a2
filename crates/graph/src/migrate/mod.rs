//! Tables that were not written by this layer made fit for it, as jobs: a dry run says what would be done.
//!
//! Every step is conditional on what it saw, so writers may go on meanwhile, and a step that is repeated changes nothing.

mod backfill;
mod lists;
mod twins;

pub(crate) use lists::ids as list_ids;
pub(crate) use twins::twin_of;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::jobs::{Budget, Fields, Job, JobKind, JobObserver, Next, Plan, Ran, Work};
use crate::model::Direction;
use crate::receipt::Done;
use bothways_core::Value;
use bothways_protocol::Context;

/// What to do with a twin whose edge is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Orphans {
    /// Make the edge: the twin is all that is left of it.
    #[default]
    Link,
    /// Remove the twin: the edge was removed and it was forgotten.
    Drop,
    /// Leave it.
    Keep,
}

impl Orphans {
    const ALL: [Self; 3] = [Self::Link, Self::Drop, Self::Keep];

    /// `link`, `drop` or `keep`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Drop => "drop",
            Self::Keep => "keep",
        }
    }
}

/// What to make of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Migration {
    /// Set the index attributes that edges lack, and make indexes that the table lacks.
    Backfill,
    /// Make edges of the ids that stand in a list attribute of entities, and remove the attribute.
    Lists {
        /// The entity that has the attribute.
        entity: String,
        /// The attribute: a list or set of ids, or a list of maps with an id among their members.
        attribute: String,
        /// The relation that the edges are of.
        relation: String,
        /// Which end the entity is; `None`: the source if it can be.
        direction: Option<Direction>,
    },
    /// Remove the second copies of edges that were written twice, with their ids swapped.
    Twins {
        /// The relation.
        relation: String,
        /// What to do with copies whose edge is not there.
        orphans: Orphans,
    },
}

/// How to migrate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrateOptions {
    /// Capacity that it may use.
    pub budget: Budget,
    /// Change nothing, and count what would be changed.
    pub dry_run: bool,
}

impl Graph {
    /// Makes the job of a migration; [`Graph::run_job`] does it. Its progress says what was, or in a dry run would be,
    /// done.
    ///
    /// # Errors
    /// Names that the model does not have; what the database refuses.
    pub async fn migrate(
        &self,
        cx: &Context,
        migration: &Migration,
        options: &MigrateOptions,
    ) -> Result<Done<Job>> {
        let plan = self.migration_plan(migration, options)?;
        self.make_job(cx, plan).await
    }

    /// The dry run of a migration that writes nothing, not even a job: for those who may only read. Stopped, it cannot be
    /// taken up again.
    ///
    /// # Errors
    /// [`Error::Option`] where it is no dry run; what the database refuses.
    pub async fn migrate_unsaved(
        &self,
        cx: &Context,
        migration: &Migration,
        options: &MigrateOptions,
        observer: &mut dyn JobObserver,
    ) -> Result<Done<Ran>> {
        if !options.dry_run {
            return Err(Error::Option {
                option: "a migration",
                why: "writes, unless it is a dry run, and without a job nothing is written"
                    .to_owned(),
            });
        }
        let job = self.new_job(self.migration_plan(migration, options)?);
        self.run_unsaved(cx, job, observer).await
    }

    fn migration_plan(&self, migration: &Migration, options: &MigrateOptions) -> Result<Plan> {
        let mut spec = Fields::default();
        spec.set("dryRun", Value::Bool(options.dry_run));
        let (kind, what) = match migration {
            Migration::Backfill => (JobKind::Backfill, format!("table {}", self.model.table)),
            Migration::Lists {
                entity,
                attribute,
                relation,
                direction,
            } => {
                let of = self.relation(relation)?;
                let out = of.from == *entity && *direction != Some(Direction::In);
                self.entity(entity)?;
                if !out && (of.to != *entity || *direction == Some(Direction::Out)) {
                    return Err(Error::Option {
                        option: "entity",
                        why: format!("{entity} is not that end of {relation}"),
                    });
                }
                for (name, value) in [
                    ("entity", entity.as_str()),
                    ("attribute", attribute),
                    ("relation", relation),
                    ("direction", if out { "out" } else { "in" }),
                ] {
                    spec.set(name, value);
                }
                (JobKind::Lists, format!("{attribute} of {entity}"))
            }
            Migration::Twins { relation, orphans } => {
                self.relation(relation)?;
                spec.set("relation", relation.as_str());
                spec.set("orphans", orphans.as_str());
                (JobKind::Twins, format!("twins of {relation}"))
            }
        };
        let dry = if options.dry_run { ", dry run" } else { "" };
        Ok(Plan {
            kind,
            about: format!("{what}{dry}"),
            phase: "scan",
            cancellable: options.dry_run,
            budget: options.budget,
            spec,
        })
    }
}

/// One step.
pub(crate) async fn step(work: &mut Work<'_>) -> Result<Next> {
    if work.job.phase == "cancel" {
        return Ok(Next::Cancelled);
    }
    match work.job.kind {
        JobKind::Backfill => backfill::step(work).await,
        JobKind::Lists => lists::step(work).await,
        _ => twins::step(work).await,
    }
}

/// What to do with orphans, as a job says it.
fn orphans(work: &Work<'_>) -> Orphans {
    let asked = work.job.spec.text("orphans").unwrap_or_default();
    let found = Orphans::ALL.into_iter().find(|o| o.as_str() == asked);
    found.unwrap_or_default()
}
