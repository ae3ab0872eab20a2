//! Where in a model file something stands, and how a problem there is shown.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// A model file's text with the place of everything in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// File name, as given.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Byte ranges by path: `relation.enrolled.inverse.sk`.
    pub(crate) spans: BTreeMap<String, Range<usize>>,
}

impl Source {
    /// The place of a path, or of the nearest thing around it.
    #[must_use]
    pub fn spot(&self, path: &str) -> Option<Spot> {
        let mut path = path;
        loop {
            if let Some(span) = self.spans.get(path) {
                return Some(self.spot_at(span.clone()));
            }
            path = &path[..path.rfind('.')?];
        }
    }

    /// Every part of the file by its path, `relation.enrolled.inverse.sk`, with the byte range of its value.
    pub fn places(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        self.spans
            .iter()
            .map(|(path, span)| (path.as_str(), span.clone()))
    }

    pub(crate) fn spot_at(&self, span: Range<usize>) -> Spot {
        let start = span.start.min(self.text.len());
        let line_start = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = self.text[start..]
            .find('\n')
            .map_or(self.text.len(), |i| start + i);
        let end = span.end.clamp(start, line_end);
        Spot {
            file: self.file.clone(),
            line: self.text[..start].matches('\n').count() + 1,
            column: self.text[line_start..start].chars().count() + 1,
            width: self.text[start..end].chars().count().max(1),
            text: self.text[line_start..line_end].trim_end().to_owned(),
        }
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// File.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Characters to underline.
    pub width: usize,
    /// The line.
    pub text: String,
}

/// What is wrong with a model, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `relation enrolled, inverse.sk`; empty for the file as a whole.
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// Where in the file, when the model came from one.
    pub spot: Option<Spot>,
}

impl fmt::Display for Problem {
    /// `models/school.toml:31: relation enrolled, inverse.sk: the source is missing, …`: one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(spot) = &self.spot {
            write!(f, "{}:{}: ", spot.file, spot.line)?;
        }
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)
    }
}

impl Problem {
    /// The offending line with the place underlined, two lines without a final newline; `None` without a file.
    #[must_use]
    pub fn excerpt(&self) -> Option<String> {
        let spot = self.spot.as_ref()?;
        let number = spot.line.to_string();
        let indent: String = spot
            .text
            .chars()
            .take(spot.column - 1)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        Some(format!(
            "  {number} | {}\n  {} | {indent}{}",
            spot.text,
            " ".repeat(number.len()),
            "^".repeat(spot.width)
        ))
    }

    /// The whole message: the line, the excerpt, the hint.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = self.to_string();
        if let Some(excerpt) = self.excerpt() {
            out.push('\n');
            out.push_str(&excerpt);
        }
        if let Some(hint) = &self.hint {
            out.push_str("\n  hint: ");
            out.push_str(hint);
        }
        out
    }
}
