//! What can be wrong with an expression, as data. The words are AWS's and live in the protocol crate.

use super::Kind;
use super::ast::Clause;
use crate::{NumberError, Value};

/// An expression that was refused before any item was looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid {}: {fault}", kind.parameter())]
pub struct ExprError {
    /// The parameter it came in.
    pub kind: Kind,
    /// What is wrong.
    #[source]
    pub fault: Fault,
}

/// What is wrong with one expression.
///
/// AWS checks in this order, and so does this crate: length, grammar and number of operators, redundant
/// parentheses, functions that there are not, functions where they cannot stand, reserved words (before
/// functions in an update); then for a condition, one comparison or call at a time: undefined
/// placeholders, number of operands, distinct operands, operand types; for an update over the whole text:
/// repeated clauses, undefined names, undefined values, overlapping paths, conflicting paths, types of ADD
/// and DELETE, functions.
/// (Source: measured; the tables in this module's tests name theirs.)
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Nothing, or only white space.
    #[error("the expression is empty")]
    Empty,
    /// Longer than [`EXPRESSION_BYTES`](crate::limits::EXPRESSION_BYTES).
    #[error("the expression has {bytes} bytes, more than allowed")]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// More than [`EXPRESSION_OPERATORS`](crate::limits::EXPRESSION_OPERATORS) operators and functions.
    #[error("the expression has {count} or more operators, more than allowed")]
    TooManyOperators {
        /// Operators counted when counting stopped: one more than the limit.
        count: usize,
    },
    /// A built tree deeper than [`EXPRESSION_DEPTH`](crate::limits::EXPRESSION_DEPTH). Text cannot cause it.
    #[error("the expression is nested too deeply")]
    TooDeep,
    /// The grammar does not allow this token here.
    #[error("syntax error at byte {position}: token {token:?}, near {near:?}")]
    Syntax {
        /// Where the token starts, in bytes.
        position: usize,
        /// The token, `<EOF>` at the end of the text.
        token: String,
        /// The text from the token before to the token after.
        near: String,
    },
    /// `((…))`
    #[error("redundant parentheses")]
    RedundantParentheses,
    /// No such function in this kind of expression.
    #[error("no function {function}")]
    UnknownFunction {
        /// Its name as written.
        function: String,
    },
    /// A function of the other grammar: `if_not_exists` in a condition, `size` in an update.
    #[error("function {function} is not allowed in {}", if *.in_update { "an update" } else { "a condition" })]
    FunctionNotAllowed {
        /// Its name.
        function: String,
        /// Whether the expression is an update; else a condition.
        in_update: bool,
    },
    /// A function where it cannot stand: `size` as a condition, any other condition as an operand,
    /// `list_append` inside a call or a sum.
    #[error("function {function} cannot be used here")]
    MisusedFunction {
        /// Its name.
        function: String,
    },
    /// A bare attribute name that is reserved.
    #[error("{word} is a reserved word")]
    ReservedWord {
        /// The name as written.
        word: String,
    },
    /// `#name` without a definition.
    #[error("name {name} is not defined")]
    UndefinedName {
        /// The placeholder with its `#`.
        name: String,
    },
    /// A path of more than [`NESTING_LEVELS`](crate::limits::NESTING_LEVELS) steps.
    #[error("a document path has {levels} levels, more than allowed")]
    PathTooDeep {
        /// Its steps, the top-level attribute included.
        levels: usize,
    },
    /// More than [`IN_OPERANDS`](crate::limits::IN_OPERANDS) values on the right of IN.
    #[error("IN is given {count} operands, more than allowed")]
    TooManyInOperands {
        /// How many.
        count: usize,
    },
    /// `:value` without a definition.
    #[error("value {name} is not defined")]
    UndefinedValue {
        /// The placeholder with its `:`.
        name: String,
    },
    /// A function with the wrong number of operands.
    #[error("{operator} cannot take {count} operands")]
    OperandCount {
        /// The function.
        operator: String,
        /// How many it was given.
        count: usize,
    },
    /// The first operand is repeated among the others.
    #[error("{operator} is given {path} twice")]
    OperandsNotDistinct {
        /// The operator or function.
        operator: &'static str,
        /// The path, as [`Path::listed`](super::Path::listed).
        path: String,
    },
    /// An operand of a type that the operator or function cannot take.
    #[error("{operator} cannot take an operand of type {operand_type}")]
    OperandType {
        /// The operator or function.
        operator: &'static str,
        /// `S`, `BOOL` …; for a path given as `attribute_type`'s type, [`Fault::ANY_TYPE`].
        operand_type: &'static str,
    },
    /// `attribute_type` with a string that names no type.
    #[error("{found:?} is not a type")]
    AttributeType {
        /// The string.
        found: String,
    },
    /// A function that needs a path was given something else.
    #[error("{function} needs a document path")]
    PathRequired {
        /// The function.
        function: &'static str,
    },
    /// BETWEEN's bounds have different types.
    #[error("the bounds of BETWEEN have different types")]
    BetweenTypes {
        /// Lower bound.
        lower: Box<Value>,
        /// Upper bound.
        upper: Box<Value>,
    },
    /// BETWEEN's lower bound is above its upper bound.
    #[error("the lower bound of BETWEEN is above the upper")]
    BetweenOrder {
        /// Lower bound.
        lower: Box<Value>,
        /// Upper bound.
        upper: Box<Value>,
    },
    /// A clause written twice in an update.
    #[error("{} is given twice", clause.keyword())]
    RepeatedClause {
        /// The clause.
        clause: Clause,
    },
    /// One path is, or lies below, another.
    #[error("paths {one} and {two} overlap")]
    OverlappingPaths {
        /// The one written first.
        one: String,
        /// The other.
        two: String,
    },
    /// One path takes for a list what another takes for a map.
    #[error("paths {one} and {two} conflict")]
    ConflictingPaths {
        /// The one written first.
        one: String,
        /// The other.
        two: String,
    },
    /// ADD or DELETE with a value of a type it cannot take.
    #[error("{} cannot take a value of type {operand_type}", clause.keyword())]
    ClauseOperandType {
        /// ADD or DELETE.
        clause: Clause,
        /// `S`, `BOOL` …
        operand_type: &'static str,
    },
    /// A list index above [`LIST_INDEX`](crate::limits::LIST_INDEX).
    #[error("list index {index} is out of range")]
    IndexOutOfRange {
        /// The digits as written.
        index: String,
    },
}

