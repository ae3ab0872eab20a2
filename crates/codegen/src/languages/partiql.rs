//! PartiQL, sent with the AWS command line. What the dialect cannot say, or says with another meaning, is refused.

mod statement;

use super::{Refusal, aws_cli};
use crate::{Draft, Schema};
use bothways_core::Item;
use bothways_core::expr::{
    Condition, FunctionName, Node, Operand, Path, Projection, Update, UpdateAction,
};
use bothways_protocol::types::{
    BatchExecuteStatementInput, BatchStatementRequest, ExecuteStatementInput,
    ExecuteTransactionInput, Given, ParameterizedStatement, QueryInput, ReturnConsumedCapacity,
    ReturnValue, ScanInput, Select,
};
use bothways_protocol::validate::{self, BatchWrite, TransactKind};
use bothways_protocol::{Error, Request};
use statement::{Statement, literal, path_text, quoted};

pub(super) fn program(draft: &Draft, schema: Option<&Schema>) -> Result<String, Refusal> {
    let request = request(draft.request(), schema)?;
    let draft = Draft::of_request(request).map_err(|error| Refusal::new(error.to_string()))?;
    Ok(aws_cli::program(&draft))
}

fn request(given: &Request, schema: Option<&Schema>) -> Result<Request, Refusal> {
    Ok(match given {
        Request::GetItem(input) => {
            let plan = validate::get_item(input).map_err(|error| refused(&error))?;
            let statement = select(
                name(input.table_name.as_ref()),
                None,
                plan.projection.as_ref(),
                Some(plan.key),
                &[],
            )?;
            one(
                statement,
                input.consistent_read,
                None,
                input.return_consumed_capacity,
            )
        }
        Request::Query(input) => query(input, schema)?,
        Request::Scan(input) => scan(input)?,
        Request::PutItem(input) => {
            let plan = validate::put_item(input).map_err(|error| refused(&error))?;
            let statement = insert(
                name(input.table_name.as_ref()),
                plan.item,
                plan.condition.as_ref(),
                schema,
            )?;
            one(statement, None, None, input.return_consumed_capacity)
        }
        Request::UpdateItem(input) => {
            let plan = validate::update_item(input).map_err(|error| refused(&error))?;
            let actions = plan
                .update
                .as_ref()
                .map(Update::actions)
                .unwrap_or_default();
            let mut statement = update(
                name(input.table_name.as_ref()),
                plan.key,
                actions,
                plan.condition.as_ref(),
            )?;
            returning(&mut statement, input.return_values);
            one(statement, None, None, input.return_consumed_capacity)
        }
        Request::DeleteItem(input) => {
            let plan = validate::delete_item(input).map_err(|error| refused(&error))?;
            let mut statement = delete(
                name(input.table_name.as_ref()),
                plan.key,
                plan.condition.as_ref(),
            )?;
            returning(&mut statement, input.return_values);
            one(statement, None, None, input.return_consumed_capacity)
        }
        Request::BatchGetItem(_) | Request::BatchWriteItem(_) => batch(given)?,
        Request::TransactGetItems(_) | Request::TransactWriteItems(_) => {
            transaction(given, schema)?
        }
        other => other.clone(),
    })
}

fn name(table: Option<&String>) -> &str {
    validate::table_name(table.map_or("", String::as_str))
}

fn refused(error: &Error) -> Refusal {
    Refusal::new(error.to_string())
}

fn no(reason: &str) -> Refusal {
    Refusal::new(reason)
}

fn one(
    statement: Statement,
    consistent_read: Option<bool>,
    limit: Option<i32>,
    return_consumed_capacity: Option<ReturnConsumedCapacity>,
) -> Request {
    let parameters = statement
        .parameters
        .into_iter()
        .map(Given::from)
        .collect::<Vec<_>>();
    Request::ExecuteStatement(Box::new(ExecuteStatementInput {
        statement: Some(statement.text),
        parameters: (!parameters.is_empty()).then_some(parameters),
        consistent_read,
        limit,
        return_consumed_capacity,
        ..Default::default()
    }))
}

fn query(input: &QueryInput, schema: Option<&Schema>) -> Result<Request, Refusal> {
    let plan = validate::query(input).map_err(|error| refused(&error))?;
    listable(input.select, plan.start.is_some())?;
    let mut conditions = vec![plan.key_condition.tree()];
    conditions.extend(plan.filter.as_ref().map(Condition::tree));
    let index = input.index_name.as_deref();
    let mut statement = select(
        name(input.table_name.as_ref()),
        index,
        plan.projection.as_ref(),
        None,
        &conditions,
    )?;
    if input.scan_index_forward == Some(false) {
        let keys = schema.and_then(|schema| schema.keys_of(index));
        let sort = keys.and_then(|keys| keys.range.first()).ok_or_else(|| {
            no("ORDER BY … DESC names the sort key, which only the table's definition tells")
        })?;
        statement
            .text
            .push_str(&format!(" ORDER BY {} DESC", quoted(&sort.name)));
    }
    Ok(one(
        statement,
        input.consistent_read,
        input.limit,
        input.return_consumed_capacity,
    ))
}

