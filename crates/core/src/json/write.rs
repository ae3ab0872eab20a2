//! Values as DynamoDB JSON.

use crate::ValueRef;
use crate::item::read::{self, tag};
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

/// Appends an object of an item's encoded members. Their texts are copied without another look at whether they are UTF-8:
/// an item's are.
pub(crate) fn write_encoded(mut members: &[u8], out: &mut Vec<u8>) {
    // What the values' types and the quotes add is a few bytes a member.
    out.reserve(members.len() + members.len() / 4 + 2);
    let mut open = b'{';
    while let Some(name) = read::bytes(&mut members) {
        out.push(open);
        open = b',';
        write_text(name, out);
        out.push(b':');
        if let Some((&tag::STRING, rest)) = members.split_first() {
            members = rest;
            out.extend_from_slice(br#"{"S":"#);
            write_text(read::bytes(&mut members).unwrap_or_default(), out);
            out.push(b'}');
        } else if let Some(value) = read::value(&mut members) {
            write_value(value, out);
        } else {
            break;
        }
    }
    if open == b'{' {
        out.push(b'{');
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
    write_text(text.as_bytes(), out);
}

/// The same for a text's bytes.
fn write_text(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    if is_plain(bytes) {
        out.extend_from_slice(bytes);
    } else {
        write_escaped(bytes, out);
    }
    out.push(b'"');
}

fn write_escaped(bytes: &[u8], out: &mut Vec<u8>) {
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
}

/// Whether a JSON string can hold the bytes as they are. Many are looked at in one go.
fn is_plain(bytes: &[u8]) -> bool {
    const PIECE: usize = 16;
    let (pieces, rest) = bytes.as_chunks::<PIECE>();
    if !pieces.iter().all(none_escaped) {
        return false;
    }
    match bytes.last_chunk::<PIECE>() {
        _ if rest.is_empty() => true,
        // What is left, with some that were looked at before.
        Some(last) => none_escaped(last),
        None => match (rest.first_chunk::<8>(), rest.last_chunk::<8>()) {
            (Some(first), Some(last)) => none_escaped(first) & none_escaped(last),
            _ => rest.iter().all(|byte| !ESCAPED[usize::from(*byte)]),
        },
    }
}

/// The same of a fixed number of bytes: no branch on any of them, so that the compiler can look at all at once.
fn none_escaped<const N: usize>(bytes: &[u8; N]) -> bool {
    let escaped =
        |byte: u8| u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\');
    bytes.iter().fold(0, |any, &byte| any | escaped(byte)) == 0
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_is_what_has_nothing_to_escape_wherever_it_stands() {
        for len in 0..50 {
            let plain = vec![0xC3; len];
            assert!(is_plain(&plain), "{len}");
            for at in 0..len {
                for byte in 0..=255 {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    assert_eq!(
                        is_plain(&bytes),
                        !ESCAPED[usize::from(byte)],
                        "{byte} at {at}"
                    );
                }
            }
        }
    }
}
