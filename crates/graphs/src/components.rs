//! Question: which nodes of a graph reach each other?
//!
//! Source: Tarjan, *Depth-First Search and Linear Graph Algorithms* (1972), with
//! an explicit stack.
//!
//! Why right: a component is closed when the walk leaves the node that was
//! entered first; all components that it reaches are closed by then. So
//! components come out in reverse topological order, and numbering them from the
//! back gives an order in which every edge goes to an equal or larger number.
//!
//! Cost: linear, no recursion.

use crate::{NodeId, Rows};

/// Strongly connected components, numbered in topological order.
#[derive(Clone, Debug)]
pub struct Components<N> {
    /// The component of each node.
    pub component_of: Vec<u32>,
    /// The nodes of each component, ascending.
    pub members: Rows<N>,
}

impl<N: NodeId> Components<N> {
    pub fn count(&self) -> usize {
        self.members.row_count()
    }

    /// The component holds a cycle: several nodes, or one with an edge to itself.
    pub fn is_cyclic(&self, component: u32, graph: &Rows<N>) -> bool {
        match self.members.of(component as usize) {
            [only] => graph.of(*only).contains(only),
            _ => true,
        }
    }

    /// The graph of components, each edge once, without edges to itself: every
    /// edge goes from a smaller to a larger number.
    pub fn condensation(&self, graph: &Rows<N>) -> Rows<usize> {
        let mut condensed = Rows::with_capacity(self.count(), self.count());
        let mut last_seen = vec![u32::MAX; self.count()];
        for component in 0..self.count() {
            last_seen[component] = component as u32;
            let mut targets = Vec::new();
            for node in self.members.of(component) {
                for target in graph.of(*node) {
                    let target = self.component_of[(*target).into()] as usize;
                    if last_seen[target] != component as u32 {
                        last_seen[target] = component as u32;
                        targets.push(target);
                    }
                }
            }
            condensed.push_row(targets);
        }
        condensed
    }
}

pub fn components<N: NodeId>(graph: &Rows<N>) -> Components<N> {
    const UNVISITED: u32 = u32::MAX;
    let count = graph.row_count();
    let mut order = vec![UNVISITED; count];
    let mut low = vec![0u32; count];
    let mut closed_in = vec![UNVISITED; count];
    let mut open: Vec<usize> = Vec::new();
    let mut walk: Vec<(usize, usize)> = Vec::new();
    let mut next_order = 0u32;
    let mut closed = 0u32;
    for start in 0..count {
        if order[start] != UNVISITED {
            continue;
        }
        walk.push((start, 0));
        while let Some((node, next)) = walk.last_mut() {
            let node = *node;
            if *next == 0 && order[node] == UNVISITED {
                order[node] = next_order;
                low[node] = next_order;
                next_order += 1;
                open.push(node);
            }
            if let Some(target) = graph.of(node).get(*next) {
                *next += 1;
                let target: usize = (*target).into();
                if order[target] == UNVISITED {
                    walk.push((target, 0));
                } else if closed_in[target] == UNVISITED {
                    low[node] = low[node].min(order[target]);
                }
                continue;
            }
            walk.pop();
            if let Some((parent, _)) = walk.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    closed_in[member] = closed;
                    if member == node {
                        break;
                    }
                }
                closed += 1;
            }
        }
    }
    for component in &mut closed_in {
        *component = closed - 1 - *component;
    }
    let pairs: Vec<(usize, N)> = closed_in
        .iter()
        .enumerate()
        .map(|(node, component)| (*component as usize, N::from(node)))
        .collect();
    Components {
        members: Rows::from_pairs(closed as usize, &pairs),
        component_of: closed_in,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_graphs::{random_graph, reachable_without};
    use knockon_program::BlockId;

    #[test]
    fn nodes_share_a_component_exactly_when_they_reach_each_other() {
        for seed in 0..1000 {
            let graph = random_graph(seed);
            let found = components(&graph);
            let reach: Vec<Vec<bool>> = graph
                .node_ids()
                .map(|node| reachable_without(&graph, node, None))
                .collect();
            for left in 0..graph.row_count() {
                for right in 0..graph.row_count() {
                    assert_eq!(
                        found.component_of[left] == found.component_of[right],
                        reach[left][right] && reach[right][left],
                        "seed {seed}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_edge_of_the_condensation_goes_up_and_is_an_edge_of_the_graph() {
        for seed in 0..500 {
            let graph = random_graph(seed);
            let found = components(&graph);
            let condensed = found.condensation(&graph);
            let mut edges = 0;
            for from in 0..found.count() {
                for to in condensed.of(from) {
                    assert!(from < *to, "seed {seed}");
                    edges += 1;
                }
            }
            let mut expected: Vec<(u32, u32)> = graph
                .node_ids()
                .flat_map(|from| graph.of(from).iter().map(move |to| (from, *to)))
                .map(|(from, to)| {
                    (
                        found.component_of[from.index()],
                        found.component_of[to.index()],
                    )
                })
                .filter(|(from, to)| from != to)
                .collect();
            expected.sort();
            expected.dedup();
            assert_eq!(edges, expected.len(), "seed {seed}");
        }
    }

    #[test]
    fn a_cycle_of_a_million_nodes_is_one_component() {
        let count = 1_000_000;
        let mut graph = Rows::with_capacity(count, count);
        for node in 0..count {
            graph.push_row([BlockId::from_index((node + 1) % count)]);
        }
        let found = components(&graph);
        assert_eq!(found.count(), 1);
        assert!(found.is_cyclic(0, &graph));
    }
}
