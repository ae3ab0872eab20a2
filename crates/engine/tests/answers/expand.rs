//! Values that are too long to write into a case.
//!
//! - `{"$text": 400}`: a string of that many letters `x`; `{"$text": 400, "of": "ab"}` repeats another.
//! - `{"$binary": 400}`: Base64 of that many zero bytes.
//! - `{"$deep": 31}`: a string inside that many maps of one key `n`.
//! - `{"$list": 26, "of": …}`: a list of copies, `{i}` in their strings replaced by the position.
//! - `{"$map": 26, "of": …}`: a map of copies, their names `k0`, `k1`, …
//! - `{"$join": 26, "of": "a{i} = :v", "with": " AND "}`: a string of copies.
//! - In any string, `{x*400}` is that many letters `x`.

use serde_json::{Map, Value, json};

/// The value with everything in it made.
pub fn value(given: &Value) -> Value {
    match given {
        Value::Object(members) => made(members).unwrap_or_else(|| {
            let members = members.iter().map(|(name, v)| (text(name), value(v)));
            Value::Object(members.collect())
        }),
        Value::Array(list) => list.iter().map(value).collect(),
        Value::String(words) => Value::String(text(words)),
        other => other.clone(),
    }
}

/// The string with its repeats written out.
pub fn text(given: &str) -> String {
    let Some((before, rest)) = given.split_once('{') else {
        return given.to_owned();
    };
    if let Some((repeat, after)) = rest.split_once('}')
        && let Some((unit, times)) = repeat.split_once('*')
        && let Ok(times) = times.parse()
    {
        return format!("{before}{}{}", unit.repeat(times), text(after));
    }
    format!("{before}{{{}", text(rest))
}

fn made(members: &Map<String, Value>) -> Option<Value> {
    let (name, count) = members.iter().find(|(name, _)| name.starts_with('$'))?;
    let count = usize::try_from(count.as_u64()?).unwrap();
    let of = members.get("of");
    let copies = || (0..count).map(|i| value(&numbered(of.unwrap_or(&Value::Null), i)));
    Some(match name.as_str() {
        "$text" => json!(of.and_then(Value::as_str).unwrap_or("x").repeat(count)),
        "$binary" => {
            let thirds = count / 3;
            let tail = ["", "AA==", "AAA="][count % 3];
            json!("AAAA".repeat(thirds) + tail)
        }
        "$deep" => (0..count).fold(json!({"S": "leaf"}), |inner, _| json!({"M": {"n": inner}})),
        "$list" => copies().collect(),
        "$map" => copies()
            .enumerate()
            .map(|(i, copy)| (format!("k{i}"), copy))
            .collect(),
        "$join" => {
            let parts: Vec<String> = copies().map(|v| v.as_str().unwrap().to_owned()).collect();
            json!(parts.join(members.get("with").and_then(Value::as_str).unwrap()))
        }
        other => panic!("{other} is unknown"),
    })
}

fn numbered(template: &Value, i: usize) -> Value {
    let number = |words: &str| words.replace("{i}", &i.to_string());
    match template {
        Value::Object(members) => members
            .iter()
            .map(|(name, v)| (number(name), numbered(v, i)))
            .collect(),
        Value::Array(list) => list.iter().map(|v| numbered(v, i)).collect(),
        Value::String(words) => Value::String(number(words)),
        other => other.clone(),
    }
}
