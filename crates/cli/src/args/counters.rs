//! Arguments of the ways of counting.

use super::items::Node;
use clap::{Args, Subcommand, ValueEnum};

/// `counters …`.
#[derive(Debug, Subcommand)]
pub(crate) enum Counters {
    /// Show what a target's counter says, how it is counted, and as of when
    Show(Node),
    /// Count a target's edges in another way; they are counted anew, and links wait for half a minute
    Switch(Switch),
    /// Count from the table's stream, until Ctrl-C
    Run(RunCounters),
}

/// Another way of counting.
#[derive(Debug, Clone, Args)]
pub(crate) struct Switch {
    #[command(flatten)]
    pub(crate) node: Node,
    /// exact: in each edge's transaction. async: from the stream, seconds behind. counted: by reading the list
    #[arg(long, value_name = "exact|async|counted", hide_possible_values = true)]
    pub(crate) to: CountingArg,
}

/// A way of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CountingArg {
    /// In the edge's transaction.
    Exact,
    /// From the stream.
    Async,
    /// By reading the list.
    Counted,
}

/// `counters run`.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunCounters {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// End when all that is in the stream was counted
    #[arg(long)]
    pub(crate) once: bool,
    /// Name of this consumer's leases [default: drawn at random]
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,
}
