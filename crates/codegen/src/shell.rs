//! An AWS CLI command as the request that it sends.

use crate::draft::DraftError;
use bothways_protocol::Operation;
use serde_json::{Map, Value as Json};

/// Options of the AWS CLI itself, which say nothing of the request; the second is whether a value follows.
const GLOBAL: &[(&str, bool)] = &[
    ("--endpoint-url", true),
    ("--region", true),
    ("--profile", true),
    ("--output", true),
    ("--query", true),
    ("--color", true),
    ("--ca-bundle", true),
    ("--cli-read-timeout", true),
    ("--cli-connect-timeout", true),
    ("--cli-binary-format", true),
    ("--page-size", true),
    ("--no-cli-pager", false),
    ("--no-paginate", false),
    ("--no-sign-request", false),
    ("--no-verify-ssl", false),
    ("--debug", false),
];

/// The CLI's own paging, which no request can say: dropped, the request would read more than the command.
const PAGING: &[&str] = &["--max-items", "--starting-token"];

/// The members whose value is text, or a number, or a list of words; all others are JSON.
const TEXT: &[&str] = &[
    "TableName",
    "IndexName",
    "KeyConditionExpression",
    "FilterExpression",
    "ProjectionExpression",
    "UpdateExpression",
    "ConditionExpression",
    "ClientRequestToken",
    "Select",
    "ReturnValues",
    "ReturnConsumedCapacity",
    "ReturnItemCollectionMetrics",
    "ReturnValuesOnConditionCheckFailure",
    "ConditionalOperator",
    "Statement",
    "NextToken",
];

/// Reads `aws dynamodb OPERATION OPTIONS`.
pub(crate) fn command(text: &str) -> Result<(Operation, Json), DraftError> {
    let words = words(text)?;
    let mut words = words
        .into_iter()
        .skip_while(|word| word != "dynamodb")
        .skip(1);
    let name = words
        .next()
        .ok_or_else(|| DraftError::Command("the operation is missing".into()))?;
    let operation = operation(&name)?;
    let mut body = Map::new();
    while let Some(word) = words.next() {
        let (option, inline) = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => {
                (option.to_owned(), Some(value.to_owned()))
            }
            _ => (word, None),
        };
        if let Some((_, valued)) = GLOBAL.iter().find(|(name, _)| *name == option) {
            if *valued && inline.is_none() {
                words.next();
            }
            continue;
        }
        if PAGING.contains(&option.as_str()) {
            let words = "is paging of the AWS CLI's own: say --limit and --exclusive-start-key";
            return Err(DraftError::Command(format!("{option} {words}")));
        }
        let Some(kebab) = option.strip_prefix("--") else {
            return Err(DraftError::Command(format!(
                "{option} stands where an option should"
            )));
        };
        let (member, flag) = member(operation, kebab)?;
        let value = match (flag, inline) {
            (Some(flag), None) => Json::Bool(flag),
            (None, Some(value)) => argument(&member, &option, vec![value])?,
            (None, None) => argument(&member, &option, values(&member, &option, &mut words)?)?,
            (Some(_), Some(_)) => {
                return Err(DraftError::Command(format!("{option} takes no value")));
            }
        };
        if member == "CliInputJson" {
            let Json::Object(given) = value else {
                return Err(DraftError::Command(
                    "--cli-input-json is not a JSON object".into(),
                ));
            };
            for (name, value) in given {
                body.entry(name).or_insert(value);
            }
        } else {
            body.insert(member, value);
        }
    }
    Ok((operation, Json::Object(body)))
}

/// One value, or for a list of words as many as stand there.
fn values(
    member: &str,
    option: &str,
    words: &mut (impl Iterator<Item = String> + Clone),
) -> Result<Vec<String>, DraftError> {
    let missing = || DraftError::Command(format!("{option} has no value"));
    let mut values = vec![words.next().ok_or_else(missing)?];
    if member == "AttributesToGet" {
        while words
            .clone()
            .next()
            .is_some_and(|word| !word.starts_with("--"))
        {
            values.extend(words.next());
        }
    }
    Ok(values)
}

