//! AWS SDK for JavaScript v3, the plain client.

use super::literal::Literals;
use super::{Answer, Program, quoted};

pub(super) const LITERALS: Literals = Literals {
    map: ("{", "}"),
    padded: true,
    list: ("[", "]"),
    pair: ": ",
    member: str::to_owned,
    key,
    text: quoted,
    bytes,
    kind: str::to_owned,
    bools: ("true", "false"),
};

pub(super) fn program(program: &Program<'_>) -> String {
    let name = program.name();
    let input = LITERALS.tree(program.input).print("  ", 0);
    let body = body(
        program.answer,
        &format!("client.send(new {name}Command(input))"),
        "JSON.stringify(item)",
    );
    format!(
        "import {{ DynamoDBClient, {name}Command }} from \"@aws-sdk/client-dynamodb\";\n\n\
         const client = new DynamoDBClient({{}});\n\n\
         const input = {input};\n\n{body}"
    )
}

/// The part that sends and shows; `send` is the call, `show` how an `item` is printed.
pub(super) fn body(answer: Answer, send: &str, show: &str) -> String {
    match answer {
        Answer::Pages => format!(
            "do {{\n  const page = await {send};\n  for (const item of page.Items) console.log({show});\n  \
             input.ExclusiveStartKey = page.LastEvaluatedKey;\n}} while (input.ExclusiveStartKey);\n"
        ),
        Answer::Page => format!(
            "const page = await {send};\nfor (const item of page.Items) console.log({show});\n"
        ),
        Answer::Counts => format!(
            "let count = 0;\ndo {{\n  const page = await {send};\n  count += page.Count;\n  \
             input.ExclusiveStartKey = page.LastEvaluatedKey;\n}} while (input.ExclusiveStartKey);\nconsole.log(count);\n"
        ),
        Answer::Statement => format!(
            "do {{\n  const page = await {send};\n  for (const item of page.Items ?? []) console.log({show});\n  \
             input.NextToken = page.NextToken;\n}} while (input.NextToken);\n"
        ),
        Answer::Item => {
            format!("const {{ Item: item }} = await {send};\nif (item) console.log({show});\n")
        }
        Answer::Attributes => format!(
            "const {{ Attributes: item }} = await {send};\nif (item) console.log({show});\n"
        ),
        Answer::BatchGet => format!(
            "// What a batch leaves over is sent again, a little later each time.\n\
             for (let wait = 50; Object.keys(input.RequestItems).length > 0; wait = Math.min(wait * 2, 5000)) {{\n  \
             const answer = await {send};\n  \
             for (const item of Object.values(answer.Responses).flat()) console.log({show});\n  \
             input.RequestItems = answer.UnprocessedKeys ?? {{}};\n  \
             if (Object.keys(input.RequestItems).length > 0) await new Promise((done) => setTimeout(done, wait));\n}}\n"
        ),
        Answer::BatchWrite => format!(
            "// What a batch leaves over is sent again, a little later each time.\n\
             for (let wait = 50; Object.keys(input.RequestItems).length > 0; wait = Math.min(wait * 2, 5000)) {{\n  \
             const answer = await {send};\n  \
             input.RequestItems = answer.UnprocessedItems ?? {{}};\n  \
             if (Object.keys(input.RequestItems).length > 0) await new Promise((done) => setTimeout(done, wait));\n}}\n"
        ),
        Answer::Responses => format!(
            "const {{ Responses: responses }} = await {send};\n\
             for (const {{ Item: item }} of responses ?? []) if (item) console.log({show});\n"
        ),
        Answer::Statements => format!(
            "const {{ Responses: responses }} = await {send};\n\
             for (const {{ Item: item, Error: error }} of responses ?? []) {{\n  \
             if (error) console.error(`${{error.Code}}: ${{error.Message}}`);\n  if (item) console.log({show});\n}}\n"
        ),
        Answer::Nothing => format!("await {send};\n"),
    }
}

fn bytes(base64: &str) -> String {
    format!("Buffer.from({}, \"base64\")", quoted(base64))
}

/// Bare where JavaScript takes it bare. `__proto__` would not be a key at all.
pub(crate) fn key(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
    match name {
        "__proto__" => "[\"__proto__\"]".to_owned(),
        name if plain => name.to_owned(),
        name => quoted(name),
    }
}
