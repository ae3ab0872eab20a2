//! `model check`: each access pattern proved, each trap of the pattern named.

mod collide;
mod plan;
mod structure;

pub use plan::{Plan, Proof};

use crate::model::{Model, Problem, Source};

/// What the check found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckReport {
    /// What makes the model unusable.
    pub problems: Vec<Problem>,
    /// What will cost or surprise.
    pub warnings: Vec<Problem>,
    /// One proof per pattern, in the file's order.
    pub proofs: Vec<Proof>,
}

impl CheckReport {
    /// Whether the model can be used.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.problems.is_empty()
    }
}

impl Model {
    /// Checks the model. With the file that it came from, problems name their lines.
    #[must_use]
    pub fn check(&self, source: Option<&Source>) -> CheckReport {
        let mut findings = Findings {
            source,
            report: CheckReport::default(),
        };
        structure::check(self, &mut findings);
        collide::check(self, &mut findings);
        plan::check(self, &mut findings);
        findings.report
    }
}

/// Collects what is found, with its place in the file.
struct Findings<'s> {
    source: Option<&'s Source>,
    report: CheckReport,
}

impl Findings<'_> {
    fn finding(&self, path: &str, message: String, hint: Option<String>) -> Problem {
        Problem {
            place: crate::model::place(path),
            message,
            hint,
            spot: self.source.and_then(|s| s.spot(path)),
        }
    }
    fn problem(&mut self, path: &str, message: impl Into<String>, hint: impl Into<Option<String>>) {
        let finding = self.finding(path, message.into(), hint.into());
        self.report.problems.push(finding);
    }
    fn warning(&mut self, path: &str, message: impl Into<String>, hint: impl Into<Option<String>>) {
        let finding = self.finding(path, message.into(), hint.into());
        self.report.warnings.push(finding);
    }
}
