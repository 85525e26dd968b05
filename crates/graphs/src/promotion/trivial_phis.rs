//! Question: which of the new phis say nothing?
//!
//! Source: `simplifyInstruction` on phis, as `mem2reg` of LLVM 16 to 19 applies
//! it to those it made.
//!
//! Rules: a phi of itself and one other value is that value. A phi of itself,
//! undefined values and one other value is that value, if the value is defined
//! where the phi is, and reads of what is not set are absent: undefined may be
//! anything. A phi of nothing else is undefined. Edges from code that never runs
//! do not count. Repeat until no rule applies.
//!
//! Why right: each replacement refines the phi, and every use of the phi is
//! dominated by it.
//!
//! Cost: a pass over the phis' values for each round.

use super::UndefinedReads;
use super::plan::{NewPhi, Plan};
use knockon_program::{BlockId, Constant, InstructionId, Opcode, Operand};

pub(super) fn remove_trivial_phis(plan: &mut Plan) {
    let first = plan.body.instructions.len();
    loop {
        let mut changed = false;
        for number in 0..plan.phis.len() {
            if plan.replaced[first + number].is_none()
                && let Some(value) = only_value(plan, number)
            {
                plan.replaced[first + number] = Some(value);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn only_value(plan: &mut Plan, number: usize) -> Option<Operand> {
    let phi = plan.phis[number];
    let itself = InstructionId::from_index(plan.body.instructions.len() + number);
    let mut common = None;
    let mut undefined = false;
    for (at, from) in plan.incoming.of(phi.block).iter().enumerate() {
        if !plan.flow.is_reachable(*from) {
            continue;
        }
        let value = latest(plan, plan.phi_values[phi.first_value + at]);
        plan.phi_values[phi.first_value + at] = value;
        if value == Operand::Instruction(itself) {
            continue;
        }
        if is_undefined(plan, value) {
            undefined = true;
        } else if common.is_none() {
            common = Some(value);
        } else if common != Some(value) {
            return None;
        }
    }
    match common {
        None => plan.promotion.undefined(phi.type_id),
        Some(_) if undefined && plan.promotion.undefined_reads == UndefinedReads::Kept => None,
        Some(value) if undefined && !is_defined_at(plan, value, number, phi) => None,
        Some(value) => Some(value),
    }
}

/// What stands for a value by now.
fn latest(plan: &Plan, mut value: Operand) -> Operand {
    while let Operand::Instruction(id) = value
        && let Some(next) = plan.replaced[id.index()]
    {
        value = next;
    }
    value
}

fn is_undefined(plan: &Plan, value: Operand) -> bool {
    matches!(value, Operand::Constant(constant)
        if matches!(plan.program.constant(constant), Constant::Undefined(_) | Constant::Poison(_)))
}

fn is_defined_at(plan: &Plan, value: Operand, number: usize, phi: NewPhi) -> bool {
    let Operand::Instruction(id) = value else {
        return true;
    };
    let block = if let Some(other) = id.index().checked_sub(plan.body.instructions.len()) {
        if plan.phis[other].block == phi.block {
            // The later a phi was made, the earlier it stands in its block.
            return other > number;
        }
        plan.phis[other].block
    } else {
        match plan.body.instruction(id).opcode {
            // Its value exists on the normal edge only.
            Opcode::Invoke | Opcode::CallBr => match normal_destination(plan, id) {
                Some(block) => return plan.tree.dominates(block, phi.block),
                None => return false,
            },
            _ => plan.block_of(id),
        }
    };
    plan.tree.strictly_dominates(block, phi.block)
}

/// The block that only the normal edge of an invoke leads to.
fn normal_destination(plan: &Plan, invoke: InstructionId) -> Option<BlockId> {
    let Some(Operand::Block(block)) = plan.body.operands(invoke).get(1).copied() else {
        return None;
    };
    let before = plan.flow.predecessors.of(block);
    (before.len() == 1).then_some(block)
}
