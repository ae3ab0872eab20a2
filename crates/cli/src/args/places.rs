//! Arguments that name places.

use clap::{Args, Subcommand};

/// `profile …`.
#[derive(Debug, Subcommand)]
pub(crate) enum Profile {
    /// Name a place: --data DIR, --endpoint URL or --aws
    Add(AddProfile),
    /// List the places that have names
    List,
    /// Forget a name; the place stays as it is
    Remove {
        /// The profile
        name: String,
    },
}

/// `profile add`.
#[derive(Debug, Clone, Args)]
pub(crate) struct AddProfile {
    /// The new profile's name
    pub(crate) name: String,
    /// DynamoDB on AWS, with the credentials of this profile of ~/.aws/config; without a name, those that AWS's
    /// tools would take
    #[arg(long, value_name = "AWS-PROFILE", num_args = 0..=1, default_missing_value = "", conflicts_with = "data")]
    pub(crate) aws: Option<String>,
    /// The region
    #[arg(long, value_name = "REGION", conflicts_with = "data")]
    pub(crate) region: Option<String>,
    /// Refuse every write before it leaves
    #[arg(long)]
    pub(crate) read_only: bool,
}

/// `copy`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Copy {
    /// The model whose table is copied: one that ships, or a TOML file
    #[arg(required_unless_present = "table", conflicts_with = "table")]
    pub(crate) model: Option<String>,
    /// Copy this table, whatever is in it, without a model
    #[arg(long, value_name = "NAME")]
    pub(crate) table: Option<String>,
    /// Where to: a profile's name, a URL, or a directory with a slash in its path (./db)
    #[arg(long, value_name = "PLACE")]
    pub(crate) to: String,
    /// Copy into a table that has items; those of the same key are replaced
    #[arg(long)]
    pub(crate) into: bool,
    /// The source is written to meanwhile: copy again what changed, until both sides are the same; without --into, what the
    /// source has no more goes there too. May be run again and again; a last run without it ends the copy
    #[arg(long)]
    pub(crate) live: bool,
    /// Spend at most so many units a second, reading and writing each
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pace: Option<u32>,
}

/// `patterns`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Patterns {
    /// A model that ships, or a TOML file
    pub(crate) model: String,
    /// Read this source [default: an edge among the first items]
    #[arg(long, value_name = "ID", requires = "target")]
    pub(crate) source: Option<String>,
    /// Read this target
    #[arg(long, value_name = "ID", requires = "source")]
    pub(crate) target: Option<String>,
    /// Run what writes too, on entities and edges that are made for it and removed
    #[arg(long, conflicts_with_all = ["source", "target"])]
    pub(crate) write: bool,
}
