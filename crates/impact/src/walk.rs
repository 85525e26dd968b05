//! Walks that remember where each node was met from. Calls and returns are followed breadth
//! first and steps inside a procedure at once: examples have as few calls and returns as can be,
//! and memory is read in about the order in which it lies.

use crate::order_graph::{OrderGraph, OrderNode};
use fixedbitset::FixedBitSet;

/// What to do with an edge.
pub enum StepKind {
    /// Not part of this walk.
    Leave,
    /// Inside one procedure.
    Inside,
    CallOrReturn,
}

pub struct Walk {
    /// Small enough to stay in a processor's cache, unlike `met_from`.
    met: FixedBitSet,
    /// Means something for nodes that were met.
    met_from: Vec<u32>,
    walked: FixedBitSet,
    starts: FixedBitSet,
    /// The nodes walked from, in that order.
    pub order: Vec<OrderNode>,
}

impl Walk {
    pub fn new(graph: &OrderGraph) -> Walk {
        let count = graph.edges.row_count();
        Walk {
            met: FixedBitSet::with_capacity(count),
            met_from: vec![0; count],
            walked: FixedBitSet::with_capacity(count),
            starts: FixedBitSet::with_capacity(count),
            order: Vec::new(),
        }
    }

    /// A start is walked from, and is met only if an edge leads back to it.
    pub fn start(&mut self, node: OrderNode) {
        self.starts.insert(node.index());
        self.walk_from(node);
    }

    fn walk_from(&mut self, node: OrderNode) -> bool {
        let new = !self.walked.put(node.index());
        if new {
            self.order.push(node);
        }
        new
    }

    /// Whether the node is to be walked from now.
    pub fn meet(&mut self, from: OrderNode, node: OrderNode) -> bool {
        if self.met.put(node.index()) {
            return false;
        }
        self.met_from[node.index()] = from.0;
        self.walk_from(node)
    }

    /// Follows the edges that `step` says to follow.
    pub fn run(
        &mut self,
        graph: &OrderGraph,
        mut step: impl FnMut(OrderNode, OrderNode) -> StepKind,
    ) {
        let mut later: Vec<OrderNode> = Vec::new();
        let mut now: Vec<OrderNode> = self.order.iter().rev().copied().collect();
        while !now.is_empty() {
            while let Some(node) = now.pop() {
                for other in graph.edges.of(node) {
                    let next = match step(node, *other) {
                        StepKind::Leave => continue,
                        StepKind::Inside => &mut now,
                        StepKind::CallOrReturn => &mut later,
                    };
                    if self.meet(node, *other) {
                        next.push(*other);
                    }
                }
            }
            later.reverse();
            std::mem::swap(&mut now, &mut later);
        }
    }

    pub fn is_met(&self, node: OrderNode) -> bool {
        self.met.contains(node.index())
    }

    /// The nodes on the way to a node that was met, which comes first, back to a start, or to the
    /// node that the walk was told ([`Walk::meet`]) where it did not come from a start.
    pub fn way_back(&self, node: OrderNode) -> Vec<OrderNode> {
        let mut way = vec![node];
        let mut at = node;
        loop {
            if !self.is_met(at) {
                return way;
            }
            at = OrderNode(self.met_from[at.index()]);
            way.push(at);
            // A start that was met itself: the way into it is not part of the example.
            if self.starts.contains(at.index()) {
                return way;
            }
        }
    }
}
