//! Query and Scan: the checks that need the schema, then one page.

use super::get::check_projection;
use super::page::{Page, Reading};
use super::plan::Source;
use crate::capacity::ReadMode;
use crate::engine::Inner;
use crate::error::Fault;
use crate::layout::Range;
use crate::pending::Pending;
use crate::write::ScalarPaths;
use bothways_core::Item;
use bothways_core::expr::{Condition, KeyConditionError, Path, Projection};
use bothways_protocol::types::{QueryInput, QueryOutput, ScanInput, ScanOutput, Select};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};
use std::collections::BTreeSet;

/// What Query and Scan have in common.
struct Wanted<'a> {
    select: Option<Select>,
    filter: Option<&'a Condition<'a>>,
    projection: Option<&'a Projection<'a>>,
    consistent: Option<bool>,
    limit: Option<usize>,
}

impl Inner {
    pub(crate) fn query(&self, cx: &Context, input: &QueryInput) -> Result<Pending, Fault> {
        let plan = validate::query(input)?;
        let table = self.table(cx, input.table_name.as_deref())?;
        let mut vectors = table.indexes.iter().filter(|index| index.vector.is_some());
        if vectors.any(|index| input.index_name.as_ref() == Some(&index.name)) {
            return Err(Message::VectorQuery.into());
        }
        let source = Source::find(&table, input.index_name.as_deref())?;
        let wanted = Wanted {
            select: input.select,
            filter: plan.filter.as_ref(),
            projection: plan.projection.as_ref(),
            consistent: input.consistent_read,
            limit: limit(input.limit),
        };
        wanted.check_consistency(&source)?;
        let start = plan
            .start
            .map(|start| source.start(start, false))
            .transpose()?;
        let bound = plan.key_condition.bind(source.schema());
        let keys = bound.map_err(|error| match error {
            KeyConditionError::TooManyConditions { .. } if input.key_conditions.is_some() => {
                Message::KeyConditionCount.into()
            }
            other => Fault::from(other),
        })?;
        validate::schema::key_range(&keys, source.schema())?;
        let selection = source.query(&keys).ok_or(Message::KeyConditionType)?;
        let reverse = input.scan_index_forward == Some(false);
        let range = match start {
            Some(start) => selection.after(start, reverse)?,
            None => selection.range,
        };
        // A partition of one item has nothing behind that item. Source: scylladb/scylladb, `test_query.py`
        // (query_no_sort_key_exclusive_start_key), measured on AWS.
        let single = input.index_name.is_none() && table.key.range.is_empty();
        if let Some(start) = plan.start.filter(|_| single) {
            return Err(validate::schema::not_restartable(start).into());
        }
        check_filter(&source, wanted.filter, plan.filter_name)?;
        check_projection(&table, wanted.projection)?;
        check_scalars(&source, wanted.filter)?;
        let page = self.read(&source, &wanted, range, reverse)?;
        let output = QueryOutput {
            count: Some(signed(page.count)),
            scanned_count: Some(signed(page.scanned)),
            consumed_capacity: page.meter.report(&table, input.return_consumed_capacity),
            last_evaluated_key: page.last.filter(|_| !single),
            items: wanted.items(page.items),
        };
        Ok(Pending::ready(Response::Query(Box::new(output))))
    }

    pub(crate) fn scan(&self, cx: &Context, input: &ScanInput) -> Result<Pending, Fault> {
        let plan = validate::scan(input)?;
        let table = self.table(cx, input.table_name.as_deref())?;
        let source = Source::find(&table, input.index_name.as_deref())?;
        let wanted = Wanted {
            select: input.select,
            filter: plan.filter.as_ref(),
            projection: plan.projection.as_ref(),
            consistent: input.consistent_read,
            limit: limit(input.limit),
        };
        wanted.check_consistency(&source)?;
        let mut range = source.scan(plan.segment);
        if let Some(start) = plan.start {
            source.check_start(start, true)?;
            wanted.reach(&source)?;
            let start = source.start(start, true)?.key;
            if let Some((segment, total)) = plan.segment.filter(|_| !range.contains(&start)) {
                return Err(Message::StartKeySegment {
                    total: total.cast_signed(),
                    segment: segment.cast_signed(),
                }
                .into());
            }
            range = range.after(start, false);
        }
        check_projection(&table, wanted.projection)?;
        check_scalars(&source, wanted.filter)?;
        let page = self.read(&source, &wanted, range, false)?;
        let output = ScanOutput {
            count: Some(signed(page.count)),
            scanned_count: Some(signed(page.scanned)),
            consumed_capacity: page.meter.report(&table, input.return_consumed_capacity),
            last_evaluated_key: page.last,
            items: wanted.items(page.items),
        };
        Ok(Pending::ready(Response::Scan(Box::new(output))))
    }

