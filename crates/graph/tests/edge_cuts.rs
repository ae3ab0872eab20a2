//! Edge operations cut off at any request and repeated under their ids: each is done once.

mod support;

use bothways_core::Item;
use bothways_graph::model::{Removal, shipped};
use bothways_graph::{
    ChangedType, Changes, EdgeOptions, Graph, Linked, Result, Set, Unlinked, Upserted,
};
use bothways_lab::{Client, Clock};
use bothways_protocol::{BoxFuture, DynamoDb};
use std::sync::Arc;
use support::storm::{graph_of, value};
use support::{cx, engine};

/// An operation to be repeated, as words.
type Repeat = fn(Graph) -> BoxFuture<'static, Result<String>>;

fn options() -> EdgeOptions {
    EdgeOptions {
        op_id: Some("the one".into()),
        ..EdgeOptions::default()
    }
}

fn repeats() -> Vec<(&'static str, Repeat)> {
    vec![
        ("create", |g| {
            Box::pin(async move {
                let done = g
                    .create(&cx(), "requested", "c", "d", &value("x"), &options())
                    .await?;
                Ok(format!("{}", matches!(done.value, Linked::Created(_))))
            })
        }),
        ("upsert new", |g| {
            Box::pin(async move {
                let done = g
                    .upsert(&cx(), "requested", "c", "d", &value("x"), &options())
                    .await?;
                Ok(format!("{}", matches!(done.value, Upserted::Created(_))))
            })
        }),
        ("upsert there", |g| {
            Box::pin(async move {
                let done = g
                    .upsert(&cx(), "requested", "a", "b", &value("x"), &options())
                    .await?;
                Ok(format!(
                    "{}",
                    matches!(done.value, Upserted::Updated { .. })
                ))
            })
        }),
        ("update", |g| {
            Box::pin(async move {
                let done = g
                    .update(&cx(), "requested", "a", "b", &value("x"), &options())
                    .await?;
                Ok(format!("{}", matches!(done.value, Set::Updated(_))))
            })
        }),
        ("remove", |g| {
            Box::pin(async move {
                let done = g.remove(&cx(), "requested", "a", "b", &options()).await?;
                Ok(format!("{}", done.value == Unlinked::Removed))
            })
        }),
        ("change", |g| {
            Box::pin(async move {
                let none = Changes::new();
                let done = g
                    .change_type(&cx(), "requested", "friends", "b", "c", &none, &options())
                    .await?;
                Ok(format!("{}", matches!(done.value, ChangedType::Changed(_))))
            })
        }),
    ]
}

/// Everything in the table.
fn dump(db: &Arc<dyn DynamoDb>, clock: &Clock) -> Vec<Item> {
    use bothways_protocol::DynamoDbExt;
    let input = bothways_protocol::types::ScanInput {
        table_name: Some("friendships".into()),
        ..Default::default()
    };
    let output = clock.run(db.scan(&cx(), input)).expect("a scan");
    output.items.unwrap_or_default()
}

#[test]
fn an_operation_cut_off_at_any_request_and_repeated_is_done_once() {
    let mut model = shipped("friendships").expect("friendships").model;
    for relation in &mut model.relations {
        relation.removal = Removal::Soft { keep: 3600 };
    }
    model.ttl = Some("expiresAt".into());
    for (name, repeat) in repeats() {
        let mut want: Option<Vec<Item>> = None;
        // Nobody dies in the first round: that is how it has to end.
        let deaths = (0..12).flat_map(|request| [(Some(request), false), (Some(request), true)]);
        for (request, unheard) in std::iter::once((None, false)).chain(deaths) {
            let clock = Clock::new(7);
            let db = engine();
            let sober = graph_of(db.clone(), model.clone(), &clock);
            for (source, target) in [("a", "b"), ("b", "c")] {
                let (cx, none) = (cx(), Changes::new());
                let linked = sober.link(&cx, "requested", source, target, &none);
                clock.run(linked).expect("a link");
            }
            if let Some(request) = request {
                let client = Client::dying_at(db.clone(), request, unheard);
                let environment = Arc::new(clock.clone());
                let mortal = Graph::with_environment(client.clone(), model.clone(), environment)
                    .expect("a graph");
                clock.run(client.life(repeat(mortal)));
            }
            let done = clock.run(repeat(sober)).expect("an answer");
            assert_eq!(
                done, "true",
                "{name} cut off at {request:?}, unheard {unheard}"
            );
            let found: Vec<Item> = dump(&db, &clock).iter().map(timeless).collect();
            let want = want.get_or_insert_with(|| found.clone());
            assert_eq!(
                *want, found,
                "{name} cut off at {request:?}, unheard {unheard}"
            );
        }
    }
}

/// Without what depends on when and under which random id it was written.
fn timeless(item: &Item) -> Item {
    let names = ["createdAt", "edgeAt", "removedAt", "expiresAt"];
    let gone: Vec<_> = names
        .into_iter()
        .filter(|n| item.get(n).is_some())
        .map(|n| (n, None))
        .collect();
    item.with(&gone)
}
