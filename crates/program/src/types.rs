//! LLVM types. Pointers are opaque, so a type never contains itself and can be
//! interned by content; a named struct keeps its name as part of the content.

use crate::{Name, TypeId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    Void,
    /// Width in bits.
    Integer(u32),
    Half,
    BFloat,
    Float,
    Double,
    X86Fp80,
    Fp128,
    PpcFp128,
    /// Address space.
    Pointer(u32),
    Label,
    Token,
    Metadata,
    X86Mmx,
    X86Amx,
    Array {
        element: TypeId,
        count: u64,
    },
    Vector {
        element: TypeId,
        count: u64,
        scalable: bool,
    },
    /// The empty name is an anonymous struct.
    Struct {
        name: Name,
        fields: Box<[TypeId]>,
        packed: bool,
    },
    /// A struct whose body is not known.
    Opaque(Name),
    Function {
        result: TypeId,
        parameters: Box<[TypeId]>,
        variadic: bool,
    },
    /// `target("…")`, kept as its text.
    Target(Name),
}

impl Type {
    pub fn is_floating_point(&self) -> bool {
        matches!(
            self,
            Type::Half
                | Type::BFloat
                | Type::Float
                | Type::Double
                | Type::X86Fp80
                | Type::Fp128
                | Type::PpcFp128
        )
    }

    pub fn is_aggregate(&self) -> bool {
        matches!(self, Type::Array { .. } | Type::Struct { .. })
    }
}
