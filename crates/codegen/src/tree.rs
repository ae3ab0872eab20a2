//! A request as a tree that every language prints in its own way.

use crate::Draft;
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
    pub(crate) fn of(draft: &Draft) -> Self {
        shape_of(draft.operation().name(), &draft.json(), draft.operation())
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

fn shape_of(name: &'static str, json: &Json, of: Operation) -> Tree {
    let members = json.as_object().into_iter().flatten();
    let members = members.map(|(member, value)| (member.clone(), member_of(member, value, of)));
    Tree::Shape(name, members.collect())
}

/// A list of shapes.
fn shapes(kind: &'static str, json: &Json, of: Operation) -> Tree {
    let all = json.as_array().into_iter().flatten();
    Tree::List(kind, all.map(|one| shape_of(kind, one, of)).collect())
}

/// A member of a request without legacy parameters.
fn member_of(member: &str, json: &Json, of: Operation) -> Tree {
    match member {
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
            let names = names.map(|(name, stands_for)| (name.clone(), text(stands_for)));
            Tree::Map(TEXT, names.collect())
        }
        "Keys" => {
            let all = json.as_array().into_iter().flatten();
            Tree::List(VALUES, all.map(attributes).collect())
        }
        "Parameters" => {
            let all = json.as_array().into_iter().flatten();
            Tree::List(VALUE, all.map(|one| Tree::Value(attribute(one))).collect())
        }
        "TransactItems" if of == Operation::TransactGetItems => shapes("TransactGetItem", json, of),
        "TransactItems" => shapes("TransactWriteItem", json, of),
        "Statements" => shapes("BatchStatementRequest", json, of),
        "TransactStatements" => shapes("ParameterizedStatement", json, of),
        "Put" => shape_of("Put", json, of),
        "Update" => shape_of("Update", json, of),
        "Delete" => shape_of("Delete", json, of),
        "ConditionCheck" => shape_of("ConditionCheck", json, of),
        "Get" => shape_of("Get", json, of),
        "PutRequest" => shape_of("PutRequest", json, of),
        "DeleteRequest" => shape_of("DeleteRequest", json, of),
        "RequestItems" => tables(json, of),
        _ => text(json),
    }
}

fn tables(json: &Json, of: Operation) -> Tree {
    let tables = json.as_object().into_iter().flatten();
    if of == Operation::BatchGetItem {
        let kind = "KeysAndAttributes";
        let tables = tables.map(|(table, given)| (table.clone(), shape_of(kind, given, of)));
        return Tree::Map(kind, tables.collect());
    }
    let tables = tables.map(|(table, given)| (table.clone(), shapes("WriteRequest", given, of)));
    Tree::Map("List<WriteRequest>", tables.collect())
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
