//! Arguments of jobs: work of many steps.

use super::{Entity, Side};
use clap::{Args, Subcommand, ValueEnum};

/// `rm`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Rm {
    #[command(flatten)]
    pub(crate) entity: Entity,
    /// Remove all its edges too, as a job that can be stopped and resumed
    #[arg(long)]
    pub(crate) cascade: bool,
    /// Seconds between the two passes that must find nothing [default: 5; 0 with --data]
    #[arg(long, value_name = "SECONDS", requires = "cascade")]
    pub(crate) grace: Option<u64>,
    /// Seconds for which nothing may link to it afterwards [default: 60; 0 with --data]
    #[arg(long, value_name = "SECONDS", requires = "cascade")]
    pub(crate) hold: Option<u64>,
    #[command(flatten)]
    pub(crate) pace: Pace,
}

/// `verify`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Verify {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// Repair what can be repaired: counters, index attributes, shards that no list reads
    #[arg(long)]
    pub(crate) repair: bool,
    /// Write nothing, not even the job: as a read-only profile does; stopped, it begins again
    #[arg(long, conflicts_with_all = ["repair", "detach"])]
    pub(crate) no_job: bool,
    /// Seconds for which a counter must hold still before its edges are counted [default: 5; 0 with --data]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) grace: Option<u64>,
    #[command(flatten)]
    pub(crate) pace: Pace,
}

/// `model migrate MODEL …`.
#[derive(Debug, Subcommand)]
pub(crate) enum Migrate {
    /// Set the index attributes that edges lack, and make the index where the table lacks it
    Backfill {
        #[command(flatten)]
        how: MigrateHow,
    },
    /// Make edges of the ids that stand in a list attribute of entities, and remove the attribute
    Lists {
        /// The entity that has the attribute, such as student
        #[arg(value_name = "ENTITY")]
        kind: String,
        /// The attribute, such as courseIds
        attribute: String,
        /// The relation that the edges are of
        relation: String,
        /// Which end the entity is [default: out, the source, where it can be]
        #[arg(long, value_name = "out|in", hide_possible_values = true)]
        side: Option<Side>,
        #[command(flatten)]
        how: MigrateHow,
    },
    /// Remove the second copies of edges that were written twice, with their ids swapped
    Twins {
        /// The relation
        relation: String,
        /// What to do with a copy whose edge is not there
        #[arg(
            long,
            value_name = "link|drop|keep",
            default_value = "link",
            hide_possible_values = true
        )]
        orphans: OrphansArg,
        #[command(flatten)]
        how: MigrateHow,
    },
}

/// How to migrate.
#[derive(Debug, Clone, Args)]
pub(crate) struct MigrateHow {
    /// Change nothing, and count what would be changed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write nothing, not even the job of a dry run: as a read-only profile does; stopped, it begins again
    #[arg(long, requires = "dry_run", conflicts_with = "detach")]
    pub(crate) no_job: bool,
    #[command(flatten)]
    pub(crate) pace: Pace,
}

/// What to do with a copy whose edge is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OrphansArg {
    /// Make the edge.
    Link,
    /// Remove the copy.
    Drop,
    /// Leave it.
    Keep,
}

/// What a job may use, and whether it is worked on now.
#[derive(Debug, Clone, Args)]
pub(crate) struct Pace {
    /// Write units a second that the job may use [default: all it gets]
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) write_units: Option<u32>,
    /// Read units a second that the job may use [default: all it gets]
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) read_units: Option<u32>,
    /// Make the job and leave it to another process: bothways jobs run
    #[arg(long)]
    pub(crate) detach: bool,
}

/// `jobs …`.
#[derive(Debug, Subcommand)]
pub(crate) enum Jobs {
    /// List the jobs of a model's table, newest first
    List {
        /// A model that ships, or a TOML file
        model: String,
    },
    /// Show one job
    Show(JobArgs),
    /// Work on a job until it is done; Ctrl-C stops after the step
    Run {
        #[command(flatten)]
        job: JobArgs,
        /// Take it from the process that works on it: that one is dead
        #[arg(long)]
        take_over: bool,
    },
    /// Pause a job: whoever works on it stops after the step
    Pause(JobArgs),
    /// Open a job again that was paused or has failed
    Resume(JobArgs),
    /// Call a job off that has changed nothing yet
    Cancel(JobArgs),
}

/// One job.
#[derive(Debug, Clone, Args)]
pub(crate) struct JobArgs {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// The job's id
    pub(crate) job: String,
}
