//! What somebody should know before a request is sent.

use super::Finding;
use crate::Schema;
use bothways_core::KeySchema;
use bothways_core::expr::{Condition, KeyConditionError, Path};
use bothways_protocol::Request;
use bothways_protocol::types::{QueryInput, ScanInput, Select};
use bothways_protocol::validate;

pub(super) fn of(request: &Request, schema: Option<&Schema>) -> Vec<Finding> {
    let mut findings = Vec::new();
    match request {
        Request::Query(input) => query(input, schema, &mut findings),
        Request::Scan(input) => scan(input, schema, &mut findings),
        Request::BatchWriteItem(_) => {
            findings.push(note("a batch is no transaction: some of its writes can succeed and others come back as UnprocessedItems"));
        }
        Request::PutItem(input)
            if input.condition_expression.is_none() && input.expected.is_none() =>
        {
            findings.push(note(
                "without a condition, an item that is there already is replaced as a whole",
            ));
        }
        _ => {}
    }
    if let (Some(schema), Some((keys, whole))) = (schema, keys_given(request)) {
        for key in keys {
            key_fits(key, &schema.keys, whole, &mut findings);
        }
    }
    findings
}

fn note(text: impl Into<String>) -> Finding {
    Finding {
        fatal: false,
        text: text.into(),
    }
}

fn fatal(text: impl Into<String>) -> Finding {
    Finding {
        fatal: true,
        text: text.into(),
    }
}

/// The keys that a request gives, and whether they are keys only (else items).
fn keys_given(request: &Request) -> Option<(Vec<&bothways_core::Item>, bool)> {
    match request {
        Request::GetItem(input) => Some((vec![&input.key.as_ref()?.value], true)),
        Request::DeleteItem(input) => Some((vec![&input.key.as_ref()?.value], true)),
        Request::UpdateItem(input) => Some((vec![&input.key.as_ref()?.value], true)),
        Request::PutItem(input) => Some((vec![&input.item.as_ref()?.value], false)),
        _ => None,
    }
}

fn key_fits(
    given: &bothways_core::Item,
    keys: &KeySchema,
    whole: bool,
    findings: &mut Vec<Finding>,
) {
    if let Err(error) = keys.check(given) {
        findings.push(fatal(error.to_string()));
    } else if whole && given.len() != keys.len() {
        let names: Vec<_> = keys.names().collect();
        findings.push(fatal(format!(
            "the key is {} and nothing else",
            names.join(" and ")
        )));
    }
}

fn query(input: &QueryInput, schema: Option<&Schema>, findings: &mut Vec<Finding>) {
    let Ok(plan) = validate::query(input) else {
        return;
    };
    if let Some(schema) = schema {
        let index = input.index_name.as_deref();
        let Some(keys) = schema.keys_of(index) else {
            findings.push(fatal(format!(
                "{} has no index {}",
                schema.table,
                index.unwrap_or_default()
            )));
            return;
        };
        match plan.key_condition.bind(keys) {
            Ok(_) => {}
            Err(KeyConditionError::MissingElement { attribute }) => {
                findings.push(fatal(format!("no condition on {attribute}, the partition key: without it this would be a Scan")));
            }
            Err(error) => findings.push(fatal(error.to_string())),
        }
        consistent_index(input.consistent_read, index, schema, findings);
        if let Some(filter) = &plan.filter {
            filtered_keys(filter, keys, findings);
        }
        projected(plan.projection.as_ref(), index, schema, findings);
    }
    filter(plan.filter.is_some(), input.limit.is_some(), findings);
    counted(input.select, findings);
}

