//! A request as a tree that every language prints in its own way.

use crate::Draft;
use crate::languages::Refusal;
use bothways_protocol::Operation;
use serde_json::Value as Json;

/// A part of a request.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    /// A shape of the API, by its name, with its members.
    Shape(&'static str, Vec<(String, Tree)>),
    /// A list of shapes or of attribute maps, by the elements' type.
    List(&'static str, Vec<Tree>),
    /// A map whose keys are users' own, by the values' type.
    Map(&'static str, Vec<(String, Tree)>),
    /// An attribute value.
    Value(Attribute),
    /// Text.
    Text(String),
    /// A word of the closed set of that name.
    Word(&'static str, String),
    /// A whole number.
    Int(i64),
    /// True or false.
    Bool(bool),
}

/// An attribute value, its numbers as text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Attribute {
    S(String),
    N(String),
    /// Base64.
    B(String),
    Bool(bool),
    Null,
    Ss(Vec<String>),
    Ns(Vec<String>),
    /// Base64.
    Bs(Vec<String>),
    L(Vec<Attribute>),
    M(Vec<(String, Attribute)>),
}

/// The name that a type of the API has for attribute values, and for maps of them.
pub(crate) const VALUE: &str = "AttributeValue";
pub(crate) const VALUES: &str = "Map<AttributeValue>";
const TEXT: &str = "String";

impl Tree {
    /// The tree of a draft's request.
    pub(crate) fn of(draft: &Draft) -> Result<Self, Refusal> {
        let shape = match draft.operation() {
            Operation::TransactGetItems => "TransactGetItems",
            Operation::TransactWriteItems => "TransactWriteItems",
            Operation::BatchGetItem => "BatchGetItem",
            Operation::BatchWriteItem => "BatchWriteItem",
            other => other.name(),
        };
        shape_of(shape, &draft.json(), draft.operation())
    }

    /// The member of a shape.
    pub(crate) fn member(&self, name: &str) -> Option<&Tree> {
        match self {
            Self::Shape(_, members) => members
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, tree)| tree),
            _ => None,
        }
    }

    pub(crate) fn members(&self) -> &[(String, Tree)] {
        match self {
            Self::Shape(_, members) | Self::Map(_, members) => members,
            _ => &[],
        }
    }
}

fn shape_of(name: &'static str, json: &Json, of: Operation) -> Result<Tree, Refusal> {
    let members = json.as_object().into_iter().flatten();
    let members =
        members.map(|(member, value)| Ok((member.clone(), member_of(member, value, of)?)));
    Ok(Tree::Shape(name, members.collect::<Result<_, Refusal>>()?))
}

