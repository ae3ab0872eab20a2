//! Which keys a WHERE clause selects.
//!
//! A clause that pins the partition key in every part of its ORs becomes branches: one for each combination of the
//! values and ranges that it gives the key, each with the conditions left over. Every other clause is a scan.
//! Only ORs that test the key are taken apart. Source: Developer Guide, "PartiQL select statements for DynamoDB"; which
//! forms are branches is measured (`floci-io/floci`, its tests of PartiQL, captured from AWS in September 2026).

use super::key::KeyFault;
use crate::expr::{Comparator, Function, FunctionName, Node, Operand, SortCondition, ValueLeaf};
use crate::schema::KeyPart;
use crate::{KeySchema, Value};

/// Most branches of one clause. Source: measured, as above.
pub const MOST_READS: usize = 50;

/// How a WHERE clause reads a table or index.
#[derive(Debug)]
pub enum Access<'n, 'a> {
    /// Every row.
    Scan,
    /// Some partitions, or parts of them.
    Keyed(Vec<Branch<'n, 'a>>),
}

/// One partition, or part of one.
#[derive(Debug)]
pub struct Branch<'n, 'a> {
    /// The partition key.
    pub hash: &'n Value,
    /// The sort key, where it is given.
    pub equal: Option<&'n Value>,
    /// What the sort key must fulfil; none where `equal` is given.
    pub ranges: Vec<SortCondition<'n>>,
    /// What else is asked for.
    pub filters: Vec<&'n Node<'a>>,
    /// It asks what the sort key is not: two such branches may select the same keys.
    pub open: bool,
    /// It gives one key attribute two values, so that it selects nothing.
    pub never: bool,
}

impl Branch<'_, '_> {
    /// Whether it is one item of this key, and nothing else is asked for.
    #[must_use]
    pub fn is_point(&self, schema: &KeySchema) -> bool {
        self.filters.is_empty()
            && self.ranges.is_empty()
            && !self.never
            && self.equal.is_some() != schema.range.is_empty()
    }
}

/// A part of one branch.
#[derive(Debug, Clone, Copy)]
enum Atom<'n, 'a> {
    Hash(&'n Value),
    Equal(&'n Value),
    Range(SortCondition<'n>, &'n Node<'a>),
    /// A test of what the sort key is not.
    Open(&'n Node<'a>),
    Filter(&'n Node<'a>),
}

type Atoms<'n, 'a> = Vec<Vec<Atom<'n, 'a>>>;

impl<'n, 'a> Access<'n, 'a> {
    /// Finds the branches of a clause for a key of one partition attribute and at most one sort attribute.
    ///
    /// # Errors
    /// [`KeyFault::TooManyReads`], [`KeyFault::Type`].
    pub fn of(condition: Option<&'n Node<'a>>, schema: &KeySchema) -> Result<Self, KeyFault> {
        let ([hash], Some(node)) = (schema.hash.as_slice(), condition) else {
            return Ok(Self::Scan);
        };
        let finder = Finder {
            hash,
            range: schema.range.first(),
        };
        if !finder.pins(node) {
            return Ok(Self::Scan);
        }
        let branches = finder.expand(node)?;
        for (name, value) in branches
            .iter()
            .flatten()
            .flat_map(|atom| finder.values(*atom))
        {
            matches_type(schema, name, value)?;
        }
        Ok(Self::Keyed(
            branches.into_iter().filter_map(branch).collect(),
        ))
    }
}

/// Refuses a value of another type than the key attribute's.
pub(super) fn matches_type(schema: &KeySchema, name: &str, value: &Value) -> Result<(), KeyFault> {
    let part = schema.parts().find(|(_, part)| part.name == name);
    match part {
        Some((_, part)) if !part.scalar.matches(value.as_ref()) => Err(KeyFault::Type {
            name: name.to_owned(),
        }),
        _ => Ok(()),
    }
}

fn literal<'n>(operand: &'n Operand<'_>) -> Option<&'n Value> {
    match operand {
        Operand::Value(ValueLeaf::Literal(value)) => Some(value),
        _ => None,
    }
}

fn attribute<'n>(operand: &'n Operand<'_>) -> Option<&'n str> {
    match operand {
        Operand::Path(path) if !path.is_nested() => Some(path.top()),
        _ => None,
    }
}

/// A comparison of an attribute with a value, the attribute on the left.
fn comparison<'n>(node: &'n Node<'_>) -> Option<(Comparator, &'n str, &'n Value)> {
    let Node::Compare { op, left, right } = node else {
        return None;
    };
    if let (Some(name), Some(value)) = (attribute(left), literal(right)) {
        return Some((*op, name, value));
    }
    Some((op.mirrored(), attribute(right)?, literal(left)?))
}

/// `attribute = value`, whichever way round.
pub(super) fn equality<'n>(node: &'n Node<'_>) -> Option<(&'n str, &'n Value)> {
    match comparison(node) {
        Some((Comparator::Eq, name, value)) => Some((name, value)),
        _ => None,
    }
}

struct Finder<'s> {
    hash: &'s KeyPart,
    range: Option<&'s KeyPart>,
}

