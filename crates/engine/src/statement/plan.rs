//! SELECT: from the WHERE clause to ranges of rows.

use crate::catalog::Index;
use crate::error::Fault;
use crate::layout::Range;
use crate::read::Source;
use bothways_core::expr::{Condition, KeyRange, Node};
use bothways_core::partiql::{Access, Branch, Direction, KeyFault, Select};
use bothways_core::{Item, Value};
use bothways_protocol::Message;
use bothways_protocol::validate::schema::key_range;
use std::cmp::Ordering;
use std::collections::HashSet;

/// What a SELECT reads.
pub(super) struct Plan<'n> {
    pub(super) reads: Vec<Read<'n>>,
    /// Whether rows come in descending order.
    pub(super) reverse: bool,
    /// The one item that it reads by its key and nothing else.
    pub(super) point: Option<Item>,
}

/// Why a clause cannot be read by: told apart for transactions, where a key of another type is the action's fault.
pub(super) enum PlanFault {
    Key(KeyFault),
    Other(Fault),
}

impl From<KeyFault> for PlanFault {
    fn from(fault: KeyFault) -> Self {
        Self::Key(fault)
    }
}

impl From<Fault> for PlanFault {
    fn from(fault: Fault) -> Self {
        Self::Other(fault)
    }
}

impl From<PlanFault> for Fault {
    fn from(fault: PlanFault) -> Self {
        match fault {
            PlanFault::Key(fault) => fault.into(),
            PlanFault::Other(fault) => fault,
        }
    }
}

/// Rows to read, and which of them are wanted.
pub(super) struct Read<'n> {
    pub(super) range: Range,
    pub(super) filter: Option<Condition<'n>>,
}

/// Branches that read the same rows, together.
struct Group<'b, 'n> {
    range: Range,
    branches: Vec<&'b Branch<'n, 'n>>,
}

impl<'n> Plan<'n> {
    pub(super) fn of(source: &Source<'_>, select: &'n Select<'n>) -> Result<Self, PlanFault> {
        let schema = source.schema();
        let condition = select.condition.as_ref();
        let access = Access::of(condition, schema)?;
        let direction = Direction::of(&select.order, condition.is_some(), &access, schema)?;
        if let Some(index) = source.index {
            check_columns(index, select)?;
        }
        let Access::Keyed(branches) = access else {
            let read = Read {
                range: source.scan(None),
                filter: filter(condition.into_iter())?,
            };
            return Ok(Self {
                reads: vec![read],
                reverse: false,
                point: None,
            });
        };
        let mut groups = grouped(source, &branches)?;
        if let Some(index) = source.index {
            check_filters(index, &branches)?;
        }
        let point = match branches.as_slice() {
            [branch] if branch.is_point(schema) => Some(key_of(source, branch)),
            _ => None,
        };
        if let Some(order) = direction.partitions {
            groups.sort_by(|one, two| {
                let by_key = compare(one, two);
                if order == Ordering::Greater {
                    by_key.reverse()
                } else {
                    by_key
                }
            });
        }
        let reads = groups.into_iter().map(|group| {
            // Where branches read the same rows, the whole clause decides, so that none comes twice.
            let filter = match group.branches.as_slice() {
                [branch] => filter(branch.filters.iter().copied()),
                _ => filter(condition.into_iter()),
            };
            Ok(Read {
                range: group.range,
                filter: filter?,
            })
        });
        Ok(Self {
            reads: reads.collect::<Result<_, Fault>>()?,
            reverse: direction.descending,
            point,
        })
    }
}

/// By partition key.
fn compare(one: &Group<'_, '_>, two: &Group<'_, '_>) -> Ordering {
    match (one.branches.first(), two.branches.first()) {
        (Some(one), Some(two)) => by_hash(one, two),
        _ => Ordering::Equal,
    }
}

/// Keys of one type, which a schema makes sure of, have an order.
fn by_hash(one: &Branch<'_, '_>, two: &Branch<'_, '_>) -> Ordering {
    let order = one.hash.as_ref().compare(two.hash.as_ref());
    order.unwrap_or(Ordering::Equal)
}

fn filter<'n>(nodes: impl Iterator<Item = &'n Node<'n>>) -> Result<Option<Condition<'n>>, Fault> {
    let nodes: Vec<Node<'n>> = nodes.cloned().collect();
    let node = match nodes.len() {
        0 => return Ok(None),
        _ => Node::And(nodes),
    };
    let condition = Condition::from_tree(node);
    Ok(Some(
        condition.map_err(bothways_core::partiql::Fault::from)?,
    ))
}

