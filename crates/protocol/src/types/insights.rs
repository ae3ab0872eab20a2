//! Contributor Insights.

use super::words::{ContributorInsightsAction, ContributorInsightsMode, ContributorInsightsStatus};
use crate::constraint::Pattern::Name;
use crate::constraint::Rule::{MaxLength, MaxValue, MinLength, Pattern};
use crate::constraint::{CONTROL_TABLE, REQUIRED, Rule};

/// An index that may be named.
const SOME_INDEX: &[Rule] = &[Pattern(Name), MinLength(3), MaxLength(255)];

shapes! {
    /// UpdateContributorInsights.
    UpdateContributorInsightsInput {
        table_name: String = "TableName" => CONTROL_TABLE,
        index_name: String = "IndexName" => SOME_INDEX,
        contributor_insights_action: ContributorInsightsAction = "ContributorInsightsAction" => REQUIRED,
        contributor_insights_mode: ContributorInsightsMode = "ContributorInsightsMode",
    }
    /// UpdateContributorInsights' answer.
    UpdateContributorInsightsOutput {
        table_name: String = "TableName",
        index_name: String = "IndexName",
        contributor_insights_status: ContributorInsightsStatus = "ContributorInsightsStatus",
        contributor_insights_mode: ContributorInsightsMode = "ContributorInsightsMode",
    }
    /// DescribeContributorInsights.
    DescribeContributorInsightsInput {
        table_name: String = "TableName" => CONTROL_TABLE,
        index_name: String = "IndexName" => SOME_INDEX,
    }
    /// DescribeContributorInsights' answer.
    DescribeContributorInsightsOutput {
        table_name: String = "TableName",
        index_name: String = "IndexName",
        contributor_insights_rule_list: Vec<String> = "ContributorInsightsRuleList",
        contributor_insights_status: ContributorInsightsStatus = "ContributorInsightsStatus",
        last_update_date_time: f64 = "LastUpdateDateTime",
        contributor_insights_mode: ContributorInsightsMode = "ContributorInsightsMode",
    }
    /// ListContributorInsights.
    ListContributorInsightsInput {
        table_name: String = "TableName" => &[MinLength(1), MaxLength(1024)],
        next_token: String = "NextToken",
        max_results: i32 = "MaxResults" => &[MaxValue(100)],
    }
    /// A table or index in a list.
    ContributorInsightsSummary {
        table_name: String = "TableName",
        index_name: String = "IndexName",
        contributor_insights_status: ContributorInsightsStatus = "ContributorInsightsStatus",
        contributor_insights_mode: ContributorInsightsMode = "ContributorInsightsMode",
    }
    /// ListContributorInsights' answer.
    ListContributorInsightsOutput {
        contributor_insights_summaries: Vec<ContributorInsightsSummary> = "ContributorInsightsSummaries",
        next_token: String = "NextToken",
    }
}
