//! **Question.** In which order may each procedure call which others?
//!
//! **Source.** [sea] §3.1: the component control-flow graph of each procedure (CCFG), joined by
//! call edges to the interprocedural one (ICCFG).
//!
//! **Notation.** A *component* is a strongly connected part of a procedure's [`CallFlow`] that
//! holds calls. Besides them a procedure has one component for each way in which it may be left
//! (*ends*), and *joints*. Components of one procedure are contiguous and in topological order.
//! *Arriving* at a component means that all its calls are still to come; a procedure that was
//! called from it and is left *resumes* at what comes after that call: a successor, or the
//! component itself when it is a loop.
//!
//! **Rules.** A part without calls is dropped, and its predecessors get its successors, if it has
//! only one; a successor of a successor counts as that one.
//!
//! **Departures.** Parts without calls that have several successors stay, as joints: inserting an
//! edge from each predecessor to each successor, as printed, is quadratic. What no run reaches is
//! left out, and a call does not resume where its callee cannot be left ([`crate::leaving`]).
//!
//! **Soundness.** Dropping a part keeps what can be reached from the rest; the tests hold this
//! against runs of the flow itself.
//!
//! **Cost.** Linear in nodes, edges and targets.

use crate::Procedure;
use crate::call_flow::{CallFlow, FlowNode, Way};
use crate::leaving::{Leaving, leaving};
use fixedbitset::FixedBitSet;
use knockon_graphs::Rows;
use knockon_memory::call_graph::CallSiteId;

mod contraction;

use contraction::{Contracted, Part, contract};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComponentId(pub u32);

impl ComponentId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for ComponentId {
    fn from(index: usize) -> ComponentId {
        ComponentId(index as u32)
    }
}

impl From<ComponentId> for usize {
    fn from(component: ComponentId) -> usize {
        component.index()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentKind {
    /// Components a to d of [sea] §3.1.
    Calls,
    Joint,
    End(Way),
}

#[derive(Clone, Debug)]
pub struct ComponentGraph {
    /// For each procedure its first component; one more at the end.
    pub first_component: Vec<u32>,
    pub kinds: Vec<ComponentKind>,
    /// Inside the procedure; every edge goes to a larger number.
    pub successors: Rows<ComponentId>,
    /// The procedures that the calls of a component may enter, ascending, each once.
    pub targets: Rows<Procedure>,
    /// The call sites of a component, in instruction order.
    pub sites: Rows<CallSiteId>,
    /// Components whose calls may follow themselves: `c` and `d` of [sea] §3.1.
    pub loops: FixedBitSet,
    /// For each way and each procedure the components where control goes on when the procedure
    /// was left in that way: after each of its calls. An end stands for a caller that is left
    /// at once.
    pub resumes: [Rows<ComponentId>; 3],
    /// May execute at any time, between any two steps of the others: what is entered so and all
    /// that it calls.
    pub anytime: FixedBitSet,
    /// The procedures below this number are functions, the others are pseudo procedures.
    pub function_count: usize,
    /// Pseudo procedures from this number on only choose one of several targets.
    pub first_choice: usize,
    procedure_of: Vec<Procedure>,
}

/// The sizes that [sea] Table 5 gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComponentGraphSize {
    /// Functions with a body and pseudo procedures.
    pub procedures: usize,
    /// Components with calls.
    pub components: usize,
    pub joints: usize,
    /// Between the components of one procedure, joints included and ends left out.
    pub flow_edges: usize,
    /// From a component to the entry of a procedure.
    pub call_edges: usize,
}

impl ComponentGraph {
    pub fn procedure_count(&self) -> usize {
        self.first_component.len() - 1
    }

    pub fn components_of(
        &self,
        procedure: Procedure,
    ) -> impl DoubleEndedIterator<Item = ComponentId> + use<> {
        let first = self.first_component[procedure.index()];
        (first..self.first_component[procedure.index() + 1]).map(ComponentId)
    }

    pub fn procedure_of(&self, component: ComponentId) -> Procedure {
        self.procedure_of[component.index()]
    }

    /// The procedure has a body.
    pub fn is_defined(&self, procedure: Procedure) -> bool {
        self.components_of(procedure).next().is_some()
    }

    /// The functions with a body.
    pub fn functions(&self) -> impl Iterator<Item = Procedure> + '_ {
        (0..self.function_count)
            .map(Procedure::from)
            .filter(|procedure| self.is_defined(*procedure))
    }

    /// The components that lead to no other of the procedure: its ends, and where it cannot go on.
    /// Every component of the procedure leads to one of them.
    pub fn sinks_of(&self, procedure: Procedure) -> impl Iterator<Item = ComponentId> + '_ {
        self.components_of(procedure)
            .filter(|component| self.successors.of(*component).is_empty())
    }

    /// The components with which the procedure is left, one for each way in which it may be.
    pub fn ends_of(&self, procedure: Procedure) -> impl Iterator<Item = (ComponentId, Way)> + '_ {
        // Behind the calls and joints stand at most three ends and one joint more.
        let most = Way::ALL.len() + 1;
        self.components_of(procedure)
            .rev()
            .take(most)
            .filter_map(|component| match self.kinds[component.index()] {
                ComponentKind::End(way) => Some((component, way)),
                _ => None,
            })
    }

    pub fn size(&self) -> ComponentGraphSize {
        let mut size = ComponentGraphSize {
            call_edges: self.targets.item_count(),
            ..ComponentGraphSize::default()
        };
        for procedure in (0..self.procedure_count()).map(Procedure::from) {
            size.procedures += usize::from(self.is_defined(procedure));
        }
        let is_end = |component: &ComponentId| {
            matches!(self.kinds[component.index()], ComponentKind::End(_))
        };
        for component in (0..self.kinds.len()).map(ComponentId::from) {
            match self.kinds[component.index()] {
                ComponentKind::Calls => size.components += 1,
                ComponentKind::Joint => size.joints += 1,
                ComponentKind::End(_) => continue,
            }
            let successors = self.successors.of(component).iter();
            size.flow_edges += successors.filter(|next| !is_end(next)).count();
        }
        size
    }
}