fn operation(kebab: &str) -> Result<Operation, DraftError> {
    let name = pascal(kebab);
    let found = Operation::ALL
        .iter()
        .find(|operation| operation.name() == name);
    found
        .copied()
        .ok_or_else(|| DraftError::Command(format!("there is no operation {kebab}")))
}

/// The member that an option fills, and what a flag sets it to.
fn member(operation: Operation, kebab: &str) -> Result<(String, Option<bool>), DraftError> {
    let known = |name: &str| operation.parameters().contains(&name);
    let name = pascal(kebab);
    if name == "CliInputJson" {
        return Ok((name, None));
    }
    if known(&name) {
        let flag = matches!(name.as_str(), "ConsistentRead" | "ScanIndexForward");
        return Ok((name, flag.then_some(true)));
    }
    let negated = kebab.strip_prefix("no-").map(pascal);
    match negated {
        Some(name) if known(&name) => Ok((name, Some(false))),
        _ => Err(DraftError::Command(format!(
            "{} has no option --{kebab}",
            operation.name()
        ))),
    }
}

fn argument(member: &str, option: &str, values: Vec<String>) -> Result<Json, DraftError> {
    let value = values.first().cloned().unwrap_or_default();
    if TEXT.contains(&member) {
        return Ok(Json::String(value));
    }
    if member == "AttributesToGet" && !value.starts_with('[') {
        return Ok(values.into_iter().map(Json::String).collect());
    }
    serde_json::from_str(&value).or_else(|error| {
        shorthand(&value)
            .ok_or_else(|| DraftError::Command(format!("{option} is not JSON: {error}")))
    })
}

/// The CLI's shorthand for a map of names or of simple values: `#a=b,#c=d` and `PK={S=a},SK={S=b}`.
fn shorthand(text: &str) -> Option<Json> {
    let mut out = Map::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        if let Some(inner) = after.strip_prefix('{') {
            let (pair, after) = inner.split_once('}')?;
            let (kind, value) = pair.split_once('=')?;
            let value = match (kind, value) {
                ("BOOL" | "NULL", "true") => Json::Bool(true),
                ("BOOL", "false") => Json::Bool(false),
                ("S" | "N" | "B", text) => Json::String(text.to_owned()),
                _ => return None,
            };
            out.insert(
                name.to_owned(),
                Json::Object(Map::from_iter([(kind.to_owned(), value)])),
            );
            rest = after.strip_prefix(',').unwrap_or(after);
        } else {
            let (value, after) = after.split_once(',').unwrap_or((after, ""));
            out.insert(name.to_owned(), Json::String(value.to_owned()));
            rest = after;
        }
    }
    (!out.is_empty()).then_some(Json::Object(out))
}

fn pascal(kebab: &str) -> String {
    let mut out = String::with_capacity(kebab.len());
    for part in kebab.split('-') {
        let mut chars = part.chars();
        out.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        out.push_str(chars.as_str());
    }
    out
}

/// A command line's words as a POSIX shell takes them apart, without expansions.
fn words(text: &str) -> Result<Vec<String>, DraftError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => quoted(&mut chars, '\'', word.get_or_insert_default())?,
            '"' => quoted(&mut chars, '"', word.get_or_insert_default())?,
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some('\r') => {
                    let mut ahead = chars.clone();
                    if ahead.next() == Some('\n') {
                        chars = ahead;
                    }
                }
                Some(c) => word.get_or_insert_default().push(c),
            },
            '$' | '`' => {
                return Err(DraftError::Command(format!(
                    "{c} would be expanded by the shell; write what it stands for"
                )));
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quoted(
    chars: &mut std::str::Chars<'_>,
    quote: char,
    word: &mut String,
) -> Result<(), DraftError> {
    while let Some(c) = chars.next() {
        match c {
            c if c == quote => return Ok(()),
            '\\' if quote == '"' => match chars.next() {
                Some('\n') => {}
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                Some(c) => word.extend(['\\', c]),
                None => break,
            },
            '$' if quote == '"'
                && chars
                    .clone()
                    .next()
                    .is_some_and(|c| c.is_ascii_alphabetic() || "{(_".contains(c)) =>
            {
                return Err(DraftError::Command(
                    "$ would be expanded by the shell; write what it stands for".into(),
                ));
            }
            c => word.push(c),
        }
    }
    Err(DraftError::Command(format!("the {quote} is never closed")))
}
