//! ORDER BY.

use super::access::Access;
use super::key::KeyFault;
use crate::KeySchema;
use crate::schema::KeyPart;
use std::cmp::Ordering;

/// Which way the rows of a keyed read are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Direction {
    /// Order of the partition keys; `None`: as they are written.
    pub partitions: Option<Ordering>,
    /// Whether sort keys descend.
    pub descending: bool,
}

impl Direction {
    /// The order that ORDER BY asks for. Where it names the partition key only, sort keys descend: measured, as above.
    ///
    /// # Errors
    /// What an ORDER BY clause cannot ask for.
    pub fn of(
        order: &[(&str, bool)],
        clause: bool,
        access: &Access<'_, '_>,
        schema: &KeySchema,
    ) -> Result<Self, KeyFault> {
        if order.is_empty() {
            return Ok(Self {
                partitions: None,
                descending: false,
            });
        }
        if !clause {
            return Err(KeyFault::OrderWithoutWhere);
        }
        if let Some((name, _)) = order.iter().find(|(name, _)| !schema.contains(name)) {
            return Err(KeyFault::OrderAttribute {
                name: (*name).to_owned(),
            });
        }
        let Access::Keyed(branches) = access else {
            return Err(KeyFault::OrderWithoutKey);
        };
        let of = |parts: &[KeyPart]| {
            let found = order
                .iter()
                .find(|(name, _)| parts.iter().any(|part| part.name == *name));
            found.map(|(_, descending)| *descending)
        };
        let partitions = of(&schema.hash);
        let several = branches.windows(2).any(|pair| pair[0].hash != pair[1].hash);
        if several && partitions.is_none() {
            return Err(KeyFault::OrderNeedsHash);
        }
        Ok(Self {
            partitions: partitions.map(|descending| {
                if descending {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }),
            descending: of(&schema.range).unwrap_or(true),
        })
    }
}
