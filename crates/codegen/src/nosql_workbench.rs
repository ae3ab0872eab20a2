//! Models of NoSQL Workbench: read as tables with their sample items, and written from a table's definition.
//!
//! The form is that of the models that the tool exports as "NoSQL Workbench model format" (version 3.0): a list of
//! tables, each with a partition and a sort key, global indexes and sample items in DynamoDB JSON. It has no place for
//! local indexes nor for keys of several attributes.

use crate::Schema;
use bothways_core::KeySchema;
use bothways_core::schema::KeyPart;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// A table that a document describes.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignedTable {
    /// CreateTable's input.
    pub input: Json,
    /// Its sample items, in DynamoDB JSON.
    pub items: Vec<Json>,
}

impl DesignedTable {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.input["TableName"].as_str().unwrap_or_default()
    }

    /// The tables of a document: a NoSQL Workbench model, CreateTable's input, or DescribeTable's answer.
    ///
    /// # Errors
    /// What is missing, with the table it is missing in.
    ///
    /// ```
    /// let tables = bothways_codegen::DesignedTable::read(&serde_json::json!({
    ///     "ModelName": "Forum",
    ///     "DataModel": [{
    ///         "TableName": "Thread",
    ///         "KeyAttributes": { "PartitionKey": { "AttributeName": "Forum", "AttributeType": "S" } },
    ///         "TableData": [{ "Forum": { "S": "S3" } }],
    ///     }],
    /// }))?;
    /// assert_eq!(tables[0].name(), "Thread");
    /// assert_eq!(tables[0].items.len(), 1);
    /// # Ok::<(), String>(())
    /// ```
    pub fn read(document: &Json) -> Result<Vec<Self>, String> {
        let Some(tables) = document.get("DataModel") else {
            let given = document
                .get("Table")
                .or_else(|| document.get("TableDescription"))
                .unwrap_or(document);
            Schema::read(given)?;
            let (input, items) = (crate::infrastructure::defining(given), Vec::new());
            return Ok(vec![Self { input, items }]);
        };
        let tables = tables.as_array().ok_or("DataModel is no list of tables")?;
        if tables.is_empty() {
            return Err("DataModel has no table".into());
        }
        tables.iter().map(read).collect()
    }
}

fn read(table: &Json) -> Result<DesignedTable, String> {
    let name = table["TableName"]
        .as_str()
        .ok_or("a table of DataModel has no TableName")?;
    let within = |error: String| format!("{name}: {error}");
    let mut types = BTreeMap::new();
    let mut input = json!({
        "TableName": name,
        "KeySchema": keys(&table["KeyAttributes"], &mut types).map_err(within)?,
    });
    let given = table["GlobalSecondaryIndexes"].as_array();
    let given = given.map(Vec::as_slice).unwrap_or_default();
    let throughput = &table["ProvisionedCapacitySettings"]["ProvisionedThroughput"];
    let provisioned = table["BillingMode"] == "PROVISIONED" && throughput.is_object();
    let mut indexes = Vec::new();
    for index in given {
        let keys = keys(&index["KeyAttributes"], &mut types).map_err(within)?;
        let mut one = json!({
            "IndexName": index["IndexName"],
            "KeySchema": keys,
            "Projection": index["Projection"],
        });
        if provisioned {
            one["ProvisionedThroughput"] = throughput.clone();
        }
        indexes.push(one);
    }
    if !indexes.is_empty() {
        input["GlobalSecondaryIndexes"] = indexes.into();
    }
    let definitions = types
        .iter()
        .map(|(name, kind)| json!({"AttributeName": name, "AttributeType": kind}));
    input["AttributeDefinitions"] = definitions.collect();
    if provisioned {
        input["BillingMode"] = "PROVISIONED".into();
        input["ProvisionedThroughput"] = throughput.clone();
    } else {
        input["BillingMode"] = "PAY_PER_REQUEST".into();
    }
    let items = table["TableData"].as_array().cloned().unwrap_or_default();
    Ok(DesignedTable { input, items })
}

