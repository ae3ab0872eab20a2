//! AWS SDK for Kotlin.

use super::{Answer, Program, braced, camel, pascal_word};
use crate::doc::Doc;
use crate::tree::{Attribute, Tree};

pub(super) fn program(program: &Program<'_>) -> String {
    let request = format!("{}Request", program.name());
    let input = shape(&request, program.input).print("    ", 2);
    let body = body(program.answer, &camel(program.name()));
    let mut imports = String::new();
    for (word, import) in [
        (
            ".items()",
            "aws.sdk.kotlin.services.dynamodb.paginators.items",
        ),
        ("Paginated(", "aws.sdk.kotlin.services.dynamodb.paginators."),
        ("Base64", "java.util.Base64"),
        ("delay(", "kotlinx.coroutines.delay"),
    ] {
        if body.contains(word) || input.contains(word) {
            let import = if import.ends_with('.') {
                format!("{import}{}Paginated", camel(program.name()))
            } else {
                import.to_owned()
            };
            imports.push_str(&format!("import {import}\n"));
        }
    }
    format!(
        "import aws.sdk.kotlin.services.dynamodb.DynamoDbClient\nimport aws.sdk.kotlin.services.dynamodb.model.*\n{imports}\n\
         suspend fun main() {{\n    DynamoDbClient.fromEnvironment().use {{ client ->\n        val request = {input}\n{body}    }}\n}}\n"
    )
}

fn shape(name: &str, tree: &Tree) -> Doc {
    let members = tree.members().iter();
    let members = members
        .map(|(member, part)| Doc::around(format!("{} = ", camel(member)), self::part(part), ""));
    Doc::Group(crate::doc::Group {
        open: format!("{name} {{"),
        items: members.collect(),
        separator: "",
        close: "}".into(),
        padded: true,
        trailing: false,
        broken: true,
    })
}

fn part(tree: &Tree) -> Doc {
    match tree {
        // A union of the API is a shape here, with one member.
        Tree::Shape(name, _) => shape(name, tree),
        Tree::List(_, all) => call("listOf", all.iter().map(part).collect()),
        Tree::Map(_, members) => {
            let pairs = members
                .iter()
                .map(|(key, tree)| Doc::around(format!("{} to ", text(key)), part(tree), ""));
            call("mapOf", pairs.collect())
        }
        Tree::Value(value) => attribute(value),
        Tree::Text(given) => Doc::text(text(given)),
        Tree::Word(kind, word) => Doc::text(format!("{kind}.{}", pascal_word(word))),
        Tree::Int(number) => Doc::text(number.to_string()),
        Tree::Bool(given) => Doc::text(given.to_string()),
    }
}

fn attribute(value: &Attribute) -> Doc {
    let of = |kind: &str, inner: Doc| Doc::around(format!("AttributeValue.{kind}("), inner, ")");
    let texts = |all: &[String]| {
        call(
            "listOf",
            all.iter().map(|given| Doc::text(text(given))).collect(),
        )
    };
    match value {
        Attribute::S(given) => of("S", Doc::text(text(given))),
        Attribute::N(given) => of("N", Doc::text(text(given))),
        Attribute::B(base64) => of("B", Doc::text(bytes(base64))),
        Attribute::Bool(given) => of("Bool", Doc::text(given.to_string())),
        Attribute::Null => of("Null", Doc::text("true")),
        Attribute::Ss(all) => of("Ss", texts(all)),
        Attribute::Ns(all) => of("Ns", texts(all)),
        Attribute::Bs(all) => of(
            "Bs",
            call(
                "listOf",
                all.iter().map(|base64| Doc::text(bytes(base64))).collect(),
            ),
        ),
        Attribute::L(all) => of("L", call("listOf", all.iter().map(attribute).collect())),
        Attribute::M(all) => {
            let pairs = all.iter().map(|(name, value)| {
                Doc::around(format!("{} to ", text(name)), attribute(value), "")
            });
            of("M", call("mapOf", pairs.collect()))
        }
    }
}

fn call(function: &str, all: Vec<Doc>) -> Doc {
    Doc::list(format!("{function}("), all, ")")
}

fn bytes(base64: &str) -> String {
    format!("Base64.getDecoder().decode({})", text(base64))
}

/// Kotlin writes code points as four digits and `$` with a backslash.
fn text(given: &str) -> String {
    let mut out = String::new();
    for part in braced(given, &['$']).split("\\u{") {
        if out.is_empty() {
            out.push_str(part);
        } else if let Some((digits, rest)) = part.split_once('}') {
            out.push_str(&format!("\\u{digits:0>4}{rest}"));
        }
    }
    out
}

fn body(answer: Answer, call: &str) -> String {
    let lines: Vec<String> = match answer {
        Answer::Pages => vec![format!(
            "client.{call}Paginated(request).items().collect {{ println(it) }}"
        )],
        Answer::Page => vec![format!(
            "client.{call}(request).items?.forEach {{ println(it) }}"
        )],
        Answer::Counts => vec![
            "var count = 0".into(),
            format!("client.{call}Paginated(request).collect {{ count += it.count }}"),
            "println(count)".into(),
        ],
        Answer::Statement => vec![
            "var token: String? = null".into(),
            "do {".into(),
            format!("    val page = client.{call}(request.copy {{ nextToken = token }})"),
            "    page.items?.forEach { println(it) }".into(),
            "    token = page.nextToken".into(),
            "} while (token != null)".into(),
        ],
        Answer::Item => vec![format!(
            "client.{call}(request).item?.let {{ println(it) }}"
        )],
        Answer::Attributes => vec![format!(
            "client.{call}(request).attributes?.let {{ println(it) }}"
        )],
        Answer::BatchGet => vec![
            "// What a batch leaves over is sent again, a little later each time.".into(),
            "var rest = request.requestItems".into(),
            "var wait = 50L".into(),
            "while (!rest.isNullOrEmpty()) {".into(),
            format!("    val answer = client.{call}(request.copy {{ requestItems = rest }})"),
            "    answer.responses?.values?.flatten()?.forEach { println(it) }".into(),
            "    rest = answer.unprocessedKeys".into(),
            "    if (!rest.isNullOrEmpty()) delay(wait)".into(),
            "    wait = minOf(wait * 2, 5000)".into(),
            "}".into(),
        ],
        Answer::BatchWrite => vec![
            "// What a batch leaves over is sent again, a little later each time.".into(),
            "var rest = request.requestItems".into(),
            "var wait = 50L".into(),
            "while (!rest.isNullOrEmpty()) {".into(),
            format!(
                "    rest = client.{call}(request.copy {{ requestItems = rest }}).unprocessedItems"
            ),
            "    if (!rest.isNullOrEmpty()) delay(wait)".into(),
            "    wait = minOf(wait * 2, 5000)".into(),
            "}".into(),
        ],
        Answer::Responses => vec![format!(
            "client.{call}(request).responses?.mapNotNull {{ it.item }}?.forEach {{ println(it) }}"
        )],
        Answer::Statements => vec![
            format!("client.{call}(request).responses?.forEach {{ response ->"),
            "    response.error?.let { System.err.println(\"${it.code?.value}: ${it.message}\") }"
                .into(),
            "    response.item?.let { println(it) }".into(),
            "}".into(),
        ],
        Answer::Nothing => vec![format!("client.{call}(request)")],
    };
    lines
        .iter()
        .map(|line| format!("        {line}\n"))
        .collect()
}
