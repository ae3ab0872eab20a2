//! Key templates: `TARGET#{dst}` to a key and back.
//!
//! A template is a row of segments parted by `#`. A segment is fixed text, or fixed text and then one slot.
//! Ids are escaped (`#` as `%23`, `%` as `%25`), so an id never holds a `#`, never ends a segment early and
//! never forges another key: filling is injective, and lists come in the order of the escaped bytes.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// Digits of a position (`u64::MAX` has 20), so that positions sort as text as they do as numbers.
const POSITION_DIGITS: usize = 20;

/// What a template leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// `{id}`: an entity's id.
    Id,
    /// `{src}`: the id of an edge's source.
    Source,
    /// `{dst}`: the id of an edge's target.
    Target,
    /// `{pos}`: a position in time order, 20 digits.
    Position,
    /// `{k}`: a shard's number.
    Shard,
}

impl Slot {
    const ALL: [Self; 5] = [
        Self::Id,
        Self::Source,
        Self::Target,
        Self::Position,
        Self::Shard,
    ];

    /// Its name between the braces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Source => "src",
            Self::Target => "dst",
            Self::Position => "pos",
            Self::Shard => "k",
        }
    }
}

/// What fills a template, or what was read back through it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filling<'a> {
    /// For `{id}`.
    pub id: Cow<'a, str>,
    /// For `{src}`.
    pub source: Cow<'a, str>,
    /// For `{dst}`.
    pub target: Cow<'a, str>,
    /// For `{pos}`.
    pub position: u64,
    /// For `{k}`.
    pub shard: u32,
}

impl<'a> Filling<'a> {
    /// An entity's id.
    #[must_use]
    pub fn entity(id: &'a str) -> Self {
        Self {
            id: Cow::Borrowed(id),
            ..Self::default()
        }
    }
    /// The two ends of an edge.
    #[must_use]
    pub fn edge(source: &'a str, target: &'a str) -> Self {
        Self {
            source: Cow::Borrowed(source),
            target: Cow::Borrowed(target),
            ..Self::default()
        }
    }
    /// The same at a position.
    #[must_use]
    pub fn at(mut self, position: u64) -> Self {
        self.position = position;
        self
    }
}

/// Why a text is not a template. Offsets are bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateError {
    /// What is wrong.
    pub message: String,
    /// Where it starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    text: String,
    slot: Option<Slot>,
}

impl Segment {
    /// Whether some text fits both segments.
    fn meets(&self, other: &Self) -> bool {
        match (self.slot, other.slot) {
            (None, None) => self.text == other.text,
            (Some(_), None) => {
                other.text.len() > self.text.len() && other.text.starts_with(&self.text)
            }
            (None, Some(_)) => other.meets(self),
            (Some(_), Some(_)) => {
                self.text.starts_with(&other.text) || other.text.starts_with(&self.text)
            }
        }
    }
    /// Whether some text that fits this segment begins with `start`.
    fn may_start_with(&self, start: &str) -> bool {
        self.text.starts_with(start) || (self.slot.is_some() && start.starts_with(&self.text))
    }
}

/// A key template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    text: String,
    segments: Vec<Segment>,
}

