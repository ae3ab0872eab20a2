//! A model out of a table: the shipped models are found again in their sample data, and what cannot be known is said.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use bothways_core::json::item_from_slice;
use bothways_graph::model::{Model, shipped};
use bothways_graph::{Error, Graph, Inferred, SAMPLE_ITEMS, infer};
use bothways_protocol::types::PutItemInput;
use bothways_protocol::{Context, DynamoDb, DynamoDbExt};
use std::sync::Arc;
use support::{engine as database, wait};

fn inferred(db: &Arc<dyn DynamoDb>, table: &str) -> Inferred {
    let cx = Context::default();
    let done = wait(infer(db.as_ref(), &cx, table, SAMPLE_ITEMS)).unwrap();
    let read: u64 = done.receipts.iter().map(|r| r.scanned).sum();
    assert_eq!(read, done.value.sampled);
    assert!(done.receipts.len() <= 3);
    done.value
}

fn of_sample(name: &str) -> (Model, Inferred) {
    let db = database();
    let model = shipped(name).unwrap().model;
    let graph = Graph::new(Arc::clone(&db), model.clone()).unwrap();
    let cx = Context::default();
    wait(graph.apply(&cx)).unwrap();
    wait(graph.load_sample(&cx)).unwrap();
    (model, inferred(&db, name))
}

fn put(db: &Arc<dyn DynamoDb>, table: &str, json: &str) {
    let input = PutItemInput {
        table_name: Some(table.to_owned()),
        item: Some(item_from_slice(json.as_bytes()).unwrap()),
        ..PutItemInput::default()
    };
    wait(db.put_item(&Context::default(), input)).unwrap();
}

#[test]
fn the_keys_of_the_shipped_models_are_found_in_their_sample_data() {
    for name in ["follow", "school"] {
        let (model, found) = of_sample(name);
        assert!(
            found.sampled < 2 * u64::from(SAMPLE_ITEMS) && !found.whole,
            "{name}"
        );
        let (want, got) = (&model.relations[0], &found.model.relations[0]);
        assert_eq!(found.model.relations.len(), 1, "{name}");
        assert_eq!(got.key, want.key, "{name}");
        assert_eq!(got.inverse, want.inverse, "{name}");
        assert_eq!(got.counters.out, want.counters.out, "{name}");
        for entity in &model.entities {
            let same = found
                .model
                .entities
                .iter()
                .find(|e| e.key.pk == entity.key.pk)
                .unwrap();
            assert_eq!(same.key, entity.key, "{name}");
        }
        assert_eq!(found.model.check(None).problems, [], "{name}");
        let text = found.model.to_toml();
        assert_eq!(
            Model::parse("found.toml", &text).unwrap().model,
            found.model
        );
        assert!(
            found
                .evidence
                .iter()
                .any(|e| e.text.contains("stand in GSI1"))
        );
    }
}

#[test]
fn the_follow_relation_is_named_by_its_edges_and_its_targets_by_whom_they_name() {
    let (_, found) = of_sample("follow");
    let relation = &found.model.relations[0];
    assert_eq!(
        (
            relation.name.as_str(),
            relation.from.as_str(),
            relation.to.as_str()
        ),
        ("follows", "actor", "actor")
    );
    let times: Vec<&str> = relation
        .attributes
        .iter()
        .map(|a| a.kind.as_str())
        .collect();
    assert_eq!(times, ["time", "string"]);
}

#[test]
fn a_relation_without_an_inverse_gets_one_proposed_and_what_fits_nothing_is_named() {
    let db = database();
    let text = "name = \"club\"\n[[index]]\nname = \"GSI1\"\npk = \"GSI1PK\"\nsk = \"GSI1SK\"\n";
    let model = Model::parse("club.toml", text).unwrap().model;
    let graph = Graph::new(Arc::clone(&db), model).unwrap();
    wait(graph.apply(&Context::default())).unwrap();
    for json in [
        r#"{"PK":{"S":"USER#u1"},"SK":{"S":"PROFILE"},"name":{"S":"Ann"}}"#,
        r#"{"PK":{"S":"USER#u1"},"SK":{"S":"GROUP#g1"},"role":{"S":"chair"}}"#,
        r#"{"PK":{"S":"USER#u2"},"SK":{"S":"GROUP#g1"},"since":{"S":"2026-09-01"}}"#,
        r#"{"PK":{"S":"CONFIG"},"SK":{"S":"LIMITS"}}"#,
    ] {
        put(&db, "club", json);
    }
    let found = inferred(&db, "club");
    assert!(found.whole);
    let relation = &found.model.relations[0];
    assert_eq!(relation.inverse.keys.pk.as_str(), "GROUP#{dst}");
    assert_eq!(relation.inverse.index, "GSI12");
    let assumed: Vec<&str> = found
        .evidence
        .iter()
        .filter(|e| e.assumed)
        .map(|e| e.text.as_str())
        .collect();
    assert!(
        assumed
            .iter()
            .any(|t| t.contains("no index lists it by target")),
        "{assumed:?}"
    );
    assert!(assumed.iter().any(|t| t.contains("CONFIG")), "{assumed:?}");
    assert!(
        assumed
            .iter()
            .any(|t| t.contains("entity group is a guess")),
        "{assumed:?}"
    );
}

#[test]
fn a_table_that_is_not_there_is_refused() {
    let db = database();
    let refused = wait(infer(db.as_ref(), &Context::default(), "absent", 10));
    assert!(matches!(refused, Err(Error::Database(_))), "{refused:?}");
}
