//! Contributor Insights: which keys of a table or index are used most.
//! Source: ack-api-quirks, services/dynamodb DDB-TABLE-089 to -097 (measured in October 2026).

mod heat;
mod sketch;
mod usage;

pub(crate) use heat::Heat;
pub(crate) use usage::Usage;

use crate::catalog::Table;
use crate::catalog::record::{InsightsRecord, TableRecord};
use crate::catalog::seconds;
use crate::digest::hex;
use crate::engine::Inner;
use crate::error::Fault;
use crate::pending::Pending;
use bothways_protocol::types::{
    ContributorInsightsAction as Action, ContributorInsightsMode as Mode,
    ContributorInsightsStatus as Status, ContributorInsightsSummary,
    DescribeContributorInsightsInput, DescribeContributorInsightsOutput,
    ListContributorInsightsInput, ListContributorInsightsOutput, UpdateContributorInsightsInput,
    UpdateContributorInsightsOutput,
};
use bothways_protocol::validate;
use bothways_protocol::{BusyKeys, Context, Message, Response};

/// Most entries of a page, and how many there are by default. Source: API Reference.
const PAGE: usize = 100;
/// Keys that are shown of each kind.
const SHOWN: usize = 100;

impl Inner {
    /// Counting holds with the answer, though the answer speaks of beginning and ending as AWS's does.
    pub(crate) fn update_contributor_insights(
        &self,
        cx: &Context,
        input: &UpdateContributorInsightsInput,
    ) -> Result<Pending, Fault> {
        validate::update_contributor_insights(input)?;
        let on = input.contributor_insights_action == Some(Action::Enable);
        let mode = input.contributor_insights_mode.unwrap_or(Mode::Accessed);
        let index = input.index_name.as_deref();
        let now = self.options.clock.now_millis();
        let mut status = Status::Disabled;
        let (table, ticket) = self.change(
            || self.named_table(cx, input.table_name.as_deref()),
            |table, _, _| {
                check_index(table, index)?;
                if table.is_coming() {
                    return Err(Message::InsightsState.into());
                }
                let slot = index.unwrap_or_default();
                let throttled = mode == Mode::Throttled;
                let known = table.record.insights.get(slot).cloned();
                status = match (&known, on) {
                    (Some(known), true) if known.on && known.throttled == throttled => {
                        Status::Enabled
                    }
                    (_, true) => Status::Enabling,
                    (Some(known), false) if known.on => Status::Disabling,
                    (_, false) => Status::Disabled,
                };
                if matches!(status, Status::Enabling | Status::Disabling) {
                    let throttled = if on {
                        throttled
                    } else {
                        known.is_some_and(|known| known.throttled)
                    };
                    let record = InsightsRecord {
                        on,
                        throttled,
                        changed: now,
                    };
                    table.record.insights.insert(slot.to_owned(), record);
                    table.watch();
                }
                Ok(())
            },
        )?;
        let record = table.record.insights.get(index.unwrap_or_default());
        let output = UpdateContributorInsightsOutput {
            table_name: Some(table.name.clone()),
            index_name: input.index_name.clone(),
            contributor_insights_status: Some(status),
            contributor_insights_mode: record.map(InsightsRecord::mode),
        };
        let answer = Response::UpdateContributorInsights(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    pub(crate) fn describe_contributor_insights(
        &self,
        cx: &Context,
        input: &DescribeContributorInsightsInput,
    ) -> Result<Pending, Fault> {
        validate::describe_contributor_insights(input)?;
        let table = self.named_table(cx, input.table_name.as_deref())?;
        let index = input.index_name.as_deref();
        check_known(&table, index)?;
        let record = table.record.insights.get(index.unwrap_or_default());
        let status = record.map_or(Status::Disabled, InsightsRecord::status);
        let rules = record.filter(|record| record.on);
        let output = DescribeContributorInsightsOutput {
            table_name: Some(table.name.clone()),
            index_name: input.index_name.clone(),
            contributor_insights_rule_list: rules.map(|record| rule_list(&table, index, record)),
            contributor_insights_status: Some(status),
            last_update_date_time: record.map(|record| seconds(record.changed)),
            contributor_insights_mode: record.map(InsightsRecord::mode),
        };
        let answer = Response::DescribeContributorInsights(Box::new(output));
        Ok(Pending::ready(answer))
    }

    /// What is on, by table, a table before its indexes.
    pub(crate) fn list_contributor_insights(
        &self,
        cx: &Context,
        input: &ListContributorInsightsInput,
    ) -> Result<Pending, Fault> {
        validate::list_contributor_insights(input)?;
        let tables = if let Some(name) = input.table_name.as_deref() {
            vec![self.named_table(cx, Some(name))?]
        } else {
            let namespace = self.namespace(cx);
            let mut tables = self.catalog.all_tables();
            tables.retain(|table| table.namespace == namespace && !table.is_coming());
            tables.sort_by(|one, other| one.name.cmp(&other.name));
            tables
        };
        let limit = input.max_results.and_then(|n| usize::try_from(n).ok());
        let limit = limit.unwrap_or(PAGE).clamp(1, PAGE);
        let mut all = Vec::new();
        for table in &tables {
            let on = table.record.insights.iter().filter(|(_, own)| own.on);
            for (index, record) in on {
                all.push((token(&table.name, index), table, index, record));
            }
        }
        if let Some(given) = input.next_token.as_deref() {
            if !given.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(Message::InsightsToken.into());
            }
            all.retain(|(token, ..)| token.as_str() > given);
        }
        let more = all.len() > limit;
        all.truncate(limit);
        let next_token = all.last().filter(|_| more).map(|(token, ..)| token.clone());
        let summaries = all
            .iter()
            .map(|(_, table, index, record)| ContributorInsightsSummary {
                table_name: Some(table.name.clone()),
                index_name: Some((*index).clone()).filter(|index| !index.is_empty()),
                contributor_insights_status: Some(record.status()),
                contributor_insights_mode: Some(record.mode()),
            });
        let output = ListContributorInsightsOutput {
            contributor_insights_summaries: Some(summaries.collect()),
            next_token,
        };
        let answer = Response::ListContributorInsights(Box::new(output));
        Ok(Pending::ready(answer))
    }

    /// What was counted.
    pub(crate) fn busy_keys(&self) -> Vec<BusyKeys> {
        let mut out = Vec::new();
        for table in self.catalog.all_tables() {
            let indexes = table.indexes.iter();
            let indexes = indexes.map(|index| (Some(index.name.clone()), &index.usage));
            for (index, usage) in std::iter::once((None, &table.usage)).chain(indexes) {
                let Some(usage) = usage else { continue };
                let (uses, partitions, items) = usage.busiest();
                out.push(BusyKeys {
                    table_arn: table.record.arn.clone(),
                    index,
                    uses,
                    partitions,
                    items,
                });
            }
        }
        out
    }
}

impl InsightsRecord {
    fn status(&self) -> Status {
        if self.on {
            Status::Enabled
        } else {
            Status::Disabled
        }
    }

