//! The code of one function: blocks, instruction rows, one operand pool.
//!
//! Invariants: block 0 is the entry; the blocks' instruction ranges are
//! contiguous, in block order, and cover the instruction table; each block ends
//! in its only terminator; phi instructions come first in their block.

use crate::{
    BlockId, Call, Flags, Instruction, InstructionId, Name, Opcode, Operand, PlaceId, TypeId,
    VariableId, View,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Body {
    pub blocks: Vec<Block>,
    pub instructions: Vec<Instruction>,
    pub operands: Vec<Operand>,
    /// Source variables, from debug info.
    pub variables: Vec<Variable>,
    /// Where a variable lives or which value it has, in instruction order.
    pub variable_locations: Vec<VariableLocation>,
    /// The arguments of calls that are passed as copies in memory, by call and number.
    pub by_value_arguments: Vec<ByValueArgument>,
    /// `llvm.dbg.*` calls that became `variable_locations` or were dropped: the
    /// reader's account of instructions that are in the text and not here.
    pub debug_calls: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    pub name: Name,
    pub first: InstructionId,
    /// One past the last.
    pub end: InstructionId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    pub name: Name,
    /// 1-based parameter number, 0 for a local.
    pub parameter: u32,
    /// Where it is declared.
    pub place: PlaceId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VariableLocationKind {
    /// The value is the variable's address for its whole life.
    Declared,
    /// From here on the variable has this value.
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableLocation {
    pub kind: VariableLocationKind,
    pub variable: VariableId,
    pub value: Operand,
    /// The instruction in front of which this holds.
    pub before: InstructionId,
    /// The expression is empty: the value is the variable, whole and unchanged.
    pub whole: bool,
}

/// An argument whose operand is an address and whose value is what stands there: the callee gets a
/// copy. Behind `...` only the call can say so, since no parameter does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByValueArgument {
    pub call: InstructionId,
    /// Its place in [`Body::arguments`].
    pub argument: u32,
    pub pointee: TypeId,
    /// The logarithm of the copy's alignment as the call states it; 0 where it does not.
    pub alignment: u8,
}

impl Body {
    pub fn instruction(&self, id: InstructionId) -> &Instruction {
        &self.instructions[id.index()]
    }

    pub fn operands(&self, id: InstructionId) -> &[Operand] {
        let row = &self.instructions[id.index()];
        &self.operands[row.first_operand as usize..][..row.operand_count as usize]
    }

    pub fn block(&self, id: BlockId) -> Block {
        self.blocks[id.index()]
    }

    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId::from_index)
    }

    pub fn instructions_of(
        &self,
        block: BlockId,
    ) -> impl DoubleEndedIterator<Item = InstructionId> + use<> {
        let block = self.blocks[block.index()];
        (block.first.0..block.end.0).map(InstructionId)
    }

    pub fn instruction_ids(&self) -> impl DoubleEndedIterator<Item = InstructionId> + use<> {
        (0..self.instructions.len()).map(InstructionId::from_index)
    }

    pub fn terminator(&self, block: BlockId) -> InstructionId {
        InstructionId(self.blocks[block.index()].end.0 - 1)
    }

    /// Successors in operand order; a `switch` may name one block several times.
    pub fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        self.operands(self.terminator(block))
            .iter()
            .filter_map(|operand| match operand {
                Operand::Block(block) => Some(*block),
                _ => None,
            })
    }

    /// The block of each instruction, as a table.
    pub fn block_of_each_instruction(&self) -> Vec<BlockId> {
        let mut table = Vec::with_capacity(self.instructions.len());
        for (index, block) in self.blocks.iter().enumerate() {
            table.resize(block.end.index(), BlockId::from_index(index));
        }
        table
    }

    /// The instruction with names for its operands.
    pub fn view(&self, id: InstructionId) -> View<'_> {
        View::of(self.instruction(id), self.operands(id))
    }

    /// A call, invoke or callbr.
    pub fn call(&self, id: InstructionId) -> Option<Call<'_>> {
        Call::of(self.instruction(id).opcode, self.operands(id))
    }

    /// The callee operand of a call, invoke or callbr.
    pub fn callee(&self, id: InstructionId) -> Option<Operand> {
        self.call(id).map(|call| call.callee)
    }

    /// The arguments of a call, invoke or callbr, without the callee and the
    /// successor blocks.
    pub fn arguments(&self, id: InstructionId) -> &[Operand] {
        self.call(id).map_or(&[], |call| call.arguments)
    }

    /// The arguments of a call that are passed as copies in memory, by number.
    pub fn by_value_arguments_of(&self, call: InstructionId) -> &[ByValueArgument] {
        let table = &self.by_value_arguments;
        let first = table.partition_point(|row| row.call < call);
        let count = table[first..].partition_point(|row| row.call == call);
        &table[first..][..count]
    }

    /// Opens a new block; instructions pushed from now on belong to it.
    pub fn begin_block(&mut self, name: Name) -> BlockId {
        let id = BlockId::from_index(self.blocks.len());
        let at = InstructionId::from_index(self.instructions.len());
        self.blocks.push(Block {
            name,
            first: at,
            end: at,
        });
        id
    }

    /// Appends an instruction to the block opened last.
    pub fn push(
        &mut self,
        row: InstructionRow,
        operands: impl IntoIterator<Item = Operand>,
    ) -> InstructionId {
        let id = InstructionId::from_index(self.instructions.len());
        let first_operand = self.operands.len() as u32;
        self.operands.extend(operands);
        self.instructions.push(Instruction {
            opcode: row.opcode,
            detail: row.detail,
            flags: row.flags,
            type_id: row.type_id,
            extra: row.extra,
            place: row.place,
            first_operand,
            operand_count: self.operands.len() as u32 - first_operand,
        });
        if let Some(block) = self.blocks.last_mut() {
            block.end = InstructionId::from_index(self.instructions.len());
        }
        id
    }
}

/// An instruction without its operands, for [`Body::push`].
#[derive(Clone, Copy, Debug)]
pub struct InstructionRow {
    pub opcode: Opcode,
    pub detail: u8,
    pub flags: Flags,
    pub type_id: TypeId,
    pub extra: u32,
    pub place: PlaceId,
}
