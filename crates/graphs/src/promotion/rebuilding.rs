//! Question: what does a body look like after a plan?
//!
//! Why right: blocks keep their numbers and order; the new phis come first in
//! their block; every operand is what stands for it, renumbered. The promoted
//! variables' declarations became value locations.
//!
//! Cost: linear in the body.

use super::plan::Plan;
use knockon_program::{
    Body, ByValueArgument, Flags, Instruction, InstructionId, InstructionRow, Opcode, Operand,
    PlaceId, VariableLocation, VariableLocationKind,
};

pub(super) fn rebuild(old: &Body, plan: &Plan, numbers: &Numbers<'_>) -> Body {
    let mut body = Body {
        blocks: Vec::with_capacity(old.blocks.len()),
        instructions: Vec::with_capacity(numbers.count as usize),
        operands: Vec::with_capacity(old.operands.len()),
        variables: old.variables.clone(),
        variable_locations: Vec::new(),
        by_value_arguments: Vec::new(),
        debug_calls: old.debug_calls,
    };
    for block in old.block_ids() {
        body.begin_block(old.block(block).name);
        for phi in plan.surviving_phis(block) {
            let incoming = plan.incoming.of(block).iter().enumerate();
            body.push(
                InstructionRow {
                    opcode: Opcode::Phi,
                    detail: 0,
                    flags: Flags::NONE,
                    type_id: plan.phis[phi].type_id,
                    extra: 0,
                    place: PlaceId(0),
                },
                incoming.flat_map(|(at, from)| {
                    let value = plan.phi_values[plan.phis[phi].first_value + at];
                    [numbers.operand(value), Operand::Block(*from)]
                }),
            );
        }
        for id in old.instructions_of(block) {
            if !plan.deleted.contains(id.index()) {
                let operands = old.operands(id).iter();
                body.push(
                    row(old.instruction(id)),
                    operands.map(|operand| numbers.operand(*operand)),
                );
            }
        }
    }
    body.variable_locations = variable_locations(old, plan, numbers);
    body.by_value_arguments = by_value_arguments(old, plan, numbers);
    body
}

pub(super) fn row(instruction: &Instruction) -> InstructionRow {
    InstructionRow {
        opcode: instruction.opcode,
        detail: instruction.detail,
        flags: instruction.flags,
        type_id: instruction.type_id,
        extra: instruction.extra,
        place: instruction.place,
    }
}

/// Which number each instruction has after a plan.
pub(super) struct Numbers<'a> {
    plan: &'a Plan<'a>,
    /// By old number, new phis included: the new number; for a deleted
    /// instruction the number of the next that stays, which its block has.
    new: Vec<u32>,
    count: u32,
}

impl Numbers<'_> {
    pub(super) fn new<'a>(old: &Body, plan: &'a Plan<'a>) -> Numbers<'a> {
        let first_phi = old.instructions.len();
        let mut new = vec![0; first_phi + plan.phis.len()];
        let mut count = 0;
        for block in old.block_ids() {
            for phi in plan.surviving_phis(block) {
                new[first_phi + phi] = count;
                count += 1;
            }
            for id in old.instructions_of(block) {
                new[id.index()] = count;
                count += u32::from(!plan.deleted.contains(id.index()));
            }
        }
        Numbers { plan, new, count }
    }

    /// Of an instruction, or of the next that stays.
    pub(super) fn position(&self, id: InstructionId) -> InstructionId {
        InstructionId(self.new[id.index()])
    }

    /// Something else stands for the value.
    pub(super) fn is_replaced(&self, operand: Operand) -> bool {
        match operand {
            Operand::Instruction(id) => self.plan.replaced[id.index()].is_some(),
            _ => false,
        }
    }

    /// The value is the address of a variable that is no more.
    pub(super) fn is_gone(&self, old: &Body, mut operand: Operand) -> bool {
        while let Operand::Instruction(id) = operand {
            match self.plan.replaced[id.index()] {
                Some(next) => operand = next,
                None => {
                    return id.index() < old.instructions.len()
                        && self.plan.deleted.contains(id.index());
                }
            }
        }
        false
    }

    pub(super) fn operand(&self, mut operand: Operand) -> Operand {
        let old = self.plan.body;
        while let Operand::Instruction(id) = operand {
            match self.plan.replaced[id.index()] {
                Some(next) => operand = next,
                None if id.index() < old.instructions.len()
                    && self.plan.deleted.contains(id.index()) =>
                {
                    let type_id = old.instruction(id).type_id;
                    return self.plan.promotion.poison(type_id).unwrap_or(operand);
                }
                None => return Operand::Instruction(InstructionId(self.new[id.index()])),
            }
        }
        operand
    }
}

/// Instructions keep their order and calls the number of their arguments.
fn by_value_arguments(old: &Body, plan: &Plan, numbers: &Numbers) -> Vec<ByValueArgument> {
    let rows = old.by_value_arguments.iter();
    rows.filter(|row| !plan.deleted.contains(row.call.index()))
        .map(|row| ByValueArgument {
            call: InstructionId(numbers.new[row.call.index()]),
            ..*row
        })
        .collect()
}

fn variable_locations(old: &Body, plan: &Plan, numbers: &Numbers) -> Vec<VariableLocation> {
    let kept = old.variable_locations.iter().filter(|location| {
        location.kind != VariableLocationKind::Declared || plan.found.slot(location.value).is_none()
    });
    let mut locations: Vec<VariableLocation> = kept.chain(&plan.locations).copied().collect();
    // By old number, since stores that are neighbours now were not then.
    locations.sort_by_key(|location| location.before);
    for location in &mut locations {
        location.value = numbers.operand(location.value);
        location.before = InstructionId(numbers.new[location.before.index()]);
    }
    locations
}
