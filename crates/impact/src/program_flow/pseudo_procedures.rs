//! What the outside calls, as procedures: the root, and what `exit` runs.

use crate::Procedure;
use crate::call_flow::{CallFlowBuilder, FlowNode, NodeRow};
use knockon_memory::call_graph::Entries;
use knockon_program::FunctionId;

/// Constructors, `main` or the library's functions, exit. It never returns.
pub fn add_root(builder: &mut CallFlowBuilder, entries: &Entries, exit: Procedure) {
    let mut sequence = Sequence::begin(builder);
    for constructor in &entries.constructors {
        sequence.one_of(&[Procedure::from(*constructor)]);
    }
    if !entries.mains.is_empty() {
        sequence.one_of(&procedures(&entries.mains));
    }
    if !entries.library.is_empty() {
        sequence.repeatedly(&procedures(&entries.library));
    }
    sequence.one_of(&[exit]);
}

/// The exit handlers run in the reverse order of their registration, which is not known here: any
/// order, then the destructors. It never returns.
pub fn add_exit(builder: &mut CallFlowBuilder, entries: &Entries) {
    let mut sequence = Sequence::begin(builder);
    sequence.repeatedly(&procedures(&entries.exit_handlers));
    for destructor in &entries.destructors {
        sequence.one_of(&[Procedure::from(*destructor)]);
    }
}

fn procedures(functions: &[FunctionId]) -> Vec<Procedure> {
    functions.iter().map(|id| Procedure::from(*id)).collect()
}

struct Sequence<'a> {
    builder: &'a mut CallFlowBuilder,
    at: FlowNode,
}

impl<'a> Sequence<'a> {
    fn begin(builder: &'a mut CallFlowBuilder) -> Sequence<'a> {
        builder.begin_procedure();
        let at = builder.node(NodeRow::default());
        Sequence { builder, at }
    }

    fn one_of(&mut self, callees: &[Procedure]) {
        let call = self.builder.call(NodeRow::call(None), callees);
        self.builder.edge(self.at, call);
        self.at = call;
    }

    /// Any number of them, in any order.
    fn repeatedly(&mut self, callees: &[Procedure]) {
        let row = NodeRow::default();
        let call = self.builder.call(row, callees);
        self.builder.edge(self.at, call);
        self.builder.edge(call, call);
        self.at = call;
    }
}
