//! Writing operations on both sides.

use crate::common::{Attributes, attributes, item};
use crate::naive::{Act, Test};
use crate::script::Script;
use bothways_core::{Item, Value};
use bothways_engine::Clock as _;
use bothways_protocol::types::*;
use bothways_protocol::{Error, ErrorKind};
use std::collections::BTreeMap;

/// How long a token is remembered, milliseconds.
const TOKEN_MILLIS: u64 = 10 * 60 * 1000;

type Failure = ReturnValuesOnConditionCheckFailure;

/// An action of a transaction: table, key, what to do, condition, what a failure returns.
type Action = (usize, Attributes, Act, Option<Test>, Option<Failure>);

fn values(pairs: impl IntoIterator<Item = (String, Value)>) -> Option<Given<Values>> {
    let map: Values = pairs.into_iter().collect();
    (!map.is_empty()).then(|| map.into())
}

fn same(got: Option<Item>, want: Option<Attributes>, what: &str) {
    assert_eq!(got.map(|item| attributes(&item)), want, "{what}");
}

impl Script {
    pub fn put(&mut self) {
        let table = self.any_table();
        let (new, test) = (self.any_item(table), self.any_test());
        let old = self.rng.chance(2);
        let on_failure = self.any_on_failure();
        let input = PutItemInput {
            table_name: Some(self.tables[table].0.into()),
            item: Some(item(&new).into()),
            condition_expression: test.as_ref().map(|t| t.text().0),
            expression_attribute_values: values(test.iter().filter_map(condition_value)),
            return_values: old.then_some(ReturnValue::AllOld),
            return_values_on_condition_check_failure: on_failure,
            ..PutItemInput::default()
        };
        let got = self.db.put_item(input);
        let model = &mut self.tables[table].1;
        let before = model.get(&new).cloned();
        if !holds(test.as_ref(), before.as_ref()) {
            return failed(got.unwrap_err(), on_failure, before);
        }
        model.set(&new.clone(), Some(new));
        same(
            got.unwrap().attributes,
            before.filter(|_| old),
            "put returns",
        );
    }

    pub fn delete(&mut self) {
        let table = self.any_table();
        let (key, test) = (self.any_key(table), self.any_test());
        let old = self.rng.chance(2);
        let on_failure = self.any_on_failure();
        let input = DeleteItemInput {
            table_name: Some(self.tables[table].0.into()),
            key: Some(item(&key).into()),
            condition_expression: test.as_ref().map(|t| t.text().0),
            expression_attribute_values: values(test.iter().filter_map(condition_value)),
            return_values: old.then_some(ReturnValue::AllOld),
            return_values_on_condition_check_failure: on_failure,
            ..DeleteItemInput::default()
        };
        let got = self.db.delete_item(input);
        let model = &mut self.tables[table].1;
        let before = model.get(&key).cloned();
        if !holds(test.as_ref(), before.as_ref()) {
            return failed(got.unwrap_err(), on_failure, before);
        }
        model.set(&key, None);
        same(
            got.unwrap().attributes,
            before.filter(|_| old),
            "delete returns",
        );
    }

    pub fn update(&mut self) {
        let table = self.any_table();
        let (key, test, change) = (self.any_key(table), self.any_test(), self.any_change());
        let wanted = self.rng.pick(ReturnValue::ALL);
        let on_failure = self.any_on_failure();
        let (expression, mut given) = change.text();
        given.extend(test.iter().filter_map(condition_value));
        let input = UpdateItemInput {
            table_name: Some(self.tables[table].0.into()),
            key: Some(item(&key).into()),
            update_expression: Some(expression),
            condition_expression: test.as_ref().map(|t| t.text().0),
            expression_attribute_values: values(given),
            return_values: Some(wanted),
            return_values_on_condition_check_failure: on_failure,
            ..UpdateItemInput::default()
        };
        let got = self.db.update_item(input);
        let model = &mut self.tables[table].1;
        let before = model.get(&key).cloned();
        if !holds(test.as_ref(), before.as_ref()) {
            return failed(got.unwrap_err(), on_failure, before);
        }
        let after = change.apply(&key, before.as_ref());
        model.set(&key, after.clone());
        let touched = |mut item: Attributes| {
            item.retain(|name, _| change.touched().contains(&name.as_str()));
            (!item.is_empty()).then_some(item)
        };
        let want = match wanted {
            ReturnValue::None => None,
            ReturnValue::AllOld => before,
            ReturnValue::AllNew => after,
            ReturnValue::UpdatedOld => before.and_then(touched),
            ReturnValue::UpdatedNew => after.and_then(touched),
        };
        same(got.unwrap().attributes, want, "update returns");
    }

    pub fn batch_write(&mut self) {
        let mut requests: BTreeMap<String, Vec<WriteRequest>> = BTreeMap::new();
        let mut acts = Vec::new();
        for _ in 0..=self.rng.below(6) {
            let table = self.any_table();
            let new = self.any_item(table);
            let id = (table, self.tables[table].1.id(&new));
            if acts.iter().any(|(other, _, _)| *other == id) {
                continue;
            }
            let key = self.key_of(table, &new);
            let put = !self.rng.chance(3);
            requests
                .entry(self.tables[table].0.into())
                .or_default()
                .push(if put {
                    WriteRequest {
                        put_request: Some(PutRequest {
                            item: Some(item(&new).into()),
                        }),
                        ..WriteRequest::default()
                    }
                } else {
                    WriteRequest {
                        delete_request: Some(DeleteRequest {
                            key: Some(item(&key).into()),
                        }),
                        ..WriteRequest::default()
                    }
                });
            acts.push((id, key, put.then_some(new)));
        }
        let input = BatchWriteItemInput {
            request_items: Some(requests),
            ..BatchWriteItemInput::default()
        };
        let output = self.db.batch_write_item(input).unwrap();
        assert_eq!(output.unprocessed_items, Some(BTreeMap::new()));
        for ((table, _), key, new) in acts {
            self.tables[table].1.set(&key, new);
        }
    }

