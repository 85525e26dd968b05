//! **Question.** What may directly come after what, in one graph for the whole program?
//!
//! **Source.** Ours: the two traversals of [sea] Fig. 4 as one reachability problem, so that one
//! procedure is a walk and all procedures are one transitive closure.
//!
//! **Notation.** A node is a component *that control arrives at after a return* (up), or an entry
//! (down): the procedure is called, and all that it calls may follow.
//!
//! **Rules.** Edges go
//! - from an end of f to where control resumes after each call of f (RET),
//! - from a component to its successors, and to the entries of what it calls (SEQ),
//! - from the entry of f to the entries of all that f calls (CALL).
//!
//! From an entry no edge leads back up: what is called returns to the component that called it,
//! and what follows there is already a successor. So every path goes up, then down, and each is a
//! run of the program; and every run from an event of f to one of g is, with the calls that were
//! entered and left on the way taken out, such a path.
//!
//! **Cost.** Linear in components, flow edges and call edges.

use crate::Procedure;
use crate::component_graph::{ComponentGraph, ComponentId};
use fixedbitset::FixedBitSet;
use knockon_graphs::Rows;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OrderNode(pub u32);

impl OrderNode {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for OrderNode {
    fn from(index: usize) -> OrderNode {
        OrderNode(index as u32)
    }
}

impl From<OrderNode> for usize {
    fn from(node: OrderNode) -> usize {
        node.index()
    }
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    Component(ComponentId),
    Entry(Procedure),
}

#[derive(Clone, Debug)]
pub struct OrderGraph {
    /// The components, then the entries.
    pub edges: Rows<OrderNode>,
    component_count: usize,
}

impl OrderGraph {
    pub fn node_of(&self, component: ComponentId) -> OrderNode {
        OrderNode(component.0)
    }

    pub fn entry(&self, procedure: Procedure) -> OrderNode {
        OrderNode::from(self.component_count + procedure.index())
    }

    pub fn position(&self, node: OrderNode) -> Position {
        match node.index().checked_sub(self.component_count) {
            None => Position::Component(ComponentId(node.0)),
            Some(procedure) => Position::Entry(Procedure::from(procedure)),
        }
    }

    pub fn is_entry(&self, node: OrderNode) -> bool {
        node.index() >= self.component_count
    }

    /// The same edges turned round.
    pub fn reversed(&self) -> OrderGraph {
        OrderGraph {
            edges: self.edges.reversed(),
            component_count: self.component_count,
        }
    }
}

pub fn order_graph(components: &ComponentGraph) -> OrderGraph {
    let component_count = components.kinds.len();
    let procedure_count = components.procedure_count();
    let entry = |procedure: &Procedure| OrderNode::from(component_count + procedure.index());
    let mut edges = Rows::with_capacity(
        component_count + procedure_count,
        components.successors.item_count()
            + 2 * components.targets.item_count()
            + components.resumes[0].item_count(),
    );
    for procedure in (0..procedure_count).map(Procedure::from) {
        let ends: Vec<_> = components.ends_of(procedure).collect();
        for component in components.components_of(procedure) {
            let flow = components.successors.of(component).iter();
            let resumes: &[ComponentId] = match ends.iter().find(|(end, _)| *end == component) {
                Some((_, way)) => components.resumes[way.index()].of(procedure),
                None => &[],
            };
            edges.push_row(
                flow.chain(resumes)
                    .map(|next| OrderNode(next.0))
                    .chain(components.targets.of(component).iter().map(entry)),
            );
        }
    }
    let mut called = FixedBitSet::with_capacity(procedure_count);
    let mut callees: Vec<Procedure> = Vec::new();
    for procedure in (0..procedure_count).map(Procedure::from) {
        for component in components.components_of(procedure) {
            for target in components.targets.of(component) {
                if !called.put(target.index()) {
                    callees.push(*target);
                }
            }
        }
        edges.push_row(callees.iter().map(entry));
        for callee in callees.drain(..) {
            called.remove(callee.index());
        }
    }
    OrderGraph {
        edges,
        component_count,
    }
}
