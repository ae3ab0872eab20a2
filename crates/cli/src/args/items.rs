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

/// `link`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Link {
    #[command(flatten)]
    pub(crate) edge: Edge,
    /// Attributes: name=text (as the model types it), name:n=number, name:json=DynamoDB JSON
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) attributes: Vec<Assignment>,
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

/// `set`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Set {
    #[command(flatten)]
    pub(crate) edge: Edge,
    #[command(flatten)]
    pub(crate) changes: ChangesArgs,
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
}
