//! Repairs, each conditional on what was seen.

use super::counter::{State, Suspect};
use super::edge::IndexAttribute;
use crate::error::Result;
use crate::jobs::Work;
use crate::model::companion;
use crate::receipt::Receipt;
use crate::requests::Key;
use bothways_core::{Number, Value};
use bothways_protocol::types::{ReturnConsumedCapacity, UpdateItemInput};
use bothways_protocol::{DynamoDbExt, Operation};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Sets a counter to what was counted, if nothing has moved it since and the map is as it was. Whether it did.
pub(super) async fn counter(
    work: &mut Work<'_>,
    suspect: &Suspect<'_>,
    seen: &State,
    counted: i64,
) -> Result<bool> {
    let maps = suspect.maps();
    let labels: Vec<String> = (0..maps.len()).map(|i| format!("#m{i}")).collect();
    let mut names = vec![
        ("#n", suspect.counter.clone()),
        ("#ops", companion(&suspect.counter)),
    ];
    let number = |n: i64| Value::N(Number::from(n));
    let ops = match &seen.ops {
        Some(Value::N(ops)) => ops.to_i64().unwrap_or(0),
        _ => 0,
    };
    let next = ops.checked_add(1).unwrap_or(1);
    let mut values = vec![(":n", number(counted)), (":next", number(next))];
    let mut condition = match &seen.ops {
        None => "attribute_not_exists(#ops)".to_owned(),
        Some(ops) => {
            values.push((":ops", ops.clone()));
            "#ops = :ops".to_owned()
        }
    };
    if let Some(map) = suspect.streamed_by() {
        condition.push_str(" AND #map.#epoch = :epoch");
        names.extend([("#map", map), ("#epoch", "epoch".to_owned())]);
        values.push((":epoch", Value::N(Number::from(seen.epoch))));
    }
    for (label, map) in labels.iter().zip(maps) {
        let _ = write!(condition, " AND attribute_not_exists({label})");
        names.push((label, map));
    }
    let set = "SET #n = :n, #ops = :next";
    update(work, &suspect.key, set, &condition, &names, values).await
}

/// Sets index attributes that are missing or wrong, if the edge is still as it was seen. Whether it did.
pub(crate) async fn index(
    work: &mut Work<'_>,
    key: &Key,
    attributes: &[IndexAttribute<'_>],
) -> Result<bool> {
    let labels: Vec<[String; 3]> = (0..attributes.len())
        .map(|i| [format!("#i{i}"), format!(":i{i}"), format!(":w{i}")])
        .collect();
    let mut names = vec![("#pk", work.graph.model.keys.pk.clone())];
    let mut values = Vec::new();
    let mut sets = Vec::new();
    let mut condition = "attribute_exists(#pk)".to_owned();
    for ([name, value, wrong], attribute) in labels.iter().zip(attributes) {
        names.push((name, attribute.name.to_owned()));
        values.push((value.as_str(), Value::from(attribute.value.as_str())));
        sets.push(format!("{name} = {value}"));
        match &attribute.wrong {
            None => {
                let _ = write!(condition, " AND attribute_not_exists({name})");
            }
            Some(text) => {
                let _ = write!(condition, " AND {name} = {wrong}");
                values.push((wrong, Value::from(text.as_str())));
            }
        }
    }
    let expression = format!("SET {}", sets.join(", "));
    update(work, key, &expression, &condition, &names, values).await
}

async fn update(
    work: &mut Work<'_>,
    key: &Key,
    expression: &str,
    condition: &str,
    names: &[(&str, String)],
    values: Vec<(&str, Value)>,
) -> Result<bool> {
    let graph = work.graph;
    let model = &*graph.model;
    let owned = |(name, value): (&str, Value)| (name.to_owned(), value);
    let names = names.iter().map(|(n, v)| ((*n).to_owned(), v.clone()));
    let input = UpdateItemInput {
        table_name: Some(model.table.clone()),
        key: Some(key.item(&model.keys).into()),
        update_expression: Some(expression.to_owned()),
        condition_expression: Some(condition.to_owned()),
        expression_attribute_names: Some(names.collect()),
        expression_attribute_values: Some(
            values
                .into_iter()
                .map(owned)
                .collect::<BTreeMap<_, _>>()
                .into(),
        ),
        return_consumed_capacity: Some(ReturnConsumedCapacity::Indexes),
        ..UpdateItemInput::default()
    };
    let mut receipt = Receipt::new(Operation::UpdateItem, &model.table);
    let send = || graph.db.update_item(work.cx, input.clone());
    let done = graph
        .decide(work.cx, &work.job.id, &mut receipt, send)
        .await?;
    if let Ok(output) = &done {
        receipt.consumed(output.consumed_capacity.as_ref());
    }
    // A refusal after an attempt whose answer was lost may be that attempt's own doing.
    let perhaps = receipt.retries > 0;
    work.sent(receipt);
    Ok(done.is_ok() || perhaps)
}
