//! What AWS refuses before it looks at a table, and in which words: `refusals.jsonl`, one request a line, each with its
//! source. A `null` message is a request that passes.

use bothways_protocol::{Error, ErrorKind, Operation, Request, validate};

#[derive(serde::Deserialize)]
struct Case {
    op: String,
    body: serde_json::Value,
    kind: String,
    message: Option<String>,
    source: String,
}

fn answer(case: &Case) -> Result<(), Error> {
    let target = format!("DynamoDB_20120810.{}", case.op);
    let request = Request::decode(
        Operation::of_target(Some(&target))?,
        case.body.to_string().as_bytes(),
    )?;
    validate::request(&request)
}

#[test]
fn requests_are_refused_as_aws_refuses_them() {
    let cases = include_str!("refusals.jsonl").lines();
    let cases: Vec<Case> = cases
        .map(|line| serde_json::from_str(line).expect("a case is JSON"))
        .collect();
    assert!(cases.len() > 150);
    let mut wrong = Vec::new();
    for case in &cases {
        let got = answer(case)
            .err()
            .map(|error| (error.kind, error.message.into_owned()));
        let want = case
            .message
            .clone()
            .map(|m| (ErrorKind::of_type(&case.kind), m));
        if got != want {
            let short = |what: String| what.chars().take(300).collect::<String>();
            let (want, got) = (short(format!("{want:?}")), short(format!("{got:?}")));
            wrong.push(format!(
                "{} ({})\n  want {want}\n  got  {got}",
                case.op, case.source
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
