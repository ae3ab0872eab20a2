//! Attribute values in bodies: `bothways_core::json` reads them straight to items and values; what is wrong with a value
//! travels with it.

use super::{At, Wire};
use crate::types::{Given, Values};
use bothways_core::json::{self, Place};
use bothways_core::{Item, Value};
use serde::de::{Deserializer, Error};

/// AWS's type of an attribute value.
const ATTRIBUTE_VALUE: &str = "com.amazonaws.dynamodb.v20120810.AttributeValue";
const MAP: &str = "java.util.Map";

fn place(at: &At<'_>) -> Place {
    if at.is_element() {
        Place::Element
    } else {
        Place::Member
    }
}

/// An item in an answer: a fault in it is the answering server's.
impl Wire for Item {
    const JAVA: &'static str = MAP;
    fn read<'de, D: Deserializer<'de>>(de: D, at: &At<'_>) -> Result<Option<Self>, D::Error> {
        match json::read_item(de, place(at))? {
            Some(Given {
                fault: Some(fault), ..
            }) => Err(D::Error::custom(format_args!("not an item: {fault:?}"))),
            given => Ok(given.map(|given| given.value)),
        }
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
    fn read<'de, D: Deserializer<'de>>(de: D, at: &At<'_>) -> Result<Option<Self>, D::Error> {
        json::read_item(de, place(at))
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
    fn read<'de, D: Deserializer<'de>>(de: D, at: &At<'_>) -> Result<Option<Self>, D::Error> {
        json::read_value(de, place(at))
    }
    fn write(&self, out: &mut Vec<u8>) {
        json::write_value(self.value.as_ref(), out);
    }
    fn show(&self, out: &mut String) {
        out.push_str("{}");
    }
}

impl Wire for Given<Values> {
    const JAVA: &'static str = MAP;
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        json::read_values(de)
    }
    fn write(&self, out: &mut Vec<u8>) {
        let members = self.value.iter();
        json::write_members(members.map(|(name, value)| (name.as_str(), value.as_ref())), out);
    }
    fn show(&self, out: &mut String) {
        out.push_str("{}");
    }
}
