//! From nodes of a call flow to the parts of a component graph: strongly connected components,
//! of which those without calls are dropped where that adds no edges.
//!
//! Parts are made against the topological order, so that the parts which a component leads to are
//! known when its turn comes.

use super::ComponentKind;
use crate::Procedure;
use crate::call_flow::{CallFlow, FlowNode, Way};
use crate::leaving::Leaving;
use knockon_graphs::{Components, Rows, components};
use rustc_hash::FxHashMap;

/// Where the local reduction of successors stops: it compares each with each.
const MOST_COMPARED: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartId(u32);

impl From<usize> for PartId {
    fn from(index: usize) -> PartId {
        PartId(index as u32)
    }
}

impl From<PartId> for usize {
    fn from(part: PartId) -> usize {
        part.0 as usize
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub procedure: Procedure,
    pub kind: ComponentKind,
    pub is_loop: bool,
    /// The strongly connected component whose calls it has.
    pub component: Option<u32>,
    /// Parts with a higher rank come later in the order of their procedure: calls and joints,
    /// then ends, then the joint that leads nowhere.
    pub rank: u8,
}

#[derive(Clone, Debug)]
pub struct Contracted {
    /// Among those of equal rank each part comes after the ones it leads to.
    pub parts: Vec<Part>,
    pub successors: Rows<PartId>,
    /// For each strongly connected component its nodes that call.
    pub call_nodes: Rows<FlowNode>,
    component_of: Vec<u32>,
    /// For each strongly connected component the part that stands for it.
    stands_for: Vec<Option<PartId>>,
    ends: FxHashMap<(Procedure, Way), PartId>,
}

/// The rank of the joint that leads nowhere.
pub const LAST_RANK: u8 = 2;

impl Contracted {
    /// The part that a node became; `None` if it is not reached.
    pub fn part_of(&self, node: FlowNode) -> Option<PartId> {
        self.stands_for[self.component_of[node.index()] as usize]
    }

    pub fn end_of(&self, procedure: Procedure, way: Way) -> Option<PartId> {
        self.ends.get(&(procedure, way)).copied()
    }
}

pub fn contract(flow: &CallFlow, leaving: &Leaving) -> Contracted {
    let edges = edges_that_are_taken(flow, leaving);
    let found = components(&edges);
    let mut call_nodes = Rows::with_capacity(found.count(), flow.nodes.len());
    for component in 0..found.count() {
        let members = found.members.of(component).iter().copied();
        call_nodes.push_row(
            members.filter(|node| leaving.is_reached(*node) && !flow.targets.of(*node).is_empty()),
        );
    }
    let mut contraction = Contraction {
        flow,
        leaving,
        parts: Vec::new(),
        edges: Vec::new(),
        successors_of: Vec::new(),
        ends: FxHashMap::default(),
        nowhere: vec![None; flow.procedure_count()],
        stands_for: vec![None; found.count()],
    };
    for component in (0..found.count()).rev() {
        let members = found.members.of(component);
        if leaving.is_reached(members[0]) {
            let calls = !call_nodes.of(component).is_empty();
            let part = contraction.part(component, &found, &edges, calls);
            contraction.stands_for[component] = Some(part);
        }
    }
    Contracted {
        successors: Rows::from_pairs(contraction.parts.len(), &contraction.edges),
        parts: contraction.parts,
        call_nodes,
        component_of: found.component_of,
        stands_for: contraction.stands_for,
        ends: contraction.ends,
    }
}

/// From each reached node where control may go on from it.
fn edges_that_are_taken(flow: &CallFlow, leaving: &Leaving) -> Rows<FlowNode> {
    let mut edges = Rows::with_capacity(flow.nodes.len(), flow.successors.item_count());
    for node in (0..flow.nodes.len()).map(FlowNode::from) {
        let taken = Way::ALL
            .into_iter()
            .filter(|way| leaving.may_go_on(node, *way));
        edges.push_row(taken.flat_map(|way| flow.continues(node, way).iter().copied()));
    }
    edges
}

struct Contraction<'a> {
    flow: &'a CallFlow,
    leaving: &'a Leaving,
    parts: Vec<Part>,
    edges: Vec<(PartId, PartId)>,
    /// For each part where its edges lie.
    successors_of: Vec<std::ops::Range<usize>>,
    ends: FxHashMap<(Procedure, Way), PartId>,
    /// For each procedure the joint that leads nowhere, where control may come to such a place.
    nowhere: Vec<Option<PartId>>,
    stands_for: Vec<Option<PartId>>,
}

impl Contraction<'_> {
    /// The part that stands for a component whose successors have theirs.
    fn part(
        &mut self,
        component: usize,
        found: &Components<FlowNode>,
        edges: &Rows<FlowNode>,
        calls: bool,
    ) -> PartId {
        let members = found.members.of(component);
        let procedure = self.flow.procedure_of[members[0].index()];
        if let [only] = members
            && let Some(way) = self.flow.nodes[only.index()].ends
        {
            return self.end(procedure, way);
        }
        let mut next: Vec<PartId> = Vec::new();
        for node in members {
            for target in edges.of(*node) {
                let other = found.component_of[target.index()] as usize;
                if other != component {
                    next.extend(self.stands_for[other]);
                }
            }
            for way in Way::ALL {
                if self.leaving.may_go_on(*node, way) && self.flow.passes_on(*node, way) {
                    next.push(self.end(procedure, way));
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        self.drop_successors_of_successors(&mut next);
        match (calls, next.as_slice()) {
            (false, []) => self.nowhere(procedure),
            (false, [only]) => *only,
            _ => {
                let kind = match calls {
                    true => ComponentKind::Calls,
                    false => ComponentKind::Joint,
                };
                let part = Part {
                    procedure,
                    kind,
                    is_loop: calls && found.is_cyclic(component as u32, edges),
                    component: calls.then_some(component as u32),
                    rank: 0,
                };
                self.add(part, &next)
            }
        }
    }

    /// A successor that another one leads to is reached through that one.
    fn drop_successors_of_successors(&self, next: &mut Vec<PartId>) {
        if next.len() < 2 || next.len() > MOST_COMPARED {
            return;
        }
        let through: Vec<PartId> = next
            .iter()
            .flat_map(|part| &self.edges[self.successors_of[usize::from(*part)].clone()])
            .map(|(_, to)| *to)
            .collect();
        next.retain(|part| !through.contains(part));
    }

    fn add(&mut self, part: Part, next: &[PartId]) -> PartId {
        let number = PartId::from(self.parts.len());
        let first = self.edges.len();
        self.parts.push(part);
        self.edges.extend(next.iter().map(|to| (number, *to)));
        self.successors_of.push(first..self.edges.len());
        number
    }

    fn end(&mut self, procedure: Procedure, way: Way) -> PartId {
        if let Some(end) = self.ends.get(&(procedure, way)) {
            return *end;
        }
        let end = self.add(bare(procedure, ComponentKind::End(way), 1), &[]);
        self.ends.insert((procedure, way), end);
        end
    }

    fn nowhere(&mut self, procedure: Procedure) -> PartId {
        if let Some(nowhere) = self.nowhere[procedure.index()] {
            return nowhere;
        }
        let nowhere = self.add(bare(procedure, ComponentKind::Joint, LAST_RANK), &[]);
        self.nowhere[procedure.index()] = Some(nowhere);
        nowhere
    }
}

fn bare(procedure: Procedure, kind: ComponentKind, rank: u8) -> Part {
    Part {
        procedure,
        kind,
        is_loop: false,
        component: None,
        rank,
    }
}
