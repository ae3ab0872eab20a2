//! Items as records of a file.

use super::records::Format;
use bothways_core::{Item, ValueRef, json as wire};
use serde_json::json;

/// Appends an item as a record. CSV has the columns' values only.
pub(super) fn record(out: &mut Vec<u8>, format: Format, columns: &[String], item: &Item) {
    match format {
        Format::Csv => {
            for (at, name) in columns.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                if let Some(value) = item.get(name) {
                    field(out, &cell(value));
                }
            }
        }
        Format::Lines => {
            out.push(b'{');
            for (at, (name, value)) in item.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(json!(name).to_string().as_bytes());
                out.push(b':');
                plain(out, value);
            }
            out.push(b'}');
        }
        Format::Dynamo => {
            out.extend_from_slice(b"{\"Item\":");
            item.write_json(out);
            out.push(b'}');
        }
    }
    out.push(b'\n');
}

/// The first record of a CSV file.
pub(super) fn header(out: &mut Vec<u8>, columns: &[String]) {
    for (at, name) in columns.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        field(out, name);
    }
    out.push(b'\n');
}

fn cell(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::S(text) => text.to_owned(),
        ValueRef::N(number) => number.to_string(),
        ValueRef::Bool(truth) => truth.to_string(),
        other => {
            let mut text = Vec::new();
            wire::write_value(other, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        }
    }
}

fn field(out: &mut Vec<u8>, text: &str) {
    if !text.contains(['"', ',', '\n', '\r']) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// Plain JSON, numbers with all their digits; what JSON has no form for as `{"$SS": […]}`, which an import reads back.
fn plain(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::S(text) => out.extend_from_slice(json!(text).to_string().as_bytes()),
        ValueRef::N(number) => out.extend_from_slice(number.to_string().as_bytes()),
        ValueRef::Bool(truth) => out.extend_from_slice(truth.to_string().as_bytes()),
        ValueRef::Null => out.extend_from_slice(b"null"),
        ValueRef::L(members) => {
            out.push(b'[');
            for (at, member) in members.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                plain(out, member);
            }
            out.push(b']');
        }
        ValueRef::M(members) => {
            out.push(b'{');
            for (at, (name, member)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(json!(name).to_string().as_bytes());
                out.push(b':');
                plain(out, member);
            }
            out.push(b'}');
        }
        other => {
            // `{"SS":…}` with the dollar before the type's name.
            let mut text = Vec::new();
            wire::write_value(other, &mut text);
            out.extend_from_slice(b"{\"$");
            out.extend_from_slice(text.get(2..).unwrap_or_default());
        }
    }
}