fn scan(input: &ScanInput, schema: Option<&Schema>, findings: &mut Vec<Finding>) {
    let Ok(plan) = validate::scan(input) else {
        return;
    };
    findings.push(note("a Scan reads everything, whatever its filter keeps"));
    if let Some(schema) = schema {
        let index = input.index_name.as_deref();
        if index.is_some_and(|name| schema.index(name).is_none()) {
            findings.push(fatal(format!(
                "{} has no index {}",
                schema.table,
                index.unwrap_or_default()
            )));
            return;
        }
        consistent_index(input.consistent_read, index, schema, findings);
        let names = plan.filter.as_ref().map(equalities).unwrap_or_default();
        let served = std::iter::once((None, &schema.keys))
            .chain(
                schema
                    .indexes
                    .iter()
                    .map(|index| (Some(index.name.as_str()), &index.keys)),
            )
            .find(|(_, keys)| {
                keys.hash
                    .iter()
                    .all(|part| names.iter().any(|name| *name == part.name))
            });
        if let Some((index, _)) = served {
            let place = index.unwrap_or("the table");
            findings.push(note(format!("its filter fixes the partition key of {place}: a Query there reads only what is wanted")));
        }
        projected(plan.projection.as_ref(), index, schema, findings);
    }
    filter(plan.filter.is_some(), input.limit.is_some(), findings);
    counted(input.select, findings);
}

fn consistent_index(
    consistent: Option<bool>,
    index: Option<&str>,
    schema: &Schema,
    findings: &mut Vec<Finding>,
) {
    let global = index
        .and_then(|name| schema.index(name))
        .is_some_and(|index| index.global);
    if consistent == Some(true) && global {
        findings.push(fatal(
            "a global secondary index has no strongly consistent reads",
        ));
    }
}

/// Attributes that a filter's top level fixes by `=`.
fn equalities<'c>(filter: &'c Condition<'_>) -> Vec<&'c str> {
    use bothways_core::expr::{Comparator, Node, Operand};
    fn of<'c>(node: &'c Node<'_>, into: &mut Vec<&'c str>) {
        match node {
            Node::And(all) => all.iter().for_each(|node| of(node, into)),
            Node::Compare {
                op: Comparator::Eq,
                left,
                right,
            } => {
                for (path, other) in [(left, right), (right, left)] {
                    if let (Operand::Path(path), Some(_)) = (path, other.as_literal())
                        && !path.is_nested()
                    {
                        into.push(path.top());
                    }
                }
            }
            _ => {}
        }
    }
    let mut names = Vec::new();
    of(filter.tree(), &mut names);
    names
}

fn filtered_keys(filter: &Condition<'_>, keys: &KeySchema, findings: &mut Vec<Finding>) {
    let mut found = Vec::new();
    filter.for_each_path(&mut |path| {
        if keys.contains(path.top()) && !found.contains(&path.top().to_owned()) {
            found.push(path.top().to_owned());
        }
    });
    for name in found {
        findings.push(fatal(format!("the filter looks at {name}, a key of what is queried: that belongs in the key condition")));
    }
}

fn projected(
    projection: Option<&bothways_core::expr::Projection<'_>>,
    index: Option<&str>,
    schema: &Schema,
    findings: &mut Vec<Finding>,
) {
    let Some((index, others)) = index
        .and_then(|name| schema.index(name))
        .and_then(|index| Some((index, index.projected.as_ref()?)))
    else {
        return;
    };
    let there = |name: &str| {
        schema.keys.contains(name)
            || index.keys.contains(name)
            || others.iter().any(|own| own == name)
    };
    let missing = projection.map(|all| {
        all.paths()
            .iter()
            .map(Path::top)
            .filter(|name| !there(name))
            .collect::<Vec<_>>()
    });
    match missing {
        Some(missing) if missing.is_empty() => {}
        Some(missing) if index.global => {
            findings.push(fatal(format!(
                "{} does not hold {}",
                index.name,
                missing.join(", ")
            )));
        }
        Some(missing) => findings.push(note(format!(
            "{} does not hold {}: each item costs one more read of the table",
            index.name,
            missing.join(", ")
        ))),
        None => {
            let held = if others.is_empty() {
                "the keys".to_owned()
            } else {
                format!("the keys and {}", others.join(", "))
            };
            findings.push(note(format!("{} holds {held} only", index.name)));
        }
    }
}

fn filter(filtered: bool, limited: bool, findings: &mut Vec<Finding>) {
    if filtered {
        findings.push(note("what the filter drops is read and paid for"));
        if limited {
            findings.push(note("the limit counts items read, not items kept: a page can come back empty and not be the last"));
        }
    }
}

fn counted(select: Option<Select>, findings: &mut Vec<Finding>) {
    if select == Some(Select::Count) {
        findings.push(note("counting costs as much as reading the items"));
    }
}
