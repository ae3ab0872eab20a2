//! Arguments of commands that write edges.

use super::items::{ChangesArgs, Edge};
use super::{Assignment, RelationArgs};
use clap::Args;
use std::path::PathBuf;

/// The operation's id.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Named {
    /// The operation's id: repeated under it, the command tells what it did the first time
    #[arg(long, value_name = "ID")]
    pub(crate) op_id: Option<String>,
}

/// Where a write stands among others.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Placed {
    /// The write's place among others, in milliseconds since 1970: the later one wins, whichever arrives first
    #[arg(long, value_name = "MILLIS")]
    pub(crate) at: Option<u64>,
}

/// Which version is meant.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Versioned {
    /// Only if the edge has this version; it has 1 at first, and one more with every change
    #[arg(long, value_name = "N")]
    pub(crate) if_version: Option<u64>,
}

/// `link`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Link {
    #[command(flatten)]
    pub(crate) edge: Edge,
    /// Attributes: name=text (as the model types it), name:n=number, name:json=DynamoDB JSON
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) attributes: Vec<Assignment>,
    #[command(flatten)]
    pub(crate) placed: Placed,
    #[command(flatten)]
    pub(crate) named: Named,
}

/// `unlink`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Unlink {
    #[command(flatten)]
    pub(crate) edge: Edge,
    #[command(flatten)]
    pub(crate) versioned: Versioned,
    #[command(flatten)]
    pub(crate) placed: Placed,
    #[command(flatten)]
    pub(crate) named: Named,
}

/// `upsert`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  bothways upsert school enrolled a91 math204 grade=A
  bothways upsert follow follows alice bob note=met --at 1718900000000")]
pub(crate) struct Upsert {
    #[command(flatten)]
    pub(crate) edge: Edge,
    #[command(flatten)]
    pub(crate) changes: ChangesArgs,
    #[command(flatten)]
    pub(crate) versioned: Versioned,
    #[command(flatten)]
    pub(crate) placed: Placed,
    #[command(flatten)]
    pub(crate) named: Named,
}

/// `set`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Set {
    #[command(flatten)]
    pub(crate) edge: Edge,
    #[command(flatten)]
    pub(crate) changes: ChangesArgs,
    #[command(flatten)]
    pub(crate) versioned: Versioned,
    #[command(flatten)]
    pub(crate) named: Named,
}

/// `move`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  bothways link friendships requested zoe al
  bothways move friendships requested friends zoe al      accepts it")]
pub(crate) struct Move {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// The relation that the edge is in
    #[arg(value_name = "RELATION")]
    pub(crate) from: String,
    /// The relation that it moves to
    #[arg(value_name = "OTHER")]
    pub(crate) to: String,
    /// The source's id
    #[arg(value_name = "SRC")]
    pub(crate) source: String,
    /// The target's id
    #[arg(value_name = "DST")]
    pub(crate) target: String,
    /// Attributes: name=text (as the model types it), name:n=number, name:json=DynamoDB JSON
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) attributes: Vec<Assignment>,
    #[command(flatten)]
    pub(crate) versioned: Versioned,
    #[command(flatten)]
    pub(crate) named: Named,
}

/// `batch`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Lines, parted by tabs, or by spaces where a line has no tab:
  link    SRC  DST  [NAME=VALUE…]
  unlink  SRC  DST

Examples:
  printf 'link alice bob\\nunlink dave bob\\n' | bothways batch follow follows -")]
pub(crate) struct Batch {
    #[command(flatten)]
    pub(crate) relation: RelationArgs,
    /// A file of lines; - reads standard input
    pub(crate) file: PathBuf,
}
