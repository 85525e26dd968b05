//! What value does a constant stand for, and how does it fill a global?

use crate::evaluate::{Operation, evaluate};
use crate::huge::Huge;
use crate::machine::Machine;
use crate::memory::{Allocation, ObjectKind, Site};
use crate::pointers;
use crate::shapes::{element_type, undefined_value, zero_value};
use crate::stop::{Outcome, unsupported};
use crate::value::{Scalar, Value, Wide};
use knockon_program::{Constant, ConstantId, Flags, Opcode, Program, TypeId};
use std::rc::Rc;

/// The type of a constant; `pointer` for the address of a symbol.
pub(crate) fn constant_type(program: &Program, id: ConstantId, pointer: TypeId) -> TypeId {
    program.constant(id).type_id().unwrap_or(pointer)
}

impl Machine<'_> {
    pub(crate) fn constant_value(&mut self, id: ConstantId) -> Outcome<Value> {
        let program = self.program;
        Ok(match program.constant(id) {
            Constant::Integer { type_id, bits } | Constant::Float { type_id, bits } => {
                match crate::shapes::scalar_width(program, *type_id) {
                    Some(width) if width > 128 => {
                        let words = [*bits as u64, (*bits >> 64) as u64];
                        Value::Huge(Rc::new(Huge::from_words(&words, width)))
                    }
                    Some(width) => Value::from_wide(Wide::new(*bits), width),
                    None => return unsupported("a number of a type without a width"),
                }
            }
            Constant::WideInteger { type_id, words } => {
                match crate::shapes::scalar_width(program, *type_id) {
                    Some(width) => Value::Huge(Rc::new(Huge::from_words(words, width))),
                    None => return unsupported("a number of a type without a width"),
                }
            }
            Constant::Null(_) => Value::integer(0),
            Constant::Zero(type_id) => zero_value(program, *type_id),
            Constant::Undefined(type_id) | Constant::Poison(type_id) => {
                undefined_value(program, *type_id)
            }
            Constant::Aggregate { elements, .. } => {
                let values: Outcome<Vec<Value>> = elements
                    .iter()
                    .map(|element| self.constant_value(*element))
                    .collect();
                Value::Aggregate(values?.into())
            }
            Constant::Bytes { bytes, .. } => Value::Aggregate(
                bytes
                    .iter()
                    .map(|byte| Value::integer(u64::from(*byte)))
                    .collect(),
            ),
            Constant::Global(global) => match self.global_addresses.get(global.index()) {
                Some(address) => Value::integer(*address),
                None => return unsupported("a global without an address"),
            },
            Constant::Function(function) => match self.function_addresses.get(function.index()) {
                Some(address) => Value::integer(*address),
                None => return unsupported("a function without an address"),
            },
            Constant::Alias(alias) => {
                let alias = &program.aliases[alias.index()];
                if alias.is_ifunc {
                    return unsupported("an ifunc");
                }
                return self.constant_value(alias.aliasee);
            }
            Constant::BlockAddress { function, block } => {
                let site = Site::Block(*function, *block);
                match self.block_addresses.get(&site) {
                    Some(address) => Value::integer(*address),
                    None => {
                        let row = self.memory.site(site);
                        let address = self.memory.allocate(Allocation {
                            size: 0,
                            kind: ObjectKind::Block,
                            site: row,
                            zeroed: true,
                        })?;
                        self.block_addresses.insert(site, address);
                        Value::integer(address)
                    }
                }
            }
            Constant::Expression(_) => return self.expression_value(id),
            Constant::Assembly { .. } => return unsupported("assembly used as a value"),
            Constant::Metadata(_) => Value::nothing(),
        })
    }

    fn expression_value(&mut self, id: ConstantId) -> Outcome<Value> {
        let program = self.program;
        let Constant::Expression(expression) = program.constant(id) else {
            return self.constant_value(id);
        };
        let mut values = Vec::with_capacity(expression.operands.len());
        let mut types = Vec::with_capacity(expression.operands.len());
        for operand in &expression.operands {
            values.push(self.constant_value(*operand)?);
            types.push(constant_type(program, *operand, self.pointer_type));
        }
        if expression.opcode == Opcode::GetElementPointer {
            return pointers::constant_address(program, expression.element_type, &values, &types);
        }
        let operation = Operation {
            opcode: expression.opcode,
            flags: Flags::NONE,
            detail: expression.detail,
            result: expression.type_id,
            operand_types: &types,
        };
        evaluate(program, &operation, &values)
    }

    /// Writes an initialiser to fresh memory.
    pub(crate) fn initialise(
        &mut self,
        address: u64,
        type_id: TypeId,
        constant: ConstantId,
    ) -> Outcome<()> {
        let program = self.program;
        match program.constant(constant) {
            Constant::Zero(_) | Constant::Null(_) => {
                let size = program.size_of(type_id);
                self.memory.fill(address, Scalar::new(0), size)
            }
            // The machine code of an undefined initialiser is zero.
            Constant::Undefined(_) | Constant::Poison(_) => {
                let size = program.size_of(type_id);
                self.memory.fill(address, Scalar::new(0), size)
            }
            Constant::Bytes { bytes, .. } => self.memory.write(address, bytes),
            Constant::Aggregate { elements, .. } => {
                let is_struct = program.field_offset(type_id, 0).is_some();
                for (index, element) in elements.iter().enumerate() {
                    let Some(element_type) = element_type(program, type_id, index) else {
                        return unsupported("an initialiser of another type");
                    };
                    let offset = if is_struct {
                        program.field_offset(type_id, index).unwrap_or(0)
                    } else {
                        index as u64 * program.size_of(element_type)
                    };
                    self.initialise(address + offset, element_type, *element)?;
                }
                Ok(())
            }
            _ => {
                let value = self.constant_value(constant)?;
                self.store_value(address, type_id, &value)
            }
        }
    }
}
