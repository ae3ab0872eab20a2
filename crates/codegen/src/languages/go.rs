//! AWS SDK for Go v2.

use super::{Answer, Program, pascal_word, quoted};
use crate::doc::Doc;
use crate::tree::{Attribute, Tree};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

pub(super) fn program(program: &Program<'_>) -> String {
    let name = program.name();
    let input = shape(&format!("&dynamodb.{name}Input"), program.input).print("\t", 1);
    let body = body(program.answer, name);
    let shows = body.contains("show(");
    let aws = if input.contains("aws.") || body.contains("aws.") {
        "\t\"github.com/aws/aws-sdk-go-v2/aws\"\n"
    } else {
        ""
    };
    let types = if input.contains("types.") || shows {
        "\t\"github.com/aws/aws-sdk-go-v2/service/dynamodb/types\"\n"
    } else {
        ""
    };
    let json = if shows { "\t\"encoding/json\"\n" } else { "" };
    let fmt = if shows || body.contains("fmt.") {
        "\t\"fmt\"\n"
    } else {
        ""
    };
    let show = if shows { SHOW } else { "" };
    let time = if body.contains("time.") {
        "\t\"time\"\n"
    } else {
        ""
    };
    format!(
        "package main\n\nimport (\n\t\"context\"\n{json}{fmt}\t\"log\"\n{time}\n{aws}\t\"github.com/aws/aws-sdk-go-v2/config\"\n\
         \t\"github.com/aws/aws-sdk-go-v2/service/dynamodb\"\n{types})\n\n\
         func main() {{\n\tctx := context.Background()\n\tcfg, err := config.LoadDefaultConfig(ctx)\n\tif err != nil {{\n\t\tlog.Fatal(err)\n\t}}\n\
         \tclient := dynamodb.NewFromConfig(cfg)\n\n\tinput := {input}\n\n{body}}}\n{show}"
    )
}

/// An item on a line: a value's type is told by its text, as every number stays text.
const SHOW: &str = "
func show(item map[string]types.AttributeValue) {
\tline, err := json.Marshal(item)
\tif err != nil {
\t\tlog.Fatal(err)
\t}
\tfmt.Println(string(line))
}
";

fn shape(open: &str, tree: &Tree) -> Doc {
    let members = tree.members().iter();
    let members =
        members.map(|(member, part)| Doc::around(format!("{member}: "), self::part(part), ""));
    Doc::list(format!("{open}{{"), members.collect(), "}")
}

fn part(tree: &Tree) -> Doc {
    match tree {
        Tree::Shape(name, _) => shape(&format!("&types.{name}"), tree),
        Tree::List(kind, all) => list(&format!("[]{}", go(kind)), all.iter().map(bare).collect()),
        Tree::Map(kind, members) => {
            let pairs = members.iter().map(|(key, tree)| (quoted(key), bare(tree)));
            map(&go(kind), pairs.collect())
        }
        Tree::Value(value) => attribute(value),
        Tree::Text(text) => Doc::text(format!("aws.String({})", quoted(text))),
        Tree::Word(kind, word) => Doc::text(format!("types.{kind}{}", pascal_word(word))),
        Tree::Int(number) => Doc::text(format!("aws.Int32({number})")),
        Tree::Bool(given) => Doc::text(format!("aws.Bool({given})")),
    }
}

/// An element of a list or a map, whose type Go knows already.
fn bare(tree: &Tree) -> Doc {
    match tree {
        Tree::Shape(..) => shape("", tree),
        Tree::List(_, all) => list("", all.iter().map(bare).collect()),
        Tree::Map(_, members) => {
            let pairs = members
                .iter()
                .map(|(key, tree)| Doc::around(format!("{}: ", quoted(key)), bare(tree), ""));
            Doc::list("{", pairs.collect(), "}")
        }
        Tree::Text(text) => Doc::text(quoted(text)),
        other => part(other),
    }
}

fn go(kind: &str) -> String {
    match kind {
        "String" => "string".to_owned(),
        "Map<AttributeValue>" => "map[string]types.AttributeValue".to_owned(),
        "List<WriteRequest>" => "[]types.WriteRequest".to_owned(),
        other => format!("types.{other}"),
    }
}

fn attribute(value: &Attribute) -> Doc {
    let of = |kind: &str, inner: Doc| {
        Doc::around(
            format!("&types.AttributeValueMember{kind}{{Value: "),
            inner,
            "}",
        )
    };
    let texts = |all: &[String]| {
        list(
            "[]string",
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
                "[][]byte",
                all.iter().map(|base64| Doc::text(bytes(base64))).collect(),
            ),
        ),
        Attribute::L(all) => of(
            "L",
            list(
                "[]types.AttributeValue",
                all.iter().map(attribute).collect(),
            ),
        ),
        Attribute::M(all) => {
            let pairs = all
                .iter()
                .map(|(name, value)| (quoted(name), attribute(value)));
            of("M", map("types.AttributeValue", pairs.collect()))
        }
    }
}

