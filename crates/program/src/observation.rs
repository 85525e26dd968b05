//! What does a node observe each time that it runs?
//!
//! This is the one definition of "behaves differently" (docs/soundness.md): the interpreter records
//! it, pairing and dependence over-approximate what may change it, and proofs show that it is the
//! same. A *node* is an instruction of the promoted program that has a place in the source. It
//! observes
//!
//! - its operands; a phi the one that control brings ([`observed_operands`]);
//! - for a load the value that it reads, and for a call its result and that it comes back
//!   ([`Opcode::observes_result`]);
//! - for the assignment of a structure, and for structures that are passed as copies, what they hold
//!   ([`observed_memory`]). Other memory that a callee reads is not observed.
//!
//! Two kinds of instructions are there only for the compiler or only for us. Marks of the stack are no
//! nodes ([`is_node`]). A store that promotion takes away leaves a copy, which is a node, if without it
//! nothing on the line would observe the value ([`is_copy`]).
//!
//! A node behaves differently if it runs more or less often than its partner, or observes something
//! else at one occurrence.

use crate::{
    Body, ByValueArgument, InstructionId, Intrinsic, Opcode, Operand, Program, Type, TypeId, View,
};

/// It has a place in the source, and its value is one of the program: where the stack ends, for
/// arrays of variable length, is the compiler's doing.
pub fn is_node(program: &Program, body: &Body, id: InstructionId) -> bool {
    program.place(body.instruction(id).place).is_known()
        && !Intrinsic::called(program, body, id).is_some_and(Intrinsic::marks_stack)
}

/// The operands whose values a node observes. Of a phi these are all that control may bring, of which
/// it observes one.
pub fn observed_operands(body: &Body, id: InstructionId) -> impl Iterator<Item = Operand> + '_ {
    let operands = body.operands(id).iter().copied();
    operands.filter(|operand| match operand {
        Operand::Instruction(_) | Operand::Argument(_) | Operand::Constant(_) => true,
        Operand::Block(_) | Operand::Index(_) => false,
    })
}

/// The memory that a call observes by what it is given.
#[derive(Clone, Copy, Debug)]
pub struct ObservedMemory<'a> {
    /// The assignment of a structure, or what is compiled to one.
    pub copied: Option<CopiedMemory>,
    /// Arguments that are passed as copies.
    pub by_value: &'a [ByValueArgument],
}

/// A piece of memory, by which of the call's arguments say where it begins and how long it is.
#[derive(Clone, Copy, Debug)]
pub struct CopiedMemory {
    pub from: usize,
    pub length: usize,
}

impl ObservedMemory<'_> {
    pub fn is_nothing(&self) -> bool {
        self.copied.is_none() && self.by_value.is_empty()
    }
}

/// Nothing if the instruction is not a call.
pub fn observed_memory<'a>(
    program: &Program,
    body: &'a Body,
    id: InstructionId,
) -> ObservedMemory<'a> {
    let is_copy = Intrinsic::called(program, body, id).is_some_and(Intrinsic::copies_memory);
    let copied =
        (is_copy && body.arguments(id).len() >= 3).then_some(CopiedMemory { from: 1, length: 2 });
    ObservedMemory {
        copied,
        by_value: body.by_value_arguments_of(id),
    }
}

/// A store to a variable of this type leaves a copy when promotion takes it away: the source sets a
/// number or an address, and what is stored is a constant, an argument, or was loaded. All else is
/// computed by an instruction of the same statement, which observes what the value is made of.
pub fn is_copy(program: &Program, body: &Body, store: InstructionId, variable: TypeId) -> bool {
    let View::Store { value, .. } = body.view(store) else {
        return false;
    };
    let is_plain = matches!(
        program.type_of(variable),
        Type::Integer(_) | Type::Float | Type::Double | Type::Pointer(_)
    );
    is_plain
        && program.place(body.instruction(store).place).is_known()
        && match value {
            Operand::Instruction(id) => body.instruction(id).opcode == Opcode::Load,
            Operand::Argument(_) | Operand::Constant(_) => true,
            Operand::Block(_) | Operand::Index(_) => false,
        }
}
