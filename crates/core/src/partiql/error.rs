//! What can be wrong with a statement, as data. The words are AWS's and live in the protocol crate.

use crate::expr;
use crate::{NumberError, expr::Span};

/// Where a token stands: its line and column from 1, counted in characters, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct At {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Characters.
    pub length: usize,
}

impl At {
    pub(super) fn of(text: &str, span: Span) -> Self {
        let (start, end) = (span.start as usize, span.end as usize);
        let before = text.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            length: text.get(start..end).unwrap_or_default().chars().count(),
        }
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.line, self.column, self.length)
    }
}

/// Why a text is no statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// A character, literal or comment that cannot be read, or nesting beyond all bounds.
    Unreadable,
    /// A symbol, or the end, where an operand should be.
    Term,
    /// A keyword where an operand should be.
    Keyword,
    /// An operator where an operand should be.
    Operator,
    /// The end after an operator.
    RightOperand,
    /// More text after the statement.
    Leftover,
    /// A statement, or an UPDATE, that changes nothing.
    DataManipulation,
    /// No attribute or table name where one should be.
    SimplePath,
    /// Something after a dot that is no name.
    PathDot,
    /// No type's name after IS.
    TypeName,
    /// Another token, by the name that PartiQL's parser gives it.
    Token(&'static str),
}

/// What is wrong with a statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The grammar does not allow it.
    #[error("the statement is not well formed: {0:?}")]
    Malformed(Malformed),
    /// An alias.
    #[error("aliases are not supported")]
    Alias,
    /// More than a table and an index in FROM.
    #[error("FROM names more than a table and an index")]
    SourceParts,
    /// An empty name in FROM.
    #[error("FROM has an empty name")]
    SourceEmpty,
    /// FROM names no table.
    #[error("FROM names no table")]
    Source,
    /// Several tables in FROM.
    #[error("FROM names several tables")]
    ManySources,
    /// An INSERT into an index.
    #[error("an index cannot be inserted into")]
    InsertIndex,
    /// An UPDATE or DELETE of an index.
    #[error("an index cannot be written")]
    WriteIndex,
    /// A clause that DynamoDB does not have.
    #[error("clause {clause} is not supported")]
    Clause {
        /// Its keyword.
        clause: String,
        /// Where.
        at: At,
    },
    /// SELECT VALUE.
    #[error("SELECT VALUE is not supported")]
    SelectValue,
    /// One column twice.
    #[error("column {name} is selected twice")]
    ColumnTwice {
        /// Its name.
        name: String,
    },
    /// Something that is no path where one should be.
    #[error("no document path at {at}")]
    PathComponent {
        /// Where.
        at: At,
    },
    /// `[*]`
    #[error("wildcards in paths are not supported")]
    Wildcard,
    /// `.*`
    #[error("`.*` in paths is not supported")]
    Unpivot,
    /// A list index that is negative or too large.
    #[error("list index {index} at {at} is out of range")]
    IndexRange {
        /// As written.
        index: String,
        /// Where.
        at: At,
    },
    /// More or fewer parameters than `?`.
    #[error("the statement has another number of parameters than the request")]
    ParameterCount,
    /// No such function here.
    #[error("no function {name} at {at}")]
    Function {
        /// In lower case.
        name: String,
        /// Where.
        at: At,
    },
    /// Something within a value that is no literal.
    #[error("{name} at {at} is no value")]
    DataType {
        /// What it is.
        name: String,
        /// Where in the value: `root.a[0]`.
        under: String,
        /// Where in the statement.
        at: At,
    },
    /// `<<>>`
    #[error("an empty set")]
    EmptyBag,
    /// A set of other things than strings, or numbers.
    #[error("a set of neither strings nor numbers")]
    MixedBag,
    /// A string set with a member twice.
    #[error("a string set with a member twice")]
    DuplicateStrings {
        /// As written.
        members: Vec<String>,
    },
    /// A number set with a member twice.
    #[error("a number set with a member twice")]
    DuplicateNumbers {
        /// As written.
        members: Vec<String>,
        /// Where in the value.
        under: String,
    },
    /// A number that DynamoDB cannot hold.
    #[error("number under {under}: {error}")]
    Number {
        /// What is wrong.
        error: NumberError,
        /// Where in the value.
        under: String,
    },
    /// A value nested too deep.
    #[error("a value is nested too deep")]
    Nesting {
        /// Where in the value it gets too deep.
        under: String,
    },
    /// A map's key twice.
    #[error("key {key} twice under {under}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// Where in the value.
        under: String,
    },
    /// An attribute, or a map's member, without a name.
    #[error("an empty name in a value")]
    EmptyName,
    /// A map's key that is no string.
    #[error("a key that is no string under {under}")]
    KeyNoString {
        /// What it is.
        actual: String,
        /// Where in the value.
        under: String,
    },
    /// MISSING without IS.
    #[error("MISSING without IS")]
    Missing,
    /// IS after something that is no path.
    #[error("IS needs a path")]
    IsOperand,
    /// IS in an update.
    #[error("IS in an update")]
    IsInUpdate,
    /// IS with a type that DynamoDB does not have.
    #[error("IS with type {name}")]
    IsType {
        /// In upper case.
        name: String,
    },
    /// IN without a list.
    #[error("IN needs a list")]
    InOperand,
    /// WHERE with something that is neither true nor false.
    #[error("WHERE needs a condition")]
    NoCondition,
    /// AND or OR of something that is neither true nor false.
    #[error("AND and OR need conditions")]
    LogicOperand,
    /// NOT of something that is neither true nor false.
    #[error("NOT needs a condition")]
    NotOperand,
    /// An operator that conditions do not have.
    #[error("operator {operator} in a condition")]
    ConditionOperator {
        /// As written.
        operator: String,
    },
    /// An operator that updates do not have.
    #[error("operator {operator} in an update")]
    UpdateOperator {
        /// As written.
        operator: String,
    },
    /// `set_add` or `set_delete` of another attribute than the one assigned.
    #[error("{function}: the first argument is not what is assigned")]
    SetFirst {
        /// In upper case.
        function: String,
        /// Where.
        at: At,
    },
    /// `set_add` or `set_delete` of what is no set.
    #[error("{function}: the second argument is no set")]
    SetSecond {
        /// In upper case.
        function: String,
        /// Where the first argument is.
        at: At,
    },
    /// `set_add` or `set_delete` of other than two arguments.
    #[error("{function} takes two arguments")]
    SetCount {
        /// In upper case.
        function: String,
        /// Where.
        at: At,
    },
    /// INSERT of what is no `{…}`.
    #[error("INSERT needs an item")]
    InsertForm,
    /// INSERT of several items.
    #[error("INSERT takes one item")]
    InsertMany,
    /// INSERT with RETURNING.
    #[error("INSERT returns nothing")]
    ReturningInsert,
    /// DELETE returns only what it deleted.
    #[error("DELETE cannot return {clause}")]
    ReturningDelete {
        /// `MODIFIED OLD` …
        clause: &'static str,
    },
    /// RETURNING without its `*`.
    #[error("RETURNING needs a *")]
    ReturningStar,
    /// RETURNING several things.
    #[error("RETURNING takes one element")]
    ReturningMany,
    /// A statement of a kind that DynamoDB does not have.
    #[error("operation {name}")]
    Operation {
        /// What it is.
        name: String,
    },
    /// ORDER BY what is no attribute.
    #[error("ORDER BY needs an attribute")]
    OrderOperand {
        /// What it is.
        name: String,
    },
    /// A condition or an update that DynamoDB's expressions do not allow either.
    #[error(transparent)]
    Expression(#[from] expr::Fault),
}
