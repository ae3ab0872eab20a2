//! The table or stream that an ARN names, in AWS's order of checks.

use crate::catalog::Table;
use crate::engine::Inner;
use crate::error::Fault;
use bothways_protocol::{Context, Message};
use std::sync::Arc;

/// What a policy is for.
pub(super) struct Target<'a> {
    /// The table's name.
    pub(super) table: &'a str,
    /// Where the table's record keeps it: the stream's label; empty for the table itself.
    pub(super) slot: &'a str,
}

impl Inner {
    pub(super) fn policy_target<'a>(
        &self,
        cx: &Context,
        arn: &'a str,
    ) -> Result<Target<'a>, Message> {
        let given = || arn.to_owned();
        if !arn.starts_with("arn:") {
            return Err(Message::PolicyArnPrefix { arn: given() });
        }
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        let ["arn", partition, "dynamodb", region, account, resource] = parts[..] else {
            return Err(Message::PolicyArnOther { arn: given() });
        };
        let path: Vec<&str> = resource.splitn(4, '/').collect();
        let (table, slot) = match path[..] {
            ["table", table] => (table, ""),
            ["table", table, "stream", label] => (table, label),
            ["table", _, "index", _] => return Err(Message::PolicyArnKind { arn: given() }),
            _ => return Err(Message::PolicyArnOther { arn: given() }),
        };
        if account != self.options.account {
            return Err(Message::PolicyAccount);
        }
        if partition != "aws" || region != self.region(cx) {
            return Err(Message::PolicyArnInvalid { arn: given() });
        }
        Ok(Target { table, slot })
    }

    pub(super) fn policy_table(
        &self,
        cx: &Context,
        target: &Target<'_>,
    ) -> Result<Arc<Table>, Fault> {
        let table = self.named_table(cx, Some(target.table))?;
        let stream = table.record.stream.as_ref().map(|s| s.label.as_str());
        if !target.slot.is_empty() && stream != Some(target.slot) {
            return Err(Message::PolicyStreamNotFound {
                label: target.slot.to_owned(),
                table: target.table.to_owned(),
            }
            .into());
        }
        Ok(table)
    }
}
