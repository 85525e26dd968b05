//! Is what an index is counted from known to be an array of just this length?
//!
//! Then an index beyond its end is undefined behaviour, which the interpreter reports and the memory
//! model takes for absent: one definition for both. So is a variable, a member that is not the last
//! of its struct (which may be longer than its type says), an element of an array. An unknown
//! pointer may point into a union.

use crate::{Body, Constant, ConstantId, Opcode, Operand, Program, Type, TypeId};

impl Program {
    /// The base is known to be an array of just this type.
    pub fn base_is_array(&self, body: &Body, base: Operand, array: TypeId) -> bool {
        match base {
            Operand::Instruction(id) => {
                let row = body.instruction(id);
                match row.opcode {
                    Opcode::Alloca => self.starts_with(TypeId(row.extra), array),
                    Opcode::GetElementPointer => {
                        let indices = body.operands(id).iter().skip(2);
                        let indices = indices.map(|operand| match operand {
                            Operand::Constant(constant) => self.constant_index(*constant),
                            _ => 0,
                        });
                        self.names_array(TypeId(row.extra), indices, array)
                    }
                    _ => false,
                }
            }
            Operand::Constant(constant) => match self.constant(constant) {
                Constant::Global(global) => {
                    self.starts_with(self.globals[global.index()].value_type, array)
                }
                Constant::Expression(expression)
                    if expression.opcode == Opcode::GetElementPointer =>
                {
                    let indices = expression.operands.iter().skip(2);
                    let indices = indices.map(|constant| self.constant_index(*constant));
                    self.names_array(expression.element_type, indices, array)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Only a struct's index matters, and that is a number.
    fn constant_index(&self, constant: ConstantId) -> usize {
        match self.constant(constant) {
            Constant::Integer { bits, .. } => *bits as usize,
            _ => 0,
        }
    }

    /// The array begins an object of this type, as an element or as a member with others behind it.
    fn starts_with(&self, mut current: TypeId, array: TypeId) -> bool {
        loop {
            if current == array {
                return true;
            }
            current = match self.type_of(current) {
                Type::Array { element, .. } => *element,
                Type::Struct { fields, .. } if fields.len() > 1 => fields[0],
                _ => return false,
            };
        }
    }

    /// The indices lead from a type to the array, and not to the last member of a struct.
    fn names_array(
        &self,
        mut current: TypeId,
        indices: impl Iterator<Item = usize>,
        array: TypeId,
    ) -> bool {
        let mut is_last_member = false;
        for index in indices {
            let next = match self.type_of(current) {
                Type::Struct { fields, .. } => {
                    is_last_member = index.checked_add(1) == Some(fields.len());
                    fields.get(index).copied()
                }
                Type::Array { element, .. } | Type::Vector { element, .. } => {
                    is_last_member = false;
                    Some(*element)
                }
                _ => None,
            };
            match next {
                Some(next) => current = next,
                None => return false,
            }
        }
        !is_last_member && self.starts_with(current, array)
    }
}
