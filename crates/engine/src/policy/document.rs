//! A policy in AWS's form: without spaces, members in a fixed order, a list of one as its element, an account as the ARN
//! of its root.

use bothways_protocol::Message;
use serde_json::{Map, Value};

/// Most bytes of a policy as it is sent. Source: API Reference, `PutResourcePolicy`.
const POLICY_BYTES: usize = 20_480;
/// The version of one that names none. Source: IAM User Guide, "Version".
const OLD_VERSION: &str = "2008-10-17";
/// Members of a statement in AWS's order.
const MEMBERS: &[&str] = &[
    "Sid",
    "Effect",
    "Principal",
    "NotPrincipal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
];

/// The document in AWS's form.
pub(super) fn canonical(given: &str) -> Result<String, Message> {
    if given.len() > POLICY_BYTES {
        return Err(Message::PolicyTooLarge {
            limit: POLICY_BYTES,
        });
    }
    let Ok(Value::Object(policy)) = serde_json::from_str::<Value>(given) else {
        return Err(Message::PolicyJson);
    };
    let statements = match policy.get("Statement") {
        Some(Value::Array(list)) => list.clone(),
        Some(Value::Object(one)) => vec![Value::Object(one.clone())],
        _ => Vec::new(),
    };
    if statements.is_empty() {
        return Err(Message::PolicyEmpty);
    }
    let mut sids: Vec<String> = Vec::new();
    let mut next = Vec::new();
    for statement in statements {
        let Value::Object(statement) = statement else {
            return Err(Message::PolicyJson);
        };
        if let Some(Value::String(sid)) = statement.get("Sid") {
            if sids.contains(sid) {
                return Err(Message::PolicySids);
            }
            sids.push(sid.clone());
        }
        next.push(Value::Object(of_statement(&statement)?));
    }
    let version = policy.get("Version").cloned();
    let mut out = Map::new();
    let version = version.unwrap_or_else(|| Value::String(OLD_VERSION.into()));
    out.insert("Version".into(), version);
    if let Some(id) = policy.get("Id") {
        out.insert("Id".into(), id.clone());
    }
    out.insert("Statement".into(), Value::Array(next));
    Ok(Value::Object(out).to_string())
}

fn of_statement(statement: &Map<String, Value>) -> Result<Map<String, Value>, Message> {
    let needs: [(&'static str, &[&str]); 4] = [
        ("Effect", &["Effect"]),
        ("Principal", &["Principal", "NotPrincipal"]),
        ("Action", &["Action", "NotAction"]),
        ("Resource", &["Resource", "NotResource"]),
    ];
    for (field, any) in needs {
        if !any.iter().any(|name| statement.contains_key(*name)) {
            return Err(Message::PolicyLacks { field });
        }
    }
    let mut out = Map::new();
    for name in MEMBERS {
        let Some(value) = statement.get(*name) else {
            continue;
        };
        let value = match *name {
            "Effect" => effect(value),
            "Principal" | "NotPrincipal" => principal(value),
            "Condition" => value.clone(),
            _ => single(value),
        };
        out.insert((*name).to_owned(), value);
    }
    let everybody = out.get("Principal").is_some_and(is_everybody);
    let open = everybody
        && out.get("Effect") == Some(&Value::String("Allow".into()))
        && !out.contains_key("Condition");
    if open {
        return Err(Message::PolicyUnbounded);
    }
    Ok(out)
}

/// `allow` as `Allow`.
fn effect(value: &Value) -> Value {
    match value.as_str() {
        Some(word) if word.eq_ignore_ascii_case("allow") => "Allow".into(),
        Some(word) if word.eq_ignore_ascii_case("deny") => "Deny".into(),
        _ => value.clone(),
    }
}

/// A list of one as its element.
fn single(value: &Value) -> Value {
    match value {
        Value::Array(list) if list.len() == 1 => list[0].clone(),
        other => other.clone(),
    }
}

/// Account ids as the ARNs of their roots, each once.
fn principal(value: &Value) -> Value {
    let Value::Object(kinds) = value else {
        return value.clone();
    };
    let of_kind = |(kind, value): (&String, &Value)| {
        let list = match value {
            Value::Array(list) => list.clone(),
            one => vec![one.clone()],
        };
        let mut next: Vec<Value> = Vec::new();
        for one in list {
            let one = match one.as_str().filter(|_| kind == "AWS") {
                Some(id) if id.len() == 12 && id.bytes().all(|b| b.is_ascii_digit()) => {
                    Value::String(format!("arn:aws:iam::{id}:root"))
                }
                _ => one,
            };
            if !next.contains(&one) {
                next.push(one);
            }
        }
        (kind.clone(), single(&Value::Array(next)))
    };
    Value::Object(kinds.iter().map(of_kind).collect())
}

fn is_everybody(principal: &Value) -> bool {
    principal == "*" || principal.get("AWS").is_some_and(|aws| aws == "*")
}
