//! PartiQL: statements read, given parameters, and carried out as far as that needs no table.

use super::expression::{ITEM, sound};
use super::text;
use crate::shape::{both, shape};
use bothways_core::expr::{Condition, Node, Printed};
use bothways_core::partiql::{Access, Direction, Keyed, Parsed, Select, Statement};
use bothways_core::{KeySchema, ScalarType, Value};

pub(super) fn statement(input: &[u8]) -> u64 {
    let text = text(input);
    let parsed = match Parsed::read(&text) {
        Ok(parsed) => parsed,
        Err(fault) => return shape(&format!("{fault:?}")),
    };
    let said = format!(
        "{:?} {:?} {:?}",
        parsed.verb(),
        parsed.index().is_some(),
        parsed.returning()
    );
    let parameter = Value::from("x");
    let marks = text.matches('?').count();
    // A mark within a text or a name is no parameter.
    let bound = (0..=marks).rev().take(4).find_map(|count| {
        let parameters = vec![&parameter; count];
        match parsed.bind(&parameters) {
            Err(bothways_core::partiql::Fault::ParameterCount) => None,
            other => Some(other),
        }
    });
    let bound = match bound {
        Some(Ok(statement)) => carried_out(statement),
        Some(Err(fault)) => shape(&format!("{fault:?}")),
        None => 0,
    };
    both(shape(&said), bound)
}

fn carried_out(statement: Statement<'_>) -> u64 {
    match statement {
        Statement::Select(select) | Statement::Exists(select) => selected(&select),
        Statement::Insert(item) => {
            sound(&item);
            shape(&format!("{item:?}"))
        }
        Statement::Update {
            update, condition, ..
        } => {
            let printed = Printed::update(update.actions()).text;
            if let Ok(made) = update.apply(Some(&ITEM), &ITEM.only(&["pk", "sk"])) {
                sound(&made);
            }
            both(shape(&printed), searched(condition.as_ref()))
        }
        Statement::Delete { condition, .. } => searched(condition.as_ref()),
    }
}

fn selected(select: &Select<'_>) -> u64 {
    let part = select.columns.apply(ITEM.clone());
    sound(&part);
    for schema in schemas() {
        if let Ok(access) = Access::of(select.condition.as_ref(), &schema) {
            // Whether this key gives that order does not matter; that the question has an answer does.
            let _ = Direction::of(&select.order, select.condition.is_some(), &access, &schema);
        }
    }
    both(
        shape(&format!("{part:?}")),
        searched(select.condition.as_ref()),
    )
}

fn schemas() -> [KeySchema; 2] {
    let hash = || KeySchema::hash("pk", ScalarType::S);
    [hash(), hash().and_range("sk", ScalarType::N)]
}

/// A WHERE clause is an expression, can be evaluated, and names its keys or not.
fn searched(condition: Option<&Node<'_>>) -> u64 {
    let keyed = schemas().map(|schema| {
        let keyed = Keyed::of(condition, &schema, false);
        shape(&format!("{:?}", keyed.map(|keyed| keyed.rest.len())))
    });
    let Some(node) = condition else {
        return both(keyed[0], keyed[1]);
    };
    let printed = Printed::condition(node).text;
    let met = Condition::from_tree(node.clone()).map(|condition| condition.matches(Some(&ITEM)));
    both(
        both(keyed[0], keyed[1]),
        both(shape(&printed), shape(&format!("{met:?}"))),
    )
}
