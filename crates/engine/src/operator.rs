//! What the engine tells beside DynamoDB.

use crate::engine::Engine;
use bothways_protocol::{BusyKeys, Operator, RecoveryLog};

impl Operator for Engine {
    fn recovery_logs(&self) -> Vec<RecoveryLog> {
        let inner = self.inner();
        let tables = inner.catalog.all_tables();
        let logs = tables.iter().filter_map(|table| {
            let recovery = table.record.recovery.as_ref()?;
            let log = table.live.features.load().log.clone()?;
            Some(RecoveryLog {
                table_arn: table.record.arn.clone(),
                entries: u64::try_from(log.totals.items()).unwrap_or(0),
                bytes: u64::try_from(log.totals.bytes()).unwrap_or(0),
                earliest_millis: inner.restorable(recovery).0,
            })
        });
        logs.collect()
    }

    fn busy_keys(&self) -> Vec<BusyKeys> {
        self.inner().busy_keys()
    }
}
