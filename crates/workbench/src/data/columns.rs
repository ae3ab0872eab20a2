//! Records as items: types of CSV's columns, and the keys that an item must have.

use super::records::{Format, fields};
use crate::graph_api::plain_value;
use bothways_core::json::item_from_slice;
use bothways_core::{Item, Number, Value, ValueRef};
use bothways_protocol::types::{ScalarAttributeType, TableDescription};
use bytes::Bytes;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What a column's text stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
pub(super) enum ColumnType {
    /// Text.
    S,
    /// A number.
    N,
    /// Base64.
    B,
    /// `true` or `false`.
    #[serde(rename = "BOOL")]
    Bool,
    /// A value in DynamoDB JSON, as `{"SS":["a"]}`.
    #[serde(rename = "JSON")]
    Json,
    /// Left out.
    #[serde(rename = "skip")]
    Skip,
}

/// Names and types of the key attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys(pub(super) Vec<(String, ScalarAttributeType)>);

impl Keys {
    pub(super) fn of(table: &TableDescription) -> Self {
        let schema = table.key_schema.iter().flatten();
        let kind = |name: &String| {
            let mut all = table.attribute_definitions.iter().flatten();
            let found = all.find(|own| own.attribute_name.as_ref() == Some(name));
            found.and_then(|own| own.attribute_type)
        };
        let keys = schema.filter_map(|part| {
            let name = part.attribute_name.as_ref()?;
            Some((name.clone(), kind(name)?))
        });
        Self(keys.collect())
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Whether the item has them, in words where not.
    fn check(&self, item: &Item) -> Result<(), String> {
        for (name, kind) in &self.0 {
            let fits = match (item.get(name), kind) {
                (None, _) => return Err(format!("key attribute {name} is missing")),
                (Some(ValueRef::S(text)), ScalarAttributeType::S) => !text.is_empty(),
                (Some(ValueRef::N(_)), ScalarAttributeType::N) => true,
                (Some(ValueRef::B(bytes)), ScalarAttributeType::B) => !bytes.is_empty(),
                (Some(_), kind) => {
                    return Err(format!("key attribute {name} is not of type {kind:?}"));
                }
            };
            if !fits {
                return Err(format!("key attribute {name} is empty"));
            }
        }
        Ok(())
    }
}

/// How records are read.
pub(super) struct Reader<'r> {
    pub(super) format: Format,
    pub(super) keys: &'r Keys,
    /// The names of CSV's columns, with what each stands for.
    pub(super) columns: &'r [(String, ColumnType)],
}

impl Reader<'_> {
    /// The item of a record; none for an empty line.
    pub(super) fn item(&self, record: &[u8]) -> Result<Option<Item>, String> {
        let text = std::str::from_utf8(record).map_err(|_| "it is not UTF-8".to_owned())?;
        if text.trim().is_empty() {
            return Ok(None);
        }
        let item = match self.format {
            Format::Csv => self.of_fields(text)?,
            Format::Lines => of_json(text)?,
            Format::Dynamo => of_dynamo(text)?,
        };
        self.keys.check(&item)?;
        Ok(Some(item))
    }

    fn of_fields(&self, text: &str) -> Result<Item, String> {
        let fields = fields(text)?;
        if fields.len() != self.columns.len() {
            return Err(format!(
                "it has {} fields, and the first line names {}",
                fields.len(),
                self.columns.len()
            ));
        }
        let mut attributes = Vec::new();
        for ((name, kind), field) in self.columns.iter().zip(fields) {
            if *kind == ColumnType::Skip || field.is_empty() {
                continue;
            }
            let value = value(*kind, &field).map_err(|why| format!("column {name}: {why}"))?;
            attributes.push((name.clone(), value));
        }
        Ok(Item::from_attributes(attributes))
    }
}

fn value(kind: ColumnType, text: &str) -> Result<Value, String> {
    match kind {
        ColumnType::N => text
            .trim()
            .parse::<Number>()
            .map(Value::N)
            .map_err(|e| e.to_string()),
        ColumnType::Bool => match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(format!("{text:?} is neither true nor false")),
        },
        ColumnType::B => typed(&format!("{{\"B\":{}}}", serde_json::json!(text))),
        ColumnType::Json => typed(text),
        ColumnType::S | ColumnType::Skip => Ok(Value::S(text.to_owned())),
    }
}

fn typed(json: &str) -> Result<Value, String> {
    let item = of_dynamo(&format!("{{\"v\":{json}}}"))?;
    item.get("v")
        .map(ValueRef::to_value)
        .ok_or_else(|| "it is not a value".to_owned())
}

fn of_dynamo(text: &str) -> Result<Item, String> {
    let wrapped: Result<BTreeMap<String, Box<RawValue>>, _> = serde_json::from_str(text);
    let wrapped = wrapped.map_err(|e| e.to_string())?;
    // An item can have one attribute that is called Item; its value has a type's name in it, which a wrapped item's has not.
    let inner = match wrapped.get("Item") {
        Some(inner) if wrapped.len() == 1 && read(inner.get()).is_ok() => inner.get(),
        _ => text,
    };
    read(inner)
}

fn read(text: &str) -> Result<Item, String> {
    let given = item_from_slice(text.as_bytes()).map_err(|e| e.to_string())?;
    match given.fault {
        Some(fault) => Err(fault.to_string()),
        None => Ok(given.value),
    }
}

fn of_json(text: &str) -> Result<Item, String> {
    let members: BTreeMap<String, Box<RawValue>> =
        serde_json::from_str(text).map_err(|e| e.to_string())?;
    let mut attributes = Vec::with_capacity(members.len());
    for (name, raw) in members {
        let value = plain_value(&name, &raw)?;
        attributes.push((name, value));
    }
    Ok(Item::from_attributes(attributes))
}

/// The bytes that tell an item's key from others of its table.
pub(super) fn key_text(keys: &Keys, item: &Item) -> Bytes {
    let mut out = Vec::new();
    item.only(&keys.names()).write_json(&mut out);
    out.into()
}
