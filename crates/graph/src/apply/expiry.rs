//! Time to live: on for tables whose model lets something expire.

use super::Difference;
use crate::error::Result;
use crate::graph::Graph;
use crate::receipt::Receipt;
use bothways_protocol::types::{
    DescribeTimeToLiveInput, TimeToLiveSpecification, TimeToLiveStatus, UpdateTimeToLiveInput,
};
use bothways_protocol::{Context, DynamoDbExt, Operation};

impl Graph {
    /// Switches time to live on where the model has an attribute for it and it is off. Another attribute in its place is a
    /// difference: changing it would let other things expire.
    pub(super) async fn let_expire(
        &self,
        cx: &Context,
        receipts: &mut Vec<Receipt>,
    ) -> Result<Option<Difference>> {
        let Some(ttl) = &self.model.ttl else {
            return Ok(None);
        };
        let table = &self.model.table;
        let mut described = Receipt::new(Operation::DescribeTimeToLive, table);
        let input = DescribeTimeToLiveInput {
            table_name: Some(table.clone()),
        };
        let send = || self.db.describe_time_to_live(cx, input.clone());
        let output = self.reading(cx, &mut described, send).await?;
        receipts.push(described);
        let there = output.time_to_live_description.unwrap_or_default();
        let on = there.time_to_live_status.is_some_and(|status| {
            matches!(
                status,
                TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling
            )
        });
        if on {
            let attribute = there.attribute_name.unwrap_or_default();
            let other = attribute != *ttl;
            return Ok(other.then(|| Difference {
                what: "time to live".into(),
                model: ttl.clone(),
                table: attribute,
            }));
        }
        let mut updated = Receipt::new(Operation::UpdateTimeToLive, table);
        let input = UpdateTimeToLiveInput {
            table_name: Some(table.clone()),
            time_to_live_specification: Some(TimeToLiveSpecification {
                enabled: Some(true),
                attribute_name: Some(ttl.clone()),
            }),
        };
        let started = self.env.monotonic();
        self.db.update_time_to_live(cx, input).await?;
        updated.requests = 1;
        updated.elapsed = self.env.monotonic().saturating_duration_since(started);
        receipts.push(updated);
        Ok(None)
    }
}
