//! Values as DynamoDB JSON.

use crate::ValueRef;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Appends an object of attributes: `{"pk":{"S":"a"},…}`.
pub fn write_members<'v>(
    members: impl IntoIterator<Item = (&'v str, ValueRef<'v>)>,
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    for (index, (name, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_string(name, out);
        out.push(b':');
        write_value(value, out);
    }
    out.push(b'}');
}

/// Appends one value with its type descriptor: `{"S":"a"}`.
pub fn write_value(value: ValueRef<'_>, out: &mut Vec<u8>) {
    match value {
        ValueRef::S(text) => {
            out.extend_from_slice(br#"{"S":"#);
            write_string(text, out);
        }
        ValueRef::N(number) => {
            out.extend_from_slice(br#"{"N":""#);
            number.write(out);
            out.push(b'"');
        }
        ValueRef::B(bytes) => {
            out.extend_from_slice(br#"{"B":"#);
            write_base64(bytes, out);
        }
        ValueRef::Bool(true) => out.extend_from_slice(br#"{"BOOL":true"#),
        ValueRef::Bool(false) => out.extend_from_slice(br#"{"BOOL":false"#),
        ValueRef::Null => out.extend_from_slice(br#"{"NULL":true"#),
        ValueRef::Ss(set) => {
            out.extend_from_slice(br#"{"SS":"#);
            write_list(set, out, write_string);
        }
        ValueRef::Ns(set) => {
            out.extend_from_slice(br#"{"NS":"#);
            write_list(set, out, |number, out| {
                out.push(b'"');
                number.write(out);
                out.push(b'"');
            });
        }
        ValueRef::Bs(set) => {
            out.extend_from_slice(br#"{"BS":"#);
            write_list(set, out, write_base64);
        }
        ValueRef::L(list) => {
            out.extend_from_slice(br#"{"L":"#);
            write_list(list, out, write_value);
        }
        ValueRef::M(map) => {
            out.extend_from_slice(br#"{"M":"#);
            write_members(map, out);
        }
    }
    out.push(b'}');
}

fn write_list<T>(
    elements: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    write: impl Fn(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (index, element) in elements.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(element, out);
    }
    out.push(b']');
}

/// Appends a JSON string in quotes.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut plain = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        if !ESCAPED[usize::from(byte)] {
            continue;
        }
        out.extend_from_slice(&bytes[plain..index]);
        plain = index + 1;
        match byte {
            b'"' => out.extend_from_slice(br#"\""#),
            b'\\' => out.extend_from_slice(br"\\"),
            b'\n' => out.extend_from_slice(br"\n"),
            b'\r' => out.extend_from_slice(br"\r"),
            b'\t' => out.extend_from_slice(br"\t"),
            0x08 => out.extend_from_slice(br"\b"),
            0x0C => out.extend_from_slice(br"\f"),
            _ => {
                out.extend_from_slice(br"\u00");
                for nibble in [byte >> 4, byte & 0xF] {
                    out.push(HEX[usize::from(nibble)]);
                }
            }
        }
    }
    out.extend_from_slice(&bytes[plain..]);
    out.push(b'"');
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Bytes that a JSON string cannot hold as they are.
const ESCAPED: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let start = out.len();
    // Four characters for every three bytes begun.
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    let written = STANDARD.encode_slice(bytes, &mut out[start..]).unwrap_or(0);
    out.truncate(start + written);
    out.push(b'"');
}
