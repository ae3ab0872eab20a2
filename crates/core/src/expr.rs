//! DynamoDB's expression language: one lexer, one parser, one tree, one evaluator.
//!
//! `parse` turns text into a tree with byte positions; `bind` resolves `#names` and `:values` and
//! reports unused and undefined ones; `eval` decides a condition on an item, `update` computes the
//! next item, `project` the projected one, `key_condition` a partition and a range.

use crate::{Item, Value};
use std::collections::BTreeMap;

/// `ExpressionAttributeNames`.
pub type Names = BTreeMap<String, String>;
/// `ExpressionAttributeValues`.
pub type Values = BTreeMap<String, Value>;

/// Which parameter an expression came from: it decides what is legal and how errors are worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// A condition or filter, bound and ready to evaluate.
#[derive(Debug, Clone)]
pub struct Condition {}

impl Condition {
    /// Decides the condition; `None` is the absent item. Never fails: type mismatches are false, as on AWS.
    pub fn matches(&self, item: Option<&Item>) -> bool {
        todo!("{item:?}")
    }
}
