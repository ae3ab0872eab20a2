//! What the engine tells beside DynamoDB.

use crate::engine::Engine;
use bothways_protocol::{BusyKeys, Context, Differences, Error, Operator, RecoveryLog};

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

    fn differences(
        &self,
        cx: &Context,
        backup_arn: &str,
        after: Option<&[u8]>,
    ) -> Result<Differences, Error> {
        let found = self.inner().differences(cx, backup_arn, after);
        found.map_err(Error::from)
    }

    fn busy_keys(&self) -> Vec<BusyKeys> {
        self.inner().busy_keys()
    }
}
