//! **Question.** What does a call graph look like that is many times larger than a real one, and
//! otherwise like it?
//!
//! **Source.** A lift of the real program's component graph, as in the theory of random graphs:
//! of each procedure so many copies; the call from copy `i` of one goes to copy `i + s` of the
//! other, with a random `s` for each call edge.
//!
//! **Why right.** Every copy has the successors, targets and callers that the original has, so
//! all degrees are distributed as there. A small group of procedures that call each other keeps
//! its size, since `s` is 0 inside it: groups of that size become more. The largest group, whose
//! share of the program is what matters, grows with it.
//!
//! **Limits.** Where more components a procedure are wanted than the original has, a procedure
//! gets several bodies one after the other, each with its own random `s`: the degrees of
//! components stay, those of procedures grow by that factor. Where the wanted number is no
//! multiple of the original's, some procedures are left out first, evenly over the topological
//! order of their groups; what called one of them calls the next of its group or behind its group
//! instead, and groups lose members. Nothing runs at any time in the result.
//!
//! **Cost.** Linear in the result.

use crate::random::Random;
use knockon_graphs::{Components, Rows, components};
use knockon_impact::Procedure;
use knockon_impact::call_flow::{CallFlow, CallFlowBuilder, FlowNode, NodeRow, Way};
use knockon_impact::component_graph::{ComponentGraph, ComponentId, ComponentKind};

/// How often a procedure is repeated, and how often its body is.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub procedures: usize,
    pub components: usize,
}

/// The call graph of a component graph, and its groups of procedures that call each other.
pub fn recursive_groups(graph: &ComponentGraph) -> Components<Procedure> {
    let mut calls = Rows::with_capacity(graph.procedure_count(), graph.targets.item_count());
    for procedure in (0..graph.procedure_count()).map(Procedure::from) {
        let components = graph.components_of(procedure);
        calls
            .push_row(components.flat_map(|component| graph.targets.of(component).iter().copied()));
    }
    components(&calls)
}

/// A flow with about so many procedures and components.
pub fn enlarged(graph: &ComponentGraph, scale: Scale, seed: u64) -> CallFlow {
    let groups = recursive_groups(graph);
    let largest = (0..groups.count())
        .max_by_key(|group| groups.members.of(*group).len())
        .unwrap_or(0);
    let all = (0..graph.procedure_count())
        .filter(|number| graph.is_defined(Procedure::from(*number)))
        .count()
        .max(1);
    let copies = scale.procedures.div_ceil(all).max(1);
    let (kept, stands_for) = thinned(graph, &groups, largest, scale.procedures / copies);
    let procedures = copies * kept.len();
    let components: usize = kept
        .iter()
        .map(|procedure| {
            let components = graph.components_of(*procedure);
            components
                .filter(|component| graph.kinds[component.index()] == ComponentKind::Calls)
                .count()
        })
        .sum();
    let mut lift = Lift {
        graph,
        group_of: &groups.component_of,
        largest: largest as u32,
        copies,
        stands_for,
        bodies: scale.components as f64 / (copies * components.max(1)) as f64,
        builder: CallFlowBuilder::default(),
        random: Random::new(seed),
    };
    for procedure in &kept {
        lift.add_copies(*procedure);
    }
    lift.builder.finish(procedures, procedures, Vec::new())
}

/// So many of the procedures with a body, and for each procedure the place of the kept one that
/// stands for it.
fn thinned(
    graph: &ComponentGraph,
    groups: &Components<Procedure>,
    largest: usize,
    wanted: usize,
) -> (Vec<Procedure>, Vec<Option<usize>>) {
    let ordered: Vec<Procedure> = (0..groups.count())
        .flat_map(|group| groups.members.of(group).iter().copied())
        .filter(|procedure| graph.is_defined(*procedure))
        .collect();
    let wanted = wanted.clamp(1, ordered.len());
    let mut kept = Vec::with_capacity(wanted);
    let mut stands_for = vec![None; graph.procedure_count()];
    for (at, procedure) in ordered.iter().enumerate() {
        // Bresenham: the kept ones are spread evenly.
        if (at + 1) * wanted / ordered.len() > at * wanted / ordered.len() {
            stands_for[procedure.index()] = Some(kept.len());
            kept.push(*procedure);
        }
    }
    // From the back: the next kept one, inside the largest group its first.
    let in_largest =
        |procedure: &Procedure| groups.component_of[procedure.index()] as usize == largest;
    let first_of_largest = kept.iter().position(in_largest);
    let mut next = None;
    for procedure in ordered.iter().rev() {
        match stands_for[procedure.index()] {
            Some(place) => next = Some(place),
            None => {
                let outside = next.is_none_or(|place: usize| !in_largest(&kept[place]));
                stands_for[procedure.index()] = match in_largest(procedure) && outside {
                    true => first_of_largest,
                    false => next,
                };
            }
        }
    }
    (kept, stands_for)
}

