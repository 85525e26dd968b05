//! Instructions about memory: loads, stores, `alloca`, `getelementptr`.

use super::Decoder;
use crate::code::Action;
use crate::memory::Site;
use crate::memory_access::alignment_mask;
use crate::pointers::{self, Index};
use crate::shapes::narrow_width;
use crate::value::sign_extend;
use knockon_program::{Constant, Flags, InstructionId, Operand, TypeId};

impl Decoder<'_, '_> {
    pub(super) fn load(&self, id: InstructionId) -> Action {
        let row = self.body.instruction(id);
        match narrow_width(self.program, row.type_id) {
            Some(width) => Action::Load {
                to: self.code.results[id.index()],
                address: self.operand(id, 0),
                size: self.program.store_size(row.type_id) as u8,
                width: width as u8,
                alignment: alignment_mask(row.detail),
            },
            None => Action::General,
        }
    }

    pub(super) fn store(&self, id: InstructionId) -> Action {
        let row = self.body.instruction(id);
        let Some(type_id) = self.type_of_operand(id, 0) else {
            return Action::General;
        };
        match narrow_width(self.program, type_id) {
            Some(_) => Action::Store {
                value: self.operand(id, 0),
                address: self.operand(id, 1),
                size: self.program.store_size(type_id) as u8,
                alignment: alignment_mask(row.detail),
            },
            None => Action::General,
        }
    }

    pub(super) fn alloca(&mut self, id: InstructionId) -> Action {
        let row = *self.body.instruction(id);
        let count = match self.body.operands(id).first() {
            Some(Operand::Constant(constant)) => match self.program.constant(*constant) {
                Constant::Integer { bits, .. } => u64::try_from(*bits).ok(),
                _ => None,
            },
            None => Some(1),
            _ => None,
        };
        let size = count
            .and_then(|count| count.checked_mul(self.program.size_of(TypeId(row.extra))))
            .and_then(|size| u32::try_from(size).ok());
        match size {
            Some(size) => Action::Alloca {
                to: self.code.results[id.index()],
                size,
                site: self
                    .machine
                    .memory
                    .site(Site::Instruction(self.code.function, id)),
            },
            None => Action::General,
        }
    }

    pub(super) fn pointer(&mut self, id: InstructionId) -> Action {
        let row = *self.body.instruction(id);
        let to = self.code.results[id.index()];
        let base = self.operand(id, 0);
        if !to.is_scalar() || !base.is_scalar() {
            return Action::General;
        }
        let mut indices = Vec::new();
        for index in 1..row.operand_count as usize {
            let Some(width) = self
                .type_of_operand(id, index)
                .and_then(|type_id| narrow_width(self.program, type_id))
            else {
                return Action::General;
            };
            let slot = self.operand(id, index);
            let constant = match self.body.operands(id)[index] {
                Operand::Constant(constant) => match self.program.constant(constant) {
                    Constant::Integer { bits, .. } => Some(sign_extend(*bits as u64, width)),
                    _ => None,
                },
                _ => None,
            };
            indices.push(Index {
                slot,
                width,
                constant,
            });
        }
        let in_bounds = row.flags.has(Flags::IN_BOUNDS);
        let element = TypeId(row.extra);
        let resolved = pointers::resolve(self.program, self.body, id, element, &indices, in_bounds);
        let Some(path) = resolved else {
            return Action::General;
        };
        match (path.terms.as_slice(), i32::try_from(path.constant)) {
            // An array named as a pointer: the base itself, whatever it is.
            ([], Ok(0)) if !path.member => Action::Move { to, from: base },
            ([], Ok(offset)) if path.in_bounds => Action::Offset {
                to,
                base,
                offset,
                member: path.member,
            },
            ([term], Ok(0))
                if path.in_bounds
                    && term.bound.is_none()
                    && !path.member
                    && i32::try_from(term.scale).is_ok() =>
            {
                Action::Index {
                    to,
                    base,
                    index: term.index,
                    scale: term.scale as i32,
                    width: term.width,
                }
            }
            _ => {
                self.code.paths.push(path);
                Action::Path {
                    to,
                    base,
                    path: self.code.paths.len() as u32 - 1,
                }
            }
        }
    }
}
