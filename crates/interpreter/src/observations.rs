//! What does each node observe while the program runs?
//!
//! An observation (of a node at one occurrence) is its operands, for a load also the value read,
//! for a call the callee, the arguments and the result. Pointers count as where their object comes
//! from and the offset, never as a number. Per node the run keeps how often it was reached and one
//! 128-bit sum over its occurrences, each hashed together with its number; two runs agree on a node
//! when both are equal. The sum makes the order of recording irrelevant, so a call can be recorded
//! when it returns and still count at the occurrence at which it started.

use knockon_program::{FunctionId, InstructionId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A node of the program.
pub type Node = (FunctionId, InstructionId);

/// What to record.
#[derive(Clone, Debug, Default)]
pub struct ObserveRequest {
    /// Names for places that allocate (`alloca` and call instructions): equal names are equal
    /// places. A place without one is named by its function and its number among the function's
    /// allocating instructions.
    pub site_names: FxHashMap<Node, u64>,
    /// The nodes whose observations are kept one by one.
    pub trace: FxHashSet<Node>,
}

/// What was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observations {
    pub nodes: FxHashMap<Node, NodeObservations>,
    /// For traced nodes, the hash of each occurrence in the order of their starts.
    pub traces: FxHashMap<Node, Vec<u128>>,
}

/// All observations of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeObservations {
    pub count: u64,
    pub hash: u128,
}
