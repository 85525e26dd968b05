//! Question: between which blocks of a body can control pass?
//!
//! Source: the terminators' block operands. Blocks are numbered as in the body,
//! so block 0 is the entry.
//!
//! Why right: a terminator names every block it can jump to. Edges are listed
//! once however often a `switch` names the target, in the order of first
//! mention; [`knockon_program::Body::successors`] keeps the repetitions, which
//! phi instructions count.
//!
//! Cost: linear in blocks and terminator operands.

use crate::{NodeId, NodeSet, Rows};
use knockon_program::{BlockId, Body};

#[derive(Clone, Debug)]
pub struct ControlFlow {
    /// In the order of first mention.
    pub successors: Rows<BlockId>,
    /// In ascending order.
    pub predecessors: Rows<BlockId>,
    /// The blocks that the entry reaches: each before its successors, back
    /// edges apart.
    pub reverse_postorder: Vec<BlockId>,
    position: Vec<u32>,
}

const UNREACHABLE: u32 = u32::MAX;

impl ControlFlow {
    pub fn block_count(&self) -> usize {
        self.successors.row_count()
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.position[block.index()] != UNREACHABLE
    }

    /// The block's place in [`ControlFlow::reverse_postorder`].
    pub fn position(&self, block: BlockId) -> Option<usize> {
        let position = self.position[block.index()];
        (position != UNREACHABLE).then_some(position as usize)
    }
}

pub fn control_flow(body: &Body) -> ControlFlow {
    let mut successors = Rows::with_capacity(body.blocks.len(), 2 * body.blocks.len());
    let mut seen = NodeSet::new(body.blocks.len());
    for block in body.block_ids() {
        seen.clear();
        successors.push_row(body.successors(block).filter(|next| seen.insert(*next)));
    }
    let predecessors = successors.reversed();
    let reverse_postorder = match body.blocks.len() {
        0 => Vec::new(),
        _ => reverse_postorder(&successors, BlockId(0)),
    };
    let mut position = vec![UNREACHABLE; body.blocks.len()];
    for (at, block) in reverse_postorder.iter().enumerate() {
        position[block.index()] = at as u32;
    }
    ControlFlow {
        successors,
        predecessors,
        reverse_postorder,
        position,
    }
}

/// The nodes that the root reaches, in reverse postorder of a depth-first walk.
pub fn reverse_postorder<N: NodeId>(graph: &Rows<N>, root: N) -> Vec<N> {
    let mut visited = NodeSet::new(graph.row_count());
    let mut postorder = Vec::with_capacity(graph.row_count());
    let mut stack = vec![(root, 0usize)];
    visited.insert(root);
    while let Some((node, next)) = stack.last_mut() {
        match graph.of(*node).get(*next) {
            Some(&child) => {
                *next += 1;
                if visited.insert(child) {
                    stack.push((child, 0));
                }
            }
            None => {
                postorder.push(*node);
                stack.pop();
            }
        }
    }
    postorder.reverse();
    postorder
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_graphs::{body_of, graph, random_graph, reachable_without};

    #[test]
    fn a_switch_that_names_a_block_twice_is_one_edge() {
        let flow = control_flow(&body_of(&graph("0: 1 2 1; 1: 2; 2:")));
        assert_eq!(flow.successors.of(BlockId(0)), [BlockId(1), BlockId(2)]);
        assert_eq!(flow.predecessors.of(BlockId(2)), [BlockId(0), BlockId(1)]);
    }

    #[test]
    fn a_block_without_predecessors_is_unreachable() {
        let flow = control_flow(&body_of(&graph("0: 2; 1: 2; 2:")));
        assert!(!flow.is_reachable(BlockId(1)));
        assert_eq!(flow.position(BlockId(2)), Some(1));
        assert_eq!(flow.reverse_postorder, [BlockId(0), BlockId(2)]);
    }

    #[test]
    fn reverse_postorder_lists_exactly_the_reachable_nodes() {
        for seed in 0..500 {
            let graph = random_graph(seed);
            let order = reverse_postorder(&graph, BlockId(0));
            let reachable = reachable_without(&graph, BlockId(0), None);
            let mut listed = order.clone();
            listed.sort();
            let expected: Vec<BlockId> = graph
                .node_ids()
                .filter(|node| reachable[node.index()])
                .collect();
            assert_eq!(listed, expected, "seed {seed}");
        }
    }

    #[test]
    fn in_an_acyclic_graph_reverse_postorder_is_topological() {
        for seed in 0..300 {
            let random = random_graph(seed);
            let forward: Vec<(BlockId, BlockId)> = random
                .node_ids()
                .flat_map(|from| random.of(from).iter().map(move |to| (from, *to)))
                .filter(|(from, to)| from < to)
                .collect();
            let graph = Rows::from_pairs(random.row_count(), &forward);
            let order = reverse_postorder(&graph, BlockId(0));
            let place = |node: BlockId| order.iter().position(|other| *other == node);
            for (from, to) in forward {
                if let (Some(from), Some(to)) = (place(from), place(to)) {
                    assert!(from < to, "seed {seed}");
                }
            }
        }
    }
}
