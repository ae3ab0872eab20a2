//! Key conditions: which part of a table or index a Query reads.

use super::ast::{Comparator, Function, FunctionName, Node, Operand};
use super::error::{Fault, KeyConditionError};
use crate::limits::EXPRESSION_DEPTH;
use crate::schema::{KeyPart, KeySchema, ScalarType};
use crate::{Value, ValueRef};

/// A key condition, checked as an expression; what it selects is known once it meets a key schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCondition<'a> {
    node: Node<'a>,
}

/// The keys that a Query reads: one partition, and in it one range of sort keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange<'c> {
    /// The partition key's values, in key order; never fewer than the schema has.
    pub hash: Vec<&'c Value>,
    /// Values that the leading sort key attributes equal, in key order; with an ordinary sort key, one
    /// value where the condition is `=`, else none.
    pub equal: Vec<&'c Value>,
    /// What the sort key attribute after those must satisfy.
    pub sort: Option<SortCondition<'c>>,
}

/// A condition on a sort key attribute that may hold for more than one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortCondition<'c> {
    /// `<`
    Less(&'c Value),
    /// `<=`
    LessOrEqual(&'c Value),
    /// `>`
    Greater(&'c Value),
    /// `>=`
    GreaterOrEqual(&'c Value),
    /// `BETWEEN low AND high`, both included.
    Between(&'c Value, &'c Value),
    /// `begins_with`; a string or binary.
    BeginsWith(&'c Value),
}

impl<'c> SortCondition<'c> {
    /// Whether a key attribute's value satisfies the condition.
    pub fn matches(self, value: ValueRef<'_>) -> bool {
        let against = |bound: &Value| value.compare(bound.as_ref());
        match self {
            Self::Less(bound) => against(bound).is_some_and(std::cmp::Ordering::is_lt),
            Self::LessOrEqual(bound) => against(bound).is_some_and(std::cmp::Ordering::is_le),
            Self::Greater(bound) => against(bound).is_some_and(std::cmp::Ordering::is_gt),
            Self::GreaterOrEqual(bound) => against(bound).is_some_and(std::cmp::Ordering::is_ge),
            Self::Between(low, high) => {
                against(low).is_some_and(std::cmp::Ordering::is_ge)
                    && against(high).is_some_and(std::cmp::Ordering::is_le)
            }
            Self::BeginsWith(prefix) => value.begins_with(prefix.as_ref()),
        }
    }

    /// The values in it.
    pub fn values(self) -> impl Iterator<Item = &'c Value> {
        let (first, second) = match self {
            Self::Less(v)
            | Self::LessOrEqual(v)
            | Self::Greater(v)
            | Self::GreaterOrEqual(v)
            | Self::BeginsWith(v) => (v, None),
            Self::Between(low, high) => (low, Some(high)),
        };
        std::iter::once(first).chain(second)
    }
}

/// One comparison of a key condition.
#[derive(Debug, Clone, Copy)]
struct Clause<'c> {
    attribute: &'c str,
    test: Test<'c>,
}

#[derive(Debug, Clone, Copy)]
enum Test<'c> {
    Equal(&'c Value),
    Sort(SortCondition<'c>),
}

impl Test<'_> {
    fn fits(self, scalar: ScalarType) -> bool {
        let fits = |value: &Value| scalar.matches(value.as_ref());
        match self {
            Self::Equal(value) => fits(value),
            Self::Sort(condition) => condition.values().all(fits),
        }
    }
}

impl<'a> KeyCondition<'a> {
    pub(super) fn new(node: Node<'a>) -> Self {
        Self { node }
    }

    /// A key condition from a tree built by code (legacy `KeyConditions`, PartiQL).
    ///
    /// # Errors
    /// [`Fault::TooDeep`].
    pub fn from_tree(node: Node<'a>) -> Result<Self, Fault> {
        if node.is_within(EXPRESSION_DEPTH) {
            Ok(Self { node })
        } else {
            Err(Fault::TooDeep)
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Node<'a> {
        &self.node
    }

    /// Checks what needs no table: that it is comparisons joined by AND, each of one top-level attribute
    /// with values, no attribute twice.
    ///
    /// # Errors
    /// The first in AWS's order. Source: dynalite's tests, measured on AWS.
    pub fn check(&self) -> Result<(), KeyConditionError> {
        self.clauses().map(drop)
    }

    /// Binds the condition to a key schema.
    ///
    /// # Errors
    /// Those of [`Self::check`]; then [`KeyConditionError::TooManyConditions`],
    /// [`KeyConditionError::PartitionEqualityRequired`], [`KeyConditionError::MissingElement`],
    /// [`KeyConditionError::NotSupported`], [`KeyConditionError::TypeMismatch`],
    /// [`KeyConditionError::EqualityRequired`].
    pub fn bind(&self, schema: &KeySchema) -> Result<KeyRange<'_>, KeyConditionError> {
        let clauses = self.clauses()?;
        let defined = schema.hash.len() + schema.range.len();
        // Two on a key of one attribute are told below. Source: scylladb/scylladb, `test_gsi.py` (faux_range_key).
        if clauses.len() > defined.max(2) {
            let given = clauses.len();
            return Err(KeyConditionError::TooManyConditions { given, defined });
        }
        if schema.hash.len() > 1 {
            check_equalities(&clauses, schema)?;
        }
        let mut range = KeyRange {
            hash: Vec::new(),
            equal: Vec::new(),
            sort: None,
        };
        for part in &schema.hash {
            let clause = clauses.iter().find(|c| c.attribute == part.name);
            let clause = clause.ok_or_else(|| missing(part))?;
            match typed(clause, part)? {
                Test::Equal(value) => range.hash.push(value),
                Test::Sort(_) => return Err(KeyConditionError::NotSupported),
            }
        }
        bind_sort(&clauses, schema, &mut range)?;
        let named = range.equal.len() + usize::from(range.sort.is_some());
        if clauses.len() > range.hash.len() + named {
            // A condition on an attribute that is no part of the key: AWS names the one it expected there.
            let expected = schema.range.get(named);
            return Err(expected.map_or(KeyConditionError::NotSupported, missing));
        }
        Ok(range)
    }

    fn clauses(&self) -> Result<Vec<Clause<'_>>, KeyConditionError> {
        let mut clauses = Vec::with_capacity(2);
        collect(&self.node, &mut clauses)?;
        Ok(clauses)
    }
}

/// Several partition attributes: each has an equality.
fn check_equalities(clauses: &[Clause<'_>], schema: &KeySchema) -> Result<(), KeyConditionError> {
    let equal = |part: &&KeyPart| {
        let mut clauses = clauses.iter().filter(|c| c.attribute == part.name);
        clauses.any(|c| matches!(c.test, Test::Equal(_)))
    };
    let missing = schema.hash.iter().filter(|part| !equal(part));
    let missing: Vec<String> = missing.map(|part| part.name.clone()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(KeyConditionError::PartitionEqualityRequired { missing })
}

fn missing(part: &KeyPart) -> KeyConditionError {
    KeyConditionError::MissingElement {
        attribute: part.name.clone(),
    }
}

fn typed<'c>(clause: &Clause<'c>, part: &KeyPart) -> Result<Test<'c>, KeyConditionError> {
    if clause.test.fits(part.scalar) {
        Ok(clause.test)
    } else {
        Err(KeyConditionError::TypeMismatch {
            attribute: part.name.clone(),
        })
    }
}

/// Equalities on a prefix of the sort key attributes without a gap; only the last attribute named may
/// have another condition. Source: `paritysuite/dynamodb-conformance`, multi-attribute keys.
fn bind_sort<'c>(
    clauses: &[Clause<'c>],
    schema: &KeySchema,
    range: &mut KeyRange<'c>,
) -> Result<(), KeyConditionError> {
    let mut without_equality = Vec::new();
    for part in &schema.range {
        let Some(clause) = clauses.iter().find(|c| c.attribute == part.name) else {
            without_equality.push(part.name.clone());
            continue;
        };
        if !without_equality.is_empty() {
            let present = part.name.clone();
            return Err(KeyConditionError::EqualityRequired {
                missing: without_equality,
                present,
            });
        }
        match typed(clause, part)? {
            Test::Equal(value) => range.equal.push(value),
            Test::Sort(condition) => {
                range.sort = Some(condition);
                without_equality.push(part.name.clone());
            }
        }
    }
    Ok(())
}

fn collect<'c>(node: &'c Node<'_>, into: &mut Vec<Clause<'c>>) -> Result<(), KeyConditionError> {
    let invalid = |operator| Err(KeyConditionError::InvalidOperator { operator });
    let clause = match node {
        Node::And(nodes) => return nodes.iter().try_for_each(|n| collect(n, into)),
        Node::Or(_) => return invalid("OR"),
        Node::Not(_) => return invalid("NOT"),
        Node::In { .. } => return invalid("IN"),
        Node::Compare {
            op: Comparator::Ne, ..
        } => return invalid("<>"),
        Node::Compare { op, left, right } => compare(*op, left, right)?,
        Node::Between { operand, low, high } => {
            let attribute = first_operand("BETWEEN", operand, &[low, high])?;
            let bounds = (low.as_literal(), high.as_literal());
            let (Some(low), Some(high)) = bounds else {
                return Err(KeyConditionError::NoAttribute);
            };
            Clause {
                attribute,
                test: Test::Sort(SortCondition::Between(low, high)),
            }
        }
        Node::Function(function) => call(function)?,
    };
    if into.iter().any(|known| known.attribute == clause.attribute) {
        return Err(KeyConditionError::RepeatedAttribute);
    }
    into.push(clause);
    Ok(())
}

