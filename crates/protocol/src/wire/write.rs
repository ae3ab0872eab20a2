//! JSON written straight into bytes.

use super::Wire;
use std::io::Write as _;

/// Appends a JSON string.
pub(crate) fn text(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut plain = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&bytes[plain..i]);
        plain = i + 1;
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => out.extend_from_slice(&[
                b'\\',
                b'u',
                b'0',
                b'0',
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 15)],
            ]),
        }
    }
    out.extend_from_slice(&bytes[plain..]);
    out.push(b'"');
}

/// Appends a value's own text.
pub(super) fn display(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing into a Vec cannot fail.
    let _ = write!(out, "{value}");
}

/// Appends a double as AWS does (`1.0`, never `1`); what JSON has no number for is `null`.
pub(super) fn float(value: f64, out: &mut Vec<u8>) {
    if !value.is_finite() {
        out.extend_from_slice(b"null");
        return;
    }
    let _ = write!(out, "{value:?}");
}

/// Appends a member if it is there. `name` is `"Name":`; `open` is `{` before the first one, `,` after.
pub(crate) fn member<T: Wire>(name: &str, value: Option<&T>, open: &mut u8, out: &mut Vec<u8>) {
    if let Some(value) = value {
        out.push(*open);
        *open = b',';
        out.extend_from_slice(name.as_bytes());
        value.write(out);
    }
}

/// Closes what [`member`] opened.
pub(crate) fn close(open: u8, out: &mut Vec<u8>) {
    if open == b'{' {
        out.push(b'{');
    }
    out.push(b'}');
}
