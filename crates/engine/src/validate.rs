//! Requests as plans: expressions bound, members taken out.

use bothways_core::Item;
use bothways_core::expr::{Binder, Condition, KeyCondition, Kind, Projection, Update};
use bothways_protocol::types::*;
use bothways_protocol::{Error, ErrorKind, Message};

fn bad(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Validation, error.to_string())
}
fn given<T>(given: Option<&Given<T>>) -> Result<&T, Error> {
    let given = given.ok_or_else(|| bad("missing"))?;
    match &given.fault {
        Some(fault) => Err(bad(format!("{fault:?}"))),
        None => Ok(&given.value),
    }
}
fn binder<'a>(names: Option<&'a Names>, values: Option<&'a Given<Values>>) -> Result<Binder<'a>, Error> {
    Binder::new(names, values.map(|v| &v.value)).map_err(bad)
}
fn condition<'a>(b: &mut Binder<'a>, kind: Kind, text: Option<&'a String>) -> Result<Option<Condition<'a>>, Error> {
    text.map(|t| b.condition(kind, t).map_err(bad)).transpose()
}
fn projection<'a>(b: &mut Binder<'a>, text: Option<&'a String>) -> Result<Option<Projection<'a>>, Error> {
    text.map(|t| b.projection(t).map_err(bad)).transpose()
}
pub(crate) fn create_table(_: &CreateTableInput) -> Result<(), Error> { Ok(()) }
pub(crate) fn describe_table(_: &DescribeTableInput) -> Result<(), Error> { Ok(()) }
pub(crate) fn list_tables(_: &ListTablesInput) -> Result<(), Error> { Ok(()) }
pub(crate) fn delete_table(_: &DeleteTableInput) -> Result<(), Error> { Ok(()) }

