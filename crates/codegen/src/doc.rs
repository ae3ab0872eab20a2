//! Code as a document that finds its own line breaks: what fits on a line stays on it.

/// Columns before a group is broken.
const WIDTH: usize = 96;

/// A piece of code.
#[derive(Debug, Clone)]
pub(crate) enum Doc {
    /// Text without line breaks of its own choosing.
    Text(String),
    /// One after the other.
    Cat(Vec<Doc>),
    /// Something in brackets.
    Group(Group),
}

/// Items between brackets, on one line where they fit, else each on a line of its own.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) open: String,
    pub(crate) items: Vec<Doc>,
    pub(crate) separator: &'static str,
    pub(crate) close: String,
    /// A space inside the brackets while on one line: `{ a }`.
    pub(crate) padded: bool,
    /// A separator after the last item too, once broken.
    pub(crate) trailing: bool,
    /// Never on one line.
    pub(crate) broken: bool,
}

impl Doc {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn list(open: impl Into<String>, items: Vec<Doc>, close: impl Into<String>) -> Self {
        Self::Group(Group {
            open: open.into(),
            items,
            separator: ",",
            close: close.into(),
            padded: false,
            trailing: true,
            broken: false,
        })
    }

    /// Text before and after a document.
    pub(crate) fn around(before: impl Into<String>, inner: Doc, after: impl Into<String>) -> Self {
        Self::Cat(vec![Self::text(before), inner, Self::text(after)])
    }

    /// A group with a space inside its brackets while it is on one line.
    #[must_use]
    pub(crate) fn padded(mut self) -> Self {
        if let Self::Group(group) = &mut self {
            group.padded = true;
        }
        self
    }

    /// A group without a separator after its last item.
    #[must_use]
    pub(crate) fn no_trailing(mut self) -> Self {
        if let Self::Group(group) = &mut self {
            group.trailing = false;
        }
        self
    }

    /// The code, starting at this many columns, with this unit of indentation.
    pub(crate) fn print(&self, unit: &str, level: usize) -> String {
        let mut out = String::new();
        self.render(unit, level, &mut out);
        out
    }

    fn flat_width(&self) -> usize {
        match self {
            Self::Text(text) if text.contains('\n') => WIDTH + 1,
            Self::Text(text) => text.chars().count(),
            Self::Cat(docs) => docs.iter().map(Self::flat_width).sum(),
            Self::Group(group) if group.broken => WIDTH + 1,
            Self::Group(group) => {
                let between = (group.separator.len() + 1) * group.items.len().saturating_sub(1);
                let ends = group.open.chars().count() + group.close.chars().count();
                let inner: usize = group.items.iter().map(Self::flat_width).sum();
                ends + between + inner + if group.padded { 2 } else { 0 }
            }
        }
    }

    fn render(&self, unit: &str, level: usize, out: &mut String) {
        match self {
            Self::Text(text) => out.push_str(text),
            Self::Cat(docs) => docs.iter().for_each(|doc| doc.render(unit, level, out)),
            Self::Group(group) => {
                let line = out.rsplit('\n').next().unwrap_or_default();
                let column = line
                    .chars()
                    .map(|c| if c == '\t' { 4 } else { 1 })
                    .sum::<usize>();
                if column + self.flat_width() <= WIDTH || group.items.is_empty() {
                    group.render_flat(unit, level, out);
                } else {
                    group.render_broken(unit, level, out);
                }
            }
        }
    }
}

impl Group {
    fn render_flat(&self, unit: &str, level: usize, out: &mut String) {
        let pad = if self.padded && !self.items.is_empty() {
            " "
        } else {
            ""
        };
        out.push_str(&self.open);
        out.push_str(pad);
        for (at, item) in self.items.iter().enumerate() {
            if at > 0 {
                out.push_str(self.separator);
                if !self.separator.is_empty() {
                    out.push(' ');
                }
            }
            item.render(unit, level, out);
        }
        out.push_str(pad);
        out.push_str(&self.close);
    }

    fn render_broken(&self, unit: &str, level: usize, out: &mut String) {
        out.push_str(&self.open);
        for (at, item) in self.items.iter().enumerate() {
            out.push('\n');
            out.push_str(&unit.repeat(level + 1));
            item.render(unit, level + 1, out);
            if at + 1 < self.items.len() || self.trailing {
                out.push_str(self.separator);
            }
        }
        if !self.close.is_empty() {
            out.push('\n');
            out.push_str(&unit.repeat(level));
            out.push_str(&self.close);
        }
    }
}
