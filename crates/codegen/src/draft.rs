//! One request, read from whatever somebody has.

use crate::{saved, shell};
use bothways_core::partiql::Parsed;
use bothways_protocol::{Error, Operation, Request, validate};
use serde_json::{Map, Value as Json};
use std::collections::BTreeSet;

/// The longest text that is read: DynamoDB's own limit of a request, 16 MB.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The members of a request as people write them: what is read, how, what comes back.
const ORDER: &[&str] = &[
    "TransactItems",
    "RequestItems",
    "TableName",
    "IndexName",
    "Key",
    "Item",
    "KeyConditionExpression",
    "UpdateExpression",
    "ConditionExpression",
    "FilterExpression",
    "ProjectionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "Statement",
    "Parameters",
    "ConsistentRead",
    "ScanIndexForward",
    "Select",
    "Limit",
    "Segment",
    "TotalSegments",
    "ExclusiveStartKey",
];

/// A request that can be checked, explained and printed.
#[derive(Debug, Clone)]
pub struct Draft {
    request: Request,
    operation: Operation,
}

/// Why a text is no request.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// Longer than 16 MB.
    #[error("the request has {bytes} bytes; DynamoDB takes at most {MOST_BYTES}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Not JSON.
    #[error("not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// An AWS CLI command that cannot be read.
    #[error("the command: {0}")]
    Command(String),
    /// A body that could belong to several operations, or to none.
    #[error("the operation cannot be told from the request: name it ({0})")]
    WhichOperation(&'static str),
    /// An operation that is no read or write of items.
    #[error("{0} reads and writes no items: there is nothing to build")]
    NotItems(&'static str),
    /// A part that the operation has no place for.
    #[error("{operation} has no place for {part}")]
    Misplaced {
        /// The operation.
        operation: &'static str,
        /// The part.
        part: &'static str,
    },
    /// Another operation was named than the text itself has.
    #[error("this is a request of {is}, not of {named}")]
    OtherOperation {
        /// The text's.
        is: &'static str,
        /// The one that was named.
        named: &'static str,
    },
    /// A file of a saved request that is none.
    #[error("the saved request: {0}")]
    Saved(String),
    /// What DynamoDB itself would answer.
    #[error("{}", .0.message)]
    Refused(#[source] Error),
}

impl DraftError {
    /// Which bytes of the text are at fault, where the error tells.
    #[must_use]
    pub fn span(&self, text: &str) -> Option<std::ops::Range<usize>> {
        match self {
            Self::Json(error) if error.line() > 0 => {
                let before = text.split_inclusive('\n').take(error.line() - 1);
                let at = before.map(str::len).sum::<usize>() + error.column();
                let at = (0..=at.min(text.len()))
                    .rev()
                    .find(|at| text.is_char_boundary(*at))?;
                let start = text[..at]
                    .char_indices()
                    .next_back()
                    .map_or(0, |(start, _)| start);
                Some(start..at.max(start))
            }
            Self::Command(words) => {
                place(text, words.split(' ').find(|word| word.starts_with("--"))?)
            }
            Self::Refused(error) => place(text, quoted_part(&error.message)?),
            _ => None,
        }
    }
}

/// The part of DynamoDB's words that quotes the request: the text near a syntax error, a placeholder, a reserved word.
fn quoted_part(message: &str) -> Option<&str> {
    let after = |mark: &str| message.split_once(mark).map(|(_, rest)| rest);
    if let Some(near) = after("near: \"") {
        return near.strip_suffix('"').or_else(|| near.split('"').next());
    }
    let word = after("reserved keyword: ")
        .or_else(|| after("attribute value: "))
        .or_else(|| after("attribute name: "));
    word.and_then(|rest| rest.split([' ', ';', ',']).next())
}

/// Where the part first stands in the text, blanks aside: DynamoDB quotes tokens with one blank between them.
fn place(text: &str, part: &str) -> Option<std::ops::Range<usize>> {
    let wanted: Vec<char> = part.chars().filter(|c| !c.is_whitespace()).collect();
    let chars: Vec<(usize, char)> = text
        .char_indices()
        .filter(|(_, c)| !c.is_whitespace())
        .collect();
    let first = chars
        .windows(wanted.len().max(1))
        .find(|window| window.iter().map(|(_, c)| c).eq(wanted.iter()))?;
    let (start, _) = first.first()?;
    let (last, c) = first.last()?;
    Some(*start..last + c.len_utf8())
}

impl Draft {
    /// Reads a request: an AWS CLI command, a PartiQL statement, the JSON of a request, or that JSON under its
    /// operation's name (`{"Query": {…}}`), or a saved request. Where nobody `named` the operation, the request's members tell it.
    ///
    /// # Errors
    /// [`DraftError`]; a `named` operation other than the text's own is refused, and a request that DynamoDB would refuse before it looks at a table is refused with its words.
    ///
    /// ```
    /// use bothways_codegen::Draft;
    ///
    /// let draft = Draft::read(r#"{"TableName": "follow", "Key": {"PK": {"S": "a"}, "SK": {"S": "b"}}}"#, None)?;
    /// assert_eq!(draft.operation().name(), "GetItem");
    /// # Ok::<(), bothways_codegen::DraftError>(())
    /// ```
    pub fn read(text: &str, named: Option<Operation>) -> Result<Self, DraftError> {
        if text.len() > MOST_BYTES {
            return Err(DraftError::TooLong { bytes: text.len() });
        }
        let text = text.trim();
        if text.starts_with("aws ") || text.starts_with("$ aws ") {
            let (operation, body) = shell::command(text.trim_start_matches("$ "))?;
            return Self::of_named(operation, named, &body);
        }
        let first = text
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        if matches!(first.as_str(), "SELECT" | "INSERT" | "UPDATE" | "DELETE") {
            let body = serde_json::json!({ "Statement": text });
            return Self::of_named(Operation::ExecuteStatement, named, &body);
        }
        let body: Json = serde_json::from_str(text)?;
        if let Some((operation, input)) = saved::opened(&body)? {
            return Self::of_named(operation, named, input);
        }
        if let Some((operation, inner)) = wrapped(&body) {
            return Self::of_named(operation, named, inner);
        }
        let operation = match named {
            Some(operation) => operation,
            None => guess(&body)?,
        };
        Self::of_json(operation, &body)
    }

    fn of_named(
        operation: Operation,
        named: Option<Operation>,
        body: &Json,
    ) -> Result<Self, DraftError> {
        match named {
            Some(named) if named != operation => Err(DraftError::OtherOperation {
                is: operation.name(),
                named: named.name(),
            }),
            _ => Self::of_json(operation, body),
        }
    }

    fn of_json(operation: Operation, body: &Json) -> Result<Self, DraftError> {
        let bytes = serde_json::to_vec(body)?;
        let request = Request::decode(operation, &bytes).map_err(DraftError::Refused)?;
        Self::of_request(request)
    }

    /// A draft of a typed request.
    ///
    /// # Errors
    /// [`DraftError::Refused`] as DynamoDB would, [`DraftError::NotItems`] for the control plane.
    pub fn of_request(request: Request) -> Result<Self, DraftError> {
        let operation = request
            .operation()
            .ok_or(DraftError::NotItems("this operation"))?;
        if !is_of_items(operation) {
            return Err(DraftError::NotItems(operation.name()));
        }
        validate::request(&request).map_err(DraftError::Refused)?;
        Ok(Self { request, operation })
    }

    /// The operation.
    #[must_use]
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The request, typed.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The one table that the request goes to; none where it goes to several.
    #[must_use]
    pub fn table(&self) -> Option<String> {
        let body = self.json();
        let mut tables = BTreeSet::new();
        tables_of(&body, &mut tables);
        let only = tables.pop_first()?;
        tables.is_empty().then_some(only)
    }

    /// Whether it has parameters from before expressions.
    pub(crate) fn is_legacy(&self) -> bool {
        const LEGACY: &[&str] = &[
            "AttributesToGet",
            "AttributeUpdates",
            "ConditionalOperator",
            "Expected",
            "KeyConditions",
            "QueryFilter",
            "ScanFilter",
        ];
        let json = self.json();
        let has = |part: &Json| LEGACY.iter().any(|name| part.get(name).is_some());
        let tables = json["RequestItems"].as_object();
        has(&json) || tables.is_some_and(|tables| tables.values().any(has))
    }

    /// The request's JSON, its members in the order in which people write them.
    #[must_use]
    pub fn json(&self) -> Json {
        let mut bytes = Vec::new();
        self.request.encode(&mut bytes);
        ordered(serde_json::from_slice(&bytes).unwrap_or_default())
    }
}

/// The names of the tables that a request, or a part of one, goes to; a table's ARN is its name.
fn tables_of(body: &Json, tables: &mut BTreeSet<String>) {
    if let Some(name) = body["TableName"].as_str() {
        tables.insert(validate::table_name(name).to_owned());
    }
    let statement = body["Statement"].as_str();
    if let Some(parsed) = statement.and_then(|text| Parsed::read(text).ok()) {
        tables.insert(validate::table_name(parsed.table()).to_owned());
    }
    if let Some(all) = body["RequestItems"].as_object() {
        tables.extend(all.keys().map(|name| validate::table_name(name).to_owned()));
    }
    for list in ["TransactItems", "Statements", "TransactStatements"] {
        for part in body[list].as_array().into_iter().flatten() {
            tables_of(part, tables);
            let actions = part.as_object().into_iter().flat_map(Map::values);
            actions.for_each(|action| tables_of(action, tables));
        }
    }
}

fn is_of_items(operation: Operation) -> bool {
    use Operation as Op;
    matches!(
        operation,
        Op::GetItem
            | Op::Query
            | Op::Scan
            | Op::PutItem
            | Op::UpdateItem
            | Op::DeleteItem
            | Op::BatchGetItem
            | Op::BatchWriteItem
            | Op::TransactGetItems
            | Op::TransactWriteItems
            | Op::ExecuteStatement
            | Op::BatchExecuteStatement
            | Op::ExecuteTransaction
    )
}

/// `{"Query": {…}}`
fn wrapped(body: &Json) -> Option<(Operation, &Json)> {
    let members = body.as_object()?;
    let (name, inner) = members.iter().next()?;
    let operation = Operation::ALL
        .iter()
        .find(|operation| operation.name() == name)?;
    (members.len() == 1 && inner.is_object()).then_some((*operation, inner))
}

fn guess(body: &Json) -> Result<Operation, DraftError> {
    let has = |name: &str| body.get(name).is_some();
    let inside = |list: &str, name: &str| {
        body[list]
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one.get(name).is_some()))
    };
    Ok(if has("TransactItems") {
        if inside("TransactItems", "Get") {
            Operation::TransactGetItems
        } else {
            Operation::TransactWriteItems
        }
    } else if has("RequestItems") {
        let tables = body["RequestItems"].as_object();
        let lists = tables.is_some_and(|tables| tables.values().any(Json::is_array));
        if lists {
            Operation::BatchWriteItem
        } else {
            Operation::BatchGetItem
        }
    } else if has("Statements") {
        Operation::BatchExecuteStatement
    } else if has("TransactStatements") {
        Operation::ExecuteTransaction
    } else if has("Statement") {
        Operation::ExecuteStatement
    } else if has("KeyConditionExpression") || has("KeyConditions") {
        Operation::Query
    } else if has("UpdateExpression") || has("AttributeUpdates") {
        Operation::UpdateItem
    } else if has("Item") {
        Operation::PutItem
    } else if has("Key") {
        let of_writes = [
            "ConditionExpression",
            "Expected",
            "ReturnValues",
            "ReturnItemCollectionMetrics",
        ];
        if of_writes.into_iter().any(has) {
            Operation::DeleteItem
        } else {
            Operation::GetItem
        }
    } else if has("TableName") {
        Operation::Scan
    } else {
        return Err(DraftError::WhichOperation(
            "it has no TableName, Key, Item, RequestItems, TransactItems or Statement",
        ));
    })
}

/// Members of requests and their parts in the order of [`ORDER`]; names and values, which are users' own, as they are.
fn ordered(json: Json) -> Json {
    const OWN: &[&str] = &[
        "Key",
        "Item",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "ExclusiveStartKey",
        "Keys",
        "Parameters",
    ];
    match json {
        Json::Array(all) => all.into_iter().map(ordered).collect(),
        Json::Object(members) => {
            let place = |name: &str| {
                ORDER
                    .iter()
                    .position(|known| *known == name)
                    .unwrap_or(ORDER.len())
            };
            let mut members: Vec<_> = members.into_iter().collect();
            if members
                .iter()
                .any(|(name, _)| ORDER.contains(&name.as_str()))
            {
                members.sort_by_key(|(name, _)| place(name));
            }
            let own = |(name, value): (String, Json)| {
                let value = if OWN.contains(&name.as_str()) {
                    value
                } else {
                    ordered(value)
                };
                (name, value)
            };
            Json::Object(members.into_iter().map(own).collect::<Map<_, _>>())
        }
        other => other,
    }
}
