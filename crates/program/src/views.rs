//! What are the operands of an instruction?
//!
//! A row keeps its operands as a range of a pool; the table in [`crate::instruction`] says what stands
//! where. [`View`] is that table as types: one variant for each kind of instruction, with a name for
//! each operand. An analysis that needs to know what an instruction does matches on its view, without a
//! catch-all arm: then a new kind of instruction does not compile until each analysis has decided.
//!
//! **Why right.** A row whose operands do not fit its opcode is viewed as [`View::Opaque`], of which
//! every analysis assumes the worst.
//!
//! **Cost.** One match; nothing is allocated.

use crate::opcode_properties::CallTargets;
use crate::{BlockId, Instruction, Opcode, Operand, TypeId};

/// An instruction with names for its operands.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    Binary {
        operation: Binary,
        left: Operand,
        right: Operand,
    },
    Cast {
        operation: Cast,
        value: Operand,
    },
    FloatNegate {
        value: Operand,
    },
    Freeze {
        value: Operand,
    },
    IntegerCompare {
        left: Operand,
        right: Operand,
    },
    FloatCompare {
        left: Operand,
        right: Operand,
    },
    Select {
        condition: Operand,
        then: Operand,
        otherwise: Operand,
    },
    Alloca {
        count: Operand,
        content: TypeId,
    },
    Load {
        address: Operand,
    },
    Store {
        value: Operand,
        address: Operand,
    },
    GetElementPointer {
        base: Operand,
        indices: &'a [Operand],
        element: TypeId,
    },
    CompareExchange {
        address: Operand,
        expected: Operand,
        replacement: Operand,
    },
    AtomicReadModifyWrite {
        address: Operand,
        value: Operand,
    },
    Fence,
    Phi {
        incoming: Incoming<'a>,
    },
    Call(Call<'a>),
    Return {
        value: Option<Operand>,
    },
    Jump {
        target: BlockId,
    },
    Branch {
        condition: Operand,
        then: BlockId,
        otherwise: BlockId,
    },
    Switch {
        value: Operand,
        default: BlockId,
        /// Constant, block, constant, block, …
        cases: &'a [Operand],
    },
    IndirectBranch {
        address: Operand,
        targets: &'a [Operand],
    },
    Resume {
        value: Operand,
    },
    Unreachable,
    ExtractValue {
        aggregate: Operand,
        indices: &'a [Operand],
    },
    InsertValue {
        aggregate: Operand,
        value: Operand,
        indices: &'a [Operand],
    },
    ExtractElement {
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        vector: Operand,
        value: Operand,
        index: Operand,
    },
    ShuffleVector {
        left: Operand,
        right: Operand,
        mask: Operand,
    },
    VariadicArgument {
        list: Operand,
    },
    LandingPad {
        clauses: &'a [Operand],
    },
    /// `catchpad` and `cleanuppad`, which enter a handler.
    Pad {
        operands: &'a [Operand],
    },
    CatchSwitch {
        operands: &'a [Operand],
    },
    CatchReturn {
        operands: &'a [Operand],
    },
    CleanupReturn {
        operands: &'a [Operand],
    },
    /// Not known: it may read all operands and write all that it can reach.
    Opaque {
        operands: &'a [Operand],
    },
}

/// `call`, `invoke` and `callbr`.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    pub callee: Operand,
    pub arguments: &'a [Operand],
    /// Where control goes on: none for `call`; normal and unwind, or fallthrough and others.
    pub targets: &'a [Operand],
}

/// The rows of a phi: value, block, value, block, …
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a> {
    operands: &'a [Operand],
}

impl<'a> Incoming<'a> {
    pub fn values(self) -> impl Iterator<Item = Operand> + use<'a> {
        self.operands.iter().copied().step_by(2)
    }

    /// Values and the blocks that they come from.
    pub fn rows(self) -> impl Iterator<Item = (BlockId, Operand)> + use<'a> {
        let rows = self.operands.chunks_exact(2);
        rows.filter_map(|row| match row[1] {
            Operand::Block(block) => Some((block, row[0])),
            _ => None,
        })
    }
}

