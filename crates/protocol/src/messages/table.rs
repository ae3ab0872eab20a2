//! `aws.txt`, parsed once.

use super::Message;
use std::collections::HashMap;
use std::sync::LazyLock;

const SOURCE: &str = include_str!("aws.txt");
/// What starts the line of a closed set of words.
pub(super) const WORDS: &str = "words.";
/// The same, where AWS says it without value and place.
pub(super) const BARE: &str = "bare.";

/// A text between fields, or a field's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Text(&'static str),
    Field(&'static str),
}

struct Table {
    /// By the variant's position.
    templates: Vec<Vec<Piece>>,
    sets: HashMap<&'static str, &'static str>,
    bare: HashMap<&'static str, &'static str>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let lines: HashMap<&str, &str> = lines().collect();
    let template = |name: &str| lines.get(name).map_or_else(Vec::new, |text| pieces(text));
    let named = |kind: &str| {
        let sets = lines
            .iter()
            .filter_map(|(name, set)| Some((name.strip_prefix(kind)?, *set)));
        sets.collect()
    };
    Table {
        templates: Message::ALL
            .iter()
            .map(|(name, _)| template(name))
            .collect(),
        sets: named(WORDS),
        bare: named(BARE),
    }
});

/// Every line's name and text.
pub(super) fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    SOURCE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(": "))
}

/// Splits a text at its fields. `{{` and `}}` are braces.
pub(super) fn pieces(text: &'static str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        if brace.starts_with("{{") || brace.starts_with("}}") {
            out.push(Piece::Text(&rest[..=at]));
            rest = &brace[2..];
            continue;
        }
        out.push(Piece::Text(before));
        let Some((field, after)) = brace[1..].split_once('}') else {
            rest = "";
            break;
        };
        out.push(Piece::Field(field));
        rest = after;
    }
    out.push(Piece::Text(rest));
    out
}

pub(super) fn template(index: usize) -> &'static [Piece] {
    TABLE.templates.get(index).map_or(&[], Vec::as_slice)
}

/// A closed set of words; `bare` where it is said without value and place.
pub(super) fn words(set: &str, bare: bool) -> &'static str {
    let bare = if bare { TABLE.bare.get(set) } else { None };
    bare.or_else(|| TABLE.sets.get(set))
        .copied()
        .unwrap_or("[]")
}
