//! AWS SDK for JavaScript v3, the document client: attribute values are JavaScript's own.

use super::javascript::{LITERALS, body, key};
use super::{Answer, Program, Refusal, quoted};
use crate::doc::Doc;
use crate::tree::{Attribute, Tree, attribute};
use bothways_core::{Value, json};

pub(super) fn program(program: &Program<'_>) -> Result<String, Refusal> {
    let name = match program.name() {
        "GetItem" => "Get",
        "PutItem" => "Put",
        "UpdateItem" => "Update",
        "DeleteItem" => "Delete",
        "BatchGetItem" => "BatchGet",
        "BatchWriteItem" => "BatchWrite",
        "TransactGetItems" => "TransactGet",
        "TransactWriteItems" => "TransactWrite",
        other => other,
    };
    let input = tree(program.input)?.print("  ", 0);
    let numbers = if input.contains("NumberValue.from") {
        ", NumberValue"
    } else {
        ""
    };
    let client = if program.answer == Answer::Nothing || program.answer == Answer::BatchWrite {
        "DynamoDBDocumentClient.from(new DynamoDBClient({}))"
    } else {
        "DynamoDBDocumentClient.from(new DynamoDBClient({}), {\n  unmarshallOptions: { wrapNumbers: true }, // keeps all 38 digits\n})"
    };
    let body = body(
        program.answer,
        &format!("client.send(new {name}Command(input))"),
        "item",
    );
    Ok(format!(
        "import {{ DynamoDBClient }} from \"@aws-sdk/client-dynamodb\";\n\
         import {{ DynamoDBDocumentClient, {name}Command{numbers} }} from \"@aws-sdk/lib-dynamodb\";\n\n\
         const client = {client};\n\n\
         const input = {input};\n\n{body}"
    ))
}

/// A value as JavaScript's own.
pub(super) fn plain(given: &Value) -> Result<Doc, Refusal> {
    let mut bytes = Vec::new();
    json::write_value(given.as_ref(), &mut bytes);
    value(&attribute(
        &serde_json::from_slice(&bytes).unwrap_or_default(),
    ))
}

fn tree(part: &Tree) -> Result<Doc, Refusal> {
    let pairs = |members: &[(String, Tree)]| {
        let pairs = members
            .iter()
            .map(|(name, part)| Ok((key(name), tree(part)?)));
        Ok::<_, Refusal>(LITERALS.map(pairs.collect::<Result<Vec<_>, Refusal>>()?.into_iter()))
    };
    Ok(match part {
        Tree::Shape(_, members) | Tree::Map(_, members) => pairs(members)?,
        Tree::List(_, all) => LITERALS.list(all.iter().map(tree).collect::<Result<_, _>>()?),
        Tree::Value(given) => value(given)?,
        other => LITERALS.tree(other),
    })
}

fn value(given: &Attribute) -> Result<Doc, Refusal> {
    Ok(match given {
        Attribute::S(text) => Doc::text(quoted(text)),
        Attribute::N(text) => Doc::text(number(text)),
        Attribute::B(text) => Doc::text(format!("Buffer.from({}, \"base64\")", quoted(text))),
        Attribute::Bool(given) => Doc::text(given.to_string()),
        Attribute::Null => Doc::text("null"),
        Attribute::Ss(all) => set(all, |text| Ok(quoted(text)))?,
        Attribute::Ns(all) => {
            set(all, |text| {
                let safe = is_safe(text);
                safe.then(|| text.to_owned()).ok_or_else(|| {
                Refusal::new(format!("the document client would round {text} in a number set; use the plain client"))
            })
            })?
        }
        Attribute::Bs(all) => set(all, |text| {
            Ok(format!("Buffer.from({}, \"base64\")", quoted(text)))
        })?,
        Attribute::L(all) => LITERALS.list(all.iter().map(value).collect::<Result<_, _>>()?),
        Attribute::M(all) => {
            let pairs = all
                .iter()
                .map(|(name, given)| Ok((key(name), value(given)?)));
            LITERALS.map(pairs.collect::<Result<Vec<_>, Refusal>>()?.into_iter())
        }
    })
}

fn set(all: &[String], element: impl Fn(&str) -> Result<String, Refusal>) -> Result<Doc, Refusal> {
    let elements = all.iter().map(|text| element(text).map(Doc::text));
    Ok(Doc::around(
        "new Set(",
        LITERALS.list(elements.collect::<Result<_, _>>()?),
        ")",
    ))
}

fn number(text: &str) -> String {
    if is_safe(text) {
        text.to_owned()
    } else {
        format!("NumberValue.from({})", quoted(text))
    }
}

/// Whether JavaScript's own number says exactly this one, and prints it the same way.
fn is_safe(text: &str) -> bool {
    const SAFE: i64 = 9_007_199_254_740_991;
    text.parse::<i64>()
        .is_ok_and(|number| number.abs() <= SAFE && number.to_string() == text)
        || (text.len() <= 15
            && text
                .parse::<f64>()
                .is_ok_and(|number| number.to_string() == text))
}
