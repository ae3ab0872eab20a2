//! Columns in line, measured as a terminal draws them.

use super::{Paint, Tint, visible};
use unicode_width::UnicodeWidthStr;

/// Spaces between two columns.
const GAP: usize = 3;
/// What an absent value shows.
const ABSENT: &str = "–";

/// Rows under titles.
#[derive(Debug, Default)]
pub(crate) struct Table {
    titles: Vec<String>,
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with no columns.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a column of text.
    #[must_use]
    pub(crate) fn column(mut self, title: impl Into<String>) -> Self {
        self.titles.push(visible(&title.into()));
        self.right.push(false);
        self
    }

    /// Adds a column of numbers, set to the right.
    #[must_use]
    pub(crate) fn numbers(mut self, title: impl Into<String>) -> Self {
        self.titles.push(visible(&title.into()));
        self.right.push(true);
        self
    }

    /// Adds a row; an absent cell shows a dash.
    pub(crate) fn row<I: IntoIterator<Item = Option<String>>>(&mut self, cells: I) {
        let cells = cells
            .into_iter()
            .map(|cell| cell.map_or_else(|| ABSENT.to_owned(), |text| visible(&text)));
        self.rows.push(cells.collect());
    }

    /// Names and values in two columns, the names dimmed.
    pub(crate) fn pairs(rows: &[(&str, String)], indent: usize, paint: Paint) -> Vec<String> {
        let width = rows.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
        rows.iter()
            .map(|(name, value)| {
                let pad = " ".repeat(width - name.width() + GAP);
                let name = paint.paint(Tint::Quiet, name);
                format!("{}{name}{pad}{}", " ".repeat(indent), visible(value))
            })
            .collect()
    }

    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The lines, each behind an indent; the last column is not padded.
    pub(crate) fn lines(&self, indent: usize, paint: Paint) -> Vec<String> {
        let widths: Vec<usize> = (0..self.titles.len())
            .map(|i| {
                let cells = self.rows.iter().filter_map(|row| row.get(i));
                cells
                    .chain([&self.titles[i]])
                    .map(|text| text.width())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let line = |cells: &[String], tint: Option<Tint>| {
            let mut out = " ".repeat(indent);
            for (i, cell) in cells.iter().enumerate() {
                let pad = " ".repeat(widths[i] - cell.width());
                let cell = tint.map_or_else(|| cell.clone(), |tint| paint.paint(tint, cell));
                if self.right[i] {
                    out.push_str(&pad);
                }
                out.push_str(&cell);
                if i + 1 < cells.len() {
                    if !self.right[i] {
                        out.push_str(&pad);
                    }
                    out.push_str(&" ".repeat(GAP));
                }
            }
            out.truncate(out.trim_end().len());
            out
        };
        let title = line(&self.titles, Some(Tint::Quiet));
        std::iter::once(title)
            .chain(self.rows.iter().map(|row| line(row, None)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_in_line_whatever_the_script() {
        let mut table = Table::new()
            .column("SOURCE")
            .numbers("CREDITS")
            .column("GRADE");
        table.row([Some("alice".into()), Some("60".into()), Some("A".into())]);
        table.row([Some("日本語".into()), Some("240".into()), None]);
        table.row([Some("a\x1b[31m\n".into()), None, Some(String::new())]);
        assert_eq!(
            table.lines(2, Paint(false)),
            [
                "  SOURCE          CREDITS   GRADE",
                "  alice                60   A",
                "  日本語              240   –",
                "  a\\u{1b}[31m\\n         –",
            ]
        );
    }
}
