//! The meaning of readings: the law that holds them to their terms compares both.

use super::{Integers, Node, NodeId, UnknownId};

impl Integers<'_> {
    /// The value of a node, 0 or 1 for statements, given those of the unknowns; `None` where numbers get
    /// too large.
    pub fn value(&self, root: NodeId, unknown: &impl Fn(UnknownId) -> i128) -> Option<i128> {
        // Arguments have smaller numbers.
        let mut values: Vec<Option<i128>> = Vec::with_capacity(root.0 as usize + 1);
        for node in &self.nodes[..=root.0 as usize] {
            let of = |id: &NodeId| values[id.0 as usize];
            let both = |left, right| Some((of(left)?, of(right)?));
            values.push(match node {
                Node::Truth(value) => Some(i128::from(*value)),
                Node::Number(value) => Some(*value),
                Node::Unknown(id) => Some(unknown(*id)),
                Node::Not(inner) => of(inner).map(|value| 1 - value),
                Node::And(parts) => parts.iter().try_fold(1, |all, id| Some(all & of(id)?)),
                Node::Or(parts) => parts.iter().try_fold(0, |any, id| Some(any | of(id)?)),
                Node::Equal(left, right) => {
                    both(left, right).map(|(left, right)| i128::from(left == right))
                }
                Node::Less(left, right) => {
                    both(left, right).map(|(left, right)| i128::from(left < right))
                }
                Node::Choice(condition, left, right) => match of(condition) {
                    Some(0) => of(right),
                    Some(_) => of(left),
                    None => None,
                },
                Node::Sum { constant, parts } => {
                    parts.iter().try_fold(*constant, |sum, (factor, id)| {
                        sum.checked_add(factor.checked_mul(of(id)?)?)
                    })
                }
                Node::Divide(left, by) => of(left).map(|value| value.div_euclid(*by)),
                Node::Remainder(left, by) => of(left).map(|value| value.rem_euclid(*by)),
            });
        }
        values[root.0 as usize]
    }
}
