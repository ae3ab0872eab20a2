//! CloudFormation's YAML, and the CDK, which has the same members.

use super::identifier;
use crate::doc::Doc;
use crate::languages::{camel, javascript_key, quoted};
use serde_json::Value as Json;

/// `AWS::DynamoDB::Table` takes `CreateTable`'s members under the same names, but for these two.
fn properties(table: &Json) -> Json {
    let mut table = table.clone();
    if let Some(members) = table.as_object_mut()
        && let Some(stream) = members.remove("StreamSpecification")
        && stream["StreamEnabled"] == true
    {
        members.insert(
            "StreamSpecification".into(),
            serde_json::json!({ "StreamViewType": stream["StreamViewType"] }),
        );
    }
    table
}

pub(super) fn yaml(table: &Json) -> String {
    let name = identifier(table["TableName"].as_str().unwrap_or_default());
    let mut out = format!(
        "AWSTemplateFormatVersion: \"2010-09-09\"\nResources:\n  {name}:\n    Type: AWS::DynamoDB::Table\n    \
         DeletionPolicy: Retain\n    UpdateReplacePolicy: Retain\n    Properties:\n"
    );
    members(&properties(table), 6, &mut out);
    out
}

fn members(json: &Json, indent: usize, out: &mut String) {
    for (name, value) in json.as_object().into_iter().flatten() {
        out.push_str(&format!("{}{name}:", " ".repeat(indent)));
        inner(value, indent, out);
    }
}

/// What follows a colon.
fn inner(value: &Json, indent: usize, out: &mut String) {
    match value {
        Json::Object(_) => {
            out.push('\n');
            members(value, indent + 2, out);
        }
        Json::Array(all) => {
            out.push('\n');
            for one in all {
                let mut text = String::new();
                match one {
                    Json::Object(_) => members(one, indent + 4, &mut text),
                    scalar => text = format!("{}{scalar}\n", " ".repeat(indent + 4)),
                }
                out.push_str(&format!(
                    "{}- {}",
                    " ".repeat(indent + 2),
                    text.trim_start()
                ));
            }
        }
        // JSON's scalars are YAML's.
        scalar => out.push_str(&format!(" {scalar}\n")),
    }
}

pub(super) fn cdk(table: &Json) -> String {
    let name = identifier(table["TableName"].as_str().unwrap_or_default());
    let props = typescript(&properties(table)).print("  ", 2);
    format!(
        "import {{ App, RemovalPolicy, Stack }} from \"aws-cdk-lib\";\nimport {{ CfnTable }} from \"aws-cdk-lib/aws-dynamodb\";\n\n\
         export class {name}Stack extends Stack {{\n  constructor(scope: App, id: string) {{\n    super(scope, id);\n    \
         const table = new CfnTable(this, {}, {props});\n    table.applyRemovalPolicy(RemovalPolicy.RETAIN);\n  }}\n}}\n\n\
         new {name}Stack(new App(), {});\n",
        quoted(&name),
        quoted(&format!("{name}Stack"))
    )
}

fn typescript(json: &Json) -> Doc {
    match json {
        Json::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                Doc::around(
                    format!("{}: ", javascript_key(&camel(name))),
                    typescript(value),
                    "",
                )
            });
            Doc::list("{", members.collect(), "}").padded()
        }
        Json::Array(all) => Doc::list("[", all.iter().map(typescript).collect(), "]"),
        scalar => Doc::text(scalar.to_string()),
    }
}
