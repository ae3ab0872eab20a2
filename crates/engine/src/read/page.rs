//! One page of a Query or Scan.

use crate::capacity::{Meter, ReadMode, Side};
use crate::catalog::{Index, Table};
use crate::error::Fault;
use crate::insights::Heat;
use crate::layout::{self, Range};
use bothways_core::expr::{Condition, Projection};
use bothways_core::{Item, limits};
use bothways_protocol::types::Units;
use bothways_store::Snapshot;

/// Which rows to read, and what to make of them.
pub(crate) struct Reading<'a> {
    pub(crate) table: &'a Table,
    /// The index read.
    pub(crate) index: Option<&'a Index>,
    pub(crate) range: Range,
    pub(crate) reverse: bool,
    /// Most rows to look at.
    pub(crate) limit: Option<usize>,
    pub(crate) filter: Option<&'a Condition<'a>>,
    pub(crate) projection: Option<&'a Projection<'a>>,
    /// Count only.
    pub(crate) count: bool,
    /// Read each row's item in the base table (local indexes that lack an attribute).
    pub(crate) fetch: bool,
    pub(crate) mode: ReadMode,
    /// Bytes that the same answer already holds.
    pub(crate) spent: usize,
}

/// What was read.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) items: Vec<Item>,
    /// Rows that passed the filter.
    pub(crate) count: usize,
    /// Rows looked at.
    pub(crate) scanned: usize,
    /// Where the next page starts, unless the range is at its end.
    pub(crate) last: Option<Item>,
    /// Bytes of all that the answer holds.
    pub(crate) bytes: usize,
    pub(crate) meter: Meter,
}

impl Reading<'_> {
    /// Reads rows until the limit, 1 MB or the end. The row that crosses 1 MB is still part of the page: AWS
    /// reports 128.5 units for full pages of eventual reads, one block more than 1 MB.
    pub(crate) fn page(&self, snapshot: &dyn Snapshot) -> Result<Page, Fault> {
        let mut page = Page {
            items: Vec::new(),
            count: 0,
            scanned: 0,
            last: None,
            bytes: self.spent,
            meter: Meter::new(Side::Plain),
        };
        let mut bytes = 0;
        let (from, to) = self.range.bounds();
        for row in snapshot.values(from, to, self.reverse) {
            let row = Item::from_bytes(row?)?;
            page.scanned += 1;
            self.count_read(&row);
            bytes += row.size();
            page.bytes += row.size();
            let item = if self.fetch {
                let item = self.fetch(snapshot, &row)?;
                page.meter.charge_table(self.mode.units(item.size()));
                page.bytes += item.size();
                item
            } else {
                row.clone()
            };
            self.take(&mut page, item);
            // What is fetched is held in memory like the rest, so it counts towards the page.
            let full = page.bytes >= limits::PAGE_BYTES;
            if full || self.limit.is_some_and(|limit| page.scanned >= limit) {
                page.last = Some(self.key_of(&row));
                break;
            }
        }
        self.charge(&mut page.meter, self.mode.units(bytes));
        Ok(page)
    }

    /// Counts the row, in the table or in the index.
    fn count_read(&self, row: &Item) {
        let heat = Heat::share(self.mode, row.size());
        match self.index {
            None => self.table.count_read(row, heat),
            Some(index) => {
                if let Some(usage) = &index.usage {
                    usage.count(&index.key, row, heat);
                }
            }
        }
    }

    fn take(&self, page: &mut Page, item: Item) {
        if self
            .filter
            .is_some_and(|filter| !filter.matches(Some(&item)))
        {
            return;
        }
        page.count += 1;
        if self.count {
            return;
        }
        page.items.push(match self.projection {
            Some(projection) => projection.apply(&item),
            None => item,
        });
    }

    fn charge(&self, meter: &mut Meter, units: Units) {
        match self.index {
            None => meter.charge_table(units),
            Some(index) => meter.charge_index(index.id, units),
        }
    }

    /// The row's item in the base table. Base and index rows are written together, so it is there.
    fn fetch(&self, snapshot: &dyn Snapshot, row: &Item) -> Result<Item, Fault> {
        let key = layout::base_key(self.table.id(), &self.table.key, row);
        let item = match key {
            Some(key) => snapshot.get(&key)?,
            None => None,
        };
        match item {
            Some(bytes) => Ok(Item::from_bytes(bytes)?),
            None => Err(Fault::Dangling),
        }
    }

    /// The attributes that name a row: the table's key, and the index's.
    fn key_of(&self, row: &Item) -> Item {
        let mut names: Vec<&str> = self.table.key.names().collect();
        names.extend(self.index.iter().flat_map(|index| index.key.names()));
        row.only(&names)
    }
}
