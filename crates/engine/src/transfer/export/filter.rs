//! The items that a filtered export has, and what of them it writes.
//! Source: Developer Guide, "Filtering a table export".

use super::record::ExportRecord;
use crate::catalog::Table;
use crate::error::Fault;
use bothways_core::expr::{Condition, KeyRange};
use bothways_core::{Item, KeySchema};
use bothways_protocol::types::{ExportTableToPointInTimeInput, FilterSpecification};
use bothways_protocol::validate::{self, ExportFilter};
use bothways_protocol::{Error, Message, Operation, Request};

/// What an export was asked to leave out, as it is stored: the request, where it has a filter.
pub(super) fn stored(input: &ExportTableToPointInTimeInput) -> Option<String> {
    input.filter_specification.as_ref()?;
    let mut json = Vec::new();
    Request::ExportTableToPointInTime(Box::new(input.clone())).encode(&mut json);
    Some(String::from_utf8_lossy(&json).into_owned())
}

/// The filter of a stored export.
pub(super) fn specification(export: &ExportRecord) -> Result<Option<FilterSpecification>, Error> {
    let Some(text) = &export.filter else {
        return Ok(None);
    };
    let request = Request::decode(Operation::ExportTableToPointInTime, text.as_bytes())?;
    Ok(match request {
        Request::ExportTableToPointInTime(input) => input.filter_specification,
        _ => None,
    })
}

/// Refuses a filter that does not fit a table.
pub(super) fn check(table: &Table, given: Option<&FilterSpecification>) -> Result<(), Fault> {
    let Some(given) = given else { return Ok(()) };
    let filter = validate::export_filter(given)?;
    if let Some(condition) = &filter.key_condition {
        condition.bind(&table.key)?;
        check_names(&table.key, filter.filter.as_ref())?;
    }
    Ok(())
}

/// Beside a key condition a filter cannot look at the key.
fn check_names(key: &KeySchema, filter: Option<&Condition<'_>>) -> Result<(), Message> {
    let mut on_key = None;
    if let Some(filter) = filter {
        filter.for_each_path(&mut |path| {
            if key.contains(path.top()) {
                on_key.get_or_insert_with(|| path.top().to_owned());
            }
        });
    }
    match on_key {
        None => Ok(()),
        Some(name) => Err(Message::FilterOnKey {
            filter: "Filter Expression",
            name,
        }),
    }
}

/// A filter at work.
pub(super) struct Filter<'f> {
    given: &'f ExportFilter<'f>,
    keys: Option<(KeySchema, KeyRange<'f>)>,
}

impl<'f> Filter<'f> {
    pub(super) fn new(given: &'f ExportFilter<'f>, key: KeySchema) -> Result<Self, Fault> {
        let keys = match &given.key_condition {
            None => None,
            Some(condition) => {
                let range = condition.bind(&key)?;
                Some((key, range))
            }
        };
        Ok(Self { given, keys })
    }

    pub(super) fn keeps(&self, item: &Item) -> bool {
        let of_keys = self.keys.as_ref().is_none_or(|(key, range)| {
            let equal = |parts: &[bothways_core::KeyPart], values: &[&bothways_core::Value]| {
                let mut pairs = parts.iter().zip(values);
                pairs.all(|(part, value)| item.get(&part.name) == Some(value.as_ref()))
            };
            let sort = key.range.get(range.equal.len());
            let sort = sort.and_then(|part| item.get(&part.name));
            equal(&key.hash, &range.hash)
                && equal(&key.range, &range.equal)
                && range
                    .sort
                    .is_none_or(|wanted| sort.is_some_and(|value| wanted.matches(value)))
        });
        let filter = self.given.filter.as_ref();
        of_keys && filter.is_none_or(|filter| filter.matches(Some(item)))
    }

    /// What of an item is written.
    pub(super) fn shows(&self, item: Item) -> Item {
        match &self.given.projection {
            Some(projection) => projection.apply(&item),
            None => item,
        }
    }
}
