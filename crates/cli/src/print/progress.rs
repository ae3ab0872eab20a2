//! A progress bar on a terminal; nothing elsewhere.

use super::{Screen, thousands};
use std::io::Write;
use std::time::{Duration, Instant};

/// Cells of the bar.
const CELLS: u64 = 24;
/// Time between two redraws: smooth, and no load.
const REDRAW: Duration = Duration::from_millis(100);

/// How far a known amount of work has come.
#[derive(Debug)]
pub(crate) struct Progress {
    shown: bool,
    started: Instant,
    drawn: Option<Instant>,
}

impl Progress {
    /// Starts the clock.
    pub(crate) fn new(screen: &Screen) -> Self {
        Self {
            shown: screen.wants_progress(),
            started: Instant::now(),
            drawn: None,
        }
    }

    /// Draws `part` of `whole` (any unit) and how many rows that is, at most ten times a second.
    pub(crate) fn update(&mut self, part: u64, whole: Option<u64>, rows: u64) {
        if !self.shown || self.drawn.is_some_and(|at| at.elapsed() < REDRAW) {
            return;
        }
        self.drawn = Some(Instant::now());
        let text = line(part, whole, rows, self.started.elapsed());
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "\r\x1b[K{text}").and_then(|()| err.flush());
    }

    /// Removes the bar.
    pub(crate) fn finish(&mut self) {
        if self.drawn.take().is_some() {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Rows per second.
pub(crate) fn rate(rows: u64, elapsed: Duration) -> u64 {
    let millis = u64::try_from(elapsed.as_millis())
        .unwrap_or(u64::MAX)
        .max(1);
    rows.saturating_mul(1000) / millis
}

fn line(part: u64, whole: Option<u64>, rows: u64, elapsed: Duration) -> String {
    let speed = format!(
        "{} rows · {}/s",
        thousands(rows),
        thousands(rate(rows, elapsed))
    );
    let Some(whole) = whole.filter(|whole| *whole > 0) else {
        return format!("  {speed}");
    };
    let part = part.min(whole);
    let full = usize::try_from(part * CELLS / whole).unwrap_or(0);
    let empty = usize::try_from(CELLS).unwrap_or(0) - full;
    let percent = part * 100 / whole;
    let left = if part == 0 {
        String::new()
    } else {
        let millis = elapsed.as_millis() * u128::from(whole - part) / u128::from(part);
        let left = Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX));
        format!(" · {} left", span(left))
    };
    format!(
        "  {}{} {percent:>3} % · {speed}{left}",
        "█".repeat(full),
        "░".repeat(empty)
    )
}

/// `0.8 s`, `12 s`, `3 min 20 s`.
pub(crate) fn span(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 10..60 => format!("{seconds} s"),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_how_far_how_fast_and_how_long() {
        let second = Duration::from_secs(1);
        for (part, whole, rows, text) in [
            (
                0,
                Some(100),
                0,
                "  ░░░░░░░░░░░░░░░░░░░░░░░░   0 % · 0 rows · 0/s",
            ),
            (
                50,
                Some(100),
                20_000,
                "  ████████████░░░░░░░░░░░░  50 % · 20,000 rows · 20,000/s · 1.0 s left",
            ),
            (
                100,
                Some(100),
                40_000,
                "  ████████████████████████ 100 % · 40,000 rows · 40,000/s · 0.0 s left",
            ),
            (7, None, 7, "  7 rows · 7/s"),
        ] {
            assert_eq!(line(part, whole, rows, second), text);
        }
    }
}
