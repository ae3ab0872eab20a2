//! ElectroDB: an entity over the table's own keys, its items as they are in the table.

use super::document_client::plain;
use super::java::chain;
use super::javascript::{LITERALS, key};
use super::toolbox::{Parts, object, part};
use super::{Refusal, quoted};
use crate::doc::Doc;
use crate::{Draft, Schema};
use bothways_core::expr::{Comparator, Condition, FunctionName, Node, Operand, SortCondition};
use bothways_core::{Item, KeySchema, Value};
use bothways_protocol::types::{QueryInput, ReturnValue, Select};
use bothways_protocol::{Operation, Request, validate};

pub(super) fn program(draft: &Draft, schema: Option<&Schema>) -> Result<String, Refusal> {
    let schema = schema
        .ok_or_else(|| Refusal::new("ElectroDB works on a described table: give its definition"))?;
    let mut more = Vec::new();
    let body = match draft.request() {
        Request::GetItem(input) => {
            let plan =
                validate::get_item(input).map_err(|error| Refusal::new(error.to_string()))?;
            if plan.projection.is_some() {
                return Err(Refusal::new(
                    "ElectroDB gives back the attributes of its schema, not paths",
                ));
            }
            let consistent = if input.consistent_read == Some(true) {
                ", consistent: true"
            } else {
                ""
            };
            let calls = vec![
                Doc::around(".get(", item(plan.key)?, ")"),
                Doc::text(format!(".go({{ data: \"raw\"{consistent} }})")),
            ];
            let send = chain("entity", calls).print("  ", 0);
            format!("const {{ data }} = await {send};\nif (data.Item) console.log(data.Item);\n")
        }
        Request::DeleteItem(input) => {
            let plan =
                validate::delete_item(input).map_err(|error| Refusal::new(error.to_string()))?;
            let mut calls = vec![Doc::around(".delete(", item(plan.key)?, ")")];
            calls.extend(
                plan.condition
                    .as_ref()
                    .map(|condition| filter(condition, schema, &mut more))
                    .transpose()?,
            );
            if input.return_values == Some(ReturnValue::AllOld) {
                calls.push(Doc::text(".go({ data: \"raw\", response: \"all_old\" })"));
                let send = chain("entity", calls).print("  ", 0);
                format!(
                    "const {{ data }} = await {send};\nif (data.Attributes) console.log(data.Attributes);\n"
                )
            } else {
                calls.push(Doc::text(".go()"));
                format!("await {};\n", chain("entity", calls).print("  ", 0))
            }
        }
        Request::Query(input) => query(input, schema, &mut more)?,
        Request::Scan(_) => {
            return Err(Refusal::new(
                "ElectroDB adds its own filter to a scan, which drops items that it did not write",
            ));
        }
        Request::PutItem(_) | Request::UpdateItem(_) => {
            return Err(Refusal::new(
                "ElectroDB writes attributes of its own into every item (__edb_e__, __edb_v__)",
            ));
        }
        other => {
            let name = other.operation().map_or("this", Operation::name);
            return Err(Refusal::new(format!(
                "{name} is built of your entities' own operations in ElectroDB"
            )));
        }
    };
    Ok(format!(
        "import {{ DynamoDBClient }} from \"@aws-sdk/client-dynamodb\";\nimport {{ DynamoDBDocumentClient }} from \"@aws-sdk/lib-dynamodb\";\nimport {{ Entity }} from \"electrodb\";\n\n\
         const client = DynamoDBDocumentClient.from(new DynamoDBClient({{}}), {{\n  unmarshallOptions: {{ wrapNumbers: true }}, // keeps all 38 digits\n}});\n\nconst entity = {};\n\n{body}",
        entity(schema, &more)
    ))
}