    fn mode(&self) -> Mode {
        if self.throttled {
            Mode::Throttled
        } else {
            Mode::Accessed
        }
    }

    /// Whether uses are counted. Nothing is ever throttled here.
    pub(crate) fn counts(&self) -> bool {
        self.on && !self.throttled
    }
}

impl TableRecord {
    /// Whether uses of the table, or of an index by name, are counted.
    pub(crate) fn counts(&self, slot: &str) -> bool {
        self.insights.get(slot).is_some_and(InsightsRecord::counts)
    }
}

/// A GSI of the table that is ready.
fn check_index(table: &Table, index: Option<&str>) -> Result<(), Message> {
    let found = check_known(table, index)?;
    if found.is_some_and(|index| index.phase.is_some()) {
        return Err(Message::InsightsState);
    }
    Ok(())
}

fn check_known<'t>(
    table: &'t Table,
    index: Option<&str>,
) -> Result<Option<&'t crate::catalog::Index>, Message> {
    let Some(name) = index else {
        return Ok(None);
    };
    let mut indexes = table.indexes.iter();
    let found = indexes.find(|index| index.name == name && index.is_global());
    match found {
        Some(index) => Ok(Some(index)),
        None => Err(Message::InsightsIndexMissing {
            index: name.to_owned(),
            table: table.name.clone(),
        }),
    }
}

/// Names of the rules that AWS makes for partition keys, and for keys where they are more.
fn rule_list(table: &Table, index: Option<&str>, record: &InsightsRecord) -> Vec<String> {
    let schema = match table.indexes.iter().find(|own| Some(&*own.name) == index) {
        Some(index) => &index.key,
        None => &table.key,
    };
    let kinds = [
        ("PKC", false, false),
        ("PKT", false, true),
        ("SKC", true, false),
        ("SKT", true, true),
    ];
    let kinds = kinds.into_iter().filter(|(_, sort, throttled)| {
        (!sort || !schema.range.is_empty()) && (*throttled || !record.throttled)
    });
    let place = match index {
        Some(index) => format!("{}-{index}", table.name),
        None => table.name.clone(),
    };
    let rule = |(kind, _, _): (&str, bool, bool)| {
        format!(
            "DynamoDBContributorInsights-{kind}-{place}-{}",
            record.changed
        )
    };
    kinds.map(rule).collect()
}

/// A page's token: its last table and index, in hexadecimal, whose order is theirs.
fn token(table: &str, index: &str) -> String {
    hex(format!("{table}\0{index}").as_bytes())
}