fn list(open: &str, all: Vec<Doc>) -> Doc {
    Doc::list(format!("{open}{{"), all, "}")
}

fn map(kind: &str, pairs: Vec<(String, Doc)>) -> Doc {
    let pairs = pairs
        .into_iter()
        .map(|(key, value)| Doc::around(format!("{key}: "), value, ""));
    Doc::list(format!("map[string]{kind}{{"), pairs.collect(), "}")
}

/// Go's strings hold any bytes, so no decoder is needed.
fn bytes(base64: &str) -> String {
    let bytes = BASE64_STANDARD.decode(base64).unwrap_or_default();
    let text: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("[]byte(\"{text}\")")
}

fn body(answer: Answer, name: &str) -> String {
    const STOP: &str = "if err != nil {\n\t\tlog.Fatal(err)\n\t}";
    const STOP_IN: &str = "if err != nil {\n\t\t\tlog.Fatal(err)\n\t\t}";
    let send = format!("client.{name}(ctx, input)");
    match answer {
        Answer::Pages => format!(
            "\tpages := dynamodb.New{name}Paginator(client, input)\n\tfor pages.HasMorePages() {{\n\t\tpage, err := pages.NextPage(ctx)\n\t\t{STOP_IN}\n\
             \t\tfor _, item := range page.Items {{\n\t\t\tshow(item)\n\t\t}}\n\t}}\n"
        ),
        Answer::Page => format!(
            "\tpage, err := {send}\n\t{STOP}\n\tfor _, item := range page.Items {{\n\t\tshow(item)\n\t}}\n"
        ),
        Answer::Counts => format!(
            "\tvar count int32\n\tpages := dynamodb.New{name}Paginator(client, input)\n\tfor pages.HasMorePages() {{\n\t\tpage, err := pages.NextPage(ctx)\n\t\t{STOP_IN}\n\
             \t\tcount += page.Count\n\t}}\n\tfmt.Println(count)\n"
        ),
        Answer::Statement => format!(
            "\tfor {{\n\t\tpage, err := {send}\n\t\t{STOP_IN}\n\t\tfor _, item := range page.Items {{\n\t\t\tshow(item)\n\t\t}}\n\
             \t\tif page.NextToken == nil {{\n\t\t\tbreak\n\t\t}}\n\t\tinput.NextToken = page.NextToken\n\t}}\n"
        ),
        Answer::Item => format!(
            "\tanswer, err := {send}\n\t{STOP}\n\tif answer.Item != nil {{\n\t\tshow(answer.Item)\n\t}}\n"
        ),
        Answer::Attributes => format!(
            "\tanswer, err := {send}\n\t{STOP}\n\tif answer.Attributes != nil {{\n\t\tshow(answer.Attributes)\n\t}}\n"
        ),
        Answer::BatchGet => format!(
            "\t// What a batch leaves over is sent again, a little later each time.\n\tfor wait := 50 * time.Millisecond; ; wait = min(wait*2, 5*time.Second) {{\n\
             \t\tanswer, err := {send}\n\t\t{STOP_IN}\n\t\tfor _, items := range answer.Responses {{\n\t\t\tfor _, item := range items {{\n\t\t\t\tshow(item)\n\t\t\t}}\n\t\t}}\n\
             \t\tif len(answer.UnprocessedKeys) == 0 {{\n\t\t\tbreak\n\t\t}}\n\t\tinput.RequestItems = answer.UnprocessedKeys\n\t\ttime.Sleep(wait)\n\t}}\n"
        ),
        Answer::BatchWrite => format!(
            "\t// What a batch leaves over is sent again, a little later each time.\n\tfor wait := 50 * time.Millisecond; ; wait = min(wait*2, 5*time.Second) {{\n\
             \t\tanswer, err := {send}\n\t\t{STOP_IN}\n\t\tif len(answer.UnprocessedItems) == 0 {{\n\t\t\tbreak\n\t\t}}\n\
             \t\tinput.RequestItems = answer.UnprocessedItems\n\t\ttime.Sleep(wait)\n\t}}\n"
        ),
        Answer::Responses => format!(
            "\tanswer, err := {send}\n\t{STOP}\n\tfor _, response := range answer.Responses {{\n\t\tif response.Item != nil {{\n\t\t\tshow(response.Item)\n\t\t}}\n\t}}\n"
        ),
        Answer::Statements => format!(
            "\tanswer, err := {send}\n\t{STOP}\n\tfor _, response := range answer.Responses {{\n\t\tif response.Error != nil {{\n\t\t\tlog.Println(response.Error.Code, aws.ToString(response.Error.Message))\n\t\t}}\n\t\tif response.Item != nil {{\n\t\t\tshow(response.Item)\n\t\t}}\n\t}}\n"
        ),
        Answer::Nothing => {
            format!("\tif _, err := {send}; err != nil {{\n\t\tlog.Fatal(err)\n\t}}\n")
        }
    }
}
