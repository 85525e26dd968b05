//! What is true of each opcode, wherever an analysis needs to know no more than that.
//!
//! **Rule.** No list has a catch-all arm: a new opcode must be put on one side of each of them before
//! anything compiles. Who needs operands, too, matches on [`crate::View`].

use crate::Opcode;

/// The blocks that an instruction which enters a function may go on to, as operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallTargets {
    None,
    Two,
    /// As many as there are.
    Listed,
}

#[rustfmt::skip]
impl Opcode {
    /// It ends a block.
    pub fn is_terminator(self) -> bool {
        use Opcode::*;
        match self {
            Return | Branch | Switch | IndirectBranch | Invoke | CallBr | Resume | CatchSwitch
            | CatchReturn | CleanupReturn | Unreachable => true,
            FloatNegate | Add | FloatAdd | Subtract | FloatSubtract | Multiply | FloatMultiply
            | UnsignedDivide | SignedDivide | FloatDivide | UnsignedRemainder | SignedRemainder
            | FloatRemainder | ShiftLeft | LogicalShiftRight | ArithmeticShiftRight | And | Or | Xor
            | ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue | Alloca
            | Load | Store | Fence | CompareExchange | AtomicReadModifyWrite | GetElementPointer
            | Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast | IntegerCompare | FloatCompare | Phi | Select | Freeze
            | Call | VariadicArgument | LandingPad | CatchPad | CleanupPad | Opaque => false,
        }
    }

    /// Control leaves the function by it, and what the function wrote stays for who goes on.
    pub fn leaves_function(self) -> bool {
        use Opcode::*;
        match self {
            Return | Resume => true,
            Branch | Switch | IndirectBranch | Invoke | CallBr | CatchSwitch | CatchReturn
            | CleanupReturn | Unreachable
            | FloatNegate | Add | FloatAdd | Subtract | FloatSubtract | Multiply | FloatMultiply
            | UnsignedDivide | SignedDivide | FloatDivide | UnsignedRemainder | SignedRemainder
            | FloatRemainder | ShiftLeft | LogicalShiftRight | ArithmeticShiftRight | And | Or | Xor
            | ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue | Alloca
            | Load | Store | Fence | CompareExchange | AtomicReadModifyWrite | GetElementPointer
            | Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast | IntegerCompare | FloatCompare | Phi | Select | Freeze
            | Call | VariadicArgument | LandingPad | CatchPad | CleanupPad | Opaque => false,
        }
    }

    /// An exception may leave the function by it.
    pub fn may_unwind_to_caller(self) -> bool {
        use Opcode::*;
        match self {
            Resume | CleanupReturn => true,
            // `catchswitch` may, too: analyses of control flow ask for its targets.
            CatchSwitch => false,
            Return | Branch | Switch | IndirectBranch | Invoke | CallBr | CatchReturn | Unreachable
            | FloatNegate | Add | FloatAdd | Subtract | FloatSubtract | Multiply | FloatMultiply
            | UnsignedDivide | SignedDivide | FloatDivide | UnsignedRemainder | SignedRemainder
            | FloatRemainder | ShiftLeft | LogicalShiftRight | ArithmeticShiftRight | And | Or | Xor
            | ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue | Alloca
            | Load | Store | Fence | CompareExchange | AtomicReadModifyWrite | GetElementPointer
            | Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast | IntegerCompare | FloatCompare | Phi | Select | Freeze
            | Call | VariadicArgument | LandingPad | CatchPad | CleanupPad | Opaque => false,
        }
    }

    /// A value as another type.
    pub fn is_cast(self) -> bool {
        use Opcode::*;
        match self {
            Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast => true,
            Return | Branch | Switch | IndirectBranch | Invoke | CallBr | Resume | CatchSwitch
            | CatchReturn | CleanupReturn | Unreachable
            | FloatNegate | Add | FloatAdd | Subtract | FloatSubtract | Multiply | FloatMultiply
            | UnsignedDivide | SignedDivide | FloatDivide | UnsignedRemainder | SignedRemainder
            | FloatRemainder | ShiftLeft | LogicalShiftRight | ArithmeticShiftRight | And | Or | Xor
            | ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue | Alloca
            | Load | Store | Fence | CompareExchange | AtomicReadModifyWrite | GetElementPointer
            | IntegerCompare | FloatCompare | Phi | Select | Freeze
            | Call | VariadicArgument | LandingPad | CatchPad | CleanupPad | Opaque => false,
        }
    }

    /// An operation on two numbers.
    pub fn is_binary(self) -> bool {
        use Opcode::*;
        match self {
            Add | FloatAdd | Subtract | FloatSubtract | Multiply | FloatMultiply
            | UnsignedDivide | SignedDivide | FloatDivide | UnsignedRemainder | SignedRemainder
            | FloatRemainder | ShiftLeft | LogicalShiftRight | ArithmeticShiftRight | And | Or
            | Xor => true,
            Return | Branch | Switch | IndirectBranch | Invoke | CallBr | Resume | CatchSwitch
            | CatchReturn | CleanupReturn | Unreachable | FloatNegate
            | ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue | Alloca
            | Load | Store | Fence | CompareExchange | AtomicReadModifyWrite | GetElementPointer
            | Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast | IntegerCompare | FloatCompare | Phi | Select | Freeze
            | Call | VariadicArgument | LandingPad | CatchPad | CleanupPad | Opaque => false,
        }
    }

