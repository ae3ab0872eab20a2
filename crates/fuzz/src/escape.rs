//! Inputs as lines of a text file: printable ASCII as it is, a backslash doubled, every other byte as `\xNN`.

use std::fmt::Write;

/// An input as a line.
#[must_use]
pub fn escape(input: &[u8]) -> String {
    let mut line = String::with_capacity(input.len());
    for &byte in input {
        match byte {
            b'\\' => line.push_str("\\\\"),
            b' '..=b'~' => line.push(char::from(byte)),
            // Writing into a String cannot fail.
            _ => drop(write!(line, "\\x{byte:02x}")),
        }
    }
    line
}

/// The input of a line; what is no escape stands for itself.
#[must_use]
pub fn unescape(line: &str) -> Vec<u8> {
    let mut input = Vec::with_capacity(line.len());
    let mut rest = line.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail.strip_prefix(b"x").and_then(|t| t.get(..2));
        let hex = hex.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = hex.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (first, byte) {
            (b'\\', Some(byte)) => {
                input.push(byte);
                rest = &tail[3..];
            }
            (b'\\', None) if tail.first() == Some(&b'\\') => {
                input.push(b'\\');
                rest = &tail[1..];
            }
            _ => {
                input.push(first);
                rest = tail;
            }
        }
    }
    input
}
