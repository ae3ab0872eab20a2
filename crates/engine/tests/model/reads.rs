//! Reading operations on both sides.

use crate::common::{Attributes, attributes, item, n};
use crate::naive::{Index, Table, Test, compare};
use crate::script::Script;
use bothways_core::{Item, Value};
use bothways_protocol::types::*;
use std::collections::BTreeMap;

/// One page as both sides see it.
#[derive(Debug, PartialEq)]
struct Page {
    items: Vec<Attributes>,
    scanned: usize,
    last: Option<Attributes>,
}

fn all(items: Option<Vec<Item>>) -> Vec<Attributes> {
    items.unwrap().iter().map(attributes).collect()
}

/// A condition on the sort key: its text, and whether it has a second bound.
fn sort_condition(kind: usize, name: &str) -> (String, bool) {
    match kind {
        0 => (format!("{name} = :lo"), false),
        1 => (format!("{name} < :lo"), false),
        2 => (format!("{name} <= :lo"), false),
        3 => (format!("{name} > :lo"), false),
        4 => (format!("{name} >= :lo"), false),
        _ => (format!("{name} BETWEEN :lo AND :hi"), true),
    }
}

fn fulfils(kind: usize, value: &Value, low: &Value, high: &Value) -> bool {
    let order = compare(value, low);
    match kind {
        0 => order.is_eq(),
        1 => order.is_lt(),
        2 => order.is_le(),
        3 => order.is_gt(),
        4 => order.is_ge(),
        _ => order.is_ge() && compare(value, high).is_le(),
    }
}

/// The model's page: the rows after `start`, up to `limit` of them.
fn page(
    table: &Table,
    index: Option<&Index>,
    rows: &[Attributes],
    start: Option<&Attributes>,
    limit: Option<usize>,
    filter: Option<&Test>,
) -> Page {
    let from = match start {
        None => 0,
        Some(start) => {
            let at = rows
                .iter()
                .position(|row| table.row_key(index, row) == *start);
            at.expect("the start key is a row's") + 1
        }
    };
    let rest = &rows[from..];
    let taken = &rest[..rest.len().min(limit.unwrap_or(usize::MAX))];
    let full = limit.is_some_and(|limit| taken.len() == limit);
    Page {
        items: taken
            .iter()
            .filter(|row| filter.is_none_or(|f| f.holds(Some(row))))
            .cloned()
            .collect(),
        scanned: taken.len(),
        last: taken
            .last()
            .filter(|_| full)
            .map(|row| table.row_key(index, row)),
    }
}

impl Script {
    pub fn get(&mut self) {
        let table = self.any_table();
        let key = self.any_key(table);
        let got = self.db.get(self.tables[table].0, key.clone());
        assert_eq!(got.as_ref(), self.tables[table].1.get(&key));
    }