impl Template {
    /// Parses `TARGET#{dst}` and the like.
    ///
    /// # Errors
    /// An unknown slot, a brace that is not paired, text directly behind a slot, a `%` in fixed text, an empty template.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let fail = |message: String, start: usize, end: usize| {
            Err(TemplateError {
                message,
                start,
                end,
            })
        };
        if text.is_empty() {
            return fail("the key template is empty".into(), 0, 0);
        }
        let mut segments = Vec::new();
        let mut at = 0;
        for part in text.split('#') {
            let end = at + part.len();
            let (fixed, slot) = match part.find('{') {
                None => (part, None),
                Some(open) => {
                    let Some(close) = part[open..].find('}') else {
                        return fail("the brace is not closed".into(), at + open, end);
                    };
                    let name = &part[open + 1..open + close];
                    let Some(slot) = Slot::ALL.into_iter().find(|s| s.name() == name) else {
                        return fail(
                            format!(
                                "there is no slot {{{name}}}; there are {{id}}, {{src}}, {{dst}}, {{pos}} and {{k}}"
                            ),
                            at + open,
                            at + open + close + 1,
                        );
                    };
                    if open + close + 1 != part.len() {
                        return fail(
                            format!(
                                "only # may follow {{{name}}}: other text could be part of an id"
                            ),
                            at + open + close + 1,
                            end,
                        );
                    }
                    (&part[..open], Some(slot))
                }
            };
            if let Some(bad) = fixed.find(['}', '%']) {
                return fail(
                    "fixed text has no } and no %".into(),
                    at + bad,
                    at + bad + 1,
                );
            }
            segments.push(Segment {
                text: fixed.to_owned(),
                slot,
            });
            at = end + 1;
        }
        Ok(Self {
            text: text.to_owned(),
            segments,
        })
    }

    /// The template as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its slots in order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.segments.iter().filter_map(|s| s.slot)
    }

    /// Whether it has this slot.
    #[must_use]
    pub fn has(&self, slot: Slot) -> bool {
        self.slots().any(|s| s == slot)
    }

    /// The fixed text before the first slot: what a list of one relation begins with.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.text.find('{').map_or(&self.text, |i| &self.text[..i])
    }

    /// The key for these ids.
    #[must_use]
    pub fn fill(&self, filling: &Filling<'_>) -> String {
        let mut out = String::with_capacity(
            self.text.len() + filling.id.len() + filling.source.len() + filling.target.len(),
        );
        for (i, segment) in self.segments.iter().enumerate() {
            if i > 0 {
                out.push('#');
            }
            out.push_str(&segment.text);
            match segment.slot {
                None => {}
                Some(Slot::Id) => escape_into(&mut out, &filling.id),
                Some(Slot::Source) => escape_into(&mut out, &filling.source),
                Some(Slot::Target) => escape_into(&mut out, &filling.target),
                Some(Slot::Position) => {
                    let _ = write!(out, "{:0width$}", filling.position, width = POSITION_DIGITS);
                }
                Some(Slot::Shard) => {
                    let _ = write!(out, "{}", filling.shard);
                }
            }
        }
        out
    }

    /// The ids of a key that this template filled; `None` for any other text.
    #[must_use]
    pub fn read<'k>(&self, key: &'k str) -> Option<Filling<'k>> {
        let mut filling = Filling::default();
        let mut parts = key.split('#');
        for segment in &self.segments {
            let rest = parts.next()?.strip_prefix(segment.text.as_str())?;
            match segment.slot {
                None if rest.is_empty() => {}
                None => return None,
                Some(Slot::Id) => filling.id = unescape(rest)?,
                Some(Slot::Source) => filling.source = unescape(rest)?,
                Some(Slot::Target) => filling.target = unescape(rest)?,
                Some(Slot::Position) => filling.position = digits(rest, Some(POSITION_DIGITS))?,
                Some(Slot::Shard) => filling.shard = digits(rest, None)?.try_into().ok()?,
            }
        }
        parts.next().is_none().then_some(filling)
    }

    /// Whether some key could come from both templates.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.segments.len() == other.segments.len()
            && self
                .segments
                .iter()
                .zip(&other.segments)
                .all(|(a, b)| a.meets(b))
    }

    /// Whether some key of this template begins with `prefix`.
    #[must_use]
    pub fn may_start_with(&self, prefix: &str) -> bool {
        let mut parts = prefix.split('#').peekable();
        let mut segments = self.segments.iter();
        while let Some(part) = parts.next() {
            let Some(segment) = segments.next() else {
                return false;
            };
            if parts.peek().is_none() {
                return segment.may_start_with(part);
            }
            let whole = Segment {
                text: part.to_owned(),
                slot: None,
            };
            if !segment.meets(&whole) {
                return false;
            }
        }
        true
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Appends an id with `#` as `%23` and `%` as `%25`.
pub(crate) fn escape_into(out: &mut String, id: &str) {
    let mut rest = id;
    while let Some(at) = rest.find(['#', '%']) {
        out.push_str(&rest[..at]);
        out.push_str(if rest.as_bytes()[at] == b'#' {
            "%23"
        } else {
            "%25"
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// An id as it stands in keys: what lists are ordered by.
#[must_use]
pub fn escape(id: &str) -> Cow<'_, str> {
    if id.contains(['#', '%']) {
        let mut out = String::with_capacity(id.len() + 4);
        escape_into(&mut out, id);
        Cow::Owned(out)
    } else {
        Cow::Borrowed(id)
    }
}

/// The id of an escaped text. Only what [`escape`] writes is read: one id has one key.
fn unescape(text: &str) -> Option<Cow<'_, str>> {
    if text.is_empty() {
        return None;
    }
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("%23") {
            out.push('#');
            rest = after;
        } else {
            rest = rest.strip_prefix("%25")?;
            out.push('%');
        }
    }
    out.push_str(rest);
    Some(Cow::Owned(out))
}

/// A number in the one form that [`Template::fill`] writes.
fn digits(text: &str, width: Option<usize>) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    let canonical = match width {
        Some(width) => text.len() == width,
        None => text == "0" || !text.starts_with('0'),
    };
    if plain && canonical {
        text.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(text: &str) -> Template {
        Template::parse(text).unwrap()
    }

    #[test]
    fn a_filled_template_reads_back() {
        for (text, source, target, key) in [
            ("ACTOR#{src}", "alice", "", "ACTOR#alice"),
            ("ENROLL#CRS#{dst}", "", "math204", "ENROLL#CRS#math204"),
            ("{dst}", "", "a#b%23", "a%23b%2523"),
            ("user{src}#{dst}", "1", "10", "user1#10"),
        ] {
            let template = template(text);
            let filled = template.fill(&Filling::edge(source, target));
            assert_eq!(filled, key);
            assert_eq!(template.read(&filled), Some(Filling::edge(source, target)));
        }
        let timed = template("{pos}#ACTOR#{src}");
        let key = timed.fill(&Filling::edge("a", "").at(7));
        assert_eq!(key, "00000000000000000007#ACTOR#a");
        assert_eq!(timed.read(&key).unwrap().position, 7);
    }

    #[test]
    fn a_foreign_key_is_not_read() {
        let t = template("ACTOR#{src}");
        for key in [
            "ACTOR#",
            "ACTOR",
            "ACTORS#a",
            "ACTOR#a#b",
            "ACTOR#a%2",
            "ACTOR#a%zz",
            "",
        ] {
            assert_eq!(t.read(key), None, "{key}");
        }
        assert_eq!(template("A#{k}").read("A#01"), None);
    }

    #[test]
    fn faults_of_a_template_are_located() {
        for (text, start, end) in [
            ("", 0, 0),
            ("A#{who}", 2, 7),
            ("A#{src", 2, 6),
            ("{src}x#B", 5, 6),
            ("A%#{id}", 1, 2),
            ("A}", 1, 2),
        ] {
            let error = Template::parse(text).unwrap_err();
            assert_eq!((error.start, error.end), (start, end), "{text}: {error}");
        }
    }

    #[test]
    fn templates_that_can_write_the_same_key_meet() {
        for (a, b, meet) in [
            ("ACTOR#{id}", "ACTOR#{src}", true),
            ("ACTOR#{id}", "TARGET#{dst}", false),
            ("{id}", "PROFILE", true),
            ("{id}", "A#{id}", false),
            ("user{id}", "u{id}", true),
            ("user{id}", "user", false),
            ("CRS#{dst}", "CRS#{dst}#{k}", false),
        ] {
            assert_eq!(template(a).meets(&template(b)), meet, "{a} {b}");
            assert_eq!(template(b).meets(&template(a)), meet, "{b} {a}");
        }
    }

    #[test]
    fn prefixes_that_reach_into_another_template_are_seen() {
        for (text, prefix, reached) in [
            ("PROFILE", "", true),
            ("PROFILE", "TARGET#", false),
            ("TARGET#X#{dst}", "TARGET#", true),
            ("TARGETS#{dst}", "TARGET#", false),
            ("{dst}", "TARGET#", false),
            ("{dst}", "T", true),
            ("{dst}#{src}", "TARGET#", true),
        ] {
            assert_eq!(
                template(text).may_start_with(prefix),
                reached,
                "{text} {prefix}"
            );
        }
    }
}
