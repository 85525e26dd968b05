//! **Question.** Which procedures may be left, in which ways, and which nodes may be reached at
//! all?
//!
//! **Source.** [sea] takes every call to return. Functions that always end in `exit`, loops
//! without end and exceptions are everyday C and C++, and what follows such a call does not
//! execute after it; the rules are ours.
//!
//! **Rules.** The first node of each procedure is reached. A reached node is left in a way if it
//! goes on in that way by itself or a target may be left in it; then the nodes where control
//! continues are reached, and where it passes on, the procedure may be left in that way. A
//! procedure may be left where one of its reached nodes ends it.
//!
//! **Soundness.** The least solution: a node is reached exactly when a finite run leads to it. In
//! recursion without an end nothing returns, so nothing after it is reached.
//!
//! **Cost.** Linear: each node is reached once and left once in each way, and a procedure's
//! callers are looked at once for each way in which it may be left.

use crate::Procedure;
use crate::call_flow::{CallFlow, FlowNode, Way};
use fixedbitset::FixedBitSet;
use knockon_graphs::Rows;

#[derive(Clone, Debug)]
pub struct Leaving {
    reached: FixedBitSet,
    /// For each way the nodes that are left in it.
    left: [FixedBitSet; 3],
    /// For each way the procedures that may be left in it.
    procedures: [FixedBitSet; 3],
}

impl Leaving {
    pub fn is_reached(&self, node: FlowNode) -> bool {
        self.reached.contains(node.index())
    }

    /// The node is reached and control goes on from it in this way.
    pub fn may_go_on(&self, node: FlowNode, way: Way) -> bool {
        self.left[way.index()].contains(node.index())
    }

    pub fn may_leave(&self, procedure: Procedure, way: Way) -> bool {
        self.procedures[way.index()].contains(procedure.index())
    }
}

pub fn leaving(flow: &CallFlow) -> Leaving {
    let nodes = flow.nodes.len();
    let procedures = flow.procedure_count();
    let mut solver = Solver {
        flow,
        found: Leaving {
            reached: FixedBitSet::with_capacity(nodes),
            left: [(); 3].map(|()| FixedBitSet::with_capacity(nodes)),
            procedures: [(); 3].map(|()| FixedBitSet::with_capacity(procedures)),
        },
        to_visit: Vec::new(),
        newly_left: Vec::new(),
    };
    for procedure in (0..procedures).map(Procedure::from) {
        if let Some(entry) = flow.entry(procedure) {
            solver.reach(entry);
        }
    }
    solver.solve(&callers(flow));
    solver.found
}

/// For each procedure the nodes that may enter it.
fn callers(flow: &CallFlow) -> Rows<FlowNode> {
    let mut pairs = Vec::with_capacity(flow.targets.item_count());
    for node in (0..flow.nodes.len()).map(FlowNode::from) {
        pairs.extend(flow.targets.of(node).iter().map(|target| (*target, node)));
    }
    Rows::from_pairs(flow.procedure_count(), &pairs)
}

struct Solver<'a> {
    flow: &'a CallFlow,
    found: Leaving,
    to_visit: Vec<FlowNode>,
    newly_left: Vec<(Procedure, Way)>,
}

impl Solver<'_> {
    fn solve(&mut self, callers: &Rows<FlowNode>) {
        loop {
            if let Some(node) = self.to_visit.pop() {
                self.visit(node);
            } else if let Some((procedure, way)) = self.newly_left.pop() {
                for caller in callers.of(procedure) {
                    if self.found.is_reached(*caller) {
                        self.go_on(*caller, way);
                    }
                }
            } else {
                break;
            }
        }
    }

    fn reach(&mut self, node: FlowNode) {
        if !self.found.reached.put(node.index()) {
            self.to_visit.push(node);
        }
    }

    fn visit(&mut self, node: FlowNode) {
        let row = self.flow.nodes[node.index()];
        if let Some(way) = row.ends {
            self.leave(self.flow.procedure_of[node.index()], way);
            return;
        }
        for way in Way::ALL {
            let by_target = |target: &Procedure| self.found.may_leave(*target, way);
            if row.goes_on[way.index()] || self.flow.targets.of(node).iter().any(by_target) {
                self.go_on(node, way);
            }
        }
    }

    fn go_on(&mut self, node: FlowNode, way: Way) {
        if self.found.left[way.index()].put(node.index()) {
            return;
        }
        let flow = self.flow;
        for next in flow.continues(node, way) {
            self.reach(*next);
        }
        if flow.passes_on(node, way) {
            self.leave(flow.procedure_of[node.index()], way);
        }
    }

    fn leave(&mut self, procedure: Procedure, way: Way) {
        if !self.found.procedures[way.index()].put(procedure.index()) {
            self.newly_left.push((procedure, way));
        }
    }
}
