//! Arguments of the shards of hot targets.

use super::items::Node;
use clap::{Args, Subcommand};

/// `shards …`.
#[derive(Debug, Subcommand)]
pub(crate) enum Shards {
    /// Show over how many shards a target's edges are spread, and how they are counted
    Show(Node),
    /// Spread a target's new edges over more shards, while it is used
    Grow(Resize),
    /// Take shards away and move their edges to the others, while the target is used
    Shrink(Resize),
}

/// Another number of shards.
#[derive(Debug, Clone, Args)]
pub(crate) struct Resize {
    #[command(flatten)]
    pub(crate) node: Node,
    /// Shards to have then: a power of two up to the model's limit; 1 is the plain key alone
    #[arg(long, value_name = "N")]
    pub(crate) to: u32,
}
