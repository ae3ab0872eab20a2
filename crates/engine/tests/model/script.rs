//! Random operations on both sides.

use crate::common::{
    Attributes, Db, Ix, Rng, TestClock, clock, create, engine, n, options, s, streams,
};
use crate::naive::{Change, Index, Table, Test};
use bothways_core::Value;
use bothways_engine::Engine;
use bothways_protocol::types::StreamViewType;
use bothways_store::{MemoryStore, Store};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Both sides, and where the random sequence stands.
pub struct Script {
    pub rng: Rng,
    pub db: Db,
    pub tables: Vec<(&'static str, Table)>,
    pub clock: Arc<TestClock>,
    open: Box<dyn Fn() -> Arc<dyn Store>>,
    pub step: usize,
    /// The last transaction that happened under a token.
    pub last_token: Option<bothways_protocol::types::TransactWriteItemsInput>,
}

const INDEXES: &[Ix] = &[
    Ix {
        name: "all",
        local: false,
        key: "g:S h:N",
        projection: "ALL",
    },
    Ix {
        name: "keys",
        local: false,
        key: "g:S",
        projection: "KEYS",
    },
    Ix {
        name: "multi",
        local: false,
        key: "g:S c:S/h:N l:N",
        projection: "v n",
    },
    Ix {
        name: "local",
        local: true,
        key: "pk:S l:N",
        projection: "v",
    },
];

fn index(ix: &Ix) -> Index {
    let (hash, range) = match ix.name {
        "all" => (vec!["g"], vec!["h"]),
        "keys" => (vec!["g"], vec![]),
        "multi" => (vec!["g", "c"], vec!["h", "l"]),
        _ => (vec!["pk"], vec!["l"]),
    };
    Index {
        name: ix.name,
        hash,
        range,
        include: match ix.projection {
            "ALL" => None,
            "KEYS" => Some(Vec::new()),
            names => Some(names.split(' ').collect()),
        },
        local: ix.local,
    }
}

impl Script {
    /// Over memory.
    pub fn new(seed: u64) -> Self {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        Self::over(seed, move || Arc::clone(&store))
    }

    /// Over a store that is opened, and opened anew, by `open`.
    pub fn over(seed: u64, open: impl Fn() -> Arc<dyn Store> + 'static) -> Self {
        let clock = clock();
        let db = Db(Engine::open(open(), options(&clock)).unwrap());
        create(&db, "wide", "pk:S sk:N", INDEXES);
        create(&db, "plain", "pk:S", &[]);
        streams::switch_on(&db, "wide", StreamViewType::NewAndOldImages);
        streams::switch_on(&db, "plain", StreamViewType::NewAndOldImages);
        let wide = Table {
            hash: "pk",
            range: Some("sk"),
            indexes: INDEXES.iter().map(index).collect(),
            items: BTreeMap::new(),
            changes: Vec::new(),
        };
        let plain = Table {
            hash: "pk",
            range: None,
            indexes: Vec::new(),
            items: BTreeMap::new(),
            changes: Vec::new(),
        };
        Self {
            rng: Rng(seed),
            db,
            tables: vec![("wide", wide), ("plain", plain)],
            clock,
            open: Box::new(open),
            step: 0,
            last_token: None,
        }
    }

    pub fn step(&mut self) {
        self.step += 1;
        match self.rng.below(20) {
            0..=3 => self.put(),
            4..=6 => self.update(),
            7 => self.delete(),
            8 => self.get(),
            9..=12 => self.query(),
            13 => self.scan(),
            14 => self.batch_get(),
            15 => self.batch_write(),
            16 | 17 => self.transact_write(),
            18 => self.transact_get(),
            _ => self.clock.advance(30_000),
        }
    }

    pub fn reopen(&mut self) {
        // The last engine lets go of its store first.
        self.db = Db(engine());
        self.db = Db(Engine::open((self.open)(), options(&self.clock)).unwrap());
    }