    pub fn transact_write(&mut self) {
        if self.rng.chance(6) && self.last_token.is_some() {
            return self.repeat_token();
        }
        let mut acts: Vec<Action> = Vec::new();
        for _ in 0..=self.rng.below(4) {
            let table = self.any_table();
            let new = self.any_item(table);
            let key = self.key_of(table, &new);
            if acts.iter().any(|(t, k, ..)| *t == table && *k == key) {
                continue;
            }
            let test = self.any_test();
            let act = match self.rng.below(5) {
                0 | 1 => Act::Put(new),
                2 => Act::Delete,
                3 if test.is_some() => Act::Check,
                _ => Act::Update(self.any_change()),
            };
            let on_failure = self.any_on_failure();
            acts.push((table, key, act, test, on_failure));
        }
        let token = self.rng.chance(2).then(|| format!("token-{}", self.step));
        let input = TransactWriteItemsInput {
            transact_items: Some(acts.iter().map(|act| self.wire(act)).collect()),
            client_request_token: token.clone(),
            ..TransactWriteItemsInput::default()
        };
        let got = self.db.transact_write_items(input.clone());
        let mut after = Vec::new();
        let mut reasons = Vec::new();
        for (table, key, act, test, on_failure) in &acts {
            let before = self.tables[*table].1.get(key);
            let ok = holds(test.as_ref(), before);
            let shown = before
                .filter(|_| !ok && *on_failure == Some(Failure::AllOld))
                .cloned();
            reasons.push((if ok { "None" } else { "ConditionalCheckFailed" }, shown));
            after.push(act.after(key, before));
        }
        if reasons.iter().any(|(code, _)| *code != "None") {
            let error = got.unwrap_err();
            assert_eq!(error.kind, ErrorKind::TransactionCanceled);
            let got: Vec<_> = error
                .reasons
                .iter()
                .map(|r| (r.code.as_str(), r.item.as_ref().map(attributes)))
                .collect();
            assert_eq!(got, reasons);
            return;
        }
        got.unwrap();
        for ((table, key, ..), after) in acts.iter().zip(after) {
            self.tables[*table].1.set(key, after);
        }
        if token.is_some() {
            self.last_token = Some((self.clock.now_millis(), input));
        }
    }

    /// The same token: nothing happens while it is remembered, whatever became of the items since.
    fn repeat_token(&mut self) {
        let Some((at, input)) = self.last_token.take() else {
            return;
        };
        if self.clock.now_millis() - at >= TOKEN_MILLIS {
            return;
        }
        self.db.transact_write_items(input.clone()).unwrap();
        let mut other = input;
        other.transact_items.as_mut().unwrap().reverse();
        if other.transact_items.as_ref().unwrap().len() > 1 {
            let error = self.db.transact_write_items(other).unwrap_err();
            assert_eq!(error.kind, ErrorKind::IdempotentParameterMismatch);
        }
    }

    fn wire(&self, (table, key, act, test, on_failure): &Action) -> TransactWriteItem {
        let table_name = Some(self.tables[*table].0.to_owned());
        let condition_expression = test.as_ref().map(|t| t.text().0);
        let mut given: Vec<_> = test.iter().filter_map(condition_value).collect();
        let mut out = TransactWriteItem::default();
        let key = Some(item(key).into());
        match act {
            Act::Put(new) => {
                out.put = Some(Put {
                    item: Some(item(new).into()),
                    table_name,
                    condition_expression,
                    expression_attribute_values: values(given),
                    return_values_on_condition_check_failure: *on_failure,
                    ..Put::default()
                });
            }
            Act::Delete => {
                out.delete = Some(Delete {
                    key,
                    table_name,
                    condition_expression,
                    expression_attribute_values: values(given),
                    return_values_on_condition_check_failure: *on_failure,
                    ..Delete::default()
                });
            }
            Act::Check => {
                out.condition_check = Some(ConditionCheck {
                    key,
                    table_name,
                    condition_expression,
                    expression_attribute_values: values(given),
                    return_values_on_condition_check_failure: *on_failure,
                    ..ConditionCheck::default()
                });
            }
            Act::Update(change) => {
                let (expression, more) = change.text();
                given.extend(more);
                out.update = Some(Update {
                    key,
                    table_name,
                    update_expression: Some(expression),
                    condition_expression,
                    expression_attribute_values: values(given),
                    return_values_on_condition_check_failure: *on_failure,
                    ..Update::default()
                });
            }
        }
        out
    }

    fn any_on_failure(&mut self) -> Option<Failure> {
        self.rng.chance(2).then_some(Failure::AllOld)
    }

    pub fn key_of(&self, table: usize, attributes: &Attributes) -> Attributes {
        let names = self.tables[table].1.key_names();
        names
            .iter()
            .map(|name| ((*name).to_owned(), attributes[*name].clone()))
            .collect()
    }
}

fn condition_value(test: &Test) -> Option<(String, Value)> {
    Some((":test".to_owned(), test.text().1?))
}

fn holds(test: Option<&Test>, item: Option<&Attributes>) -> bool {
    test.is_none_or(|test| test.holds(item))
}

fn failed(error: Error, wanted: Option<Failure>, before: Option<Attributes>) {
    assert_eq!(error.kind, ErrorKind::ConditionalCheckFailed, "{error}");
    same(
        error.item,
        before.filter(|_| wanted.is_some()),
        "the item in the error",
    );
}
