//! Question: where can control pass when a call may not come back?
//!
//! Source: the control-flow graph of a body, each block cut after every call
//! that may not return. Such a call's segment has an edge to what follows it in
//! the block and, as an end of the function, one to the virtual exit: it decides
//! like a branch whether the rest runs. Without such calls, segments are blocks.
//!
//! Why right: inside a segment control can only run through: its instructions
//! but the last are neither terminators nor calls that may not return.
//!
//! Cost: linear in instructions and edges.

use crate::{ControlFlow, Rows};
use knockon_program::{BlockId, Body, InstructionId};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SegmentId(pub u32);

impl From<usize> for SegmentId {
    fn from(index: usize) -> SegmentId {
        SegmentId(index as u32)
    }
}

impl From<SegmentId> for usize {
    fn from(id: SegmentId) -> usize {
        id.0 as usize
    }
}

/// A run of instructions of one block that all execute or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub block: BlockId,
    pub first: InstructionId,
    /// One past the last.
    pub end: InstructionId,
}

impl Segment {
    /// The terminator, or the call that may not return.
    pub fn last(self) -> InstructionId {
        InstructionId(self.end.0 - 1)
    }
}

#[derive(Clone, Debug)]
pub struct SegmentedFlow {
    /// In instruction order.
    pub segments: Vec<Segment>,
    /// The successors of a block's last segment are in the order of
    /// [`ControlFlow::successors`].
    pub successors: Rows<SegmentId>,
    pub predecessors: Rows<SegmentId>,
    /// The segments whose last instruction may not return.
    pub leaving: Vec<SegmentId>,
    first_of_block: Vec<SegmentId>,
}

impl SegmentedFlow {
    pub fn segment(&self, id: SegmentId) -> Segment {
        self.segments[usize::from(id)]
    }

    /// The segment that a block begins with.
    pub fn first_of(&self, block: BlockId) -> SegmentId {
        self.first_of_block[block.index()]
    }

    /// The segment with the block's terminator.
    pub fn last_of(&self, block: BlockId) -> SegmentId {
        SegmentId(self.first_of_block[block.index() + 1].0 - 1)
    }

    pub fn segment_of(&self, instruction: InstructionId) -> SegmentId {
        SegmentId::from(
            self.segments
                .partition_point(|segment| segment.end <= instruction),
        )
    }
}

/// `may_not_return` is asked for every call of the body.
pub fn segmented_flow(
    body: &Body,
    flow: &ControlFlow,
    may_not_return: impl Fn(InstructionId) -> bool,
) -> SegmentedFlow {
    let mut segments = Vec::with_capacity(body.blocks.len());
    let mut first_of_block = Vec::with_capacity(body.blocks.len() + 1);
    let mut leaving = Vec::new();
    for block in body.block_ids() {
        first_of_block.push(SegmentId::from(segments.len()));
        let range = body.block(block);
        let mut first = range.first;
        for id in body.instructions_of(block) {
            let leaves = body.instruction(id).opcode.is_call() && may_not_return(id);
            if leaves {
                leaving.push(SegmentId::from(segments.len()));
            }
            let end = InstructionId(id.0 + 1);
            if leaves || end == range.end {
                segments.push(Segment { block, first, end });
                first = end;
            }
        }
    }
    first_of_block.push(SegmentId::from(segments.len()));
    let edges = flow.successors.item_count() + leaving.len();
    let mut successors = Rows::with_capacity(segments.len(), edges);
    for (number, segment) in segments.iter().enumerate() {
        if segment.end == body.block(segment.block).end {
            let targets = flow.successors.of(segment.block).iter();
            successors.push_row(targets.map(|next| first_of_block[next.index()]));
        } else {
            successors.push_row([SegmentId::from(number + 1)]);
        }
    }
    SegmentedFlow {
        predecessors: successors.reversed(),
        segments,
        successors,
        leaving,
        first_of_block,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_flow;
    use crate::random_bodies::straight_line_with_calls;

    #[test]
    fn without_leaving_calls_segments_are_blocks() {
        let body = straight_line_with_calls(2);
        let flow = control_flow(&body);
        let segmented = segmented_flow(&body, &flow, |_| false);
        assert_eq!(segmented.segments.len(), body.blocks.len());
        assert!(segmented.leaving.is_empty());
    }

    #[test]
    fn a_block_is_cut_after_each_leaving_call() {
        let body = straight_line_with_calls(2);
        let flow = control_flow(&body);
        let segmented = segmented_flow(&body, &flow, |_| true);
        assert_eq!(segmented.segments.len(), 3);
        assert_eq!(segmented.leaving, [SegmentId(0), SegmentId(1)]);
        assert_eq!(segmented.successors.of(SegmentId(0)), [SegmentId(1)]);
        assert_eq!(segmented.last_of(BlockId(0)), SegmentId(2));
        for id in body.instruction_ids() {
            let segment = segmented.segment(segmented.segment_of(id));
            assert!(segment.first <= id && id < segment.end);
        }
    }
}
