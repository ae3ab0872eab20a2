//! `model check`: each access pattern proved, each trap of the pattern named.

mod collide;
mod plan;
mod structure;
mod table;

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
    ///
    /// ```
    /// use bothways_graph::Model;
    ///
    /// let text = r#"
    /// name = "readers"
    /// [[index]]
    /// name = "GSI1"
    /// pk = "GSI1PK"
    /// sk = "GSI1SK"
    /// [[entity]]
    /// name = "reader"
    /// key = { pk = "READER#{id}", sk = "PROFILE" }
    /// [[entity]]
    /// name = "book"
    /// key = { pk = "BOOK#{id}", sk = "META" }
    /// [[relation]]
    /// name = "borrowed"
    /// from = "reader"
    /// to = "book"
    /// out = "has borrowed"
    /// in = "is borrowed by"
    /// key = { pk = "READER#{src}", sk = "BOOK#{dst}" }
    /// inverse = { pk = "BOOK#{dst}", sk = "{dst}" }
    /// "#;
    /// let loaded = Model::parse("readers.toml", text)?;
    /// let report = loaded.model.check(Some(&loaded.source));
    /// assert_eq!(
    ///     report.problems[0].render(),
    ///     r#"readers.toml:20: relation borrowed, inverse.sk: the source is missing, so a list by book cannot name its readers
    ///   20 | inverse = { pk = "BOOK#{dst}", sk = "{dst}" }
    ///      |                                     ^^^^^^^
    ///   hint: sk = "READER#{src}""#
    /// );
    /// # Ok::<(), bothways_graph::model::LoadError>(())
    /// ```
    #[must_use]
    pub fn check(&self, source: Option<&Source>) -> CheckReport {
        let mut findings = Findings {
            source,
            report: CheckReport::default(),
        };
        table::check(self, &mut findings);
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
