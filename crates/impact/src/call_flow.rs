//! **Question.** Which calls may follow which others inside one procedure?
//!
//! **Source.** The interprocedural control-flow graph that [sea] §3.1 starts from, with all that
//! is neither a call nor a join left out.
//!
//! **Notation.** The nodes of a procedure are *calls*, *ends* and *joints* (neither); its first
//! node is where it is entered. A procedure that was called may be left in three [`Way`]s, and
//! the call goes on accordingly: after a return at its successors, after an exception where it
//! is caught, after a `longjmp` where the procedure's `setjmp` comes back; the last two may leave
//! the calling procedure as well.
//!
//! **Cost.** Two words a node and one a target and an edge. Callers keep edges linear with
//! joints: a call has one successor, besides itself when it is repeated.

use crate::Procedure;
use knockon_graphs::Rows;
use knockon_memory::call_graph::CallSiteId;

/// How control leaves a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    Return,
    /// By unwinding.
    Throw,
    /// By `longjmp`.
    Jump,
}

impl Way {
    pub const ALL: [Way; 3] = [Way::Return, Way::Throw, Way::Jump];

    pub fn index(self) -> usize {
        self as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlowNode(pub u32);

impl FlowNode {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for FlowNode {
    fn from(index: usize) -> FlowNode {
        FlowNode(index as u32)
    }
}

impl From<FlowNode> for usize {
    fn from(node: FlowNode) -> usize {
        node.index()
    }
}

/// One node. The default is a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRow {
    pub site: Option<CallSiteId>,
    /// The procedure is left here.
    pub ends: Option<Way>,
    /// Control goes on in this way even if no target is left in it: an external function is
    /// called that may, or nothing is called.
    pub goes_on: [bool; 3],
    /// Where an exception is caught that leaves a target.
    pub catches: Option<FlowNode>,
    /// An exception that is not caught here leaves the procedure; else it ends the program.
    pub unwinds: bool,
}

impl Default for NodeRow {
    fn default() -> NodeRow {
        NodeRow {
            site: None,
            ends: None,
            goes_on: [true, false, false],
            catches: None,
            unwinds: false,
        }
    }
}

impl NodeRow {
    pub fn end(way: Way) -> NodeRow {
        NodeRow {
            ends: Some(way),
            ..NodeRow::default()
        }
    }

    /// A call that goes on only as its targets do.
    pub fn call(site: Option<CallSiteId>) -> NodeRow {
        NodeRow {
            site,
            goes_on: [false; 3],
            ..NodeRow::default()
        }
    }
}

/// The flow of all procedures.
#[derive(Clone, Debug)]
pub struct CallFlow {
    /// For each procedure its first node, where it is entered; one more at the end. A procedure
    /// without nodes has no body.
    pub first_node: Vec<u32>,
    pub nodes: Vec<NodeRow>,
    pub procedure_of: Vec<Procedure>,
    pub successors: Rows<FlowNode>,
    /// The procedures that a node may enter.
    pub targets: Rows<Procedure>,
    /// For each procedure where control comes back when a procedure that it called jumps; the
    /// jump may leave it as well.
    pub landing: Vec<Option<FlowNode>>,
    /// May be entered at any time, between any two steps of the others.
    pub anytime: Vec<Procedure>,
    /// The procedures below this number are functions, the others are pseudo procedures.
    pub function_count: usize,
    /// Pseudo procedures from this number on only choose one of several targets.
    pub first_choice: usize,
}

impl CallFlow {
    pub fn procedure_count(&self) -> usize {
        self.first_node.len() - 1
    }

    pub fn entry(&self, procedure: Procedure) -> Option<FlowNode> {
        let first = self.first_node[procedure.index()];
        (first < self.first_node[procedure.index() + 1]).then_some(FlowNode(first))
    }

    /// Where control goes on when this node is left in this way; an exception or a jump may
    /// leave the procedure too ([`CallFlow::passes_on`]).
    pub fn continues(&self, node: FlowNode, way: Way) -> &[FlowNode] {
        match way {
            Way::Return => self.successors.of(node),
            Way::Throw => self.nodes[node.index()].catches.as_slice(),
            Way::Jump => self.landing[self.procedure_of[node.index()].index()].as_slice(),
        }
    }

    /// What leaves a target of this node in this way may leave the procedure too.
    pub fn passes_on(&self, node: FlowNode, way: Way) -> bool {
        let row = &self.nodes[node.index()];
        match way {
            Way::Return => false,
            Way::Throw => row.catches.is_none() && row.unwinds,
            Way::Jump => true,
        }
    }
}

/// Collects the nodes of one procedure after the other.
#[derive(Clone, Debug, Default)]
pub struct CallFlowBuilder {
    first_node: Vec<u32>,
    nodes: Vec<NodeRow>,
    procedure_of: Vec<Procedure>,
    edges: Vec<(FlowNode, FlowNode)>,
    targets: Rows<Procedure>,
    landing: Vec<Option<FlowNode>>,
}

impl CallFlowBuilder {
    /// The procedure with the next number; the nodes from now on are its own.
    pub fn begin_procedure(&mut self) -> Procedure {
        self.first_node.push(self.nodes.len() as u32);
        self.landing.push(None);
        Procedure::from(self.first_node.len() - 1)
    }

    pub fn node(&mut self, row: NodeRow) -> FlowNode {
        self.call(row, &[])
    }

    pub fn call(&mut self, row: NodeRow, targets: &[Procedure]) -> FlowNode {
        let node = FlowNode::from(self.nodes.len());
        self.nodes.push(row);
        self.procedure_of
            .push(Procedure::from(self.first_node.len() - 1));
        self.targets.push_row(targets.iter().copied());
        node
    }

    pub fn edge(&mut self, from: FlowNode, to: FlowNode) {
        self.edges.push((from, to));
    }

    pub fn row_mut(&mut self, node: FlowNode) -> &mut NodeRow {
        &mut self.nodes[node.index()]
    }

    /// Where jumps come back in the procedure begun last.
    pub fn set_landing(&mut self, node: FlowNode) {
        if let Some(landing) = self.landing.last_mut() {
            *landing = Some(node);
        }
    }

    pub fn finish(
        mut self,
        function_count: usize,
        first_choice: usize,
        anytime: Vec<Procedure>,
    ) -> CallFlow {
        self.first_node.push(self.nodes.len() as u32);
        CallFlow {
            first_node: self.first_node,
            successors: Rows::from_pairs(self.nodes.len(), &self.edges),
            nodes: self.nodes,
            procedure_of: self.procedure_of,
            targets: self.targets,
            landing: self.landing,
            anytime,
            function_count,
            first_choice,
        }
    }
}
