//! A function in the form that runs: operands resolved to register slots, constants materialised,
//! types turned into widths and sizes, phi instructions into moves on the edges.
//!
//! Scalars of at most 64 bits, nearly everything in C, have actions of their own; whatever else an
//! instruction may be is [`Action::General`], evaluated from its row.

use crate::calls::CallSite;
use crate::memory::SiteId;
use crate::pointers::Path;
use crate::value::{Scalar, Value};
use knockon_program::{Flags, FloatPredicate, FunctionId, InstructionId, IntegerPredicate, Opcode};

/// A register of the frame or a constant of the function; which of the two files it is in (scalars,
/// or all other values) is part of the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(u32);

impl Slot {
    const CONSTANT: u32 = 1 << 31;
    const OTHER: u32 = 1 << 30;
    const INDEX: u32 = Slot::OTHER - 1;
    /// No value: a block, an index, the result of a void call.
    pub(crate) const NONE: Slot = Slot(u32::MAX);

    pub(crate) fn register(index: usize, scalar: bool) -> Slot {
        Slot(index as u32 | if scalar { 0 } else { Slot::OTHER })
    }

    pub(crate) fn constant(index: usize, scalar: bool) -> Slot {
        Slot(index as u32 | Slot::CONSTANT | if scalar { 0 } else { Slot::OTHER })
    }

    #[inline(always)]
    pub(crate) fn is_constant(self) -> bool {
        self.0 & Slot::CONSTANT != 0
    }

    #[inline(always)]
    pub(crate) fn is_scalar(self) -> bool {
        self.0 & Slot::OTHER == 0
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        (self.0 & Slot::INDEX) as usize
    }
}

/// The two formats that the host computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostFloat {
    Single,
    Double,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    Add(Integer),
    Subtract(Integer),
    Multiply(Integer),
    And(Integer),
    Or(Integer),
    Xor(Integer),
    /// Division, remainder, shifts, and what has rarer flags.
    Integer(Opcode, Flags, Integer),
    Compare(IntegerPredicate, Integer),
    Float(Opcode, HostFloat, Integer),
    FloatCompare(FloatPredicate, HostFloat, Integer),
    /// A cast that leaves the bits as they are.
    Move {
        to: Slot,
        from: Slot,
    },
    SignExtend {
        to: Slot,
        from: Slot,
        from_width: u8,
        width: u8,
    },
    Truncate {
        to: Slot,
        from: Slot,
        width: u8,
    },
    /// The truncation with which clang reads a `_Bool`.
    ReadBool {
        to: Slot,
        from: Slot,
    },
    Load {
        to: Slot,
        address: Slot,
        size: u8,
        width: u8,
        /// The alignment minus one.
        alignment: u32,
    },
    Store {
        value: Slot,
        address: Slot,
        size: u8,
        alignment: u32,
    },
    /// A constant distance from a pointer; `member` for access to a struct's member.
    Offset {
        to: Slot,
        base: Slot,
        offset: i32,
        member: bool,
    },
    /// One index into what a pointer points to, without a bound.
    Index {
        to: Slot,
        base: Slot,
        index: Slot,
        scale: i32,
        width: u8,
    },
    /// Any other scalar `getelementptr`.
    Path {
        to: Slot,
        base: Slot,
        path: u32,
    },
    Select {
        to: Slot,
        condition: Slot,
        then: Slot,
        otherwise: Slot,
    },
    Alloca {
        to: Slot,
        size: u32,
        site: SiteId,
    },
    Jump {
        edge: u32,
    },
    Branch {
        condition: Slot,
        then: u32,
        otherwise: u32,
    },
    Switch {
        value: Slot,
        table: u32,
    },
    Return {
        value: Slot,
    },
    Call {
        site: u32,
    },
    Unreachable,
    General,
}

/// The operands of an operation on scalars of one width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integer {
    pub(crate) to: Slot,
    pub(crate) left: Slot,
    pub(crate) right: Slot,
    pub(crate) width: u8,
    /// Signed overflow is undefined behaviour.
    pub(crate) no_signed_wrap: bool,
}

/// A control-flow edge: the phi moves, then the target's first action.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) target: u32,
    pub(crate) moves: Box<[PhiMove]>,
    /// A move reads what an earlier one writes, so all are read before any is written.
    pub(crate) parallel: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PhiMove {
    pub(crate) to: Slot,
    pub(crate) from: Slot,
    pub(crate) phi: InstructionId,
}

/// The cases of a `switch`, sorted by value, and the edges they take.
#[derive(Clone, Debug)]
pub(crate) struct SwitchTable {
    pub(crate) cases: Box<[(u128, u32)]>,
    pub(crate) default: u32,
}

pub(crate) struct Code {
    pub(crate) function: FunctionId,
    pub(crate) actions: Vec<Action>,
    /// The instruction behind each action.
    pub(crate) origins: Vec<InstructionId>,
    /// Parallel to the body's operand pool.
    pub(crate) operands: Vec<Slot>,
    /// The result of each instruction.
    pub(crate) results: Vec<Slot>,
    pub(crate) parameters: Vec<Slot>,
    pub(crate) scalar_constants: Vec<Scalar>,
    pub(crate) other_constants: Vec<Value>,
    pub(crate) scalar_count: usize,
    pub(crate) other_count: usize,
    pub(crate) edges: Vec<Edge>,
    /// The edges of an `indirectbr`, by target block: (instruction, block, edge).
    pub(crate) indirect_edges: Vec<(InstructionId, u32, u32)>,
    pub(crate) switches: Vec<SwitchTable>,
    pub(crate) paths: Vec<Path>,
    pub(crate) calls: Vec<CallSite>,
}
