//! Sample data: the guides' rows, and apart from them a celebrity and a full course.

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::import::{ImportOptions, ImportReport, ImportSource, Unobserved};
use crate::receipt::{Done, Receipt};
use bothways_protocol as protocol;
use bothways_protocol::types::DeleteTableInput;
use bothways_protocol::{Context, DynamoDbExt, ErrorKind, Operation};
use std::fmt::Write as _;
use std::time::Duration;

/// Followers of the celebrity, students of the full course.
const CROWD: u32 = 2500;
/// How long a table may take to be deleted.
const PATIENCE: Duration = Duration::from_mins(2);
const PAUSE: Duration = Duration::from_millis(50);

/// What loading the sample did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sampled {
    /// Edges made.
    pub created: u64,
    /// Edges that were there.
    pub existing: u64,
}

/// What a shipped model's sample holds, in one line; `None` for a model without one.
#[must_use]
pub fn sample_summary(model: &str) -> Option<&'static str> {
    match model {
        "follow" => Some("alice, bob, carol and dave; star, whom 2,500 follow"),
        "school" => Some("a91 in math204; phys101, in which 2,500 are enrolled"),
        "social" => Some("ann, ben and cleo: follows, a like, a friendship"),
        _ => None,
    }
}

/// For each relation of a shipped model's sample the edge that shows it best: relation, source, target.
#[must_use]
pub fn sample_edges(model: &str) -> &'static [(&'static str, &'static str, &'static str)] {
    match model {
        "follow" => &[("follows", "alice", "bob")],
        "school" => &[("enrolled", "a91", "math204")],
        "social" => &[
            ("follows", "ann", "ben"),
            ("likes", "cleo", "post1"),
            ("friends", "ann", "ben"),
        ],
        _ => &[],
    }
}

/// A relation and its rows as CSV.
fn sample(model: &str) -> Vec<(&'static str, String)> {
    match model {
        "follow" => {
            let mut rows = "source,target,createdAt\n\
                alice,bob,1718900000\nalice,carol,1718900100\ndave,bob,1718900200\n"
                .to_owned();
            for i in 1..=CROWD {
                let _ = writeln!(rows, "fan{i:04},star,{}", 1_718_900_200 + i * 60);
            }
            vec![("follows", rows)]
        }
        "school" => {
            let mut rows = "student,course,enrolledOn,grade\na91,math204,2026-09-01,\n".to_owned();
            let grades = ["A", "B", "B", "C", "", "D"];
            for i in 1..=CROWD {
                let grade = grades[i as usize % grades.len()];
                let _ = writeln!(rows, "s{i:04},phys101,2026-09-{:02},{grade}", 1 + i % 28);
            }
            vec![("enrolled", rows)]
        }
        "social" => [
            (
                "follows",
                "source,target,createdAt\nann,ben,1718900000\ncleo,ben,1718900100\n",
            ),
            ("likes", "source,target,createdAt\ncleo,post1,1718900200\n"),
            ("friends", "source,target,createdAt\nben,ann,1718900300\n"),
        ]
        .map(|(relation, rows)| (relation, rows.to_owned()))
        .into(),
        _ => Vec::new(),
    }
}

impl Graph {
    /// Loads the shipped model's sample; again, it changes nothing. A model without a sample loads nothing.
    ///
    /// # Errors
    /// What the database refuses.
    pub async fn load_sample(&self, cx: &Context) -> Result<Done<Sampled>> {
        let mut sampled = Sampled::default();
        let mut receipts = Vec::new();
        for (relation, rows) in sample(&self.model.name) {
            let source = ImportSource {
                name: format!("the sample of {relation}"),
                bytes: Some(rows.len() as u64),
                reader: Box::new(rows.as_bytes()),
            };
            let options = ImportOptions::default();
            let report: ImportReport = self
                .import(cx, relation, source, &options, &mut Unobserved)
                .await?;
            sampled.created += report.created;
            sampled.existing += report.existing;
            receipts.extend(report.receipts);
        }
        Ok(Done::new(sampled, receipts))
    }

    /// Deletes the model's table with everything in it, makes it anew and loads the sample.
    ///
    /// # Errors
    /// What the database refuses; a table that is not gone within two minutes or the deadline.
    pub async fn reset(&self, cx: &Context) -> Result<Done<Sampled>> {
        let mut receipt = Receipt::new(Operation::DeleteTable, &self.model.table);
        let input = DeleteTableInput {
            table_name: Some(self.model.table.clone()),
        };
        receipt.requests = 1;
        match self.db.delete_table(cx, input).await {
            Ok(_) => self.until_gone(cx).await?,
            Err(error) if error.kind == ErrorKind::ResourceNotFound => {}
            Err(error) => return Err(error.into()),
        }
        let mut receipts = vec![receipt];
        let applied = self.apply(cx).await?;
        receipts.extend(applied.receipts);
        let loaded = self.load_sample(cx).await?;
        receipts.extend(loaded.receipts);
        Ok(Done::new(loaded.value, receipts))
    }

    async fn until_gone(&self, cx: &Context) -> Result<()> {
        let until = cx
            .deadline
            .unwrap_or_else(|| self.env.monotonic() + PATIENCE);
        let mut receipt = Receipt::new(Operation::DescribeTable, &self.model.table);
        while self.describe(cx, &mut receipt).await?.is_some() {
            if self.env.monotonic() + PAUSE > until {
                let message = format!("table {} is not deleted yet", self.model.table);
                let error = protocol::Error::new(ErrorKind::ResourceInUse, message);
                return Err(Error::from(error));
            }
            self.env.sleep(PAUSE).await;
        }
        Ok(())
    }
}
