//! What does a body say about pointers, instruction by instruction?
//!
//! A body is read once into rules: the pointers that an instruction moves, reads, writes, makes or
//! hands to a call. Solving applies the rules until nothing changes, so the rules keep what is
//! costly to find out (sizes, offsets) and leave out all instructions that concern no pointer and
//! no memory.

use super::carriers::{Distance, may_carry, sources};
use super::extents::Extent;
use super::offsets::Offsets;
use super::paths::{accessed_addresses, path_offsets};
use super::wanted_values::{Wanted, wanted};
use knockon_program::{
    Body, Constant, Function, InstructionId, Operand, Program, Type, TypeId, View,
};
use smallvec::SmallVec;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// The value may be the operand, moved.
    Move {
        to: InstructionId,
        from: Operand,
        by: Offsets,
        /// The bytes, from the operand on, of the array that the value points into.
        array: Option<Extent>,
    },
    /// A local variable.
    Allocate {
        to: InstructionId,
    },
    /// Bytes are read, and their pointers go into the value if it is wanted.
    Read {
        instruction: InstructionId,
        is_wanted: bool,
        address: Operand,
        by: u32,
        size: u32,
    },
    /// Bytes are written, and the value's pointers go there if there is one.
    Write {
        instruction: InstructionId,
        value: Option<Operand>,
        address: Operand,
        by: u32,
        size: u32,
    },
    /// `va_arg`: an argument out of a list.
    NextVariadic {
        instruction: InstructionId,
        is_wanted: bool,
        list: Operand,
    },
    /// All operands go to, and the result comes from, what is not known.
    Unknown {
        instruction: InstructionId,
    },
    Call {
        instruction: InstructionId,
        /// The result may carry a pointer that somebody uses.
        is_wanted: bool,
    },
    Return {
        value: Operand,
    },
}

/// Aggregates with more scalars are accessed as one piece.
const MOST_SCALARS: usize = 64;

/// The scalars of a type: offset, size, whether it may carry a pointer.
pub(crate) fn scalars(program: &Program, type_id: TypeId) -> SmallVec<[(u32, u32, bool); 4]> {
    let mut found = SmallVec::new();
    if add_scalars(program, type_id, 0, &mut found).is_some() {
        return found;
    }
    let size = u32::try_from(program.size_of(type_id)).unwrap_or(u32::MAX >> 2);
    SmallVec::from_elem((0, size, may_carry(program, type_id)), 1)
}

fn add_scalars(
    program: &Program,
    type_id: TypeId,
    at: u64,
    found: &mut SmallVec<[(u32, u32, bool); 4]>,
) -> Option<()> {
    match program.type_of(type_id) {
        Type::Struct { fields, .. } => {
            for (number, field) in fields.iter().enumerate() {
                let offset = program.field_offset(type_id, number)?;
                add_scalars(program, *field, at.checked_add(offset)?, found)?;
            }
        }
        Type::Array { element, count } => {
            if *count > MOST_SCALARS as u64 {
                return None;
            }
            for number in 0..*count {
                add_scalars(
                    program,
                    *element,
                    at + number * program.size_of(*element),
                    found,
                )?;
            }
        }
        _ => {
            let size = u32::try_from(program.store_size(type_id)).ok()?;
            found.push((u32::try_from(at).ok()?, size, may_carry(program, type_id)));
        }
    }
    (found.len() <= MOST_SCALARS).then_some(())
}

/// What one function's body says.
#[derive(Debug, Default)]
pub(crate) struct BodyRules {
    pub(crate) rules: Vec<Rule>,
    /// The arguments that may carry a pointer somebody uses.
    pub(crate) wanted_arguments: Vec<bool>,
}

pub(crate) fn body_rules(
    program: &Program,
    pointer: TypeId,
    function: &Function,
    body: &Body,
    may_carry: impl Fn(Operand) -> bool,
) -> BodyRules {
    let parameters: Vec<TypeId> = function
        .parameters
        .iter()
        .map(|parameter| parameter.type_id)
        .collect();
    let mut reader = RuleReader {
        program,
        body,
        wanted: wanted(program, &parameters, body, may_carry),
        accessed: accessed_addresses(program, body),
        function,
        pointer,
        rules: Vec::new(),
    };
    for id in body.instruction_ids() {
        reader.read(id);
    }
    BodyRules {
        wanted_arguments: (0..parameters.len())
            .map(|number| reader.wanted.argument(number))
            .collect(),
        rules: reader.rules,
    }
}

struct RuleReader<'a> {
    program: &'a Program,
    body: &'a Body,
    function: &'a Function,
    pointer: TypeId,
    wanted: Wanted,
    accessed: fixedbitset::FixedBitSet,
    rules: Vec<Rule>,
}

