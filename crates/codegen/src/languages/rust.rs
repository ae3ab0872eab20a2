//! AWS SDK for Rust.

use super::bothways::{import, uses};
use super::java::chain;
use super::{Answer, Program, braced, pascal_word, snake};
use crate::doc::Doc;
use crate::tree::{Attribute, Tree};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

pub(super) fn program(program: &Program<'_>) -> String {
    let call = snake(program.name());
    let batch = matches!(program.answer, Answer::BatchGet | Answer::BatchWrite);
    let members = program.input.members().iter();
    let members = members.filter(|(member, _)| !(batch && member == "RequestItems"));
    let mut calls: Vec<Doc> = members
        .flat_map(|(member, part)| member_calls(member, part))
        .collect();
    let rest = program.input.member("RequestItems").filter(|_| batch);
    let rest = rest
        .map(|items| requests(items).print("    ", 1))
        .unwrap_or_default();
    calls.extend(end(program.answer));
    let level = if batch || program.answer == Answer::Statement {
        2
    } else {
        1
    };
    let send = chain(&format!("client.{call}()"), calls).print("    ", level);
    let body = body(program.answer, &send, &rest);
    let mut types: Vec<&str> = TYPES
        .iter()
        .filter(|name| uses(&body, name))
        .copied()
        .collect();
    types.sort_unstable();
    let types = import("aws_sdk_dynamodb::types", &types);
    let blob = if body.contains("Blob::new") {
        "use aws_sdk_dynamodb::primitives::Blob;\n"
    } else {
        ""
    };
    let maps = if body.contains("HashMap::") {
        "use std::collections::HashMap;\n"
    } else {
        ""
    };
    format!(
        "use aws_sdk_dynamodb::Client;\n{blob}{types}{maps}\n#[tokio::main]\n\
         async fn main() -> Result<(), Box<dyn std::error::Error>> {{\n    \
         let config = aws_config::load_from_env().await;\n    let client = Client::new(&config);\n\n{body}    Ok(())\n}}\n"
    )
}

/// Types that a program may have to name.
const TYPES: &[&str] = &[
    "AttributeValue",
    "BatchStatementRequest",
    "ConditionCheck",
    "Delete",
    "DeleteRequest",
    "Get",
    "KeysAndAttributes",
    "ParameterizedStatement",
    "Put",
    "PutRequest",
    "ReturnConsumedCapacity",
    "ReturnItemCollectionMetrics",
    "ReturnValue",
    "ReturnValuesOnConditionCheckFailure",
    "Select",
    "TransactGetItem",
    "TransactWriteItem",
    "Update",
    "WriteRequest",
];

/// Shapes whose builders can fail, because they have required members.
const FALLIBLE: &[&str] = &[
    "BatchStatementRequest",
    "ConditionCheck",
    "Delete",
    "DeleteRequest",
    "Get",
    "KeysAndAttributes",
    "ParameterizedStatement",
    "Put",
    "PutRequest",
    "Update",
];

fn calls(shape: &Tree) -> Vec<Doc> {
    shape
        .members()
        .iter()
        .flat_map(|(member, part)| member_calls(member, part))
        .collect()
}

/// A member's calls on its builder: one an element for lists and maps.
fn member_calls(member: &str, part: &Tree) -> Vec<Doc> {
    let method = snake(member);
    let one = |inner: Doc| Doc::around(format!(".{method}("), inner, ")");
    match part {
        Tree::List(_, all) => all.iter().map(|element| one(self::part(element))).collect(),
        Tree::Map(_, pairs) if member == "RequestItems" => pairs
            .iter()
            .map(|(table, given)| {
                one(Doc::around(
                    format!("{}, ", text(table)),
                    requests_of(given),
                    "",
                ))
            })
            .collect(),
        Tree::Map(_, pairs) => pairs
            .iter()
            .map(|(key, value)| {
                one(Doc::around(
                    format!("{}, ", text(key)),
                    self::part(value),
                    "",
                ))
            })
            .collect(),
        other => vec![one(self::part(other))],
    }
}

fn part(tree: &Tree) -> Doc {
    match tree {
        Tree::Shape(name, _) => {
            let mut calls = calls(tree);
            calls.push(Doc::text(if FALLIBLE.contains(name) {
                ".build()?"
            } else {
                ".build()"
            }));
            chain(&format!("{name}::builder()"), calls)
        }
        Tree::List(_, all) => list(all.iter().map(part).collect()),
        Tree::Map(_, pairs) => map(pairs
            .iter()
            .map(|(key, value)| (format!("{}.to_owned()", text(key)), part(value)))
            .collect()),
        Tree::Value(value) => attribute(value),
        Tree::Text(given) => Doc::text(text(given)),
        Tree::Word(kind, word) => Doc::text(format!("{kind}::{}", pascal_word(word))),
        Tree::Int(number) => Doc::text(number.to_string()),
        Tree::Bool(given) => Doc::text(given.to_string()),
    }
}

fn requests(items: &Tree) -> Doc {
    map(items
        .members()
        .iter()
        .map(|(table, given)| (format!("{}.to_owned()", text(table)), requests_of(given)))
        .collect())
}

fn requests_of(given: &Tree) -> Doc {
    match given {
        Tree::List(_, all) => list(all.iter().map(part).collect()),
        other => part(other),
    }
}