fn scan(input: &ScanInput) -> Result<Request, Refusal> {
    let plan = validate::scan(input).map_err(|error| refused(&error))?;
    listable(input.select, plan.start.is_some())?;
    if plan.segment.is_some() {
        return Err(no("PartiQL has no parallel scan"));
    }
    let conditions: Vec<_> = plan
        .filter
        .as_ref()
        .map(Condition::tree)
        .into_iter()
        .collect();
    let statement = select(
        name(input.table_name.as_ref()),
        input.index_name.as_deref(),
        plan.projection.as_ref(),
        None,
        &conditions,
    )?;
    Ok(one(
        statement,
        input.consistent_read,
        input.limit,
        input.return_consumed_capacity,
    ))
}

fn listable(select: Option<Select>, starts: bool) -> Result<(), Refusal> {
    if select == Some(Select::Count) {
        return Err(no("PartiQL cannot count"));
    }
    if starts {
        return Err(no("PartiQL goes on by NextToken, not from a key"));
    }
    Ok(())
}

fn select(
    table: &str,
    index: Option<&str>,
    projection: Option<&Projection<'_>>,
    key: Option<&Item>,
    conditions: &[&Node<'_>],
) -> Result<Statement, Refusal> {
    let mut statement = Statement::default();
    let columns = match projection {
        None => "*".to_owned(),
        Some(projection) => {
            let paths = projection.paths().iter();
            if paths.clone().any(Path::is_nested) {
                return Err(no(
                    "a nested path comes back under its last name in PartiQL, not where it was",
                ));
            }
            paths
                .map(|path| quoted(path.top()))
                .collect::<Vec<_>>()
                .join(", ")
        }
    };
    let index = index.map_or_else(String::new, |index| format!(".{}", quoted(index)));
    statement.push(&format!("SELECT {columns} FROM {}{index}", quoted(table)));
    statement.wheres(key, conditions)?;
    Ok(statement)
}

fn insert(
    table: &str,
    item: &Item,
    condition: Option<&Condition<'_>>,
    schema: Option<&Schema>,
) -> Result<Statement, Refusal> {
    const REPLACES: &str = "INSERT refuses an item that is there, and PutItem replaces it: \
         only a put with attribute_not_exists on a key attribute is an INSERT";
    let condition = condition.ok_or_else(|| no(REPLACES))?;
    let Node::Function(call) = condition.tree() else {
        return Err(no(REPLACES));
    };
    let path = match call.args.as_slice() {
        [Operand::Path(path)]
            if call.name == FunctionName::AttributeNotExists && !path.is_nested() =>
        {
            path
        }
        _ => return Err(no(REPLACES)),
    };
    let schema = schema.ok_or_else(|| {
        no("whether this put is an INSERT hangs on the table's keys: give its definition")
    })?;
    if !schema.keys.contains(path.top()) {
        return Err(no(REPLACES));
    }
    let mut statement = Statement::default();
    statement.push(&format!("INSERT INTO {} VALUE {{", quoted(table)));
    for (at, (name, value)) in item.iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        statement.push(&format!("{comma}{}: ", literal(name)));
        statement.value(value.to_value());
    }
    statement.push("}");
    Ok(statement)
}

