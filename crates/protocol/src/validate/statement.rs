//! PartiQL: values of parameters, and faults of statements as messages.

use super::layer::Layer;
use super::words::{expression, number};
use crate::types::Given;
use crate::{Error, Message};
use bothways_core::FaultKind;
use bothways_core::Value;
use bothways_core::expr::Kind;
use bothways_core::partiql::{Fault, KeyFault, Malformed};

/// The statement's parameters. AWS looks at them before it reads the statement. Source: `floci-io/floci`, its tests of
/// PartiQL, captured from AWS.
///
/// # Errors
/// `ValidationException` for the first that is no value.
pub fn parameters(given: Option<&Vec<Given<Value>>>) -> Result<Vec<&Value>, Error> {
    let given = given.map_or(&[][..], Vec::as_slice);
    let values = given.iter().map(|parameter| {
        Layer::Older.check(parameter).map_err(|words| {
            match parameter.fault.as_deref().map(|fault| &fault.kind) {
                Some(FaultKind::Number { text, .. }) => number_words(text, words),
                _ => words,
            }
        })?;
        Ok(&parameter.value)
    });
    values.collect::<Result<_, Message>>().map_err(Error::from)
}

/// AWS reads a parameter's number as Java reads a `BigDecimal`: exponent and scale have 32 bits, and the magnitude, digits
/// less scale, wraps in them. Source: measured, `paritysuite/dynamodb-conformance`,
/// error-messages/partiqlParameterNumbers.
fn number_words(text: &str, otherwise: Message) -> Message {
    let unreadable = || Message::NumberMalformed {
        text: text.to_owned(),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let fraction = mantissa.split_once('.').map_or(0, |(_, part)| digits(part));
    let counts = (i64::try_from(fraction), i64::try_from(digits(mantissa)));
    let (Ok(exponent), (Ok(fraction), Ok(precision))) = (exponent.parse::<i64>(), counts) else {
        return if otherwise == Message::NumberOverflow || otherwise == Message::NumberUnderflow {
            unreadable()
        } else {
            otherwise
        };
    };
    let scale = fraction - exponent;
    if i32::try_from(exponent).is_err() || i32::try_from(scale).is_err() {
        return unreadable();
    }
    if precision - scale > i64::from(i32::MAX) {
        return Message::NumberUnderflow;
    }
    otherwise
}

impl From<Fault> for Message {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Malformed(why) => Self::StatementMalformed {
                detail: malformed(why).map_or_else(String::new, |why| why.text()),
            },
            Fault::Alias => Self::StatementAlias,
            Fault::SourceParts => Self::StatementSourceParts,
            Fault::SourceEmpty => Self::StatementNameEmpty,
            Fault::Source => Self::StatementSource,
            Fault::ManySources => Self::StatementSources,
            Fault::InsertIndex => Self::StatementInsertIndex,
            Fault::WriteIndex => Self::StatementWriteIndex,
            Fault::Clause { clause, at } => Self::StatementClause {
                clause,
                at: at.to_string(),
            },
            Fault::SelectValue => Self::StatementSelectValue,
            Fault::ColumnTwice { name } => Self::StatementColumnTwice { name },
            Fault::Operation { name } => Self::StatementOperation { name },
            Fault::ReturningInsert => Self::StatementReturningInsert,
            Fault::ReturningDelete { clause } => Self::StatementReturningDelete { clause },
            Fault::ReturningStar => Self::StatementReturningStar,
            Fault::ReturningMany => Self::StatementReturningMany,
            Fault::ParameterCount => Self::StatementParameterCount,
            Fault::InsertForm => Self::StatementInsertForm,
            Fault::InsertMany => Self::StatementInsertMany,
            Fault::OrderOperand { name } => Self::StatementOrderOperand { name },
            // The words are those of a filter, but for the order in which types are listed.
            Fault::Expression(fault) => match expression(Kind::Filter, fault) {
                Self::TypeUnknown { name, .. } => Self::TypeUnknown {
                    name,
                    valid: "{N,BS,L,B,NULL,M,S,SS,NS,BOOL}",
                },
                words => words,
            },
            other => inner(other),
        }
    }
}

