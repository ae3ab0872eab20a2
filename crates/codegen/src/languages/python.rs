//! boto3's client.

use super::literal::Literals;
use super::{Answer, Program, quoted};

const LITERALS: Literals = Literals {
    map: ("{", "}"),
    padded: false,
    list: ("[", "]"),
    pair: ": ",
    member: quoted,
    key: quoted,
    text: quoted,
    bytes,
    kind: quoted,
    bools: ("True", "False"),
};

pub(super) fn program(program: &Program<'_>) -> String {
    let input = LITERALS.tree(program.input).print("    ", 0);
    let call = super::snake(program.name());
    let send = format!("client.{call}(**request)");
    let waits = matches!(program.answer, Answer::BatchGet | Answer::BatchWrite);
    let mut imports = String::new();
    if input.contains("base64.b64decode") {
        imports.push_str("import base64\n");
    }
    if program.answer == Answer::Statements {
        imports.push_str("import sys\n");
    }
    if waits {
        imports.push_str("import time\n");
    }
    if !imports.is_empty() {
        imports.push('\n');
    }
    format!(
        "{imports}import boto3\n\nclient = boto3.client(\"dynamodb\")\n\nrequest = {input}\n\n{}",
        body(program.answer, &send)
    )
}

fn body(answer: Answer, send: &str) -> String {
    match answer {
        Answer::Pages => format!(
            "while True:\n    page = {send}\n    for item in page[\"Items\"]:\n        print(item)\n    \
             if \"LastEvaluatedKey\" not in page:\n        break\n    request[\"ExclusiveStartKey\"] = page[\"LastEvaluatedKey\"]\n"
        ),
        Answer::Page => format!("for item in {send}[\"Items\"]:\n    print(item)\n"),
        Answer::Counts => format!(
            "count = 0\nwhile True:\n    page = {send}\n    count += page[\"Count\"]\n    \
             if \"LastEvaluatedKey\" not in page:\n        break\n    request[\"ExclusiveStartKey\"] = page[\"LastEvaluatedKey\"]\nprint(count)\n"
        ),
        Answer::Statement => format!(
            "while True:\n    page = {send}\n    for item in page.get(\"Items\", []):\n        print(item)\n    \
             if \"NextToken\" not in page:\n        break\n    request[\"NextToken\"] = page[\"NextToken\"]\n"
        ),
        Answer::Item => format!("item = {send}.get(\"Item\")\nif item:\n    print(item)\n"),
        Answer::Attributes => {
            format!("item = {send}.get(\"Attributes\")\nif item:\n    print(item)\n")
        }
        Answer::BatchGet => format!(
            "# What a batch leaves over is sent again, a little later each time.\nwait = 0.05\nwhile True:\n    \
             answer = {send}\n    for items in answer[\"Responses\"].values():\n        for item in items:\n            print(item)\n    \
             request[\"RequestItems\"] = answer.get(\"UnprocessedKeys\")\n    if not request[\"RequestItems\"]:\n        break\n    \
             time.sleep(wait)\n    wait = min(wait * 2, 5)\n"
        ),
        Answer::BatchWrite => format!(
            "# What a batch leaves over is sent again, a little later each time.\nwait = 0.05\nwhile True:\n    \
             answer = {send}\n    request[\"RequestItems\"] = answer.get(\"UnprocessedItems\")\n    \
             if not request[\"RequestItems\"]:\n        break\n    time.sleep(wait)\n    wait = min(wait * 2, 5)\n"
        ),
        Answer::Responses => format!(
            "for response in {send}[\"Responses\"]:\n    if \"Item\" in response:\n        print(response[\"Item\"])\n"
        ),
        Answer::Statements => format!(
            "for response in {send}[\"Responses\"]:\n    if \"Error\" in response:\n        print(response[\"Error\"], file=sys.stderr)\n    \
             if \"Item\" in response:\n        print(response[\"Item\"])\n"
        ),
        Answer::Nothing => format!("{send}\n"),
    }
}

fn bytes(base64: &str) -> String {
    format!("base64.b64decode({})", quoted(base64))
}
