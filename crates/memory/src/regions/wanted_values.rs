//! Which values must be followed, since a pointer in them is stored, passed on or used?
//!
//! All pointers are, and each integer from which one goes on. The search begins where values are kept
//! and walks back by [`sources`].
//!
//! Cost: linear in the body, for each manner of use once.

use super::carriers::{Use, may_carry, sources};
use knockon_program::{Body, InstructionId, Operand, Program, Type, TypeId, View};

/// How instructions and arguments are used that may carry a pointer.
pub(crate) struct Wanted {
    instructions: Vec<Option<Use>>,
    arguments: fixedbitset::FixedBitSet,
}

impl Wanted {
    pub(crate) fn instruction(&self, id: InstructionId) -> Option<Use> {
        self.instructions[id.index()]
    }

    pub(crate) fn argument(&self, number: usize) -> bool {
        self.arguments.contains(number)
    }
}

/// `is_carrier` is asked for integers.
pub(crate) fn wanted(
    program: &Program,
    parameters: &[TypeId],
    body: &Body,
    is_carrier: impl Fn(Operand) -> bool,
) -> Wanted {
    let mut search = Search {
        program,
        parameters,
        body,
        wanted: Wanted {
            instructions: vec![None; body.instructions.len()],
            arguments: fixedbitset::FixedBitSet::with_capacity(parameters.len()),
        },
        work: Vec::new(),
    };
    let is_pointer = |type_id: TypeId| matches!(program.type_of(type_id), Type::Pointer(_));
    for id in body.instruction_ids() {
        let row = body.instruction(id);
        if is_pointer(row.type_id) {
            search.want(Operand::Instruction(id), Use::Kept);
        }
        let kept = match body.view(id) {
            View::Store { .. }
            | View::Load { .. }
            | View::CompareExchange { .. }
            | View::AtomicReadModifyWrite { .. }
            | View::Return { .. }
            | View::Resume { .. }
            | View::VariadicArgument { .. }
            | View::Opaque { .. }
            | View::Pad { .. } => body.operands(id),
            View::Call(call) => call.arguments,
            View::Binary { .. }
            | View::Cast { .. }
            | View::FloatNegate { .. }
            | View::Freeze { .. }
            | View::IntegerCompare { .. }
            | View::FloatCompare { .. }
            | View::Select { .. }
            | View::Alloca { .. }
            | View::GetElementPointer { .. }
            | View::Fence
            | View::Phi { .. }
            | View::Jump { .. }
            | View::Branch { .. }
            | View::Switch { .. }
            | View::IndirectBranch { .. }
            | View::Unreachable
            | View::ExtractValue { .. }
            | View::InsertValue { .. }
            | View::ExtractElement { .. }
            | View::InsertElement { .. }
            | View::ShuffleVector { .. }
            | View::LandingPad { .. }
            | View::CatchSwitch { .. }
            | View::CatchReturn { .. }
            | View::CleanupReturn { .. } => &[],
        };
        for operand in kept {
            search.want(*operand, Use::Kept);
        }
    }
    for (number, type_id) in parameters.iter().enumerate() {
        if is_pointer(*type_id) {
            search.want(Operand::Argument(number as u32), Use::Kept);
        }
    }
    while let Some(id) = search.work.pop() {
        if let Some(used) = search.wanted.instructions[id.index()] {
            for (operand, _, used) in sources(program, body, id, used) {
                search.want(operand, used);
            }
        }
    }
    let mut wanted = search.wanted;
    for id in body.instruction_ids() {
        let type_id = body.instruction(id).type_id;
        if !is_pointer(type_id) && !is_carrier(Operand::Instruction(id)) {
            wanted.instructions[id.index()] = None;
        }
    }
    for (number, type_id) in parameters.iter().enumerate() {
        if !is_pointer(*type_id) && !is_carrier(Operand::Argument(number as u32)) {
            wanted.arguments.set(number, false);
        }
    }
    wanted
}

struct Search<'a> {
    program: &'a Program,
    parameters: &'a [TypeId],
    body: &'a Body,
    wanted: Wanted,
    work: Vec<InstructionId>,
}

impl Search<'_> {
    fn want(&mut self, operand: Operand, used: Use) {
        match operand {
            Operand::Instruction(id) => {
                let known = &mut self.wanted.instructions[id.index()];
                let type_id = self.body.instruction(id).type_id;
                if *known < Some(used) && may_carry(self.program, type_id) {
                    *known = Some(used);
                    self.work.push(id);
                }
            }
            Operand::Argument(number) => {
                let type_id = self.parameters.get(number as usize);
                if type_id.is_some_and(|type_id| may_carry(self.program, *type_id)) {
                    self.wanted.arguments.insert(number as usize);
                }
            }
            // Nothing of the function makes these.
            Operand::Constant(_) | Operand::Block(_) | Operand::Index(_) => {}
        }
    }
}
