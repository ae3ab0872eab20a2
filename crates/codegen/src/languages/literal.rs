//! Literals of the languages that write a request as maps and lists.

use crate::doc::Doc;
use crate::tree::{Attribute, Tree};

/// How such a language writes.
pub(crate) struct Literals {
    /// Brackets of a map.
    pub(crate) map: (&'static str, &'static str),
    /// Whether a one-line map has spaces inside its brackets.
    pub(crate) padded: bool,
    /// Brackets of a list.
    pub(crate) list: (&'static str, &'static str),
    /// Between a key and its value.
    pub(crate) pair: &'static str,
    /// A member's name.
    pub(crate) member: fn(&str) -> String,
    /// A key of the user's own.
    pub(crate) key: fn(&str) -> String,
    /// Text.
    pub(crate) text: fn(&str) -> String,
    /// Bytes, from Base64.
    pub(crate) bytes: fn(&str) -> String,
    /// A type's letter: `S`.
    pub(crate) kind: fn(&str) -> String,
    /// True and false.
    pub(crate) bools: (&'static str, &'static str),
}

impl Literals {
    /// A part of a request.
    pub(crate) fn tree(&self, tree: &Tree) -> Doc {
        match tree {
            Tree::Shape(_, members) => self.map(
                members
                    .iter()
                    .map(|(name, tree)| ((self.member)(name), self.tree(tree))),
            ),
            Tree::Map(_, members) => self.map(
                members
                    .iter()
                    .map(|(name, tree)| ((self.key)(name), self.tree(tree))),
            ),
            Tree::List(_, all) => self.list(all.iter().map(|tree| self.tree(tree)).collect()),
            Tree::Value(value) => self.attribute(value),
            Tree::Text(text) | Tree::Word(_, text) => Doc::text((self.text)(text)),
            Tree::Int(number) => Doc::text(number.to_string()),
            Tree::Bool(given) => self.bool(*given),
        }
    }

    /// An attribute value in DynamoDB JSON.
    pub(crate) fn attribute(&self, value: &Attribute) -> Doc {
        let texts = |all: &[String], write: fn(&str) -> String| {
            self.list(all.iter().map(|text| Doc::text(write(text))).collect())
        };
        let (kind, inner) = match value {
            Attribute::S(text) => ("S", Doc::text((self.text)(text))),
            Attribute::N(text) => ("N", Doc::text((self.text)(text))),
            Attribute::B(text) => ("B", Doc::text((self.bytes)(text))),
            Attribute::Bool(given) => ("BOOL", self.bool(*given)),
            Attribute::Null => ("NULL", self.bool(true)),
            Attribute::Ss(all) => ("SS", texts(all, self.text)),
            Attribute::Ns(all) => ("NS", texts(all, self.text)),
            Attribute::Bs(all) => ("BS", texts(all, self.bytes)),
            Attribute::L(all) => (
                "L",
                self.list(all.iter().map(|value| self.attribute(value)).collect()),
            ),
            Attribute::M(all) => (
                "M",
                self.map(
                    all.iter()
                        .map(|(name, value)| ((self.key)(name), self.attribute(value))),
                ),
            ),
        };
        self.map([((self.kind)(kind), inner)].into_iter())
    }

    pub(crate) fn map(&self, pairs: impl Iterator<Item = (String, Doc)>) -> Doc {
        let pairs = pairs.map(|(key, value)| Doc::around(format!("{key}{}", self.pair), value, ""));
        let map = Doc::list(self.map.0, pairs.collect(), self.map.1);
        if self.padded { map.padded() } else { map }
    }

    pub(crate) fn list(&self, all: Vec<Doc>) -> Doc {
        Doc::list(self.list.0, all, self.list.1)
    }

    fn bool(&self, given: bool) -> Doc {
        Doc::text(if given { self.bools.0 } else { self.bools.1 })
    }
}