    /// It enters a function.
    pub fn is_call(self) -> bool {
        self.call_targets().is_some()
    }

    /// Of what enters a function, which blocks stand between the callee and the arguments.
    pub fn call_targets(self) -> Option<CallTargets> {
        use Opcode::*;
        match self {
            Call => Some(CallTargets::None),
            Invoke => Some(CallTargets::Two),
            CallBr => Some(CallTargets::Listed),
            Return | Branch | Switch | IndirectBranch | Resume | CatchSwitch
            | CatchReturn | CleanupReturn | Unreachable
            | FloatNegate | Add | FloatAdd | Subtract | FloatSubtract | Multiply | FloatMultiply
            | UnsignedDivide | SignedDivide | FloatDivide | UnsignedRemainder | SignedRemainder
            | FloatRemainder | ShiftLeft | LogicalShiftRight | ArithmeticShiftRight | And | Or | Xor
            | ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue | Alloca
            | Load | Store | Fence | CompareExchange | AtomicReadModifyWrite | GetElementPointer
            | Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast | IntegerCompare | FloatCompare | Phi | Select | Freeze
            | VariadicArgument | LandingPad | CatchPad | CleanupPad | Opaque => None,
        }
    }

    /// It makes a value of its operands' values, and neither leads elsewhere nor touches memory. Not
    /// said of phis, which depend on where control comes from.
    pub fn only_computes(self) -> bool {
        use Opcode::*;
        match self {
            FloatNegate | Add | FloatAdd | Subtract | FloatSubtract | Multiply | FloatMultiply
            | UnsignedDivide | SignedDivide | FloatDivide | UnsignedRemainder | SignedRemainder
            | FloatRemainder | ShiftLeft | LogicalShiftRight | ArithmeticShiftRight | And | Or | Xor
            | Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast | GetElementPointer | IntegerCompare | FloatCompare
            | Select | Freeze => true,
            // Parts of vectors and structures are not followed so far.
            ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue => false,
            Return | Branch | Switch | IndirectBranch | Invoke | CallBr | Resume | CatchSwitch
            | CatchReturn | CleanupReturn | Unreachable | Alloca | Load | Store | Fence
            | CompareExchange | AtomicReadModifyWrite | Phi | Call | VariadicArgument | LandingPad
            | CatchPad | CleanupPad | Opaque => false,
        }
    }

    /// By itself, not through what it calls, it reads or writes memory at an address that it is given.
    pub fn accesses_memory(self) -> bool {
        use Opcode::*;
        match self {
            Load | Store | CompareExchange | AtomicReadModifyWrite | VariadicArgument => true,
            // Of these nothing is known; who asks has no proof about them.
            Opaque | LandingPad | CatchPad | CleanupPad => false,
            Return | Branch | Switch | IndirectBranch | Invoke | CallBr | Resume | CatchSwitch
            | CatchReturn | CleanupReturn | Unreachable | FloatNegate | Add | FloatAdd | Subtract
            | FloatSubtract | Multiply | FloatMultiply | UnsignedDivide | SignedDivide | FloatDivide
            | UnsignedRemainder | SignedRemainder | FloatRemainder | ShiftLeft | LogicalShiftRight
            | ArithmeticShiftRight | And | Or | Xor | ExtractElement | InsertElement | ShuffleVector
            | ExtractValue | InsertValue | Alloca | Fence | GetElementPointer
            | Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast | IntegerCompare | FloatCompare | Phi | Select | Freeze
            | Call => false,
        }
    }

    /// Its result may hold an address. Addresses are not followed through comparisons, products,
    /// quotients and floats.
    pub fn may_carry_address(self) -> bool {
        use Opcode::*;
        match self {
            IntegerCompare | FloatCompare | Multiply | UnsignedDivide | SignedDivide
            | UnsignedRemainder | SignedRemainder | FloatNegate | FloatAdd | FloatSubtract
            | FloatMultiply | FloatDivide | FloatRemainder | FloatTruncate | FloatExtend
            | FloatToUnsigned | FloatToSigned | UnsignedToFloat | SignedToFloat => false,
            Return | Branch | Switch | IndirectBranch | Invoke | CallBr | Resume | CatchSwitch
            | CatchReturn | CleanupReturn | Unreachable | Add | Subtract | ShiftLeft
            | LogicalShiftRight | ArithmeticShiftRight | And | Or | Xor | ExtractElement
            | InsertElement | ShuffleVector | ExtractValue | InsertValue | Alloca | Load | Store
            | Fence | CompareExchange | AtomicReadModifyWrite | GetElementPointer | Truncate
            | ZeroExtend | SignExtend | PointerToInteger | IntegerToPointer | BitCast
            | AddressSpaceCast | Phi | Select | Freeze | Call | VariadicArgument | LandingPad
            | CatchPad | CleanupPad | Opaque => true,
        }
    }

