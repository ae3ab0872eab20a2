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
