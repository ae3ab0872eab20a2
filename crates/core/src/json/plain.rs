//! Plain JSON for the command line: `{"age": 7}` instead of `{"age": {"N": "7"}}`.
//!
//! Strings, numbers, booleans, null, arrays and objects are what they look like; numbers keep all 38 digits.
//! What plain JSON has no form for is an object with one member whose name is `$` and a type descriptor:
//! `{"$B": "base64"}`, `{"$SS": [..]}`, `{"$NS": [..]}`, `{"$BS": [..]}`. A map that would look like one of
//! these is written `{"$M": {..}}`. So both directions lose nothing.

use super::decode::{Place, read_value};
use super::fault::FaultKind;
use super::write::write_string;
use crate::{Number, NumberError, Value, ValueRef, limits};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Why plain JSON is no attribute value.
#[derive(Debug, thiserror::Error)]
pub enum PlainError {
    /// Not JSON.
    #[error("not JSON")]
    Json(#[from] serde_json::Error),
    /// A number that DynamoDB cannot hold.
    #[error("the number {text} cannot be stored")]
    Number {
        /// The number as written.
        text: String,
        /// What is wrong with it.
        source: NumberError,
    },
    /// A `$` form that holds no valid value.
    #[error("the value of {form} is not valid: {fault}")]
    Form {
        /// `$B`, `$SS`, `$NS` or `$BS`.
        form: String,
        /// What is wrong with it.
        fault: FaultKind,
    },
    /// Nested deeper than DynamoDB stores.
    #[error("nested more than {} levels deep", limits::NESTING_LEVELS)]
    TooDeep,
}

/// Reads a value from plain JSON.
///
/// # Errors
/// [`PlainError`].
pub fn from_plain(json: &str) -> Result<Value, PlainError> {
    value(serde_json::from_str(json)?, 1)
}

fn value(raw: &RawValue, level: usize) -> Result<Value, PlainError> {
    if level > limits::NESTING_LEVELS {
        return Err(PlainError::TooDeep);
    }
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'{') => object(text, level),
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(text)?;
            let elements = elements
                .into_iter()
                .map(|element| value(element, level + 1));
            Ok(Value::L(elements.collect::<Result<_, _>>()?))
        }
        Some(b'"') => Ok(Value::S(serde_json::from_str(text)?)),
        Some(b't') => Ok(Value::Bool(true)),
        Some(b'f') => Ok(Value::Bool(false)),
        Some(b'n') => Ok(Value::Null),
        _ => match Number::parse(text) {
            Ok(number) => Ok(Value::N(number)),
            Err(source) => Err(PlainError::Number {
                text: text.to_owned(),
                source,
            }),
        },
    }
}

fn object(text: &str, level: usize) -> Result<Value, PlainError> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
    if members.len() == 1
        && let Some((name, raw)) = members.first_key_value()
        && let Some(descriptor) = form(name)
    {
        if descriptor == "M" {
            return map(serde_json::from_str(raw.get())?, level);
        }
        let typed = format!("{{\"{descriptor}\":{}}}", raw.get());
        let mut de = serde_json::Deserializer::from_str(&typed);
        let given = read_value(&mut de, Place::Member)?.unwrap_or_default();
        return match given.fault {
            None => Ok(given.value),
            Some(fault) => Err(PlainError::Form {
                form: name.clone(),
                fault: fault.kind,
            }),
        };
    }
    map(members, level)
}

fn map(members: BTreeMap<String, &RawValue>, level: usize) -> Result<Value, PlainError> {
    let members = members
        .into_iter()
        .map(|(name, raw)| Ok((name, value(raw, level + 1)?)));
    Ok(Value::M(members.collect::<Result<_, PlainError>>()?))
}

/// The descriptor of a `$` form's name.
fn form(name: &str) -> Option<&str> {
    let descriptor = name.strip_prefix('$')?;
    matches!(descriptor, "B" | "SS" | "NS" | "BS" | "M").then_some(descriptor)
}

/// Appends a value as plain JSON.
pub fn write_plain(value: ValueRef<'_>, out: &mut Vec<u8>) {
    match value {
        ValueRef::S(text) => write_string(text, out),
        ValueRef::N(number) => number.write(out),
        ValueRef::Bool(flag) => out.extend_from_slice(if flag { b"true" } else { b"false" }),
        ValueRef::Null => out.extend_from_slice(b"null"),
        ValueRef::B(_) | ValueRef::Ss(_) | ValueRef::Ns(_) | ValueRef::Bs(_) => {
            // The typed form with a `$` before its descriptor.
            out.extend_from_slice(b"{\"$");
            let start = out.len();
            super::write::write_value(value, out);
            out.drain(start..start + 2);
        }
        ValueRef::L(list) => {
            out.push(b'[');
            for (index, element) in list.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_plain(element, out);
            }
            out.push(b']');
        }
        ValueRef::M(map) => {
            let ambiguous = map.len() == 1 && map.iter().all(|(name, _)| form(name).is_some());
            if ambiguous {
                out.extend_from_slice(b"{\"$M\":");
            }
            out.push(b'{');
            for (index, (name, member)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_string(name, out);
                out.push(b':');
                write_plain(member, out);
            }
            out.push(b'}');
            if ambiguous {
                out.push(b'}');
            }
        }
    }
}
