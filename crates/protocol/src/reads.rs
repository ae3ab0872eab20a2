//! Which requests change nothing.

use crate::types::ParameterizedStatement;
use crate::{Operation, Request};

impl Operation {
    /// Whether it never changes anything, whatever its input. Statements may: [`Request::only_reads`] looks at them.
    #[must_use]
    pub const fn only_reads(self) -> bool {
        matches!(
            self,
            Self::GetItem
                | Self::BatchGetItem
                | Self::TransactGetItems
                | Self::Query
                | Self::Scan
                | Self::SearchVectors
                | Self::DescribeTable
                | Self::ListTables
                | Self::DescribeTimeToLive
                | Self::GetResourcePolicy
                | Self::DescribeLimits
                | Self::DescribeEndpoints
                | Self::DescribeContinuousBackups
                | Self::DescribeBackup
                | Self::ListBackups
                | Self::DescribeExport
                | Self::ListExports
                | Self::DescribeImport
                | Self::ListImports
                | Self::DescribeContributorInsights
                | Self::ListContributorInsights
                | Self::ListTagsOfResource
                | Self::ListStreams
                | Self::DescribeStream
                | Self::GetShardIterator
                | Self::GetRecords
        )
    }
}

impl Request {
    /// Whether it changes nothing. What has no types here counts as a change.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        match self {
            Self::ExecuteStatement(input) => is_select(input.statement.as_deref()),
            Self::BatchExecuteStatement(input) => input
                .statements
                .iter()
                .flatten()
                .all(|one| is_select(one.statement.as_deref())),
            Self::ExecuteTransaction(input) => input
                .transact_statements
                .iter()
                .flatten()
                .all(|one: &ParameterizedStatement| is_select(one.statement.as_deref())),
            other => other.operation().is_some_and(Operation::only_reads),
        }
    }
}

fn is_select(statement: Option<&str>) -> bool {
    let word = statement.unwrap_or_default().trim_start().get(..6);
    word.is_some_and(|word| word.eq_ignore_ascii_case("SELECT"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_known_and_everything_else_counts_as_a_change() {
        for (operation, body, reads) in [
            (Operation::Query, "{}", true),
            (Operation::PutItem, "{}", false),
            (Operation::CreateTable, "{}", false),
            (Operation::TransactWriteItems, "{}", false),
            (
                Operation::ExecuteStatement,
                r#"{"Statement":" select * FROM t"}"#,
                true,
            ),
            (
                Operation::ExecuteStatement,
                r#"{"Statement":"DELETE FROM t WHERE k='SELECT'"}"#,
                false,
            ),
            (Operation::ExecuteStatement, "{}", false),
            (
                Operation::ExecuteTransaction,
                r#"{"TransactStatements":[{"Statement":"SELECT * FROM t"},{"Statement":"INSERT INTO t VALUE {}"}]}"#,
                false,
            ),
        ] {
            let request = Request::decode(operation, body.as_bytes()).expect("it is well formed");
            assert_eq!(request.only_reads(), reads, "{operation:?} {body}");
        }
        let other = Request::Other {
            target: "DynamoDB_20120810.DescribeBackup".to_owned(),
            body: "{}".into(),
        };
        assert!(!other.only_reads());
    }
}
