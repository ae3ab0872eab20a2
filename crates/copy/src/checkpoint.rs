//! How far a copy is, as one item of the destination's own table.

use crate::error::{CopyError, Result, Side, at};
use crate::table::Table;
use bothways_core::{Item, Number, Value, ValueRef};
use bothways_protocol::types::{
    DeleteItemInput, GetItemInput, PutItemInput, ScalarAttributeType, UpdateItemInput,
};
use bothways_protocol::{Context, DynamoDb, DynamoDbExt};
use std::collections::{BTreeMap, BTreeSet};

/// The text of its key, and of each of its attributes' names up to their numbers.
const MARK: &str = "BOTHWAYS#COPY";
/// The attribute that names the source.
const SOURCE: &str = "bothways_copy";
/// The attributes that say how far each part is.
const PART: &str = "bothways_part_";
/// The attribute of a copy that follows its source: all of it was copied once, and what changes is copied again.
const LIVE: &str = "bothways_live";
/// The number that is its key where keys are numbers: one that nobody counts to.
const NUMBER: &str = "-8.0771967321E124";

/// How far one part of the source is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reached {
    /// Nothing of it yet.
    Start,
    /// Everything up to a key.
    Key(Item),
    /// All of it.
    End,
}

/// What an earlier run left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    /// How far each part is.
    pub(crate) parts: Vec<Reached>,
    /// It follows its source.
    pub(crate) live: bool,
}

/// The item of a copy that is under way.
pub(crate) struct Checkpoint {
    table: String,
    key: Item,
}

impl Checkpoint {
    pub(crate) fn of(table: &Table) -> Self {
        let key = table.keys().into_iter().map(|(name, kind)| {
            let value = match kind {
                ScalarAttributeType::N => NUMBER.parse::<Number>().map_or(Value::Null, Value::N),
                ScalarAttributeType::B => Value::B(MARK.as_bytes().to_vec().into()),
                ScalarAttributeType::S => Value::from(MARK),
            };
            (name, value)
        });
        Self {
            table: table.name.clone(),
            key: Item::from_attributes(key),
        }
    }

    /// Whether an item is a checkpoint, and so no part of the table.
    pub(crate) fn is(&self, item: &Item) -> bool {
        item.get(SOURCE).is_some()
            && self
                .key
                .iter()
                .all(|(name, value)| item.get(name) == Some(value))
    }

    /// Reads it: how far each part is. `None` where no copy is under way.
    pub(crate) async fn load(
        &self,
        db: &dyn DynamoDb,
        cx: &Context,
        source: &str,
    ) -> Result<Option<Left>> {
        let input = GetItemInput {
            table_name: Some(self.table.clone()),
            key: Some(self.key.clone().into()),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        let output = db
            .get_item(cx, input)
            .await
            .map_err(at(Side::Destination))?;
        let Some(item) = output.item.filter(|item| self.is(item)) else {
            return Ok(None);
        };
        match item.get(SOURCE) {
            Some(ValueRef::S(of)) if of == source => {}
            Some(ValueRef::S(of)) => {
                let mut words = of.split(' ').filter(|word| !word.is_empty());
                let arn = words.next().unwrap_or("a table without a name");
                let id = words
                    .next()
                    .map_or_else(String::new, |id| format!(", table id {id}"));
                return Err(CopyError::OtherCopy(format!("{arn}{id}")));
            }
            _ => return Err(CopyError::OtherCopy("one that it does not name".to_owned())),
        }
        let parts: BTreeSet<usize> = item
            .iter()
            .filter_map(|(name, _)| name.strip_prefix(PART)?.parse().ok())
            .collect();
        let reached = |part: &usize| match item.get(&format!("{PART}{part}")) {
            Some(ValueRef::Bool(true)) => Reached::End,
            Some(ValueRef::M(key)) => {
                let key = key.iter().map(|(name, value)| (name, value.to_value()));
                Reached::Key(Item::from_attributes(key))
            }
            _ => Reached::Start,
        };
        Ok(Some(Left {
            parts: parts.iter().map(reached).collect(),
            live: item.get(LIVE) == Some(ValueRef::Bool(true)),
        }))
    }

    /// Writes it for a copy that begins, in so many parts.
    pub(crate) async fn begin(
        &self,
        db: &dyn DynamoDb,
        cx: &Context,
        source: &str,
        parts: usize,
    ) -> Result<()> {
        let of = Value::from(source);
        let names: Vec<String> = (0..parts).map(|part| format!("{PART}{part}")).collect();
        let mut changes = vec![(SOURCE, Some(of.as_ref()))];
        changes.extend(
            names
                .iter()
                .map(|name| (name.as_str(), Some(ValueRef::Bool(false)))),
        );
        let input = PutItemInput {
            table_name: Some(self.table.clone()),
            item: Some(self.key.with(&changes).into()),
            ..PutItemInput::default()
        };
        db.put_item(cx, input)
            .await
            .map(drop)
            .map_err(at(Side::Destination))
    }

    /// Says how far one part is, behind items that were answered.
    pub(crate) async fn save(
        &self,
        db: &dyn DynamoDb,
        cx: &Context,
        part: usize,
        reached: &Reached,
    ) -> Result<()> {
        let value = match reached {
            Reached::Start => Value::Bool(false),
            Reached::End => Value::Bool(true),
            Reached::Key(key) => Value::M(
                key.iter()
                    .map(|(name, value)| (name.to_owned(), value.to_value()))
                    .collect(),
            ),
        };
        let input = UpdateItemInput {
            table_name: Some(self.table.clone()),
            key: Some(self.key.clone().into()),
            update_expression: Some("SET #part = :reached".to_owned()),
            expression_attribute_names: Some(BTreeMap::from([(
                "#part".to_owned(),
                format!("{PART}{part}"),
            )])),
            expression_attribute_values: Some(
                BTreeMap::from([(":reached".to_owned(), value)]).into(),
            ),
            ..UpdateItemInput::default()
        };
        db.update_item(cx, input)
            .await
            .map(drop)
            .map_err(at(Side::Destination))
    }

    /// Says that everything was copied once, and that the copy follows its source from now on.
    pub(crate) async fn follow(&self, db: &dyn DynamoDb, cx: &Context) -> Result<()> {
        let input = UpdateItemInput {
            table_name: Some(self.table.clone()),
            key: Some(self.key.clone().into()),
            update_expression: Some("SET #live = :yes".to_owned()),
            expression_attribute_names: Some(BTreeMap::from([(
                "#live".to_owned(),
                LIVE.to_owned(),
            )])),
            expression_attribute_values: Some(
                BTreeMap::from([(":yes".to_owned(), Value::Bool(true))]).into(),
            ),
            ..UpdateItemInput::default()
        };
        db.update_item(cx, input)
            .await
            .map(drop)
            .map_err(at(Side::Destination))
    }

    /// Removes it: the copy is done.
    pub(crate) async fn end(&self, db: &dyn DynamoDb, cx: &Context) -> Result<()> {
        let input = DeleteItemInput {
            table_name: Some(self.table.clone()),
            key: Some(self.key.clone().into()),
            ..DeleteItemInput::default()
        };
        db.delete_item(cx, input)
            .await
            .map(drop)
            .map_err(at(Side::Destination))
    }
}
