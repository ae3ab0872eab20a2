//! DynamoDB JSON for people to read.

use super::write::{write_string, write_value};
use crate::ValueRef;

/// Appends an object of attributes with one member a line, two spaces a level. Lists and maps are opened up,
/// everything else stays on its line. No line end after the last brace.
pub fn write_pretty<'v>(
    members: impl IntoIterator<Item = (&'v str, ValueRef<'v>)>,
    out: &mut Vec<u8>,
) {
    pretty_members(members, 0, out);
}

fn pretty_members<'v>(
    members: impl IntoIterator<Item = (&'v str, ValueRef<'v>)>,
    level: usize,
    out: &mut Vec<u8>,
) {
    out.push(b'{');
    let mut any = false;
    for (name, value) in members {
        new_line(&mut any, level + 1, out);
        write_string(name, out);
        out.extend_from_slice(b": ");
        pretty_value(value, level + 1, out);
    }
    end(any, level, b'}', out);
}

fn pretty_value(value: ValueRef<'_>, level: usize, out: &mut Vec<u8>) {
    match value {
        ValueRef::L(list) if !list.is_empty() => {
            out.extend_from_slice(br#"{"L": ["#);
            let mut any = false;
            for element in list {
                new_line(&mut any, level + 1, out);
                pretty_value(element, level + 1, out);
            }
            end(any, level, b']', out);
            out.push(b'}');
        }
        ValueRef::M(map) if !map.is_empty() => {
            out.extend_from_slice(br#"{"M": "#);
            pretty_members(map, level, out);
            out.push(b'}');
        }
        short => write_value(short, out),
    }
}

/// Starts a member's or element's line, after a comma where it is not the first.
fn new_line(any: &mut bool, level: usize, out: &mut Vec<u8>) {
    if std::mem::replace(any, true) {
        out.push(b',');
    }
    indent(level, out);
}

fn end(any: bool, level: usize, bracket: u8, out: &mut Vec<u8>) {
    if any {
        indent(level, out);
    }
    out.push(bracket);
}

fn indent(level: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.resize(out.len() + level * 2, b' ');
}
