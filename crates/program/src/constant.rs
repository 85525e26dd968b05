//! Constants, interned by content. A constant that names a symbol
//! ([`Constant::Global`], [`Constant::Function`], [`Constant::Alias`]) denotes
//! its address.

use crate::{AliasId, BlockId, ConstantId, FunctionId, GlobalId, Name, Opcode, TypeId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Constant {
    /// The value's low bits, zero-extended; `type_id` gives the width (≤ 128).
    Integer {
        type_id: TypeId,
        bits: u128,
    },
    /// Wider than 128 bits: 64-bit words, least significant first.
    WideInteger {
        type_id: TypeId,
        words: Box<[u64]>,
    },
    /// The bit pattern in the type's own format (half 16 … fp128 128 bits).
    Float {
        type_id: TypeId,
        bits: u128,
    },
    /// The null pointer.
    Null(TypeId),
    /// `zeroinitializer` of an aggregate, vector or target type, and `none`.
    Zero(TypeId),
    Undefined(TypeId),
    Poison(TypeId),
    Aggregate {
        type_id: TypeId,
        elements: Box<[ConstantId]>,
    },
    /// `c"…"`: an array of `i8`.
    Bytes {
        type_id: TypeId,
        bytes: Box<[u8]>,
    },
    Global(GlobalId),
    Function(FunctionId),
    Alias(AliasId),
    BlockAddress {
        function: FunctionId,
        block: BlockId,
    },
    Expression(Expression),
    /// `asm "template", "constraints"`: only ever the callee of a call.
    Assembly {
        template: Name,
        constraints: Name,
    },
    /// Metadata used as a value, kept as its text.
    Metadata(Name),
}

/// A constant expression: the instruction's opcode over constants.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Expression {
    pub opcode: Opcode,
    pub type_id: TypeId,
    /// The source element type of `getelementptr`; otherwise equal to `type_id`.
    pub element_type: TypeId,
    /// The predicate of a comparison; otherwise 0.
    pub detail: u8,
    pub operands: Box<[ConstantId]>,
}

impl Constant {
    /// The type, of all that say it: the addresses of symbols, assembly and metadata do not.
    pub fn type_id(&self) -> Option<TypeId> {
        match self {
            Constant::Integer { type_id, .. }
            | Constant::WideInteger { type_id, .. }
            | Constant::Float { type_id, .. }
            | Constant::Null(type_id)
            | Constant::Zero(type_id)
            | Constant::Undefined(type_id)
            | Constant::Poison(type_id)
            | Constant::Aggregate { type_id, .. }
            | Constant::Bytes { type_id, .. } => Some(*type_id),
            Constant::Expression(expression) => Some(expression.type_id),
            Constant::Global(_)
            | Constant::Function(_)
            | Constant::Alias(_)
            | Constant::BlockAddress { .. }
            | Constant::Assembly { .. }
            | Constant::Metadata(_) => None,
        }
    }
}
