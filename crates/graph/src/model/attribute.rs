//! Declared attributes: their types, what stands in them by itself, and texts to values.

use bothways_core::{Number, NumberError, Value};

/// Type of a declared attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeType {
    /// Text.
    String,
    /// A number.
    Number,
    /// A moment: epoch seconds as a number, shown as a time.
    Time,
    /// A day as text, `2026-09-01`.
    Date,
    /// True or false.
    Bool,
}

impl AttributeType {
    pub(crate) const ALL: [Self; 5] = [
        Self::String,
        Self::Number,
        Self::Time,
        Self::Date,
        Self::Bool,
    ];
    /// Its name in a model file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Time => "time",
            Self::Date => "date",
            Self::Bool => "bool",
        }
    }
}

/// What stands in an attribute that was not given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preset {
    /// The moment of linking, for [`AttributeType::Time`].
    Now,
    /// Always this; nothing else may be given.
    Value(String),
}

/// A declared attribute of an edge or an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Name.
    pub name: String,
    /// Type.
    pub kind: AttributeType,
    /// What stands there by itself.
    pub preset: Option<Preset>,
}

/// A text that is not of the attribute's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttributeError {
    /// Not a number, or not one that DynamoDB holds.
    #[error("{name} is a number, and {text:?} is {source}")]
    Number {
        /// Attribute.
        name: String,
        /// What was given.
        text: String,
        /// Why not.
        source: NumberError,
    },
    /// Not a day.
    #[error("{name} is a date like 2026-09-01, and {text:?} is not")]
    Date {
        /// Attribute.
        name: String,
        /// What was given.
        text: String,
    },
    /// Neither true nor false.
    #[error("{name} is true or false, and {text:?} is neither")]
    Bool {
        /// Attribute.
        name: String,
        /// What was given.
        text: String,
    },
    /// The model fixes this attribute.
    #[error("{name} is always {value} in this model")]
    Fixed {
        /// Attribute.
        name: String,
        /// Its value.
        value: String,
    },
}

impl Attribute {
    /// A text as this attribute's value.
    ///
    /// # Errors
    /// A text that is not of the type.
    pub fn parse(&self, text: &str) -> Result<Value, AttributeError> {
        let name = || self.name.clone();
        let given = || text.to_owned();
        if let Some(Preset::Value(value)) = &self.preset
            && value != text
        {
            return Err(AttributeError::Fixed {
                name: name(),
                value: value.clone(),
            });
        }
        match self.kind {
            AttributeType::String => Ok(Value::S(given())),
            AttributeType::Number | AttributeType::Time => Number::parse(text)
                .map(Value::N)
                .map_err(|source| AttributeError::Number {
                    name: name(),
                    text: given(),
                    source,
                }),
            AttributeType::Date if is_date(text) => Ok(Value::S(given())),
            AttributeType::Date => Err(AttributeError::Date {
                name: name(),
                text: given(),
            }),
            AttributeType::Bool => match text {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err(AttributeError::Bool {
                    name: name(),
                    text: given(),
                }),
            },
        }
    }
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut part = |width: usize, low: u32, high: u32| {
        parts.next().is_some_and(|p| {
            p.len() == width
                && p.bytes().all(|b| b.is_ascii_digit())
                && p.parse().is_ok_and(|n| (low..=high).contains(&n))
        })
    };
    part(4, 0, 9999) && part(2, 1, 12) && part(2, 1, 31) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days() {
        for (text, good) in [
            ("2026-09-01", true),
            ("2026-13-01", false),
            ("2026-9-1", false),
            ("2026-09-01x", false),
            ("", false),
        ] {
            assert_eq!(is_date(text), good, "{text}");
        }
    }
}
