//! Question: which nodes lie on every path from a node to the end of the
//! function?
//!
//! Source: dominators of the reversed graph, rooted at a virtual exit. What
//! counts as an end is LLVM's choice (`PostDominatorTree`), so that our tree can
//! be held against `opt`: each block without successors, and for blocks that
//! reach none of these (infinite loops) one block chosen by a depth-first walk:
//! from the first such block in program order, later blocks first, the last one
//! numbered. A chosen end that reaches another end is dropped again.
//!
//! Why right: with an edge from every end to the virtual exit every node reaches
//! it, and dominance in the reversed graph is post-dominance by definition.
//! Blocks that the entry does not reach are part of the tree, as in LLVM.
//!
//! Cost: as [`crate::dominators`], and one walk more for each infinite loop.

use crate::{DominatorTree, NodeId, NodeSet, Rows, dominators};

/// A post-dominator tree; `None` in its answers is the virtual exit.
#[derive(Clone, Debug)]
pub struct PostDominators<N> {
    tree: DominatorTree<N>,
    /// The nodes with an edge to the virtual exit, in the order chosen.
    pub ends: Vec<N>,
    exit: N,
}

impl<N: NodeId> PostDominators<N> {
    /// `None` is the virtual exit.
    pub fn immediate_post_dominator(&self, node: N) -> Option<N> {
        self.tree
            .immediate_dominator(node)
            .filter(|above| *above != self.exit)
    }

    /// Every path from `before` to the virtual exit passes `after`; each node
    /// post-dominates itself.
    pub fn post_dominates(&self, after: N, before: N) -> bool {
        self.tree.dominates(after, before)
    }

    /// The nodes whose immediate post-dominator this is; `None` is the exit.
    pub fn children(&self, node: Option<N>) -> &[N] {
        self.tree.children(node.unwrap_or(self.exit))
    }

    /// 1 for a child of the virtual exit.
    pub fn depth(&self, node: N) -> u32 {
        self.tree.depth(node)
    }
}

/// `leaving` are nodes that may also end the function although they have
/// successors, such as calls that may not return.
pub fn post_dominators<N: NodeId>(
    successors: &Rows<N>,
    predecessors: &Rows<N>,
    leaving: &[N],
) -> PostDominators<N> {
    let ends = ends(successors, predecessors, leaving);
    rooted_at(successors, predecessors, ends)
}

/// The tree for a given set of ends, from which every node must be reachable
/// backwards.
pub(crate) fn rooted_at<N: NodeId>(
    successors: &Rows<N>,
    predecessors: &Rows<N>,
    ends: Vec<N>,
) -> PostDominators<N> {
    let count = successors.row_count();
    let exit = N::from(count);
    let edges = successors.item_count() + ends.len();
    let mut backward = Rows::with_capacity(count + 1, edges);
    let mut forward = Rows::with_capacity(count + 1, edges);
    let mut is_end = NodeSet::new(count);
    for end in &ends {
        is_end.insert(*end);
    }
    for node in successors.node_ids() {
        backward.push_row(predecessors.of(node).iter().copied());
        let leave = is_end.contains(node).then_some(exit);
        forward.push_row(successors.of(node).iter().copied().chain(leave));
    }
    backward.push_row(ends.iter().copied());
    forward.push_row([]);
    PostDominators {
        tree: dominators(&backward, &forward, exit),
        ends,
        exit,
    }
}

fn ends<N: NodeId>(successors: &Rows<N>, predecessors: &Rows<N>, leaving: &[N]) -> Vec<N> {
    let count = successors.row_count();
    let mut found = Backward {
        predecessors,
        visited: NodeSet::new(count),
        visited_count: 0,
    };
    let mut is_leaving = NodeSet::new(count);
    for node in leaving {
        is_leaving.insert(*node);
    }
    let mut ends = Vec::new();
    for node in successors.node_ids() {
        if successors.of(node).is_empty() || is_leaving.contains(node) {
            ends.push(node);
            found.visit_from(node);
        }
    }
    if found.visited_count == count {
        return ends;
    }
    let certain = ends.len();
    let mut walked = NodeSet::new(count);
    for node in successors.node_ids() {
        if !found.visited.contains(node) {
            walked.clear();
            let furthest = furthest(successors, node, &found.visited, &mut walked);
            ends.push(furthest);
            found.visit_from(furthest);
        }
    }
    // A later choice never reaches an earlier one (it would have been visited
    // from it), so one backward walk from the last to the first finds all
    // choices that reach another.
    let mut reaching = Backward {
        predecessors,
        visited: NodeSet::new(count),
        visited_count: 0,
    };
    let mut kept = Vec::new();
    for end in ends.drain(certain..).rev() {
        if !reaching.visited.contains(end) {
            kept.push(end);
        }
        reaching.visit_from(end);
    }
    ends.extend(kept.into_iter().rev());
    ends
}

