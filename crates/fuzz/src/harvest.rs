//! Inputs from the cases of other crates' tests: what AWS was asked, and more of it with every case added there.

use serde_json::Value;

macro_rules! files {
    ($($path:literal)*) => {
        [$(include_str!(concat!("../../", $path)),)*]
    };
}

/// Cases of one request a line, and of several steps.
const FILES: [&str; 14] = files! {
    "protocol/tests/refusals.jsonl"
    "engine/tests/answers/batches.jsonl"
    "engine/tests/answers/capacity.jsonl"
    "engine/tests/answers/expressions.jsonl"
    "engine/tests/answers/gaps.jsonl"
    "engine/tests/answers/indexes.jsonl"
    "engine/tests/answers/items.jsonl"
    "engine/tests/answers/legacy.jsonl"
    "engine/tests/answers/limits.jsonl"
    "engine/tests/answers/order.jsonl"
    "engine/tests/answers/partiql.jsonl"
    "engine/tests/answers/plane.jsonl"
    "engine/tests/answers/reads.jsonl"
    "engine/tests/answers/tables.jsonl"
};

/// Each operation with its request.
fn requests_of_cases() -> Vec<(String, Value)> {
    let lines = FILES.into_iter().flat_map(str::lines);
    let cases = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let steps = cases.flat_map(|case| match &case["steps"] {
        Value::Array(steps) => steps.clone(),
        _ => vec![case],
    });
    let asked = steps.filter_map(|step| {
        let request = step.get("request").or_else(|| step.get("body"))?;
        Some((step["op"].as_str()?.to_owned(), request.clone()))
    });
    asked.collect()
}

/// Every request, as the target `request` takes it.
pub(crate) fn requests() -> Vec<Vec<u8>> {
    let requests = requests_of_cases().into_iter();
    requests
        .map(|(op, request)| format!("{op}\n{request}").into_bytes())
        .collect()
}

/// Every member of these names, wherever it stands: a text as it is, anything else as JSON.
pub(crate) fn members(names: &[&str]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for (_, request) in requests_of_cases() {
        collect(&request, names, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

fn collect(value: &Value, names: &[&str], found: &mut Vec<Vec<u8>>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if names.contains(&name.as_str()) {
                    let text = member
                        .as_str()
                        .map_or_else(|| member.to_string(), str::to_owned);
                    found.push(text.into_bytes());
                }
                collect(member, names, found);
            }
        }
        Value::Array(elements) => elements
            .iter()
            .for_each(|element| collect(element, names, found)),
        _ => {}
    }
}
