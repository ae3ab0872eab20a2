//! DynamoDB's expression language: one lexer, one parser, one tree, one evaluator.
//!
//! ```text
//! text ──lex──▶ tokens ──parse──▶ tree ──bind──▶ checked tree ──▶ eval, update, project, key_condition
//!                                  ▲                               (in place, on an item)
//!                    legacy parameters, PartiQL, builders ─────────▶ print ──▶ text
//! ```
//!
//! A request's expressions share one [`Binder`]: it knows `ExpressionAttributeNames` and
//! `ExpressionAttributeValues`, turns each text into a checked form ([`Condition`], [`Update`],
//! [`Projection`], [`KeyCondition`]), and at the end reports what was provided and never used.
//! Everything borrows from the request; nothing is copied until an item is written.
//!
//! Errors are data ([`ExprError`], [`PlaceholderError`], [`KeyConditionError`], [`UpdateError`]):
//! AWS's words for them live in the protocol crate.
//!
//! ```
//! use bothways_core::expr::{Binder, Kind, Names, Values};
//! use bothways_core::{Item, Value};
//!
//! let names = Names::from([("#s".into(), "state".into())]);
//! let values = Values::from([(":v".into(), Value::S("open".into()))]);
//! let mut binder = Binder::new(Some(&names), Some(&values))?;
//! let condition = binder.condition(Kind::Condition, "#s = :v OR attribute_not_exists(#s)")?;
//! binder.finish()?;
//!
//! assert!(condition.matches(None));
//! assert!(condition.matches(Some(&Item::from_attributes([("state", Value::S("open".into()))]))));
//! assert!(!condition.matches(Some(&Item::from_attributes([("state", Value::S("shut".into()))]))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ast;
mod bind;
mod check;
mod error;
mod eval;
mod key_condition;
mod legacy;
mod lex;
mod parse;
mod paths;
mod print;
mod project;
mod reserved;
mod update;

pub use ast::{
    Arithmetic, ArithmeticOp, Clause, Comparator, Function, FunctionName, Node, Operand, Path,
    Segment, Span, UpdateAction, UpdateTree, ValueLeaf,
};
pub use bind::Binder;
pub use error::{ExprError, Fault, KeyConditionError, PlaceholderError, UpdateError};
pub use eval::Condition;
pub use key_condition::{KeyCondition, KeyRange, SortCondition};
pub use legacy::{LegacyOperator, all_of, any_of, legacy_condition};
pub use print::{Aliases, Printed, Printer};
pub use project::Projection;
pub use reserved::is_reserved;
pub use update::Update;

pub(crate) use check::{
    built_actions as check_built_actions, built_condition as check_built_condition,
};
pub(crate) use eval::node_paths as for_each_path;

use crate::Value;
use std::collections::BTreeMap;

/// `ExpressionAttributeNames`: `#placeholder` to attribute name.
pub type Names = BTreeMap<String, String>;
/// `ExpressionAttributeValues`: `:placeholder` to value.
pub type Values = BTreeMap<String, Value>;

/// Which parameter an expression came from: it decides what is legal and how errors are worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `ConditionExpression`.
    Condition,
    /// `FilterExpression`.
    Filter,
    /// `KeyConditionExpression`.
    KeyCondition,
    /// `ProjectionExpression`.
    Projection,
    /// `UpdateExpression`.
    Update,
}

impl Kind {
    /// The request member's name, as AWS's messages write it (`"ConditionExpression"`).
    #[must_use]
    pub fn parameter(self) -> &'static str {
        match self {
            Self::Condition => "ConditionExpression",
            Self::Filter => "FilterExpression",
            Self::KeyCondition => "KeyConditionExpression",
            Self::Projection => "ProjectionExpression",
            Self::Update => "UpdateExpression",
        }
    }
}

/// Parses a condition, filter or key condition into a tree with its placeholders still in it,
/// checking grammar, length and operator count only: for tools that show or rewrite expressions.
/// To evaluate one, use [`Binder`].
///
/// # Errors
/// [`Fault::Empty`], [`Fault::TooLong`], [`Fault::TooManyOperators`], [`Fault::Syntax`],
/// [`Fault::RedundantParentheses`], [`Fault::IndexOutOfRange`].
pub fn parse_condition(kind: Kind, text: &str) -> Result<Node<'_>, ExprError> {
    parse::condition(text).map_err(|fault| ExprError { kind, fault })
}

/// Parses an update expression; as [`parse_condition`].
///
/// # Errors
/// As [`parse_condition`].
pub fn parse_update(text: &str) -> Result<UpdateTree<'_>, ExprError> {
    parse::update(text).map_err(|fault| ExprError {
        kind: Kind::Update,
        fault,
    })
}

/// Parses a projection expression; as [`parse_condition`].
///
/// # Errors
/// As [`parse_condition`].
pub fn parse_projection(text: &str) -> Result<Vec<Path<'_>>, ExprError> {
    parse::projection(text).map_err(|fault| ExprError {
        kind: Kind::Projection,
        fault,
    })
}
