//! Writes: the larger of the old and the new item, and the rows of indexes that change.

use super::{Estimate, Given, Sizes, UnitRange, blocks, update};
use crate::Schema;
use crate::schema::IndexSchema;
use bothways_core::Item;
use bothways_core::expr::{Condition, FunctionName, Node, Operand, Update};
use bothways_core::limits::{ITEM_BYTES, WRITE_UNIT_BYTES};
use bothways_protocol::Request;
use bothways_protocol::types::Units;
use bothways_protocol::validate::{self, BatchWrite, TransactKind};

pub(super) fn of(
    request: &Request,
    schema: Option<&Schema>,
    sizes: Option<&Sizes>,
) -> Option<Estimate> {
    let old = |at, all| Old::of(sizes, at, all);
    match request {
        Request::PutItem(input) => {
            let plan = validate::put_item(input).ok()?;
            let table = Written::of(input.table_name.as_deref()?, schema, 1);
            table.put(plan.item, plan.condition.as_ref(), old(0, 1)?)
        }
        Request::UpdateItem(input) => {
            let plan = validate::update_item(input).ok()?;
            let table = Written::of(input.table_name.as_deref()?, schema, 1);
            table.update(Some(plan.key), plan.update.as_ref(), old(0, 1)?)
        }
        Request::DeleteItem(input) => {
            Written::of(input.table_name.as_deref()?, schema, 1).delete(old(0, 1)?)
        }
        Request::BatchWriteItem(input) => {
            let plan = validate::batch_write_item(input).ok()?;
            let writes = plan.iter().flat_map(|table| {
                let name = table.table_name;
                table.writes.iter().map(move |write| (name, write))
            });
            let writes: Vec<_> = writes.collect();
            let all = writes.len();
            let writes = writes.into_iter().enumerate();
            Estimate::of_all(writes.map(|(at, (name, write))| {
                let table = Written::of(name, schema, 1);
                match write {
                    BatchWrite::Put(item) => table.put(item, None, old(at, all)?),
                    BatchWrite::Delete(_) => table.delete(old(at, all)?),
                }
            }))
        }
        Request::TransactWriteItems(input) => {
            let plan = validate::transact_write_items(input).ok()?;
            let actions = plan.iter().enumerate();
            Estimate::of_all(actions.map(|(at, action)| {
                let (given, old) = (action.given, old(at, plan.len())?);
                let table = Written::of(action.table_name, schema, 2);
                match &action.action {
                    TransactKind::Put => table.put(given, action.condition.as_ref(), old),
                    TransactKind::Update(update) => table.update(Some(given), Some(update), old),
                    TransactKind::Delete => table.delete(old),
                    TransactKind::Check => table.check(old),
                }
            }))
        }
        _ => None,
    }
}

/// What is known of the item that is there before a write.
#[derive(Debug, Clone, Copy)]
pub(super) enum Old {
    /// Nothing.
    Unknown,
    /// Its bytes, 0 where none is there.
    Measured(u64),
    /// It is one of a table's, or none.
    OneOf { average: u64, largest: u64 },
}

impl Old {
    /// That of the write at this place, of so many. None where the sizes are not of this request.
    pub(super) fn of(sizes: Option<&Sizes>, at: usize, all: usize) -> Option<Self> {
        match sizes {
            None => Some(Self::Unknown),
            Some(Sizes::Measured(sizes)) if sizes.len() == all => {
                sizes.get(at).copied().map(Self::Measured)
            }
            Some(Sizes::Measured(_)) => None,
            Some(Sizes::Average { items, bytes }) => Some(Self::OneOf {
                average: bytes.div_ceil((*items).max(1)),
                largest: (*bytes).min(ITEM_BYTES as u64),
            }),
        }
    }

    /// Whether it is known that nothing is there.
    pub(super) fn is_none(self) -> bool {
        matches!(self, Self::Measured(0))
    }

    pub(super) fn largest(self) -> Option<u64> {
        match self {
            Self::Unknown => None,
            Self::Measured(bytes) => Some(bytes),
            Self::OneOf { largest, .. } => Some(largest),
        }
    }

    fn least(self) -> u64 {
        match self {
            Self::Measured(bytes) => bytes,
            _ => 0,
        }
    }

    /// What it is taken for where that must be said.
    pub(super) fn likely(self) -> u64 {
        match self {
            Self::Unknown => 0,
            Self::Measured(bytes) => bytes,
            Self::OneOf { average, .. } => average,
        }
    }

    fn given(self) -> Given {
        match self {
            Self::OneOf { .. } => Given::Average,
            _ => Given::Measured,
        }
    }
}

/// A table that is written to.
pub(super) struct Written<'a> {
    /// Its keys and indexes; none where nobody described it.
    pub(super) schema: Option<&'a Schema>,
    /// Units for each KB in the table: two in a transaction. Indexes are charged once all the same.
    times: u64,
}

/// Bytes of an item that comes of a write.
#[derive(Debug, Clone, Copy)]
pub(super) struct New {
    pub(super) least: u64,
    pub(super) likely: u64,
    pub(super) most: u64,
}

pub(super) fn row(bytes: u64) -> u64 {
    2 * blocks(bytes, WRITE_UNIT_BYTES)
}