fn member_of(member: &str, json: &Json, of: Operation) -> Result<Tree, Refusal> {
    let shapes = |kind: &'static str| {
        let all = json
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| shape_of(kind, one, of));
        Ok(Tree::List(kind, all.collect::<Result<_, Refusal>>()?))
    };
    Ok(match member {
        "Limit" | "Segment" | "TotalSegments" => Tree::Int(json.as_i64().unwrap_or_default()),
        "ConsistentRead" | "ScanIndexForward" => Tree::Bool(json.as_bool().unwrap_or_default()),
        "ReturnValues" => word("ReturnValue", json),
        "ReturnConsumedCapacity" => word("ReturnConsumedCapacity", json),
        "ReturnItemCollectionMetrics" => word("ReturnItemCollectionMetrics", json),
        "ReturnValuesOnConditionCheckFailure" => word("ReturnValuesOnConditionCheckFailure", json),
        "Select" => word("Select", json),
        "Key" | "Item" | "ExclusiveStartKey" | "ExpressionAttributeValues" => attributes(json),
        "ExpressionAttributeNames" => {
            let names = json.as_object().into_iter().flatten();
            Tree::Map(
                TEXT,
                names
                    .map(|(name, text)| (name.clone(), self::text(text)))
                    .collect(),
            )
        }
        "Keys" => Tree::List(
            VALUES,
            json.as_array()
                .into_iter()
                .flatten()
                .map(attributes)
                .collect(),
        ),
        "Parameters" => {
            let all = json.as_array().into_iter().flatten();
            Tree::List(VALUE, all.map(|one| Tree::Value(attribute(one))).collect())
        }
        "TransactItems" if of == Operation::TransactGetItems => shapes("TransactGetItem")?,
        "TransactItems" => shapes("TransactWriteItem")?,
        "Statements" => shapes("BatchStatementRequest")?,
        "TransactStatements" => shapes("ParameterizedStatement")?,
        "Put" => shape_of("Put", json, of)?,
        "Update" => shape_of("Update", json, of)?,
        "Delete" => shape_of("Delete", json, of)?,
        "ConditionCheck" => shape_of("ConditionCheck", json, of)?,
        "Get" => shape_of("Get", json, of)?,
        "PutRequest" => shape_of("PutRequest", json, of)?,
        "DeleteRequest" => shape_of("DeleteRequest", json, of)?,
        "RequestItems" => tables(json, of)?,
        "TableName" | "IndexName" | "ClientRequestToken" | "Statement" | "NextToken" => text(json),
        expression if expression.ends_with("Expression") => text(json),
        legacy => {
            return Err(Refusal::new(format!(
                "{legacy} is a legacy parameter: normalise the request first"
            )));
        }
    })
}

fn tables(json: &Json, of: Operation) -> Result<Tree, Refusal> {
    let reads = of == Operation::BatchGetItem;
    let kind = if reads {
        "KeysAndAttributes"
    } else {
        "WriteRequest"
    };
    let one = |(table, given): (&String, &Json)| {
        let part = if reads {
            shape_of(kind, given, of)?
        } else {
            let all = given
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| shape_of(kind, one, of));
            Tree::List(kind, all.collect::<Result<_, Refusal>>()?)
        };
        Ok((table.clone(), part))
    };
    let tables = json.as_object().into_iter().flatten().map(one);
    Ok(Tree::Map(
        if reads { kind } else { "List<WriteRequest>" },
        tables.collect::<Result<_, Refusal>>()?,
    ))
}

fn text(json: &Json) -> Tree {
    Tree::Text(json.as_str().unwrap_or_default().to_owned())
}

fn word(of: &'static str, json: &Json) -> Tree {
    Tree::Word(of, json.as_str().unwrap_or_default().to_owned())
}

fn attributes(json: &Json) -> Tree {
    let all = json.as_object().into_iter().flatten();
    Tree::Map(
        VALUE,
        all.map(|(name, value)| (name.clone(), Tree::Value(attribute(value))))
            .collect(),
    )
}

/// The value that DynamoDB JSON says; the request was decoded before, so it says one.
pub(crate) fn attribute(json: &Json) -> Attribute {
    let Some((kind, value)) = json.as_object().and_then(|members| members.iter().next()) else {
        return Attribute::Null;
    };
    let text = || value.as_str().unwrap_or_default().to_owned();
    let texts = || {
        let all = value.as_array().into_iter().flatten();
        all.filter_map(Json::as_str).map(str::to_owned).collect()
    };
    match kind.as_str() {
        "S" => Attribute::S(text()),
        "N" => Attribute::N(text()),
        "B" => Attribute::B(text()),
        "BOOL" => Attribute::Bool(value.as_bool().unwrap_or_default()),
        "SS" => Attribute::Ss(texts()),
        "NS" => Attribute::Ns(texts()),
        "BS" => Attribute::Bs(texts()),
        "L" => Attribute::L(
            value
                .as_array()
                .into_iter()
                .flatten()
                .map(attribute)
                .collect(),
        ),
        "M" => {
            let members = value.as_object().into_iter().flatten();
            Attribute::M(
                members
                    .map(|(name, value)| (name.clone(), attribute(value)))
                    .collect(),
            )
        }
        _ => Attribute::Null,
    }
}
