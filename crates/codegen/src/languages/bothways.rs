//! This project's own Rust API: the typed request over anything that answers DynamoDB requests.

use super::rust::text;
use super::{Answer, Program, pascal_word, snake};
use crate::doc::Doc;
use crate::tree::{Attribute, Tree, VALUE};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

pub(super) fn program(program: &Program<'_>) -> String {
    let name = program.name();
    let input = shape(&format!("{name}Input"), program.input).print("    ", 1);
    let call = snake(name);
    let body = body(program.answer, &call);
    let text = format!("{input}{body}");
    let mut core: Vec<&str> = Vec::new();
    for name in ["Item", "Number", "Value"] {
        if uses(&text, name) {
            core.push(name);
        }
    }
    let mut types: Vec<&str> = TYPES
        .iter()
        .copied()
        .filter(|name| uses(&text, name))
        .collect();
    types.sort_unstable();
    let maps: Vec<&str> = ["BTreeMap", "BTreeSet"]
        .into_iter()
        .filter(|name| uses(&text, name))
        .collect();
    let mutable = if body.contains("input.") { "mut " } else { "" };
    format!(
        "{}{}use bothways_protocol::{{Context, DynamoDb, DynamoDbExt, Error}};\n{}\n\
         async fn run(db: &dyn DynamoDb) -> Result<(), Error> {{\n    let cx = Context::default();\n    let {mutable}input = {input};\n{body}    Ok(())\n}}\n",
        import("bothways_core", &core),
        import("bothways_protocol::types", &types),
        import("std::collections", &maps),
    )
}

/// Whether a program names a type: the name with no letter before or after it.
pub(super) fn uses(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at]
            .chars()
            .next_back()
            .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '"');
        let after = &text[at + name.len()..];
        !before && (after.starts_with("::") || after.starts_with(" {"))
    })
}

/// A `use` of some names of a module; nothing for none.
pub(super) fn import(module: &str, names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("use {module}::{one};\n"),
        many => format!("use {module}::{{{}}};\n", many.join(", ")),
    }
}

const TYPES: &[&str] = &[
    "BatchExecuteStatementInput",
    "BatchGetItemInput",
    "BatchStatementRequest",
    "BatchWriteItemInput",
    "ConditionCheck",
    "Delete",
    "DeleteItemInput",
    "DeleteRequest",
    "ExecuteStatementInput",
    "ExecuteTransactionInput",
    "Get",
    "GetItemInput",
    "KeysAndAttributes",
    "ParameterizedStatement",
    "Put",
    "PutItemInput",
    "PutRequest",
    "QueryInput",
    "ReturnConsumedCapacity",
    "ReturnItemCollectionMetrics",
    "ReturnValue",
    "ReturnValuesOnConditionCheckFailure",
    "ScanInput",
    "Select",
    "TransactGetItem",
    "TransactGetItemsInput",
    "TransactWriteItem",
    "TransactWriteItemsInput",
    "Update",
    "UpdateItemInput",
    "WriteRequest",
];

fn shape(name: &str, tree: &Tree) -> Doc {
    let members = tree.members().iter();
    let mut members: Vec<Doc> = members
        .map(|(member, part)| {
            Doc::around(
                format!("{}: Some(", snake(member)),
                self::member(member, part),
                ")",
            )
        })
        .collect();
    members.push(Doc::text("..Default::default()"));
    Doc::list(format!("{name} {{"), members, "}")
        .padded()
        .no_trailing()
}

fn member(name: &str, tree: &Tree) -> Doc {
    match (name, tree) {
        ("ExpressionAttributeValues", Tree::Map(_, pairs)) => {
            let pairs = pairs.iter().map(|(key, value)| (key.clone(), part(value)));
            Doc::around("", btree(pairs), ".into()")
        }
        (_, Tree::Map(kind, pairs)) if *kind == VALUE => Doc::around("", item(pairs), ".into()"),
        (_, Tree::List(kind, all)) if *kind == VALUE => vec(all
            .iter()
            .map(|one| Doc::around("", part(one), ".into()"))
            .collect()),
        _ => part(tree),
    }
}

fn part(tree: &Tree) -> Doc {
    match tree {
        Tree::Shape(name, _) => shape(name, tree),
        Tree::List(kind, all) => vec(all
            .iter()
            .map(|one| {
                if *kind == "Map<AttributeValue>" {
                    Doc::around("", part(one), ".into()")
                } else {
                    part(one)
                }
            })
            .collect()),
        Tree::Map(kind, pairs) if *kind == VALUE => item(pairs),
        Tree::Map(_, pairs) => btree(pairs.iter().map(|(key, value)| (key.clone(), part(value)))),
        Tree::Value(value) => attribute(value),
        Tree::Text(given) => Doc::text(format!("{}.to_owned()", text(given))),
        Tree::Word(kind, word) => Doc::text(format!("{kind}::{}", pascal_word(word))),
        Tree::Int(number) => Doc::text(number.to_string()),
        Tree::Bool(given) => Doc::text(given.to_string()),
    }
}

fn item(pairs: &[(String, Tree)]) -> Doc {
    let pairs = pairs
        .iter()
        .map(|(name, value)| Doc::around(format!("({}, ", text(name)), part(value), ")"));
    Doc::list("Item::from_attributes([", pairs.collect(), "])")
}

