//! Programs: one module a language, each printing the same tree in its own way.

mod aws_cli;
mod bothways;
mod document_client;
mod dotnet;
mod electrodb;
mod go;
mod java;
mod javascript;
mod kotlin;
mod literal;
mod partiql;
mod php;
mod python;
mod ruby;
mod rust;
mod toolbox;

use crate::tree::Tree;
use crate::{Draft, Schema};
use bothways_core::expr::Aliases;
use bothways_protocol::Operation;

/// What a request can be printed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// AWS SDK for JavaScript v3, `DynamoDBClient`.
    JavaScript,
    /// AWS SDK for JavaScript v3, `DynamoDBDocumentClient`.
    DocumentClient,
    /// The AWS command line.
    AwsCli,
    /// boto3.
    Python,
    /// AWS SDK for Java 2.x.
    Java,
    /// AWS SDK for Go v2.
    Go,
    /// AWS SDK for .NET.
    DotNet,
    /// AWS SDK for Rust.
    Rust,
    /// AWS SDK for Kotlin.
    Kotlin,
    /// AWS SDK for PHP v3.
    Php,
    /// AWS SDK for Ruby v3.
    Ruby,
    /// A PartiQL statement, sent with the AWS command line.
    PartiQl,
    /// dynamodb-toolbox v2 (needs a [`Schema`]).
    Toolbox,
    /// ElectroDB (needs a [`Schema`]).
    ElectroDb,
    /// This project's own Rust API.
    Bothways,
}

/// Why a language cannot say a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    reason: String,
}

impl Refusal {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { reason }
    }

    /// The reason, as a sentence's part: "PartiQL has no `if_not_exists`".
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl Language {
    /// Every language, in the order in which they are offered.
    pub const ALL: &'static [Self] = &[
        Self::JavaScript,
        Self::DocumentClient,
        Self::AwsCli,
        Self::Python,
        Self::Java,
        Self::Go,
        Self::DotNet,
        Self::Rust,
        Self::Kotlin,
        Self::Php,
        Self::Ruby,
        Self::PartiQl,
        Self::Toolbox,
        Self::ElectroDb,
        Self::Bothways,
    ];

    /// Its name on the command line and in addresses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::JavaScript => "javascript",
            Self::DocumentClient => "document-client",
            Self::AwsCli => "aws-cli",
            Self::Python => "python",
            Self::Java => "java",
            Self::Go => "go",
            Self::DotNet => "dotnet",
            Self::Rust => "rust",
            Self::Kotlin => "kotlin",
            Self::Php => "php",
            Self::Ruby => "ruby",
            Self::PartiQl => "partiql",
            Self::Toolbox => "dynamodb-toolbox",
            Self::ElectroDb => "electrodb",
            Self::Bothways => "bothways",
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::JavaScript => "JavaScript SDK v3",
            Self::DocumentClient => "JavaScript DocumentClient",
            Self::AwsCli => "AWS CLI",
            Self::Python => "Python (boto3)",
            Self::Java => "Java SDK 2.x",
            Self::Go => "Go SDK v2",
            Self::DotNet => ".NET SDK",
            Self::Rust => "Rust SDK",
            Self::Kotlin => "Kotlin SDK",
            Self::Php => "PHP SDK v3",
            Self::Ruby => "Ruby SDK v3",
            Self::PartiQl => "PartiQL",
            Self::Toolbox => "dynamodb-toolbox",
            Self::ElectroDb => "ElectroDB",
            Self::Bothways => "Bothways (Rust)",
        }
    }

    /// How a file of it ends.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::JavaScript | Self::DocumentClient | Self::Toolbox | Self::ElectroDb => "mjs",
            Self::AwsCli | Self::PartiQl => "sh",
            Self::Python => "py",
            Self::Java => "java",
            Self::Go => "go",
            Self::DotNet => "cs",
            Self::Rust | Self::Bothways => "rs",
            Self::Kotlin => "kt",
            Self::Php => "php",
            Self::Ruby => "rb",
        }
    }

    /// The language of this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|language| language.name() == name)
    }

    /// A whole program that sends the request and prints what comes back, page after page. It takes endpoint, region
    /// and credentials from the environment, as the language's SDK does. A request with legacy parameters is printed in
    /// normal form.
    ///
    /// # Errors
    /// [`Refusal`] where the language cannot say the request, with the reason.
    pub fn program(self, draft: &Draft, schema: Option<&Schema>) -> Result<String, Refusal> {
        let normal;
        let draft = if draft.is_legacy() {
            let rewritten = draft.normalised(Aliases::Needed);
            normal = rewritten.map_err(|error| Refusal::new(error.to_string()))?;
            &normal
        } else {
            draft
        };
        match self {
            Self::AwsCli => return Ok(aws_cli::program(draft)),
            Self::PartiQl => return partiql::program(draft, schema),
            Self::Toolbox => return toolbox::program(draft, schema),
            Self::ElectroDb => return electrodb::program(draft, schema),
            _ => {}
        }
        let tree = Tree::of(draft);
        let program = Program::of(draft.operation(), &tree);
        Ok(match self {
            Self::DocumentClient => return document_client::program(&program),
            Self::Python => python::program(&program),
            Self::Java => java::program(&program),
            Self::Go => go::program(&program),
            Self::DotNet => dotnet::program(&program),
            Self::Rust => rust::program(&program),
            Self::Kotlin => kotlin::program(&program),
            Self::Php => php::program(&program),
            Self::Ruby => ruby::program(&program),
            Self::Bothways => bothways::program(&program),
            _ => javascript::program(&program),
        })
    }
}

