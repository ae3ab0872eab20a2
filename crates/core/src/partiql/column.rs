//! What a SELECT makes of each item.

use crate::expr::{Path, Segment};
use crate::{Item, ItemBuilder, ValueRef};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a SELECT makes of each item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Columns<'p> {
    /// `*`: the item.
    All,
    /// Attributes of their own, one for each path that leads to something.
    Named(Vec<Column<'p>>),
}

/// One attribute of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column<'p> {
    /// Its name: the path from its last name on, `b[0]` for `a.b[0]`. Source: measured
    /// (`paritysuite/dynamodb-conformance`, partiql/executeStatement; `floci-io/floci`, its tests of PartiQL).
    pub name: String,
    /// Where it comes from.
    pub path: Path<'p>,
}

impl<'p> Column<'p> {
    pub(super) fn of(path: Path<'p>) -> Self {
        let mut name = String::new();
        for segment in path.segments() {
            match segment {
                Segment::Name(own) => own.as_ref().clone_into(&mut name),
                Segment::Placeholder(text) => (*text).clone_into(&mut name),
                Segment::Index(index) => {
                    // Writing into a String cannot fail.
                    let _ = write!(name, "[{index}]");
                }
            }
        }
        Self { name, path }
    }
}

impl Columns<'_> {
    /// The result for one item.
    #[must_use]
    pub fn apply(&self, item: Item) -> Item {
        let Self::Named(columns) = self else {
            return item;
        };
        let mut found: BTreeMap<&str, ValueRef<'_>> = BTreeMap::new();
        for column in columns {
            if let Some(value) = column.path.find(&item) {
                found.insert(&column.name, value);
            }
        }
        let mut builder = ItemBuilder::new();
        for (name, value) in found {
            builder.set(name, value);
        }
        builder.build()
    }

    /// The top-level attributes that are asked for, in the order written; none for `*`.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        let columns = match self {
            Self::All => &[][..],
            Self::Named(columns) => columns,
        };
        columns.iter().map(|column| column.path.top())
    }
}
