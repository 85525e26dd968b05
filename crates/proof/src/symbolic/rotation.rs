//! Loops with their tests at the end.
//!
//! `while (c) b` is `if (c) do b while (c)`. The *front* of a loop is what comes before some
//! block, the *cut*, that every iteration which goes round passes: tests without effects. A rotated
//! loop makes the front once before it starts and again at the end of each iteration; an iteration
//! begins at the cut, where the tests were passed.
//!
//! The cut is a block that follows a test which may leave the loop; of several the first.

use super::Evaluator;
use super::frame::Frame;
use knockon_graphs::LoopId;
use knockon_program::{BlockId, View};

pub(super) struct Front {
    /// In the order of execution.
    pub blocks: Vec<BlockId>,
    pub cut: BlockId,
}

pub(super) fn front<'a>(
    evaluator: &Evaluator<'a, '_>,
    frame: &Frame<'a>,
    id: LoopId,
) -> Option<Front> {
    let header = frame.forest.get(id).header;
    let mut found: Option<Front> = None;
    for test in frame.forest.exiting(id, &frame.flow) {
        for cut in frame.body.successors(test) {
            if cut == header || !frame.forest.contains(id, cut) {
                continue;
            }
            let Some(blocks) = before(frame, id, cut) else {
                continue;
            };
            let is_shorter = found
                .as_ref()
                .is_none_or(|front| blocks.len() < front.blocks.len());
            if is_shorter
                && blocks.contains(&test)
                && blocks
                    .iter()
                    .all(|block| has_no_effect(evaluator, frame, id, *block))
            {
                found = Some(Front { blocks, cut });
            }
        }
    }
    found
}

/// The loop's blocks that control can come to from the header without the cut; `None` if it can come
/// round that way.
fn before(frame: &Frame, id: LoopId, cut: BlockId) -> Option<Vec<BlockId>> {
    let header = frame.forest.get(id).header;
    let mut seen = vec![header];
    let mut work = vec![header];
    while let Some(block) = work.pop() {
        for next in frame.body.successors(block) {
            if next == header {
                return None;
            }
            if next != cut && frame.forest.contains(id, next) && !seen.contains(&next) {
                seen.push(next);
                work.push(next);
            }
        }
    }
    let blocks = frame.forest.blocks.of(id).iter().copied();
    Some(blocks.filter(|block| seen.contains(block)).collect())
}

fn has_no_effect<'a>(
    evaluator: &Evaluator<'a, '_>,
    frame: &Frame<'a>,
    id: LoopId,
    block: BlockId,
) -> bool {
    frame.forest.innermost(block) == Some(id)
        && frame.body.instructions_of(block).all(|instruction| {
            // It would be one more each time that the front is made.
            let is_event = evaluator.is_seen_event(frame, instruction)
                || evaluator.is_shown_event(frame, instruction);
            match frame.body.view(instruction) {
                View::Store { .. } | View::Alloca { .. } => false,
                View::Call(_) => !is_event && evaluator.is_plain_function(frame, instruction),
                // Evaluation ends at the last ones, from `CompareExchange` on.
                View::Load { .. }
                | View::Binary { .. }
                | View::Cast { .. }
                | View::FloatNegate { .. }
                | View::Freeze { .. }
                | View::IntegerCompare { .. }
                | View::FloatCompare { .. }
                | View::Select { .. }
                | View::GetElementPointer { .. }
                | View::Phi { .. }
                | View::ExtractValue { .. }
                | View::InsertValue { .. }
                | View::ExtractElement { .. }
                | View::InsertElement { .. }
                | View::ShuffleVector { .. }
                | View::Return { .. }
                | View::Jump { .. }
                | View::Branch { .. }
                | View::Switch { .. }
                | View::IndirectBranch { .. }
                | View::Resume { .. }
                | View::Unreachable
                | View::CatchSwitch { .. }
                | View::CatchReturn { .. }
                | View::CleanupReturn { .. }
                | View::CompareExchange { .. }
                | View::AtomicReadModifyWrite { .. }
                | View::Fence
                | View::VariadicArgument { .. }
                | View::LandingPad { .. }
                | View::Pad { .. }
                | View::Opaque { .. } => !is_event,
            }
        })
}