impl Fault {
    /// What AWS prints as the type of an operand that is a path: any type.
    pub const ANY_TYPE: &str = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}";
    /// What AWS prints as the types that `attribute_type` knows.
    pub const VALID_TYPES: &str = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}";
}

/// Something wrong with `ExpressionAttributeNames` or `ExpressionAttributeValues` themselves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceholderError {
    /// `ExpressionAttributeNames` is there and empty.
    #[error("ExpressionAttributeNames is empty")]
    EmptyNames,
    /// `ExpressionAttributeValues` is there and empty.
    #[error("ExpressionAttributeValues is empty")]
    EmptyValues,
    /// A key of `ExpressionAttributeNames` is not `#` and letters, digits or underscores.
    #[error("ExpressionAttributeNames has the invalid key {key:?}")]
    NameKey {
        /// The key.
        key: String,
    },
    /// A placeholder of `ExpressionAttributeNames` stands for no name.
    #[error("ExpressionAttributeNames has no name for {key:?}")]
    EmptyName {
        /// The placeholder.
        key: String,
    },
    /// It stands for a name over [`crate::limits::ATTRIBUTE_NAME_BYTES`].
    #[error("ExpressionAttributeNames has too long a name for {key:?}")]
    LongName {
        /// The placeholder.
        key: String,
    },
    /// A key of `ExpressionAttributeValues` is not `:` and letters, digits or underscores.
    #[error("ExpressionAttributeValues has the invalid key {key:?}")]
    ValueKey {
        /// The key.
        key: String,
    },
    /// Names that no expression of the request uses.
    #[error("unused names {keys:?}")]
    UnusedNames {
        /// Their placeholders.
        keys: Vec<String>,
    },
    /// Values that no expression of the request uses.
    #[error("unused values {keys:?}")]
    UnusedValues {
        /// Their placeholders.
        keys: Vec<String>,
    },
}

