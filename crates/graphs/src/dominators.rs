//! Question: which nodes lie on every path from the root to a node?
//!
//! Source: semi-NCA, Georgiadis, *Linear-Time Algorithms for Dominators and
//! Related Problems* (2005), pp. 21–23.
//!
//! Why right: the semidominator of a node is the highest ancestor in the
//! depth-first tree from which a path avoids the nodes between; the immediate
//! dominator is the nearest common ancestor of the semidominator and the tree
//! parent. The oracle states the definition: `a` dominates `b` when `b` is out
//! of reach without `a`.
//!
//! Cost: O(e log n) for semidominators with path compression; the common
//! ancestor step is quadratic in the worst case and linear on the graphs that
//! programs have. Deep graphs cost no stack. The iterative algorithm of Cooper,
//! Harvey, Kennedy needs a pass for each level of irreducible nesting and walks
//! the whole depth for each join, which hurts on interpreters' thousand-case
//! switches.

use crate::{NodeId, Rows};

const NONE: u32 = u32::MAX;

/// A dominator tree; nodes that the root does not reach are not in it.
#[derive(Clone, Debug)]
pub struct DominatorTree<N> {
    immediate: Vec<u32>,
    children: Rows<N>,
    preorder: Vec<N>,
    /// A node's place in the preorder, and one past the last of its subtree's.
    enter: Vec<u32>,
    exit: Vec<u32>,
    depth: Vec<u32>,
}

impl<N: NodeId> DominatorTree<N> {
    /// `None` for the root and for unreachable nodes.
    pub fn immediate_dominator(&self, node: N) -> Option<N> {
        let immediate = self.immediate[node.into()];
        (immediate != NONE).then(|| N::from(immediate as usize))
    }

    pub fn is_reachable(&self, node: N) -> bool {
        self.enter[node.into()] != NONE
    }

    /// Every path from the root to `below` passes `above`. Each node dominates
    /// itself; an unreachable node dominates no other and is dominated by all.
    pub fn dominates(&self, above: N, below: N) -> bool {
        if above == below || !self.is_reachable(below) {
            return true;
        }
        if !self.is_reachable(above) {
            return false;
        }
        let (above, below) = (above.into(), below.into());
        self.enter[above] <= self.enter[below] && self.enter[below] < self.exit[above]
    }

    pub fn strictly_dominates(&self, above: N, below: N) -> bool {
        above != below && self.dominates(above, below)
    }

    pub fn children(&self, node: N) -> &[N] {
        self.children.of(node)
    }

    /// The reachable nodes, parents before children, subtrees contiguous.
    pub fn preorder(&self) -> &[N] {
        &self.preorder
    }

    /// The number of strict dominators; 0 for the root and unreachable nodes.
    pub fn depth(&self, node: N) -> u32 {
        self.depth[node.into()]
    }
}

pub fn dominators<N: NodeId>(
    successors: &Rows<N>,
    predecessors: &Rows<N>,
    root: N,
) -> DominatorTree<N> {
    let walk = DepthFirst::new(successors, root);
    let by_number = immediate_dominators(&walk, predecessors);
    let count = successors.row_count();
    let mut immediate = vec![NONE; count];
    for number in 1..walk.order.len() {
        let above: usize = walk.order[by_number[number] as usize].into();
        immediate[walk.order[number].into()] = above as u32;
    }
    tree(immediate, root)
}

/// Nodes numbered in depth-first order; `parent` holds numbers.
struct DepthFirst<N> {
    order: Vec<N>,
    number: Vec<u32>,
    parent: Vec<u32>,
}

impl<N: NodeId> DepthFirst<N> {
    fn new(successors: &Rows<N>, root: N) -> DepthFirst<N> {
        let mut walk = DepthFirst {
            order: Vec::with_capacity(successors.row_count()),
            number: vec![NONE; successors.row_count()],
            parent: Vec::with_capacity(successors.row_count()),
        };
        let mut stack = vec![(root, 0)];
        while let Some((node, parent)) = stack.pop() {
            let number = &mut walk.number[node.into()];
            if *number != NONE {
                continue;
            }
            *number = walk.order.len() as u32;
            let here = *number;
            walk.order.push(node);
            walk.parent.push(parent);
            stack.extend(successors.of(node).iter().map(|next| (*next, here)));
        }
        walk
    }
}

fn immediate_dominators<N: NodeId>(walk: &DepthFirst<N>, predecessors: &Rows<N>) -> Vec<u32> {
    let count = walk.order.len();
    let mut semi: Vec<u32> = (0..count as u32).collect();
    let mut label = semi.clone();
    let mut ancestor = walk.parent.clone();
    let mut path = Vec::new();
    for number in (1..count).rev() {
        let mut least = walk.parent[number];
        for from in predecessors.of(walk.order[number]) {
            let from = walk.number[(*from).into()];
            if from != NONE {
                let linked = number as u32 + 1;
                let best =
                    smallest_label(from, linked, &mut ancestor, &mut label, &semi, &mut path);
                least = least.min(semi[best as usize]);
            }
        }
        semi[number] = least;
    }
    let mut immediate = walk.parent.clone();
    for number in 1..count {
        let mut above = immediate[number];
        while above > semi[number] {
            above = immediate[above as usize];
        }
        immediate[number] = above;
    }
    immediate
}