struct Backward<'a, N> {
    predecessors: &'a Rows<N>,
    visited: NodeSet,
    visited_count: usize,
}

impl<N: NodeId> Backward<'_, N> {
    fn visit_from(&mut self, node: N) {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if self.visited.insert(node) {
                self.visited_count += 1;
                stack.extend(self.predecessors.of(node));
            }
        }
    }
}

/// The node that a depth-first walk numbers last when it always goes on to the
/// unvisited successor that is last in program order.
fn furthest<N: NodeId>(
    successors: &Rows<N>,
    start: N,
    closed: &NodeSet,
    walked: &mut NodeSet,
) -> N {
    let mut last = start;
    let mut stack = vec![start];
    while let Some(node) = stack.pop() {
        if closed.contains(node) || !walked.insert(node) {
            continue;
        }
        last = node;
        let from = stack.len();
        stack.extend(successors.of(node));
        stack[from..].sort_unstable();
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_graphs::{graph, random_graph, reachable_without};
    use knockon_program::BlockId;

    fn tree_of(graph: &Rows<BlockId>) -> PostDominators<BlockId> {
        post_dominators(graph, &graph.reversed(), &[])
    }

    /// `after` post-dominates `before` when no end is reached without it.
    fn oracle(graph: &Rows<BlockId>, ends: &[BlockId], after: BlockId, before: BlockId) -> bool {
        if after == before {
            return true;
        }
        let reached = reachable_without(graph, before, Some(after));
        !ends.iter().any(|end| reached[end.index()])
    }

    #[test]
    fn the_tree_agrees_with_the_definition_on_random_graphs() {
        for seed in 0..2000 {
            let graph = random_graph(seed);
            let tree = tree_of(&graph);
            for after in graph.node_ids() {
                for before in graph.node_ids() {
                    assert_eq!(
                        tree.post_dominates(after, before),
                        oracle(&graph, &tree.ends, after, before),
                        "seed {seed}: {after:?} {before:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_ends_are_enough_and_none_is_too_many() {
        for seed in 0..2000 {
            let graph = random_graph(seed);
            let ends = tree_of(&graph).ends;
            for node in graph.node_ids() {
                let reached = reachable_without(&graph, node, None);
                assert!(ends.iter().any(|end| reached[end.index()]), "seed {seed}");
            }
            for end in &ends {
                let reached = reachable_without(&graph, *end, None);
                let others = ends.iter().filter(|other| *other != end);
                assert!(
                    others.into_iter().all(|other| !reached[other.index()]),
                    "seed {seed}"
                );
            }
        }
    }

    #[test]
    fn an_infinite_loop_ends_at_the_block_its_walk_numbers_last() {
        // The walk from 1 goes to 3 before 2, so 2 is last.
        let tree = tree_of(&graph("0: 1; 1: 2 3; 2: 1; 3: 1"));
        assert_eq!(tree.ends, [BlockId(2)]);
        assert_eq!(tree.immediate_post_dominator(BlockId(1)), Some(BlockId(2)));
    }

    #[test]
    fn a_choice_that_reaches_another_end_is_dropped() {
        // From 0 the walk ends in 1; only then is the loop 2 found, which 1 reaches.
        for text in ["0: 1 2; 1: 1; 2: 2", "0: 1; 1: 0 2; 2: 2"] {
            let graph = graph(text);
            let ends = tree_of(&graph).ends;
            for end in &ends {
                let reached = reachable_without(&graph, *end, None);
                assert!(
                    ends.iter()
                        .all(|other| other == end || !reached[other.index()])
                );
            }
        }
    }

    #[test]
    fn a_leaving_node_is_not_post_dominated_by_what_follows() {
        let graph = graph("0: 1; 1: 2; 2:");
        let tree = post_dominators(&graph, &graph.reversed(), &[BlockId(1)]);
        assert!(!tree.post_dominates(BlockId(2), BlockId(0)));
        assert!(tree.post_dominates(BlockId(1), BlockId(0)));
    }
}
