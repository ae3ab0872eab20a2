//! Values and items from DynamoDB JSON, and the two ways of asking for an expression.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bothways_core::expr::{
    Binder, Condition, ExprError, Fault, Kind, Names, Projection, Update, Values,
};
use bothways_core::{Item, Number, Value};
use serde_json::Value as Json;

pub(crate) fn value(json: &Json) -> Value {
    let (kind, json) = json.as_object().unwrap().iter().next().unwrap();
    let text = |json: &Json| json.as_str().unwrap().to_owned();
    let number = |json: &Json| Number::parse(json.as_str().unwrap()).unwrap();
    let bytes = |json: &Json| {
        BASE64_STANDARD
            .decode(json.as_str().unwrap())
            .unwrap()
            .into()
    };
    let list = || json.as_array().unwrap().iter();
    match kind.as_str() {
        "S" => Value::S(text(json)),
        "N" => Value::N(number(json)),
        "B" => Value::B(bytes(json)),
        "BOOL" => Value::Bool(json.as_bool().unwrap()),
        "NULL" => Value::Null,
        "SS" => Value::Ss(list().map(text).collect()),
        "NS" => Value::Ns(list().map(number).collect()),
        "BS" => Value::Bs(list().map(bytes).collect()),
        "L" => Value::L(list().map(value).collect()),
        "M" => Value::M(
            json.as_object()
                .unwrap()
                .iter()
                .map(|(k, v)| (k.clone(), value(v)))
                .collect(),
        ),
        other => panic!("no type {other}"),
    }
}

pub(crate) fn values(json: &Json) -> Values {
    json.as_object()
        .unwrap()
        .iter()
        .map(|(k, v)| (k.clone(), value(v)))
        .collect()
}

pub(crate) fn item(json: &Json) -> Item {
    Item::from_attributes(values(json))
}

/// `"#a=a #b=b.c"`
pub(crate) fn names(text: &str) -> Names {
    text.split_whitespace()
        .map(|pair| pair.split_once('=').unwrap())
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .collect()
}

fn some<T>(
    map: &std::collections::BTreeMap<String, T>,
) -> Option<&std::collections::BTreeMap<String, T>> {
    (!map.is_empty()).then_some(map)
}

pub(crate) fn binder<'a>(names: &'a Names, values: &'a Values) -> Binder<'a> {
    Binder::new(some(names), some(values)).unwrap()
}

pub(crate) fn condition<'a>(
    text: &'a str,
    names: &'a Names,
    values: &'a Values,
) -> Result<Condition<'a>, ExprError> {
    binder(names, values).condition(Kind::Condition, text)
}

pub(crate) fn update<'a>(
    text: &'a str,
    names: &'a Names,
    values: &'a Values,
) -> Result<Update<'a>, ExprError> {
    binder(names, values).update(text)
}

pub(crate) fn projection<'a>(text: &'a str, names: &'a Names) -> Result<Projection<'a>, ExprError> {
    binder(names, const { &Values::new() }).projection(text)
}

/// What is wrong with a condition.
pub(crate) fn condition_fault(text: &str, names: &Names, values: &Values) -> Fault {
    match condition(text, names, values) {
        Ok(condition) => panic!("{text} is accepted: {condition:?}"),
        Err(error) => error.fault,
    }
}

/// What is wrong with an update.
pub(crate) fn update_fault(text: &str, names: &Names, values: &Values) -> Fault {
    match update(text, names, values) {
        Ok(update) => panic!("{text} is accepted: {update:?}"),
        Err(error) => error.fault,
    }
}