fn entity(schema: &Schema, more: &[String]) -> String {
    let model = object(vec![
        part("entity", quoted(&schema.table)),
        part("version", "\"1\""),
        part("service", quoted(&schema.table)),
    ]);
    let mut names: Vec<String> = Vec::new();
    let of_indexes = schema.indexes.iter().flat_map(|index| index.keys.names());
    let own = schema.keys.names().chain(of_indexes).map(str::to_owned);
    for name in own.chain(more.iter().cloned()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let attributes = names.iter().map(|name| {
        let scalar = schema
            .keys
            .parts()
            .chain(schema.indexes.iter().flat_map(|index| index.keys.parts()));
        let kind = scalar
            .into_iter()
            .find(|(_, part)| part.name == *name)
            .map_or("any", |(_, part)| match part.scalar {
                bothways_core::ScalarType::S => "string",
                bothways_core::ScalarType::N => "number",
                bothways_core::ScalarType::B => "any",
            });
        (key(name), object(vec![part("type", quoted(kind))]))
    });
    let mut indexes = vec![("table".to_owned(), index_keys(None, &schema.keys))];
    indexes.extend(
        schema
            .indexes
            .iter()
            .map(|index| (key(&index.name), index_keys(Some(&index.name), &index.keys))),
    );
    let definition = object(vec![
        ("model".to_owned(), Some(model)),
        ("attributes".to_owned(), Some(LITERALS.map(attributes))),
        (
            "indexes".to_owned(),
            Some(LITERALS.map(indexes.into_iter())),
        ),
    ]);
    let options = object(vec![
        ("client".to_owned(), None),
        part("table", quoted(&schema.table)),
    ]);
    Doc::list("new Entity(", vec![definition, options], ")")
        .no_trailing()
        .print("  ", 0)
}

fn index_keys(name: Option<&str>, keys: &KeySchema) -> Doc {
    let one = |name: &str| {
        Some(object(vec![
            part("field", quoted(name)),
            part("composite", format!("[{}]", quoted(name))),
            part("casing", "\"none\""),
        ]))
    };
    let mut parts: Parts = name
        .map(|name| part("index", quoted(name)))
        .into_iter()
        .collect();
    parts.extend(
        keys.hash
            .first()
            .map(|part| ("pk".to_owned(), one(&part.name))),
    );
    parts.extend(
        keys.range
            .first()
            .map(|part| ("sk".to_owned(), one(&part.name))),
    );
    object(parts)
}

fn query(input: &QueryInput, schema: &Schema, more: &mut Vec<String>) -> Result<String, Refusal> {
    let plan = validate::query(input).map_err(|error| Refusal::new(error.to_string()))?;
    if plan.projection.is_some() || input.select == Some(Select::Count) || plan.start.is_some() {
        return Err(Refusal::new(
            "projections, counts and keys to go on from are the plain client's: use that",
        ));
    }
    let index = input.index_name.as_deref();
    let keys = schema
        .keys_of(index)
        .ok_or_else(|| Refusal::new("the table has no such index"))?;
    let range = plan
        .key_condition
        .bind(keys)
        .map_err(|error| Refusal::new(error.to_string()))?;
    let ([partition], [hash]) = (range.hash.as_slice(), keys.hash.as_slice()) else {
        return Err(Refusal::new("ElectroDB has no keys of several attributes"));
    };
    let sort = keys
        .range
        .first()
        .map(|part| part.name.as_str())
        .unwrap_or_default();
    let mut given = vec![(hash.name.as_str(), *partition)];
    given.extend(range.equal.first().map(|equal| (sort, *equal)));
    let mut calls = vec![Doc::around(
        format!(".{}(", method(index)),
        members(&given)?,
        ")",
    )];
    match range.sort {
        None => {}
        Some(SortCondition::Less(bound)) => calls.push(sorted("lt", sort, &[bound])?),
        Some(SortCondition::LessOrEqual(bound)) => calls.push(sorted("lte", sort, &[bound])?),
        Some(SortCondition::Greater(bound)) => calls.push(sorted("gt", sort, &[bound])?),
        Some(SortCondition::GreaterOrEqual(bound)) => calls.push(sorted("gte", sort, &[bound])?),
        Some(SortCondition::BeginsWith(prefix)) => calls.push(sorted("begins", sort, &[prefix])?),
        Some(SortCondition::Between(low, high)) => {
            calls.push(sorted("between", sort, &[low, high])?);
        }
    }
    calls.extend(
        plan.filter
            .as_ref()
            .map(|condition| filter(condition, schema, more))
            .transpose()?,
    );
    let mut options = vec![part("data", "\"raw\"")];
    if input.consistent_read == Some(true) {
        options.push(part("consistent", "true"));
    }
    if input.scan_index_forward == Some(false) {
        options.push(part("order", "\"desc\""));
    }
    let one_page = input.limit.is_some();
    if let Some(limit) = input.limit {
        options.push(part("limit", limit.to_string()));
    }
    if !one_page {
        options.push(("cursor".to_owned(), None));
    }
    calls.push(Doc::around(".go(", object(options), ")"));
    let send = chain("entity.query", calls).print("  ", usize::from(!one_page));
    Ok(if one_page {
        format!(
            "const {{ data }} = await {send};\nfor (const item of data.Items) console.log(item);\n"
        )
    } else {
        format!(
            "let cursor = null;\ndo {{\n  const page = await {send};\n  \
             for (const item of page.data.Items) console.log(item);\n  cursor = page.cursor;\n}} while (cursor);\n"
        )
    })
}

fn method(index: Option<&str>) -> String {
    index.map_or_else(|| "table".to_owned(), key)
}

fn sorted(word: &str, sort: &str, bounds: &[&Value]) -> Result<Doc, Refusal> {
    let bounds = bounds
        .iter()
        .map(|bound| members(&[(sort, *bound)]))
        .collect::<Result<_, _>>()?;
    Ok(Doc::list(format!(".{word}("), bounds, ")").no_trailing())
}

fn members(given: &[(&str, &Value)]) -> Result<Doc, Refusal> {
    let members = given
        .iter()
        .map(|(name, value)| Ok((key(name), plain(value)?)));
    Ok(LITERALS.map(members.collect::<Result<Vec<_>, Refusal>>()?.into_iter()))
}

fn item(given: &Item) -> Result<Doc, Refusal> {
    let members = given
        .iter()
        .map(|(name, value)| Ok((key(name), plain(&value.to_value())?)));
    Ok(LITERALS.map(members.collect::<Result<Vec<_>, Refusal>>()?.into_iter()))
}

/// `.where(…)`, with the attributes that it names added to the entity's.
fn filter(
    condition: &Condition<'_>,
    schema: &Schema,
    more: &mut Vec<String>,
) -> Result<Doc, Refusal> {
    condition.for_each_path(&mut |path| {
        if !schema.keys.contains(path.top()) {
            more.push(path.top().to_owned());
        }
    });
    Ok(Doc::text(format!(
        ".where((item, op) => `{}`)",
        node(condition.tree())?
    )))
}

fn node(tree: &Node<'_>) -> Result<String, Refusal> {
    let joined = |all: &[Node<'_>], with: &str| {
        let all = all.iter().map(|one| {
            let text = node(one)?;
            Ok(if matches!(one, Node::And(_) | Node::Or(_)) {
                format!("({text})")
            } else {
                text
            })
        });
        Ok(all.collect::<Result<Vec<_>, Refusal>>()?.join(with))
    };
    match tree {
        Node::And(all) => joined(all, " AND "),
        Node::Or(all) => joined(all, " OR "),
        Node::Not(inner) => Ok(format!("NOT ({})", node(inner)?)),
        Node::Compare { op, left, right } => {
            let word = match op {
                Comparator::Eq => "eq",
                Comparator::Ne => "ne",
                Comparator::Lt => "lt",
                Comparator::Le => "lte",
                Comparator::Gt => "gt",
                Comparator::Ge => "gte",
            };
            call(word, &[left, right])
        }
        Node::Between { operand, low, high } => call("between", &[operand, low, high]),
        Node::In { .. } => Err(Refusal::new("ElectroDB has no IN")),
        Node::Function(function) => {
            let word = match function.name {
                FunctionName::AttributeExists => "exists",
                FunctionName::AttributeNotExists => "notExists",
                FunctionName::BeginsWith => "begins",
                FunctionName::Contains => "contains",
                FunctionName::AttributeType => "type",
                other => {
                    return Err(Refusal::new(format!(
                        "ElectroDB cannot say {}",
                        other.text()
                    )));
                }
            };
            call(word, &function.args.iter().collect::<Vec<_>>())
        }
    }
}

fn call(word: &str, operands: &[&Operand<'_>]) -> Result<String, Refusal> {
    let mut texts = Vec::new();
    for (at, operand) in operands.iter().enumerate() {
        texts.push(match operand {
            Operand::Path(path) if at == 0 && !path.is_nested() => {
                format!("item[{}]", quoted(path.top()))
            }
            Operand::Value(_) if at > 0 => match operand.as_literal() {
                Some(value) => plain(value)?.print("", 0).replace('`', "\\`"),
                None => return Err(Refusal::new("a placeholder has no value")),
            },
            _ => {
                return Err(Refusal::new(
                    "ElectroDB compares an attribute of its schema with values only",
                ));
            }
        });
    }
    Ok(format!("${{op.{word}({})}}", texts.join(", ")))
}
