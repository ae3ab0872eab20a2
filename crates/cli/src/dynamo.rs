//! DynamoDB JSON (`{"S":"a"}`) between the core's values and documents that are printed or read.

use bothways_core::limits::NESTING_LEVELS;
use bothways_core::{FaultKind, Value, ValueRef, json};
use serde_json::Value as Json;

/// A value's DynamoDB JSON as a document.
pub(crate) fn document(value: ValueRef<'_>) -> Json {
    let mut bytes = Vec::new();
    json::write_value(value, &mut bytes);
    serde_json::from_slice(&bytes).unwrap_or(Json::Null)
}

/// A value as one reads it in a cell: text and numbers as they are, the rest as DynamoDB JSON.
pub(crate) fn cell(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::S(text) => text.to_owned(),
        ValueRef::N(number) => number.to_string(),
        ValueRef::Bool(truth) => truth.to_string(),
        ValueRef::Null => "null".to_owned(),
        other => document(other).to_string(),
    }
}

/// Reads one value's DynamoDB JSON.
///
/// # Errors
/// What is wrong with it, in DynamoDB's or the JSON parser's words.
pub(crate) fn value(text: &str) -> Result<Value, String> {
    // The core reads items; one attribute of any name makes the value one.
    let item =
        json::item_from_slice(format!("{{\"v\":{text}}}").as_bytes()).map_err(|e| e.to_string())?;
    if let Some(fault) = item.fault {
        return Err(words(&fault.kind));
    }
    if item.value.len() != 1 {
        return Err("one value is wanted".to_owned());
    }
    item.value
        .get("v")
        .map(ValueRef::to_value)
        .ok_or_else(|| "null is no value".to_owned())
}

/// The fault in the command line's words; a database would say the same in its own.
fn words(kind: &FaultKind) -> String {
    match kind {
        FaultKind::Empty => "a value has one type".to_owned(),
        FaultKind::Ambiguous => "a value has one type, and here are several".to_owned(),
        FaultKind::NullNotTrue => "NULL is true or not there".to_owned(),
        FaultKind::EmptySet(_) => "a set has at least one member".to_owned(),
        FaultKind::NullMember(_) => "a set has no null member".to_owned(),
        FaultKind::DuplicateStrings(_)
        | FaultKind::DuplicateNumbers
        | FaultKind::DuplicateBinaries(_) => "a set has each member once".to_owned(),
        FaultKind::Number { text, error } => format!("{text:?} is no number: {error}"),
        FaultKind::TooDeep { .. } => format!("nested over {NESTING_LEVELS} levels"),
        FaultKind::EmptyName { .. } => "an attribute has a name".to_owned(),
        FaultKind::LongName => "an attribute's name is below 64 KB".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_and_printed_without_loss() {
        for text in [
            r#"{"S":"a\"b"}"#,
            r#"{"N":"12345678901234567890123456789012345678"}"#,
            r#"{"B":"AAEC"}"#,
            r#"{"BOOL":true}"#,
            r#"{"NULL":true}"#,
            r#"{"SS":["a","b"]}"#,
            r#"{"L":[{"N":"1"},{"M":{"x":{"S":""}}}]}"#,
        ] {
            assert_eq!(document(value(text).unwrap().as_ref()).to_string(), text);
        }
        for text in [
            "",
            "1",
            "{\"S\":1}",
            "{\"X\":\"a\"}",
            "{\"S\":\"a\"},\"w\":{\"S\":\"b\"}",
            "null",
        ] {
            assert!(value(text).is_err(), "{text}");
        }
    }
}
