//! What a request costs, as far as the request and whoever knows its items tell.
//!
//! The rules are those of the engine's `capacity.rs`: Developer Guide, "DynamoDB read and write operations".

use super::Sizes;
use crate::Schema;
use bothways_core::expr::{Condition, FunctionName, Node, Operand, Path, Projection};
use bothways_core::limits::{ITEM_BYTES, PAGE_BYTES, READ_UNIT_BYTES, WRITE_UNIT_BYTES};
use bothways_core::partiql::{Parsed, Statement};
use bothways_core::{Item, Value};
use bothways_protocol::Request;
use bothways_protocol::types::{ExecuteStatementInput, Select, Units};
use bothways_protocol::validate::{self, BatchWrite, TransactKind};

/// Units that a request uses, all its pages together; one page of it where it has a `Limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Not less than this.
    pub least: Units,
    /// What is to be expected. An item to put is taken for a new one where nobody knows what it replaces.
    pub likely: Units,
    /// Not more than this; none where that hangs on items that nobody described.
    pub most: Option<Units>,
    /// Whether these are write units.
    pub writes: bool,
}

impl Estimate {
    fn exact(units: u64, writes: bool) -> Self {
        Self::between(units, units, units, writes)
    }

    fn between(least: u64, likely: u64, most: u64, writes: bool) -> Self {
        Self {
            least: Units(least),
            likely: Units(likely),
            most: Some(Units(most)),
            writes,
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            least: self.least + other.least,
            likely: self.likely + other.likely,
            most: self.most.zip(other.most).map(|(a, b)| a + b),
            writes: self.writes || other.writes,
        }
    }

    /// The sum, where every part is known.
    fn of_all(mut all: impl Iterator<Item = Option<Self>>, writes: bool) -> Option<Self> {
        all.try_fold(Self::exact(0, writes), |sum, one| Some(sum.and(one?)))
    }
}

pub(super) fn of(
    request: &Request,
    schema: Option<&Schema>,
    sizes: Option<Sizes>,
) -> Option<Estimate> {
    match request {
        Request::GetItem(input) => {
            let each = blocks(sizes?.bytes, READ_UNIT_BYTES);
            Some(Estimate::exact(halves(input.consistent_read) * each, false))
        }
        Request::BatchGetItem(input) => {
            let plan = validate::batch_get_item(input).ok()?;
            let one = |get: &validate::BatchGet<'_>| {
                let keys = u64::try_from(get.keys.len()).ok()?;
                Some(gets(keys, halves(get.given.consistent_read), sizes?))
            };
            Estimate::of_all(plan.iter().map(one), false)
        }
        Request::TransactGetItems(input) => {
            let items = u64::try_from(input.transact_items.as_ref()?.len()).ok()?;
            Some(gets(items, 4, sizes?))
        }
        Request::Query(input) => {
            let plan = validate::query(input).ok()?;
            let index = input.index_name.as_deref();
            let beyond = beyond(schema, index, input.select, plan.projection.as_ref());
            Some(list(input.consistent_read, input.limit, beyond, sizes?))
        }
        Request::Scan(input) => {
            let plan = validate::scan(input).ok()?;
            let index = input.index_name.as_deref();
            let beyond = beyond(schema, index, input.select, plan.projection.as_ref());
            Some(list(input.consistent_read, input.limit, beyond, sizes?))
        }
        Request::ExecuteStatement(input) => statement(input, schema, sizes),
        _ => written(request, schema, sizes),
    }
}

fn written(request: &Request, schema: Option<&Schema>, sizes: Option<Sizes>) -> Option<Estimate> {
    let alone = matches!(request, Request::PutItem(_) | Request::DeleteItem(_));
    let writer = Writer {
        schema,
        sizes,
        alone,
    };
    match request {
        Request::PutItem(input) => {
            let plan = validate::put_item(input).ok()?;
            let table = input.table_name.as_deref()?;
            writer.put(table, plan.item, plan.condition.as_ref(), 1)
        }
        Request::DeleteItem(input) => writer.delete(input.table_name.as_deref()?, 1),
        Request::BatchWriteItem(input) => {
            let plan = validate::batch_write_item(input).ok()?;
            let tables = plan.iter().flat_map(|table| {
                let name = table.table_name;
                table.writes.iter().map(move |write| (name, write))
            });
            let one = |(table, write): (&str, &BatchWrite<'_>)| match write {
                BatchWrite::Put(item) => writer.put(table, item, None, 1),
                BatchWrite::Delete(_) => writer.delete(table, 1),
            };
            Estimate::of_all(tables.map(one), true)
        }
        Request::TransactWriteItems(input) => {
            let plan = validate::transact_write_items(input).ok()?;
            let one = |action: &validate::TransactAction<'_>| match action.action {
                TransactKind::Put => writer.put(
                    action.table_name,
                    action.given,
                    action.condition.as_ref(),
                    2,
                ),
                TransactKind::Delete => writer.delete(action.table_name, 2),
                TransactKind::Check => writer.table(0, 2),
                TransactKind::Update(_) => None,
            };
            Estimate::of_all(plan.iter().map(one), true)
        }
        _ => None,
    }
}