fn compare<'c>(
    op: Comparator,
    left: &'c Operand<'_>,
    right: &'c Operand<'_>,
) -> Result<Clause<'c>, KeyConditionError> {
    let attribute = only_attribute(&[left, right])?.ok_or(KeyConditionError::NoAttribute)?;
    let (op, value) = match (left.as_literal(), right.as_literal()) {
        (None, Some(value)) => (op, value),
        (Some(value), None) => (op.mirrored(), value),
        _ => return Err(KeyConditionError::NoAttribute),
    };
    let test = match op {
        Comparator::Eq | Comparator::Ne => Test::Equal(value),
        Comparator::Lt => Test::Sort(SortCondition::Less(value)),
        Comparator::Le => Test::Sort(SortCondition::LessOrEqual(value)),
        Comparator::Gt => Test::Sort(SortCondition::Greater(value)),
        Comparator::Ge => Test::Sort(SortCondition::GreaterOrEqual(value)),
    };
    Ok(Clause { attribute, test })
}

fn call<'c>(function: &'c Function<'_>) -> Result<Clause<'c>, KeyConditionError> {
    let operator = match function.name {
        FunctionName::BeginsWith => "begins_with",
        FunctionName::AttributeExists => "attribute_exists",
        FunctionName::AttributeNotExists => "attribute_not_exists",
        FunctionName::AttributeType => "attribute_type",
        FunctionName::Contains => "contains",
        FunctionName::Size
        | FunctionName::IfNotExists
        | FunctionName::ListAppend
        | FunctionName::Unknown(_) => return Err(KeyConditionError::NestedOperation),
    };
    let (FunctionName::BeginsWith, [first, prefix]) = (function.name, function.args.as_slice())
    else {
        return Err(KeyConditionError::InvalidOperator { operator });
    };
    let attribute = first_operand(operator, first, &[prefix])?;
    let prefix = prefix.as_literal().ok_or(KeyConditionError::NoAttribute)?;
    Ok(Clause {
        attribute,
        test: Test::Sort(SortCondition::BeginsWith(prefix)),
    })
}

