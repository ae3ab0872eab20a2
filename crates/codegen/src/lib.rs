//! Requests as data: read from JSON, from an AWS CLI command or from PartiQL, checked, normalised, explained in a
//! sentence, and printed as programs in the languages of DynamoDB's SDKs.
//!
//! A [`Draft`] is one request. It does no I/O and needs no table; where a [`Schema`] is at hand, a draft can also say
//! what it would read and what that would cost. A language that cannot say a request gives a [`Refusal`] with the
//! reason, never something that only looks right.
//!
//! ```
//! use bothways_codegen::{Draft, Language};
//!
//! let draft = Draft::read(
//!     r#"aws dynamodb query --table-name follow --index-name GSI1
//!        --key-condition-expression "GSI1PK = :b" --expression-attribute-values '{":b":{"S":"TARGET#bob"}}'"#,
//!     None,
//! )?;
//! assert_eq!(draft.operation().name(), "Query");
//! let python = Language::Python.program(&draft, None)?;
//! assert!(python.contains("client.query(**request)"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "programs are put together piece by piece, for people to read"
)]

mod builder;
mod doc;
mod draft;
mod explain;
mod infrastructure;
mod languages;
mod normal;
mod nosql_workbench;
mod saved;
mod schema;
mod shell;
mod tree;

pub use builder::{Builder, Condition, Expr, Target, attr, key, value};
pub use draft::{Draft, DraftError};
pub use explain::{Estimate, Explained, Extent, Finding, Given, Naming, Reach, Sizes, UnitRange};
pub use infrastructure::Infrastructure;
pub use languages::{Language, Refusal};
pub use nosql_workbench::DesignedTable;
pub use schema::{IndexSchema, Schema};
