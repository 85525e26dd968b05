//! **Question.** What is the [`CallFlow`] of a program?
//!
//! **Source.** The control flow of each body, the call graph, and for external functions the
//! models of `knockon_library`.
//!
//! **Rules.** A call goes on after a return if an external function that it calls may return
//! (attribute and model), after an exception if one may throw, after a jump if one is `longjmp`;
//! and as its targets do. An external function that calls back does so any number of times before
//! it goes on. A call that runs the exit handlers enters the pseudo procedure that does, which
//! never returns. Signal handlers, threads and functions that escaped may run at any time; where the
//! program makes processes of itself, so may every function: in the other one.
//!
//! Besides the functions there are pseudo procedures: *root*, which calls the constructors, then
//! `main` (without one: every external function, in any order), then *exit*; *exit*, which calls
//! the exit handlers in any order and then the destructors; and for each set of targets that
//! several calls share a *choice*, which calls one of them.
//!
//! **Soundness.** A function with the attribute `noreturn` or `nounwind` is taken by its word. A
//! jump may come back at every `setjmp` of the function it comes back to; a signal handler that
//! jumps may do so between any two steps. What a naked function does is in its assembly: it may
//! return.
//!
//! **Cost.** Linear in instructions and call edges; choices keep equal sets of targets from being
//! repeated at each call.

use crate::Procedure;
use crate::call_flow::{CallFlow, CallFlowBuilder, FlowNode, NodeRow, Way};
use crate::leaving::leaving;
use knockon_memory::call_graph::{CallGraph, CallSite, CallSiteId};
use knockon_memory::processes::{forks, starting_calls};
use knockon_program::{
    BlockId, Body, Flags, Function, FunctionAttributes, FunctionId, Opcode, Operand, Program, View,
};

mod choices;
mod external_ways;
mod pseudo_procedures;

use choices::Choices;
use external_ways::ExternalWays;

/// The pseudo procedure that calls the entries.
pub fn root(program: &Program) -> Procedure {
    Procedure::from(program.functions.len())
}

/// The pseudo procedure that runs what `exit` runs.
pub fn exit(program: &Program) -> Procedure {
    Procedure::from(program.functions.len() + 1)
}

pub fn call_flow(program: &Program, calls: &CallGraph) -> CallFlow {
    let first_choice = program.functions.len() + 2;
    let choices = Choices::new(calls, first_choice);
    let ways = ExternalWays::new(program, calls);
    let mut builder = CallFlowBuilder::default();
    for id in program.function_ids() {
        builder.begin_procedure();
        let function = program.function(id);
        if let Some(body) = &function.body {
            BodyFlow {
                program,
                calls,
                choices: &choices,
                ways: &ways,
                function,
                body,
                builder: &mut builder,
                starts: Vec::new(),
                landing: None,
            }
            .add(id);
        }
    }
    pseudo_procedures::add_root(&mut builder, &calls.entries, exit(program));
    pseudo_procedures::add_exit(&mut builder, &calls.entries);
    choices.add_to(&mut builder);
    let anytime = calls.entries.anytime.iter();
    let anytime = anytime.map(|id| Procedure::from(*id)).collect();
    let mut flow = builder.finish(program.functions.len(), first_choice, anytime);
    if ways.may_come_back() {
        jump_out_of_handlers(&mut flow);
    }
    if forks(program, calls) || !starting_calls(program, calls).is_empty() {
        let all = program.defined_functions();
        flow.anytime = all.map(|(id, ..)| Procedure::from(id)).collect();
    }
    flow
}

/// Where a signal handler may jump, every step may be the last before that jump.
fn jump_out_of_handlers(flow: &mut CallFlow) {
    let leaving = leaving(flow);
    let jumps = |handler: &Procedure| leaving.may_leave(*handler, Way::Jump);
    if flow.anytime.iter().any(jumps) {
        for row in &mut flow.nodes {
            row.goes_on[Way::Jump.index()] = true;
        }
    }
}

/// The flow of one function with a body.
struct BodyFlow<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    choices: &'a Choices<'a>,
    ways: &'a ExternalWays,
    function: &'a Function,
    body: &'a Body,
    builder: &'a mut CallFlowBuilder,
    /// For each block the joint that it begins with.
    starts: Vec<FlowNode>,
    landing: Option<FlowNode>,
}

