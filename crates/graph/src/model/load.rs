//! A model file to a model: syntax, names and types. What the model means is the check's business.

use super::Model;
use super::locate::{Problem, Source};
use crate::keys::Template;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A model with the file that it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// Its file.
    pub source: Source,
}

/// A model file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", problem.render())]
pub struct LoadError {
    /// What is wrong, and where.
    pub problem: Box<Problem>,
}

pub(super) type Result<T> = std::result::Result<T, LoadError>;

impl Model {
    /// Reads a model file. `file` is its name, for messages.
    ///
    /// # Errors
    /// Text that is not TOML, unknown or missing names, wrong types, key templates that cannot be read: each with its
    /// place in the file and a hint.
    pub fn parse(file: &str, text: &str) -> Result<Loaded> {
        let mut reader = Reader {
            source: Source {
                file: file.to_owned(),
                text: text.to_owned(),
                spans: std::collections::BTreeMap::new(),
            },
        };
        let parsed = DeTable::parse(text).map_err(|error| LoadError {
            problem: Box::new(Problem {
                place: String::new(),
                message: error.message().to_owned(),
                hint: None,
                spot: error.span().map(|span| reader.source.spot_at(span)),
            }),
        })?;
        let root = Node {
            path: String::new(),
            table: parsed.get_ref(),
            span: 0..0,
        };
        let model = reader.model(&root)?;
        Ok(Loaded {
            model,
            source: reader.source,
        })
    }
}

/// One table of the file, with its path.
pub(super) struct Node<'t> {
    pub(super) path: String,
    pub(super) table: &'t DeTable<'t>,
    pub(super) span: Range<usize>,
}

impl<'t> Node<'t> {
    pub(super) fn path(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }
    pub(super) fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table.get(key)
    }
}

/// `relation.enrolled.inverse.sk` → `relation enrolled, inverse.sk`.
pub(crate) fn place(path: &str) -> String {
    match path.split_once('.') {
        Some((kind @ ("index" | "entity" | "relation" | "pattern"), rest)) => {
            match rest.split_once('.') {
                Some((name, inner)) => format!("{kind} {name}, {inner}"),
                None => format!("{kind} {rest}"),
            }
        }
        _ => path.to_owned(),
    }
}

pub(super) struct Reader {
    pub(super) source: Source,
}

impl Reader {
    pub(super) fn fail<T>(
        &self,
        path: &str,
        span: Range<usize>,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> Result<T> {
        Err(LoadError {
            problem: Box::new(Problem {
                place: place(path),
                message: message.into(),
                hint,
                spot: Some(self.source.spot_at(span)),
            }),
        })
    }

    /// Refuses keys that are not in `known`, and remembers the place of those that are.
    pub(super) fn only(&mut self, node: &Node<'_>, known: &[&str]) -> Result<()> {
        for (key, value) in node.table {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                let near = known.iter().filter(|k| nearly(k, name)).copied().next();
                let hint = near.map_or_else(
                    || format!("there are {}", known.join(", ")),
                    |near| format!("did you mean {near}?"),
                );
                let message = format!("there is no {name:?} here");
                return self.fail(&node.path, key.span(), message, Some(hint));
            }
            self.source.spans.insert(node.path(name), value.span());
        }
        if !node.path.is_empty() {
            self.source
                .spans
                .entry(node.path.clone())
                .or_insert(node.span.clone());
        }
        Ok(())
    }

    pub(super) fn wrong<T>(
        &self,
        node: &Node<'_>,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        want: &str,
    ) -> Result<T> {
        let message = format!("{want} belongs here, not {}", value.get_ref().type_str());
        self.fail(&node.path(key), value.span(), message, None)
    }

    pub(super) fn missing<T>(&self, node: &Node<'_>, key: &str, example: &str) -> Result<T> {
        let message = format!("{key} is missing");
        self.fail(
            &node.path,
            node.span.clone(),
            message,
            Some(example.to_owned()),
        )
    }

    pub(super) fn opt_text(&self, node: &Node<'_>, key: &str) -> Result<Option<String>> {
        match node.get(key) {
            None => Ok(None),
            Some(value) => match value.get_ref().as_str() {
                Some(text) if !text.is_empty() => Ok(Some(text.to_owned())),
                Some(_) => self.fail(&node.path(key), value.span(), "it is empty", None),
                None => self.wrong(node, key, value, "a text"),
            },
        }
    }

    pub(super) fn text(&self, node: &Node<'_>, key: &str, example: &str) -> Result<String> {
        match self.opt_text(node, key)? {
            Some(text) => Ok(text),
            None => self.missing(node, key, example),
        }
    }