    fn read(
        &self,
        source: &Source<'_>,
        wanted: &Wanted<'_>,
        range: Range,
        reverse: bool,
    ) -> Result<Page, Fault> {
        let reading = Reading {
            table: source.table,
            index: source.index,
            range,
            reverse,
            limit: wanted.limit,
            filter: wanted.filter,
            projection: wanted.projection,
            count: wanted.select == Some(Select::Count),
            fetch: wanted.reach(source)?,
            mode: ReadMode::of(wanted.consistent),
            spent: 0,
        };
        reading.page(&*self.store.snapshot()?)
    }
}

impl Wanted<'_> {
    fn check_consistency(&self, source: &Source<'_>) -> Result<(), Fault> {
        let global = source.index.is_some_and(|index| !index.local);
        if global && self.consistent == Some(true) {
            return Err(Message::ConsistentGsi.into());
        }
        Ok(())
    }

    /// Whether attributes are asked for that the index does not hold: a local index then reads the table, a
    /// global one refuses. A filter asks for nothing: it sees what the index holds.
    /// Source: Developer Guide, "Local secondary indexes", "Global secondary indexes".
    fn reach(&self, source: &Source<'_>) -> Result<bool, Fault> {
        let Some(index) = source.index else {
            return Ok(false);
        };
        let all = self.select == Some(Select::AllAttributes) && !index.projects_all();
        let named = self
            .projection
            .iter()
            .flat_map(|p| p.paths())
            .map(Path::top);
        let lacking: BTreeSet<&str> = named.filter(|name| !index.projects(name)).collect();
        if index.local {
            return Ok(all || !lacking.is_empty());
        }
        if all {
            return Err(Message::SelectAllOnGsi {
                name: index.name.clone(),
            }
            .into());
        }
        if lacking.is_empty() {
            return Ok(false);
        }
        Err(Message::GsiProjectionLacks {
            index: index.name.clone(),
            names: lacking.into_iter().collect::<Vec<_>>().join(", "),
        }
        .into())
    }

    /// The answer's items; none at all when only counting.
    fn items(&self, items: Vec<Item>) -> Option<Vec<Item>> {
        (self.select != Some(Select::Count)).then_some(items)
    }
}

/// A filter cannot look into a key.
fn check_scalars(source: &Source<'_>, filter: Option<&Condition<'_>>) -> Result<(), Fault> {
    let mut faults = ScalarPaths::of(source.table);
    if let Some(filter) = filter {
        filter.for_each_path(&mut |path| faults.look(path));
    }
    faults.found()
}

/// A Query's filter cannot look at the key that it queries by.
fn check_filter(
    source: &Source<'_>,
    filter: Option<&Condition<'_>>,
    parameter: &'static str,
) -> Result<(), Fault> {
    let schema = source.schema();
    let mut on_key = None;
    if let Some(filter) = filter {
        filter.for_each_path(&mut |path| {
            if on_key.is_none() && schema.contains(path.top()) {
                on_key = Some(path.top().to_owned());
            }
        });
    }
    match on_key {
        None => Ok(()),
        Some(name) => Err(Message::FilterOnKey {
            filter: parameter,
            name,
        }
        .into()),
    }
}

fn limit(limit: Option<i32>) -> Option<usize> {
    limit.and_then(|n| usize::try_from(n).ok())
}

fn signed(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
