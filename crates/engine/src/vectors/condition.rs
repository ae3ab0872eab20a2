//! What a search's condition may say: one equality for the partition, and anything of the filters.
//! Source: Developer Guide, "`SearchConditionExpression` reference for vector indexes". In August 2026 AWS took
//! equalities alone; the words of what is refused are those measured then (`paritysuite/dynamodb-conformance`).

use crate::catalog::Index;
use crate::catalog::record::VectorRecord;
use bothways_core::Value;
use bothways_core::expr::{Comparator, Condition, FunctionName, Node, Operand, Path, ValueLeaf};
use bothways_protocol::Message;

/// What a condition says.
pub(super) struct Terms<'c> {
    /// The attributes of the partition's key with their values.
    pub(super) partition: Vec<(&'c str, &'c Value)>,
    /// Whether there is something to decide for each row.
    pub(super) filters: bool,
}

/// Holds a condition against the search schema.
pub(super) fn terms<'c>(
    index: &Index,
    vector: &VectorRecord,
    condition: Option<&'c Condition<'_>>,
) -> Result<Terms<'c>, Message> {
    let mut found = Found {
        index,
        names: Vec::new(),
        partition: Vec::new(),
    };
    if let Some(condition) = condition {
        found.node(condition.tree(), true)?;
    }
    let known = |name: &str| index.key.contains(name) || vector.filters.iter().any(|f| f == name);
    if let Some(unknown) = found.names.iter().find(|name| !known(name)) {
        let name = (*unknown).to_owned();
        return Err(Message::SearchAttribute { name });
    }
    let partition = found.partition;
    for (position, (name, _)) in partition.iter().enumerate() {
        if partition[..position].iter().any(|(other, _)| other == name) {
            return Err(Message::SearchAttributeTwice);
        }
    }
    let mut hash = index.key.hash.iter();
    if hash.any(|part| !partition.iter().any(|(name, _)| *name == part.name)) {
        return Err(Message::SearchConditionMissing);
    }
    Ok(Terms {
        filters: found.names.len() > partition.len(),
        partition,
    })
}

/// What was met so far.
struct Found<'i, 'c> {
    index: &'i Index,
    names: Vec<&'c str>,
    partition: Vec<(&'c str, &'c Value)>,
}

impl<'c> Found<'_, 'c> {
    /// `always`: whether the whole is true only where this is.
    fn node(&mut self, node: &'c Node<'_>, always: bool) -> Result<(), Message> {
        match node {
            Node::And(nodes) => nodes.iter().try_for_each(|node| self.node(node, always)),
            Node::Or(nodes) => nodes.iter().try_for_each(|node| self.node(node, false)),
            Node::Not(node) => self.node(node, false),
            Node::Compare { op, left, right } => {
                let ((Operand::Path(path), Operand::Value(ValueLeaf::Literal(value)))
                | (Operand::Value(ValueLeaf::Literal(value)), Operand::Path(path))) = (left, right)
                else {
                    return Err(Message::SearchComparator);
                };
                let name = self.name(path)?;
                if self.is_partition(name) {
                    if *op != Comparator::Eq || !always {
                        return Err(Message::SearchComparator);
                    }
                    self.partition.push((name, value));
                }
                Ok(())
            }
            Node::Between { operand, low, high } => self.operator(operand, [low, high]),
            Node::In { operand, list } => self.operator(operand, list),
            Node::Function(function) => match (&function.name, &function.args[..]) {
                (
                    FunctionName::AttributeExists
                    | FunctionName::AttributeNotExists
                    | FunctionName::BeginsWith
                    | FunctionName::Contains,
                    [operand, values @ ..],
                ) => self.operator(operand, values),
                _ => Err(Message::SearchOperator),
            },
        }
    }

    /// Something that only filters can be tested by, with values alone.
    fn operator<'o>(
        &mut self,
        operand: &'c Operand<'_>,
        values: impl IntoIterator<Item = &'o Operand<'o>>,
    ) -> Result<(), Message> {
        let mut values = values.into_iter();
        let literal = |value| matches!(value, &Operand::Value(ValueLeaf::Literal(_)));
        let Operand::Path(path) = operand else {
            return Err(Message::SearchOperator);
        };
        let name = self.name(path)?;
        if self.is_partition(name) || !values.all(literal) {
            return Err(Message::SearchOperator);
        }
        Ok(())
    }

    fn name(&mut self, path: &'c Path<'_>) -> Result<&'c str, Message> {
        if path.is_nested() {
            return Err(Message::SearchComparator);
        }
        self.names.push(path.top());
        Ok(path.top())
    }

    fn is_partition(&self, name: &str) -> bool {
        self.index.key.contains(name)
    }
}
