//! `model check` against what is really sent: each proof's request is the one that a server received.

mod support;

use bothways_core::{Item, Value, ValueRef};
use bothways_graph::model::shipped_models;
use bothways_graph::{Changes, Direction, Graph, ListOptions, Plan};
use bothways_protocol::types::{QueryInput, TransactWriteItemsInput};
use bothways_protocol::{Operation, Request};
use support::{Recorder, cx, engine, graph_over, operation, wait};

/// Ids whose escaping must not get in the way, below each other for undirected relations.
const SOURCE: &str = "al#1";
const TARGET: &str = "bo%2";

/// The proof's words with the ids in place of the slots.
fn filled(words: &str) -> String {
    words
        .replace("{src}", "al%231")
        .replace("{dst}", "bo%252")
        .replace("{id}", "al%231")
}

fn text(item: &Item, name: &str) -> String {
    match item.get(name) {
        Some(ValueRef::S(text)) => text.to_owned(),
        other => panic!("{name} is {other:?}"),
    }
}

fn key(item: &Item) -> String {
    format!("PK = {}, SK = {}", text(item, "PK"), text(item, "SK"))
}

fn query_words(input: &QueryInput) -> (String, Option<String>) {
    let names = input.expression_attribute_names.clone().expect("names");
    let values = input
        .expression_attribute_values
        .clone()
        .expect("values")
        .value;
    let value = |name: &str| match values.get(name) {
        Some(Value::S(text)) => Some(text.clone()),
        _ => None,
    };
    let condition = input.key_condition_expression.as_deref();
    let range = value(":sk").map(|prefix| format!("begins_with({}, {prefix})", names["#sk"]));
    let want = if range.is_some() {
        "#pk = :pk AND begins_with(#sk, :sk)"
    } else {
        "#pk = :pk"
    };
    assert_eq!(condition, Some(want));
    (
        format!("{} = {}", names["#pk"], value(":pk").expect("a partition")),
        range,
    )
}

fn transaction_words(input: &TransactWriteItemsInput) -> String {
    let words = input.transact_items.iter().flatten().map(|action| {
        let put = action.put.as_ref().and_then(|p| p.item.as_ref());
        let delete = action.delete.as_ref().and_then(|d| d.key.as_ref());
        let update = action.update.as_ref().and_then(|u| u.key.as_ref());
        let (verb, item) = [("Put", put), ("Delete", delete), ("Update", update)]
            .into_iter()
            .find_map(|(verb, item)| Some((verb, item?)))
            .expect("an action");
        format!("{verb} {}", key(&item.value))
    });
    words.collect::<Vec<_>>().join("; ")
}

/// Whether a recorded request is the planned one.
fn is_as_planned(request: &Request, plan: &Plan) {
    assert_eq!(operation(request), plan.operation);
    let strong = plan
        .consistency
        .map(|c| c == bothways_graph::Consistency::Strong);
    match request {
        Request::Query(input) => {
            assert_eq!(input.table_name.as_ref(), Some(&plan.table));
            assert_eq!(input.index_name, plan.index);
            let (partition, range) = query_words(input);
            assert_eq!(partition, filled(&plan.key));
            assert_eq!(range, plan.range);
            assert_eq!(Some(input.consistent_read == Some(true)), strong);
        }
        Request::GetItem(input) => {
            assert_eq!(
                key(&input.key.as_ref().expect("a key").value),
                filled(&plan.key)
            );
            assert_eq!(input.consistent_read, strong);
        }
        Request::UpdateItem(input) => {
            assert_eq!(
                key(&input.key.as_ref().expect("a key").value),
                filled(&plan.key)
            );
        }
        Request::TransactWriteItems(input) => {
            assert_eq!(transaction_words(input), filled(&plan.key));
        }
        other => panic!("no pattern sends {other:?}"),
    }
}

/// Does what a pattern says.
fn perform(graph: &Graph, access: &str) {
    let cx = &cx();
    let (verb, of) = access.split_once(' ').expect("a verb and a name");
    let none = Changes::new();
    let options = ListOptions::default();
    match verb {
        "entity" => drop(wait(graph.get_entity(cx, of, SOURCE)).expect(access)),
        "show" => drop(wait(graph.show(cx, of, SOURCE)).expect(access)),
        "out" => drop(wait(graph.list(cx, of, Direction::Out, SOURCE, &options)).expect(access)),
        "in" => drop(wait(graph.list(cx, of, Direction::In, TARGET, &options)).expect(access)),
        "edge" => drop(wait(graph.edge(cx, of, SOURCE, TARGET)).expect(access)),
        "count" => {
            drop(wait(graph.counts(cx, of, TARGET, Some(Direction::In))).expect(access));
        }
        "set" => {
            let grade = none.set("grade", Value::S("A".into()));
            drop(wait(graph.set(cx, of, SOURCE, TARGET, &grade)).expect(access));
        }
        "link" => drop(wait(graph.link(cx, of, SOURCE, TARGET, &none)).expect(access)),
        "unlink" => drop(wait(graph.unlink(cx, of, SOURCE, TARGET)).expect(access)),
        other => panic!("no such pattern: {other}"),
    }
}

#[test]
fn every_proof_of_every_shipped_model_is_what_the_server_receives() {
    for file in shipped_models() {
        let recorder = Recorder::new(engine());
        let graph = graph_over(recorder.clone(), file.name, 1);
        let report = graph.model().check(None);
        for relation in &graph.model().relations {
            perform(&graph, &format!("link {}", relation.name));
        }
        for proof in &report.proofs {
            // A person's friends are asked for from both ends, which the proof names; a show asks for them beside.
            recorder.take();
            perform(&graph, &proof.access);
            let requests = recorder.take();
            let proven: Vec<&Request> = requests.iter().take(proof.plans.len()).collect();
            assert_eq!(
                requests.len(),
                proof.plans.len(),
                "{}: {}",
                file.name,
                proof.pattern
            );
            for (request, plan) in proven.into_iter().zip(&proof.plans) {
                // An undirected list is of one id, whichever slot it fills.
                let mut plan = plan.clone();
                if proof.plans.len() == 2 {
                    plan.key = plan.key.replace("{dst}", "{src}");
                }
                is_as_planned(request, &plan);
            }
        }
    }
}

#[test]
fn the_price_of_a_proof_is_what_the_server_charges() {
    let graph = graph_over(engine(), "follow", 1);
    let plan = |access: &str| {
        let report = graph.model().check(None);
        let proof = report.proofs.into_iter().find(|p| p.access == access);
        proof.and_then(|mut p| p.plans.pop()).expect(access)
    };
    let none = Changes::new();
    let linked = wait(graph.link(&cx(), "follows", SOURCE, TARGET, &none)).expect("a link");
    assert_eq!(linked.receipts[0].operation, Operation::TransactWriteItems);
    assert_eq!(linked.receipts[0].write, plan("link follows").write);
    assert_eq!(linked.receipts[0].index_write["GSI1"].0, 2);
    let edge = wait(graph.edge(&cx(), "follows", SOURCE, TARGET)).expect("an edge");
    assert_eq!(edge.receipts[0].read, plan("edge follows").read);
    let unlinked = wait(graph.unlink(&cx(), "follows", SOURCE, TARGET)).expect("an answer");
    assert_eq!(unlinked.receipts[0].write, plan("unlink follows").write);
}