/// Faults of what is inside a statement.
fn inner(fault: Fault) -> Message {
    match fault {
        Fault::PathComponent { at } => Message::StatementPath { at: at.to_string() },
        Fault::Wildcard => Message::StatementWildcard,
        Fault::Unpivot => Message::StatementUnpivot,
        Fault::IndexRange { index, at } => Message::StatementIndexRange {
            index,
            at: at.to_string(),
        },
        Fault::Function { name, at } => Message::StatementFunction {
            name,
            at: at.to_string(),
        },
        Fault::DataType { name, under, at } => Message::StatementDataType {
            name,
            under,
            at: at.to_string(),
        },
        Fault::EmptyBag => Message::StatementBagEmpty,
        Fault::MixedBag => Message::StatementBagMixed,
        Fault::DuplicateStrings { members } => Message::DuplicateStrings {
            members: members.join(", "),
        },
        Fault::DuplicateNumbers { members, under } => Message::StatementDuplicateNumbers {
            members: members.join(", "),
            under,
        },
        Fault::Number { error, under } => Message::StatementNumber {
            fault: number(error).text(),
            under,
        },
        Fault::Nesting { under } => Message::StatementNesting { under },
        Fault::DuplicateKey { key, under } => Message::StatementKeyTwice { name: key, under },
        Fault::KeyNoString { actual, under } => Message::StatementKeyNoString { actual, under },
        Fault::EmptyName => Message::EmptyAttributeName,
        Fault::Missing => Message::StatementMissing,
        Fault::IsOperand => Message::StatementIsOperand,
        Fault::IsInUpdate => Message::StatementIsInUpdate,
        Fault::IsType { name } => Message::StatementIsType { name },
        Fault::InOperand => Message::StatementIn,
        Fault::LogicOperand => Message::StatementLogic,
        Fault::NotOperand => Message::StatementNot,
        Fault::ConditionOperator { operator } => Message::StatementConditionOperator { operator },
        Fault::UpdateOperator { operator } => Message::StatementUpdateOperator { operator },
        Fault::SetFirst { function, at } => Message::StatementSetFirst {
            function,
            at: at.to_string(),
        },
        Fault::SetSecond { function, at } => Message::StatementSetSecond {
            function,
            at: at.to_string(),
        },
        Fault::SetCount { function, at } => Message::StatementSetCount {
            function,
            at: at.to_string(),
        },
        // Every other fault has its words above.
        _ => Message::StatementWhere,
    }
}

fn malformed(why: Malformed) -> Option<Message> {
    Some(match why {
        Malformed::Unreadable => return None,
        Malformed::Term => Message::StatementTerm,
        Malformed::Keyword => Message::StatementKeyword,
        Malformed::Operator => Message::StatementOperator,
        Malformed::RightOperand => Message::StatementRightOperand,
        Malformed::Leftover => Message::StatementLeftover,
        Malformed::DataManipulation => Message::StatementChange,
        Malformed::SimplePath => Message::StatementName,
        Malformed::PathDot => Message::StatementDot,
        Malformed::TypeName => Message::StatementType,
        Malformed::Token(token) => Message::StatementToken { token },
    })
}

impl From<KeyFault> for Message {
    fn from(fault: KeyFault) -> Self {
        match fault {
            KeyFault::Incomplete => Self::StatementKeyIncomplete,
            KeyFault::Twice { name } => Self::StatementKeyValues { name },
            KeyFault::Type { name } => Self::StatementKeyType { name },
            KeyFault::Absent { name } => Self::StatementKeyAbsent { name },
            KeyFault::TooManyReads => Self::StatementTooManyReads,
            KeyFault::Overlap => Self::StatementOverlap,
            KeyFault::OrderWithoutWhere => Self::StatementOrderWhere,
            KeyFault::OrderWithoutKey => Self::StatementOrderKey,
            KeyFault::OrderAttribute { name } => Self::StatementOrderAttribute { name },
            KeyFault::OrderNeedsHash => Self::StatementOrderHash,
        }
    }
}