macro_rules! family {
    ($(#[$doc:meta])* $family:ident { $($variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $family { $($variant),* }

        impl From<$family> for Opcode {
            fn from(operation: $family) -> Opcode {
                match operation { $($family::$variant => Opcode::$variant),* }
            }
        }
    };
}

family! {
    /// An operation on two numbers.
    Binary {
        Add, FloatAdd, Subtract, FloatSubtract, Multiply, FloatMultiply, UnsignedDivide,
        SignedDivide, FloatDivide, UnsignedRemainder, SignedRemainder, FloatRemainder, ShiftLeft,
        LogicalShiftRight, ArithmeticShiftRight, And, Or, Xor,
    }
}

family! {
    /// A value as another type.
    Cast {
        Truncate, ZeroExtend, SignExtend, FloatTruncate, FloatExtend, FloatToUnsigned,
        FloatToSigned, UnsignedToFloat, SignedToFloat, PointerToInteger, IntegerToPointer, BitCast,
        AddressSpaceCast,
    }
}

impl<'a> View<'a> {
    pub fn of(row: &Instruction, operands: &'a [Operand]) -> View<'a> {
        View::well_formed(row, operands).unwrap_or(View::Opaque { operands })
    }

    fn well_formed(row: &Instruction, operands: &'a [Operand]) -> Option<View<'a>> {
        let binary = |operation: Binary| match *operands {
            [left, right] => Some(View::Binary {
                operation,
                left,
                right,
            }),
            _ => None,
        };
        let cast = |operation: Cast| match *operands {
            [value] => Some(View::Cast { operation, value }),
            _ => None,
        };
        Some(match (row.opcode, operands) {
            (Opcode::Add, _) => binary(Binary::Add)?,
            (Opcode::FloatAdd, _) => binary(Binary::FloatAdd)?,
            (Opcode::Subtract, _) => binary(Binary::Subtract)?,
            (Opcode::FloatSubtract, _) => binary(Binary::FloatSubtract)?,
            (Opcode::Multiply, _) => binary(Binary::Multiply)?,
            (Opcode::FloatMultiply, _) => binary(Binary::FloatMultiply)?,
            (Opcode::UnsignedDivide, _) => binary(Binary::UnsignedDivide)?,
            (Opcode::SignedDivide, _) => binary(Binary::SignedDivide)?,
            (Opcode::FloatDivide, _) => binary(Binary::FloatDivide)?,
            (Opcode::UnsignedRemainder, _) => binary(Binary::UnsignedRemainder)?,
            (Opcode::SignedRemainder, _) => binary(Binary::SignedRemainder)?,
            (Opcode::FloatRemainder, _) => binary(Binary::FloatRemainder)?,
            (Opcode::ShiftLeft, _) => binary(Binary::ShiftLeft)?,
            (Opcode::LogicalShiftRight, _) => binary(Binary::LogicalShiftRight)?,
            (Opcode::ArithmeticShiftRight, _) => binary(Binary::ArithmeticShiftRight)?,
            (Opcode::And, _) => binary(Binary::And)?,
            (Opcode::Or, _) => binary(Binary::Or)?,
            (Opcode::Xor, _) => binary(Binary::Xor)?,
            (Opcode::Truncate, _) => cast(Cast::Truncate)?,
            (Opcode::ZeroExtend, _) => cast(Cast::ZeroExtend)?,
            (Opcode::SignExtend, _) => cast(Cast::SignExtend)?,
            (Opcode::FloatTruncate, _) => cast(Cast::FloatTruncate)?,
            (Opcode::FloatExtend, _) => cast(Cast::FloatExtend)?,
            (Opcode::FloatToUnsigned, _) => cast(Cast::FloatToUnsigned)?,
            (Opcode::FloatToSigned, _) => cast(Cast::FloatToSigned)?,
            (Opcode::UnsignedToFloat, _) => cast(Cast::UnsignedToFloat)?,
            (Opcode::SignedToFloat, _) => cast(Cast::SignedToFloat)?,
            (Opcode::PointerToInteger, _) => cast(Cast::PointerToInteger)?,
            (Opcode::IntegerToPointer, _) => cast(Cast::IntegerToPointer)?,
            (Opcode::BitCast, _) => cast(Cast::BitCast)?,
            (Opcode::AddressSpaceCast, _) => cast(Cast::AddressSpaceCast)?,
            (Opcode::FloatNegate, &[value]) => View::FloatNegate { value },
            (Opcode::Freeze, &[value]) => View::Freeze { value },
            (Opcode::IntegerCompare, &[left, right]) => View::IntegerCompare { left, right },
            (Opcode::FloatCompare, &[left, right]) => View::FloatCompare { left, right },
            (Opcode::Select, &[condition, then, otherwise]) => View::Select {
                condition,
                then,
                otherwise,
            },
            (Opcode::Alloca, &[count]) => View::Alloca {
                count,
                content: TypeId(row.extra),
            },
            (Opcode::Load, &[address]) => View::Load { address },
            (Opcode::Store, &[value, address]) => View::Store { value, address },
            (Opcode::GetElementPointer, [base, indices @ ..]) => View::GetElementPointer {
                base: *base,
                indices,
                element: TypeId(row.extra),
            },
            (Opcode::CompareExchange, &[address, expected, replacement]) => View::CompareExchange {
                address,
                expected,
                replacement,
            },
            (Opcode::AtomicReadModifyWrite, &[address, value]) => {
                View::AtomicReadModifyWrite { address, value }
            }
            (Opcode::Fence, []) => View::Fence,
            (Opcode::Phi, _) => View::Phi {
                incoming: Incoming { operands },
            },
            (Opcode::Call | Opcode::Invoke | Opcode::CallBr, _) => {
                View::Call(Call::of(row.opcode, operands)?)
            }
            (Opcode::Return, []) => View::Return { value: None },
            (Opcode::Return, &[value]) => View::Return { value: Some(value) },
            (Opcode::Branch, &[Operand::Block(target)]) => View::Jump { target },
            (Opcode::Branch, &[condition, Operand::Block(then), Operand::Block(otherwise)]) => {
                View::Branch {
                    condition,
                    then,
                    otherwise,
                }
            }
            (Opcode::Switch, [value, Operand::Block(default), cases @ ..]) => View::Switch {
                value: *value,
                default: *default,
                cases,
            },
            (Opcode::IndirectBranch, [address, targets @ ..]) => View::IndirectBranch {
                address: *address,
                targets,
            },
            (Opcode::Resume, &[value]) => View::Resume { value },
            (Opcode::Unreachable, []) => View::Unreachable,
            (Opcode::ExtractValue, [aggregate, indices @ ..]) => View::ExtractValue {
                aggregate: *aggregate,
                indices,
            },
            (Opcode::InsertValue, [aggregate, value, indices @ ..]) => View::InsertValue {
                aggregate: *aggregate,
                value: *value,
                indices,
            },
            (Opcode::ExtractElement, &[vector, index]) => View::ExtractElement { vector, index },
            (Opcode::InsertElement, &[vector, value, index]) => View::InsertElement {
                vector,
                value,
                index,
            },
            (Opcode::ShuffleVector, &[left, right, mask]) => {
                View::ShuffleVector { left, right, mask }
            }
            (Opcode::VariadicArgument, &[list]) => View::VariadicArgument { list },
            (Opcode::LandingPad, clauses) => View::LandingPad { clauses },
            (Opcode::CatchPad | Opcode::CleanupPad, operands) => View::Pad { operands },
            (Opcode::CatchSwitch, operands) => View::CatchSwitch { operands },
            (Opcode::CatchReturn, operands) => View::CatchReturn { operands },
            (Opcode::CleanupReturn, operands) => View::CleanupReturn { operands },
            (Opcode::Opaque, operands) => View::Opaque { operands },
            (
                Opcode::FloatNegate
                | Opcode::Freeze
                | Opcode::IntegerCompare
                | Opcode::FloatCompare
                | Opcode::Select
                | Opcode::Alloca
                | Opcode::Load
                | Opcode::Store
                | Opcode::GetElementPointer
                | Opcode::CompareExchange
                | Opcode::AtomicReadModifyWrite
                | Opcode::Fence
                | Opcode::Return
                | Opcode::Branch
                | Opcode::Switch
                | Opcode::IndirectBranch
                | Opcode::Resume
                | Opcode::Unreachable
                | Opcode::ExtractValue
                | Opcode::InsertValue
                | Opcode::ExtractElement
                | Opcode::InsertElement
                | Opcode::ShuffleVector
                | Opcode::VariadicArgument,
                _,
            ) => return None,
        })
    }
}

impl<'a> Call<'a> {
    /// `None` for an opcode that does not call, or without a callee.
    pub fn of(opcode: Opcode, operands: &'a [Operand]) -> Option<Call<'a>> {
        let (callee, rest) = operands.split_first()?;
        let targets = match opcode.call_targets()? {
            CallTargets::None => 0,
            CallTargets::Two => 2,
            CallTargets::Listed => {
                let is_block = |operand: &Operand| matches!(operand, Operand::Block(_));
                rest.iter().rposition(is_block).map_or(0, |last| last + 1)
            }
        };
        let (targets, arguments) = rest.split_at_checked(targets)?;
        Some(Call {
            callee: *callee,
            arguments,
            targets,
        })
    }
}

#[cfg(test)]
mod tests;
