//! Calls: the callee where it is known, the arguments' slots and types.

use super::Decoder;
use crate::callee::{self, Callee};
use crate::calls::CallSite;
use crate::code::Action;
use crate::memory::Site;
use crate::stop::{Outcome, unsupported};
use knockon_program::{Constant, InstructionId, Operand, TypeId};

impl Decoder<'_, '_> {
    pub(super) fn call(&mut self, id: InstructionId) -> Outcome<Action> {
        let row = *self.body.instruction(id);
        let arguments = self.body.arguments(id).len();
        let skipped = row.operand_count as usize - arguments;
        let callee = match self.body.operands(id).first() {
            Some(Operand::Constant(constant)) => match self.program.constant(*constant) {
                Constant::Assembly { template, .. } => {
                    if self.program.name(*template).trim().is_empty() {
                        Callee::EmptyAssembly
                    } else {
                        Callee::Assembly
                    }
                }
                _ => match self.program.called_function(*constant) {
                    Some(function) => callee::resolve(self.program, function),
                    None => Callee::Indirect(self.operand(id, 0)),
                },
            },
            _ => Callee::Indirect(self.operand(id, 0)),
        };
        let mut types = Vec::with_capacity(arguments);
        for index in skipped..row.operand_count as usize {
            match self.type_of_operand(id, index) {
                Some(type_id) => types.push(type_id),
                None => return unsupported("a call with an argument that is no value"),
            }
        }
        let mut in_memory = Vec::new();
        for row in self.body.by_value_arguments_of(id) {
            let index = row.argument as usize;
            let stated = 1u64 << row.alignment.min(32);
            in_memory.push((index, stated.max(self.program.alignment_of(row.pointee))));
            if let Some(type_id) = types.get_mut(index) {
                *type_id = row.pointee;
            }
        }
        let site = self
            .machine
            .memory
            .site(Site::Instruction(self.code.function, id));
        self.code.calls.push(CallSite {
            instruction: id,
            callee,
            first: row.first_operand as usize + skipped,
            count: arguments,
            types: types.into(),
            in_memory: in_memory.into(),
            function_type: TypeId(row.extra),
            result_type: row.type_id,
            to: self.code.results[id.index()],
            site,
        });
        Ok(Action::Call {
            site: self.code.calls.len() as u32 - 1,
        })
    }
}
