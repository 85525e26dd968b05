//! Instruction rows and operands.
//!
//! What the fields of a row mean depends on the opcode; [`crate::View`] has names for operands:
//!
//! | opcode | operands | `extra` | `detail` |
//! |---|---|---|---|
//! | binary, `fneg`, `freeze`, casts | the values | 0 | 0 |
//! | `icmp`, `fcmp` | left, right | 0 | predicate |
//! | `select` | condition, then, else | 0 | 0 |
//! | `alloca` | element count (a constant 1 when absent) | allocated [`TypeId`] | log2 of the alignment |
//! | `load` | address | 0 | log2 of the alignment |
//! | `store` | value, address | 0 | log2 of the alignment |
//! | `getelementptr` | base, indices… | source element [`TypeId`] | 0 |
//! | `cmpxchg` | address, expected, replacement | 0 | log2 of the alignment |
//! | `atomicrmw` | address, value | 0 | [`AtomicOperation`] |
//! | `fence` | none | 0 | 0 |
//! | `phi` | value, block, value, block, … | 0 | 0 |
//! | `call` | callee, arguments… | function [`TypeId`] | 0 |
//! | `invoke` | callee, normal block, unwind block, arguments… | function [`TypeId`] | 0 |
//! | `callbr` | callee, fallthrough block, indirect blocks…, arguments… | function [`TypeId`] | 0 |
//! | `ret` | nothing, or the value | 0 | 0 |
//! | `br` | block; or condition, then block, else block | 0 | 0 |
//! | `switch` | value, default block, constant, block, constant, block, … | 0 | 0 |
//! | `indirectbr` | address, blocks… | 0 | 0 |
//! | `resume` | value | 0 | 0 |
//! | `extractvalue` | aggregate, [`Operand::Index`]… | 0 | 0 |
//! | `insertvalue` | aggregate, value, [`Operand::Index`]… | 0 | 0 |
//! | `extractelement`, `insertelement`, `shufflevector` | as printed; the mask is a constant | 0 | 0 |
//! | `landingpad` | per clause: [`Operand::Index`] 0 for `catch`, 1 for `filter`, then the value | 0 | 0 |
//! | `va_arg` | the list's address | 0 | 0 |
//! | `catchpad` …: | parent pad, arguments and blocks as printed | 0 | 0 |
//! | `opaque` | every operand that could be recognised | the unknown mnemonic's [`crate::Name`] | 0 |
//!
//! `type_id` is the type of the result, void where there is none.

