//! AWS SDK for Ruby v3, with values in DynamoDB's own form so that no number is rounded.

use super::literal::Literals;
use super::{Answer, Program, braced, snake};

const LITERALS: Literals = Literals {
    map: ("{", "}"),
    padded: true,
    list: ("[", "]"),
    pair: " ",
    member: |name| format!("{}:", snake(name)),
    key: |name| format!("{} =>", text(name)),
    text,
    bytes: |base64| format!("Base64.strict_decode64({})", text(base64)),
    kind: |kind| format!("{}:", kind.to_ascii_lowercase()),
    bools: ("true", "false"),
};

pub(super) fn program(program: &Program<'_>) -> String {
    let input = LITERALS.tree(program.input).print("  ", 0);
    let base64 = if input.contains("Base64.") {
        "require \"base64\"\n"
    } else {
        ""
    };
    let send = format!("client.{}(request)", snake(program.name()));
    format!(
        "require \"aws-sdk-dynamodb\"\n{base64}\nclient = Aws::DynamoDB::Client.new(simple_attributes: false)\n\n\
         request = {input}\n\n{}",
        body(program.answer, &send)
    )
}

fn body(answer: Answer, send: &str) -> String {
    let each = |items: &str| format!("{items}.each {{ |item| p item.transform_values(&:to_h) }}");
    match answer {
        Answer::Pages => format!(
            "loop do\n  page = {send}\n  {}\n  break unless page.last_evaluated_key\n\n  \
             request[:exclusive_start_key] = page.last_evaluated_key\nend\n",
            each("page.items")
        ),
        Answer::Page => format!("{}\n", each(&format!("{send}.items"))),
        Answer::Counts => format!(
            "count = 0\nloop do\n  page = {send}\n  count += page[:count]\n  break unless page.last_evaluated_key\n\n  \
             request[:exclusive_start_key] = page.last_evaluated_key\nend\nputs count\n"
        ),
        Answer::Statement => format!(
            "loop do\n  page = {send}\n  {}\n  break unless page.next_token\n\n  request[:next_token] = page.next_token\nend\n",
            each("page.items.to_a")
        ),
        Answer::Item => format!("item = {send}.item\np item.transform_values(&:to_h) if item\n"),
        Answer::Attributes => {
            format!("item = {send}.attributes\np item.transform_values(&:to_h) if item\n")
        }
        Answer::BatchGet => format!(
            "# What a batch leaves over is sent again, a little later each time.\nwait = 0.05\nuntil request[:request_items].empty?\n  \
             answer = {send}\n  {}\n  request[:request_items] = answer.unprocessed_keys.to_h\n  \
             sleep(wait) unless request[:request_items].empty?\n  wait = [wait * 2, 5].min\nend\n",
            each("answer.responses.values.flatten(1)")
        ),
        Answer::BatchWrite => format!(
            "# What a batch leaves over is sent again, a little later each time.\nwait = 0.05\nuntil request[:request_items].empty?\n  \
             answer = {send}\n  request[:request_items] = answer.unprocessed_items.to_h\n  \
             sleep(wait) unless request[:request_items].empty?\n  wait = [wait * 2, 5].min\nend\n"
        ),
        Answer::Responses => format!(
            "{}\n",
            each(&format!("{send}.responses.filter_map(&:item)"))
        ),
        Answer::Statements => format!(
            "{send}.responses.each do |response|\n  warn \"#{{response.error.code}}: #{{response.error.message}}\" if response.error\n  \
             p response.item.transform_values(&:to_h) if response.item\nend\n"
        ),
        Answer::Nothing => format!("{send}\n"),
    }
}

fn text(text: &str) -> String {
    braced(text, &['#'])
}