/// The key of a branch that is one item.
fn key_of(source: &Source<'_>, branch: &Branch<'_, '_>) -> Item {
    let schema = source.schema();
    let hash = schema.hash.iter().map(|part| (&part.name, branch.hash));
    let range = schema.range.iter().zip(branch.equal);
    let range = range.map(|(part, value)| (&part.name, value));
    Item::from_attributes(hash.chain(range).map(|(name, value)| (name, value.clone())))
}

/// The rows of a branch.
fn range_of(source: &Source<'_>, branch: &Branch<'_, '_>) -> Result<Range, Fault> {
    let hash: Vec<&Value> = vec![branch.hash];
    let equal: Vec<&Value> = branch.equal.into_iter().collect();
    let rows = |sort| -> Result<Range, Fault> {
        let keys = KeyRange {
            hash: hash.clone(),
            equal: equal.clone(),
            sort,
        };
        key_range(&keys, source.schema())?;
        let selection = source.query(&keys).ok_or(Message::KeyConditionType)?;
        Ok(selection.range)
    };
    let mut range = rows(None)?;
    for condition in &branch.ranges {
        range = range.and(rows(Some(*condition))?);
    }
    Ok(range)
}

/// Brings branches together that read the same rows. Only those that ask what a sort key is not may.
/// Source: `paritysuite/dynamodb-conformance`, partiql/whereOverlap.
fn grouped<'b, 'n>(
    source: &Source<'_>,
    branches: &'b [Branch<'n, 'n>],
) -> Result<Vec<Group<'b, 'n>>, Fault> {
    let mut groups: Vec<Group<'b, 'n>> = Vec::with_capacity(branches.len());
    for branch in branches.iter().filter(|branch| !branch.never) {
        let mut range = range_of(source, branch)?;
        if range.is_empty() {
            continue;
        }
        let mut members = vec![branch];
        let mut at = 0;
        while let Some(group) = groups.get(at) {
            if group.range.clone().and(range.clone()).is_empty() {
                at += 1;
                continue;
            }
            if !branch.open && !group.branches.iter().any(|known| known.open) {
                return Err(KeyFault::Overlap.into());
            }
            let group = groups.remove(at);
            range = range.cover(group.range);
            members.extend(group.branches);
            // The range has grown: look at all of them again.
            at = 0;
        }
        groups.push(Group {
            range,
            branches: members,
        });
    }
    Ok(groups)
}

/// A global index gives only what it holds. The names come in the order written.
fn check_columns(index: &Index, select: &Select<'_>) -> Result<(), Fault> {
    let mut names: Vec<&str> = Vec::new();
    for name in select.columns.attributes() {
        if !index.projects(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    if index.local || names.is_empty() {
        return Ok(());
    }
    Err(Message::GsiProjectionLacks {
        index: index.name.clone(),
        names: names.join(", "),
    }
    .into())
}

/// A keyed read of an index filters by what it holds; AWS looks at the branches in the order of their partition keys,
/// is content with one that does, and names the attributes of the last. Source: `floci-io/floci`, its tests of
/// PartiQL, captured from AWS.
fn check_filters(index: &Index, branches: &[Branch<'_, '_>]) -> Result<(), Fault> {
    let mut sorted: Vec<&Branch<'_, '_>> = branches.iter().collect();
    sorted.sort_by(|one, two| by_hash(one, two));
    let mut last = Vec::new();
    for branch in sorted {
        let mut names: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        for node in &branch.filters {
            let condition = Condition::from_tree((*node).clone());
            let condition = condition.map_err(bothways_core::partiql::Fault::from)?;
            condition.for_each_path(&mut |path| {
                let name = path.top();
                if !index.projects(name) && seen.insert(name.to_owned()) {
                    names.push(name.to_owned());
                }
            });
        }
        if names.is_empty() {
            return Ok(());
        }
        last = names;
    }
    if last.is_empty() {
        return Ok(());
    }
    as_java_lists(&mut last);
    Err(Message::StatementFilterLacks {
        index: index.name.clone(),
        names: last.join(", "),
    }
    .into())
}

/// Sorts names as AWS's answers list them: as a hash set of Java's does.
fn as_java_lists(names: &mut [String]) {
    // A set grows when it is three quarters full.
    let mut buckets = 16;
    while names.len() * 4 > buckets * 3 {
        buckets *= 2;
    }
    let mask = u32::try_from(buckets - 1).unwrap_or(u32::MAX);
    names.sort_by_key(|name| {
        let units = name.encode_utf16();
        let hash = units.fold(0u32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(u32::from(unit))
        });
        (hash ^ (hash >> 16)) & mask
    });
}