impl BodyFlow<'_> {
    fn add(mut self, id: FunctionId) {
        for _ in &self.body.blocks {
            self.starts.push(self.builder.node(NodeRow::default()));
        }
        let mut sites = self.calls.sites_of(id).peekable();
        for block in self.body.block_ids() {
            let mut at = self.starts[block.index()];
            let terminator = self.body.terminator(block);
            while let Some(site) = sites.next_if(|site| self.calls.site(*site).block == block) {
                let row = self.calls.site(site);
                if row.instruction != terminator {
                    at = self.call(site, row, at, None);
                } else if self.body.instruction(terminator).opcode == Opcode::Invoke
                    && let [_, Operand::Block(normal), Operand::Block(unwind), ..] =
                        self.body.operands(terminator)
                {
                    let (normal, unwind) =
                        (self.starts[normal.index()], self.starts[unwind.index()]);
                    let after = self.call(site, row, at, Some(unwind));
                    self.builder.edge(after, normal);
                } else {
                    at = self.call(site, row, at, None);
                }
            }
            self.end_block(block, at);
        }
    }

    /// What follows the last call of a block.
    fn end_block(&mut self, block: BlockId, at: FlowNode) {
        let terminator = self.body.terminator(block);
        let has = |attribute| self.function.attributes.has(attribute);
        let way = match self.body.view(terminator) {
            View::Call(_) if self.body.instruction(terminator).opcode == Opcode::Invoke => return,
            View::Return { .. } => (!has(FunctionAttributes::NO_RETURN)).then_some(Way::Return),
            View::Unreachable => has(FunctionAttributes::NAKED).then_some(Way::Return),
            // Those that unwind to a block too have it as an operand.
            View::Resume { .. } | View::CleanupReturn { .. } | View::CatchSwitch { .. } => {
                (!has(FunctionAttributes::NO_UNWIND)).then_some(Way::Throw)
            }
            View::Call(_)
            | View::Jump { .. }
            | View::Branch { .. }
            | View::Switch { .. }
            | View::IndirectBranch { .. }
            | View::CatchReturn { .. } => None,
            // These end no block.
            View::Binary { .. }
            | View::Cast { .. }
            | View::FloatNegate { .. }
            | View::Freeze { .. }
            | View::IntegerCompare { .. }
            | View::FloatCompare { .. }
            | View::Select { .. }
            | View::Alloca { .. }
            | View::Load { .. }
            | View::Store { .. }
            | View::GetElementPointer { .. }
            | View::CompareExchange { .. }
            | View::AtomicReadModifyWrite { .. }
            | View::Fence
            | View::Phi { .. }
            | View::ExtractValue { .. }
            | View::InsertValue { .. }
            | View::ExtractElement { .. }
            | View::InsertElement { .. }
            | View::ShuffleVector { .. }
            | View::VariadicArgument { .. }
            | View::LandingPad { .. }
            | View::Pad { .. }
            | View::Opaque { .. } => None,
        };
        if let Some(way) = way {
            let end = self.builder.node(NodeRow::end(way));
            self.builder.edge(at, end);
        }
        let mut next: Vec<BlockId> = self.body.successors(block).collect();
        next.sort_unstable();
        next.dedup();
        for block in next {
            self.builder.edge(at, self.starts[block.index()]);
        }
    }

    /// Adds a call behind `at` and returns the joint behind it, or `at` where nothing of interest
    /// is called.
    fn call(
        &mut self,
        site: CallSiteId,
        row: &CallSite,
        at: FlowNode,
        catches: Option<FlowNode>,
    ) -> FlowNode {
        let flags = self.body.instruction(row.instruction).flags;
        let goes_on = self.goes_on(site, row, flags);
        let targets = self.calls.targets.of(site);
        let callbacks = self.calls.callbacks.of(site);
        let comes_back = self.ways.comes_back(self.calls.externals.of(site), flags);
        let nothing_of_interest = targets.is_empty()
            && callbacks.is_empty()
            && !row.exits
            && !comes_back
            && goes_on == [true, false, false];
        if nothing_of_interest {
            return at;
        }
        let unwinds = !flags.has(Flags::NO_UNWIND)
            && !self.function.attributes.has(FunctionAttributes::NO_UNWIND);
        let call = NodeRow {
            goes_on,
            catches,
            unwinds,
            ..NodeRow::call(Some(site))
        };
        let after = self.builder.node(NodeRow::default());
        let mut entered = self.choices.entered(targets);
        if row.exits {
            entered.push(exit(self.program));
        }
        if callbacks.is_empty() || !entered.is_empty() {
            let node = self.builder.call(call, &entered);
            self.builder.edge(at, node);
            self.builder.edge(node, after);
        }
        if !callbacks.is_empty() {
            let node = self.builder.call(call, &self.choices.entered(callbacks));
            self.builder.edge(at, node);
            self.builder.edge(node, node);
            self.builder.edge(node, after);
        }
        if comes_back {
            let landing = match self.landing {
                Some(landing) => landing,
                None => self.builder.node(NodeRow::default()),
            };
            self.landing = Some(landing);
            self.builder.set_landing(landing);
            self.builder.edge(landing, after);
        }
        after
    }

    /// In which ways control goes on after the external functions that are called.
    fn goes_on(&self, site: CallSiteId, row: &CallSite, flags: Flags) -> [bool; 3] {
        let externals = self.calls.externals.of(site);
        let mut goes_on = self.ways.of_all(externals);
        let nothing_known =
            self.calls.targets.of(site).is_empty() && externals.is_empty() && !row.exits;
        goes_on[Way::Return.index()] |= nothing_known || row.calls_unmodelled;
        if row.enters_unknown_code() {
            goes_on[Way::Throw.index()] = true;
            goes_on[Way::Jump.index()] = self.ways.may_come_back();
        }
        goes_on[Way::Return.index()] &= !flags.has(Flags::NO_RETURN);
        goes_on[Way::Throw.index()] &= !flags.has(Flags::NO_UNWIND);
        goes_on
    }
}
