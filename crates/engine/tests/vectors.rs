//! A search finds what looking at every item finds.
#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test stops where it fails, and is nobody's library"
)]

mod common;

use bothways_core::{Item, Value};
use bothways_engine::Engine;
use bothways_protocol::types::*;
use bothways_protocol::{Error, ErrorKind};
use bothways_store::{MemoryStore, Store};
use common::{Attributes, Db, Rng, clock, create_input, item, map, n, options, s};
use std::collections::BTreeMap;
use std::sync::Arc;

const DISTANCES: [(&str, VectorDistanceFunction); 3] = [
    ("cosine", VectorDistanceFunction::Cosine),
    ("euclid", VectorDistanceFunction::Euclidean),
    ("product", VectorDistanceFunction::DotProduct),
];

fn vector_index(name: &str, distance: VectorDistanceFunction, schema: bool) -> VectorIndex {
    let element = |name: &str, kind| SearchSchemaElement {
        attribute_name: Some(name.into()),
        search_schema_element_type: Some(kind),
    };
    VectorIndex {
        index_name: Some(name.into()),
        vector_attribute: Some(VectorAttributeDefinition {
            attribute_name: Some("v".into()),
        }),
        search_schema: schema.then(|| {
            vec![
                element("g", SearchSchemaElementType::Hash),
                element("c", SearchSchemaElementType::InlineFilter),
            ]
        }),
        projection: Some(Projection {
            projection_type: Some(ProjectionType::KeysOnly),
            non_key_attributes: None,
        }),
        dimensions: Some(3),
        distance_function: Some(distance),
    }
}

fn definitions(names: &[&str]) -> Vec<AttributeDefinition> {
    let definition = |name: &&str| AttributeDefinition {
        attribute_name: Some((*name).into()),
        attribute_type: Some(ScalarAttributeType::S),
    };
    names.iter().map(definition).collect()
}

type Row = (String, String, [i64; 3]);

struct Model {
    items: BTreeMap<String, Row>,
}

impl Model {
    /// Keys and scores of the best, the nearest first.
    fn best(
        &self,
        distance: VectorDistanceFunction,
        wanted: [i64; 3],
        within: Option<(&str, Option<&str>)>,
    ) -> Vec<f64> {
        let fits = |(g, c, _): &&Row| {
            within.is_none_or(|(group, class)| g == group && class.is_none_or(|class| c == class))
        };
        let rows = self.items.values().filter(fits);
        let mut scores: Vec<f64> = rows
            .map(|(_, _, own)| {
                let pairs = || wanted.iter().zip(own).map(|(a, b)| (f(*a), f(*b)));
                let dot: f64 = pairs().map(|(a, b)| a * b).sum();
                let length = |v: &[i64; 3]| v.iter().map(|a| f(a * a)).sum::<f64>().sqrt();
                match distance {
                    VectorDistanceFunction::DotProduct => dot,
                    VectorDistanceFunction::Euclidean => {
                        pairs().map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
                    }
                    VectorDistanceFunction::Cosine => 1.0 - dot / length(&wanted) / length(own),
                }
            })
            .collect();
        scores.sort_by(f64::total_cmp);
        if distance == VectorDistanceFunction::DotProduct {
            scores.reverse();
        }
        scores
    }
}

fn f(n: i64) -> f64 {
    f64::from(i32::try_from(n).unwrap())
}

fn search(
    db: &Db,
    index: &str,
    wanted: [i64; 3],
    within: Option<(&str, Option<&str>)>,
) -> Result<Vec<(Item, f64)>, Error> {
    let mut values = BTreeMap::new();
    let condition = within.map(|(group, class)| {
        values.insert(":g".to_owned(), s(group));
        match class {
            Some(class) => {
                values.insert(":c".to_owned(), s(class));
                "c = :c AND g = :g".to_owned()
            }
            None => "g = :g".to_owned(),
        }
    });
    let output = db.search_vectors(SearchVectorsInput {
        table_name: Some("ttt".into()),
        index_name: Some(index.into()),
        search_vector: Some(wanted.iter().map(|own| n(*own).into()).collect()),
        expression_attribute_values: condition.is_some().then(|| values.into()),
        search_condition_expression: condition,
        top_k: Some(7),
        ..SearchVectorsInput::default()
    })?;
    let results = output.search_results.unwrap().into_iter();
    Ok(results
        .map(|result| (result.item.unwrap(), result.score.unwrap()))
        .collect())
}

fn compare(db: &Db, model: &Model, rng: &mut Rng) {
    let wanted = [number(rng), number(rng), number(rng)];
    for (name, distance) in DISTANCES {
        check(db, model, name, distance, wanted, None);
    }
    for within in [("g1", None), ("g2", Some("c1")), ("none", None)] {
        let distance = VectorDistanceFunction::Cosine;
        check(db, model, "grouped", distance, wanted, Some(within));
    }
}

fn check(
    db: &Db,
    model: &Model,
    name: &str,
    distance: VectorDistanceFunction,
    wanted: [i64; 3],
    within: Option<(&str, Option<&str>)>,
) {
    let found = search(db, name, wanted, within).unwrap();
    let mut best = model.best(distance, wanted, within);
    best.truncate(7);
    assert_eq!(found.len(), best.len(), "{name} {within:?}");
    for ((item, score), want) in found.iter().zip(&best) {
        assert!((score - want).abs() < 1e-4, "{name}: {score} {want}");
        assert!(item.get("v").is_none() && item.get("pk").is_some());
    }
}

/// Never zero, so that there is a direction.
fn number(rng: &mut Rng) -> i64 {
    i64::try_from(rng.below(9)).unwrap() + 1
}

