//! AWS SDK for PHP v3.

use super::literal::Literals;
use super::{Answer, Program, camel};

const LITERALS: Literals = Literals {
    map: ("[", "]"),
    padded: false,
    list: ("[", "]"),
    pair: " => ",
    member: text,
    key: text,
    text,
    bytes,
    kind: text,
    bools: ("true", "false"),
};

pub(super) fn program(program: &Program<'_>) -> String {
    let input = LITERALS.tree(program.input).print("    ", 0);
    let send = format!("$client->{}($request)", camel(program.name()));
    format!(
        "<?php\nrequire 'vendor/autoload.php';\n\nuse Aws\\DynamoDb\\DynamoDbClient;\n\n\
         $client = new DynamoDbClient(['version' => 'latest', 'region' => getenv('AWS_REGION') ?: 'us-east-1']);\n\n\
         $request = {input};\n\n{}",
        body(program.answer, &send)
    )
}

const SHOW: &str = "echo json_encode($item), PHP_EOL;";

fn body(answer: Answer, send: &str) -> String {
    match answer {
        Answer::Pages => format!(
            "do {{\n    $page = {send};\n    foreach ($page['Items'] as $item) {{\n        {SHOW}\n    }}\n    \
             $request['ExclusiveStartKey'] = $page['LastEvaluatedKey'];\n}} while ($request['ExclusiveStartKey']);\n"
        ),
        Answer::Page => format!("foreach ({send}['Items'] as $item) {{\n    {SHOW}\n}}\n"),
        Answer::Counts => format!(
            "$count = 0;\ndo {{\n    $page = {send};\n    $count += $page['Count'];\n    \
             $request['ExclusiveStartKey'] = $page['LastEvaluatedKey'];\n}} while ($request['ExclusiveStartKey']);\necho $count, PHP_EOL;\n"
        ),
        Answer::Statement => format!(
            "do {{\n    $page = {send};\n    foreach ($page['Items'] ?? [] as $item) {{\n        {SHOW}\n    }}\n    \
             $request['NextToken'] = $page['NextToken'];\n}} while ($request['NextToken']);\n"
        ),
        Answer::Item => format!("$item = {send}['Item'];\nif ($item) {{\n    {SHOW}\n}}\n"),
        Answer::Attributes => {
            format!("$item = {send}['Attributes'];\nif ($item) {{\n    {SHOW}\n}}\n")
        }
        Answer::BatchGet => format!(
            "// What a batch leaves over is sent again, a little later each time.\n\
             for ($wait = 50_000; $request['RequestItems']; $wait = min($wait * 2, 5_000_000)) {{\n    $answer = {send};\n    \
             foreach (array_merge(...array_values($answer['Responses'])) as $item) {{\n        {SHOW}\n    }}\n    \
             $request['RequestItems'] = $answer['UnprocessedKeys'];\n    if ($request['RequestItems']) {{\n        usleep($wait);\n    }}\n}}\n"
        ),
        Answer::BatchWrite => format!(
            "// What a batch leaves over is sent again, a little later each time.\n\
             for ($wait = 50_000; $request['RequestItems']; $wait = min($wait * 2, 5_000_000)) {{\n    $answer = {send};\n    \
             $request['RequestItems'] = $answer['UnprocessedItems'];\n    if ($request['RequestItems']) {{\n        usleep($wait);\n    }}\n}}\n"
        ),
        Answer::Responses => format!(
            "foreach ({send}['Responses'] as $response) {{\n    $item = $response['Item'] ?? null;\n    if ($item) {{\n        {SHOW}\n    }}\n}}\n"
        ),
        Answer::Statements => format!(
            "foreach ({send}['Responses'] as $response) {{\n    if (isset($response['Error'])) {{\n        fwrite(STDERR, json_encode($response['Error']) . PHP_EOL);\n    }}\n    \
             $item = $response['Item'] ?? null;\n    if ($item) {{\n        {SHOW}\n    }}\n}}\n"
        ),
        Answer::Nothing => format!("{send};\n"),
    }
}

/// Single quotes take everything as it is but the quote and the backslash.
fn text(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn bytes(base64: &str) -> String {
    format!("base64_decode({})", text(base64))
}