use crate::{BlockId, ConstantId, InstructionId, PlaceId, TypeId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    pub opcode: Opcode,
    pub detail: u8,
    pub flags: Flags,
    pub type_id: TypeId,
    pub extra: u32,
    pub place: PlaceId,
    pub first_operand: u32,
    pub operand_count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operand {
    Instruction(InstructionId),
    /// 0-based parameter number.
    Argument(u32),
    Constant(ConstantId),
    Block(BlockId),
    /// A literal index of `extractvalue`/`insertvalue`, or a clause kind.
    Index(u32),
}

macro_rules! opcodes {
    ($($variant:ident $mnemonic:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Opcode { $($variant),* }

        impl Opcode {
            pub const ALL: &[Opcode] = &[$(Opcode::$variant),*];

            /// LLVM's own spelling.
            pub fn mnemonic(self) -> &'static str {
                match self { $(Opcode::$variant => $mnemonic),* }
            }

            pub fn from_mnemonic(mnemonic: &[u8]) -> Option<Opcode> {
                $(const $variant: &[u8] = $mnemonic.as_bytes();)*
                #[allow(non_upper_case_globals)]
                match mnemonic { $($variant => Some(Opcode::$variant),)* _ => None }
            }
        }
    };
}

#[allow(non_upper_case_globals)]
mod opcode {
    use super::{Deserialize, Serialize};
    opcodes! {
        Return "ret", Branch "br", Switch "switch", IndirectBranch "indirectbr", Invoke "invoke",
        CallBr "callbr", Resume "resume", CatchSwitch "catchswitch", CatchReturn "catchret",
        CleanupReturn "cleanupret", Unreachable "unreachable",
        FloatNegate "fneg",
        Add "add", FloatAdd "fadd", Subtract "sub", FloatSubtract "fsub", Multiply "mul",
        FloatMultiply "fmul", UnsignedDivide "udiv", SignedDivide "sdiv", FloatDivide "fdiv",
        UnsignedRemainder "urem", SignedRemainder "srem", FloatRemainder "frem",
        ShiftLeft "shl", LogicalShiftRight "lshr", ArithmeticShiftRight "ashr",
        And "and", Or "or", Xor "xor",
        ExtractElement "extractelement", InsertElement "insertelement",
        ShuffleVector "shufflevector", ExtractValue "extractvalue", InsertValue "insertvalue",
        Alloca "alloca", Load "load", Store "store", Fence "fence",
        CompareExchange "cmpxchg", AtomicReadModifyWrite "atomicrmw",
        GetElementPointer "getelementptr",
        Truncate "trunc", ZeroExtend "zext", SignExtend "sext", FloatTruncate "fptrunc",
        FloatExtend "fpext", FloatToUnsigned "fptoui", FloatToSigned "fptosi",
        UnsignedToFloat "uitofp", SignedToFloat "sitofp", PointerToInteger "ptrtoint",
        IntegerToPointer "inttoptr", BitCast "bitcast", AddressSpaceCast "addrspacecast",
        IntegerCompare "icmp", FloatCompare "fcmp", Phi "phi", Select "select", Freeze "freeze",
        Call "call", VariadicArgument "va_arg", LandingPad "landingpad",
        CatchPad "catchpad", CleanupPad "cleanuppad",
        Opaque "opaque",
    }
}
pub use opcode::Opcode;

/// A set of instruction flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Flags(pub u32);

impl Flags {
    pub const NONE: Flags = Flags(0);
    pub const NO_UNSIGNED_WRAP: Flags = Flags(1);
    pub const NO_SIGNED_WRAP: Flags = Flags(1 << 1);
    pub const EXACT: Flags = Flags(1 << 2);
    pub const IN_BOUNDS: Flags = Flags(1 << 3);
    pub const VOLATILE: Flags = Flags(1 << 4);
    pub const ATOMIC: Flags = Flags(1 << 5);
    /// The call site says that the call does not return.
    pub const NO_RETURN: Flags = Flags(1 << 6);
    pub const MUST_TAIL: Flags = Flags(1 << 7);
    /// A call with operand bundles, of which no more is kept.
    pub const BUNDLES: Flags = Flags(1 << 8);
    pub const DISJOINT: Flags = Flags(1 << 9);
    pub const NON_NEGATIVE: Flags = Flags(1 << 10);
    pub const NO_UNWIND: Flags = Flags(1 << 11);
    pub const RETURNS_TWICE: Flags = Flags(1 << 12);
    pub const SAME_SIGN: Flags = Flags(1 << 13);
    /// A landing pad that is a cleanup.
    pub const CLEANUP: Flags = Flags(1 << 14);
    /// A call whose callee is no function that the compiler knows by name.
    pub const NO_BUILTIN: Flags = Flags(1 << 15);

    pub const NO_NANS: Flags = Flags(1 << 16);
    pub const NO_INFINITIES: Flags = Flags(1 << 17);
    pub const NO_SIGNED_ZEROS: Flags = Flags(1 << 18);
    pub const RECIPROCAL: Flags = Flags(1 << 19);
    pub const CONTRACT: Flags = Flags(1 << 20);
    pub const APPROXIMATE: Flags = Flags(1 << 21);
    pub const REASSOCIATE: Flags = Flags(1 << 22);
    /// A compare and exchange that may fail without a reason.
    pub const WEAK: Flags = Flags(1 << 23);
    /// Atomic for other code of the same thread only, or for others than usual.
    pub const OTHER_SCOPE: Flags = Flags(1 << 24);

    /// How an atomic access is ordered: a number of 1 to 7 by its kind, in the upper bits.
    pub const fn ordering(number: u32) -> Flags {
        Flags(number << 25)
    }

    /// How a compare and exchange is ordered that fails.
    pub const fn failure_ordering(number: u32) -> Flags {
        Flags(number << 28)
    }

    /// All that say that arithmetic of floats need not be exact.
    pub const FAST_MATH: Flags = Flags(0x7f << 16);

    /// Those of [`Flags::FAST_MATH`].
    pub fn fast_math(self) -> Flags {
        Flags(self.0 & Flags::FAST_MATH.0)
    }

    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

macro_rules! detail {
    ($($(#[$doc:meta])* $enum:ident { $($variant:ident $mnemonic:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum $enum { $($variant),* }

        impl $enum {
            pub const ALL: &[$enum] = &[$($enum::$variant),*];

            pub fn mnemonic(self) -> &'static str {
                match self { $($enum::$variant => $mnemonic),* }
            }

            pub fn from_mnemonic(mnemonic: &[u8]) -> Option<$enum> {
                $enum::ALL.iter().copied().find(|value| value.mnemonic().as_bytes() == mnemonic)
            }

            /// From [`Instruction::detail`].
            pub fn from_detail(detail: u8) -> Option<$enum> {
                $enum::ALL.get(detail as usize).copied()
            }
        }
    )*};
}

detail! {
    IntegerPredicate {
        Equal "eq", NotEqual "ne", UnsignedGreater "ugt", UnsignedGreaterOrEqual "uge",
        UnsignedLess "ult", UnsignedLessOrEqual "ule", SignedGreater "sgt",
        SignedGreaterOrEqual "sge", SignedLess "slt", SignedLessOrEqual "sle",
    }
    FloatPredicate {
        False "false", OrderedEqual "oeq", OrderedGreater "ogt", OrderedGreaterOrEqual "oge",
        OrderedLess "olt", OrderedLessOrEqual "ole", OrderedNotEqual "one", Ordered "ord",
        Unordered "uno", UnorderedEqual "ueq", UnorderedGreater "ugt",
        UnorderedGreaterOrEqual "uge", UnorderedLess "ult", UnorderedLessOrEqual "ule",
        UnorderedNotEqual "une", True "true",
    }
    AtomicOperation {
        Exchange "xchg", Add "add", Subtract "sub", And "and", Nand "nand", Or "or", Xor "xor",
        SignedMaximum "max", SignedMinimum "min", UnsignedMaximum "umax", UnsignedMinimum "umin",
        FloatAdd "fadd", FloatSubtract "fsub", FloatMaximum "fmax", FloatMinimum "fmin",
        UnsignedIncrementWrap "uinc_wrap", UnsignedDecrementWrap "udec_wrap",
        UnsignedSubtractConditional "usub_cond", UnsignedSubtractSaturating "usub_sat",
    }
}
