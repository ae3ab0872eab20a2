//! The one item that a statement writes.

use super::access::{equality, matches_type};
use crate::expr::Node;
use crate::{Item, ItemBuilder, KeySchema, Value};
use std::collections::BTreeMap;

/// Why a WHERE clause, or an item, names no keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    /// A key attribute has no equality.
    #[error("WHERE does not give every key attribute a value")]
    Incomplete,
    /// A key attribute is given two values.
    #[error("WHERE gives key attribute {name} two values")]
    Twice {
        /// The attribute.
        name: String,
    },
    /// A key attribute is given a value of another type than the table's.
    #[error("key attribute {name} has another type")]
    Type {
        /// The attribute.
        name: String,
    },
    /// An item lacks a key attribute.
    #[error("the item lacks key attribute {name}")]
    Absent {
        /// The attribute.
        name: String,
    },
    /// A read of more keys and ranges than [`MOST_READS`](super::MOST_READS).
    #[error("WHERE selects too many ranges")]
    TooManyReads,
    /// Two parts of an OR that select the same keys.
    #[error("WHERE selects the same keys twice")]
    Overlap,
    /// ORDER BY without WHERE.
    #[error("ORDER BY needs WHERE")]
    OrderWithoutWhere,
    /// ORDER BY without a partition key.
    #[error("ORDER BY needs a partition key")]
    OrderWithoutKey,
    /// ORDER BY an attribute outside the key.
    #[error("ORDER BY {name}, which is no key attribute")]
    OrderAttribute {
        /// The attribute.
        name: String,
    },
    /// ORDER BY the sort key of several partitions.
    #[error("ORDER BY needs the partition key")]
    OrderNeedsHash,
}

/// A WHERE clause that names one item: the key that it gives, and what else it asks for.
#[derive(Debug)]
pub struct Keyed<'n, 'a> {
    /// The key attributes.
    pub key: Item,
    /// The other conditions, all of which must hold.
    pub rest: Vec<&'n Node<'a>>,
}

impl<'n, 'a> Keyed<'n, 'a> {
    /// Finds an equality for every key attribute among the conditions that AND joins. A second value for one
    /// attribute is a fault, or, where `lenient` says so, one more condition.
    ///
    /// # Errors
    /// [`KeyFault::Twice`], [`KeyFault::Incomplete`], [`KeyFault::Type`].
    pub fn of(
        condition: Option<&'n Node<'a>>,
        schema: &KeySchema,
        lenient: bool,
    ) -> Result<Self, KeyFault> {
        let mut values: BTreeMap<&str, &Value> = BTreeMap::new();
        let mut rest = Vec::new();
        let conjuncts: &[Node<'a>] = match condition {
            None => &[],
            Some(Node::And(nodes)) => nodes,
            Some(node) => std::slice::from_ref(node),
        };
        for node in conjuncts {
            let Some((name, value)) = equality(node).filter(|(name, _)| schema.contains(name))
            else {
                rest.push(node);
                continue;
            };
            match values.get(name) {
                None => {
                    values.insert(name, value);
                }
                Some(known) if *known == value => {}
                Some(_) if lenient => rest.push(node),
                Some(_) => {
                    return Err(KeyFault::Twice {
                        name: name.to_owned(),
                    });
                }
            }
        }
        if values.len() < schema.len() {
            return Err(KeyFault::Incomplete);
        }
        let mut key = ItemBuilder::new();
        for (name, value) in values {
            matches_type(schema, name, value)?;
            key.set(name, value);
        }
        Ok(Self {
            key: key.build(),
            rest,
        })
    }
}
