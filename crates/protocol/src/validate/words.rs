//! Errors of expressions as messages.

use crate::{Error, Message};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bothways_core::expr::{
    Clause, ExprError, Fault, KeyConditionError, Kind, PlaceholderError, UpdateError,
};
use bothways_core::{NumberError, Value, ValueRef};

impl From<ExprError> for Message {
    fn from(error: ExprError) -> Self {
        Self::InvalidExpression {
            parameter: error.kind.parameter(),
            fault: expression(error.kind, error.fault).text(),
        }
    }
}

pub(super) fn expression(kind: Kind, fault: Fault) -> Message {
    match fault {
        Fault::Empty => Message::ExpressionEmpty,
        Fault::TooLong { .. } if kind == Kind::Update => Message::UpdateTooLong,
        Fault::TooLong { bytes } => Message::ExpressionTooLong { bytes },
        Fault::TooManyOperators { count } => Message::TooManyOperators { count },
        Fault::TooDeep => Message::ExpressionTooDeep,
        Fault::Syntax { token, near, .. } => Message::ExpressionSyntax { token, near },
        Fault::RedundantParentheses => Message::RedundantParentheses,
        Fault::UnknownFunction { function } => Message::UnknownFunction { name: function },
        Fault::FunctionNotAllowed {
            function,
            in_update,
        } => Message::FunctionNotAllowed {
            place: if in_update {
                "an update"
            } else {
                "a condition"
            },
            name: function,
        },
        Fault::MisusedFunction { function } => Message::MisusedFunction { name: function },
        Fault::ReservedWord { word } => Message::ReservedWord { word },
        Fault::UndefinedName { name } => Message::NameUndefined { name },
        Fault::UndefinedValue { name } => Message::ValueUndefined { name },
        Fault::OperandCount { operator, count } => Message::OperandCount { operator, count },
        Fault::OperandsNotDistinct { operator, path } => Message::OperandsSame { operator, path },
        Fault::OperandType {
            operator,
            operand_type,
        } => Message::OperandType {
            operator,
            kind: operand_type,
        },
        Fault::AttributeType { found } => Message::TypeUnknown {
            name: found,
            valid: Fault::VALID_TYPES,
        },
        Fault::PathRequired { function } => Message::PathRequired { function },
        Fault::BetweenTypes { lower, upper } => Message::BetweenTypes {
            lower: typed(&lower),
            upper: typed(&upper),
        },
        Fault::BetweenOrder { lower, upper } => Message::BetweenOrder {
            lower: typed(&lower),
            upper: typed(&upper),
        },
        Fault::RepeatedClause { clause } => Message::ClauseTwice {
            clause: clause.keyword(),
        },
        Fault::OverlappingPaths { one, two } => Message::PathsOverlap { one, two },
        Fault::ConflictingPaths { one, two } => Message::PathsConflict { one, two },
        Fault::ClauseOperandType {
            clause,
            operand_type,
        } => clause_type(clause, operand_type),
        Fault::IndexOutOfRange { index } => Message::IndexOutOfRange { index },
        Fault::PathTooDeep { levels } => Message::PathTooDeep { levels },
        Fault::TooManyInOperands { count } => Message::TooManyInOperands { count },
    }
}

fn clause_type(clause: Clause, descriptor: &'static str) -> Message {
    // Source: dynalite, db/updateParser.pegjs, checkOperator.
    let kind = match descriptor {
        "S" => "STRING",
        "N" => "NUMBER",
        "B" => "BINARY",
        "BOOL" => "BOOLEAN",
        "L" => "LIST",
        "M" => "MAP",
        other => other,
    };
    Message::ClauseOperandType {
        clause: clause.keyword(),
        kind,
    }
}

/// A scalar as AWS's messages show it: `S:abc`.
pub(super) fn typed(value: &Value) -> String {
    let value = value.as_ref();
    let text = match value {
        ValueRef::S(text) => text.to_owned(),
        ValueRef::N(number) => number.to_string(),
        ValueRef::B(bytes) => STANDARD.encode(bytes),
        ValueRef::Bool(flag) => flag.to_string(),
        _ => String::new(),
    };
    format!("{}:{text}", value.type_name())
}

