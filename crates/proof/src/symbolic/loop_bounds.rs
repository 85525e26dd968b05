//! Loops that can be unrolled: over a counter from one constant to another, or over constants.

use super::cycles::phis;
use super::frame::Frame;
use super::{Evaluator, State, Undecided, Value};
use knockon_graphs::LoopId;
use knockon_logic::terms::Sort;
use knockon_program::{BlockId, InstructionId, Opcode, Operand};

impl<'a> Evaluator<'a, '_> {
    /// Some phi of the header starts inside an object whose content is known.
    pub(super) fn starts_in_constants(
        &mut self,
        frame: &Frame<'a>,
        id: LoopId,
        incoming: &[(BlockId, State)],
    ) -> Result<bool, Undecided> {
        let [(from, state)] = incoming else {
            return Ok(false);
        };
        self.here = state.condition;
        for phi in phis(frame, id) {
            let rows = frame.body.operands(phi).chunks_exact(2);
            let mut rows = rows.filter(|row| row[1] == Operand::Block(*from));
            let Some(row) = rows.next() else {
                continue;
            };
            if let Value::Term(term) = self.operand(frame, row[0])?
                && self.terms.sort(term) == Sort::Bits(64)
                && let Some(object) = self.object_term(term)
                && self.names.constant_memory(object).is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Some exit compares a phi that starts at a constant, or what follows from it, with a constant.
pub(super) fn has_constant_bound(frame: &Frame, id: LoopId) -> bool {
    let body = frame.body;
    let header = frame.forest.get(id).header;
    let starts_constant = |phi: InstructionId| {
        body.operands(phi).chunks_exact(2).any(|row| {
            let from_outside =
                matches!(row[1], Operand::Block(from) if !frame.forest.contains(id, from));
            from_outside && matches!(row[0], Operand::Constant(_))
        })
    };
    let is_counter = |operand: Operand| {
        let Operand::Instruction(mut at) = operand else {
            return false;
        };
        // Through an increment and conversions.
        for _ in 0..4 {
            let is_phi = body.instruction(at).opcode == Opcode::Phi;
            if is_phi {
                let mut own = body.instructions_of(header);
                return own.any(|other| other == at) && starts_constant(at);
            }
            match body.operands(at).first() {
                Some(Operand::Instruction(next)) => at = *next,
                _ => return false,
            }
        }
        false
    };
    let is_bound = |test: InstructionId| {
        let operands = body.operands(test);
        body.instruction(test).opcode == Opcode::IntegerCompare
            && operands
                .iter()
                .any(|row| matches!(row, Operand::Constant(_)))
            && operands.iter().any(|row| is_counter(*row))
    };
    let mut exiting = frame.forest.exiting(id, &frame.flow);
    exiting.any(|block| tests_of(frame, block).into_iter().any(is_bound))
}

/// The tests that a branch depends on: its own, and where that is a conjunction or disjunction made by
/// branches, those of its parts.
fn tests_of(frame: &Frame, block: BlockId) -> Vec<InstructionId> {
    let body = frame.body;
    let test_of = |block: BlockId| match body.operands(body.terminator(block)) {
        [Operand::Instruction(test), ..] => Some(*test),
        _ => None,
    };
    let mut found: Vec<InstructionId> = Vec::new();
    let mut work: Vec<InstructionId> = test_of(block).into_iter().collect();
    while let Some(test) = work.pop() {
        if found.contains(&test) {
            continue;
        }
        found.push(test);
        if body.instruction(test).opcode != Opcode::Phi {
            continue;
        }
        for row in body.operands(test).chunks_exact(2) {
            match row {
                [Operand::Instruction(part), _] => work.push(*part),
                [Operand::Constant(_), Operand::Block(from)] => work.extend(test_of(*from)),
                _ => {}
            }
        }
    }
    found
}
