//! Requests built in Rust: every expression typed, names and values placed by the builder.

mod expr;

pub use expr::{Condition, Expr, Target, attr, key, value};

use crate::{Draft, DraftError};
use bothways_core::expr::{Aliases, Path, Printer, UpdateAction, ValueLeaf};
use bothways_core::{Item, Value};
use bothways_protocol::Request;
use bothways_protocol::types::{
    DeleteItemInput, GetItemInput, Names, PutItemInput, QueryInput, ReturnValue, ScanInput,
    UpdateItemInput, Values,
};
use std::borrow::Cow;

/// What a [`Builder`] builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Get,
    Query,
    Scan,
    Put,
    Update,
    Delete,
}

/// A request under construction. What an operation has no place for is refused when it is built.
///
/// ```
/// use bothways_codegen::{Builder, attr, key, value};
///
/// let followers = Builder::query("follow")
///     .index("GSI1")
///     .where_key(attr("GSI1PK").eq("TARGET#bob").and(attr("GSI1SK").begins_with("ACTOR#")))
///     .filter(attr("edgeType").eq("FOLLOWS"))
///     .newest_first()
///     .build()?;
/// assert_eq!(followers.json()["KeyConditionExpression"], "GSI1PK = :v0 AND begins_with(GSI1SK, :v1)");
///
/// let visit = Builder::update("page", key([("id", "home".into())]))
///     .set(attr("visits"), attr("visits").or_if_absent(0).plus(1))
///     .build()?;
/// assert_eq!(visit.json()["UpdateExpression"], "SET visits = if_not_exists(visits, :v0) + :v1");
/// # Ok::<(), bothways_codegen::DraftError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Builder {
    kind: Kind,
    table: String,
    index: Option<String>,
    item: Option<Item>,
    key_condition: Option<Condition>,
    filter: Option<Condition>,
    condition: Option<Condition>,
    actions: Vec<UpdateAction<'static>>,
    projection: Vec<Path<'static>>,
    consistent: bool,
    backward: bool,
    limit: Option<i32>,
    returns: Option<ReturnValue>,
    aliases: Aliases,
}

impl Builder {
    fn new(kind: Kind, table: impl Into<String>, item: Option<Item>) -> Self {
        Self {
            kind,
            table: table.into(),
            index: None,
            item,
            key_condition: None,
            filter: None,
            condition: None,
            actions: Vec::new(),
            projection: Vec::new(),
            consistent: false,
            backward: false,
            limit: None,
            returns: None,
            aliases: Aliases::Needed,
        }
    }

    /// GetItem.
    #[must_use]
    pub fn get(table: impl Into<String>, key: Item) -> Self {
        Self::new(Kind::Get, table, Some(key))
    }

    /// Query.
    #[must_use]
    pub fn query(table: impl Into<String>) -> Self {
        Self::new(Kind::Query, table, None)
    }

    /// Scan.
    #[must_use]
    pub fn scan(table: impl Into<String>) -> Self {
        Self::new(Kind::Scan, table, None)
    }

    /// PutItem.
    #[must_use]
    pub fn put(table: impl Into<String>, item: Item) -> Self {
        Self::new(Kind::Put, table, Some(item))
    }

    /// UpdateItem.
    #[must_use]
    pub fn update(table: impl Into<String>, key: Item) -> Self {
        Self::new(Kind::Update, table, Some(key))
    }

    /// DeleteItem.
    #[must_use]
    pub fn delete(table: impl Into<String>, key: Item) -> Self {
        Self::new(Kind::Delete, table, Some(key))
    }

    /// Reads an index instead of the table.
    #[must_use]
    pub fn index(mut self, name: impl Into<String>) -> Self {
        self.index = Some(name.into());
        self
    }

    /// Which keys a Query reads.
    #[must_use]
    pub fn where_key(mut self, condition: Condition) -> Self {
        self.key_condition = Some(condition);
        self
    }

    /// Which of the items read come back; those that do not cost the same.
    #[must_use]
    pub fn filter(mut self, condition: Condition) -> Self {
        self.filter = Some(condition);
        self
    }

    /// What must hold for a write.
    #[must_use]
    pub fn condition(mut self, condition: Condition) -> Self {
        self.condition = Some(condition);
        self
    }

    /// `SET path = value`
    #[must_use]
    pub fn set(mut self, path: Target, value: impl Into<Expr>) -> Self {
        self.actions.push(UpdateAction::Set(path.0, value.into().0));
        self
    }

    /// `REMOVE path`
    #[must_use]
    pub fn remove(mut self, path: Target) -> Self {
        self.actions.push(UpdateAction::Remove(path.0));
        self
    }

    /// `ADD path number`, or `ADD path set`.
    #[must_use]
    pub fn add(mut self, path: Target, value: impl Into<Value>) -> Self {
        self.actions.push(UpdateAction::Add(
            path.0,
            ValueLeaf::Literal(Cow::Owned(value.into())),
        ));
        self
    }

    /// `DELETE path set`
    #[must_use]
    pub fn take(mut self, path: Target, set: impl Into<Value>) -> Self {
        self.actions.push(UpdateAction::Delete(
            path.0,
            ValueLeaf::Literal(Cow::Owned(set.into())),
        ));
        self
    }

