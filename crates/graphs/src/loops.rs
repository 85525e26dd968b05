//! Question: which blocks repeat, under which header, and how do loops nest?
//!
//! Source: natural loops (Aho, Lam, Sethi, Ullman, *Compilers*, §9.6.6), as
//! LLVM's `LoopInfo` has them: a back edge goes to a block that dominates its
//! source; the loop is all that reaches a back edge without passing the header.
//! Headers are visited inner before outer, so a loop swallows the finished
//! inner loops whole.
//!
//! Why right: the header dominates its whole loop, so two loops with different
//! headers are nested or disjoint. Cycles with several entries have no header
//! and are no loops; they are listed as [`IrreducibleRegion`]s: what is still a
//! cycle once all back edges are gone.
//!
//! Cost: linear in blocks and edges, times the nesting depth in the worst case.

use crate::{Components, ControlFlow, DominatorTree, Rows, components};
use knockon_program::BlockId;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LoopId(pub u32);

impl From<LoopId> for usize {
    fn from(id: LoopId) -> usize {
        id.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    pub header: BlockId,
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

/// A cycle that can be entered at more than one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IrreducibleRegion {
    pub blocks: Vec<BlockId>,
    /// The blocks with a predecessor outside the region.
    pub entries: Vec<BlockId>,
}

/// Loops in reverse postorder of their headers, so parents come first.
#[derive(Clone, Debug)]
pub struct LoopForest {
    pub loops: Vec<Loop>,
    /// All blocks of each loop, inner loops included, header first, in reverse
    /// postorder.
    pub blocks: Rows<BlockId>,
    pub irreducible: Vec<IrreducibleRegion>,
    innermost: Vec<Option<LoopId>>,
}

impl LoopForest {
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block.index()]
    }

    pub fn get(&self, id: LoopId) -> Loop {
        self.loops[usize::from(id)]
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = LoopId> + use<> {
        (0..self.loops.len() as u32).map(LoopId)
    }

    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        let mut at = self.innermost(block);
        while let Some(inner) = at {
            if inner == id {
                return true;
            }
            at = self.get(inner).parent;
        }
        false
    }

    /// The sources of the loop's back edges.
    pub fn latches<'a>(
        &'a self,
        id: LoopId,
        flow: &'a ControlFlow,
    ) -> impl Iterator<Item = BlockId> + 'a {
        flow.predecessors
            .of(self.get(id).header)
            .iter()
            .copied()
            .filter(move |from| self.contains(id, *from))
    }

    /// The blocks of the loop with a successor outside.
    pub fn exiting<'a>(
        &'a self,
        id: LoopId,
        flow: &'a ControlFlow,
    ) -> impl Iterator<Item = BlockId> + 'a {
        self.blocks.of(id).iter().copied().filter(move |block| {
            flow.successors
                .of(*block)
                .iter()
                .any(|next| !self.contains(id, *next))
        })
    }
}

pub fn loops(flow: &ControlFlow, tree: &DominatorTree<BlockId>) -> LoopForest {
    let mut finder = Finder {
        flow,
        found: Vec::new(),
        innermost: vec![None; flow.block_count()],
    };
    // Headers are found in the preorder's reverse: a dominated header first.
    for header in tree.preorder().iter().rev() {
        let back: Vec<BlockId> = flow
            .predecessors
            .of(*header)
            .iter()
            .copied()
            .filter(|from| flow.is_reachable(*from) && tree.dominates(*header, *from))
            .collect();
        if !back.is_empty() {
            finder.collect(*header, back);
        }
    }
    finder.forest(tree)
}

/// Loops in the order found: `(header, parent)`.
struct Finder<'a> {
    flow: &'a ControlFlow,
    found: Vec<(BlockId, Option<usize>)>,
    innermost: Vec<Option<usize>>,
}

