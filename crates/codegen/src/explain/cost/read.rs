//! Reads: by keys, each item rounded up by itself; of lists, each page as a whole.

use super::{Estimate, Extent, Sizes, UnitRange, blocks};
use crate::Schema;
use bothways_core::expr::{Path, Projection};
use bothways_core::limits::{ITEM_BYTES, PAGE_BYTES, READ_UNIT_BYTES};
use bothways_protocol::types::{Select, Units};
use bothways_protocol::{Request, validate};

const PAGE: u64 = PAGE_BYTES as u64;
const ITEM: u64 = ITEM_BYTES as u64;

/// Halves of units for a block read in a transaction.
pub(super) const TRANSACTIONAL: u64 = 4;

pub(super) fn of(
    request: &Request,
    schema: Option<&Schema>,
    sizes: Option<&Sizes>,
) -> Option<Estimate> {
    let sizes = sizes?;
    match request {
        Request::GetItem(input) => {
            let range = gets(&[halves(input.consistent_read)], sizes)?;
            Some(Estimate::read(range, sizes))
        }
        Request::BatchGetItem(input) => {
            let plan = validate::batch_get_item(input).ok()?;
            let each = plan.iter().flat_map(|table| {
                let halves = halves(table.given.consistent_read);
                table.keys.iter().map(move |_| halves)
            });
            let each: Vec<u64> = each.collect();
            Some(Estimate::read(gets(&each, sizes)?, sizes))
        }
        Request::TransactGetItems(input) => {
            let each = vec![TRANSACTIONAL; input.transact_items.as_ref()?.len()];
            Some(Estimate::read(gets(&each, sizes)?, sizes))
        }
        Request::Query(input) => {
            let plan = validate::query(input).ok()?;
            let index = input.index_name.as_deref();
            let list = List {
                halves: halves(input.consistent_read),
                limit: limit(input.limit),
                beyond: beyond(schema, index, input.select, plan.projection.as_ref()),
                everything: false,
            };
            Some(list.estimate(sizes))
        }
        Request::Scan(input) => {
            let plan = validate::scan(input).ok()?;
            let index = input.index_name.as_deref();
            let list = List {
                halves: halves(input.consistent_read),
                limit: limit(input.limit),
                beyond: beyond(schema, index, input.select, plan.projection.as_ref()),
                everything: plan.segment.is_none_or(|(_, total)| total == 1)
                    && plan.start.is_none(),
            };
            Some(list.estimate(sizes))
        }
        _ => None,
    }
}

pub(super) fn halves(consistent: Option<bool>) -> u64 {
    if consistent == Some(true) { 2 } else { 1 }
}

pub(super) fn limit(given: Option<i32>) -> Option<u64> {
    given.and_then(|limit| u64::try_from(limit).ok())
}

/// Items by their keys; of each, the halves of units that a block costs. What is not there costs as much as one block.
pub(super) fn gets(each: &[u64], sizes: &Sizes) -> Option<UnitRange> {
    let sum = |size: u64| each.iter().sum::<u64>() * blocks(size, READ_UNIT_BYTES);
    match sizes {
        Sizes::Measured(all) => {
            if all.len() != each.len() {
                return None;
            }
            let units = all.iter().zip(each);
            let units = units.map(|(size, halves)| halves * blocks(*size, READ_UNIT_BYTES));
            Some(UnitRange::exact(units.sum()))
        }
        Sizes::Average { items, bytes } => {
            // No two keys are the same item, so together they are not larger than the table.
            let dearest = each.iter().max().copied().unwrap_or_default();
            let all = each.iter().sum::<u64>() + dearest * (bytes / READ_UNIT_BYTES as u64);
            let most = sum((*bytes).min(ITEM)).min(all);
            let likely = sum(bytes.div_ceil((*items).max(1))).min(most);
            Some(UnitRange::between(sum(0), likely, most))
        }
    }
}

/// Rows read in order: each page's sum is rounded up.
pub(super) struct List {
    pub(super) halves: u64,
    /// Most rows; there is one page then.
    pub(super) limit: Option<u64>,
    /// Each row's item is read in the table too.
    pub(super) beyond: bool,
    /// It reads all rows that there are.
    pub(super) everything: bool,
}

impl List {
    pub(super) fn estimate(&self, sizes: &Sizes) -> Estimate {
        let (mut range, rows, of) = match sizes {
            Sizes::Measured(rows) => self.measured(rows),
            Sizes::Average { items, bytes } => self.average(*items, *bytes),
        };
        range = range.times(self.halves);
        if self.beyond {
            range.least.0 += self.halves * rows;
            let measured = matches!(sizes, Sizes::Measured(_));
            range.likely = range.likely.filter(|_| measured);
            range.likely = range
                .likely
                .map(|units| Units(units.0 + self.halves * rows));
            range.most = None;
        }
        Estimate {
            of,
            ..Estimate::read(range, sizes)
        }
    }

    /// Blocks, rows read, and of what. The row that crosses 1 MB still belongs to its page; what a page that ends with the
    /// last row leaves open is whether an empty one comes after it.
    fn measured(&self, rows: &[u64]) -> (UnitRange, u64, Extent) {
        let most = self.limit.unwrap_or(u64::MAX);
        let (mut sum, mut page, mut read) = (0, 0, 0);
        let mut pages = 0;
        for bytes in rows {
            if read == most || (page >= PAGE && self.limit.is_some()) {
                break;
            }
            if page >= PAGE {
                sum += blocks(page, READ_UNIT_BYTES);
                pages += 1;
                page = 0;
            }
            page = bytes.saturating_add(page);
            read += 1;
        }
        sum += blocks(page, READ_UNIT_BYTES);
        let open = u64::from(page >= PAGE && self.limit.is_none());
        let of = match (self.limit, pages) {
            (Some(_), _) => Extent::Page,
            (None, 0) => Extent::Whole,
            (None, _) => Extent::AllPages,
        };
        (UnitRange::between(sum, sum, sum + open), read, of)
    }

    fn average(&self, items: u64, bytes: u64) -> (UnitRange, u64, Extent) {
        let largest = bytes.min(ITEM);
        let page = bytes.min(PAGE - 1 + largest);
        if self.everything && self.limit.is_none() {
            // Each page but the last has 1 MB, and loses less than a block to rounding.
            let sum = blocks(bytes, READ_UNIT_BYTES);
            let pages = bytes / PAGE;
            let of = if pages == 0 {
                Extent::Whole
            } else {
                Extent::AllPages
            };
            let likely = sum + pages / 2;
            return (UnitRange::between(sum, likely, sum + pages), items, of);
        }
        let Some(limit) = self.limit else {
            let of = if bytes < PAGE {
                Extent::Whole
            } else {
                Extent::Page
            };
            let most = blocks(page, READ_UNIT_BYTES);
            let mut range = UnitRange::between(1, 1, most);
            range.likely = range.likely.filter(|_| range.is_exact());
            return (range, 0, of);
        };
        let most = page.min(limit.saturating_mul(largest));
        let rows = limit.min(items);
        let likely = rows.saturating_mul(bytes.div_ceil(items.max(1))).min(most);
        let (likely, most) = (
            blocks(likely, READ_UNIT_BYTES),
            blocks(most, READ_UNIT_BYTES),
        );
        (UnitRange::between(1, likely, most), 0, Extent::Page)
    }
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
