//! What came out: tables of each system, and the ratios between them.

use super::drive::Round;
use super::figures::{ByOp, Figures, median};
use super::mix::Op;
use std::fmt::Write as _;

/// Rounds of several systems over the same mix, in the order in which the systems take turns.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Name and rounds of each system.
    systems: Vec<(String, Vec<Round>)>,
}

/// A share of times that is compared.
const SHARES: [(&str, f64); 3] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)];

impl Report {
    /// Adds a round of a system.
    pub fn add(&mut self, system: &str, round: Round) {
        match self.systems.iter_mut().find(|(name, _)| name == system) {
            Some((_, rounds)) => rounds.push(round),
            None => self.systems.push((system.to_owned(), vec![round])),
        }
    }

    /// How many failed, all systems together.
    #[must_use]
    pub fn failed(&self) -> u64 {
        let rounds = self.systems.iter().flat_map(|(_, rounds)| rounds);
        let figures = rounds.flat_map(|round| round.by_op.values());
        figures.map(|f| f.failed).sum()
    }

    /// The whole of it, as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (name, rounds) in &self.systems {
            system(&mut out, name, rounds);
        }
        if let Some((reference, others)) = self.systems.split_last() {
            for other in others {
                ratios(&mut out, other, reference);
            }
        }
        out
    }

    /// One line: operations a second of each system, and how many times the last one's; processor time an operation.
    #[must_use]
    pub fn line(&self) -> String {
        let rates: Vec<f64> = self.systems.iter().map(|(_, r)| rate(r)).collect();
        let mut out = String::new();
        let last = rates.last().copied().unwrap_or(0.0);
        for (at, ((name, _), rate)) in self.systems.iter().zip(&rates).enumerate() {
            let micros = processor(&self.systems[at].1);
            let _ = write!(out, "  {name} {rate:>8.0}/s {micros:>6.1} µs");
            if at + 1 < rates.len() {
                let _ = write!(out, " ({:.2})", rate / last);
            }
        }
        out
    }
}

/// Operations a second: the median of rounds.
fn rate(rounds: &[Round]) -> f64 {
    let rate = |round: &Round| {
        let all: u64 = round.by_op.values().map(|f| f.times.count()).sum();
        all as f64 / round.took.as_secs_f64()
    };
    median(rounds.iter().map(rate).collect())
}

/// Processor time an operation, in microseconds: the median of rounds.
fn processor(rounds: &[Round]) -> f64 {
    let each = |round: &Round| {
        let all: u64 = round.by_op.values().map(|f| f.times.count()).sum();
        round.processor.as_secs_f64() * 1e6 / all.max(1) as f64
    };
    median(rounds.iter().map(each).collect())
}

fn system(out: &mut String, name: &str, rounds: &[Round]) {
    let mut by_op = ByOp::new();
    let mut seconds = 0.0;
    for round in rounds {
        seconds += round.took.as_secs_f64();
        for (op, figures) in &round.by_op {
            by_op.entry(*op).or_default().absorb(figures);
        }
    }
    let _ = writeln!(
        out,
        "\n{name}: {:.0} operations/s, {:.1} µs of processor each, median of {} rounds",
        rate(rounds),
        processor(rounds),
        rounds.len()
    );
    if let Some(failure) = rounds.iter().find_map(|r| r.failure.as_ref()) {
        let _ = writeln!(out, "  first failure: {failure}");
    }
    let _ = writeln!(
        out,
        "  {:<15}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>7}{:>7}{:>7}{:>9}{:>7}",
        "",
        "ops",
        "ops/s",
        "p50 ms",
        "p95 ms",
        "p99 ms",
        "max ms",
        "RCU",
        "WCU",
        "index",
        "retries",
        "failed"
    );
    for op in Op::ALL {
        let Some(figures) = by_op.get(&op) else {
            continue;
        };
        let Figures { times, failed, .. } = figures;
        let each = |halves: u64, per: f64| halves as f64 / per / times.count().max(1) as f64;
        let _ = writeln!(
            out,
            "  {:<15}{:>9}{:>9.0}{:>9.3}{:>9.3}{:>9.3}{:>9.1}{:>7.2}{:>7.2}{:>7.2}{:>9.4}{:>7}",
            op.name(),
            times.count(),
            times.count() as f64 / seconds,
            times.at(0.5),
            times.at(0.95),
            times.at(0.99),
            times.max(),
            each(figures.read, 2.0),
            each(figures.write, 2.0),
            each(figures.index_write, 2.0),
            each(figures.retries, 1.0),
            failed,
        );
    }
    if let Some(lists) = by_op.get(&Op::GetLinksList) {
        let names = ["0", "1", "2-10", "11-100", "101-1000", "more"];
        let _ = write!(out, "  links of a list:");
        for (name, count) in names.iter().zip(lists.sizes) {
            let share = count as f64 * 100.0 / lists.times.count().max(1) as f64;
            let _ = write!(out, "  {name}: {share:.2} %");
        }
        let _ = writeln!(out);
    }
}

/// How many times as fast one system is as another: medians of rounds, operation by operation.
fn ratios(out: &mut String, one: &(String, Vec<Round>), other: &(String, Vec<Round>)) {
    let (all, of) = (rate(&one.1), rate(&other.1));
    let _ = writeln!(
        out,
        "\n{} against {}: {:.2} times the operations/s; times as fast by operation:",
        one.0,
        other.0,
        all / of
    );
    for op in Op::ALL {
        let at = |rounds: &[Round], share: f64| {
            let of = |round: &Round| round.by_op.get(&op).map(|f| f.times.at(share));
            median(rounds.iter().filter_map(of).collect())
        };
        if at(&one.1, 0.5) <= 0.0 || at(&other.1, 0.5) <= 0.0 {
            continue;
        }
        let _ = write!(out, "  {:<15}", op.name());
        for (name, share) in SHARES {
            let _ = write!(
                out,
                "  {name} {:>6.2}",
                at(&other.1, share) / at(&one.1, share)
            );
        }
        let _ = writeln!(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn round(micros: u64, count: u64) -> Round {
        let mut figures = Figures::default();
        for _ in 0..count {
            figures.times.add(Duration::from_micros(micros));
        }
        Round {
            by_op: ByOp::from([(Op::GetNode, figures)]),
            took: Duration::from_secs(1),
            processor: Duration::ZERO,
            failure: None,
        }
    }

    #[test]
    fn ratios_are_those_of_the_medians() {
        let mut report = Report::default();
        for (fast, slow) in [(100, 400), (100, 400), (900, 400)] {
            report.add("ours", round(fast, 30));
            report.add("theirs", round(slow, 10));
        }
        let text = report.text();
        assert!(text.contains("ours against theirs: 3.00 times"), "{text}");
        let line = text.lines().last().unwrap();
        assert!(
            line.contains("GET_NODE") && line.contains("p50   4.0"),
            "{line}"
        );
        assert!(report.line().contains("(3.00)"), "{}", report.line());
        assert_eq!(report.failed(), 0);
    }
}
