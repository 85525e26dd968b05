//! Under which names do runs observe objects?
//!
//! A pointer is observed as the name of its object and an offset. Names are numbers; equal names are
//! equal places. One version names its own rows; where two versions are compared, the pairing gives
//! partners one name in both, and everything else a name that the other version never has.

use crate::{FunctionId, GlobalId, InstructionId};
use rustc_hash::FxHashMap;

/// An instruction of the program.
pub type Node = (FunctionId, InstructionId);

#[derive(Clone, Debug, Default)]
pub struct ObjectNames {
    /// Of `alloca` and call instructions, from which the names of objects are made. One without is
    /// named by its function, its number and the salt.
    pub sites: FxHashMap<Node, u64>,
    /// Of functions and globals; one without is named by its symbol, a constant that the compiler
    /// made up by its content.
    pub functions: FxHashMap<FunctionId, u64>,
    pub globals: FxHashMap<GlobalId, u64>,
    /// Of parameters that are passed in memory; one without is named by its number.
    pub parameters: FxHashMap<(FunctionId, u32), u64>,
    /// Different in two versions whose unnamed places must not be taken for the same.
    pub salt: u64,
}