/// A statement that reads a list, or that carries the item it inserts.
fn statement(
    input: &ExecuteStatementInput,
    schema: Option<&Schema>,
    sizes: Option<Sizes>,
) -> Option<Estimate> {
    let parsed = Parsed::read(input.statement.as_deref()?).ok()?;
    let given = input.parameters.iter().flatten();
    let parameters: Vec<&Value> = given.map(|given| &given.value).collect();
    match parsed.bind(&parameters).ok()? {
        // Each partition that the clause names is rounded by itself: only the caller knows how many items are where.
        Statement::Select(select) if parsed.index().is_none() => {
            let mut estimate = list(input.consistent_read, input.limit, false, sizes?);
            if select.condition.as_ref().is_some_and(is_several) {
                estimate.most = None;
            }
            Some(estimate)
        }
        Statement::Insert(item) => Writer {
            schema,
            sizes,
            alone: true,
        }
        .fresh(parsed.table(), &item, 1),
        _ => None,
    }
}

/// Whether a clause can name several partitions or keys.
fn is_several(node: &Node<'_>) -> bool {
    match node {
        Node::Or(_) | Node::In { .. } => true,
        Node::And(all) => all.iter().any(is_several),
        _ => false,
    }
}

fn halves(consistent: Option<bool>) -> u64 {
    if consistent == Some(true) { 2 } else { 1 }
}

fn blocks(bytes: u64, unit: usize) -> u64 {
    bytes.div_ceil(unit as u64).max(1)
}

/// Items by their keys, each rounded by itself. One that is not there costs as much as one block.
fn gets(keys: u64, halves: u64, sizes: Sizes) -> Estimate {
    let each = blocks(sizes.bytes, READ_UNIT_BYTES);
    // Items of one average: the more uneven they are, the more is lost to rounding, but a block each at most.
    let total = sizes.items.saturating_mul(sizes.bytes);
    let most = keys + total / READ_UNIT_BYTES as u64;
    let likely = (keys * each).min(most);
    Estimate::between(halves * keys, halves * likely, halves * most, false)
}

/// Rows of a list: their sum is rounded up, by the page. `beyond` says that each row's item is read in the table too.
fn list(consistent: Option<bool>, limit: Option<i32>, beyond: bool, sizes: Sizes) -> Estimate {
    let halves = halves(consistent);
    let page = PAGE_BYTES as u64;
    // The row that crosses 1 MB still belongs to its page.
    let rows_of_page = page.div_ceil(sizes.bytes.max(1));
    let limit = limit.and_then(|limit| u64::try_from(limit).ok());
    let rows = limit.map_or(sizes.items, |limit| {
        sizes.items.min(limit).min(rows_of_page)
    });
    let bytes = rows.saturating_mul(sizes.bytes);
    let full = rows / rows_of_page;
    let rest = rows % rows_of_page * sizes.bytes;
    let rest = if rest > 0 || full == 0 {
        blocks(rest, READ_UNIT_BYTES)
    } else {
        0
    };
    let likely = full * blocks(rows_of_page * sizes.bytes, READ_UNIT_BYTES) + rest;
    // The average is rounded up to whole bytes, and each page up to whole blocks.
    let least = blocks(bytes.saturating_sub(rows), READ_UNIT_BYTES);
    let most = blocks(bytes, READ_UNIT_BYTES) + bytes / page;
    let mut estimate = Estimate::between(halves * least, halves * likely, halves * most, false);
    if beyond {
        estimate.least.0 += halves * rows;
        estimate.likely.0 += halves * rows;
        estimate.most = None;
    }
    estimate
}

