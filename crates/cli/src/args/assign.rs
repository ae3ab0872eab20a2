//! `name=value`, `name:n=12`, `name:json={"S":"x"}`: attributes on the command line and in file headers.

use crate::dynamo;
use bothways_core::{Number, Value};
use bothways_graph::model::Attribute;
use std::str::FromStr;

/// The type that a text is written in, where one is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextType {
    /// The text itself, a string.
    Text,
    /// A number, kept to its last digit.
    Number,
    /// DynamoDB JSON: any type.
    Json,
}

impl TextType {
    fn read(self, text: &str) -> Result<Value, String> {
        match self {
            Self::Text => Ok(Value::S(text.to_owned())),
            Self::Number => Number::parse(text)
                .map(Value::N)
                .map_err(|e| format!("{text:?} is no DynamoDB number: {e}")),
            Self::Json => dynamo::value(text)
                .map_err(|e| format!("not DynamoDB JSON, as in {{\"S\":\"text\"}}: {e}")),
        }
    }
}

/// A name, with the type that its values are written in where one is given: `grade`, `credits:n`, `tags:json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypedName {
    /// The attribute's name.
    pub(crate) name: String,
    /// How its text is read; the model decides where nothing is written down.
    pub(crate) kind: Option<TextType>,
}

impl TypedName {
    /// The value that a text stands for: by the type written down, else by the model's, else a string.
    pub(crate) fn read(&self, text: &str, declared: &[Attribute]) -> Result<Value, String> {
        if let Some(kind) = self.kind {
            return kind.read(text).map_err(|e| format!("{}: {e}", self.name));
        }
        match declared
            .iter()
            .find(|attribute| attribute.name == self.name)
        {
            Some(attribute) => attribute.parse(text).map_err(|e| e.to_string()),
            None => Ok(Value::S(text.to_owned())),
        }
    }
}

impl FromStr for TypedName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, kind) = match text.rsplit_once(':') {
            Some((name, "s")) => (name, Some(TextType::Text)),
            Some((name, "n")) => (name, Some(TextType::Number)),
            Some((name, "json")) => (name, Some(TextType::Json)),
            Some((_, other)) => {
                return Err(format!(
                    "there is no type :{other}; write :s text, :n number or :json DynamoDB JSON"
                ));
            }
            None => (text, None),
        };
        if name.is_empty() {
            return Err("an attribute needs a name".to_owned());
        }
        Ok(Self {
            name: name.to_owned(),
            kind,
        })
    }
}

/// An attribute and the text of its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assignment {
    /// The attribute, with a type where one is written down.
    pub(crate) typed: TypedName,
    /// The text.
    pub(crate) text: String,
}

impl Assignment {
    /// The attribute's name and value.
    pub(crate) fn read(&self, declared: &[Attribute]) -> Result<(String, Value), String> {
        let value = self.typed.read(&self.text, declared)?;
        Ok((self.typed.name.clone(), value))
    }
}

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (left, right) = text
            .split_once('=')
            .ok_or("write name=value, name:n=12 or name:json={\"S\":\"text\"}")?;
        Ok(Self {
            typed: left.parse()?,
            text: right.to_owned(),
        })
    }
}