/// What a program has to do with the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// `Items`, and `LastEvaluatedKey` until there is none.
    Pages,
    /// `Items` of one page.
    Page,
    /// `Count`, page after page.
    Counts,
    /// `Items`, and `NextToken` until there is none.
    Statement,
    /// `Item`.
    Item,
    /// `Attributes`, where they were asked for.
    Attributes,
    /// `Responses` by table, and `UnprocessedKeys` until there are none.
    BatchGet,
    /// `UnprocessedItems` until there are none.
    BatchWrite,
    /// `Responses` with an item each.
    Responses,
    /// `Responses` with an item or an error each.
    Statements,
    /// Nothing to show.
    Nothing,
}

/// A request on its way to become a program.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) operation: Operation,
    pub(crate) input: &'a Tree,
    pub(crate) answer: Answer,
}

impl<'a> Program<'a> {
    fn of(operation: Operation, input: &'a Tree) -> Self {
        use Operation as Op;
        let has = |member: &str| input.member(member).is_some();
        let counts = matches!(input.member("Select"), Some(Tree::Word(_, word)) if word == "COUNT");
        let returns =
            matches!(input.member("ReturnValues"), Some(Tree::Word(_, word)) if word != "NONE");
        let answer = match operation {
            Op::Query | Op::Scan if counts => Answer::Counts,
            // Whoever gives a limit, or says where to go on, wants that page.
            Op::Query | Op::Scan if has("Limit") || has("ExclusiveStartKey") => Answer::Page,
            Op::Query | Op::Scan => Answer::Pages,
            Op::ExecuteStatement if has("Limit") || has("NextToken") => Answer::Page,
            Op::ExecuteStatement => Answer::Statement,
            Op::GetItem => Answer::Item,
            Op::PutItem | Op::UpdateItem | Op::DeleteItem if returns => Answer::Attributes,
            Op::BatchGetItem => Answer::BatchGet,
            Op::BatchWriteItem => Answer::BatchWrite,
            Op::TransactGetItems | Op::ExecuteTransaction => Answer::Responses,
            Op::BatchExecuteStatement => Answer::Statements,
            _ => Answer::Nothing,
        };
        Self {
            operation,
            input,
            answer,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.operation.name()
    }
}

/// `KeyConditionExpression` as `keyConditionExpression`.
pub(crate) fn camel(name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

/// `KeyConditionExpression` as `key_condition_expression`.
pub(crate) fn snake(name: &str) -> String {
    separated(name, '_')
}

/// `KeyConditionExpression` as `key-condition-expression`.
pub(crate) fn kebab(name: &str) -> String {
    separated(name, '-')
}

fn separated(name: &str, with: char) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push(with);
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// `ALL_OLD` as `AllOld`.
pub(crate) fn pascal_word(word: &str) -> String {
    word.split('_')
        .flat_map(|part| {
            let mut chars = part.chars();
            let first = chars.next().map(|c| c.to_ascii_uppercase());
            first
                .into_iter()
                .chain(chars.map(|c| c.to_ascii_lowercase()))
        })
        .collect()
}

/// Text in double quotes with JSON's escapes, which JavaScript, Python, Go and most others read the same way.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Text in double quotes as Rust, Kotlin and Ruby write code points: `\u{7}`; `also` are escaped with a backslash.
pub(crate) fn braced(text: &str, also: &[char]) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if also.contains(&c) => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(crate) use javascript::key as javascript_key;

/// A command of the AWS CLI with these members.
pub(crate) fn aws_cli_of(command: &str, members: &serde_json::Value) -> String {
    aws_cli::command(command, members)
}
