//! Which rows a Query or Scan reads, and where it starts.

use crate::catalog::record::Phase;
use crate::catalog::{Index, Table};
use crate::error::Fault;
use crate::layout::{self, PREFIX, Range, after_prefix};
use crate::write::check_parts;
use bothways_core::expr::{KeyRange, SortCondition};
use bothways_core::{Item, KeyError, KeySchema, Value, key};
use bothways_protocol::Message;
use bytes::{BufMut, Bytes};
use std::ops::Bound;

/// A table, or one of its indexes, as something to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) table: &'a Table,
    pub(crate) index: Option<&'a Index>,
}

impl<'a> Source<'a> {
    /// The table, or the index of that name.
    pub(crate) fn find(table: &'a Table, index: Option<&str>) -> Result<Self, Fault> {
        let index = match index {
            None => None,
            Some(name) => {
                let found = table.indexes.iter().find(|index| index.name == name);
                let name = name.to_owned();
                if found.is_some_and(|index| index.vector.is_some()) {
                    return Err(Message::VectorScan.into());
                }
                match found.map(|index| (index, index.phase)) {
                    Some((index, None)) => Some(index),
                    Some((_, Some(Phase::Creating | Phase::Backfilling))) => {
                        return Err(Message::IndexBackfilling { name }.into());
                    }
                    Some((_, Some(Phase::Deleting))) | None => {
                        return Err(Message::IndexNotFound { name }.into());
                    }
                }
            }
        };
        Ok(Self { table, index })
    }

    pub(crate) fn schema(&self) -> &'a KeySchema {
        self.index.map_or(&self.table.key, |index| &index.key)
    }

    fn id(&self) -> u32 {
        self.index.map_or(self.table.id(), |index| index.id)
    }

    /// Names of the attributes that name one row: the table's key and the index's.
    pub(crate) fn row_names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.table.key.names().collect();
        names.extend(self.index.iter().flat_map(|index| index.key.names()));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The rows that a key condition selects.
    pub(crate) fn query(&self, keys: &KeyRange<'_>) -> Option<Selection> {
        let mut partition = Vec::with_capacity(64);
        partition.put_u32(self.id());
        partition.put_u64(0);
        for value in &keys.hash {
            push(&mut partition, value)?;
        }
        let hash = layout::stable_hash(&partition[PREFIX..]);
        partition[4..PREFIX].copy_from_slice(&hash.to_be_bytes());
        let mut prefix = partition.clone();
        for value in &keys.equal {
            push(&mut prefix, value)?;
        }
        Some(Selection {
            range: sorted(&prefix, keys.sort)?,
            partition: partition.into(),
            sorted: !keys.equal.is_empty() || keys.sort.is_some(),
        })
    }

    /// The rows of a Scan, or of one of its segments.
    pub(crate) fn scan(&self, segment: Option<(u32, u32)>) -> Range {
        match segment {
            Some((segment, total)) => Range::segment(self.id(), segment, total),
            None => Range::all(self.id()),
        }
    }

    /// Checks that an `ExclusiveStartKey` has exactly the attributes that name a row, and, for a Query and what
    /// reads an index, those of the key that it reads by, as a row can have them. Source: dynalite, test/query and
    /// test/scan; of empty and long ones its actions/scan.js and `validateKeyPiece`.
    pub(crate) fn check_start(&self, start: &Item, scan: bool) -> Result<(), Fault> {
        let by_table = scan && self.index.is_none();
        if start.len() != self.row_names().len() {
            return Err(if by_table {
                Message::StartKeySchema.into()
            } else {
                Message::StartKeyMismatch.into()
            });
        }
        if by_table {
            return Ok(());
        }
        match self.schema().check(start) {
            Ok(()) => Ok(check_parts(self.schema(), start)?),
            Err(KeyError::Missing { .. }) => Err(Message::StartKeyMismatch.into()),
            Err(KeyError::Type { .. }) => Err(Message::KeyMismatch.into()),
        }
    }

    /// The row that an `ExclusiveStartKey` names.
    pub(crate) fn start(&self, start: &Item, scan: bool) -> Result<Start, Fault> {
        self.check_start(start, scan)?;
        let table = &self.table.key;
        let misfit = || Message::StartKeySchema;
        if table.check(start).is_err() {
            return Err(misfit().into());
        }
        check_parts(table, start).map_err(|fault| Message::StartKeyInvalid {
            fault: fault.text(),
        })?;
        let base = layout::base_key(self.table.id(), table, start).ok_or_else(misfit)?;
        let key = match self.index {
            None => base,
            Some(index) => {
                layout::index_key(index.id, &index.key, start, &base).ok_or_else(misfit)?
            }
        };
        let partition = layout::partition_key(self.id(), self.schema(), start);
        Ok(Start {
            key,
            partition: partition.ok_or_else(misfit)?.len(),
        })
    }
}

/// Where a page starts: after this row.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) key: Bytes,
    /// How much of the key is its partition.
    partition: usize,
}

/// The rows of a Query.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) range: Range,
    /// Start of every row key of the partition.
    partition: Bytes,
    /// Whether the sort key has a condition.
    sorted: bool,
}

impl Selection {
    /// What is left of the rows after the one where the last page ended.
    /// Words and order: dynalite's tests, measured on AWS.
    pub(crate) fn after(self, start: Start, reverse: bool) -> Result<Range, Fault> {
        let elsewhere = start.key[..start.partition] != self.partition[..];
        if self.sorted {
            let mut here = self.partition.to_vec();
            here.extend_from_slice(&start.key[start.partition..]);
            if !self.range.contains(&here) {
                return Err(Message::StartKeyPredicate.into());
            }
            if elsewhere {
                return Err(Message::StartKeyOneRow.into());
            }
        } else if elsewhere {
            return Err(Message::StartKeyOutside.into());
        }
        Ok(self.range.after(start.key, reverse))
    }
}

fn push(out: &mut Vec<u8>, value: &Value) -> Option<()> {
    key::push_scalar(out, value.as_ref()).then_some(())
}

/// The rows whose sort key, after what `prefix` fixes, fulfils the condition.
fn sorted(prefix: &[u8], condition: Option<SortCondition<'_>>) -> Option<Range> {
    let Some(condition) = condition else {
        return Some(Range::prefix(prefix.to_vec()));
    };
    let at = |value: &Value| {
        let mut out = prefix.to_vec();
        push(&mut out, value)?;
        Some(Bytes::from(out))
    };
    let whole = Range::prefix(prefix.to_vec());
    let from = |key: Bytes| Bound::Included(key);
    // No key's bytes begin another's, so what starts with a key's bytes has this very key.
    let beyond = |key: &Bytes| match after_prefix(key) {
        Bound::Excluded(key) => Bound::Included(key),
        other => other,
    };
    Some(match condition {
        SortCondition::Less(v) => Range {
            from: whole.from,
            to: Bound::Excluded(at(v)?),
        },
        SortCondition::LessOrEqual(v) => Range {
            from: whole.from,
            to: after_prefix(&at(v)?),
        },
        SortCondition::Greater(v) => Range {
            from: beyond(&at(v)?),
            to: whole.to,
        },
        SortCondition::GreaterOrEqual(v) => Range {
            from: from(at(v)?),
            to: whole.to,
        },
        SortCondition::Between(low, high) => Range {
            from: from(at(low)?),
            to: after_prefix(&at(high)?),
        },
        SortCondition::BeginsWith(v) => {
            let mut out = prefix.to_vec();
            key::push_prefix(&mut out, v.as_ref()).then_some(())?;
            Range::prefix(out)
        }
    })
}
