//! A small run of the LinkBench benchmark: every system answers the whole mix, and no counter drifts.

use bothways_bench::linkbench::{
    Clients, Embedded, Http, Mix, Op, PgServer, Postgres, Processor, Round, Sessions, Shape,
    pg_binaries, run,
};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

const CLIENTS: usize = 4;

fn shape() -> Shape {
    Shape::new(300)
}

/// Every operation is answered; how many rows each gave.
async fn small(sessions: Sessions, round: u64) -> BTreeMap<Op, u64> {
    let clients = Clients {
        shape: shape(),
        mix: Mix::linkbench(),
        seed: 1,
        round,
        time: Duration::from_millis(1500),
    };
    let untimed: Processor = Box::new(Duration::default);
    let (Round { by_op, failure, .. }, _) = run(&clients, sessions, &untimed).await.unwrap();
    assert_eq!(failure, None);
    by_op.into_iter().map(|(op, f)| (op, f.rows)).collect()
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().build().unwrap()
}

fn links() -> u64 {
    (1..=300).map(|id| shape().degree(id)).sum()
}

#[test]
fn this_project_keeps_its_counters_embedded_and_over_http() {
    let dir = tempfile::tempdir().unwrap();
    runtime().block_on(async {
        let embedded = Embedded::open(dir.path(), 16 << 20).await.unwrap();
        assert_eq!(embedded.load(shape()).await.unwrap(), links());
        let before = embedded.verify().await.unwrap();
        assert!(before.is_clean(), "{before:?}");
        assert_eq!(before.edges, links());
        let rows = small(embedded.sessions(CLIENTS), 0).await;
        assert!(rows[&Op::GetLinksList] > 0 && rows[&Op::GetNode] > 0);
        let http = Http::start(embedded.db.clone()).unwrap();
        let rows = small(http.sessions(CLIENTS).await.unwrap(), 1).await;
        assert!(rows[&Op::GetLinksList] > 0 && rows[&Op::GetNode] > 0);
        drop(http);
        let after = embedded.verify().await.unwrap();
        assert!(after.is_clean() && after.busy == 0, "{after:?}");
        embedded.close().unwrap();
    });
}

/// Where PostgreSQL is not installed, there is nothing to show.
#[test]
fn postgresql_keeps_its_counters() {
    if pg_binaries().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(dir.path(), open).unwrap();
    runtime().block_on(async {
        let server = PgServer::start(&dir.path().join("pg"), CLIENTS).unwrap();
        let postgres = Postgres::new(&server);
        assert_eq!(postgres.load(shape()).await.unwrap(), links());
        assert_eq!(postgres.drift().await.unwrap(), 0);
        let sessions = postgres.sessions(CLIENTS).await.unwrap();
        let rows = small(sessions, 0).await;
        assert!(rows[&Op::GetLinksList] > 0 && rows[&Op::GetNode] > 0);
        assert_eq!(postgres.drift().await.unwrap(), 0);
    });
}