    pub(super) fn flag(&self, node: &Node<'_>, key: &str) -> Result<Option<bool>> {
        match node.get(key) {
            None => Ok(None),
            Some(value) => match value.get_ref().as_bool() {
                Some(flag) => Ok(Some(flag)),
                None => self.wrong(node, key, value, "true or false"),
            },
        }
    }

    pub(super) fn number(&self, node: &Node<'_>, key: &str) -> Result<Option<u64>> {
        let Some(value) = node.get(key) else {
            return Ok(None);
        };
        let number = value.get_ref().as_integer();
        match number.and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok()) {
            Some(number) => Ok(Some(number)),
            None => self.wrong(node, key, value, "a whole number, not negative,"),
        }
    }

    pub(super) fn small(&self, node: &Node<'_>, key: &str) -> Result<Option<u32>> {
        let Some(number) = self.number(node, key)? else {
            return Ok(None);
        };
        if let Ok(number) = u32::try_from(number) {
            return Ok(Some(number));
        }
        let span = node.get(key).map_or(node.span.clone(), Spanned::span);
        self.fail(&node.path(key), span, "it is too large", None)
    }

    pub(super) fn word<T: Copy>(
        &self,
        node: &Node<'_>,
        key: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>> {
        let Some(text) = self.opt_text(node, key)? else {
            return Ok(None);
        };
        if let Some((_, word)) = words.iter().find(|(w, _)| *w == text) {
            return Ok(Some(*word));
        }
        let all: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
        let span = node.get(key).map_or(node.span.clone(), Spanned::span);
        let message = format!("{text:?} is not one of {}", all.join(", "));
        self.fail(&node.path(key), span, message, None)
    }

    pub(super) fn child<'t>(&self, node: &Node<'t>, key: &str) -> Result<Option<Node<'t>>> {
        let Some(value) = node.get(key) else {
            return Ok(None);
        };
        match value.get_ref().as_table() {
            Some(table) => Ok(Some(Node {
                path: node.path(key),
                table,
                span: value.span(),
            })),
            None => self.wrong(node, key, value, "a table { … }"),
        }
    }

    /// The tables of an array, each under the path of its name.
    pub(super) fn children<'t>(&mut self, node: &Node<'t>, key: &str) -> Result<Vec<Node<'t>>> {
        let Some(value) = node.get(key) else {
            return Ok(Vec::new());
        };
        let Some(array) = value.get_ref().as_array() else {
            return self.wrong(node, key, value, "a list of tables");
        };
        let mut nodes: Vec<Node<'t>> = Vec::with_capacity(array.len());
        for entry in array {
            let Some(table) = entry.get_ref().as_table() else {
                return self.wrong(node, key, entry, "a table { … }");
            };
            let mut child = Node {
                path: node.path(key),
                table,
                span: entry.span(),
            };
            let name = self.text(&child, "name", "name = \"…\"")?;
            let span = child.get("name").map_or(child.span.clone(), Spanned::span);
            if name.contains('.') {
                return self.fail(&child.path, span, "a name has no dot", None);
            }
            child.path = node.path(&format!("{key}.{name}"));
            if nodes.iter().any(|other| other.path == child.path) {
                let message = format!("there are two of the name {name:?}");
                return self.fail(&child.path, span, message, None);
            }
            self.source.spans.insert(child.path.clone(), span);
            nodes.push(child);
        }
        Ok(nodes)
    }

    pub(super) fn template(&self, node: &Node<'_>, key: &str, example: &str) -> Result<Template> {
        let text = self.text(node, key, example)?;
        Template::parse(&text).or_else(|error| {
            let span = node.get(key).map_or(node.span.clone(), Spanned::span);
            // The text begins behind its quote; an escape in it would shift the rest, and keys have none.
            let inner = span.start + 1 + error.start..span.start + 1 + error.end;
            let span = if inner.is_empty() || inner.end > span.end {
                span
            } else {
                inner
            };
            self.fail(&node.path(key), span, error.message, None)
        })
    }
}

/// Whether a key was probably meant: one edit away, the same letters, or one inside the other.
fn nearly(known: &str, given: &str) -> bool {
    let given = given.to_ascii_lowercase();
    let (short, long) = if known.len() < given.len() {
        (known, given.as_str())
    } else {
        (given.as_str(), known)
    };
    if long.contains(short) && short.len() > 2 {
        return true;
    }
    let letters = |text: &str| {
        let mut letters: Vec<u8> = text.bytes().collect();
        letters.sort_unstable();
        letters
    };
    if letters(short) == letters(long) {
        return true;
    }
    let same_start = long
        .bytes()
        .zip(short.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let same_end = long
        .bytes()
        .rev()
        .zip(short.bytes().rev())
        .take_while(|(a, b)| a == b)
        .count();
    long.len() - short.len() <= 1 && same_start + same_end + 1 >= long.len()
}