fn update(
    table: &str,
    key: &Item,
    actions: &[UpdateAction<'_>],
    condition: Option<&Condition<'_>>,
) -> Result<Statement, Refusal> {
    let exists = condition.is_some_and(|condition| requires_item(condition.tree()));
    if !exists {
        return Err(no(
            "UPDATE fails where the item is absent, and UpdateItem makes it: \
             only an update with attribute_exists in its condition is the same",
        ));
    }
    if actions.is_empty() {
        return Err(no("UPDATE without SET or REMOVE is no statement"));
    }
    let mut statement = Statement::default();
    statement.push(&format!("UPDATE {}", quoted(table)));
    for action in actions {
        match action {
            UpdateAction::Set(path, operand) => {
                statement.push(&format!(" SET {} = ", path_text(path)?));
                statement.operand(operand)?;
            }
            UpdateAction::Remove(path) => statement.push(&format!(" REMOVE {}", path_text(path)?)),
            UpdateAction::Add(..) => {
                return Err(no("PartiQL has no ADD that makes an absent number or set"));
            }
            UpdateAction::Delete(..) => {
                return Err(no(
                    "set_delete fails where the set is absent, and DELETE does not",
                ));
            }
        }
    }
    statement.wheres(
        Some(key),
        &condition
            .map(Condition::tree)
            .into_iter()
            .collect::<Vec<_>>(),
    )?;
    Ok(statement)
}

/// Whether a condition can hold only where the item is there.
fn requires_item(node: &Node<'_>) -> bool {
    match node {
        Node::And(all) => all.iter().any(requires_item),
        Node::Function(call) => call.name == FunctionName::AttributeExists,
        _ => false,
    }
}

fn delete(
    table: &str,
    key: &Item,
    condition: Option<&Condition<'_>>,
) -> Result<Statement, Refusal> {
    let mut statement = Statement::default();
    statement.push(&format!("DELETE FROM {}", quoted(table)));
    statement.wheres(
        Some(key),
        &condition
            .map(Condition::tree)
            .into_iter()
            .collect::<Vec<_>>(),
    )?;
    Ok(statement)
}

fn returning(statement: &mut Statement, values: Option<ReturnValue>) {
    statement.push(match values {
        Some(ReturnValue::AllOld) => " RETURNING ALL OLD *",
        Some(ReturnValue::AllNew) => " RETURNING ALL NEW *",
        Some(ReturnValue::UpdatedOld) => " RETURNING MODIFIED OLD *",
        Some(ReturnValue::UpdatedNew) => " RETURNING MODIFIED NEW *",
        Some(ReturnValue::None) | None => "",
    });
}

fn batch(given: &Request) -> Result<Request, Refusal> {
    let mut statements = Vec::new();
    let mut add = |statement: Statement, consistent_read| {
        let (statement, parameters) = statement.parts();
        statements.push(BatchStatementRequest {
            statement,
            parameters,
            consistent_read,
            ..Default::default()
        });
    };
    let capacity = match given {
        Request::BatchGetItem(input) => {
            for get in validate::batch_get_item(input).map_err(|error| refused(&error))? {
                for key in get.keys {
                    let table = validate::table_name(get.table_name);
                    add(
                        select(table, None, get.projection.as_ref(), Some(key), &[])?,
                        get.given.consistent_read,
                    );
                }
            }
            input.return_consumed_capacity
        }
        Request::BatchWriteItem(input) => {
            for table in validate::batch_write_item(input).map_err(|error| refused(&error))? {
                for write in table.writes {
                    match write {
                        BatchWrite::Delete(key) => add(
                            delete(validate::table_name(table.table_name), key, None)?,
                            None,
                        ),
                        BatchWrite::Put(_) => {
                            return Err(no(
                                "INSERT refuses an item that is there, and a batch's put replaces it",
                            ));
                        }
                    }
                }
            }
            input.return_consumed_capacity
        }
        _ => None,
    };
    if statements.len() > 25 {
        return Err(no("a batch of PartiQL has at most 25 statements"));
    }
    Ok(Request::BatchExecuteStatement(Box::new(
        BatchExecuteStatementInput {
            statements: Some(statements),
            return_consumed_capacity: capacity,
        },
    )))
}

fn transaction(given: &Request, schema: Option<&Schema>) -> Result<Request, Refusal> {
    let mut statements = Vec::new();
    let mut input = ExecuteTransactionInput::default();
    match given {
        Request::TransactGetItems(reads) => {
            for get in validate::transact_get_items(reads).map_err(|error| refused(&error))? {
                let table = validate::table_name(get.table_name);
                statements.push(select(
                    table,
                    None,
                    get.projection.as_ref(),
                    Some(get.key),
                    &[],
                )?);
            }
            input.return_consumed_capacity = reads.return_consumed_capacity;
        }
        Request::TransactWriteItems(writes) => {
            for action in validate::transact_write_items(writes).map_err(|error| refused(&error))? {
                let table = validate::table_name(action.table_name);
                let condition = action.condition.as_ref();
                statements.push(match &action.action {
                    TransactKind::Put => insert(table, action.given, condition, schema)?,
                    TransactKind::Update(changes) => {
                        update(table, action.given, changes.actions(), condition)?
                    }
                    TransactKind::Delete => delete(table, action.given, condition)?,
                    TransactKind::Check => {
                        let conditions: Vec<_> =
                            condition.map(Condition::tree).into_iter().collect();
                        let mut inner = select(table, None, None, Some(action.given), &conditions)?;
                        inner.text = format!("EXISTS({})", inner.text);
                        inner
                    }
                });
            }
            input.return_consumed_capacity = writes.return_consumed_capacity;
            input
                .client_request_token
                .clone_from(&writes.client_request_token);
        }
        _ => {}
    }
    let statements = statements.into_iter().map(|statement| {
        let (statement, parameters) = statement.parts();
        ParameterizedStatement {
            statement,
            parameters,
            ..Default::default()
        }
    });
    input.transact_statements = Some(statements.collect());
    Ok(Request::ExecuteTransaction(Box::new(input)))
}