pub fn component_graph(flow: &CallFlow) -> ComponentGraph {
    let leaving = leaving(flow);
    let contracted = contract(flow, &leaving);
    let parts = &contracted.parts;

    // Parts are numbered against the topological order inside each rank.
    let procedures = flow.procedure_count();
    let mut first_component = vec![0u32; procedures + 1];
    for part in parts {
        first_component[part.procedure.index() + 1] += 1;
    }
    for procedure in 0..procedures {
        first_component[procedure + 1] += first_component[procedure];
    }
    let mut next = first_component.clone();
    let mut number_of = vec![ComponentId(0); parts.len()];
    let mut order: Vec<u32> = vec![0; parts.len()];
    for rank in 0..=contraction::LAST_RANK {
        for (index, part) in parts.iter().enumerate().rev() {
            if part.rank == rank {
                let number = &mut next[part.procedure.index()];
                number_of[index] = ComponentId(*number);
                order[*number as usize] = index as u32;
                *number += 1;
            }
        }
    }

    let ordered = || {
        order
            .iter()
            .map(|index| (*index as usize, &parts[*index as usize]))
    };
    let mut successors = Rows::with_capacity(parts.len(), contracted.successors.item_count());
    let mut targets = Rows::with_capacity(parts.len(), flow.targets.item_count());
    let mut sites = Rows::with_capacity(parts.len(), parts.len());
    let mut loops = FixedBitSet::with_capacity(parts.len());
    for (number, (index, part)) in ordered().enumerate() {
        let row = contracted.successors.of(index).iter();
        successors.push_row(row.map(|next| number_of[usize::from(*next)]));
        let calls = contracted.calls(part);
        let mut entered: Vec<Procedure> = Vec::new();
        for node in calls {
            entered.extend(flow.targets.of(*node));
        }
        entered.sort_unstable();
        entered.dedup();
        targets.push_row(entered);
        let mut at: Vec<CallSiteId> = calls
            .iter()
            .filter_map(|node| flow.nodes[node.index()].site)
            .collect();
        at.sort_unstable();
        at.dedup();
        sites.push_row(at);
        loops.set(number, part.is_loop);
    }
    let mut graph = ComponentGraph {
        procedure_of: ordered().map(|(_, part)| part.procedure).collect(),
        kinds: ordered().map(|(_, part)| part.kind).collect(),
        resumes: Way::ALL.map(|way| resumes(flow, &leaving, &contracted, &number_of, way)),
        first_component,
        successors,
        targets,
        sites,
        loops,
        anytime: FixedBitSet::with_capacity(procedures),
        function_count: flow.function_count,
        first_choice: flow.first_choice,
    };
    graph.anytime = called_from(&graph, &flow.anytime);
    graph
}

/// The given procedures and all that they call.
fn called_from(graph: &ComponentGraph, starts: &[Procedure]) -> FixedBitSet {
    let mut called = FixedBitSet::with_capacity(graph.procedure_count());
    let mut work = starts.to_vec();
    while let Some(procedure) = work.pop() {
        if !called.put(procedure.index()) {
            for component in graph.components_of(procedure) {
                work.extend(graph.targets.of(component));
            }
        }
    }
    called
}

/// Where control goes on after each procedure was left in this way.
fn resumes(
    flow: &CallFlow,
    leaving: &Leaving,
    contracted: &Contracted,
    number_of: &[ComponentId],
    way: Way,
) -> Rows<ComponentId> {
    let mut pairs: Vec<(Procedure, ComponentId)> = Vec::new();
    let mut at: Vec<ComponentId> = Vec::new();
    for node in (0..flow.nodes.len()).map(FlowNode::from) {
        let targets = flow.targets.of(node);
        if targets.is_empty() || !leaving.may_go_on(node, way) {
            continue;
        }
        let own = contracted.part_of(node);
        at.clear();
        for next in flow.continues(node, way) {
            let part = contracted.part_of(*next);
            at.extend(part.map(|part| number_of[usize::from(part)]));
            if part == own {
                // The loop reaches whatever else follows.
                at.drain(..at.len() - 1);
                break;
            }
        }
        if flow.passes_on(node, way) {
            let procedure = flow.procedure_of[node.index()];
            let end = contracted.end_of(procedure, way);
            at.extend(end.map(|end| number_of[usize::from(end)]));
        }
        for target in targets {
            if leaving.may_leave(*target, way) {
                pairs.extend(at.iter().map(|component| (*target, *component)));
            }
        }
    }
    let all = Rows::from_pairs(flow.procedure_count(), &pairs);
    let mut once = Rows::with_capacity(flow.procedure_count(), pairs.len());
    for procedure in 0..flow.procedure_count() {
        let mut row = all.of(procedure).to_vec();
        row.sort_unstable();
        row.dedup();
        once.push_row(row);
    }
    once
}

impl Contracted {
    fn calls(&self, part: &Part) -> &[FlowNode] {
        match part.component {
            Some(component) => self.call_nodes.of(component as usize),
            None => &[],
        }
    }
}

#[cfg(test)]
mod tests;
