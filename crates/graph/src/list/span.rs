//! Which part of a list: all of it, a range of ids, a range of times.

use crate::keys::{Filling, Slot, Template, escape};

/// A text that sorts behind everything that an id can begin with.
pub(crate) const HIGHEST: &str =
    "\u{10FFFF}\u{10FFFF}\u{10FFFF}\u{10FFFF}\u{10FFFF}\u{10FFFF}\u{10FFFF}\u{10FFFF}";
/// Sorts behind `#`, which ends a position in a key.
const BEHIND_SEPARATOR: char = '$';

/// Which part of a list. Bounds belong to the part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Span {
    /// All of it.
    #[default]
    All,
    /// Peers whose id begins with this text (lists by id).
    Prefix(String),
    /// Peers between two ids, by the bytes of the escaped ids (lists by id).
    Ids {
        /// The lowest.
        from: Option<String>,
        /// The highest.
        to: Option<String>,
    },
    /// Positions between two, in milliseconds since 1970 (lists by time).
    Time {
        /// The earliest.
        from: Option<u64>,
        /// The latest.
        to: Option<u64>,
    },
}

impl Span {
    /// Whether it needs a list by time; `None` where any list will do.
    pub(crate) fn by_time(&self) -> Option<bool> {
        match self {
            Self::All => None,
            Self::Prefix(_) | Self::Ids { .. } => Some(false),
            Self::Time { .. } => Some(true),
        }
    }

    /// What stands for it in a cursor's fingerprint.
    pub(super) fn words(&self) -> String {
        format!("{self:?}")
    }

    /// The bounds of the sort key in one partition. `peer` is the slot of the ids that are listed.
    pub(super) fn bounds(&self, sort: &Template, peer: Slot) -> Bounds {
        let prefix = sort.prefix();
        let id = |id: &String| match peer {
            Slot::Target => sort.fill(&Filling::edge("", id)),
            _ => sort.fill(&Filling::edge(id, "")),
        };
        let (lower, upper) = match self {
            Self::All => (None, None),
            Self::Prefix(start) => {
                let start = format!("{prefix}{}", escape(start));
                let end = format!("{start}{HIGHEST}");
                (Some(start), Some(end))
            }
            Self::Ids { from, to } => (from.as_ref().map(id), to.as_ref().map(id)),
            Self::Time { from, to } => (
                from.map(|at| format!("{prefix}{at:020}")),
                to.map(|at| format!("{prefix}{at:020}{BEHIND_SEPARATOR}")),
            ),
        };
        Bounds {
            prefix: prefix.to_owned(),
            lower,
            upper,
        }
    }
}

/// Bounds of a sort key, inclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bounds {
    prefix: String,
    lower: Option<String>,
    upper: Option<String>,
}

/// A condition on a sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Range {
    /// Begins with this (nothing: no condition).
    Prefix(String),
    /// From the first to the second.
    Between(String, String),
    /// From this on.
    From(String),
    /// Up to this.
    To(String),
    /// Nothing can be there.
    Nothing,
}

impl Bounds {
    /// The condition that reads what is left behind `last` in this direction. It includes `last` itself: DynamoDB has no
    /// condition that ends before a key within a prefix.
    pub(super) fn rest(&self, last: Option<&str>, descending: bool) -> Range {
        let later = |a: Option<String>, b: Option<&str>| match (a, b) {
            (Some(a), Some(b)) => Some(if a.as_str() > b { a } else { b.to_owned() }),
            (a, b) => a.or(b.map(str::to_owned)),
        };
        let earlier = |a: Option<String>, b: Option<&str>| match (a, b) {
            (Some(a), Some(b)) => Some(if a.as_str() < b { a } else { b.to_owned() }),
            (a, b) => a.or(b.map(str::to_owned)),
        };
        let (lower, upper) = if descending {
            (self.lower.clone(), earlier(self.upper.clone(), last))
        } else {
            (later(self.lower.clone(), last), self.upper.clone())
        };
        match (lower, upper) {
            (None, None) => Range::Prefix(self.prefix.clone()),
            (Some(lower), None) if self.prefix.is_empty() => Range::From(lower),
            (None, Some(upper)) if self.prefix.is_empty() => Range::To(upper),
            (lower, upper) => {
                let lower = lower.unwrap_or_else(|| self.prefix.clone());
                let upper = upper.unwrap_or_else(|| format!("{}{HIGHEST}", self.prefix));
                if lower > upper {
                    Range::Nothing
                } else {
                    Range::Between(lower, upper)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_become_conditions_on_the_sort_key() {
        let by_id = Template::parse("ACTOR#{src}").unwrap();
        let by_time = Template::parse("{pos}#ACTOR#{src}").unwrap();
        let ids = |from: &str, to: &str| Span::Ids {
            from: Some(from.into()),
            to: Some(to.into()),
        };
        let time = |from, to| Span::Time { from, to };
        let between = |a: &str, b: &str| Range::Between(a.into(), b.into());
        let all = Range::Prefix("ACTOR#".into());
        for (span, sort, last, descending, want) in [
            (Span::All, &by_id, None, false, all),
            (
                Span::All,
                &by_time,
                None,
                true,
                Range::Prefix(String::new()),
            ),
            (
                Span::All,
                &by_time,
                Some("5"),
                false,
                Range::From("5".into()),
            ),
            (Span::All, &by_time, Some("5"), true, Range::To("5".into())),
            (
                ids("a#", "c"),
                &by_id,
                None,
                false,
                between("ACTOR#a%23", "ACTOR#c"),
            ),
            (
                ids("a", "c"),
                &by_id,
                Some("ACTOR#b"),
                false,
                between("ACTOR#b", "ACTOR#c"),
            ),
            (
                ids("a", "c"),
                &by_id,
                Some("ACTOR#b"),
                true,
                between("ACTOR#a", "ACTOR#b"),
            ),
            (ids("c", "a"), &by_id, None, false, Range::Nothing),
            (
                time(Some(1), Some(2)),
                &by_time,
                None,
                false,
                between("00000000000000000001", "00000000000000000002$"),
            ),
        ] {
            let bounds = span.bounds(sort, Slot::Source);
            assert_eq!(bounds.rest(last, descending), want, "{span:?} {last:?}");
        }
    }
}
