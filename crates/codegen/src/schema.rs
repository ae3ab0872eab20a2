//! What a table's definition says of its keys.

use bothways_core::{KeySchema, ScalarType, schema::KeyPart};
use serde_json::Value as Json;

/// A table's keys and its indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// The table's name.
    pub table: String,
    /// Its key.
    pub keys: KeySchema,
    /// Its indexes, in the order of the definition.
    pub indexes: Vec<IndexSchema>,
}

/// An index's keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexSchema {
    /// Its name.
    pub name: String,
    /// Its key.
    pub keys: KeySchema,
    /// Whether it is a global one: no strongly consistent reads there.
    pub global: bool,
    /// Attributes that are there beside the keys; none where all are.
    pub projected: Option<Vec<String>>,
}

impl Schema {
    /// Reads the JSON of a table: CreateTable's input, DescribeTable's answer, or the `Table` in it.
    ///
    /// # Errors
    /// What is missing, in a few words.
    ///
    /// ```
    /// let schema = bothways_codegen::Schema::read(&serde_json::json!({
    ///     "TableName": "follow",
    ///     "AttributeDefinitions": [{ "AttributeName": "PK", "AttributeType": "S" }],
    ///     "KeySchema": [{ "AttributeName": "PK", "KeyType": "HASH" }],
    /// }))?;
    /// assert_eq!(schema.keys.hash[0].name, "PK");
    /// # Ok::<(), String>(())
    /// ```
    pub fn read(json: &Json) -> Result<Self, String> {
        let table = json
            .get("Table")
            .or_else(|| json.get("TableDescription"))
            .unwrap_or(json);
        let name = table["TableName"].as_str().ok_or("TableName is missing")?;
        let index = |kind: &str, global: bool| {
            let all = table[kind].as_array().into_iter().flatten();
            all.map(|index| index_of(table, index, global))
                .collect::<Result<Vec<_>, String>>()
        };
        let mut indexes = index("LocalSecondaryIndexes", false)?;
        indexes.extend(index("GlobalSecondaryIndexes", true)?);
        Ok(Self {
            table: name.to_owned(),
            keys: keys_of(table, &table["KeySchema"])?,
            indexes,
        })
    }

    /// The keys that a read of this index, or of the table, goes by.
    #[must_use]
    pub fn keys_of(&self, index: Option<&str>) -> Option<&KeySchema> {
        match index {
            None => Some(&self.keys),
            Some(name) => self.index(name).map(|index| &index.keys),
        }
    }

    /// The index of this name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<&IndexSchema> {
        self.indexes.iter().find(|index| index.name == name)
    }
}

fn index_of(table: &Json, index: &Json, global: bool) -> Result<IndexSchema, String> {
    let name = index["IndexName"]
        .as_str()
        .ok_or("an index has no IndexName")?;
    let projection = &index["Projection"];
    let all = projection["ProjectionType"]
        .as_str()
        .is_none_or(|kind| kind == "ALL");
    let others = projection["NonKeyAttributes"]
        .as_array()
        .into_iter()
        .flatten();
    let others = others.filter_map(Json::as_str).map(str::to_owned).collect();
    Ok(IndexSchema {
        name: name.to_owned(),
        keys: keys_of(table, &index["KeySchema"])?,
        global,
        projected: if all { None } else { Some(others) },
    })
}

fn keys_of(table: &Json, schema: &Json) -> Result<KeySchema, String> {
    let mut keys = KeySchema {
        hash: Vec::new(),
        range: Vec::new(),
    };
    for element in schema.as_array().ok_or("KeySchema is missing")? {
        let name = element["AttributeName"]
            .as_str()
            .ok_or("a key has no AttributeName")?;
        let definitions = table["AttributeDefinitions"]
            .as_array()
            .into_iter()
            .flatten();
        let definition = definitions
            .into_iter()
            .find(|one| one["AttributeName"] == name);
        let scalar = match definition.and_then(|one| one["AttributeType"].as_str()) {
            Some("S") => ScalarType::S,
            Some("N") => ScalarType::N,
            Some("B") => ScalarType::B,
            _ => return Err(format!("AttributeDefinitions says no type of {name}")),
        };
        let part = KeyPart {
            name: name.to_owned(),
            scalar,
        };
        if element["KeyType"] == "HASH" {
            keys.hash.push(part);
        } else {
            keys.range.push(part);
        }
    }
    if keys.hash.is_empty() {
        Err("KeySchema has no HASH key".into())
    } else {
        Ok(keys)
    }
}
