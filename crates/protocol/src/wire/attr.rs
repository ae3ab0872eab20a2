//! Attribute values in bodies: `bothways_core::json` reads them straight to items and values; what is wrong with a value
//! travels with it.

use super::{At, Wire};
use crate::constraint::Faults;
use crate::types::{Given, Values};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bothways_core::json::{self, Place};
use bothways_core::{Item, Value, ValueRef};
use serde::de::Deserializer;

/// AWS's name of the type of an attribute value.
const ATTRIBUTE_VALUE: &str = "com.amazonaws.dynamodb.v20120810.AttributeValue";
const MAP: &str =
    "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>";

/// Whether a value stands in a structure or in a list or map, for AWS's words.
fn place(at: &At<'_>) -> Place {
    if at.is_element() {
        Place::Element
    } else {
        Place::Member
    }
}

/// A value nested far too deep decides which front end answers.
fn stop_if_deep<T>(given: &Given<T>, faults: &mut Faults) {
    if given.is_far_too_deep() {
        faults.stop();
    }
}

impl Wire for Item {
    fn java() -> String {
        MAP.to_owned()
    }
    fn read<'de, D: Deserializer<'de>>(de: D, at: &At<'_>) -> Result<Option<Self>, D::Error> {
        Ok(json::read_item(de, place(at))?.map(|given| given.value))
    }
    fn write(&self, out: &mut Vec<u8>) {
        self.write_json(out);
    }
    fn show(&self, out: &mut String) {
        show_members(self.iter(), out);
    }
}

impl Wire for Given<Item> {
    fn check_inside(&self, _: &At<'_>, faults: &mut Faults) {
        stop_if_deep(self, faults);
    }
    fn java() -> String {
        MAP.to_owned()
    }
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
    fn check_inside(&self, _: &At<'_>, faults: &mut Faults) {
        stop_if_deep(self, faults);
    }
    fn java() -> String {
        ATTRIBUTE_VALUE.to_owned()
    }
    fn read<'de, D: Deserializer<'de>>(de: D, at: &At<'_>) -> Result<Option<Self>, D::Error> {
        json::read_value(de, place(at))
    }
    fn write(&self, out: &mut Vec<u8>) {
        json::write_value(self.value.as_ref(), out);
    }
    fn show(&self, out: &mut String) {
        show_value(self.value.as_ref(), out);
    }
}

impl Wire for Given<Values> {
    fn check_inside(&self, _: &At<'_>, faults: &mut Faults) {
        stop_if_deep(self, faults);
    }
    fn java() -> String {
        MAP.to_owned()
    }
    fn read<'de, D: Deserializer<'de>>(de: D, _: &At<'_>) -> Result<Option<Self>, D::Error> {
        json::read_values(de)
    }
    fn write(&self, out: &mut Vec<u8>) {
        json::write_members(
            self.value.iter().map(|(k, v)| (k.as_str(), v.as_ref())),
            out,
        );
    }
    fn show(&self, out: &mut String) {
        show_members(
            self.value.iter().map(|(k, v)| (k.as_str(), v.as_ref())),
            out,
        );
    }
}

/// The members of AWS's internal attribute value, in its order.
/// Source: paritysuite/dynamodb-conformance, captures/cross-region-latest.json, `c_bw_over25`.
const MEMBERS: [(&str, &str); 16] = [
    ("S", "s"),
    ("N", "n"),
    ("B", "b"),
    ("", "iNT"),
    ("", "dECIMAL"),
    ("", "dOUBLE"),
    ("SS", "sS"),
    ("NS", "nS"),
    ("BS", "bS"),
    ("", "iNTSET"),
    ("", "dECIMALSET"),
    ("", "dOUBLESET"),
    ("M", "m"),
    ("L", "l"),
    ("NULL", "nULL"),
    ("BOOL", "bOOL"),
];

fn show_value(value: ValueRef<'_>, out: &mut String) {
    out.push_str("AttributeValue(");
    for (i, (kind, member)) in MEMBERS.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(member);
        out.push('=');
        if *kind == value.type_name() {
            show_content(value, out);
        } else {
            out.push_str("null");
        }
    }
    out.push(')');
}

fn show_content(value: ValueRef<'_>, out: &mut String) {
    match value {
        ValueRef::S(text) => out.push_str(text),
        ValueRef::N(number) => out.push_str(&number.to_string()),
        ValueRef::B(bytes) => STANDARD.encode_string(bytes, out),
        ValueRef::Bool(flag) => out.push_str(if flag { "true" } else { "false" }),
        ValueRef::Null => out.push_str("true"),
        ValueRef::Ss(set) => show_list(set.iter(), out, |text, out| out.push_str(text)),
        ValueRef::Ns(set) => show_list(set.iter(), out, |n, out| out.push_str(&n.to_string())),
        ValueRef::Bs(set) => show_list(set.iter(), out, |b, out| STANDARD.encode_string(b, out)),
        ValueRef::L(list) => show_list(list.iter(), out, show_value),
        ValueRef::M(map) => show_members(map.iter(), out),
    }
}

fn show_list<T>(
    elements: impl IntoIterator<Item = T>,
    out: &mut String,
    show: impl Fn(T, &mut String),
) {
    out.push('[');
    for (i, element) in elements.into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        show(element, out);
    }
    out.push(']');
}

fn show_members<'v>(members: impl IntoIterator<Item = (&'v str, ValueRef<'v>)>, out: &mut String) {
    out.push('{');
    for (i, (name, value)) in members.into_iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(name);
        out.push('=');
        show_value(value, out);
    }
    out.push('}');
}