/// The attribute of an operator whose first operand must be it.
fn first_operand<'c>(
    operator: &'static str,
    first: &'c Operand<'_>,
    rest: &[&'c Operand<'_>],
) -> Result<&'c str, KeyConditionError> {
    match first {
        Operand::Path(_) => {}
        Operand::Function(_) | Operand::Condition(_) => {
            return Err(KeyConditionError::NestedOperation);
        }
        Operand::Value(_) | Operand::Arithmetic(_) => {
            return Err(KeyConditionError::AttributeNotFirst { operator });
        }
    }
    let attribute = only_attribute(&[first])?.ok_or(KeyConditionError::NoAttribute)?;
    for operand in rest {
        match operand {
            Operand::Path(_) => return Err(KeyConditionError::SeveralAttributes),
            Operand::Function(_) | Operand::Condition(_) => {
                return Err(KeyConditionError::NestedOperation);
            }
            Operand::Value(_) | Operand::Arithmetic(_) => {}
        }
    }
    Ok(attribute)
}

/// The one attribute among the operands of a comparison.
fn only_attribute<'c>(operands: &[&'c Operand<'_>]) -> Result<Option<&'c str>, KeyConditionError> {
    let mut found = None;
    for operand in operands {
        match operand {
            Operand::Path(_) if found.is_some() => {
                return Err(KeyConditionError::SeveralAttributes);
            }
            Operand::Path(path) if path.is_nested() => {
                return Err(KeyConditionError::NestedAttribute);
            }
            Operand::Path(path) => found = Some(path.top()),
            Operand::Function(_) | Operand::Condition(_) => {
                return Err(KeyConditionError::NestedOperation);
            }
            Operand::Value(_) | Operand::Arithmetic(_) => {}
        }
    }
    Ok(found)
}