pub(crate) struct PutPlan<'a> { pub(crate) item: &'a Item, pub(crate) condition: Option<Condition<'a>> }
pub(crate) fn put_item(i: &PutItemInput) -> Result<PutPlan<'_>, Error> {
    let mut b = binder(i.expression_attribute_names.as_ref(), i.expression_attribute_values.as_ref())?;
    let condition = condition(&mut b, Kind::Condition, i.condition_expression.as_ref())?;
    b.finish().map_err(bad)?;
    let item = given(i.item.as_ref())?;
    if item.size() > bothways_core::limits::ITEM_BYTES { return Err(Message::ItemTooLarge.into()); }
    Ok(PutPlan { item, condition })
}
pub(crate) struct DeletePlan<'a> { pub(crate) key: &'a Item, pub(crate) condition: Option<Condition<'a>> }
pub(crate) fn delete_item(i: &DeleteItemInput) -> Result<DeletePlan<'_>, Error> {
    let mut b = binder(i.expression_attribute_names.as_ref(), i.expression_attribute_values.as_ref())?;
    let condition = condition(&mut b, Kind::Condition, i.condition_expression.as_ref())?;
    b.finish().map_err(bad)?;
    Ok(DeletePlan { key: given(i.key.as_ref())?, condition })
}
pub(crate) struct UpdatePlan<'a> { pub(crate) key: &'a Item, pub(crate) update: Option<Update<'a>>, pub(crate) condition: Option<Condition<'a>> }
pub(crate) fn update_item(i: &UpdateItemInput) -> Result<UpdatePlan<'_>, Error> {
    let mut b = binder(i.expression_attribute_names.as_ref(), i.expression_attribute_values.as_ref())?;
    let update = i.update_expression.as_ref().map(|t| b.update(t).map_err(bad)).transpose()?;
    let condition = condition(&mut b, Kind::Condition, i.condition_expression.as_ref())?;
    b.finish().map_err(bad)?;
    Ok(UpdatePlan { key: given(i.key.as_ref())?, update, condition })
}
pub(crate) struct GetPlan<'a> { pub(crate) key: &'a Item, pub(crate) projection: Option<Projection<'a>> }
pub(crate) fn get_item(i: &GetItemInput) -> Result<GetPlan<'_>, Error> {
    let mut b = binder(i.expression_attribute_names.as_ref(), None)?;
    let projection = projection(&mut b, i.projection_expression.as_ref())?;
    b.finish().map_err(bad)?;
    Ok(GetPlan { key: given(i.key.as_ref())?, projection })
}
pub(crate) struct QueryPlan<'a> {
    pub(crate) filter: Option<Condition<'a>>, pub(crate) filter_name: &'static str, pub(crate) projection: Option<Projection<'a>>,
    pub(crate) key_condition: KeyCondition<'a>, pub(crate) start: Option<&'a Item>,
}
pub(crate) fn query(i: &QueryInput) -> Result<QueryPlan<'_>, Error> {
    let mut b = binder(i.expression_attribute_names.as_ref(), i.expression_attribute_values.as_ref())?;
    let filter = condition(&mut b, Kind::Filter, i.filter_expression.as_ref())?;
    let projection = projection(&mut b, i.projection_expression.as_ref())?;
    let text = i.key_condition_expression.as_ref().ok_or(Message::KeyConditionMissing)?;
    let key_condition = b.key_condition(text).map_err(bad)?;
    b.finish().map_err(bad)?;
    let start = i.exclusive_start_key.as_ref().map(|g| given(Some(g))).transpose()?;
    Ok(QueryPlan { filter, filter_name: "Filter Expression", projection, key_condition, start })
}
pub(crate) struct ScanPlan<'a> {
    pub(crate) filter: Option<Condition<'a>>, pub(crate) projection: Option<Projection<'a>>,
    pub(crate) start: Option<&'a Item>, pub(crate) segment: Option<(u32, u32)>,
}
pub(crate) fn scan(i: &ScanInput) -> Result<ScanPlan<'_>, Error> {
    let mut b = binder(i.expression_attribute_names.as_ref(), i.expression_attribute_values.as_ref())?;
    let filter = condition(&mut b, Kind::Filter, i.filter_expression.as_ref())?;
    let projection = projection(&mut b, i.projection_expression.as_ref())?;
    b.finish().map_err(bad)?;
    let start = i.exclusive_start_key.as_ref().map(|g| given(Some(g))).transpose()?;
    let segment = i.segment.zip(i.total_segments).map(|(s, t)| (u32::try_from(s).unwrap_or(0), u32::try_from(t).unwrap_or(1)));
    Ok(ScanPlan { filter, projection, start, segment })
}
pub(crate) struct BatchGet<'a> { pub(crate) table_name: &'a str, pub(crate) keys: Vec<&'a Item>, pub(crate) projection: Option<Projection<'a>>, pub(crate) given: &'a KeysAndAttributes }
pub(crate) fn batch_get_item(i: &BatchGetItemInput) -> Result<Vec<BatchGet<'_>>, Error> {
    i.request_items.iter().flatten().map(|(name, g)| {
        let mut b = binder(g.expression_attribute_names.as_ref(), None)?;
        let projection = projection(&mut b, g.projection_expression.as_ref())?;
        b.finish().map_err(bad)?;
        let keys = g.keys.iter().flatten().map(|k| given(Some(k))).collect::<Result<_, _>>()?;
        Ok(BatchGet { table_name: name, keys, projection, given: g })
    }).collect()
}
pub(crate) enum BatchWrite<'a> { Put(&'a Item), Delete(&'a Item) }
pub(crate) struct BatchWrites<'a> { pub(crate) table_name: &'a str, pub(crate) writes: Vec<BatchWrite<'a>> }
pub(crate) fn batch_write_item(i: &BatchWriteItemInput) -> Result<Vec<BatchWrites<'_>>, Error> {
    i.request_items.iter().flatten().map(|(name, list)| {
        let writes = list.iter().map(|w| match (&w.put_request, &w.delete_request) {
            (Some(p), None) => Ok(BatchWrite::Put(given(p.item.as_ref())?)),
            (None, Some(d)) => Ok(BatchWrite::Delete(given(d.key.as_ref())?)),
            _ => Err(Message::WriteRequestShape.into()),
        }).collect::<Result<_, Error>>()?;
        Ok(BatchWrites { table_name: name, writes })
    }).collect()
}
pub(crate) struct TransactGet<'a> { pub(crate) table_name: &'a str, pub(crate) key: &'a Item, pub(crate) projection: Option<Projection<'a>> }
pub(crate) fn transact_get_items(i: &TransactGetItemsInput) -> Result<Vec<TransactGet<'_>>, Error> {
    i.transact_items.iter().flatten().map(|t| {
        let g = t.get.as_ref().ok_or_else(|| bad("missing"))?;
        let mut b = binder(g.expression_attribute_names.as_ref(), None)?;
        let projection = projection(&mut b, g.projection_expression.as_ref())?;
        b.finish().map_err(bad)?;
        Ok(TransactGet { table_name: g.table_name.as_deref().unwrap_or_default(), key: given(g.key.as_ref())?, projection })
    }).collect()
}
pub(crate) enum TransactKind<'a> { Put, Update(Update<'a>), Delete, Check }
pub(crate) struct TransactAction<'a> {
    pub(crate) table_name: &'a str, pub(crate) given: &'a Item, pub(crate) action: TransactKind<'a>, pub(crate) condition: Option<Condition<'a>>,
    pub(crate) on_failure: Option<ReturnValuesOnConditionCheckFailure>,
}
pub(crate) fn transact_write_items(i: &TransactWriteItemsInput) -> Result<Vec<TransactAction<'_>>, Error> {
    i.transact_items.iter().flatten().map(|t| {
        if let Some(p) = &t.put {
            let mut b = binder(p.expression_attribute_names.as_ref(), p.expression_attribute_values.as_ref())?;
            let condition = condition(&mut b, Kind::Condition, p.condition_expression.as_ref())?;
            b.finish().map_err(bad)?;
            return Ok(TransactAction { table_name: p.table_name.as_deref().unwrap_or_default(), given: given(p.item.as_ref())?, action: TransactKind::Put, condition, on_failure: p.return_values_on_condition_check_failure });
        }
        if let Some(p) = &t.update {
            let mut b = binder(p.expression_attribute_names.as_ref(), p.expression_attribute_values.as_ref())?;
            let update = b.update(p.update_expression.as_deref().unwrap_or_default()).map_err(bad)?;
            let condition = condition(&mut b, Kind::Condition, p.condition_expression.as_ref())?;
            b.finish().map_err(bad)?;
            return Ok(TransactAction { table_name: p.table_name.as_deref().unwrap_or_default(), given: given(p.key.as_ref())?, action: TransactKind::Update(update), condition, on_failure: p.return_values_on_condition_check_failure });
        }
        if let Some(p) = &t.delete {
            let mut b = binder(p.expression_attribute_names.as_ref(), p.expression_attribute_values.as_ref())?;
            let condition = condition(&mut b, Kind::Condition, p.condition_expression.as_ref())?;
            b.finish().map_err(bad)?;
            return Ok(TransactAction { table_name: p.table_name.as_deref().unwrap_or_default(), given: given(p.key.as_ref())?, action: TransactKind::Delete, condition, on_failure: p.return_values_on_condition_check_failure });
        }
        let p = t.condition_check.as_ref().ok_or(Message::TransactionOneAction)?;
        let mut b = binder(p.expression_attribute_names.as_ref(), p.expression_attribute_values.as_ref())?;
        let condition = condition(&mut b, Kind::Condition, p.condition_expression.as_ref())?;
        b.finish().map_err(bad)?;
        Ok(TransactAction { table_name: p.table_name.as_deref().unwrap_or_default(), given: given(p.key.as_ref())?, action: TransactKind::Check, condition, on_failure: p.return_values_on_condition_check_failure })
    }).collect()
}
impl From<bothways_core::expr::UpdateError> for crate::error::Fault {
    fn from(e: bothways_core::expr::UpdateError) -> Self { Self::Answer(Box::new(bad(e))) }
}
impl From<bothways_core::expr::KeyConditionError> for crate::error::Fault {
    fn from(e: bothways_core::expr::KeyConditionError) -> Self { Self::Answer(Box::new(bad(e))) }
}
