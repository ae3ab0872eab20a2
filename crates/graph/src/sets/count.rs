//! How large a set is, from counters alone.

use super::{Operand, SetOperation};
use crate::error::Result;
use crate::graph::Graph;
use crate::limits::{Limits, Spent};
use crate::receipt::Done;
use bothways_protocol::Context;

/// Bounds of a count that nobody has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// It is not less.
    pub least: u64,
    /// It is not more; `None` where a list has no counter.
    pub most: Option<u64>,
}

impl Graph {
    /// Bounds of a set's size, from the counters of its lists: no list is read. The number itself is known only when the
    /// set has been listed.
    ///
    /// # Errors
    /// As [`Graph::set_page`], but for cursors.
    pub async fn set_count(
        &self,
        cx: &Context,
        operation: SetOperation,
        operands: &[Operand],
    ) -> Result<Done<Estimate>> {
        self.may_combine(operands)?;
        let mut spent = Spent::new(&*self.env, cx, &Limits::default());
        let sizes = self.sizes(cx, operands, &mut spent).await?;
        let estimate = bounds(operation, operands, &sizes);
        Ok(Done::new(estimate, spent.receipts()))
    }
}

fn bounds(operation: SetOperation, operands: &[Operand], sizes: &[Option<u64>]) -> Estimate {
    let known = || sizes.iter().flatten().copied();
    let all = || sizes.iter().copied().collect::<Option<Vec<u64>>>();
    let (first, others) = (
        sizes.first().copied().flatten(),
        sizes.get(1..).unwrap_or(&[]),
    );
    // A list that is named twice is the same list.
    let same = operands.iter().all(|o| Some(o) == operands.first());
    match operation {
        SetOperation::Intersect | SetOperation::Union if same => Estimate {
            least: first.unwrap_or(0),
            most: first,
        },
        SetOperation::Intersect => Estimate {
            least: 0,
            most: known().min(),
        },
        SetOperation::Union => Estimate {
            least: known().max().unwrap_or(0),
            most: all().map(|sizes| sizes.iter().sum()),
        },
        SetOperation::Difference => {
            let taken: Option<u64> = others.iter().copied().sum();
            let least = first.zip(taken).map(|(a, b)| a.saturating_sub(b));
            Estimate {
                least: least.unwrap_or(0),
                most: first,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Direction;

    #[test]
    fn bounds_hold_what_counters_can_tell() {
        let list = |id: &str| Operand::new("follows", Direction::Out, id);
        let (a, b) = (list("a"), list("b"));
        for (operation, operands, sizes, least, most) in [
            (
                SetOperation::Intersect,
                [&a, &b],
                [Some(7), Some(3)],
                0,
                Some(3),
            ),
            (
                SetOperation::Intersect,
                [&a, &b],
                [None, Some(3)],
                0,
                Some(3),
            ),
            (
                SetOperation::Intersect,
                [&a, &a],
                [Some(7), Some(7)],
                7,
                Some(7),
            ),
            (
                SetOperation::Union,
                [&a, &b],
                [Some(7), Some(3)],
                7,
                Some(10),
            ),
            (SetOperation::Union, [&a, &b], [Some(7), None], 7, None),
            (
                SetOperation::Difference,
                [&a, &b],
                [Some(7), Some(3)],
                4,
                Some(7),
            ),
            (
                SetOperation::Difference,
                [&a, &b],
                [Some(3), Some(7)],
                0,
                Some(3),
            ),
            (SetOperation::Difference, [&a, &b], [None, Some(7)], 0, None),
        ] {
            let operands = operands.map(Clone::clone);
            assert_eq!(
                bounds(operation, &operands, &sizes),
                Estimate { least, most },
                "{operation:?} {sizes:?}"
            );
        }
    }
}