/// A key condition that cannot select a range of keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyConditionError {
    /// `OR`, `NOT`, `IN`, `<>` or a function other than `begins_with`.
    #[error("operator {operator} cannot be used in a key condition")]
    InvalidOperator {
        /// As AWS writes it.
        operator: &'static str,
    },
    /// `size(…)` inside.
    #[error("a key condition cannot contain nested operations")]
    NestedOperation,
    /// `BETWEEN` or `begins_with` whose first operand is not the key attribute.
    #[error("{operator} needs the key attribute as its first operand")]
    AttributeNotFirst {
        /// `BETWEEN` or `begins_with`.
        operator: &'static str,
    },
    /// Two paths in one comparison.
    #[error("several attributes in one condition")]
    SeveralAttributes,
    /// A nested path.
    #[error("a condition on a nested attribute")]
    NestedAttribute,
    /// A comparison of values only.
    #[error("no key attribute in a condition")]
    NoAttribute,
    /// Two conditions on one attribute.
    #[error("more than one condition on a key attribute")]
    RepeatedAttribute,
    /// No condition on this key attribute.
    #[error("no condition on key attribute {attribute}")]
    MissingElement {
        /// The attribute.
        attribute: String,
    },
    /// More conditions than the key has attributes.
    #[error("{given} conditions on a key of {defined} attributes")]
    TooManyConditions {
        /// Conditions in the expression.
        given: usize,
        /// Attributes of the key.
        defined: usize,
    },
    /// An operator other than `=` on a partition attribute.
    #[error("the key condition is not supported")]
    NotSupported,
    /// A value of another type than the key attribute's.
    #[error("the value for key attribute {attribute} has the wrong type")]
    TypeMismatch {
        /// The attribute.
        attribute: String,
    },
    /// Multi-attribute partition keys: every attribute needs an equality.
    #[error("partition key attributes {missing:?} need equality conditions")]
    PartitionEqualityRequired {
        /// The attributes without one, in key order.
        missing: Vec<String>,
    },
    /// Multi-attribute sort keys: a condition on `present` needs equalities on all before it.
    #[error("sort key attributes {missing:?} need equality conditions because of {present}")]
    EqualityRequired {
        /// The attributes before it without an equality, in key order.
        missing: Vec<String>,
        /// The later attribute that has a condition.
        present: String,
    },
}

/// An update that cannot be carried out on this item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// The path's parent is missing or is not the map or list that the path takes it for.
    #[error("the document path is invalid for update")]
    InvalidPath,
    /// An operand names an attribute that the item does not have.
    #[error("the expression refers to an attribute that does not exist")]
    MissingAttribute,
    /// An operand has a type that the operation cannot take.
    #[error("an operand has an incorrect data type")]
    OperandType,
    /// The same in `AttributeUpdates`, where AWS says it in other words.
    #[error("an attribute has another type than its update")]
    AttributeType,
    /// What is set would lie deeper than [`NESTING_LEVELS`](crate::limits::NESTING_LEVELS).
    #[error("the updated item is nested too deep")]
    TooDeep,
    /// What is set is alone larger than an item may be.
    #[error("the updated item is too large")]
    TooLarge,
    /// The sum or difference is no DynamoDB number.
    #[error("arithmetic: {0}")]
    Number(#[from] NumberError),
}
