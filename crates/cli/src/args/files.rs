//! Arguments of `import` and `export`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `import`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Import {
    #[command(flatten)]
    pub(crate) relation: RelationArgs,
    /// A CSV or TSV file, with or without a header; - reads standard input; postgres://… and sqlite:FILE read a table, through
    /// the programs psql and sqlite3
    pub(crate) file: PathBuf,
    /// The table to read from a database
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub(crate) table: Option<String>,
    /// The query to read from a database; one with ORDER BY can be resumed
    #[arg(long, value_name = "SQL")]
    pub(crate) query: Option<String>,
    /// Write nothing; show the busiest ids, and the shards that they should have before the file is loaded
    #[arg(long)]
    pub(crate) skew: bool,
    /// Edges a second that the shards are meant for
    #[arg(long, value_name = "N", default_value_t = 5_000, requires = "skew")]
    pub(crate) rate: u32,
    /// Source's column, by name or number [default: by its name, else 1]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) source: Option<String>,
    /// Target's column, by name or number [default: by its name, else 2]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Columns that become attributes [default: every other one that has a name]
    #[arg(long, value_name = "COLUMN[=NAME],…", value_delimiter = ',')]
    pub(crate) attributes: Option<Vec<String>>,
    /// Whether the first row names the columns [default: where it reads like names]
    #[arg(long, value_name = "yes|no", hide_possible_values = true)]
    pub(crate) header: Option<YesNo>,
    /// What stands between two cells [default: a tab where the first row has one]
    #[arg(long, value_name = "comma|tab", hide_possible_values = true)]
    pub(crate) separator: Option<Separator>,
    /// Do not wait for another process that began to import the file: that one is dead
    #[arg(long, conflicts_with = "skew")]
    pub(crate) take_over: bool,
}

/// `export`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) relation: RelationArgs,
    /// The file to write; - writes to standard output
    pub(crate) file: PathBuf,
    /// csv, tsv or jsonl [default: by the file's name, else csv]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub(crate) format: Option<Format>,
    /// Overwrite the file where it exists
    #[arg(long)]
    pub(crate) force: bool,
}

/// One relation of a model.
#[derive(Debug, Clone, Args)]
pub(crate) struct RelationArgs {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// The relation, such as follows
    pub(crate) relation: String,
}

/// What stands between two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Separator {
    /// A comma; cells may be quoted.
    Comma,
    /// A tab.
    Tab,
}

/// How an export is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Commas, with a header.
    Csv,
    /// Tabs, with a header.
    Tsv,
    /// One JSON document a line; keeps every attribute with its type.
    Jsonl,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}
