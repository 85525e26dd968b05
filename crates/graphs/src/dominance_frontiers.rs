//! Question: where does a node's dominance end, and so where do values that it
//! defines meet others?
//!
//! Source: Cytron et al. (1991), §4; computed after Cooper, Harvey, Kennedy, *A
//! Simple, Fast Dominance Algorithm*, Figure 5.
//!
//! Why right: a node is in the frontier of all that dominate one of its
//! predecessors, up to but without its own immediate dominator.
//!
//! Cost: linear in the frontiers' size; the iterated frontier is linear in the
//! frontiers of the nodes it passes.

use crate::{DominatorTree, NodeId, NodeSet, Rows};

/// For each node the nodes where its dominance ends: those it does not strictly
/// dominate but a predecessor of which it dominates.
pub fn dominance_frontiers<N: NodeId>(tree: &DominatorTree<N>, predecessors: &Rows<N>) -> Rows<N> {
    let count = predecessors.row_count();
    let mut last_added = vec![u32::MAX; count];
    let mut pairs: Vec<(usize, N)> = Vec::new();
    for join in predecessors.node_ids() {
        if !tree.is_reachable(join) {
            continue;
        }
        let number: usize = join.into();
        let above = tree.immediate_dominator(join);
        for from in predecessors.of(join) {
            if !tree.is_reachable(*from) {
                continue;
            }
            let mut runner = Some(*from);
            // Where the join was added already, it was added all the way up.
            while runner != above
                && let Some(node) = runner
                && last_added[node.into()] != number as u32
            {
                last_added[node.into()] = number as u32;
                pairs.push((node.into(), join));
                runner = tree.immediate_dominator(node);
            }
        }
    }
    Rows::from_pairs(count, &pairs)
}

/// The frontiers of the definitions, of their frontiers, and so on, only through
/// nodes that pass `is_live`; in the order found. `found` is scratch space.
pub fn iterated_frontier<N: NodeId>(
    frontiers: &Rows<N>,
    definitions: &[N],
    is_live: impl Fn(N) -> bool,
    found: &mut NodeSet,
) -> Vec<N> {
    found.clear();
    let mut joins = Vec::new();
    let mut work = definitions.to_vec();
    while let Some(node) = work.pop() {
        for join in frontiers.of(node) {
            if is_live(*join) && found.insert(*join) {
                joins.push(*join);
                work.push(*join);
            }
        }
    }
    joins
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dominators;
    use crate::dominators::tests::oracle;
    use crate::random_graphs::random_graph;
    use knockon_program::BlockId;

    fn dominator_tree(graph: &Rows<BlockId>) -> DominatorTree<BlockId> {
        dominators(graph, &graph.reversed(), BlockId(0))
    }

    #[test]
    fn frontiers_agree_with_their_definition_on_random_graphs() {
        for seed in 0..1500 {
            let graph = random_graph(seed);
            let predecessors = graph.reversed();
            let tree = dominator_tree(&graph);
            let frontiers = dominance_frontiers(&tree, &predecessors);
            let dominates = oracle(&graph);
            for node in graph.node_ids() {
                let mut ours = frontiers.of(node).to_vec();
                ours.sort();
                let expected: Vec<BlockId> = graph
                    .node_ids()
                    .filter(|join| {
                        let strictly = node != *join && dominates[node.index()][join.index()];
                        !strictly
                            && predecessors
                                .of(*join)
                                .iter()
                                .any(|from| dominates[node.index()][from.index()])
                    })
                    .collect();
                assert_eq!(ours, expected, "seed {seed}: {node:?}");
            }
        }
    }

    #[test]
    fn the_iterated_frontier_is_the_least_closed_set() {
        for seed in 0..500 {
            let graph = random_graph(seed);
            let tree = dominator_tree(&graph);
            let frontiers = dominance_frontiers(&tree, &graph.reversed());
            let definitions: Vec<BlockId> = graph.node_ids().step_by(3).collect();
            let mut found = NodeSet::new(graph.row_count());
            let mut ours = iterated_frontier(&frontiers, &definitions, |_| true, &mut found);
            ours.sort();
            let mut closed: Vec<BlockId> = Vec::new();
            loop {
                let mut next: Vec<BlockId> = definitions
                    .iter()
                    .chain(&closed)
                    .flat_map(|node| frontiers.of(*node).iter().copied())
                    .collect();
                next.sort();
                next.dedup();
                if next == closed {
                    break;
                }
                closed = next;
            }
            assert_eq!(ours, closed, "seed {seed}");
        }
    }
}
