//! `recovery`: what point-in-time recovery keeps of each table.

use crate::args::Global;
use crate::failure::{Exit, Failure};
use crate::place::Place;
use crate::print::{Paint, Screen, Table, thousands, utc};
use crate::report::{self, Report};
use crate::target::Target;
use bothways_protocol::RecoveryLog;
use bothways_store::DiskStore;
use serde_json::{Map, Value as Json, json};

/// `recovery`.
pub(crate) fn recovery(global: &Global, screen: &Screen) -> Result<Exit, Failure> {
    if global.explain {
        return Err(Failure::usage(
            "recovery sends no request that --explain could show",
        ));
    }
    let target = Target::resolve(global)?;
    if let Some(dir) = target.directory().filter(|dir| !DiskStore::is_there(dir)) {
        let dir = dir.display();
        return Err(Failure::no(format!("there is no database in {dir}")));
    }
    let place = Place::open(&target)?;
    let logs = place.operator.as_ref().map(|own| own.recovery_logs());
    place.close()?;
    let logs = logs.ok_or_else(|| {
        Failure::usage("an endpoint does not tell what recovery keeps")
            .hint("of a directory that nobody serves: bothways recovery --data DIR")
    })?;
    report::print(screen, &Logs(logs))
}

struct Logs(Vec<RecoveryLog>);

/// The table's name in its ARN.
fn name(log: &RecoveryLog) -> &str {
    log.table_arn.rsplit('/').next().unwrap_or_default()
}

fn since(log: &RecoveryLog) -> Option<String> {
    i64::try_from(log.earliest_millis / 1_000)
        .ok()
        .and_then(utc)
}

impl Report for Logs {
    fn lines(&self, paint: Paint) -> Vec<String> {
        if self.0.is_empty() {
            return vec!["point-in-time recovery is on for no table".to_owned()];
        }
        let mut table = Table::new()
            .column("table")
            .numbers("changes")
            .numbers("bytes")
            .column("back to");
        for log in &self.0 {
            table.row([
                Some(name(log).to_owned()),
                Some(thousands(log.entries)),
                Some(thousands(log.bytes)),
                since(log),
            ]);
        }
        table.lines(0, paint)
    }

    fn members(&self) -> Map<String, Json> {
        let logs = self.0.iter().map(|log| {
            json!({
                "table": name(log),
                "changes": log.entries,
                "bytes": log.bytes,
                "earliest_millis": log.earliest_millis,
            })
        });
        let mut members = Map::new();
        members.insert("logs".to_owned(), logs.collect());
        members
    }
}