/// A key's schema; the types of its attributes go where all of the table's are.
fn keys(given: &Json, types: &mut BTreeMap<String, String>) -> Result<Json, String> {
    let mut schema = Vec::new();
    for (part, kind) in [("PartitionKey", "HASH"), ("SortKey", "RANGE")] {
        let given = &given[part];
        if given.is_null() && kind == "RANGE" {
            continue;
        }
        let member = |member: &str| {
            let text = given[member].as_str().map(str::to_owned);
            text.ok_or_else(|| format!("{part} has no {member}"))
        };
        let name = member("AttributeName")?;
        let of = member("AttributeType")?;
        if let Some(other) = types.insert(name.clone(), of.clone())
            && other != of
        {
            return Err(format!("the key attribute {name} is both {other} and {of}"));
        }
        schema.push(json!({"AttributeName": name, "KeyType": kind}));
    }
    Ok(Json::Array(schema))
}

/// The model of one table, from what defines it.
pub(crate) fn model(schema: &Schema, table: &Json) -> Result<String, String> {
    if schema.indexes.iter().any(|index| !index.global) {
        return Err("NoSQL Workbench's models have no local secondary indexes".into());
    }
    let attributes = |keys: &KeySchema| -> Result<Json, String> {
        if keys.hash.len() > 1 || keys.range.len() > 1 {
            return Err("NoSQL Workbench's models have no keys of several attributes".into());
        }
        let one = |part: &KeyPart| json!({"AttributeName": part.name, "AttributeType": part.scalar.name()});
        let mut out = Map::new();
        for (name, parts) in [("PartitionKey", &keys.hash), ("SortKey", &keys.range)] {
            if let Some(part) = parts.first() {
                out.insert(name.to_owned(), one(part));
            }
        }
        Ok(Json::Object(out))
    };
    let mut indexes = Vec::new();
    let projections = table["GlobalSecondaryIndexes"].as_array();
    for (index, given) in schema.indexes.iter().zip(projections.into_iter().flatten()) {
        indexes.push(json!({
            "IndexName": index.name,
            "KeyAttributes": attributes(&index.keys)?,
            "Projection": given["Projection"],
        }));
    }
    let projected = schema.indexes.iter().flat_map(|index| {
        let names = index.keys.names().map(str::to_owned);
        names.chain(index.projected.iter().flatten().cloned())
    });
    let mut others: Vec<String> = projected
        .filter(|name| !schema.keys.names().any(|key| key == name))
        .collect();
    others.sort();
    others.dedup();
    let kind = |name: &str| {
        let parts = schema
            .indexes
            .iter()
            .flat_map(|index| index.keys.hash.iter().chain(&index.keys.range));
        let part = parts.into_iter().find(|part| part.name == name);
        part.map_or("S", |part| part.scalar.name())
    };
    let mut out = json!({
        "TableName": schema.table,
        "KeyAttributes": attributes(&schema.keys)?,
        "NonKeyAttributes": others.iter().map(|name| json!({"AttributeName": name, "AttributeType": kind(name)})).collect::<Vec<_>>(),
        "TableFacets": [],
        "GlobalSecondaryIndexes": indexes,
        "TableData": [],
        "DataAccess": {"MySql": {}},
        "BillingMode": table["BillingMode"].as_str().unwrap_or("PROVISIONED"),
    });
    if let Some(throughput) = table.get("ProvisionedThroughput") {
        out["ProvisionedCapacitySettings"] = json!({"ProvisionedThroughput": throughput});
    }
    let model = json!({
        "ModelName": schema.table,
        "ModelMetadata": {
            "Author": "",
            "Description": "",
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
        },
        "DataModel": [out],
    });
    let text = serde_json::to_string_pretty(&model).map_err(|error| error.to_string())?;
    Ok(text + "\n")
}
