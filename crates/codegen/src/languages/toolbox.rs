//! dynamodb-toolbox v2: a table, and Query or Scan on it. Its other actions go through entities, which drop what they do
//! not describe, so they need the user's own schema and are refused here.

use super::document_client::plain;
use super::java::chain;
use super::javascript::{LITERALS, key};
use super::{Refusal, quoted};
use crate::doc::Doc;
use crate::{Draft, Schema};
use bothways_core::expr::SortCondition;
use bothways_core::schema::KeyPart;
use bothways_core::{KeySchema, ScalarType};
use bothways_protocol::types::{QueryInput, ScanInput, Select};
use bothways_protocol::{Operation, Request, validate};

pub(super) fn program(draft: &Draft, schema: Option<&Schema>) -> Result<String, Refusal> {
    let schema = schema.ok_or_else(|| {
        Refusal::new("dynamodb-toolbox works on a described table: give its definition")
    })?;
    let list = match draft.request() {
        Request::Query(input) => query(input, schema)?,
        Request::Scan(input) => scan(input)?,
        other => {
            let name = other.operation().map_or("this", Operation::name);
            return Err(Refusal::new(format!(
                "{name} goes through an entity in dynamodb-toolbox, which drops every attribute that your schema does not describe"
            )));
        }
    };
    Ok(list.program(schema))
}

/// Names in a JavaScript object; a name without a value stands for itself.
pub(super) type Parts = Vec<(String, Option<Doc>)>;

pub(super) fn object(parts: Parts) -> Doc {
    let parts = parts.into_iter().map(|(name, value)| match value {
        Some(value) => Doc::around(format!("{name}: "), value, ""),
        None => Doc::text(name),
    });
    Doc::list("{", parts.collect(), "}").padded()
}

pub(super) fn part(name: &str, value: impl Into<String>) -> (String, Option<Doc>) {
    (name.to_owned(), Some(Doc::text(value)))
}

struct List {
    class: &'static str,
    calls: Vec<Doc>,
    options: Parts,
    one_page: bool,
}

impl List {
    fn program(mut self, schema: &Schema) -> String {
        let class = self.class;
        if !self.one_page {
            self.options.push(("exclusiveStartKey".to_owned(), None));
        }
        let mut calls = self.calls;
        if !self.options.is_empty() {
            calls.push(Doc::around(".options(", object(self.options), ")"));
        }
        calls.push(Doc::text(".send()"));
        let level = usize::from(!self.one_page);
        let send = chain(&format!("table.build({class})"), calls).print("  ", level);
        let body = if self.one_page {
            format!(
                "const page = await {send};\nfor (const item of page.Items ?? []) console.log(item);\n"
            )
        } else {
            format!(
                "let exclusiveStartKey;\ndo {{\n  const page = await {send};\n  \
                 for (const item of page.Items ?? []) console.log(item);\n  exclusiveStartKey = page.LastEvaluatedKey;\n}} while (exclusiveStartKey);\n"
            )
        };
        let table = Doc::around("new Table(", object(table(schema)), ")").print("  ", 0);
        format!(
            "import {{ DynamoDBClient }} from \"@aws-sdk/client-dynamodb\";\n\
             import {{ DynamoDBDocumentClient }} from \"@aws-sdk/lib-dynamodb\";\n\
             import {{ {class}, Table }} from \"dynamodb-toolbox\";\n\n\
             const documentClient = DynamoDBDocumentClient.from(new DynamoDBClient({{}}), {{\n  \
             unmarshallOptions: {{ wrapNumbers: true }}, // keeps all 38 digits\n}});\n\n\
             const table = {table};\n\n{body}"
        )
    }
}

fn table(schema: &Schema) -> Parts {
    let mut parts = vec![
        ("documentClient".to_owned(), None),
        part("name", quoted(&schema.table)),
    ];
    parts.extend(keys(&schema.keys));
    if !schema.indexes.is_empty() {
        let indexes = schema.indexes.iter().map(|index| {
            let mut parts = vec![part(
                "type",
                if index.global {
                    "\"global\""
                } else {
                    "\"local\""
                },
            )];
            parts.extend(
                keys(&index.keys)
                    .into_iter()
                    .filter(|(name, _)| index.global || name == "sortKey"),
            );
            (key(&index.name), object(parts))
        });
        parts.push(("indexes".to_owned(), Some(LITERALS.map(indexes))));
    }
    parts
}