fn put(db: &Db, model: &mut Model, rng: &mut Rng) {
    let key = format!("k{}", rng.below(60));
    let vector = [number(rng), -number(rng), number(rng)];
    let (g, c) = (format!("g{}", rng.below(3)), format!("c{}", rng.below(3)));
    let list = Value::L(vector.iter().map(|own| n(*own)).collect());
    let item: Attributes = map([
        ("pk", s(&key)),
        ("g", s(&g)),
        ("c", s(&c)),
        ("v", list),
        ("more", s("text")),
    ]);
    db.put("ttt", item);
    model.items.insert(key, (g, c, vector));
}

fn delete(db: &Db, model: &mut Model, rng: &mut Rng) {
    let key = format!("k{}", rng.below(60));
    db.delete_item(DeleteItemInput {
        table_name: Some("ttt".into()),
        key: Some(item(&map([("pk", s(&key))])).into()),
        ..DeleteItemInput::default()
    })
    .unwrap();
    model.items.remove(&key);
}

fn open(store: &Arc<dyn Store>) -> Db {
    Db(Engine::open(Arc::clone(store), options(&clock())).unwrap())
}

#[test]
fn a_search_finds_what_looking_at_every_item_finds() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut db = open(&store);
    let mut indexes: Vec<VectorIndex> = DISTANCES
        .iter()
        .map(|(name, distance)| vector_index(name, *distance, false))
        .collect();
    indexes.push(vector_index(
        "grouped",
        VectorDistanceFunction::Cosine,
        true,
    ));
    db.create_table(CreateTableInput {
        attribute_definitions: Some(definitions(&["pk", "g", "c"])),
        vector_indexes: Some(indexes),
        ..create_input("ttt", "pk:S", &[])
    })
    .unwrap();
    let mut model = Model {
        items: BTreeMap::new(),
    };
    let mut rng = Rng(7);
    for round in 0..300 {
        if rng.chance(4) {
            delete(&db, &mut model, &mut rng);
        } else {
            put(&db, &mut model, &mut rng);
        }
        if round % 10 == 0 {
            compare(&db, &model, &mut rng);
        }
        if round == 150 {
            drop(db);
            db = open(&store);
        }
    }
    // An item without a vector, and one without a group, are left out of what they cannot be in.
    db.put("ttt", map([("pk", s("bare"))]));
    compare(&db, &model, &mut rng);
    let described = db.describe("ttt").vector_indexes.unwrap();
    let count = i64::try_from(model.items.len()).unwrap();
    assert!(described.iter().all(|own| own.item_count == Some(count)));
}

#[test]
fn an_index_added_later_has_the_items_that_were_there() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let db = open(&store);
    db.create_table(create_input("ttt", "pk:S", &[])).unwrap();
    let mut model = Model {
        items: BTreeMap::new(),
    };
    let mut rng = Rng(8);
    (0..200).for_each(|_| put(&db, &mut model, &mut rng));
    db.put("ttt", map([("pk", s("other")), ("v", s("no vector"))]));
    let change = |update: VectorIndexUpdate| {
        db.update_table(UpdateTableInput {
            table_name: Some("ttt".into()),
            attribute_definitions: Some(definitions(&["g", "c"])),
            vector_index_updates: Some(vec![update]),
            ..UpdateTableInput::default()
        })
    };
    change(VectorIndexUpdate {
        create: Some(vector_index(
            "grouped",
            VectorDistanceFunction::Cosine,
            true,
        )),
        delete: None,
    })
    .unwrap();
    let within = Some(("g1", None));
    let early = search(&db, "grouped", [1, 2, 3], within).unwrap_err();
    assert_eq!(
        early.message,
        "Cannot search backfilling vector index: grouped"
    );
    db.settle();
    check(
        &db,
        &model,
        "grouped",
        VectorDistanceFunction::Cosine,
        [1, 2, 3],
        within,
    );
    change(VectorIndexUpdate {
        create: None,
        delete: Some(DeleteVectorIndexAction {
            index_name: Some("grouped".into()),
        }),
    })
    .unwrap();
    db.settle();
    let gone = search(&db, "grouped", [1, 2, 3], within).unwrap_err();
    assert_eq!(gone.kind, ErrorKind::Validation);
    assert_eq!(db.describe("ttt").vector_indexes, None);
    assert_eq!(
        db.describe("ttt").attribute_definitions.unwrap().len(),
        1,
        "what only the index used is forgotten"
    );
}

#[test]
fn an_index_is_dropped_while_it_fills() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let db = open(&store);
    db.create_table(create_input("ttt", "pk:S", &[])).unwrap();
    let mut model = Model {
        items: BTreeMap::new(),
    };
    let mut rng = Rng(9);
    (0..200).for_each(|_| put(&db, &mut model, &mut rng));
    let change = |create, delete| {
        db.update_table(UpdateTableInput {
            table_name: Some("ttt".into()),
            vector_index_updates: Some(vec![VectorIndexUpdate { create, delete }]),
            ..UpdateTableInput::default()
        })
    };
    let index = vector_index("plain", VectorDistanceFunction::Cosine, false);
    let drop_it = || {
        let index_name = Some("plain".into());
        change(None, Some(DeleteVectorIndexAction { index_name }))
    };
    change(Some(index), None).unwrap();
    let early = drop_it().unwrap_err();
    assert_eq!(early.kind, ErrorKind::ResourceInUse);
    db.0.sweep().unwrap();
    let filling = db.describe("ttt").vector_indexes.unwrap();
    assert_eq!(filling[0].backfilling, Some(true));
    drop_it().unwrap();
    db.settle();
    assert_eq!(db.describe("ttt").vector_indexes, None);
}
