//! What of a function's text decides about control, in the form that a run is held against.
//!
//! It is the control dependence of the static graph ([`crate::dependence::building`]), so that a
//! dependence of a run is one of the program.

use knockon_graphs::{
    ControlDependence, Rows, SegmentId, SegmentedFlow, control_dependence, control_flow,
    segmented_flow,
};
use knockon_memory::memory_model::MemoryModel;
use knockon_program::{BlockId, Body, FunctionId, InstructionId, Opcode};
use rustc_hash::FxHashSet;

pub(super) struct FunctionControl {
    /// By instruction.
    pub(super) segment_of: Vec<SegmentId>,
    pub(super) block_of: Vec<BlockId>,
    /// For each segment the branches, and the calls that may not return, that decide whether
    /// control comes to it.
    pub(super) deciding: Rows<InstructionId>,
    /// Those that decide whether the function returns, be it through others.
    pub(super) leaving: Vec<InstructionId>,
    /// The calls that may not return, ascending.
    may_not_return: Vec<InstructionId>,
}

impl FunctionControl {
    pub(super) fn of(model: &MemoryModel, function: FunctionId, body: &Body) -> FunctionControl {
        let calls = &model.calls;
        let may_not_return = |call: InstructionId| {
            let site = calls.site_of(function, call);
            site.is_some_and(|site| model.mod_ref.call_may_not_return(calls, site))
        };
        let flow = segmented_flow(body, &control_flow(body), may_not_return);
        let dependence = control_dependence(&flow);
        let mut segment_of = Vec::with_capacity(body.instructions.len());
        for (number, segment) in flow.segments.iter().enumerate() {
            segment_of.resize(segment.end.index(), SegmentId::from(number));
        }
        let mut deciding = Rows::with_capacity(flow.segments.len(), flow.segments.len());
        for segment in 0..flow.segments.len() {
            let edges = dependence.controlling(SegmentId::from(segment)).iter();
            let mut branches: Vec<InstructionId> = edges.map(|edge| edge.branch).collect();
            branches.dedup();
            deciding.push_row(branches);
        }
        FunctionControl {
            leaving: leaving(body, &flow, &dependence, &segment_of),
            segment_of,
            block_of: body.block_of_each_instruction(),
            deciding,
            may_not_return: body
                .instruction_ids()
                .filter(|id| body.instruction(*id).opcode.is_call() && may_not_return(*id))
                .collect(),
        }
    }

    pub(super) fn may_not_return(&self, call: InstructionId) -> bool {
        self.may_not_return.binary_search(&call).is_ok()
    }
}

/// What decides whether the function returns: calls that may not, and whatever decides whether
/// control comes to one of them, or to a place that is not left.
fn leaving(
    body: &Body,
    flow: &SegmentedFlow,
    dependence: &ControlDependence,
    segment_of: &[SegmentId],
) -> Vec<InstructionId> {
    let mut work: Vec<SegmentId> = flow.leaving.clone();
    let mut found: FxHashSet<InstructionId> = FxHashSet::default();
    found.extend(work.iter().map(|segment| flow.segment(*segment).last()));
    for block in body.block_ids() {
        let end = body.terminator(block);
        if body.instruction(end).opcode == Opcode::Unreachable {
            work.push(segment_of[end.index()]);
        }
    }
    while let Some(segment) = work.pop() {
        for edge in dependence.controlling(segment) {
            if found.insert(edge.branch) {
                work.push(segment_of[edge.branch.index()]);
            }
        }
    }
    let mut found: Vec<InstructionId> = found.into_iter().collect();
    found.sort_unstable();
    found
}