fn btree(pairs: impl Iterator<Item = (String, Doc)>) -> Doc {
    let pairs =
        pairs.map(|(key, value)| Doc::around(format!("({}.to_owned(), ", text(&key)), value, ")"));
    Doc::list("BTreeMap::from([", pairs.collect(), "])")
}

fn vec(all: Vec<Doc>) -> Doc {
    Doc::list("vec![", all, "]")
}

fn attribute(value: &Attribute) -> Doc {
    let of = |kind: &str, inner: Doc| Doc::around(format!("Value::{kind}("), inner, ")");
    let set = |all: Vec<Doc>| Doc::list("BTreeSet::from([", all, "])");
    let owned = |given: &String| Doc::text(format!("{}.to_owned()", text(given)));
    match value {
        Attribute::S(given) => of("S", owned(given)),
        Attribute::N(given) => of("N", number(given)),
        Attribute::B(base64) => of("B", bytes(base64)),
        Attribute::Bool(given) => of("Bool", Doc::text(given.to_string())),
        Attribute::Null => Doc::text("Value::Null"),
        Attribute::Ss(all) => of("Ss", set(all.iter().map(owned).collect())),
        Attribute::Ns(all) => of("Ns", set(all.iter().map(|given| number(given)).collect())),
        Attribute::Bs(all) => of("Bs", set(all.iter().map(|base64| bytes(base64)).collect())),
        Attribute::L(all) => of("L", vec(all.iter().map(attribute).collect())),
        Attribute::M(all) => of(
            "M",
            btree(
                all.iter()
                    .map(|(name, value)| (name.clone(), attribute(value))),
            ),
        ),
    }
}

fn number(given: &str) -> Doc {
    Doc::text(format!(
        "Number::parse({}).expect(\"a number\")",
        text(given)
    ))
}

fn bytes(base64: &str) -> Doc {
    let bytes = BASE64_STANDARD.decode(base64).unwrap_or_default();
    Doc::text(format!("b\"{}\".as_slice().into()", bytes.escape_ascii()))
}

const SHOW: &str = "println!(\"{item:?}\");";

const WAITS: &str = "    // What a batch leaves over is sent again, a little later each time.\n    let mut wait = std::time::Duration::from_millis(50);\n";
const PAUSE: &str = "if input.request_items.as_ref().is_some_and(|rest| !rest.is_empty()) {\n            tokio::time::sleep(wait).await;\n            wait = (wait * 2).min(std::time::Duration::from_secs(5));\n        }\n";

fn body(answer: Answer, call: &str) -> String {
    let send = format!("db.{call}(&cx, input.clone()).await?");
    let last = format!("db.{call}(&cx, input).await?");
    match answer {
        Answer::Pages => format!(
            "    loop {{\n        let page = {send};\n        for item in page.items.into_iter().flatten() {{\n            {SHOW}\n        }}\n        \
             let Some(last) = page.last_evaluated_key else {{ break }};\n        input.exclusive_start_key = Some(last.into());\n    }}\n"
        ),
        Answer::Page => format!(
            "    for item in {last}.items.into_iter().flatten() {{\n        {SHOW}\n    }}\n"
        ),
        Answer::Counts => format!(
            "    let mut count = 0;\n    loop {{\n        let page = {send};\n        count += page.count.unwrap_or_default();\n        \
             let Some(last) = page.last_evaluated_key else {{ break }};\n        input.exclusive_start_key = Some(last.into());\n    }}\n    println!(\"{{count}}\");\n"
        ),
        Answer::Statement => format!(
            "    loop {{\n        let page = {send};\n        for item in page.items.into_iter().flatten() {{\n            {SHOW}\n        }}\n        \
             input.next_token = page.next_token;\n        if input.next_token.is_none() {{\n            break;\n        }}\n    }}\n"
        ),
        Answer::Item => format!("    if let Some(item) = {last}.item {{\n        {SHOW}\n    }}\n"),
        Answer::Attributes => {
            format!("    if let Some(item) = {last}.attributes {{\n        {SHOW}\n    }}\n")
        }
        Answer::BatchGet => format!(
            "{WAITS}    while input.request_items.as_ref().is_some_and(|rest| !rest.is_empty()) {{\n        let answer = {send};\n        \
             for item in answer.responses.into_iter().flatten().flat_map(|(_, items)| items) {{\n            {SHOW}\n        }}\n        input.request_items = answer.unprocessed_keys;\n        {PAUSE}    }}\n"
        ),
        Answer::BatchWrite => format!(
            "{WAITS}    while input.request_items.as_ref().is_some_and(|rest| !rest.is_empty()) {{\n        input.request_items = {send}.unprocessed_items;\n        {PAUSE}    }}\n"
        ),
        Answer::Responses => format!(
            "    for item in {last}.responses.into_iter().flatten().filter_map(|response| response.item) {{\n        {SHOW}\n    }}\n"
        ),
        Answer::Statements => format!(
            "    for response in {last}.responses.into_iter().flatten() {{\n        if let Some(error) = response.error {{\n            eprintln!(\"{{error:?}}\");\n        }}\n        \
             if let Some(item) = response.item {{\n            {SHOW}\n        }}\n    }}\n"
        ),
        Answer::Nothing => format!("    {last};\n"),
    }
}
