//! Question: which branch outcomes decide whether an instruction runs?
//!
//! Source: Ferrante, Ottenstein, Warren, *The Program Dependence Graph and Its
//! Use in Optimization* (1987), §3.1.1, over the segmented flow, so that a call
//! that may not return counts as a branch with one edge that goes on.
//!
//! Rules: a segment `n` depends on edge `i` of a branch `b` when `n`
//! post-dominates the edge's target but does not strictly post-dominate `b`.
//! For each edge these are the nodes from the target up the post-dominator tree
//! to the immediate post-dominator of `b`, which is left out. The entry counts as an
//! edge, too: what post-dominates it runs at once, whatever else lets it run again.
//!
//! Departures: blocks from which no end can be reached (loops without exit) have
//! no post-dominators by definition. Every branch among them counts as a
//! possible end, which makes all that follows in such a region depend on it:
//! nothing is said to run regardless because of an exit that was picked
//! arbitrarily. Branches that the entry does not reach never run and control
//! nothing. As in the source, a loop that may or may not end does not control
//! what follows it: equal termination is an assumption of the verdicts.
//!
//! Cost: linear in the size of the result, which is at most edges times depth.

use crate::post_dominators::rooted_at;
use crate::{NodeSet, PostDominators, Rows, SegmentId, SegmentedFlow};
use knockon_program::{BlockId, InstructionId};

/// One outcome of a deciding instruction: it goes on to the successor of this
/// number, counted as in [`crate::ControlFlow::successors`]; for a call that may
/// not return, 0 is returning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ControllingEdge {
    pub branch: InstructionId,
    pub successor: u32,
}

#[derive(Clone, Debug)]
pub struct ControlDependence {
    /// For each segment the edges that control it, ascending.
    controlling: Rows<ControllingEdge>,
    /// For each segment the (successor, segment) pairs that its last
    /// instruction controls, ascending.
    controlled: Rows<(u32, SegmentId)>,
    runs_on_entry: NodeSet,
}

impl ControlDependence {
    pub fn controlling(&self, segment: SegmentId) -> &[ControllingEdge] {
        self.controlling.of(segment)
    }

    /// The segment runs whenever the body is entered: once more than its edges say.
    pub fn runs_on_entry(&self, segment: SegmentId) -> bool {
        self.runs_on_entry.contains(segment)
    }

    /// What the last instruction of a segment controls, by outcome.
    pub fn controlled(&self, segment: SegmentId) -> &[(u32, SegmentId)] {
        self.controlled.of(segment)
    }

    /// The edges that decide whether control passes from one block to another,
    /// as a phi instruction of the second needs them.
    pub fn controlling_edge(
        &self,
        flow: &SegmentedFlow,
        from: BlockId,
        to: BlockId,
    ) -> Vec<ControllingEdge> {
        let last = flow.last_of(from);
        let mut edges = self.controlling(last).to_vec();
        let targets = flow.successors.of(last);
        let target = flow.first_of(to);
        if targets.len() > 1
            && let Some(successor) = targets.iter().position(|other| *other == target)
        {
            edges.push(ControllingEdge {
                branch: flow.segment(last).last(),
                successor: successor as u32,
            });
        }
        edges
    }
}

pub fn control_dependence(flow: &SegmentedFlow) -> ControlDependence {
    let count = flow.segments.len();
    let mut reachable = NodeSet::new(count);
    let mut leaving = NodeSet::new(count);
    for segment in &flow.leaving {
        leaving.insert(*segment);
    }
    let mut stack: Vec<SegmentId> = (0..count.min(1)).map(SegmentId::from).collect();
    while let Some(segment) = stack.pop() {
        if reachable.insert(segment) {
            stack.extend(flow.successors.of(segment));
        }
    }
    let tree = rooted_at(&flow.successors, &flow.predecessors, ends(flow, &leaving));
    let mut pairs: Vec<(SegmentId, ControllingEdge)> = Vec::new();
    let mut inverse: Vec<(SegmentId, (u32, SegmentId))> = Vec::new();
    for branch in flow.successors.node_ids() {
        let targets = flow.successors.of(branch);
        let decides = targets.len() > 1 || (leaving.contains(branch) && !targets.is_empty());
        if !decides || !reachable.contains(branch) {
            continue;
        }
        for (successor, target) in targets.iter().enumerate() {
            let edge = ControllingEdge {
                branch: flow.segment(branch).last(),
                successor: successor as u32,
            };
            for segment in dependents(&tree, branch, *target) {
                pairs.push((segment, edge));
                inverse.push((branch, (edge.successor, segment)));
            }
        }
    }
    let mut runs_on_entry = NodeSet::new(count);
    let entry = (count > 0).then_some(SegmentId(0));
    for segment in std::iter::successors(entry, |one| tree.immediate_post_dominator(*one)) {
        runs_on_entry.insert(segment);
    }
    inverse.sort_unstable();
    ControlDependence {
        controlling: Rows::from_pairs(count, &pairs),
        controlled: Rows::from_pairs(count, &inverse),
        runs_on_entry,
    }
}