impl Finder<'_> {
    fn is_range(&self, name: &str) -> bool {
        self.range.is_some_and(|part| part.name == name)
    }

    /// The values that IN gives a key attribute.
    fn members<'n>(&self, node: &'n Node<'_>) -> Option<(&'n str, Vec<&'n Value>)> {
        let Node::In { operand, list } = node else {
            return None;
        };
        let name = attribute(operand)?;
        let known = name == self.hash.name || self.is_range(name);
        let values = list.iter().map(literal).collect::<Option<Vec<_>>>()?;
        known.then_some((name, values))
    }

    /// Whether every branch has a partition key.
    fn pins(&self, node: &Node<'_>) -> bool {
        match node {
            Node::And(nodes) => nodes.iter().any(|node| self.pins(node)),
            Node::Or(nodes) => nodes.iter().all(|node| self.pins(node)),
            node => {
                equality(node).is_some_and(|(name, _)| name == self.hash.name)
                    || self
                        .members(node)
                        .is_some_and(|(name, _)| name == self.hash.name)
            }
        }
    }

    /// Whether a test of the key is anywhere in it.
    fn tests(&self, node: &Node<'_>) -> bool {
        match node {
            Node::And(nodes) | Node::Or(nodes) => nodes.iter().any(|node| self.tests(node)),
            Node::Not(node) => self.tests(node),
            leaf => {
                !matches!(self.leaf(leaf).as_slice(), [atoms] if matches!(atoms[..], [Atom::Filter(_)]))
            }
        }
    }

    fn expand<'n, 'a>(&self, node: &'n Node<'a>) -> Result<Atoms<'n, 'a>, KeyFault> {
        let branches = match node {
            Node::And(nodes) => {
                let mut product: Atoms<'n, 'a> = vec![Vec::new()];
                for node in nodes {
                    let more = self.expand(node)?;
                    if product.len() * more.len() > MOST_READS {
                        return Err(KeyFault::TooManyReads);
                    }
                    if let [one] = more.as_slice() {
                        for atoms in &mut product {
                            atoms.extend(one);
                        }
                        continue;
                    }
                    let pairs = product.iter().flat_map(|left| {
                        more.iter()
                            .map(move |right| [left.as_slice(), right].concat())
                    });
                    product = pairs.collect();
                }
                product
            }
            Node::Or(nodes) if self.tests(node) => {
                let mut sum = Vec::new();
                for node in nodes {
                    sum.extend(self.expand(node)?);
                }
                sum
            }
            Node::Or(_) => vec![vec![Atom::Filter(node)]],
            Node::Not(inner) if self.range.is_some() && self.tests_range(inner) => {
                vec![vec![Atom::Open(node)]]
            }
            leaf => self.leaf(leaf),
        };
        if branches.len() > MOST_READS {
            return Err(KeyFault::TooManyReads);
        }
        Ok(branches)
    }

    fn tests_range(&self, node: &Node<'_>) -> bool {
        let mut found = false;
        crate::expr::for_each_path(node, &mut |path| found |= self.is_range(path.top()));
        found
    }

    fn leaf<'n, 'a>(&self, node: &'n Node<'a>) -> Atoms<'n, 'a> {
        if let Some((name, values)) = self.members(node) {
            let hash = name == self.hash.name;
            let atom = |value| {
                vec![if hash {
                    Atom::Hash(value)
                } else {
                    Atom::Equal(value)
                }]
            };
            return values.into_iter().map(atom).collect();
        }
        vec![vec![self.test(node).unwrap_or(Atom::Filter(node))]]
    }

    /// A test of a key attribute.
    fn test<'n, 'a>(&self, node: &'n Node<'a>) -> Option<Atom<'n, 'a>> {
        if let Some((op, name, value)) = comparison(node) {
            if name == self.hash.name && op == Comparator::Eq {
                return Some(Atom::Hash(value));
            }
            let range = |condition| Atom::Range(condition, node);
            return self.is_range(name).then(|| match op {
                Comparator::Eq => Atom::Equal(value),
                Comparator::Ne => Atom::Open(node),
                Comparator::Lt => range(SortCondition::Less(value)),
                Comparator::Le => range(SortCondition::LessOrEqual(value)),
                Comparator::Gt => range(SortCondition::Greater(value)),
                Comparator::Ge => range(SortCondition::GreaterOrEqual(value)),
            });
        }
        match node {
            Node::Between { operand, low, high } if self.is_range(attribute(operand)?) => {
                let condition = SortCondition::Between(literal(low)?, literal(high)?);
                Some(Atom::Range(condition, node))
            }
            Node::Function(Function {
                name: FunctionName::BeginsWith,
                args,
                ..
            }) => match args.as_slice() {
                [operand, prefix] if self.is_range(attribute(operand)?) => Some(Atom::Range(
                    SortCondition::BeginsWith(literal(prefix)?),
                    node,
                )),
                _ => None,
            },
            _ => None,
        }
    }

    /// The values that an atom gives to key attributes.
    fn values<'n>(&self, atom: Atom<'n, '_>) -> Vec<(&str, &'n Value)> {
        let range = self.range.map_or("", |part| part.name.as_str());
        match atom {
            Atom::Hash(value) => vec![(self.hash.name.as_str(), value)],
            Atom::Equal(value) => vec![(range, value)],
            Atom::Range(condition, _) => condition.values().map(|value| (range, value)).collect(),
            Atom::Open(_) | Atom::Filter(_) => Vec::new(),
        }
    }
}

/// One branch of its atoms; none without a partition key.
fn branch<'n, 'a>(atoms: Vec<Atom<'n, 'a>>) -> Option<Branch<'n, 'a>> {
    let hash = atoms.iter().find_map(|atom| match atom {
        Atom::Hash(value) => Some(*value),
        _ => None,
    });
    let equal = atoms.iter().find_map(|atom| match atom {
        Atom::Equal(value) => Some(*value),
        _ => None,
    });
    let mut branch = Branch {
        hash: hash?,
        equal,
        ranges: Vec::new(),
        filters: Vec::new(),
        open: false,
        never: false,
    };
    for atom in atoms {
        match atom {
            Atom::Hash(value) => branch.never |= value != branch.hash,
            Atom::Equal(value) => branch.never |= Some(value) != equal,
            Atom::Range(_, node) if equal.is_some() => branch.filters.push(node),
            Atom::Range(condition, _) => branch.ranges.push(condition),
            Atom::Open(node) => {
                branch.open = true;
                branch.filters.push(node);
            }
            Atom::Filter(node) => branch.filters.push(node),
        }
    }
    Some(branch)
}