impl From<PlaceholderError> for Message {
    fn from(error: PlaceholderError) -> Self {
        match error {
            PlaceholderError::EmptyNames => Self::NamesEmpty,
            PlaceholderError::EmptyValues => Self::ValuesEmpty,
            PlaceholderError::NameKey { key } => Self::NamesBadKey { key },
            PlaceholderError::EmptyName { key } => Self::NamesBadValue {
                fault: Self::EmptyAttributeName.text(),
                key,
            },
            PlaceholderError::LongName { key } => Self::NamesBadValue {
                fault: Self::AttributeNameTooLong.text(),
                key,
            },
            PlaceholderError::ValueKey { key } => Self::ValuesBadKey { key },
            PlaceholderError::UnusedNames { keys } => Self::NamesUnused {
                keys: keys.join(", "),
            },
            PlaceholderError::UnusedValues { keys } => Self::ValuesUnused {
                keys: keys.join(", "),
            },
        }
    }
}

impl From<KeyConditionError> for Message {
    fn from(error: KeyConditionError) -> Self {
        match error {
            KeyConditionError::InvalidOperator { operator } => {
                Self::KeyConditionBadOperator { operator }
            }
            KeyConditionError::NestedOperation => Self::KeyConditionNestedOperation,
            KeyConditionError::AttributeNotFirst { operator } => {
                Self::KeyConditionAttributeNotFirst { operator }
            }
            KeyConditionError::SeveralAttributes => Self::KeyConditionSeveralAttributes,
            KeyConditionError::NestedAttribute => Self::KeyConditionNestedAttribute,
            KeyConditionError::NoAttribute => Self::KeyConditionNoAttribute,
            KeyConditionError::RepeatedAttribute => Self::KeyConditionRepeated,
            KeyConditionError::MissingElement { attribute } => {
                Self::KeyConditionMissed { name: attribute }
            }
            KeyConditionError::TooManyConditions { given, defined } => {
                Self::KeyConditionTooMany { given, defined }
            }
            KeyConditionError::NotSupported => Self::KeyNotSupported,
            KeyConditionError::TypeMismatch { .. } => Self::KeyConditionType,
            KeyConditionError::PartitionEqualityRequired { missing } => {
                Self::KeyConditionPartition {
                    missing: missing.join(", "),
                }
            }
            KeyConditionError::EqualityRequired { missing, present } => {
                Self::KeyConditionEquality {
                    missing: missing.join(", "),
                    present,
                }
            }
        }
    }
}

impl From<UpdateError> for Message {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::InvalidPath => Self::UpdatePathInvalid,
            UpdateError::MissingAttribute => Self::UpdateMissingAttribute,
            UpdateError::OperandType => Self::UpdateOperandType,
            UpdateError::AttributeType => Self::UpdateTypeMismatch,
            UpdateError::TooDeep => Self::UpdatedItemTooDeep,
            UpdateError::TooLarge => Self::UpdatedItemTooLarge,
            UpdateError::Number(error) => sum(error),
        }
    }
}

/// A sum of numbers that cannot be held; too many digits are an overflow too. Source: scylladb/scylladb,
/// `test_number.py` (`update_expression_plus_imprecise`), measured on AWS.
fn sum(error: NumberError) -> Message {
    match error {
        NumberError::TooPrecise => Message::NumberOverflow,
        error => number(error),
    }
}

/// A number that was written and cannot be held.
pub(super) fn number(error: NumberError) -> Message {
    match error {
        NumberError::Underflow => Message::NumberUnderflow,
        NumberError::TooPrecise => Message::NumberTooPrecise,
        NumberError::Overflow | NumberError::Malformed => Message::NumberOverflow,
    }
}

/// Errors of the schema stage go out as they are.
macro_rules! answers {
    ($($error:ty),*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Message::from(error).into()
            }
        })*
    };
}
answers!(ExprError, PlaceholderError, KeyConditionError, UpdateError);