impl Finder<'_> {
    fn collect(&mut self, header: BlockId, mut work: Vec<BlockId>) {
        let this = self.found.len();
        self.found.push((header, None));
        while let Some(block) = work.pop() {
            let mut inner = match self.innermost[block.index()] {
                None => {
                    self.innermost[block.index()] = Some(this);
                    if block != header {
                        self.push_predecessors(block, &mut work);
                    }
                    continue;
                }
                Some(inner) => inner,
            };
            while let Some(outer) = self.found[inner].1 {
                inner = outer;
            }
            if inner != this {
                self.found[inner].1 = Some(this);
                self.push_predecessors(self.found[inner].0, &mut work);
            }
        }
    }

    fn push_predecessors(&self, block: BlockId, work: &mut Vec<BlockId>) {
        let before = self.flow.predecessors.of(block);
        work.extend(before.iter().filter(|from| self.flow.is_reachable(**from)));
    }

    fn forest(self, tree: &DominatorTree<BlockId>) -> LoopForest {
        let mut order: Vec<usize> = (0..self.found.len()).collect();
        order.sort_by_key(|at| self.flow.position(self.found[*at].0));
        let mut number = vec![LoopId(0); order.len()];
        for (new, old) in order.iter().enumerate() {
            number[*old] = LoopId(new as u32);
        }
        let mut loops: Vec<Loop> = Vec::with_capacity(order.len());
        for old in &order {
            let (header, parent) = self.found[*old];
            let parent = parent.map(|parent| number[parent]);
            let depth = parent.map_or(1, |parent| loops[usize::from(parent)].depth + 1);
            loops.push(Loop {
                header,
                parent,
                depth,
            });
        }
        let innermost: Vec<Option<LoopId>> = self
            .innermost
            .iter()
            .map(|inner| inner.map(|inner| number[inner]))
            .collect();
        let mut pairs = Vec::new();
        for block in &self.flow.reverse_postorder {
            let mut at = innermost[block.index()];
            while let Some(id) = at {
                pairs.push((id, *block));
                at = loops[usize::from(id)].parent;
            }
        }
        LoopForest {
            blocks: Rows::from_pairs(loops.len(), &pairs),
            irreducible: irreducible_regions(self.flow, tree),
            loops,
            innermost,
        }
    }
}

