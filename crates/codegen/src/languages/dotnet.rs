//! AWS SDK for .NET.

use super::{Answer, Program, quoted};
use crate::doc::Doc;
use crate::tree::{Attribute, Tree};

pub(super) fn program(program: &Program<'_>) -> String {
    let name = program.name();
    let input = shape(&format!("{name}Request"), program.input).print("    ", 0);
    format!(
        "using System.Text.Json;\nusing Amazon.DynamoDBv2;\nusing Amazon.DynamoDBv2.Model;\n\n\
         using var client = new AmazonDynamoDBClient();\n\nvar request = {input};\n\n{}",
        body(
            program.answer,
            &format!("await client.{name}Async(request)")
        )
    )
}

fn shape(name: &str, tree: &Tree) -> Doc {
    let members = tree.members().iter();
    let members =
        members.map(|(member, part)| Doc::around(format!("{member} = "), self::part(part), ""));
    let open = format!("new {name} {{");
    Doc::list(open, members.collect(), "}").padded()
}

fn part(tree: &Tree) -> Doc {
    match tree {
        Tree::Shape(name, _) => shape(name, tree),
        Tree::List(kind, all) => list(&generic(kind), all.iter().map(part).collect()),
        Tree::Map(kind, members) => map(
            &generic(kind),
            members
                .iter()
                .map(|(key, tree)| (quoted(key), part(tree)))
                .collect(),
        ),
        Tree::Value(value) => attribute(value),
        Tree::Text(text) => Doc::text(quoted(text)),
        Tree::Word(kind, word) => Doc::text(format!("{kind}.{word}")),
        Tree::Int(number) => Doc::text(number.to_string()),
        Tree::Bool(given) => Doc::text(given.to_string()),
    }
}

fn generic(kind: &str) -> String {
    match kind {
        "String" => "string".to_owned(),
        "Map<AttributeValue>" => "Dictionary<string, AttributeValue>".to_owned(),
        other => other.to_owned(),
    }
}

fn attribute(value: &Attribute) -> Doc {
    let of = |member: &str, inner: Doc| {
        Doc::list(
            "new AttributeValue {",
            vec![Doc::around(format!("{member} = "), inner, "")],
            "}",
        )
        .padded()
        .no_trailing()
    };
    let texts = |all: &[String]| {
        list(
            "string",
            all.iter().map(|text| Doc::text(quoted(text))).collect(),
        )
    };
    match value {
        Attribute::S(text) => of("S", Doc::text(quoted(text))),
        Attribute::N(text) => of("N", Doc::text(quoted(text))),
        Attribute::B(base64) => of("B", Doc::text(bytes(base64))),
        Attribute::Bool(given) => of("BOOL", Doc::text(given.to_string())),
        Attribute::Null => of("NULL", Doc::text("true")),
        Attribute::Ss(all) => of("SS", texts(all)),
        Attribute::Ns(all) => of("NS", texts(all)),
        Attribute::Bs(all) => of(
            "BS",
            list(
                "MemoryStream",
                all.iter().map(|base64| Doc::text(bytes(base64))).collect(),
            ),
        ),
        Attribute::L(all) if all.is_empty() => Doc::text("new AttributeValue { IsLSet = true }"),
        Attribute::L(all) => of(
            "L",
            list("AttributeValue", all.iter().map(attribute).collect()),
        ),
        Attribute::M(all) if all.is_empty() => Doc::text("new AttributeValue { IsMSet = true }"),
        Attribute::M(all) => of(
            "M",
            map(
                "AttributeValue",
                all.iter()
                    .map(|(name, value)| (quoted(name), attribute(value)))
                    .collect(),
            ),
        ),
    }
}

fn list(kind: &str, all: Vec<Doc>) -> Doc {
    Doc::list(format!("new List<{kind}> {{"), all, "}").padded()
}

fn map(kind: &str, pairs: Vec<(String, Doc)>) -> Doc {
    let pairs = pairs
        .into_iter()
        .map(|(key, value)| Doc::around(format!("[{key}] = "), value, ""));
    Doc::list(
        format!("new Dictionary<string, {kind}> {{"),
        pairs.collect(),
        "}",
    )
    .padded()
}

fn bytes(base64: &str) -> String {
    format!(
        "new MemoryStream(Convert.FromBase64String({}))",
        quoted(base64)
    )
}

fn body(answer: Answer, send: &str) -> String {
    const SHOW: &str = "Console.WriteLine(JsonSerializer.Serialize(item));";
    match answer {
        Answer::Pages => format!(
            "do\n{{\n    var page = {send};\n    foreach (var item in page.Items ?? []) {SHOW}\n    \
             request.ExclusiveStartKey = page.LastEvaluatedKey;\n}} while (request.ExclusiveStartKey is {{ Count: > 0 }});\n"
        ),
        Answer::Page => format!("foreach (var item in ({send}).Items ?? []) {SHOW}\n"),
        Answer::Counts => format!(
            "var count = 0;\ndo\n{{\n    var page = {send};\n    count += page.Count ?? 0;\n    \
             request.ExclusiveStartKey = page.LastEvaluatedKey;\n}} while (request.ExclusiveStartKey is {{ Count: > 0 }});\nConsole.WriteLine(count);\n"
        ),
        Answer::Statement => format!(
            "do\n{{\n    var page = {send};\n    foreach (var item in page.Items ?? []) {SHOW}\n    \
             request.NextToken = page.NextToken;\n}} while (request.NextToken is not null);\n"
        ),
        Answer::Item => {
            format!("var item = ({send}).Item;\nif (item is {{ Count: > 0 }}) {SHOW}\n")
        }
        Answer::Attributes => {
            format!("var item = ({send}).Attributes;\nif (item is {{ Count: > 0 }}) {SHOW}\n")
        }
        Answer::BatchGet => format!(
            "// What a batch leaves over is sent again, a little later each time.\n\
             for (var wait = 50; request.RequestItems is {{ Count: > 0 }}; wait = Math.Min(wait * 2, 5000))\n{{\n    var answer = {send};\n    \
             foreach (var item in answer.Responses.Values.SelectMany(items => items)) {SHOW}\n    \
             request.RequestItems = answer.UnprocessedKeys;\n    if (request.RequestItems is {{ Count: > 0 }}) await Task.Delay(wait);\n}}\n"
        ),
        Answer::BatchWrite => format!(
            "// What a batch leaves over is sent again, a little later each time.\n\
             for (var wait = 50; request.RequestItems is {{ Count: > 0 }}; wait = Math.Min(wait * 2, 5000))\n{{\n    var answer = {send};\n    \
             request.RequestItems = answer.UnprocessedItems;\n    if (request.RequestItems is {{ Count: > 0 }}) await Task.Delay(wait);\n}}\n"
        ),
        Answer::Responses => format!(
            "foreach (var item in ({send}).Responses.Select(response => response.Item).Where(item => item is {{ Count: > 0 }})) {SHOW}\n"
        ),
        Answer::Statements => format!(
            "foreach (var response in ({send}).Responses)\n{{\n    if (response.Error is not null) Console.Error.WriteLine($\"{{response.Error.Code}}: {{response.Error.Message}}\");\n    \
             var item = response.Item;\n    if (item is {{ Count: > 0 }}) {SHOW}\n}}\n"
        ),
        Answer::Nothing => format!("{send};\n"),
    }
}
