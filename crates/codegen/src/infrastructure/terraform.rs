//! HCL.

use serde_json::Value as Json;

pub(super) fn table(table: &Json) -> String {
    let text = |value: &Json| quoted(value.as_str().unwrap_or_default());
    let name = table["TableName"].as_str().unwrap_or_default();
    let mut out = format!(
        "resource \"aws_dynamodb_table\" {} {{\n",
        quoted(&resource(name))
    );
    let mut block = Block::default();
    block.pair("name", text(&table["TableName"]));
    if let Some(mode) = table["BillingMode"].as_str() {
        block.pair("billing_mode", quoted(mode));
    }
    if let Some(class) = table["TableClass"].as_str() {
        block.pair("table_class", quoted(class));
    }
    keys(&table["KeySchema"], &mut block);
    throughput(&table["ProvisionedThroughput"], &mut block);
    if table["StreamSpecification"]["StreamEnabled"] == true {
        block.pair("stream_enabled", "true".into());
        block.pair(
            "stream_view_type",
            text(&table["StreamSpecification"]["StreamViewType"]),
        );
    }
    if table["DeletionProtectionEnabled"] == true {
        block.pair("deletion_protection_enabled", "true".into());
    }
    block.print("  ", &mut out);
    for attribute in list(&table["AttributeDefinitions"]) {
        let mut block = Block::default();
        block.pair("name", text(&attribute["AttributeName"]));
        block.pair("type", text(&attribute["AttributeType"]));
        nested("attribute", &block, &mut out);
    }
    for (kind, word) in [
        ("LocalSecondaryIndexes", "local_secondary_index"),
        ("GlobalSecondaryIndexes", "global_secondary_index"),
    ] {
        for index in list(&table[kind]) {
            let mut block = Block::default();
            block.pair("name", text(&index["IndexName"]));
            if kind == "GlobalSecondaryIndexes" {
                keys(&index["KeySchema"], &mut block);
            } else if let Some(range) = list(&index["KeySchema"])
                .iter()
                .find(|key| key["KeyType"] == "RANGE")
            {
                block.pair("range_key", text(&range["AttributeName"]));
            }
            block.pair(
                "projection_type",
                text(&index["Projection"]["ProjectionType"]),
            );
            let others: Vec<_> = list(&index["Projection"]["NonKeyAttributes"])
                .iter()
                .map(text)
                .collect();
            if !others.is_empty() {
                block.pair("non_key_attributes", format!("[{}]", others.join(", ")));
            }
            throughput(&index["ProvisionedThroughput"], &mut block);
            nested(word, &block, &mut out);
        }
    }
    out.push_str("}\n");
    out
}

/// Pairs with their equals signs in one column, as `terraform fmt` puts them.
#[derive(Default)]
struct Block {
    pairs: Vec<(&'static str, String)>,
    /// Key attributes and their roles, where they need blocks of their own.
    key_schema: Vec<(String, &'static str)>,
}

impl Block {
    fn pair(&mut self, name: &'static str, value: String) {
        self.pairs.push((name, value));
    }

    fn print(&self, indent: &str, out: &mut String) {
        let width = self
            .pairs
            .iter()
            .map(|(name, _)| name.len())
            .max()
            .unwrap_or_default();
        for (name, value) in &self.pairs {
            out.push_str(&format!("{indent}{name:width$} = {value}\n"));
        }
    }
}

fn nested(word: &str, block: &Block, out: &mut String) {
    out.push_str(&format!("\n  {word} {{\n"));
    block.print("    ", out);
    for (name, kind) in &block.key_schema {
        let key = format!("attribute_name = {name}\n      key_type       = \"{kind}\"");
        out.push_str(&format!("\n    key_schema {{\n      {key}\n    }}\n"));
    }
    out.push_str("  }\n");
}

/// A key of one attribute each as attributes of the block; one of several, which only global indexes have, as nested
/// blocks. Source: the provider's resource `aws_dynamodb_table`, `key_schema`.
fn keys(schema: &Json, block: &mut Block) {
    let of = |kind: &str| -> Vec<String> {
        let all = list(schema).iter().filter(|key| key["KeyType"] == kind);
        all.map(|key| quoted(key["AttributeName"].as_str().unwrap_or_default()))
            .collect()
    };
    let (hash, range) = (of("HASH"), of("RANGE"));
    if hash.len() > 1 || range.len() > 1 {
        let named = |kind: &'static str, names: Vec<String>| {
            names.into_iter().map(move |name| (name, kind))
        };
        block
            .key_schema
            .extend(named("HASH", hash).chain(named("RANGE", range)));
        return;
    }
    for (word, names) in [("hash_key", hash), ("range_key", range)] {
        for name in names {
            block.pair(word, name);
        }
    }
}

fn throughput(given: &Json, block: &mut Block) {
    if given.is_object() {
        block.pair("read_capacity", given["ReadCapacityUnits"].to_string());
        block.pair("write_capacity", given["WriteCapacityUnits"].to_string());
    }
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// `$` and `%` open templates in HCL.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace("${", "$${")
        .replace("%{", "%%{")
}

fn resource(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name
    } else {
        format!("_{name}")
    }
}
