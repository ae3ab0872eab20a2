//! A table as the definition that infrastructure tools take.

mod cloudformation;
mod terraform;

use crate::languages::aws_cli_of;
use crate::nosql_workbench;
use serde_json::{Map, Value as Json};

/// What a table can be printed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Infrastructure {
    /// Terraform's `aws_dynamodb_table`.
    Terraform,
    /// AWS CDK in TypeScript.
    Cdk,
    /// CloudFormation, as YAML.
    CloudFormation,
    /// `aws dynamodb create-table`.
    AwsCli,
    /// A model of NoSQL Workbench.
    NoSqlWorkbench,
}

/// The members of a description that define the table; everything else is its state.
const DEFINING: &[&str] = &[
    "TableName",
    "AttributeDefinitions",
    "KeySchema",
    "LocalSecondaryIndexes",
    "GlobalSecondaryIndexes",
    "BillingMode",
    "ProvisionedThroughput",
    "StreamSpecification",
    "DeletionProtectionEnabled",
    "TableClass",
];

impl Infrastructure {
    /// Every form.
    pub const ALL: &'static [Self] = &[
        Self::Terraform,
        Self::Cdk,
        Self::CloudFormation,
        Self::AwsCli,
        Self::NoSqlWorkbench,
    ];

    /// Its name on the command line and in addresses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terraform => "terraform",
            Self::Cdk => "cdk",
            Self::CloudFormation => "cloudformation",
            Self::AwsCli => "aws-cli",
            Self::NoSqlWorkbench => "nosql-workbench",
        }
    }

    /// The form of this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|form| form.name() == name)
    }

    /// The definition of a table, from CreateTable's input or DescribeTable's answer.
    ///
    /// # Errors
    /// What is missing in the description, or what the form has no place for.
    ///
    /// ```
    /// let table = serde_json::json!({
    ///     "TableName": "follow",
    ///     "AttributeDefinitions": [{ "AttributeName": "PK", "AttributeType": "S" }],
    ///     "KeySchema": [{ "AttributeName": "PK", "KeyType": "HASH" }],
    ///     "BillingMode": "PAY_PER_REQUEST",
    /// });
    /// let text = bothways_codegen::Infrastructure::Terraform.definition(&table)?;
    /// assert!(text.starts_with("resource \"aws_dynamodb_table\" \"follow\" {"));
    /// # Ok::<(), String>(())
    /// ```
    pub fn definition(self, table: &Json) -> Result<String, String> {
        let given = table
            .get("Table")
            .or_else(|| table.get("TableDescription"))
            .unwrap_or(table);
        let schema = crate::Schema::read(given)?;
        let table = defining(given);
        Ok(match self {
            Self::Terraform => terraform::table(&table),
            Self::Cdk => cloudformation::cdk(&table),
            Self::CloudFormation => cloudformation::yaml(&table),
            Self::AwsCli => aws_cli_of("create-table", &table),
            Self::NoSqlWorkbench => return nosql_workbench::model(&schema, &table),
        })
    }
}

/// What of a description defines the table, as CreateTable takes it.
pub(crate) fn defining(given: &Json) -> Json {
    let mut table = Map::new();
    for name in DEFINING {
        let value = &given[*name];
        let value = match *name {
            "BillingMode" if value.is_null() => given["BillingModeSummary"]["BillingMode"].clone(),
            "TableClass" if value.is_null() => given["TableClassSummary"]["TableClass"].clone(),
            "LocalSecondaryIndexes" | "GlobalSecondaryIndexes" => indexes(value),
            "ProvisionedThroughput" => throughput(value),
            "DeletionProtectionEnabled" if *value == false => Json::Null,
            _ => value.clone(),
        };
        if !value.is_null() {
            table.insert((*name).to_owned(), value);
        }
    }
    if !table.contains_key("BillingMode") && !table.contains_key("ProvisionedThroughput") {
        table.insert("BillingMode".into(), "PAY_PER_REQUEST".into());
    }
    Json::Object(table)
}

/// Provisioned throughput, unless it is the zeros of a table on demand.
fn throughput(given: &Json) -> Json {
    let units = |name: &str| given[name].as_u64().filter(|units| *units > 0);
    match (units("ReadCapacityUnits"), units("WriteCapacityUnits")) {
        (Some(read), Some(write)) => {
            serde_json::json!({ "ReadCapacityUnits": read, "WriteCapacityUnits": write })
        }
        _ => Json::Null,
    }
}

fn indexes(given: &Json) -> Json {
    let Some(all) = given.as_array().filter(|all| !all.is_empty()) else {
        return Json::Null;
    };
    let one = |index: &Json| {
        let mut out = Map::new();
        for name in ["IndexName", "KeySchema", "Projection"] {
            out.insert(name.to_owned(), index[name].clone());
        }
        let throughput = throughput(&index["ProvisionedThroughput"]);
        if !throughput.is_null() {
            out.insert("ProvisionedThroughput".into(), throughput);
        }
        Json::Object(out)
    };
    all.iter().map(one).collect()
}

/// A name as an identifier of the tool's own: letters and digits, words in capitals.
fn identifier(name: &str) -> String {
    let words = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    let name: String = words.collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name
    } else {
        format!("Table{name}")
    }
}
