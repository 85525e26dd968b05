//! Question: which value does each load of a variable with phis see?
//!
//! Source: Cytron et al. (1991), §5.2, over the dominator tree in preorder, with
//! a log of overwritten values in place of stacks.
//!
//! Why right: where a block has no phi for a live variable, the value at its
//! start is the one at the end of its immediate dominator. A variable that is
//! not live may have any value; no load sees it.
//!
//! Cost: linear in the instructions of reachable blocks and the phis' values.

use super::plan::Plan;
use knockon_program::{BlockId, InstructionId, Opcode, Operand, View};

const NO_SLOT: usize = usize::MAX;

/// `rest` are the slots that need phis.
pub(super) fn rename(plan: &mut Plan, rest: &[usize]) {
    let mut in_rest = vec![NO_SLOT; plan.found.allocas.len()];
    for slot in rest {
        in_rest[*slot] = *slot;
    }
    let mut current: Vec<Operand> = (0..plan.found.allocas.len())
        .filter_map(|slot| plan.promotion.undefined(plan.allocated(slot)))
        .collect();
    let mut overwritten: Vec<(usize, Operand)> = Vec::new();
    // How long the log was when the block at each depth was entered.
    let mut marks: Vec<usize> = Vec::new();
    for at in 0..plan.tree.preorder().len() {
        let block = plan.tree.preorder()[at];
        while marks.len() > plan.tree.depth(block) as usize {
            let mark = marks.pop().unwrap_or(0);
            for (slot, value) in overwritten.drain(mark..).rev() {
                current[slot] = value;
            }
        }
        marks.push(overwritten.len());
        let mut set = |current: &mut Vec<Operand>, slot: usize, value: Operand| {
            overwritten.push((slot, current[slot]));
            current[slot] = value;
        };
        enter_phis(plan, block, |slot, value| set(&mut current, slot, value));
        for id in plan.body.instructions_of(block) {
            let (View::Load { address } | View::Store { address, .. }) = plan.body.view(id) else {
                continue;
            };
            let Some(slot) = plan.found.slot(address) else {
                continue;
            };
            if in_rest[slot] == NO_SLOT || plan.deleted.contains(id.index()) {
                continue;
            }
            if plan.is_store(id) {
                plan.delete_store(id, slot);
                set(&mut current, slot, plan.stored_value(id));
            } else {
                plan.replace(id, current[slot]);
            }
        }
        leave(plan, block, &current);
    }
}

fn enter_phis(plan: &mut Plan, block: BlockId, mut set: impl FnMut(usize, Operand)) {
    let first_after_phis = plan
        .body
        .instructions_of(block)
        .find(|id| plan.body.instruction(*id).opcode != Opcode::Phi);
    for at in 0..plan.phis_of_block.of(block).len() {
        let number = plan.phis_of_block.of(block)[at];
        let slot = plan.phis[number].slot;
        let id = InstructionId::from_index(plan.body.instructions.len() + number);
        let value = Operand::Instruction(id);
        set(slot, value);
        if let Some(before) = first_after_phis {
            plan.note_value(slot, value, before);
        }
    }
}

/// Hands the values at the end of a block to the phis of its successors.
fn leave(plan: &mut Plan, block: BlockId, current: &[Operand]) {
    for next in plan.flow.successors.of(block) {
        let phis = plan.phis_of_block.of(*next);
        if phis.is_empty() {
            continue;
        }
        let incoming = plan.incoming.of(*next);
        let first = incoming.partition_point(|from| *from < block);
        let end = incoming.partition_point(|from| *from <= block);
        for number in phis {
            let phi = plan.phis[*number];
            plan.phi_values[phi.first_value + first..phi.first_value + end].fill(current[phi.slot]);
        }
    }
}
