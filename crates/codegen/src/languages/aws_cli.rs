//! The AWS command line.

use super::kebab;
use crate::Draft;
use serde_json::Value as Json;

pub(super) fn program(draft: &Draft) -> String {
    command(&kebab(draft.operation().name()), &draft.json())
}

pub(super) fn command(name: &str, members: &Json) -> String {
    let mut out = format!("aws dynamodb {name}");
    for (member, value) in members.as_object().into_iter().flatten() {
        let option = kebab(member);
        out.push_str(" \\\n  ");
        match value {
            Json::Bool(true) => out.push_str(&format!("--{option}")),
            Json::Bool(false) => out.push_str(&format!("--no-{option}")),
            Json::String(text) => out.push_str(&format!("--{option} {}", shell(text))),
            Json::Number(number) => out.push_str(&format!("--{option} {number}")),
            json => out.push_str(&format!("--{option} {}", shell(&json.to_string()))),
        }
    }
    out.push('\n');
    out
}

/// One word of a POSIX shell.
pub(super) fn shell(text: &str) -> String {
    let plain = !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c));
    if plain && !text.starts_with('-') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
