//! Arguments that are whole requests.

use clap::Args;
use std::path::PathBuf;

/// A request as somebody has it.
#[derive(Debug, Clone, Args)]
pub(crate) struct RequestText {
    /// JSON, an AWS CLI command, PartiQL, or the FILE of a saved request; @FILE reads any file, - standard input
    #[arg(value_name = "REQUEST")]
    pub(crate) text: String,
    /// The operation, such as Query, where the JSON does not tell it
    #[arg(long, value_name = "OPERATION")]
    pub(crate) operation: Option<String>,
    /// The model that names the keys, for sentences such as "bob's followers"
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The table's definition; asked of the place unless given
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,
}

/// `expr`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Expr {
    #[command(flatten)]
    pub(crate) request: RequestText,
    /// Give every name a placeholder, not only those that need one
    #[arg(long)]
    pub(crate) alias_all: bool,
    /// Save the request to this new file, which expr, codegen, run and the workbench read
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
}

/// `codegen`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Codegen {
    #[command(flatten)]
    pub(crate) request: RequestText,
    /// javascript, document-client, aws-cli, python, java, go, dotnet, rust, kotlin, php, ruby,
    /// partiql, dynamodb-toolbox, electrodb or bothways
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) to: String,
}

/// `run`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) request: RequestText,
    /// Most pages to read
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) pages: u32,
}

/// `table`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Table {
    /// The table, as it is at the place
    pub(crate) name: String,
    /// terraform, cdk, cloudformation, aws-cli or nosql-workbench; DynamoDB's own JSON unless given
    #[arg(long, value_name = "FORM")]
    pub(crate) to: Option<String>,
    /// Create the table as this file describes it, with its sample items: a NoSQL Workbench model, or CreateTable's JSON
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    pub(crate) from: Option<PathBuf>,
}