pub(super) fn attribute(value: &Attribute) -> Doc {
    let of = |kind: &str, inner: Doc| Doc::around(format!("AttributeValue::{kind}("), inner, ")");
    let owned = |given: &str| Doc::text(format!("{}.into()", text(given)));
    let texts = |all: &[String]| list(all.iter().map(|given| owned(given)).collect());
    match value {
        Attribute::S(given) => of("S", owned(given)),
        Attribute::N(given) => of("N", owned(given)),
        Attribute::B(base64) => of("B", Doc::text(bytes(base64))),
        Attribute::Bool(given) => of("Bool", Doc::text(given.to_string())),
        Attribute::Null => of("Null", Doc::text("true")),
        Attribute::Ss(all) => of("Ss", texts(all)),
        Attribute::Ns(all) => of("Ns", texts(all)),
        Attribute::Bs(all) => of(
            "Bs",
            list(all.iter().map(|base64| Doc::text(bytes(base64))).collect()),
        ),
        Attribute::L(all) => of("L", list(all.iter().map(attribute).collect())),
        Attribute::M(all) => {
            let pairs = all
                .iter()
                .map(|(name, value)| (format!("{}.to_owned()", text(name)), attribute(value)));
            of("M", map(pairs.collect()))
        }
    }
}

fn list(all: Vec<Doc>) -> Doc {
    Doc::list("vec![", all, "]")
}

fn map(pairs: Vec<(String, Doc)>) -> Doc {
    let pairs = pairs
        .into_iter()
        .map(|(key, value)| Doc::around(format!("({key}, "), value, ")"));
    Doc::list("HashMap::from([", pairs.collect(), "])")
}

fn bytes(base64: &str) -> String {
    let bytes = BASE64_STANDARD.decode(base64).unwrap_or_default();
    format!("Blob::new(b\"{}\")", bytes.escape_ascii())
}

pub(super) fn text(given: &str) -> String {
    braced(given, &[])
}

/// The calls that end a request's chain.
fn end(answer: Answer) -> Vec<Doc> {
    let calls: &[&str] = match answer {
        Answer::Pages => &[".into_paginator()", ".items()", ".send()"],
        Answer::Counts => &[".into_paginator()", ".send()"],
        Answer::Statement => &[".set_next_token(token)", ".send()", ".await?"],
        Answer::BatchGet | Answer::BatchWrite => {
            &[".set_request_items(Some(rest))", ".send()", ".await?"]
        }
        _ => &[".send()", ".await?"],
    };
    calls.iter().map(|call| Doc::text(*call)).collect()
}

fn body(answer: Answer, send: &str, rest: &str) -> String {
    const SHOW: &str = "println!(\"{item:?}\");";
    match answer {
        Answer::Pages => format!(
            "    let mut items = {send};\n    while let Some(item) = items.next().await {{\n        println!(\"{{:?}}\", item?);\n    }}\n"
        ),
        Answer::Page => format!(
            "    let page = {send};\n    for item in page.items() {{\n        {SHOW}\n    }}\n"
        ),
        Answer::Counts => format!(
            "    let mut count = 0;\n    let mut pages = {send};\n    while let Some(page) = pages.next().await {{\n        count += page?.count();\n    }}\n    println!(\"{{count}}\");\n"
        ),
        Answer::Statement => format!(
            "    let mut token = None;\n    loop {{\n        let page = {send};\n        for item in page.items() {{\n            {SHOW}\n        }}\n        \
             token = page.next_token().map(str::to_owned);\n        if token.is_none() {{\n            break;\n        }}\n    }}\n"
        ),
        Answer::Item => format!(
            "    let answer = {send};\n    if let Some(item) = answer.item() {{\n        {SHOW}\n    }}\n"
        ),
        Answer::Attributes => {
            format!(
                "    let answer = {send};\n    if let Some(item) = answer.attributes() {{\n        {SHOW}\n    }}\n"
            )
        }
        Answer::BatchGet => format!(
            "    // What a batch leaves over is sent again, a little later each time.\n    let mut rest = {rest};\n    let mut wait = std::time::Duration::from_millis(50);\n    \
             while !rest.is_empty() {{\n        let answer = {send};\n        for item in answer.responses().into_iter().flat_map(HashMap::values).flatten() {{\n            {SHOW}\n        }}\n        \
             rest = answer.unprocessed_keys().cloned().unwrap_or_default();\n        if !rest.is_empty() {{\n            tokio::time::sleep(wait).await;\n            wait = (wait * 2).min(std::time::Duration::from_secs(5));\n        }}\n    }}\n"
        ),
        Answer::BatchWrite => format!(
            "    // What a batch leaves over is sent again, a little later each time.\n    let mut rest = {rest};\n    let mut wait = std::time::Duration::from_millis(50);\n    \
             while !rest.is_empty() {{\n        let answer = {send};\n        rest = answer.unprocessed_items().cloned().unwrap_or_default();\n        if !rest.is_empty() {{\n            \
             tokio::time::sleep(wait).await;\n            wait = (wait * 2).min(std::time::Duration::from_secs(5));\n        }}\n    }}\n"
        ),
        Answer::Responses => format!(
            "    let answer = {send};\n    for item in answer.responses().iter().filter_map(|response| response.item()) {{\n        {SHOW}\n    }}\n"
        ),
        Answer::Statements => format!(
            "    let answer = {send};\n    for response in answer.responses() {{\n        if let Some(error) = response.error() {{\n            eprintln!(\"{{error:?}}\");\n        }}\n        \
             if let Some(item) = response.item() {{\n            {SHOW}\n        }}\n    }}\n"
        ),
        Answer::Nothing => format!("    {send};\n"),
    }
}