struct Lift<'a> {
    graph: &'a ComponentGraph,
    group_of: &'a [u32],
    /// The group that grows.
    largest: u32,
    copies: usize,
    /// For each procedure the place among the kept ones of the one that stands for it.
    stands_for: Vec<Option<usize>>,
    /// How many bodies a procedure has on average.
    bodies: f64,
    builder: CallFlowBuilder,
    random: Random,
}

impl Lift<'_> {
    /// The copies of one procedure follow each other: copy `i` of the procedure numbered `n` is
    /// procedure `n * copies + i`.
    fn add_copies(&mut self, procedure: Procedure) {
        // Each further body has its own shifts.
        let most = self.bodies.ceil().max(1.0) as usize;
        let shifts: Vec<Vec<usize>> = (0..most).map(|_| self.shifts(procedure)).collect();
        for copy in 0..self.copies {
            self.builder.begin_procedure();
            let entry = self.builder.node(NodeRow::default());
            let end = self.builder.node(match self.may_return(procedure) {
                true => NodeRow::end(Way::Return),
                false => NodeRow::default(),
            });
            self.builder.edge(entry, end);
            let share = self.bodies - (most as f64 - 1.0);
            let last_too = self.random.below(1000) < (1000.0 * share) as usize;
            let bodies = if last_too { most } else { most - 1 }.max(1);
            let mut at = entry;
            for (body, shifts) in shifts.iter().enumerate().take(bodies) {
                let after = match body + 1 == bodies {
                    true => end,
                    false => self.builder.node(NodeRow::default()),
                };
                self.add_body(procedure, copy, shifts, at, after);
                at = after;
            }
        }
    }

    fn may_return(&self, procedure: Procedure) -> bool {
        let mut ends = self.graph.ends_of(procedure);
        ends.any(|(_, way)| way == Way::Return)
    }

    /// For each call edge of the procedure by how much the copy of the target differs.
    fn shifts(&mut self, procedure: Procedure) -> Vec<usize> {
        let own = self.group_of[procedure.index()];
        let mut shifts = Vec::new();
        for component in self.graph.components_of(procedure) {
            for target in self.graph.targets.of(component) {
                let in_small_group = own == self.group_of[target.index()] && own != self.largest;
                shifts.push(match in_small_group {
                    true => 0,
                    false => self.random.below(self.copies),
                });
            }
        }
        shifts
    }

    fn add_body(
        &mut self,
        procedure: Procedure,
        copy: usize,
        shifts: &[usize],
        before: FlowNode,
        after: FlowNode,
    ) {
        let graph = self.graph;
        let mut shifts = shifts.iter();
        let mut targets: Vec<Procedure> = Vec::new();
        let components: Vec<ComponentId> = graph.components_of(procedure).collect();
        let mut nodes: Vec<FlowNode> = Vec::with_capacity(components.len());
        let mut has_predecessor = vec![false; components.len()];
        let place = |component: &ComponentId| (component.0 - components[0].0) as usize;
        for component in &components {
            if matches!(graph.kinds[component.index()], ComponentKind::End(_)) {
                nodes.push(after);
                continue;
            }
            targets.clear();
            for (target, shift) in graph.targets.of(*component).iter().zip(&mut shifts) {
                if let Some(number) = self.stands_for[target.index()] {
                    let copy = (copy + shift) % self.copies;
                    targets.push(Procedure::from(number * self.copies + copy));
                }
            }
            nodes.push(self.builder.call(NodeRow::default(), &targets));
        }
        for component in &components {
            let node = nodes[place(component)];
            if node == after {
                continue;
            }
            if graph.loops.contains(component.index()) {
                self.builder.edge(node, node);
            }
            let successors = graph.successors.of(*component);
            for next in successors {
                has_predecessor[place(next)] = true;
                self.builder.edge(node, nodes[place(next)]);
            }
        }
        for (component, has_predecessor) in components.iter().zip(has_predecessor) {
            if !has_predecessor {
                self.builder.edge(before, nodes[place(component)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knockon_impact::component_graph::component_graph;

    /// Random procedures that call later ones; the first twenty call each other in a ring, and so
    /// do the last two.
    fn original() -> ComponentGraph {
        let count = 60;
        let mut random = Random::new(7);
        let mut builder = CallFlowBuilder::default();
        for number in 0..count {
            builder.begin_procedure();
            let mut at = builder.node(NodeRow::default());
            let end = builder.node(NodeRow::end(Way::Return));
            let mut targets: Vec<usize> = (0..random.below(4))
                .map(|_| number + 1 + random.below(count))
                .filter(|target| *target < count)
                .collect();
            match number {
                0..20 => targets.push((number + 1) % 20),
                58 | 59 => targets.push(117 - number),
                _ => {}
            }
            for target in targets {
                let call = builder.call(NodeRow::default(), &[Procedure::from(target)]);
                builder.edge(at, call);
                builder.edge(at, end);
                if random.chance(20) {
                    builder.edge(call, call);
                }
                at = call;
            }
            builder.edge(at, end);
        }
        component_graph(&builder.finish(count, count, Vec::new()))
    }

    fn group_sizes(graph: &ComponentGraph) -> Vec<usize> {
        let groups = recursive_groups(graph);
        let mut sizes: Vec<usize> = (0..groups.count())
            .map(|group| groups.members.of(group).len())
            .collect();
        sizes.sort_unstable();
        sizes
    }

    /// For each procedure how many components, call edges and callers it has, sorted.
    fn degrees(graph: &ComponentGraph) -> Vec<[usize; 3]> {
        let mut degrees = vec![[0; 3]; graph.procedure_count()];
        for procedure in (0..graph.procedure_count()).map(Procedure::from) {
            for component in graph.components_of(procedure) {
                let calls = graph.kinds[component.index()] == ComponentKind::Calls;
                degrees[procedure.index()][0] += usize::from(calls);
                degrees[procedure.index()][1] += graph.targets.of(component).len();
                for target in graph.targets.of(component) {
                    degrees[target.index()][2] += 1;
                }
            }
        }
        degrees.sort_unstable();
        degrees
    }

    #[test]
    fn a_lift_has_the_degrees_and_the_groups_of_the_original() {
        let original = original();
        let size = original.size();
        let times = 10;
        let scale = Scale {
            procedures: times * size.procedures,
            components: times * size.components,
        };
        let large = component_graph(&enlarged(&original, scale, 3));
        let repeated: Vec<[usize; 3]> = degrees(&original)
            .into_iter()
            .flat_map(|degrees| std::iter::repeat_n(degrees, times))
            .collect();
        assert_eq!(degrees(&large), repeated);
        let sizes = group_sizes(&large);
        assert_eq!(sizes.last(), Some(&(20 * times)));
        let pairs = sizes.iter().filter(|size| **size == 2).count();
        assert_eq!(pairs, times);
        assert_eq!(sizes.len(), 1 + times * (60 - 20 - 1));
    }

    #[test]
    fn any_number_of_procedures_and_components_is_met_closely() {
        let original = original();
        for (procedures, components) in [(30, 60), (100, 400), (1000, 16_000)] {
            let scale = Scale {
                procedures,
                components,
            };
            let size = component_graph(&enlarged(&original, scale, 3)).size();
            let near = |found: usize, wanted: usize| found.abs_diff(wanted) * 5 <= wanted;
            assert!(near(size.procedures, procedures), "{size:?}");
            assert!(near(size.components, components), "{size:?}");
        }
    }
}
