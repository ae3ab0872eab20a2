//! Policies of tables and streams: kept and given back in AWS's form, with revisions. They are not enforced.
//! Source: ack-api-quirks, services/dynamodb DDB-TABLE-205 to -214, -351 to -356 (measured in October 2026).

mod document;
mod target;

use crate::catalog::record::{PolicyRecord, TableRecord};
use crate::engine::Inner;
use crate::error::Fault;
use crate::pending::Pending;
use crate::settings::changeable;
use bothways_protocol::types::{
    DeleteResourcePolicyInput, DeleteResourcePolicyOutput, GetResourcePolicyInput,
    GetResourcePolicyOutput, PutResourcePolicyInput, PutResourcePolicyOutput,
};
use bothways_protocol::validate;
use bothways_protocol::{Context, Message, Response};

/// `ExpectedRevisionId` of those who expect no policy. Source: API Reference, `PutResourcePolicy`.
const NO_POLICY: &str = "NO_POLICY";

impl Inner {
    /// A policy that says the same as the one that is there changes nothing and keeps its revision.
    pub(crate) fn put_resource_policy(
        &self,
        cx: &Context,
        input: &PutResourcePolicyInput,
    ) -> Result<Pending, Fault> {
        validate::put_resource_policy(input)?;
        let arn = input.resource_arn.as_deref().unwrap_or_default();
        let target = self.policy_target(cx, arn)?;
        let given = input.policy.as_deref().unwrap_or_default();
        let expected = input.expected_revision_id.as_deref();
        let now = self.options.clock.now_millis();
        let mut revision = 0;
        let (_, ticket) = self.change(
            || changeable(self.policy_table(cx, &target)?),
            |table, _, _| {
                let document = document::canonical(given)?;
                check_revision(&table.record, &target, expected)?;
                revision = put(&mut table.record, target.slot, document, now);
                Ok(())
            },
        )?;
        let output = PutResourcePolicyOutput {
            revision_id: Some(revision.to_string()),
        };
        let answer = Response::PutResourcePolicy(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }

    pub(crate) fn get_resource_policy(
        &self,
        cx: &Context,
        input: &GetResourcePolicyInput,
    ) -> Result<Pending, Fault> {
        validate::get_resource_policy(input)?;
        let arn = input.resource_arn.as_deref().unwrap_or_default();
        let target = self.policy_target(cx, arn)?;
        let table = self.policy_table(cx, &target)?;
        let policy = table.record.policies.get(target.slot);
        let policy = policy.ok_or_else(|| Message::PolicyNone { arn: arn.into() })?;
        let output = GetResourcePolicyOutput {
            policy: Some(policy.document.clone()),
            revision_id: Some(policy.revision.to_string()),
        };
        Ok(Pending::ready(Response::GetResourcePolicy(Box::new(
            output,
        ))))
    }

    /// A policy that is not there is removed without complaint.
    pub(crate) fn delete_resource_policy(
        &self,
        cx: &Context,
        input: &DeleteResourcePolicyInput,
    ) -> Result<Pending, Fault> {
        validate::delete_resource_policy(input)?;
        let arn = input.resource_arn.as_deref().unwrap_or_default();
        let target = self.policy_target(cx, arn)?;
        let expected = input.expected_revision_id.as_deref();
        let mut removed = None;
        let (_, ticket) = self.change(
            || changeable(self.policy_table(cx, &target)?),
            |table, _, _| {
                check_revision(&table.record, &target, expected)?;
                removed = table.record.policies.remove(target.slot);
                Ok(())
            },
        )?;
        let output = DeleteResourcePolicyOutput {
            revision_id: removed.map(|policy| policy.revision.to_string()),
        };
        let answer = Response::DeleteResourcePolicy(Box::new(output));
        Ok(Pending::after(ticket, Ok(answer)))
    }
}

/// The policy that a table is made with.
pub(crate) fn at_birth(record: &mut TableRecord, given: &str) -> Result<(), Message> {
    let document = document::canonical(given)?;
    let now = record.created;
    put(record, "", document, now);
    Ok(())
}

/// Keeps a policy; its revision, which is the time of the change and rises.
fn put(record: &mut TableRecord, slot: &str, document: String, now: u64) -> u64 {
    let last = record.policies.get(slot);
    if let Some(last) = last.filter(|last| last.document == document) {
        return last.revision;
    }
    let revision = last.map_or(now, |last| now.max(last.revision + 1));
    let policy = PolicyRecord { document, revision };
    record.policies.insert(slot.to_owned(), policy);
    revision
}

fn check_revision(
    record: &TableRecord,
    target: &target::Target<'_>,
    expected: Option<&str>,
) -> Result<(), Message> {
    let table = target.table.to_owned();
    let revision = record.policies.get(target.slot);
    let revision = revision.map(|policy| policy.revision.to_string());
    match (expected, revision) {
        (None, _) | (Some(NO_POLICY), None) => Ok(()),
        (Some(NO_POLICY), Some(revision)) => Err(Message::PolicyUnexpected { table, revision }),
        (Some(expected), None) => Err(Message::PolicyNoneExpected {
            revision: expected.to_owned(),
            table,
        }),
        (Some(expected), Some(revision)) if expected == revision => Ok(()),
        (Some(expected), Some(revision)) => Err(Message::PolicyOtherRevision {
            expected: expected.to_owned(),
            table,
            revision,
        }),
    }
}