fn irreducible_regions(
    flow: &ControlFlow,
    tree: &DominatorTree<BlockId>,
) -> Vec<IrreducibleRegion> {
    let retreats_unnaturally = |from: BlockId, to: BlockId| {
        flow.position(to) <= flow.position(from) && !tree.dominates(to, from)
    };
    let mut reachable_edges = flow
        .reverse_postorder
        .iter()
        .flat_map(|from| flow.successors.of(*from).iter().map(|to| (*from, *to)));
    // In reverse postorder every cycle has an edge that does not go forward; if
    // all of these are back edges, the rest is acyclic.
    if !reachable_edges.any(|(from, to)| retreats_unnaturally(from, to)) {
        return Vec::new();
    }
    let mut forward = Rows::with_capacity(flow.block_count(), flow.successors.item_count());
    for from in flow.successors.node_ids() {
        let reachable = flow.is_reachable(from);
        let targets = flow.successors.of(from).iter().copied();
        forward.push_row(targets.filter(|to| reachable && !tree.dominates(*to, from)));
    }
    let found: Components<BlockId> = components(&forward);
    (0..found.count())
        .filter(|component| found.members.of(*component).len() > 1)
        .map(|component| {
            let blocks = found.members.of(component).to_vec();
            let entries = blocks
                .iter()
                .copied()
                .filter(|block| {
                    flow.predecessors.of(*block).iter().any(|from| {
                        flow.is_reachable(*from)
                            && found.component_of[from.index()] as usize != component
                    })
                })
                .collect();
            IrreducibleRegion { blocks, entries }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_graphs::{body_of, graph, random_graph, reachable_without};
    use crate::{control_flow, dominators};

    fn forest(graph: &Rows<BlockId>) -> (ControlFlow, DominatorTree<BlockId>, LoopForest) {
        let flow = control_flow(&body_of(graph));
        let tree = dominators(&flow.successors, &flow.predecessors, BlockId(0));
        let forest = loops(&flow, &tree);
        (flow, tree, forest)
    }

    /// The blocks of the natural loop at a header, by definition.
    fn oracle(flow: &ControlFlow, tree: &DominatorTree<BlockId>, header: BlockId) -> Vec<BlockId> {
        let latches: Vec<BlockId> = flow
            .predecessors
            .of(header)
            .iter()
            .copied()
            .filter(|from| tree.is_reachable(*from) && tree.dominates(header, *from))
            .collect();
        if latches.is_empty() {
            return Vec::new();
        }
        flow.successors
            .node_ids()
            .filter(|block| {
                let reached = reachable_without(&flow.successors, *block, Some(header));
                tree.is_reachable(*block)
                    && (*block == header || latches.iter().any(|latch| reached[latch.index()]))
            })
            .collect()
    }

    #[test]
    fn loops_agree_with_the_definition_on_random_graphs() {
        for seed in 0..2000 {
            let (flow, tree, forest) = forest(&random_graph(seed));
            for header in flow.successors.node_ids() {
                let expected = oracle(&flow, &tree, header);
                let found = forest.ids().find(|id| forest.get(*id).header == header);
                let mut ours = found.map_or(Vec::new(), |id| forest.blocks.of(id).to_vec());
                ours.sort();
                assert_eq!(ours, expected, "seed {seed}: {header:?}");
            }
        }
    }

    #[test]
    fn a_parent_is_the_smallest_loop_around() {
        for seed in 0..1000 {
            let (_, _, forest) = forest(&random_graph(seed));
            for id in forest.ids() {
                let around = forest
                    .ids()
                    .filter(|other| *other != id)
                    .filter(|other| forest.blocks.of(*other).contains(&forest.get(id).header))
                    .min_by_key(|other| forest.blocks.of(*other).len());
                assert_eq!(forest.get(id).parent, around, "seed {seed}");
            }
        }
    }

    #[test]
    fn a_cycle_is_a_loop_or_irreducible() {
        for seed in 0..2000 {
            let graph = random_graph(seed);
            let (flow, tree, forest) = forest(&graph);
            let cycles = components(&flow.successors);
            let has_cycle = flow.reverse_postorder.iter().any(|block| {
                cycles.is_cyclic(cycles.component_of[block.index()], &flow.successors)
            });
            assert_eq!(
                has_cycle,
                !forest.loops.is_empty() || !forest.irreducible.is_empty(),
                "seed {seed}"
            );
            for region in &forest.irreducible {
                assert!(region.entries.len() > 1, "seed {seed}");
                for entry in &region.entries {
                    let others = region.blocks.iter().filter(|block| *block != entry);
                    assert!(
                        others
                            .into_iter()
                            .any(|block| !tree.dominates(*entry, *block))
                    );
                }
            }
        }
    }

    #[test]
    fn a_jump_into_a_loop_makes_it_irreducible() {
        let (_, _, forest) = forest(&graph("0: 1 2; 1: 2; 2: 1 3; 3:"));
        assert!(forest.loops.is_empty());
        assert_eq!(
            forest.irreducible,
            [IrreducibleRegion {
                blocks: vec![BlockId(1), BlockId(2)],
                entries: vec![BlockId(1), BlockId(2)],
            }]
        );
    }

    #[test]
    fn latches_and_exits_are_found() {
        let (flow, _, forest) = forest(&graph("0: 1; 1: 2 4; 2: 3; 3: 1 2; 4:"));
        let outer = LoopId(0);
        assert_eq!(
            forest.latches(outer, &flow).collect::<Vec<_>>(),
            [BlockId(3)]
        );
        assert_eq!(
            forest.exiting(outer, &flow).collect::<Vec<_>>(),
            [BlockId(1)]
        );
        assert_eq!(forest.get(LoopId(1)).parent, Some(outer));
        assert_eq!(forest.get(LoopId(1)).depth, 2);
    }
}
