//! Where in a body we are, kept on the stack: a link a level, written out only when something is wrong.

use std::cell::RefCell;
use std::fmt;

/// Most faults that are reported at once. Source: dynalite's observation of AWS (it stops after ten).
pub(crate) const MOST_FAULTS: usize = 10;

/// One step down.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Seg<'p> {
    /// The body itself.
    Root,
    /// A member of a shape, as on the wire.
    Member(&'static str),
    /// An element of a list, from 0.
    Index(usize),
    /// An entry of a map.
    Key(&'p str),
}

/// A place in a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'p> {
    parent: Option<&'p At<'p>>,
    seg: Seg<'p>,
    unknown: &'p Unknown,
}

impl<'p> At<'p> {
    pub(crate) fn root(unknown: &'p Unknown) -> Self {
        Self {
            parent: None,
            seg: Seg::Root,
            unknown,
        }
    }
    /// One step down from here.
    pub(crate) fn down<'q>(&'q self, seg: Seg<'q>) -> At<'q> {
        At {
            parent: Some(self),
            seg,
            unknown: self.unknown,
        }
    }
    /// Whether this is an element of a list or map, not a member of a shape.
    pub(crate) fn is_element(&self) -> bool {
        matches!(self.seg, Seg::Index(_) | Seg::Key(_))
    }
    /// Notes a word that is not in its set.
    pub(crate) fn unknown_word(&self, word: &str) {
        let mut words = self.unknown.0.borrow_mut();
        if words.len() < MOST_FAULTS {
            words.push(UnknownWord {
                at: self.to_string(),
                word: word.to_owned(),
            });
        }
    }
    /// The unknown word that stood here, if one did.
    pub(crate) fn word_here(&self) -> Option<String> {
        let words = self.unknown.0.borrow();
        if words.is_empty() {
            return None;
        }
        let here = self.to_string();
        words.iter().find(|w| w.at == here).map(|w| w.word.clone())
    }
    /// The place written with the members' own capitals, as AWS's newer messages have it.
    pub(crate) fn capitals(&self) -> String {
        let mut out = String::new();
        self.push(&mut out, false);
        out
    }

    fn push(&self, out: &mut String, lower: bool) {
        if let Some(parent) = self.parent {
            parent.push(out, lower);
        }
        if !out.is_empty() && !matches!(self.seg, Seg::Root) {
            out.push('.');
        }
        match self.seg {
            Seg::Root => {}
            Seg::Member(name) if lower => {
                let mut chars = name.chars();
                out.extend(chars.next().map(|c| c.to_ascii_lowercase()));
                out.push_str(chars.as_str());
            }
            Seg::Member(name) => out.push_str(name),
            Seg::Index(i) => {
                out.push_str(&(i + 1).to_string());
                out.push_str(".member");
            }
            Seg::Key(key) => {
                out.push_str(key);
                out.push_str(".member");
            }
        }
    }
}

/// AWS's way to name a place: `transactItems.1.member.put.tableName`.
impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.push(&mut out, true);
        f.write_str(&out)
    }
}

/// A word outside its closed set, and where it stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownWord {
    pub(crate) at: String,
    pub(crate) word: String,
}

/// The unknown words of one body.
#[derive(Debug, Default)]
pub(crate) struct Unknown(RefCell<Vec<UnknownWord>>);

impl Unknown {
    pub(crate) fn of(words: Vec<UnknownWord>) -> Self {
        Self(RefCell::new(words))
    }
    pub(crate) fn take(self) -> Vec<UnknownWord> {
        self.0.into_inner()
    }
}
