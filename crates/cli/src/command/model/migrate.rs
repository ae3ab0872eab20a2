//! `model migrate`.

use crate::args::{Global, Migrate, OrphansArg, Side};
use crate::command::jobs;
use crate::failure::{Exit, Failure};
use crate::models;
use crate::print::Screen;
use crate::session::Session;
use bothways_graph::{Direction, MigrateOptions, Migration, Orphans};

/// Makes the job of a migration, and does it.
pub(crate) async fn migrate(
    model: &str,
    what: &Migrate,
    global: &Global,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let session = Session::open(model, global, screen)?;
    let known = session.graph.model();
    let (migration, how) = match what {
        Migrate::Backfill { how } => (Migration::Backfill, how),
        Migrate::Lists {
            kind,
            attribute,
            relation,
            side,
            how,
        } => {
            models::entity(known, model, kind)?;
            models::relation(known, model, relation)?;
            let direction = side.map(|side| match side {
                Side::Out => Direction::Out,
                Side::In => Direction::In,
            });
            let lists = Migration::Lists {
                entity: kind.clone(),
                attribute: attribute.clone(),
                relation: relation.clone(),
                direction,
            };
            (lists, how)
        }
        Migrate::Twins {
            relation,
            orphans,
            how,
        } => {
            models::relation(known, model, relation)?;
            let orphans = match orphans {
                OrphansArg::Link => Orphans::Link,
                OrphansArg::Drop => Orphans::Drop,
                OrphansArg::Keep => Orphans::Keep,
            };
            let relation = relation.clone();
            (Migration::Twins { relation, orphans }, how)
        }
    };
    let options = MigrateOptions {
        budget: jobs::budget(&how.pace),
        dry_run: how.dry_run,
    };
    if how.no_job || (session.is_read_only() && how.dry_run) {
        let mut watch = jobs::Watch::new(screen);
        let cx = session.unhurried();
        let ran = session
            .graph
            .migrate_unsaved(&cx, &migration, &options, &mut watch)
            .await;
        return jobs::end_unsaved(session, model, watch, ran);
    }
    let made = session
        .graph
        .migrate(&session.cx, &migration, &options)
        .await;
    jobs::begin(session, model, &how.pace, made).await
}