    /// Only these paths come back.
    #[must_use]
    pub fn project(mut self, paths: impl IntoIterator<Item = Target>) -> Self {
        self.projection
            .extend(paths.into_iter().map(|target| target.0));
        self
    }

    /// A strongly consistent read.
    #[must_use]
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
        self
    }

    /// Descending by the sort key.
    #[must_use]
    pub fn newest_first(mut self) -> Self {
        self.backward = true;
        self
    }

    /// At most so many items a page.
    #[must_use]
    pub fn limit(mut self, items: i32) -> Self {
        self.limit = Some(items);
        self
    }

    /// What a write gives back.
    #[must_use]
    pub fn returning(mut self, values: ReturnValue) -> Self {
        self.returns = Some(values);
        self
    }

    /// Placeholders for every name, not only for those that need one.
    #[must_use]
    pub fn alias_all(mut self) -> Self {
        self.aliases = Aliases::Always;
        self
    }

    /// The request.
    ///
    /// # Errors
    /// [`DraftError::Refused`] with DynamoDB's words; [`DraftError::Misplaced`] for a part that the operation has no
    /// place for.
    pub fn build(self) -> Result<Draft, DraftError> {
        self.check()?;
        let mut printer = Printer::new(self.aliases);
        let key_condition = self
            .key_condition
            .as_ref()
            .map(|condition| printer.condition(&condition.0));
        let update = (!self.actions.is_empty()).then(|| printer.update(&self.actions));
        let condition = self
            .condition
            .as_ref()
            .map(|condition| printer.condition(&condition.0));
        let filter = self
            .filter
            .as_ref()
            .map(|condition| printer.condition(&condition.0));
        let projection =
            (!self.projection.is_empty()).then(|| printer.projection(&self.projection));
        let (names, values): (Names, Values) = printer.finish();
        let expression_attribute_names = (!names.is_empty()).then_some(names);
        let expression_attribute_values = (!values.is_empty()).then(|| values.into());
        let table_name = Some(self.table);
        let consistent_read = self.consistent.then_some(true);
        let item = self.item.map(Into::into);
        Draft::of_request(match self.kind {
            Kind::Get => Request::GetItem(Box::new(GetItemInput {
                table_name,
                key: item,
                consistent_read,
                projection_expression: projection,
                expression_attribute_names,
                ..Default::default()
            })),
            Kind::Query => Request::Query(Box::new(QueryInput {
                table_name,
                index_name: self.index,
                key_condition_expression: key_condition,
                filter_expression: filter,
                projection_expression: projection,
                consistent_read,
                scan_index_forward: self.backward.then_some(false),
                limit: self.limit,
                expression_attribute_names,
                expression_attribute_values,
                ..Default::default()
            })),
            Kind::Scan => Request::Scan(Box::new(ScanInput {
                table_name,
                index_name: self.index,
                filter_expression: filter,
                projection_expression: projection,
                consistent_read,
                limit: self.limit,
                expression_attribute_names,
                expression_attribute_values,
                ..Default::default()
            })),
            Kind::Put => Request::PutItem(Box::new(PutItemInput {
                table_name,
                item,
                condition_expression: condition,
                return_values: self.returns,
                expression_attribute_names,
                expression_attribute_values,
                ..Default::default()
            })),
            Kind::Update => Request::UpdateItem(Box::new(UpdateItemInput {
                table_name,
                key: item,
                update_expression: update,
                condition_expression: condition,
                return_values: self.returns,
                expression_attribute_names,
                expression_attribute_values,
                ..Default::default()
            })),
            Kind::Delete => Request::DeleteItem(Box::new(DeleteItemInput {
                table_name,
                key: item,
                condition_expression: condition,
                return_values: self.returns,
                expression_attribute_names,
                expression_attribute_values,
                ..Default::default()
            })),
        })
    }

    /// Refuses what the operation would silently lose.
    fn check(&self) -> Result<(), DraftError> {
        let reads = matches!(self.kind, Kind::Get | Kind::Query | Kind::Scan);
        let lists = matches!(self.kind, Kind::Query | Kind::Scan);
        let misplaced = [
            ("an index", self.index.is_some() && !lists),
            (
                "a key condition",
                self.key_condition.is_some() && self.kind != Kind::Query,
            ),
            ("a filter", self.filter.is_some() && !lists),
            ("a limit", self.limit.is_some() && !lists),
            ("an order", self.backward && self.kind != Kind::Query),
            ("a condition", self.condition.is_some() && reads),
            (
                "an update",
                !self.actions.is_empty() && self.kind != Kind::Update,
            ),
            ("a projection", !self.projection.is_empty() && !reads),
            ("a consistent read", self.consistent && !reads),
            ("returned values", self.returns.is_some() && reads),
        ];
        let operation = match self.kind {
            Kind::Get => "GetItem",
            Kind::Query => "Query",
            Kind::Scan => "Scan",
            Kind::Put => "PutItem",
            Kind::Update => "UpdateItem",
            Kind::Delete => "DeleteItem",
        };
        match misplaced.into_iter().find(|(_, wrong)| *wrong) {
            Some((part, _)) => Err(DraftError::Misplaced { operation, part }),
            None => Ok(()),
        }
    }
}
