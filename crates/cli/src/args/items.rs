//! Arguments that name entities, edges and lists.

use super::Assignment;
use clap::{Args, ValueEnum};

/// One entity.
#[derive(Debug, Clone, Args)]
pub(crate) struct Entity {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// The entity's type, such as student
    #[arg(value_name = "ENTITY")]
    pub(crate) kind: String,
    /// Its id
    pub(crate) id: String,
}

/// `get`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Get {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// The entity's type, such as student
    #[arg(value_name = "ENTITY")]
    pub(crate) kind: String,
    /// Its id; up to 100 are read in one request
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
}

/// `edge`.
#[derive(Debug, Clone, Args)]
pub(crate) struct EdgeRead {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// The relation, such as follows
    pub(crate) relation: String,
    /// The source's id
    #[arg(value_name = "SRC")]
    pub(crate) source: String,
    /// The target's id; edges to up to 100 are read in one request
    #[arg(value_name = "DST", required = true)]
    pub(crate) targets: Vec<String>,
}

/// `put`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Put {
    #[command(flatten)]
    pub(crate) entity: Entity,
    #[command(flatten)]
    pub(crate) changes: ChangesArgs,
}

/// One edge.
#[derive(Debug, Clone, Args)]
pub(crate) struct Edge {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// The relation, such as follows
    pub(crate) relation: String,
    /// The source's id
    #[arg(value_name = "SRC")]
    pub(crate) source: String,
    /// The target's id
    #[arg(value_name = "DST")]
    pub(crate) target: String,
}

/// Attributes to set and to remove.
#[derive(Debug, Clone, Args)]
pub(crate) struct ChangesArgs {
    /// Attributes: name=text (as the model types it), name:n=number, name:json=DynamoDB JSON
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) attributes: Vec<Assignment>,
    /// Remove an attribute
    #[arg(long, value_name = "NAME")]
    pub(crate) remove: Vec<String>,
}

/// One node of a relation.
#[derive(Debug, Clone, Args)]
pub(crate) struct Node {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// The relation, such as follows
    pub(crate) relation: String,
    /// The node's id
    pub(crate) id: String,
}

/// `count`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Count {
    #[command(flatten)]
    pub(crate) node: Node,
    /// Only edges from the node, or only edges to it
    #[arg(long, value_name = "out|in", hide_possible_values = true)]
    pub(crate) only: Option<Side>,
}

/// Which edges of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    /// From it.
    Out,
    /// To it.
    In,
}

/// `out` and `in`.
#[derive(Debug, Clone, Args)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) node: Node,
    #[command(flatten)]
    pub(crate) page: Page,
}

/// An order of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// By id.
    Id,
    /// By time.
    Time,
}

/// A time in milliseconds since 1970, written in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) u64);

impl std::str::FromStr for Seconds {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(part) || part.len() > 3 {
            return Err("seconds since 1970, with at most three decimals".into());
        }
        format!("{whole}{part:0<3}")
            .parse()
            .map(Self)
            .map_err(|_| "seconds since 1970 that no list reaches".into())
    }
}

/// Which part of a list.
#[derive(Debug, Clone, Args)]
pub(crate) struct Page {
    /// Edges to list [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Continue after this cursor, as the page before printed it
    #[arg(long, value_name = "CURSOR")]
    pub(crate) after: Option<String>,
    /// List every page
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
    /// List from the end
    #[arg(long)]
    pub(crate) reverse: bool,
    /// Order of the list, where it has both
    #[arg(long, value_name = "id|time", hide_possible_values = true)]
    pub(crate) by: Option<By>,
    /// Only ids that begin with this text
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["since", "until"])]
    pub(crate) prefix: Option<String>,
    /// Only edges from this second on, in lists by time: epoch seconds, .5 for half a one
    #[arg(long, value_name = "SECONDS")]
    pub(crate) since: Option<Seconds>,
    /// Only edges up to this second
    #[arg(long, value_name = "SECONDS")]
    pub(crate) until: Option<Seconds>,
    /// Skip this many, at most 6000
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) skip: u32,
}
