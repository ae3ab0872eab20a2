//! Importers of the same file: the first holds a lease.

use super::exports::export;
use super::support::cx;
use super::support::world::World;
use super::{Expected, made_up};
use bothways_core::{Item, Number, Value};
use bothways_graph::import::{FileError, ImportOptions, ImportSource, Unobserved};
use bothways_graph::{Environment, Error, ExportFormat};
use bothways_protocol::types::PutItemInput;
use bothways_protocol::{BoxFuture, DynamoDbExt};
use std::time::Duration;

/// Sets another importer's lease on the file, for half a minute from now.
async fn held_by_another(world: &World) {
    let until = world.clock.epoch_millis() + 30_000;
    let item = Item::from_attributes([
        ("PK", Value::from("BOTHWAYS#IMPORT#follows#votes")),
        ("SK", Value::from("CHECKPOINT")),
        ("owner", Value::from("another")),
        ("until", Value::N(Number::from(until))),
    ]);
    let input = PutItemInput {
        table_name: Some(world.model.table.clone()),
        item: Some(item.into()),
        ..PutItemInput::default()
    };
    world.db.put_item(&cx(), input).await.expect("a put");
}

#[test]
fn two_importers_of_one_file_do_not_collide() {
    let text = made_up(7, 300);
    let expected = Expected::tsv(&text);
    let run = async |world: &World, take_over| {
        let options = ImportOptions {
            take_over,
            ..ImportOptions::default()
        };
        let source = ImportSource {
            name: "votes".into(),
            reader: Box::new(text.as_bytes()),
            bytes: None,
        };
        let graph = world.graph(world.db.clone());
        let cx = cx();
        let mut watch = Unobserved;
        graph
            .import(&cx, "follows", source, &options, &mut watch)
            .await
    };
    // One that is at work renews its lease: the other waits for it once, and gives up without having written anything.
    let world = World::new("follow", 1);
    let refused = world.clock.run_all(vec![
        Box::pin(async { run(&world, false).await.map(|report| report.created) })
            as BoxFuture<'_, Result<u64, Error>>,
        Box::pin(async {
            for _ in 0..6 {
                held_by_another(&world).await;
                world.clock.sleep(Duration::from_secs(8)).await;
            }
            Ok(0_u64)
        }),
    ]);
    assert!(
        matches!(refused[0], Err(Error::File(FileError::Taken { .. }))),
        "{refused:?}"
    );
    let graph = world.graph(world.db.clone());
    assert!(export(&graph, "follows", ExportFormat::JsonLines).is_empty());
    // One that is dead does not: the other goes on when its lease has run out, or at once where its death is known.
    for (take_over, waits) in [(false, true), (true, false)] {
        let world = World::new("follow", 2);
        let began = world.clock.epoch_millis();
        let report = world.clock.run(async {
            held_by_another(&world).await;
            run(&world, take_over).await.expect("an import")
        });
        assert!(report.created > 0);
        assert_eq!(world.clock.epoch_millis() - began >= 30_000, waits);
        expected.holds(&world.graph(world.db.clone()), "follows", 1);
        // Nothing is left of it, and a second run has nothing to write.
        let again = world.clock.run(run(&world, false)).expect("an import");
        assert_eq!(again.writes, 0);
    }
}
