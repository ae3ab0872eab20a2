//! Random operations on both sides.

use crate::common::{
    Attributes, Db, Ix, Rng, TestClock, clock, create, create_index, drop_index, engine, n,
    options, s, streams,
};
use crate::naive::{Change, Index, Table, Test};
use bothways_core::Value;
use bothways_engine::{Engine, Options};
use bothways_protocol::types::{GlobalSecondaryIndexDescription, IndexStatus, StreamViewType};
use bothways_store::{MemoryStore, Store};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Both sides, and where the random sequence stands.
pub struct Script {
    pub rng: Rng,
    pub db: Db,
    pub tables: Vec<(&'static str, Table)>,
    pub clock: Arc<TestClock>,
    /// The index that is being made or dropped.
    changing: Option<&'static Ix>,
    open: Box<dyn Fn() -> Arc<dyn Store>>,
    pub step: usize,
    /// The last transaction that happened under a token.
    /// The last transaction with a token, and when it was sent.
    pub last_token: Option<(u64, bothways_protocol::types::TransactWriteItemsInput)>,
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

/// Indexes that come and go; with those of [`INDEXES`] that are global.
const LATE: &[Ix] = &[
    Ix {
        name: "late",
        local: false,
        key: "c:S l:N",
        projection: "ALL",
    },
    Ix {
        name: "later",
        local: false,
        key: "h:N c:S/l:N",
        projection: "v",
    },
];

/// Few items a step, so that operations come between the steps of a backfill.
fn slowly(clock: &Arc<TestClock>) -> Options {
    Options {
        backfill_items: 3,
        ..options(clock)
    }
}

fn index(ix: &Ix) -> Index {
    let (hash, range) = match ix.name {
        "all" => (vec!["g"], vec!["h"]),
        "keys" => (vec!["g"], vec![]),
        "multi" => (vec!["g", "c"], vec!["h", "l"]),
        "late" => (vec!["c"], vec!["l"]),
        "later" => (vec!["h", "c"], vec!["l"]),
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
        let db = Db(Engine::open(open(), slowly(&clock)).unwrap());
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
            last_record: None,
        };
        let plain = Table {
            hash: "pk",
            range: None,
            indexes: Vec::new(),
            items: BTreeMap::new(),
            changes: Vec::new(),
            last_record: None,
        };
        Self {
            rng: Rng(seed),
            db,
            tables: vec![("wide", wide), ("plain", plain)],
            clock,
            changing: None,
            open: Box::new(open),
            step: 0,
            last_token: None,
        }
    }

    pub fn step(&mut self) {
        self.step += 1;
        match self.rng.below(22) {
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
            19 => self.change_index(),
            20 => self.sweep(),
            _ => self.clock.advance(30_000),
        }
    }

    /// Makes an index or drops one, unless that is going on.
    fn change_index(&mut self) {
        if self.changing.is_some() || !self.rng.chance(4) {
            return;
        }
        let globals: Vec<&'static Ix> = INDEXES.iter().chain(LATE).filter(|i| !i.local).collect();
        let ix = self.rng.pick(&globals);
        let (name, table) = &mut self.tables[0];
        let there = table.indexes.iter().position(|own| own.name == ix.name);
        if let Some(position) = there {
            drop_index(&self.db, name, ix.name).unwrap();
            table.indexes.remove(position);
        } else {
            create_index(&self.db, name, ix).unwrap();
            let error = create_index(&self.db, name, ix).unwrap_err();
            assert!(error.message.contains("Only 1 online index"), "{error}");
        }
        self.changing = Some(ix);
    }

    /// One step of the background; an index that is ready with it is read from then on.
    fn sweep(&mut self) {
        self.db.0.sweep().unwrap();
        let Some(ix) = self.changing else {
            return;
        };
        let (name, table) = &mut self.tables[0];
        let indexes = self.db.describe(name).global_secondary_indexes;
        let mut indexes = indexes.unwrap_or_default().into_iter();
        let found = indexes.find(|own| own.index_name.as_deref() == Some(ix.name));
        match found.and_then(|own| own.index_status) {
            None => self.changing = None,
            Some(IndexStatus::Active) => {
                table.indexes.push(index(ix));
                self.changing = None;
            }
            Some(_) => {}
        }
    }

    pub fn reopen(&mut self) {
        // The last engine lets go of its store first.
        self.db = Db(engine());
        self.db = Db(Engine::open((self.open)(), slowly(&self.clock)).unwrap());
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
            let ready =
                |ix: &GlobalSecondaryIndexDescription| ix.index_status == Some(IndexStatus::Active);
            for ix in globals.into_iter().filter(ready) {
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

    /// Every change since the last check is in the stream, in order, and nothing else.
    pub fn check_streams(&mut self) {
        for (name, table) in &mut self.tables {
            let arn = streams::arn(&self.db, name);
            let records = streams::records_after(&self.db, &arn, table.last_record.as_deref());
            assert_eq!(records.len(), table.changes.len(), "records of {name}");
            for (record, change) in records.iter().zip(table.changes.drain(..)) {
                assert_eq!(streams::images(record), change, "a record of {name}");
            }
            let last = records
                .last()
                .map(|record| streams::number(record).to_owned());
            table.last_record = last.or(table.last_record.take());
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
