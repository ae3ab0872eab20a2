//! Attribute values in bodies: `bothways_core::json` reads them straight to items and values; what is wrong with a value
//! travels with it.

use super::{At, Wire, write};
use crate::types::{Given, Values};
use bothways_core::{Item, Value};
use serde::de::{Deserializer, IgnoredAny};
use serde::{Deserialize, de::Error};

/// AWS's type of an attribute value.
const ATTRIBUTE_VALUE: &str = "com.amazonaws.dynamodb.v20120810.AttributeValue";
const MAP: &str = "java.util.Map";

fn unread<'de, T, D: Deserializer<'de>>(de: D) -> Result<Option<T>, D::Error> {
    IgnoredAny::deserialize(de)?;
    Err(D::Error::custom("attribute values cannot be read yet"))
}

impl Wire for Item {
    const JAVA: &'static str = MAP;
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        unread(de)
    }
    fn write(&self, out: &mut Vec<u8>) {
        self.write_json(out);
    }
    fn show(&self, out: &mut String) {
        out.push_str("{}");
    }
}

impl Wire for Given<Item> {
    const JAVA: &'static str = MAP;
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        unread(de)
    }
    fn write(&self, out: &mut Vec<u8>) {
        self.value.write_json(out);
    }
    fn show(&self, out: &mut String) {
        self.value.show(out);
    }
}

impl Wire for Given<Value> {
    const JAVA: &'static str = ATTRIBUTE_VALUE;
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        unread(de)
    }
    fn write(&self, out: &mut Vec<u8>) {
        write::display(0, out);
    }
    fn show(&self, out: &mut String) {
        out.push_str("{}");
    }
}

impl Wire for Given<Values> {
    const JAVA: &'static str = MAP;
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        unread(de)
    }
    fn write(&self, out: &mut Vec<u8>) {
        write::display(0, out);
    }
    fn show(&self, out: &mut String) {
        out.push_str("{}");
    }
}
