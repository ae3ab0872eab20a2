//! GetItem.

use crate::capacity::{Meter, ReadMode, Side};
use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use crate::insights::Heat;
use crate::pending::Pending;
use crate::write::{ScalarPaths, check_key};
use bothways_core::Item;
use bothways_core::expr::Projection;
use bothways_protocol::types::{GetItemInput, GetItemOutput};
use bothways_protocol::validate;
use bothways_protocol::{Context, Response};

impl Inner {
    pub(crate) fn get_item(&self, cx: &Context, input: &GetItemInput) -> Result<Pending, Fault> {
        let plan = validate::get_item(input)?;
        let table = self.table(cx, input.table_name.as_deref())?;
        let key = check_key(&table, plan.key)?;
        check_projection(&table, plan.projection.as_ref())?;
        let item = self.store.get(&key)?.map(Item::from_bytes).transpose()?;
        let mut meter = Meter::new(Side::Plain);
        let size = item.as_ref().map_or(0, Item::size);
        let units = ReadMode::of(input.consistent_read).units(size);
        table.count_read(plan.key, Heat::reading(units));
        meter.charge_table(units);
        let output = GetItemOutput {
            item: match &plan.projection {
                Some(projection) => item.map(|item| projection.apply(&item)),
                None => item,
            },
            consumed_capacity: meter.report(&table, input.return_consumed_capacity),
        };
        Ok(Pending::ready(Response::GetItem(Box::new(output))))
    }
}

/// A projection cannot look into a key.
pub(super) fn check_projection(
    table: &Table,
    projection: Option<&Projection<'_>>,
) -> Result<(), Fault> {
    let mut faults = ScalarPaths::of(table);
    let paths = projection.iter().flat_map(|p| p.paths());
    paths.for_each(|path| faults.look(path));
    faults.found()
}