impl RuleReader<'_> {
    fn read(&mut self, id: InstructionId) {
        let body = self.body;
        let type_id = body.instruction(id).type_id;
        let is_wanted = self.wanted.instruction(id).is_some();
        match body.view(id) {
            View::Alloca { .. } => self.rules.push(Rule::Allocate { to: id }),
            View::Load { address } => self.add_read(id, address, type_id),
            View::Store { value, address } => {
                self.add_write(id, value, address, self.type_of(value));
            }
            View::CompareExchange {
                address,
                expected: _,
                replacement,
            } => {
                let type_id = self.type_of(replacement);
                self.add_read(id, address, type_id);
                self.add_write(id, replacement, address, type_id);
            }
            View::AtomicReadModifyWrite { address, value } => {
                self.add_read(id, address, type_id);
                self.add_write(id, value, address, type_id);
            }
            View::VariadicArgument { list } => {
                self.rules.push(Rule::NextVariadic {
                    instruction: id,
                    is_wanted,
                    list,
                });
            }
            View::Return { value: Some(value) } => self.rules.push(Rule::Return { value }),
            View::Opaque { .. }
            | View::LandingPad { .. }
            | View::Resume { .. }
            | View::Pad { .. } => self.rules.push(Rule::Unknown { instruction: id }),
            View::Call(_) => self.rules.push(Rule::Call {
                instruction: id,
                is_wanted,
            }),
            // What makes a value of values, and touches no memory.
            View::Binary { .. }
            | View::Cast { .. }
            | View::Freeze { .. }
            | View::Select { .. }
            | View::GetElementPointer { .. }
            | View::Phi { .. }
            | View::ExtractValue { .. }
            | View::InsertValue { .. }
            | View::ExtractElement { .. }
            | View::InsertElement { .. }
            | View::ShuffleVector { .. } => self.moves(id),
            // What touches no memory and has no value that could be a pointer.
            View::FloatNegate { .. }
            | View::IntegerCompare { .. }
            | View::FloatCompare { .. }
            | View::Fence
            | View::Return { value: None }
            | View::Jump { .. }
            | View::Branch { .. }
            | View::Switch { .. }
            | View::IndirectBranch { .. }
            | View::CatchSwitch { .. }
            | View::CatchReturn { .. }
            | View::CleanupReturn { .. }
            | View::Unreachable => {}
        }
    }

    fn moves(&mut self, id: InstructionId) {
        let Some(used) = self.wanted.instruction(id) else {
            return;
        };
        for (from, distance, _) in sources(self.program, self.body, id, used) {
            let (by, array) = match distance {
                Distance::Known(by) => (by, None),
                Distance::Path => {
                    let accessed = self.accessed.contains(id.index());
                    path_offsets(self.program, self.body, id, accessed)
                }
            };
            self.rules.push(Rule::Move {
                to: id,
                from,
                by,
                array,
            });
        }
    }

    fn add_read(&mut self, instruction: InstructionId, address: Operand, type_id: TypeId) {
        let is_wanted = self.wanted.instruction(instruction).is_some();
        for (by, size, carries) in scalars(self.program, type_id) {
            self.rules.push(Rule::Read {
                instruction,
                is_wanted: is_wanted && carries,
                address,
                by,
                size,
            });
        }
    }

    fn add_write(
        &mut self,
        instruction: InstructionId,
        value: Operand,
        address: Operand,
        type_id: TypeId,
    ) {
        for (by, size, carries) in scalars(self.program, type_id) {
            self.rules.push(Rule::Write {
                instruction,
                value: carries.then_some(value),
                address,
                by,
                size,
            });
        }
    }

    /// Constants that carry no type of their own are addresses.
    fn type_of(&self, operand: Operand) -> TypeId {
        match operand {
            Operand::Instruction(id) => self.body.instruction(id).type_id,
            Operand::Argument(number) => self
                .function
                .parameters
                .get(number as usize)
                .map_or(self.pointer, |parameter| parameter.type_id),
            Operand::Constant(constant) => match self.program.constant(constant) {
                Constant::Integer { type_id, .. }
                | Constant::WideInteger { type_id, .. }
                | Constant::Float { type_id, .. }
                | Constant::Aggregate { type_id, .. }
                | Constant::Bytes { type_id, .. }
                | Constant::Null(type_id)
                | Constant::Zero(type_id)
                | Constant::Undefined(type_id)
                | Constant::Poison(type_id) => *type_id,
                Constant::Expression(expression) => expression.type_id,
                _ => self.pointer,
            },
            Operand::Block(_) | Operand::Index(_) => self.pointer,
        }
    }
}

/// The type of addresses; any type where the program has none.
pub(crate) fn pointer_type(program: &Program) -> TypeId {
    (0..program.types.len())
        .map(TypeId::from_index)
        .find(|id| matches!(program.type_of(*id), Type::Pointer(0)))
        .unwrap_or(TypeId(0))
}
