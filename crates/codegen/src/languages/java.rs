//! AWS SDK for Java 2.x.

use super::{Answer, Program, camel, quoted};
use crate::doc::Doc;
use crate::tree::{Attribute, Tree, VALUE};

pub(super) fn program(program: &Program<'_>) -> String {
    let request = format!("{}Request", program.name());
    let input = shape(&request, program.input).print("    ", 3);
    let body = body(program.answer, program.name());
    let text = format!(
        "public class Main {{\n    public static void main(String[] args){} {{\n        \
         try (DynamoDbClient client = DynamoDbClient.create()) {{\n            {request} request = {input};\n{body}        }}\n    }}\n}}\n",
        if body.contains("Thread.sleep") {
            " throws InterruptedException"
        } else {
            ""
        }
    );
    let mut imports = String::new();
    for (class, import) in [
        ("Base64.", "java.util.Base64"),
        ("List.of", "java.util.List"),
        ("Map.", "java.util.Map"),
        ("Map<", "java.util.Map"),
        ("SdkBytes.", "software.amazon.awssdk.core.SdkBytes"),
    ] {
        let line = format!("import {import};\n");
        if text.contains(class) && !imports.contains(&line) {
            imports.push_str(&line);
        }
    }
    format!(
        "{imports}import software.amazon.awssdk.services.dynamodb.DynamoDbClient;\n\
         import software.amazon.awssdk.services.dynamodb.model.*;\n\n{text}"
    )
}

fn shape(name: &str, tree: &Tree) -> Doc {
    let members = tree.members().iter();
    let mut calls: Vec<Doc> = members
        .map(|(member, part)| Doc::around(format!(".{}(", method(member)), self::part(part), ")"))
        .collect();
    calls.push(Doc::text(".build()"));
    chain(&format!("{name}.builder()"), calls)
}

/// A builder's calls, on one line where they fit.
pub(super) fn chain(open: &str, calls: Vec<Doc>) -> Doc {
    Doc::Group(crate::doc::Group {
        open: open.to_owned(),
        items: calls,
        separator: "",
        close: String::new(),
        padded: false,
        trailing: false,
        broken: false,
    })
}

fn method(member: &str) -> String {
    camel(member)
}

fn part(tree: &Tree) -> Doc {
    match tree {
        Tree::Shape(name, _) => shape(name, tree),
        Tree::List(_, all) => list(all.iter().map(part).collect()),
        Tree::Map(kind, members) => {
            let pairs: Vec<_> = members
                .iter()
                .map(|(key, tree)| (quoted(key), part(tree)))
                .collect();
            if *kind == VALUE && pairs.is_empty() {
                Doc::text("Map.of()")
            } else {
                map(pairs)
            }
        }
        Tree::Value(value) => attribute(value),
        Tree::Text(text) | Tree::Word(_, text) => Doc::text(quoted(text)),
        Tree::Int(number) => Doc::text(number.to_string()),
        Tree::Bool(given) => Doc::text(given.to_string()),
    }
}

fn attribute(value: &Attribute) -> Doc {
    let call =
        |kind: &str, inner: Doc| Doc::around(format!("AttributeValue.from{kind}("), inner, ")");
    let texts = |all: &[String]| list(all.iter().map(|text| Doc::text(quoted(text))).collect());
    match value {
        Attribute::S(text) => call("S", Doc::text(quoted(text))),
        Attribute::N(text) => call("N", Doc::text(quoted(text))),
        Attribute::B(base64) => call("B", Doc::text(bytes(base64))),
        Attribute::Bool(given) => call("Bool", Doc::text(given.to_string())),
        Attribute::Null => call("Nul", Doc::text("true")),
        Attribute::Ss(all) => call("Ss", texts(all)),
        Attribute::Ns(all) => call("Ns", texts(all)),
        Attribute::Bs(all) => call(
            "Bs",
            list(all.iter().map(|base64| Doc::text(bytes(base64))).collect()),
        ),
        Attribute::L(all) => call("L", list(all.iter().map(attribute).collect())),
        Attribute::M(all) => call(
            "M",
            map(all
                .iter()
                .map(|(name, value)| (quoted(name), attribute(value)))
                .collect()),
        ),
    }
}

fn list(all: Vec<Doc>) -> Doc {
    Doc::list("List.of(", all, ")").no_trailing()
}

/// `Map.of` takes ten pairs.
fn map(pairs: Vec<(String, Doc)>) -> Doc {
    if pairs.len() <= 10 {
        let pairs = pairs
            .into_iter()
            .map(|(key, value)| Doc::around(format!("{key}, "), value, ""));
        return Doc::list("Map.of(", pairs.collect(), ")").no_trailing();
    }
    let entries = pairs
        .into_iter()
        .map(|(key, value)| Doc::around(format!("Map.entry({key}, "), value, ")"));
    Doc::list("Map.ofEntries(", entries.collect(), ")").no_trailing()
}

fn bytes(base64: &str) -> String {
    format!(
        "SdkBytes.fromByteArray(Base64.getDecoder().decode({}))",
        quoted(base64)
    )
}

fn body(answer: Answer, name: &str) -> String {
    let call = camel(name);
    let lines: &[String] = &match answer {
        Answer::Pages => vec![format!("client.{call}Paginator(request).items().forEach(System.out::println);")],
        Answer::Page => vec![format!("client.{call}(request).items().forEach(System.out::println);")],
        Answer::Counts => vec![format!(
            "System.out.println(client.{call}Paginator(request).stream().mapToInt({name}Response::count).sum());"
        )],
        Answer::Statement => vec![
            "String token = null;".into(),
            "do {".into(),
            format!("    {name}Response page = client.{call}(request.toBuilder().nextToken(token).build());"),
            "    page.items().forEach(System.out::println);".into(),
            "    token = page.nextToken();".into(),
            "} while (token != null);".into(),
        ],
        Answer::Item => vec![
            format!("{name}Response answer = client.{call}(request);"),
            "if (answer.hasItem()) System.out.println(answer.item());".into(),
        ],
        Answer::Attributes => vec![
            format!("{name}Response answer = client.{call}(request);"),
            "if (answer.hasAttributes()) System.out.println(answer.attributes());".into(),
        ],
        Answer::BatchGet => vec![
            "client.batchGetItemPaginator(request).stream()".into(),
            "    .flatMap(page -> page.responses().values().stream())".into(),
            "    .forEach(items -> items.forEach(System.out::println));".into(),
        ],
        Answer::BatchWrite => vec![
            "// What a batch leaves over is sent again, a little later each time.".into(),
            "for (long wait = 50; request.hasRequestItems() && !request.requestItems().isEmpty(); wait = Math.min(wait * 2, 5000)) {".into(),
            "    BatchWriteItemResponse answer = client.batchWriteItem(request);".into(),
            "    request = request.toBuilder().requestItems(answer.unprocessedItems()).build();".into(),
            "    if (!request.requestItems().isEmpty()) Thread.sleep(wait);".into(),
            "}".into(),
        ],
        Answer::Statements => vec![
            format!("for (BatchStatementResponse response : client.{call}(request).responses()) {{"),
            "    if (response.error() != null) System.err.println(response.error());".into(),
            "    if (response.hasItem()) System.out.println(response.item());".into(),
            "}".into(),
        ],
        Answer::Responses => vec![
            format!("for (ItemResponse response : client.{call}(request).responses()) {{"),
            "    if (response.hasItem()) System.out.println(response.item());".into(),
            "}".into(),
        ],
        Answer::Nothing => vec![format!("client.{call}(request);")],
    };
    lines
        .iter()
        .map(|line| format!("            {line}\n"))
        .collect()
}
