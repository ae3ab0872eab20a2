//! The form of a key: what is the same in every key of its kind, and where the ids are.

use crate::keys::Template;
use std::collections::{BTreeMap, BTreeSet};

/// Distinct words at one place of a key up to which they are taken for labels, not ids.
const LABELS: usize = 8;
/// Digits of a position in time order.
const POSITION_DIGITS: usize = 20;
/// Digits of a shard's number, at most.
const SHARD_DIGITS: usize = 3;

/// A segment of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Fixed(String),
    Id,
    Position,
    Shard,
}

/// A key's form. Two keys of one form came from one template.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape(Vec<Part>);

/// The words seen at each place of one key attribute: by them labels are told from ids.
#[derive(Debug, Default)]
pub(super) struct Words(BTreeMap<(usize, usize), BTreeSet<String>>);

impl Words {
    pub(super) fn note(&mut self, key: &str) {
        let tokens: Vec<&str> = key.split('#').collect();
        for (place, token) in tokens.iter().enumerate() {
            let seen = self.0.entry((tokens.len(), place)).or_default();
            if seen.len() <= LABELS {
                seen.insert((*token).to_owned());
            }
        }
    }

    fn few(&self, tokens: usize, place: usize) -> bool {
        let seen = self.0.get(&(tokens, place));
        seen.is_some_and(|seen| seen.len() <= LABELS)
    }
}

fn is_word(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_')
}

impl Shape {
    pub(super) fn of(key: &str, words: &Words) -> Self {
        let tokens: Vec<&str> = key.split('#').collect();
        let last = tokens.len() - 1;
        let mut parts: Vec<Part> = Vec::with_capacity(tokens.len());
        for (place, token) in tokens.iter().enumerate() {
            let digits = token.bytes().all(|b| b.is_ascii_digit());
            let upper = is_word(token) && !token.bytes().any(|b| b.is_ascii_lowercase());
            let after_id = parts.contains(&Part::Id);
            parts.push(if token.len() == POSITION_DIGITS && digits {
                Part::Position
            } else if place > 0
                && place == last
                && digits
                && token.len() <= SHARD_DIGITS
                && after_id
            {
                Part::Shard
            } else if place == last {
                // A whole key, or the end of one, is a label only in capitals: PROFILE, META.
                if upper && (last == 0 || after_id) {
                    Part::Fixed((*token).to_owned())
                } else {
                    Part::Id
                }
            } else if is_word(token) && words.few(tokens.len(), place) {
                Part::Fixed((*token).to_owned())
            } else {
                Part::Id
            });
        }
        Self(parts)
    }

    /// How many ids it holds.
    pub(super) fn ids(&self) -> usize {
        self.0.iter().filter(|part| **part == Part::Id).count()
    }

    pub(super) fn is_sharded(&self) -> bool {
        self.0.contains(&Part::Shard)
    }

    /// The same without a shard's number.
    pub(super) fn plain(&self) -> Self {
        let parts = self.0.iter().filter(|part| **part != Part::Shard);
        Self(parts.cloned().collect())
    }

    /// The label nearest to the id, in small letters: `ENROLL#CRS#{dst}` is about `crs`.
    pub(super) fn nearest_label(&self) -> Option<String> {
        let at = self.0.iter().position(|part| *part == Part::Id)?;
        self.0[..at].iter().rev().find_map(label)
    }

    /// The first label: `ENROLL#CRS#{dst}` is an `enroll`.
    pub(super) fn first_label(&self) -> Option<String> {
        self.0.iter().find_map(label)
    }

    /// The template, its id in this slot. `None` where the fixed text cannot stand in one.
    pub(super) fn template(&self, slot: &str) -> Option<Template> {
        let segments: Vec<String> = self
            .0
            .iter()
            .map(|part| match part {
                Part::Fixed(text) => text.clone(),
                Part::Id => format!("{{{slot}}}"),
                Part::Position => "{pos}".to_owned(),
                Part::Shard => "{k}".to_owned(),
            })
            .collect();
        Template::parse(&segments.join("#")).ok()
    }
}

fn label(part: &Part) -> Option<String> {
    match part {
        Part::Fixed(text) => Some(text.to_ascii_lowercase()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_from_ids_by_how_many_there_are() {
        let mut words = Words::default();
        let mut keys: Vec<String> = (0..20).map(|n| format!("USER#u{n}")).collect();
        keys.extend((0..20_u8).map(|n| format!("{}#x", char::from(b'a' + n))));
        for key in keys.iter().map(String::as_str).chain(["PROFILE", "alice"]) {
            words.note(key);
        }
        // Twenty-one different first words: none of them is a label of two-part keys any more.
        assert_eq!(Shape::of("USER#u1", &words).ids(), 2);
        let mut words = Words::default();
        words.note("USER#u1");
        words.note("FOLLOWS#USER#u1");
        for (key, template) in [
            ("USER#u1", "USER#{id}"),
            ("FOLLOWS#USER#bob", "FOLLOWS#USER#{id}"),
            ("PROFILE", "PROFILE"),
            ("alice", "{id}"),
        ] {
            let found = Shape::of(key, &words).template("id");
            let found = found.map(|t| t.to_string());
            assert_eq!(found.as_deref(), Some(template), "{key}");
        }
    }

    #[test]
    fn positions_and_shards_are_no_ids() {
        let mut words = Words::default();
        words.note("00000000000000000007#USER#a");
        let timed = Shape::of("00000000000000000007#USER#a", &words);
        assert_eq!(timed.template("src").unwrap().as_str(), "{pos}#USER#{src}");
        // A word in the middle is a label while few are seen there; what has a digit is an id at once.
        words.note("POST#p#12");
        words.note("POST#p1#12");
        assert!(!Shape::of("POST#p#12", &words).is_sharded());
        let sharded = Shape::of("POST#p1#12", &words);
        assert!(sharded.is_sharded());
        assert_eq!(sharded.template("dst").unwrap().as_str(), "POST#{dst}#{k}");
        assert_eq!(
            sharded.plain().template("dst").unwrap().as_str(),
            "POST#{dst}"
        );
    }
}