    /// Counts and sizes kept by the commits are those that counting gives.
    pub fn check_totals(&self) {
        for (name, table) in &self.tables {
            let description = self.db.describe(name);
            let got = (
                description.item_count.unwrap(),
                description.table_size_bytes.unwrap(),
            );
            assert_eq!(got, table.totals(None), "totals of {name}");
            let globals = description.global_secondary_indexes.unwrap_or_default();
            for ix in globals {
                let model = table
                    .indexes
                    .iter()
                    .find(|m| Some(m.name) == ix.index_name.as_deref());
                let got = (ix.item_count.unwrap(), ix.index_size_bytes.unwrap());
                assert_eq!(got, table.totals(model), "totals of {:?}", ix.index_name);
            }
            for ix in description.local_secondary_indexes.unwrap_or_default() {
                let model = table
                    .indexes
                    .iter()
                    .find(|m| Some(m.name) == ix.index_name.as_deref());
                let got = (ix.item_count.unwrap(), ix.index_size_bytes.unwrap());
                assert_eq!(got, table.totals(model), "totals of {:?}", ix.index_name);
            }
        }
    }

    /// Every change is in the stream, in order, and nothing else.
    pub fn check_streams(&self) {
        for (name, table) in &self.tables {
            let records = streams::records(&self.db, &streams::arn(&self.db, name));
            assert_eq!(records.len(), table.changes.len(), "records of {name}");
            for (record, (before, after)) in records.iter().zip(&table.changes) {
                let (old, new) = streams::images(record);
                assert_eq!((&old, &new), (before, after), "a record of {name}");
            }
        }
    }

    /// A table by number.
    pub fn any_table(&mut self) -> usize {
        usize::from(self.rng.chance(5))
    }

    pub fn any_key(&mut self, table: usize) -> Attributes {
        let mut key = Attributes::new();
        key.insert(
            "pk".into(),
            s(self.rng.pick(&["a", "b", "c", "aa", "a\u{0}"])),
        );
        if self.tables[table].1.range.is_some() {
            let sk = [-3, -1, 0, 1, 2, 10, 100];
            key.insert("sk".into(), n(self.rng.pick(&sk)));
        }
        key
    }

    pub fn any_item(&mut self, table: usize) -> Attributes {
        let mut item = self.any_key(table);
        for name in ["g", "c", "h", "l", "v", "n"] {
            if !self.rng.chance(3) {
                let value = self.any_value(name);
                item.insert(name.into(), value);
            }
        }
        item
    }

    pub fn any_value(&mut self, name: &str) -> Value {
        match name {
            "g" => s(self.rng.pick(&["x", "y", "x\u{0}y"])),
            "c" => s(self.rng.pick(&["m", "n"])),
            "h" | "l" => n(self.rng.pick(&[-2, 0, 1, 2, 11])),
            "n" => n(i64::try_from(self.rng.below(9)).unwrap()),
            _ => {
                let len = self.rng.below(40);
                s(&"v".repeat(len))
            }
        }
    }

    pub fn any_test(&mut self) -> Option<Test> {
        match self.rng.below(8) {
            0 => Some(Test::Exists("pk")),
            1 => Some(Test::Absent("pk")),
            2 => Some(Test::Exists("g")),
            3 => Some(Test::Equals("c", s("m"))),
            4 => Some(Test::Below("n", n(5))),
            _ => None,
        }
    }

    pub fn any_change(&mut self) -> Change {
        match self.rng.below(5) {
            0 => Change::Add("n", i64::try_from(self.rng.below(5)).unwrap() - 2),
            1 => {
                let names = [vec!["g"], vec!["v", "l"], vec!["h"], vec!["c", "n"]];
                Change::Remove(self.rng.pick(&names))
            }
            _ => {
                let names = [
                    vec!["v"],
                    vec!["g", "h"],
                    vec!["l"],
                    vec!["c", "v", "n"],
                    vec!["g"],
                ];
                let names = self.rng.pick(&names);
                Change::Set(
                    names
                        .into_iter()
                        .map(|name| (name, self.any_value(name)))
                        .collect(),
                )
            }
        }
    }
}
