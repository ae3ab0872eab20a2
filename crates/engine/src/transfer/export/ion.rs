//! Items as text Ion, as DynamoDB exports them. Source: Developer Guide, "DynamoDB table export output format".

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bothways_core::{Item, Number, ValueRef};
use std::fmt::Write as _;

/// Appends an item as a struct.
pub(super) fn write_item(item: &Item, out: &mut String) {
    write_struct(item.iter(), out);
}

fn write_struct<'v>(members: impl Iterator<Item = (&'v str, ValueRef<'v>)>, out: &mut String) {
    out.push('{');
    for (position, (name, value)) in members.enumerate() {
        if position > 0 {
            out.push(',');
        }
        write_symbol(name, out);
        out.push(':');
        write_value(value, out);
    }
    out.push('}');
}

fn write_value(value: ValueRef<'_>, out: &mut String) {
    match value {
        ValueRef::S(text) => write_string(text, out),
        ValueRef::N(number) => write_number(number, out),
        ValueRef::B(bytes) => write_blob(bytes, out),
        ValueRef::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        ValueRef::Null => out.push_str("null"),
        ValueRef::Ss(set) => {
            out.push_str("$dynamodb_SS::");
            write_list(set.iter(), write_string, out);
        }
        ValueRef::Ns(set) => {
            out.push_str("$dynamodb_NS::");
            write_list(set.iter(), write_number, out);
        }
        ValueRef::Bs(set) => {
            out.push_str("$dynamodb_BS::");
            write_list(set.iter(), write_blob, out);
        }
        ValueRef::L(list) => write_list(list.iter(), write_value, out),
        ValueRef::M(map) => write_struct(map.iter(), out),
    }
}

fn write_list<T>(
    elements: impl Iterator<Item = T>,
    write: impl Fn(T, &mut String),
    out: &mut String,
) {
    out.push('[');
    for (position, element) in elements.enumerate() {
        if position > 0 {
            out.push(',');
        }
        write(element, out);
    }
    out.push(']');
}

/// A decimal: with a point, or with `d` before its exponent.
pub(super) fn write_number(number: Number, out: &mut String) {
    let text = number.to_string();
    match text.split_once(['E', 'e']) {
        Some((digits, exponent)) => {
            let _ = write!(out, "{digits}d{}", exponent.trim_start_matches('+'));
        }
        None if text.contains('.') => out.push_str(&text),
        None => {
            let _ = write!(out, "{text}.");
        }
    }
}

fn write_blob(bytes: &[u8], out: &mut String) {
    out.push_str("{{");
    STANDARD.encode_string(bytes, out);
    out.push_str("}}");
}

fn write_string(text: &str, out: &mut String) {
    quoted(text, '"', out);
}

/// A field's name: bare where Ion takes it so.
fn write_symbol(name: &str, out: &mut String) {
    let mut letters = name.chars();
    let first = letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '$'));
    let rest = letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
    let number = |name: &str| name.bytes().all(|b| b.is_ascii_digit());
    let is_word = matches!(name, "null" | "true" | "false" | "nan")
        || name.strip_prefix('$').is_some_and(number);
    if first && rest && !is_word {
        out.push_str(name);
    } else {
        quoted(name, '\'', out);
    }
}

fn quoted(text: &str, quote: char, out: &mut String) {
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if u32::from(c) < 0x20 || u32::from(c) == 0x7f => {
                // Writing into a String cannot fail.
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;
    use bothways_core::json::item_from_slice;

    fn check(json: &str, ion: &str) {
        let item = item_from_slice(json.as_bytes()).expect("JSON").value;
        let mut out = String::new();
        write_item(&item, &mut out);
        assert_eq!(out, ion);
    }

    #[test]
    fn items_are_written_as_dynamodb_writes_them() {
        check(
            r#"{"Authors":{"SS":["Author1","Author2"]},"Dimensions":{"S":"8.5 x 11.0 x 1.5"},"Id":{"N":"103"},"InPublication":{"BOOL":false},"Price":{"N":"2000.5"},"Nothing":{"NULL":true}}"#,
            r#"{Authors:$dynamodb_SS::["Author1","Author2"],Dimensions:"8.5 x 11.0 x 1.5",Id:103.,InPublication:false,Nothing:null,Price:2000.5}"#,
        );
        check(
            r#"{"b":{"B":"aGk="},"n":{"NS":["2","1"]},"l":{"L":[{"S":"a\"\n\\"},{"M":{"true":{"N":"-1"},"with space":{"N":"0"},"$7":{"S":"'"}}}]}}"#,
            r#"{b:{{aGk=}},l:["a\"\n\\",{'$7':"'",'true':-1.,'with space':0.}],n:$dynamodb_NS::[1.,2.]}"#,
        );
    }
}
