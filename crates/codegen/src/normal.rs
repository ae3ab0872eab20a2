//! One normal form of every request: legacy parameters become expressions, names and values get placeholders only
//! where they need them, equal ones share one, and nothing unused is left.

use crate::{Draft, DraftError};
use bothways_core::expr::{Aliases, Condition, Printer, Projection};
use bothways_protocol::types::{Names, Values};
use bothways_protocol::validate::{self, TransactKind};
use bothways_protocol::{Error, Request};

impl Draft {
    /// The request in normal form. Its answer is the same as before.
    ///
    /// # Errors
    /// [`DraftError::Refused`] as DynamoDB would refuse the result: text that grows over the expression limit of 4 KB.
    ///
    /// ```
    /// use bothways_codegen::Draft;
    /// use bothways_core::expr::Aliases;
    ///
    /// let draft = Draft::read(
    ///     r#"{"TableName": "t", "Key": {"a": {"S": "1"}}, "AttributesToGet": ["name", "size"]}"#,
    ///     None,
    /// )?;
    /// let normal = draft.normalised(Aliases::Needed)?.json();
    /// assert_eq!(normal["ProjectionExpression"], "#n0, #n1");
    /// # Ok::<(), bothways_codegen::DraftError>(())
    /// ```
    pub fn normalised(&self, aliases: Aliases) -> Result<Self, DraftError> {
        let request = rewritten(self.request(), aliases).map_err(DraftError::Refused)?;
        Self::of_request(request)
    }
}

/// Sets the placeholders of an input to what its printer made.
macro_rules! placeholders {
    ($input:expr, $printer:expr) => {{
        let (names, values): (Names, Values) = $printer.finish();
        $input.expression_attribute_names = (!names.is_empty()).then_some(names);
        $input.expression_attribute_values = (!values.is_empty()).then(|| values.into());
    }};
}

/// A copy of an input without its legacy parameters, with these expressions, and with the placeholders that they use.
macro_rules! rewrite {
    ($given:expr, $printer:ident, without [$($legacy:ident),*], $($field:ident: $text:expr),*) => {{
        let mut input = $given.clone();
        $(input.$legacy = None;)*
        $(input.$field = $text;)*
        placeholders!(input, $printer);
        input
    }};
}

fn condition(printer: &mut Printer, given: Option<&Condition<'_>>) -> Option<String> {
    given.map(|condition| printer.condition(condition.tree()))
}

fn projection(printer: &mut Printer, given: Option<&Projection<'_>>) -> Option<String> {
    given.map(|projection| printer.projection(projection.paths()))
}

fn rewritten(request: &Request, aliases: Aliases) -> Result<Request, Error> {
    let mut printer = Printer::new(aliases);
    let p = &mut printer;
    Ok(match request {
        Request::GetItem(given) => {
            let plan = validate::get_item(given)?;
            let mut input = given.clone();
            input.attributes_to_get = None;
            input.projection_expression = projection(p, plan.projection.as_ref());
            input.expression_attribute_names = some(printer.finish().0);
            Request::GetItem(input)
        }
        Request::Query(given) => {
            let plan = validate::query(given)?;
            Request::Query(rewrite!(given, printer,
                without [key_conditions, query_filter, conditional_operator, attributes_to_get],
                key_condition_expression: Some(p.condition(plan.key_condition.tree())),
                filter_expression: condition(p, plan.filter.as_ref()),
                projection_expression: projection(p, plan.projection.as_ref())))
        }
        Request::Scan(given) => {
            let plan = validate::scan(given)?;
            Request::Scan(rewrite!(given, printer,
                without [scan_filter, conditional_operator, attributes_to_get],
                filter_expression: condition(p, plan.filter.as_ref()),
                projection_expression: projection(p, plan.projection.as_ref())))
        }
        Request::PutItem(given) => {
            let plan = validate::put_item(given)?;
            Request::PutItem(
                rewrite!(given, printer, without [expected, conditional_operator],
                condition_expression: condition(p, plan.condition.as_ref())),
            )
        }
        Request::DeleteItem(given) => {
            let plan = validate::delete_item(given)?;
            Request::DeleteItem(
                rewrite!(given, printer, without [expected, conditional_operator],
                condition_expression: condition(p, plan.condition.as_ref())),
            )
        }
        Request::UpdateItem(given) => {
            let plan = validate::update_item(given)?;
            Request::UpdateItem(rewrite!(given, printer,
                without [expected, attribute_updates, conditional_operator],
                update_expression: plan.update.map(|update| p.update(update.actions())),
                condition_expression: condition(p, plan.condition.as_ref())))
        }
        Request::BatchGetItem(given) => {
            let plan = validate::batch_get_item(given)?;
            let mut input = given.clone();
            for get in plan {
                let Some(table) = input
                    .request_items
                    .as_mut()
                    .and_then(|all| all.get_mut(get.table_name))
                else {
                    continue;
                };
                let mut printer = Printer::new(aliases);
                table.attributes_to_get = None;
                table.projection_expression = projection(&mut printer, get.projection.as_ref());
                table.expression_attribute_names = some(printer.finish().0);
            }
            Request::BatchGetItem(input)
        }
        Request::TransactGetItems(given) => {
            let plan = validate::transact_get_items(given)?;
            let mut input = given.clone();
            for (item, get) in input.transact_items.iter_mut().flatten().zip(plan) {
                let Some(read) = item.get.as_mut() else {
                    continue;
                };
                let mut printer = Printer::new(aliases);
                read.projection_expression = projection(&mut printer, get.projection.as_ref());
                read.expression_attribute_names = some(printer.finish().0);
            }
            Request::TransactGetItems(input)
        }
        Request::TransactWriteItems(given) => {
            let plan = validate::transact_write_items(given)?;
            let mut input = given.clone();
            for (item, action) in input.transact_items.iter_mut().flatten().zip(plan) {
                transaction_item(item, &action, Printer::new(aliases));
            }
            Request::TransactWriteItems(input)
        }
        other => other.clone(),
    })
}

fn transaction_item(
    item: &mut bothways_protocol::types::TransactWriteItem,
    action: &validate::TransactAction<'_>,
    mut printer: Printer,
) {
    let update = match &action.action {
        TransactKind::Update(update) => Some(printer.update(update.actions())),
        _ => None,
    };
    let condition = condition(&mut printer, action.condition.as_ref());
    if let Some(put) = &mut item.put {
        put.condition_expression = condition;
        placeholders!(put, printer);
    } else if let Some(delete) = &mut item.delete {
        delete.condition_expression = condition;
        placeholders!(delete, printer);
    } else if let Some(changed) = &mut item.update {
        changed.update_expression = update;
        changed.condition_expression = condition;
        placeholders!(changed, printer);
    } else if let Some(check) = &mut item.condition_check {
        check.condition_expression = condition;
        placeholders!(check, printer);
    }
}

fn some(names: Names) -> Option<Names> {
    (!names.is_empty()).then_some(names)
}