    pub fn query(&mut self) {
        let table = self.any_table();
        let model = &self.tables[table].1;
        let choice = self.rng.below(model.indexes.len() + 1);
        let index = model.indexes.get(choice).cloned();
        let (hash, range) = match &index {
            Some(ix) => (ix.hash.clone(), ix.range.clone()),
            None => (vec![model.hash], model.range.into_iter().collect()),
        };
        let mut conditions = Vec::new();
        let mut given = Values::new();
        let mut rows = self.tables[table].1.rows(index.as_ref());
        for name in hash {
            let value = if name == "pk" {
                self.any_key(table)["pk"].clone()
            } else {
                self.any_value(name)
            };
            conditions.push(format!("{name} = :{name}"));
            given.insert(format!(":{name}"), value.clone());
            rows.retain(|row| row[name] == value);
        }
        let fixed = if range.len() > 1 {
            self.rng.below(range.len() + 1)
        } else {
            0
        };
        for name in &range[..fixed] {
            let value = self.any_value(name);
            conditions.push(format!("{name} = :{name}"));
            given.insert(format!(":{name}"), value.clone());
            rows.retain(|row| row[*name] == value);
        }
        if let Some(name) = range.get(fixed).filter(|_| self.rng.chance(2)) {
            let kind = self.rng.below(6);
            let mut bounds = [
                self.rng.pick(&[-3, 0, 1, 2]),
                self.rng.pick(&[-1, 1, 2, 100]),
            ];
            bounds.sort_unstable();
            let (low, high) = (n(bounds[0]), n(bounds[1]));
            let (text, two) = sort_condition(kind, name);
            conditions.push(text);
            given.insert(":lo".into(), low.clone());
            if two {
                given.insert(":hi".into(), high.clone());
            }
            rows.retain(|row| fulfils(kind, &row[*name], &low, &high));
        }
        let filter = self.any_filter(index.as_ref());
        if let Some(value) = filter.as_ref().and_then(|f| f.text().1) {
            given.insert(":test".into(), value);
        }
        let reverse = self.rng.chance(2);
        if reverse {
            rows.reverse();
        }
        let limit = self.rng.chance(2).then(|| 1 + self.rng.below(4));
        let count = self.rng.chance(5);
        let input = QueryInput {
            table_name: Some(self.tables[table].0.into()),
            index_name: index.as_ref().map(|ix| ix.name.into()),
            key_condition_expression: Some(conditions.join(" AND ")),
            expression_attribute_values: Some(given.into()),
            filter_expression: filter.as_ref().map(|f| f.text().0),
            scan_index_forward: Some(!reverse),
            limit: limit.map(|n| i32::try_from(n).unwrap()),
            select: count.then_some(Select::Count),
            ..QueryInput::default()
        };
        self.query_pages(table, index.as_ref(), &rows, filter.as_ref(), limit, &input);
    }

    fn query_pages(
        &self,
        table: usize,
        index: Option<&Index>,
        rows: &[Attributes],
        filter: Option<&Test>,
        limit: Option<usize>,
        input: &QueryInput,
    ) {
        let model = &self.tables[table].1;
        let mut start: Option<Attributes> = None;
        loop {
            let mut input = input.clone();
            input.exclusive_start_key = start.as_ref().map(|key| item(key).into());
            let count_only = input.select == Some(Select::Count);
            let got = self.db.query(input.clone());
            let got = got.unwrap_or_else(|error| panic!("{error}: {input:?}"));
            let mut want = page(model, index, rows, start.as_ref(), limit, filter);
            if index.is_none() && model.range.is_none() {
                want.last = None;
            }
            assert_eq!(
                usize::try_from(got.count.unwrap()).unwrap(),
                want.items.len(),
                "{input:?}"
            );
            if count_only {
                assert_eq!(got.items, None);
            } else {
                assert_eq!(all(got.items), want.items, "{input:?}");
            }
            assert_eq!(
                usize::try_from(got.scanned_count.unwrap()).unwrap(),
                want.scanned
            );
            start = got.last_evaluated_key.map(|key| attributes(&key));
            assert_eq!(start, want.last);
            // A query for one whole key cannot be continued.
            if start.is_none() || (index.is_none() && limit == Some(1) && rows.len() == 1) {
                return;
            }
        }
    }

    /// A filter that the source can answer and that is not on its key.
    fn any_filter(&mut self, index: Option<&Index>) -> Option<Test> {
        let filters = [Test::Exists("v"), Test::Absent("n"), Test::Below("n", n(4))];
        let usable = match index.map(|ix| (ix.name, ix.local)) {
            Some(("keys", _)) => 0,
            _ => filters.len(),
        };
        let filter = self.rng.pick(&filters);
        (usable > 0 && self.rng.chance(3)).then_some(filter)
    }