    /// A node of this opcode observes the value that it makes, beside its operands: what is read, or
    /// what a call returns. Other values follow from what is observed.
    pub fn observes_result(self) -> bool {
        use Opcode::*;
        match self {
            Load | Call | Invoke | CallBr => true,
            // Who uses what these read observes it.
            CompareExchange | AtomicReadModifyWrite | VariadicArgument | LandingPad | CatchPad
            | CleanupPad | Opaque => false,
            Return | Branch | Switch | IndirectBranch | Resume | CatchSwitch | CatchReturn
            | CleanupReturn | Unreachable | FloatNegate | Add | FloatAdd | Subtract
            | FloatSubtract | Multiply | FloatMultiply | UnsignedDivide | SignedDivide | FloatDivide
            | UnsignedRemainder | SignedRemainder | FloatRemainder | ShiftLeft | LogicalShiftRight
            | ArithmeticShiftRight | And | Or | Xor | ExtractElement | InsertElement | ShuffleVector
            | ExtractValue | InsertValue | Alloca | Store | Fence | GetElementPointer
            | Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast | IntegerCompare | FloatCompare | Phi | Select
            | Freeze => false,
        }
    }

    /// It writes, and observes nothing of what was there: among other writes it may come at another
    /// place and still observe the same.
    pub fn only_writes(self) -> bool {
        use Opcode::*;
        match self {
            Store => true,
            Return | Branch | Switch | IndirectBranch | Invoke | CallBr | Resume | CatchSwitch
            | CatchReturn | CleanupReturn | Unreachable | FloatNegate | Add | FloatAdd | Subtract
            | FloatSubtract | Multiply | FloatMultiply | UnsignedDivide | SignedDivide | FloatDivide
            | UnsignedRemainder | SignedRemainder | FloatRemainder | ShiftLeft | LogicalShiftRight
            | ArithmeticShiftRight | And | Or | Xor | ExtractElement | InsertElement | ShuffleVector
            | ExtractValue | InsertValue | Alloca | Load | Fence | CompareExchange
            | AtomicReadModifyWrite | GetElementPointer | Truncate | ZeroExtend | SignExtend
            | FloatTruncate | FloatExtend | FloatToUnsigned | FloatToSigned | UnsignedToFloat
            | SignedToFloat | PointerToInteger | IntegerToPointer | BitCast | AddressSpaceCast
            | IntegerCompare | FloatCompare | Phi | Select | Freeze | Call | VariadicArgument
            | LandingPad | CatchPad | CleanupPad | Opaque => false,
        }
    }

    /// What it writes is there after it, each time that it runs.
    pub fn always_writes(self) -> bool {
        use Opcode::*;
        match self {
            Store | AtomicReadModifyWrite => true,
            // An exchange that fails leaves what was there.
            CompareExchange => false,
            Return | Branch | Switch | IndirectBranch | Invoke | CallBr | Resume | CatchSwitch
            | CatchReturn | CleanupReturn | Unreachable | FloatNegate | Add | FloatAdd | Subtract
            | FloatSubtract | Multiply | FloatMultiply | UnsignedDivide | SignedDivide | FloatDivide
            | UnsignedRemainder | SignedRemainder | FloatRemainder | ShiftLeft | LogicalShiftRight
            | ArithmeticShiftRight | And | Or | Xor | ExtractElement | InsertElement | ShuffleVector
            | ExtractValue | InsertValue | Alloca | Load | Fence | GetElementPointer
            | Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast | IntegerCompare | FloatCompare | Phi | Select | Freeze
            | Call | VariadicArgument | LandingPad | CatchPad | CleanupPad | Opaque => false,
        }
    }

    /// What [`crate::Instruction::extra`] is.
    pub fn extra(self) -> Extra {
        use Opcode::*;
        match self {
            Alloca | GetElementPointer | Call | Invoke | CallBr => Extra::Type,
            Opaque => Extra::Mnemonic,
            Return | Branch | Switch | IndirectBranch | Resume | CatchSwitch
            | CatchReturn | CleanupReturn | Unreachable
            | FloatNegate | Add | FloatAdd | Subtract | FloatSubtract | Multiply | FloatMultiply
            | UnsignedDivide | SignedDivide | FloatDivide | UnsignedRemainder | SignedRemainder
            | FloatRemainder | ShiftLeft | LogicalShiftRight | ArithmeticShiftRight | And | Or | Xor
            | ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue
            | Load | Store | Fence | CompareExchange | AtomicReadModifyWrite
            | Truncate | ZeroExtend | SignExtend | FloatTruncate | FloatExtend | FloatToUnsigned
            | FloatToSigned | UnsignedToFloat | SignedToFloat | PointerToInteger | IntegerToPointer
            | BitCast | AddressSpaceCast | IntegerCompare | FloatCompare | Phi | Select | Freeze
            | VariadicArgument | LandingPad | CatchPad | CleanupPad => Extra::Nothing,
        }
    }
}

/// What [`crate::Instruction::extra`] is a number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// It is 0.
    Nothing,
    /// A [`crate::TypeId`].
    Type,
    /// The [`crate::Name`] of a mnemonic.
    Mnemonic,
}
