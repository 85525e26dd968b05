//! Global variables, aliases, and the lists that run around `main`.

use crate::{ConstantId, FunctionId, Linkage, Name, PlaceId, TypeId, UnitId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GlobalVariable {
    pub name: Name,
    /// The name in the source, from debug info (a static local's own name), or
    /// the empty name.
    pub source_name: Name,
    pub unit: UnitId,
    pub linkage: Linkage,
    /// The type of the value, not of the address.
    pub value_type: TypeId,
    /// `None` for a declaration.
    pub initialiser: Option<ConstantId>,
    /// `constant`: writing to it is undefined behaviour.
    pub is_constant: bool,
    pub is_thread_local: bool,
    /// 0 when not stated.
    pub alignment: u32,
    /// The section that the source asks for, or the empty name.
    pub section: Name,
    pub place: PlaceId,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Alias {
    pub name: Name,
    pub unit: UnitId,
    pub linkage: Linkage,
    pub value_type: TypeId,
    pub aliasee: ConstantId,
    /// `ifunc`: the aliasee is a resolver, called once at load time.
    pub is_ifunc: bool,
}

/// One row of `llvm.global_ctors` or `llvm.global_dtors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitialiserEntry {
    pub priority: u32,
    pub function: FunctionId,
}