    pub fn scan(&mut self) {
        let table = self.any_table();
        let model = &self.tables[table].1;
        let choice = self.rng.below(model.indexes.len() + 1);
        let index = model.indexes.get(choice).cloned();
        let segments = 1 + self.rng.below(4);
        let limit = 1 + self.rng.below(5);
        let whole = self.scan_segment(table, index.as_ref(), None, limit);
        let mut parts = Vec::new();
        for segment in 0..segments {
            parts.extend(self.scan_segment(
                table,
                index.as_ref(),
                Some((segment, segments)),
                limit,
            ));
        }
        assert_eq!(whole, parts, "segments in order are the whole");
        let sorted = |mut rows: Vec<Attributes>| {
            rows.sort_by_key(|row| format!("{row:?}"));
            rows
        };
        let rows = self.tables[table].1.rows(index.as_ref());
        assert_eq!(sorted(whole), sorted(rows));
    }

    fn scan_segment(
        &self,
        table: usize,
        index: Option<&Index>,
        segment: Option<(usize, usize)>,
        limit: usize,
    ) -> Vec<Attributes> {
        let mut out = Vec::new();
        let mut start = None;
        loop {
            let input = ScanInput {
                table_name: Some(self.tables[table].0.into()),
                index_name: index.map(|ix| ix.name.into()),
                limit: Some(i32::try_from(limit).unwrap()),
                segment: segment.map(|(n, _)| i32::try_from(n).unwrap()),
                total_segments: segment.map(|(_, n)| i32::try_from(n).unwrap()),
                exclusive_start_key: start,
                ..ScanInput::default()
            };
            let got = self.db.scan(input).unwrap();
            let items = all(got.items);
            assert!(items.len() <= limit);
            out.extend(items);
            match got.last_evaluated_key {
                Some(key) => start = Some(key.into()),
                None => return out,
            }
        }
    }

    pub fn batch_get(&mut self) {
        let mut requests: BTreeMap<String, KeysAndAttributes> = BTreeMap::new();
        let mut want: BTreeMap<String, Vec<Attributes>> = BTreeMap::new();
        let mut seen = Vec::new();
        for _ in 0..=self.rng.below(8) {
            let table = self.any_table();
            let key = self.any_key(table);
            if seen.contains(&(table, key.clone())) {
                continue;
            }
            let name = self.tables[table].0.to_owned();
            let request = requests.entry(name.clone()).or_default();
            request.keys.get_or_insert_default().push(item(&key).into());
            let found = self.tables[table].1.get(&key).cloned();
            want.entry(name).or_default().extend(found);
            seen.push((table, key));
        }
        let input = BatchGetItemInput {
            request_items: Some(requests),
            ..BatchGetItemInput::default()
        };
        let output = self.db.batch_get_item(input).unwrap();
        assert_eq!(output.unprocessed_keys, Some(BTreeMap::new()));
        let got: BTreeMap<String, Vec<Attributes>> = output
            .responses
            .unwrap()
            .into_iter()
            .map(|(name, items)| (name, all(Some(items))))
            .collect();
        assert_eq!(got, want);
    }

    pub fn transact_get(&mut self) {
        let mut gets = Vec::new();
        let mut want = Vec::new();
        let mut seen = Vec::new();
        for _ in 0..=self.rng.below(5) {
            let table = self.any_table();
            let key = self.any_key(table);
            if seen.contains(&(table, key.clone())) {
                continue;
            }
            want.push(self.tables[table].1.get(&key).cloned());
            gets.push(TransactGetItem {
                get: Some(Get {
                    key: Some(item(&key).into()),
                    table_name: Some(self.tables[table].0.into()),
                    ..Get::default()
                }),
            });
            seen.push((table, key));
        }
        let input = TransactGetItemsInput {
            transact_items: Some(gets),
            ..TransactGetItemsInput::default()
        };
        let output = self.db.transact_get_items(input).unwrap();
        let got = output.responses.unwrap().into_iter();
        let got: Vec<_> = got.map(|r| r.item.map(|item| attributes(&item))).collect();
        assert_eq!(got, want);
    }
}
