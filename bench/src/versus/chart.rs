//! The same figures as bars: a panel for each operation, each with a scale of its own.

use std::fmt::Write as _;

const COLUMNS: usize = 2;
const PANEL: usize = 380;
const GAP: usize = 40;
const MARGIN: usize = 16;
const LINE: usize = 22;
const HEAD: usize = 30;
const NAMES: usize = 92;
const FIGURES: usize = 64;
/// Both themes, as the reader's system has it.
const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#1f2328}.head{font-weight:600}.figure{font-variant-numeric:tabular-nums}\
rect{fill:#b7bdc5}.own{fill:#0f766e}.limit{fill:none;stroke:#6e7781;stroke-dasharray:3 2}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#59616b}.own{fill:#2dd4bf}.limit{fill:none;stroke:#8b949e}}";

/// What one panel shows.
#[derive(Debug)]
pub struct Panel {
    /// What is measured, and in what unit.
    pub title: String,
    /// Whose, and how much.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Debug)]
pub struct Bar {
    /// Of whom.
    pub name: &'static str,
    /// How long.
    pub value: f64,
    /// How it is drawn.
    pub kind: Kind,
}

/// How a bar is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What the chart is about.
    Own,
    /// What nobody can be better than.
    Limit,
    /// What is compared with.
    Peer,
}

/// An SVG of all panels.
#[must_use]
pub fn chart(panels: &[Panel]) -> String {
    let rows = panels.iter().map(|panel| panel.bars.len()).max();
    let high = HEAD + rows.unwrap_or(0) * LINE + MARGIN;
    let width = 2 * MARGIN + COLUMNS * PANEL + (COLUMNS - 1) * GAP;
    let height = MARGIN + panels.len().div_ceil(COLUMNS) * high;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\"><style>{STYLE}</style>\n"
    );
    for (at, panel) in panels.iter().enumerate() {
        let left = MARGIN + at % COLUMNS * (PANEL + GAP);
        let top = MARGIN + at / COLUMNS * high;
        draw(&mut out, panel, left, top);
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, panel: &Panel, left: usize, top: usize) {
    let longest = panel.bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let room = (PANEL - NAMES - FIGURES) as f64;
    let _ = writeln!(
        out,
        "<text class=\"head\" x=\"{left}\" y=\"{}\">{}</text>",
        top + 14,
        panel.title
    );
    for (at, bar) in panel.bars.iter().enumerate() {
        let y = top + HEAD + at * LINE;
        let wide = (bar.value / longest * room).max(1.0);
        let class = match bar.kind {
            Kind::Own => "own",
            Kind::Limit => "limit",
            Kind::Peer => "peer",
        };
        let digits = usize::from(bar.value < 100.0);
        let _ = writeln!(
            out,
            "<text x=\"{left}\" y=\"{base}\">{name}</text><rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{wide:.1}\" height=\"14\"/>\
<text class=\"figure\" x=\"{after:.1}\" y=\"{base}\">{value:.digits$}</text>",
            base = y + 12,
            name = bar.name,
            x = left + NAMES,
            after = (left + NAMES + 8) as f64 + wide,
            value = bar.value,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_takes_all_the_room_and_the_others_their_share() {
        let bar = |name, value, kind| Bar { name, value, kind };
        let panel = Panel {
            title: "GetItem, µs".to_owned(),
            bars: vec![
                bar("a", 50.0, Kind::Own),
                bar("b", 200.0, Kind::Peer),
                bar("c", 20.0, Kind::Limit),
            ],
        };
        let svg = chart(&[panel]);
        for width in [
            "own\" x=\"108\" y=\"46\" width=\"56.0",
            "peer\" x=\"108\" y=\"68\" width=\"224.0",
            "limit\" x=\"108\" y=\"90\" width=\"22.4",
        ] {
            assert!(svg.contains(width), "{width} in {svg}");
        }
        for figure in [">50.0<", ">200<", ">20.0<"] {
            assert!(svg.contains(figure), "{figure} in {svg}");
        }
    }
}
