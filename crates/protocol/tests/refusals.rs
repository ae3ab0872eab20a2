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

/// A small generator, so that a failure comes back from its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).expect("it is below a usize")
    }
}

#[test]
fn damaged_requests_are_answered_not_panicked_at() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let lines: Vec<&str> = include_str!("refusals.jsonl")
        .lines()
        .filter(|l| l.len() < 2000)
        .collect();
    for _ in 0..4000 {
        let case: Case = serde_json::from_str(lines[random.below(lines.len())]).expect("JSON");
        let mut body = case.body.to_string().into_bytes();
        for _ in 0..=random.below(4) {
            let at = random.below(body.len().max(1));
            if body.is_empty() {
                break;
            }
            match random.below(4) {
                0 => body[at] = b"\"{}[]:,0\\#\xff"[random.below(11)],
                1 => drop(body.remove(at)),
                2 => body.insert(at, b"\"{}[]:,.-e"[random.below(10)]),
                _ => body.truncate(at.max(1)),
            }
        }
        let operation = Operation::ALL[random.below(Operation::ALL.len())];
        let Ok(request) = Request::decode(operation, &body) else {
            continue;
        };
        let _ = validate::request(&request);
        let mut out = Vec::new();
        request.encode(&mut out);
        let again = Request::decode(operation, &out);
        assert!(
            again.is_ok(),
            "{operation:?} does not read what it wrote: {}",
            String::from_utf8_lossy(&out)
        );
    }
}
