//! Colour, or none.

use super::visible;

/// What a piece of text means; the colour follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tint {
    /// Titles and names.
    Strong,
    /// Receipts, labels, what may be skipped.
    Quiet,
    /// Changed as asked, or proved.
    Good,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
}

impl Tint {
    const fn code(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Quiet => "2",
            Self::Good => "32",
            Self::Warn => "33",
            Self::Bad => "1;31",
        }
    }
}

/// Paints, where colour is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint(pub(crate) bool);

impl Paint {
    /// The text in its colour, and no colour of its own.
    pub(crate) fn paint(self, tint: Tint, text: &str) -> String {
        let text = visible(text);
        if self.0 && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", tint.code())
        } else {
            text
        }
    }
}