/// The node of smallest semidominator on the linked path above `node`, with the
/// path compressed. Nodes with numbers from `linked` on are linked.
fn smallest_label(
    node: u32,
    linked: u32,
    ancestor: &mut [u32],
    label: &mut [u32],
    semi: &[u32],
    path: &mut Vec<u32>,
) -> u32 {
    if node < linked {
        return node;
    }
    let mut top = node;
    while ancestor[top as usize] >= linked {
        path.push(top);
        top = ancestor[top as usize];
    }
    while let Some(below) = path.pop() {
        let above = ancestor[below as usize] as usize;
        if semi[label[above] as usize] < semi[label[below as usize] as usize] {
            label[below as usize] = label[above];
        }
        ancestor[below as usize] = ancestor[above];
    }
    label[node as usize]
}

fn tree<N: NodeId>(immediate: Vec<u32>, root: N) -> DominatorTree<N> {
    let count = immediate.len();
    let pairs: Vec<(usize, N)> = immediate
        .iter()
        .enumerate()
        .filter(|(_, above)| **above != NONE)
        .map(|(node, above)| (*above as usize, N::from(node)))
        .collect();
    let children = Rows::from_pairs(count, &pairs);
    let mut preorder = Vec::with_capacity(pairs.len() + 1);
    let mut enter = vec![NONE; count];
    let mut exit = vec![NONE; count];
    let mut depth = vec![0; count];
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        let at: usize = node.into();
        enter[at] = preorder.len() as u32;
        preorder.push(node);
        if immediate[at] != NONE {
            depth[at] = depth[immediate[at] as usize] + 1;
        }
        stack.extend(children.of(node).iter().rev());
    }
    for node in preorder.iter().rev() {
        let at: usize = (*node).into();
        exit[at] = match children.of(*node).last() {
            Some(last) => exit[(*last).into()],
            None => enter[at] + 1,
        };
    }
    DominatorTree {
        immediate,
        children,
        preorder,
        enter,
        exit,
        depth,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::random_graphs::{graph, random_graph, reachable_without};
    use knockon_program::BlockId;

    /// `dominates[a][b]` by definition.
    pub(crate) fn oracle(graph: &Rows<BlockId>) -> Vec<Vec<bool>> {
        let all = reachable_without(graph, BlockId(0), None);
        graph
            .node_ids()
            .map(|above| {
                let rest = reachable_without(graph, BlockId(0), Some(above));
                (0..all.len())
                    .map(|below| all[below] && all[above.index()] && !rest[below])
                    .collect()
            })
            .collect()
    }

    fn dominator_tree(graph: &Rows<BlockId>) -> DominatorTree<BlockId> {
        dominators(graph, &graph.reversed(), BlockId(0))
    }

    #[test]
    fn the_tree_agrees_with_the_definition_on_random_graphs() {
        for seed in 0..3000 {
            let graph = random_graph(seed);
            let tree = dominator_tree(&graph);
            let expected = oracle(&graph);
            for above in graph.node_ids() {
                for below in graph.node_ids().filter(|below| tree.is_reachable(*below)) {
                    assert_eq!(
                        tree.dominates(above, below),
                        expected[above.index()][below.index()],
                        "seed {seed}: {above:?} {below:?}"
                    );
                }
                assert_eq!(
                    tree.depth(above) as usize,
                    expected
                        .iter()
                        .filter(|row| row[above.index()])
                        .count()
                        .saturating_sub(1),
                    "seed {seed}"
                );
            }
        }
    }

    #[test]
    fn an_unreachable_block_is_not_in_the_tree() {
        let tree = dominator_tree(&graph("0: 2; 1: 2; 2:"));
        assert!(!tree.is_reachable(BlockId(1)));
        assert_eq!(tree.immediate_dominator(BlockId(2)), Some(BlockId(0)));
        assert!(!tree.dominates(BlockId(1), BlockId(2)));
        assert!(tree.dominates(BlockId(2), BlockId(1)));
    }

    #[test]
    fn a_chain_of_a_million_blocks_needs_no_stack() {
        let count = 1_000_000;
        let mut graph = Rows::with_capacity(count, count);
        for node in 1..count {
            graph.push_row([BlockId::from_index(node)]);
        }
        graph.push_row([]);
        let tree = dominator_tree(&graph);
        assert_eq!(
            tree.depth(BlockId::from_index(count - 1)) as usize,
            count - 1
        );
    }
}