fn keys(keys: &KeySchema) -> Parts {
    let one = |part: &KeyPart| {
        let kind = match part.scalar {
            ScalarType::S => "\"string\"",
            ScalarType::N => "\"number\"",
            ScalarType::B => "\"binary\"",
        };
        Some(object(vec![
            self::part("name", quoted(&part.name)),
            self::part("type", kind),
        ]))
    };
    let hash = keys
        .hash
        .first()
        .map(|part| ("partitionKey".to_owned(), one(part)));
    let range = keys
        .range
        .first()
        .map(|part| ("sortKey".to_owned(), one(part)));
    hash.into_iter().chain(range).collect()
}

const UNDESCRIBED: &str = "dynamodb-toolbox filters and projects the attributes of your entities, and a request describes none";

fn query(input: &QueryInput, schema: &Schema) -> Result<List, Refusal> {
    let plan = validate::query(input).map_err(|error| Refusal::new(error.to_string()))?;
    if plan.projection.is_some() || plan.filter.is_some() {
        return Err(Refusal::new(UNDESCRIBED));
    }
    let index = input.index_name.as_deref();
    let keys = schema
        .keys_of(index)
        .ok_or_else(|| Refusal::new("the table has no such index"))?;
    let range = plan
        .key_condition
        .bind(keys)
        .map_err(|error| Refusal::new(error.to_string()))?;
    let ([partition], 0..=1) = (
        range.hash.as_slice(),
        range.equal.len() + usize::from(range.sort.is_some()),
    ) else {
        return Err(Refusal::new(
            "dynamodb-toolbox has no keys of several attributes",
        ));
    };
    let mut parts: Parts = index
        .map(|index| part("index", quoted(index)))
        .into_iter()
        .collect();
    parts.push(("partition".to_owned(), Some(plain(partition)?)));
    if let Some(sort) = range.sort {
        parts.push(("range".to_owned(), Some(sort_condition(sort)?)));
    } else if let Some(equal) = range.equal.first() {
        parts.push((
            "range".to_owned(),
            Some(object(vec![("eq".to_owned(), Some(plain(equal)?))])),
        ));
    }
    let mut options = Vec::new();
    if input.scan_index_forward == Some(false) {
        options.push(part("reverse", "true"));
    }
    let calls = vec![Doc::around(".query(", object(parts), ")")];
    list(
        "QueryCommand",
        calls,
        options,
        (input.consistent_read, input.limit, input.select),
        plan.start.is_some(),
    )
}

fn sort_condition(sort: SortCondition<'_>) -> Result<Doc, Refusal> {
    let (word, value) = match sort {
        SortCondition::Less(bound) => ("lt", plain(bound)?),
        SortCondition::LessOrEqual(bound) => ("lte", plain(bound)?),
        SortCondition::Greater(bound) => ("gt", plain(bound)?),
        SortCondition::GreaterOrEqual(bound) => ("gte", plain(bound)?),
        SortCondition::BeginsWith(prefix) => ("beginsWith", plain(prefix)?),
        SortCondition::Between(low, high) => {
            ("between", LITERALS.list(vec![plain(low)?, plain(high)?]))
        }
    };
    Ok(object(vec![(word.to_owned(), Some(value))]))
}

fn scan(input: &ScanInput) -> Result<List, Refusal> {
    let plan = validate::scan(input).map_err(|error| Refusal::new(error.to_string()))?;
    if plan.projection.is_some() || plan.filter.is_some() {
        return Err(Refusal::new(UNDESCRIBED));
    }
    let mut options: Parts = input
        .index_name
        .iter()
        .map(|index| part("index", quoted(index)))
        .collect();
    if let Some((segment, total)) = plan.segment {
        options.push(part("segment", segment.to_string()));
        options.push(part("totalSegments", total.to_string()));
    }
    list(
        "ScanCommand",
        Vec::new(),
        options,
        (input.consistent_read, input.limit, input.select),
        plan.start.is_some(),
    )
}

fn list(
    class: &'static str,
    calls: Vec<Doc>,
    mut options: Parts,
    (consistent, limit, select): (Option<bool>, Option<i32>, Option<Select>),
    starts: bool,
) -> Result<List, Refusal> {
    if select == Some(Select::Count) || starts {
        return Err(Refusal::new(
            "counting, and going on from a key, are the plain client's: use that",
        ));
    }
    if consistent == Some(true) {
        options.push(part("consistent", "true"));
    }
    if let Some(limit) = limit {
        options.push(part("limit", limit.to_string()));
    }
    Ok(List {
        class,
        calls,
        options,
        one_page: limit.is_some(),
    })
}