fn dependents(
    tree: &PostDominators<SegmentId>,
    branch: SegmentId,
    target: SegmentId,
) -> impl Iterator<Item = SegmentId> + '_ {
    let stop = tree.immediate_post_dominator(branch);
    std::iter::successors(Some(target), |segment| {
        tree.immediate_post_dominator(*segment)
    })
    .take_while(move |segment| Some(*segment) != stop)
}

/// The real ends, and in regions that reach none of them every branch; a region
/// without any branch is one cycle, where the choice does not matter.
fn ends(flow: &SegmentedFlow, leaving: &NodeSet) -> Vec<SegmentId> {
    let count = flow.segments.len();
    let mut ends: Vec<SegmentId> = flow
        .successors
        .node_ids()
        .filter(|segment| flow.successors.of(*segment).is_empty() || leaving.contains(*segment))
        .collect();
    let mut closed = NodeSet::new(count);
    let visit = |from: &[SegmentId], closed: &mut NodeSet| {
        let mut stack = from.to_vec();
        while let Some(segment) = stack.pop() {
            if closed.insert(segment) {
                stack.extend(flow.predecessors.of(segment));
            }
        }
    };
    visit(&ends, &mut closed);
    let endless: Vec<SegmentId> = flow
        .successors
        .node_ids()
        .filter(|segment| !closed.contains(*segment))
        .collect();
    for segment in &endless {
        if flow.successors.of(*segment).len() > 1 {
            ends.push(*segment);
        }
    }
    closed.clear();
    visit(&ends, &mut closed);
    for segment in endless {
        if !closed.contains(segment) {
            ends.push(segment);
            visit(&[segment], &mut closed);
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_graphs::{body_of, graph, random_graph, reachable_without};
    use crate::{control_flow, segmented_flow};
    use knockon_program::Body;

    fn dependence_of(body: &Body) -> (SegmentedFlow, ControlDependence) {
        let flow = segmented_flow(body, &control_flow(body), |_| false);
        let dependence = control_dependence(&flow);
        (flow, dependence)
    }

    fn blocks_controlled_by(text: &str, branch: u32) -> Vec<(u32, u32)> {
        let (_, dependence) = dependence_of(&body_of(&graph(text)));
        let controlled = dependence.controlled(SegmentId(branch)).iter();
        controlled
            .map(|(edge, segment)| (*edge, segment.0))
            .collect()
    }

    #[test]
    fn both_arms_depend_on_the_branch_and_the_join_does_not() {
        assert_eq!(
            blocks_controlled_by("0: 1 2; 1: 3; 2: 3; 3:", 0),
            [(0, 1), (1, 2)]
        );
    }

    #[test]
    fn what_stands_before_the_test_of_a_loop_runs_on_entry() {
        let before = dependence_of(&body_of(&graph("0: 1; 1: 2; 2: 1 3; 3:"))).1;
        let after = dependence_of(&body_of(&graph("0: 2; 1: 2; 2: 1 3; 3:"))).1;
        assert_eq!(
            before.controlling(SegmentId(1)),
            after.controlling(SegmentId(1))
        );
        assert!(before.runs_on_entry(SegmentId(1)));
        assert!(!after.runs_on_entry(SegmentId(1)));
    }

    #[test]
    fn a_loop_body_and_its_own_test_depend_on_the_test() {
        assert_eq!(
            blocks_controlled_by("0: 1; 1: 2 3; 2: 1; 3:", 1),
            [(0, 1), (0, 2)]
        );
    }

    #[test]
    fn a_switch_target_named_twice_is_one_outcome() {
        assert_eq!(blocks_controlled_by("0: 1 2 1; 1: 2; 2:", 0), [(0, 1)]);
    }

    #[test]
    fn in_an_endless_loop_each_arm_depends_on_its_branch() {
        // Whichever block were picked as the end, it must not seem unconditional.
        let controlled = blocks_controlled_by("0: 1; 1: 2 3; 2: 4; 3: 4; 4: 1", 1);
        assert!(controlled.contains(&(0, 2)) && controlled.contains(&(1, 3)));
    }

    #[test]
    fn an_unreachable_branch_controls_nothing() {
        assert_eq!(blocks_controlled_by("0: 3; 1: 2 3; 2: 3; 3:", 1), []);
    }

    /// By definition, on graphs where every block reaches an end.
    #[test]
    fn dependence_agrees_with_the_definition_on_random_graphs() {
        let mut compared = 0;
        for seed in 0..3000 {
            let graph = random_graph(seed);
            let ends: Vec<BlockId> = graph
                .node_ids()
                .filter(|node| graph.of(*node).is_empty())
                .collect();
            let post_dominates = |after: BlockId, before: BlockId| {
                let reached = reachable_without(&graph, before, Some(after));
                after == before || !ends.iter().any(|end| reached[end.index()])
            };
            let every_block_ends = graph.node_ids().all(|node| {
                let reached = reachable_without(&graph, node, None);
                ends.iter().any(|end| reached[end.index()])
            });
            if !every_block_ends {
                continue;
            }
            compared += 1;
            let body = body_of(&graph);
            let flow = control_flow(&body);
            let (segmented, dependence) = dependence_of(&body);
            for node in graph.node_ids() {
                let mut expected = Vec::new();
                for branch in flow.reverse_postorder.iter().copied() {
                    let targets = flow.successors.of(branch);
                    for (successor, target) in targets.iter().enumerate() {
                        let strictly = node != branch && post_dominates(node, branch);
                        if post_dominates(node, *target) && !strictly && targets.len() > 1 {
                            expected.push(ControllingEdge {
                                branch: body.terminator(branch),
                                successor: successor as u32,
                            });
                        }
                    }
                }
                expected.sort();
                let ours = dependence.controlling(segmented.first_of(node));
                assert_eq!(ours, expected, "seed {seed}: {node:?}");
            }
        }
        assert!(compared > 300, "only {compared} graphs");
    }

    /// If the runs of a block can differ, some branch that controls it differs:
    /// two walks that agree on all outcomes of the branches that (transitively)
    /// control a block visit it equally often, as far as both go.
    #[test]
    fn walks_that_agree_on_controlling_branches_agree_on_a_block() {
        use crate::random_graphs::Random;
        for seed in 0..1500 {
            let graph = random_graph(seed);
            let body = body_of(&graph);
            let flow = control_flow(&body);
            let (segmented, dependence) = dependence_of(&body);
            let mut random = Random::new(seed);
            let watched = BlockId::from_index(random.below(graph.row_count()));
            let mut relevant = vec![false; graph.row_count()];
            let mut work = vec![segmented.first_of(watched)];
            while let Some(segment) = work.pop() {
                for edge in dependence.controlling(segment) {
                    let by = segmented.segment_of(edge.branch);
                    if !relevant[usize::from(by)] {
                        relevant[usize::from(by)] = true;
                        work.push(by);
                    }
                }
            }
            let shared: Vec<usize> = (0..2000).map(|_| random.below(64)).collect();
            let mut walk = || {
                let mut taken = vec![0usize; graph.row_count()];
                let mut at = BlockId(0);
                let mut visits = 0;
                for _ in 0..400 {
                    visits += usize::from(at == watched);
                    let targets = flow.successors.of(at);
                    let outcome = if relevant[at.index()] {
                        let turn = taken[at.index()];
                        taken[at.index()] += 1;
                        shared[(at.index() * 131 + turn) % shared.len()]
                    } else {
                        random.below(64)
                    };
                    match targets.len() {
                        0 => return (visits, true),
                        count => at = targets[outcome % count],
                    }
                }
                (visits, false)
            };
            let (first, second) = (walk(), walk());
            if first.1 && second.1 {
                assert_eq!(first.0, second.0, "seed {seed}");
            }
        }
    }
}