/// Whether a read of a local index asks for what only the table holds.
fn beyond(
    schema: Option<&Schema>,
    index: Option<&str>,
    select: Option<Select>,
    projection: Option<&Projection<'_>>,
) -> bool {
    let Some(schema) = schema else { return false };
    let index = index.and_then(|name| schema.index(name));
    let Some(index) = index.filter(|index| !index.global) else {
        return false;
    };
    let Some(others) = &index.projected else {
        return false;
    };
    let held = |name: &str| {
        schema.keys.contains(name)
            || index.keys.contains(name)
            || others.iter().any(|own| own == name)
    };
    let named = projection.is_some_and(|all| all.paths().iter().map(Path::top).any(|n| !held(n)));
    named || select == Some(Select::AllAttributes)
}

/// Prices writes, with what is known of the items that are there.
struct Writer<'a> {
    schema: Option<&'a Schema>,
    /// Of the items that are there before; none where nobody knows.
    sizes: Option<Sizes>,
    /// Whether there is one write only, so that the size is that of its item.
    alone: bool,
}

impl Writer<'_> {
    /// The table's part: the larger of the old and the new item.
    fn table(&self, new: u64, times: u64) -> Option<Estimate> {
        let sizes = self.sizes?;
        let unit = |bytes| 2 * times * blocks(bytes, WRITE_UNIT_BYTES);
        let total = sizes.items.saturating_mul(sizes.bytes);
        Some(match sizes.items {
            0 => Estimate::exact(unit(new), true),
            _ if self.alone => Estimate::exact(unit(new.max(sizes.bytes)), true),
            // Which of the items this one is, only the average tells.
            _ => Estimate::between(
                unit(new),
                unit(new.max(sizes.bytes)),
                unit(new.max(total.min(ITEM_BYTES as u64))),
                true,
            ),
        })
    }

    fn put(
        &self,
        table: &str,
        item: &Item,
        condition: Option<&Condition<'_>>,
        times: u64,
    ) -> Option<Estimate> {
        let schema = self.schema_of(table)?;
        let key = |name: &str| schema.keys.contains(name);
        if condition.is_some_and(|condition| is_absent(condition.tree(), &key)) {
            return self.fresh(table, item, times);
        }
        let own = u64::try_from(item.size()).ok()?;
        let Some(part) = self.table(own, times) else {
            let fresh = self.fresh(table, item, times)?;
            let least = Units(2 * times * blocks(own, WRITE_UNIT_BYTES));
            return Some(Estimate {
                least,
                most: None,
                ..fresh
            });
        };
        if self.sizes.is_some_and(|sizes| sizes.items == 0) {
            return self.fresh(table, item, times);
        }
        // An index is charged nothing where its row stays as it is, and twice where the row moves.
        let rows = rows(item, schema);
        let old = self.most_old()? * schema.indexes.len() as u64;
        Some(part.and(Estimate::between(0, rows, rows + old, true)))
    }

    /// An item where none was: exact.
    fn fresh(&self, table: &str, item: &Item, times: u64) -> Option<Estimate> {
        let own = 2 * times * blocks(u64::try_from(item.size()).ok()?, WRITE_UNIT_BYTES);
        Some(Estimate::exact(
            own + rows(item, self.schema_of(table)?),
            true,
        ))
    }

    fn delete(&self, table: &str, times: u64) -> Option<Estimate> {
        let part = self.table(0, times)?;
        if self.sizes?.items == 0 {
            return Some(part);
        }
        let (row, schema) = (self.most_old()?, self.schema_of(table)?);
        let most = row * schema.indexes.len() as u64;
        // A row of a few attributes is most likely small.
        let each = schema.indexes.iter().map(|index| {
            if index.projected.is_none() {
                2 * blocks(self.sizes.map_or(0, |sizes| sizes.bytes), WRITE_UNIT_BYTES)
            } else {
                2
            }
        });
        Some(part.and(Estimate::between(
            0,
            each.sum::<u64>().min(most),
            most,
            true,
        )))
    }

    /// Halves of units of one index's row of an item that is there, at most.
    fn most_old(&self) -> Option<u64> {
        let sizes = self.sizes?;
        let bytes = sizes
            .items
            .saturating_mul(sizes.bytes)
            .min(ITEM_BYTES as u64);
        Some(2 * blocks(bytes, WRITE_UNIT_BYTES))
    }

    fn schema_of(&self, table: &str) -> Option<&Schema> {
        let name = validate::table_name(table);
        self.schema.filter(|schema| schema.table == name)
    }
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
        2 * blocks(size as u64, WRITE_UNIT_BYTES)
    })
    .sum()
}
