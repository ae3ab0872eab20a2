//! Attribute values as plain JSON. What JSON has no form for is an object with one member whose name begins with a
//! dollar: `{"$B": "base64"}`, `{"$SS": […]}`, `{"$NS": […]}`, `{"$BS": […]}`. Numbers keep all their digits.

use super::Result;
use super::problem::{Code, Problem};
use bothways_core::json::item_from_slice;
use bothways_core::{Item, Number, Value, ValueRef, json as wire};
use bothways_graph::Changes;
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// Levels that a value may be nested. Source: Developer Guide, "Service, account and table quotas".
const LEVELS: usize = 32;
/// The types that JSON has no form for.
const MARKED: &[&str] = &["$B", "$SS", "$NS", "$BS"];

type Raw = Box<RawValue>;

/// The changes that an object of attributes asks for; null removes.
pub(crate) fn changes(attributes: &BTreeMap<String, Raw>) -> Result<Changes> {
    let mut changes = Changes::new();
    for (name, raw) in attributes {
        let value = match raw.get() {
            "null" => None,
            _ => Some(read(name, raw, 1)?),
        };
        changes.push(name.clone(), value);
    }
    Ok(changes)
}

/// A value as plain JSON has it, or in words why it is none.
pub(crate) fn plain_value(name: &str, raw: &RawValue) -> std::result::Result<Value, String> {
    read(name, raw, 1).map_err(|problem| problem.detail().to_owned())
}

fn read(name: &str, raw: &RawValue, level: usize) -> Result<Value> {
    let wrong = |why: &dyn std::fmt::Display| {
        Problem::new(Code::BadRequest, format!("attribute {name}: {why}"))
    };
    if level > LEVELS {
        return Err(wrong(&format!("nested over {LEVELS} levels")));
    }
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(text)
            .map(Value::S)
            .map_err(|e| wrong(&e)),
        Some(b't' | b'f') => Ok(Value::Bool(text == "true")),
        Some(b'n') => Ok(Value::Null),
        Some(b'[') => {
            let members: Vec<Raw> = serde_json::from_str(text).map_err(|e| wrong(&e))?;
            let members = members.iter().map(|member| read(name, member, level + 1));
            members.collect::<Result<_>>().map(Value::L)
        }
        Some(b'{') => {
            let members: BTreeMap<String, Raw> =
                serde_json::from_str(text).map_err(|e| wrong(&e))?;
            if let Some(kind) = marked(&members) {
                return marked_value(kind, &members)
                    .ok_or_else(|| wrong(&format!("no value of {kind}")));
            }
            let members = members
                .iter()
                .map(|(key, member)| Ok((key.clone(), read(name, member, level + 1)?)));
            members.collect::<Result<_>>().map(Value::M)
        }
        _ => text.parse::<Number>().map(Value::N).map_err(|e| wrong(&e)),
    }
}

fn marked(members: &BTreeMap<String, Raw>) -> Option<&'static str> {
    let (name, _) = members.first_key_value().filter(|_| members.len() == 1)?;
    MARKED.iter().find(|kind| *kind == name).copied()
}

/// Read as DynamoDB reads its own form.
fn marked_value(kind: &str, members: &BTreeMap<String, Raw>) -> Option<Value> {
    let raw = members.get(kind)?;
    let text = format!("{{\"v\":{{\"{}\":{}}}}}", &kind[1..], raw.get());
    let given = item_from_slice(text.as_bytes()).ok()?;
    if given.fault.is_some() {
        return None;
    }
    given.value.get("v").map(ValueRef::to_value)
}

/// An item's attributes, written as they are read.
pub(crate) struct Members<'i>(pub(crate) &'i Item);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, Plain(value))))
    }
}

/// A value, written as it is read.
pub(crate) struct Plain<'v>(pub(crate) ValueRef<'v>);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self.0 {
            ValueRef::S(text) => serializer.serialize_str(text),
            ValueRef::N(number) => digits(&number, serializer),
            ValueRef::Bool(truth) => serializer.serialize_bool(truth),
            ValueRef::Null => serializer.serialize_unit(),
            ValueRef::L(members) => serializer.collect_seq(members.iter().map(Plain)),
            ValueRef::M(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, Plain(value))))
            }
            other => {
                let mut text = Vec::new();
                wire::write_value(other, &mut text);
                let json: Map<String, Json> = serde_json::from_slice(&text).unwrap_or_default();
                let marked = json.into_iter();
                serializer.collect_map(marked.map(|(kind, value)| (format!("${kind}"), value)))
            }
        }
    }
}

/// A number, as a JSON number where a double holds it exactly, and as its digits in a string where it does not: most
/// languages read JSON's numbers as doubles, and would lose digits without a word.
fn digits<S: Serializer>(number: &Number, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    if let Some(whole) = number.to_i64()
        && whole.unsigned_abs() <= 1 << 53
    {
        return serializer.serialize_i64(whole);
    }
    let text = number.to_string();
    let exact = text.parse::<f64>().ok().filter(|double| {
        let back = double.to_string().parse::<Number>();
        text.len() <= 17 && back.is_ok_and(|back| back == *number)
    });
    match exact {
        Some(double) => serializer.serialize_f64(double),
        None => serializer.serialize_str(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(text: &str) -> std::result::Result<String, Problem> {
        let raw: Raw = serde_json::from_str(text).unwrap();
        read("x", &raw, 1).map(|value| serde_json::to_string(&Plain(value.as_ref())).unwrap())
    }

    #[test]
    fn values_are_plain_json_and_come_back() {
        for text in [
            r#""text \"quoted\"""#,
            "1",
            "-0.5",
            "9007199254740992",
            "true",
            "null",
            r#"[1,"a",[],{}]"#,
            r#"{"$S":"x","a":{"b":[null]}}"#,
            r#"{"$B":"AAEC"}"#,
            r#"{"$SS":["a","b"]}"#,
            r#"{"$NS":["1","2"]}"#,
        ] {
            assert_eq!(round(text).unwrap(), text);
        }
        let long = "12345678901234567890123456789012345678";
        assert_eq!(round(long).unwrap(), format!("\"{long}\""));
        for text in ["1e200", r#"{"$SS":[]}"#, r#"{"$B":"?"}"#] {
            assert!(round(text).is_err(), "{text}");
        }
        let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
        assert!(round(&deep).is_err());
    }
}