impl<'a> Written<'a> {
    pub(super) fn of(table: &str, schema: Option<&'a Schema>, times: u64) -> Self {
        let name = validate::table_name(table);
        let schema = schema.filter(|schema| schema.table == name);
        Self { schema, times }
    }

    /// The table's part.
    fn table(&self, new: New, old: Old) -> UnitRange {
        let units = |bytes: u64| self.times * row(bytes);
        UnitRange {
            least: Units(units(new.least.max(old.least()))),
            likely: Some(Units(units(new.likely))),
            most: old
                .largest()
                .map(|largest| Units(units(largest.max(new.most)))),
        }
    }

    pub(super) fn check(&self, old: Old) -> Option<Estimate> {
        old.largest()?;
        let nothing = New {
            least: 0,
            likely: old.likely(),
            most: 0,
        };
        Some(Estimate::write(self.table(nothing, old), old.given()))
    }

    pub(super) fn put(
        &self,
        item: &Item,
        condition: Option<&Condition<'_>>,
        old: Old,
    ) -> Option<Estimate> {
        let schema = self.schema?;
        let key = |name: &str| schema.keys.contains(name);
        if old.is_none() || condition.is_some_and(|condition| is_absent(condition.tree(), &key)) {
            return self.fresh(item);
        }
        let own = u64::try_from(item.size()).ok()?;
        let new = New {
            least: own,
            likely: own,
            most: own,
        };
        let rows = rows(item, schema);
        // An index is charged nothing where its row stays as it is, and twice where the row moves.
        let of_indexes = UnitRange {
            least: Units(0),
            likely: Some(Units(rows)),
            most: old.largest().map(|largest| {
                Units(rows + schema.indexes.iter().map(|_| row(largest)).sum::<u64>())
            }),
        };
        let (table, given) = match old {
            Old::Measured(bytes) => {
                let likely = own.max(bytes);
                (self.table(New { likely, ..new }, old), Given::Measured)
            }
            _ => (self.table(new, old), Given::Fresh),
        };
        Some(Estimate::write(table + of_indexes, given))
    }

    /// An item where none was: exact.
    pub(super) fn fresh(&self, item: &Item) -> Option<Estimate> {
        let own = self.times * row(u64::try_from(item.size()).ok()?);
        let units = UnitRange::exact(own + rows(item, self.schema?));
        Some(Estimate::write(units, Given::Measured))
    }

    pub(super) fn delete(&self, old: Old) -> Option<Estimate> {
        let largest = old.largest()?;
        let nothing = New {
            least: 0,
            likely: old.likely(),
            most: 0,
        };
        let table = self.table(nothing, old);
        if old.is_none() {
            return Some(Estimate::write(table, old.given()));
        }
        let Some(schema) = self.schema else {
            let likely = table.likely.unwrap_or_default().0;
            let range = UnitRange::at_least(table.least.0, likely);
            return Some(Estimate::write(range, old.given()));
        };
        let most = schema.indexes.len() as u64 * row(largest);
        let all = schema.indexes.iter();
        let likely = all.map(|index| likely_row(index, old.likely())).sum();
        let of_indexes = UnitRange::between(0, most.min(likely), most);
        Some(Estimate::write(table + of_indexes, old.given()))
    }

    /// Without a key where the statement has it in its conditions.
    pub(super) fn update(
        &self,
        key: Option<&Item>,
        update: Option<&Update<'_>>,
        old: Old,
    ) -> Option<Estimate> {
        old.largest()?;
        let actions = update.map_or(&[][..], Update::actions);
        let change = update::Change { key, actions };
        let new = change.new_item(old);
        let table = self.table(new, old);
        let of_indexes = match self.schema {
            None => UnitRange::at_least(0, 0),
            Some(schema) => {
                let all = schema.indexes.iter();
                all.map(|index| change.of_index(schema, index, new, old))
                    .fold(UnitRange::NONE, |sum, one| sum + one)
            }
        };
        Some(Estimate::write(table + of_indexes, old.given()))
    }
}

/// A row of a few attributes is most likely small.
pub(super) fn likely_row(index: &IndexSchema, item: u64) -> u64 {
    row(if index.projected.is_none() { item } else { 0 })
}

/// Whether a condition holds only where no item is there.
fn is_absent(node: &Node<'_>, is_key: &impl Fn(&str) -> bool) -> bool {
    match node {
        Node::And(all) => all.iter().any(|one| is_absent(one, is_key)),
        Node::Function(call) => {
            call.name == FunctionName::AttributeNotExists
                && matches!(call.args.as_slice(), [Operand::Path(path)] if !path.is_nested() && is_key(path.top()))
        }
        _ => false,
    }
}

/// Halves of units of the index rows that a new item brings.
fn rows(item: &Item, schema: &Schema) -> u64 {
    let rows = schema
        .indexes
        .iter()
        .filter(|index| index.keys.names().all(|name| item.get(name).is_some()));
    rows.map(|index| {
        let size = match &index.projected {
            None => item.size(),
            Some(others) => {
                let mut names: Vec<&str> = schema.keys.names().chain(index.keys.names()).collect();
                names.extend(others.iter().map(String::as_str));
                item.only(&names).size()
            }
        };
        row(size as u64)
    })
    .sum()
}
